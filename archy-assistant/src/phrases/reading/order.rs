//! Orders: a write is wanted only where all that was said is understood.

use super::clause::partial;
use super::points::sweeps;
use super::{Reading, Step};
use crate::phrases::clauses::Joined;
use crate::phrases::fill::{Mention, Value};
use crate::phrases::intent::{Bar, Judged, Mood};
use crate::phrases::lexicon;
use crate::phrases::score::{self, Fit};
use crate::phrases::words::Word;

/// A write must explain all.
const SURE: f64 = 0.99;
/// What explains so much, and leaves one word, is asked.
const PERHAPS: f64 = 0.5;

impl Reading<'_> {
    /// What becomes of the write that a clause may order.
    pub(super) fn decide_write(
        &self,
        clause: &Judged,
        mentions: &[Mention],
        write: &Fit,
        elsewhere: Option<&'static str>,
    ) -> Step {
        if let Some(answer) = elsewhere.filter(|_| write.lacks.is_some() || write.precision < SURE) {
            return Step::Elsewhere(answer);
        }
        let several = clause.sweeping && !self.has_paired(mentions);
        if several && sweeps(&clause.words) {
            return Step::Barred(Bar::Sweeping);
        }
        match self.write_step(write) {
            Step::Wishes(wishes) if clause.doubtful => Step::Perhaps(wishes),
            step => step,
        }
    }

    /// The write that a clause orders, if it is an order.
    pub(super) fn write(&self, clause: &Judged, mentions: &[Mention], head: Option<&Word>) -> Option<Fit> {
        let mentions = &self.with_key_meant(clause, mentions);
        if mentions.iter().any(|mention| self.is_circumstance(mention, &clause.words)) {
            return None;
        }
        let flipped = self.other_value(clause, mentions);
        if flipped.is_some() {
            return flipped;
        }
        let wanted = wanted_state(clause);
        let clause = wanted.as_ref().unwrap_or(clause);
        let verbs: Vec<&str> = match clause.mood {
            Mood::Order => {
                vec![head.filter(|head| head.base || gerund_frame(clause)).map(|head| head.stem.as_str())?]
            }
            Mood::Desire => clause
                .words
                .iter()
                .filter(|word| word.is_plain())
                .filter(|word| self.index.write_leads.contains(&word.stem))
                .map(|word| word.stem.as_str())
                .collect(),
            Mood::Fragment if !clause.asked => {
                let needs = clause.words.iter().any(|word| matches!(word.text.as_str(), "needs" | "need"));
                clause
                    .words
                    .iter()
                    .filter(|word| {
                        word.is_plain() && (word.base || needs) && self.index.write_leads.contains(&word.stem)
                    })
                    .map(|word| word.stem.as_str())
                    .collect()
            }
            _ => return None,
        };
        let tools = (0..self.index.tools.len()).filter(|place| self.index.tools[*place].writes());
        let mut best: Option<Fit> = None;
        for place in tools {
            let mut found: Option<Fit> = None;
            for verb in &verbs {
                if let Some(fit) =
                    score::fit(place, &clause.words, mentions, self.index, self.said, Some(verb))
                    && found.as_ref().is_none_or(|found| fit.score > found.score)
                {
                    found = Some(fit);
                }
            }
            // "I'd like the interface in German", "theme to dark, please": key and value say all.
            if found.is_none()
                && matches!(clause.mood, Mood::Desire | Mood::Fragment)
                && self.index.tools[place].offer.spec.slots().len() > 1
            {
                let to = clause.polite
                    || clause.mood == Mood::Desire
                    || clause.words.iter().any(|word| matches!(word.text.as_str(), "to" | "should"));
                found = score::whole(place, &clause.words, mentions, self.index, self.said)
                    .filter(|fit| fit.lacks.is_none() && fit.unexplained == 0)
                    .filter(|_| to || self.names_key(mentions));
            }
            let Some(found) = found else { continue };
            let nearer = best
                .as_ref()
                .is_none_or(|best| (found.lacks.is_none(), found.score) > (best.lacks.is_none(), best.score));
            if nearer {
                best = Some(found);
            }
        }
        best.filter(|fit| {
            clause.mood == Mood::Order
                || (fit.unexplained == 0 && (fit.lacks.is_none() || clause.points.is_some()))
        })
    }

    /// "stop at lnd", "start with lnd": the name is not what the verb acts on.
    fn is_circumstance(&self, mention: &Mention, words: &[Word]) -> bool {
        const AROUND: [&str; 9] = ["at", "with", "from", "about", "against", "like", "via", "than", "by"];
        let plain = self.index.sets[mention.set].list[mention.who[0]].goes_with.is_none();
        let before =
            words[..mention.from].iter().rev().find(|word| !matches!(word.text.as_str(), "the" | "my"));
        plain
            && !self.index.keys.contains(&mention.set)
            && before.is_some_and(|before| AROUND.contains(&before.text.as_str()))
    }

    /// "turn dark mode off": of a key with two values, the other.
    fn other_value(&self, clause: &Judged, mentions: &[Mention]) -> Option<Fit> {
        let off = |(_, verb): &&(&str, &str)| *verb == "stop";
        let stop = lexicon::STATES.iter().find(off).map(|(_, verb)| *verb)?;
        let [mention] =
            mentions.iter().filter(|one| !self.index.keys.contains(&one.set)).collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let head = clause.words.iter().find(|word| word.is_plain())?;
        if clause.mood != Mood::Order || head.stem != stop || !head.base {
            return None;
        }
        let list = &self.index.sets[mention.set].list;
        let [who] = mention.who[..] else { return None };
        let key = list[who].goes_with.as_ref()?;
        let mut others =
            list.iter().filter(|one| one.goes_with.as_ref() == Some(key) && one.value != list[who].value);
        let other = others.next().filter(|_| others.next().is_none())?;
        let place = list.iter().position(|one| one == other)?;
        let turned: Vec<Mention> = mentions
            .iter()
            .map(|one| if one == mention { Mention { who: vec![place], ..one.clone() } } else { one.clone() })
            .collect();
        let words: Vec<Word> = clause.words.iter().filter(|word| word.stem != stop).cloned().collect();
        let shift = |mention: Mention| {
            let gone = clause.words[..mention.from].iter().filter(|word| word.stem == stop).count();
            Mention { from: mention.from - gone, to: mention.to - gone, ..mention }
        };
        let turned: Vec<Mention> = turned.into_iter().map(shift).collect();
        (0..self.index.tools.len())
            .filter(|place| self.index.tools[*place].writes())
            .find_map(|place| score::whole(place, &words, &turned, self.index, self.said))
    }

    /// Whether a key and one of its values were both named ("theme dark").
    pub(super) fn names_key(&self, mentions: &[Mention]) -> bool {
        mentions.iter().any(|mention| self.index.keys.contains(&mention.set))
    }

    /// "change it to tower", after a question about the host name: its key is meant, unless a value says another.
    fn with_key_meant(&self, clause: &Judged, mentions: &[Mention]) -> Vec<Mention> {
        let mut all = mentions.to_vec();
        let points = clause.words.iter().any(|word| matches!(word.text.as_str(), "it" | "that" | "this"));
        let goes = |mention: &Mention| self.index.sets[mention.set].list[mention.who[0]].goes_with.is_some();
        if !points || mentions.iter().any(goes) {
            return all;
        }
        for tool in self.index.tools.iter().filter(|tool| tool.writes()) {
            for (slot, set) in tool.sets.iter().enumerate() {
                let name = tool.offer.spec.slots()[slot].name;
                let Some(set) = set.filter(|set| mentions.iter().all(|mention| mention.set != *set)) else {
                    continue;
                };
                let keyed = tool.sets.iter().flatten().any(|other| {
                    self.index.sets[*other]
                        .list
                        .iter()
                        .any(|one| one.goes_with.as_ref().is_some_and(|(key, _)| *key == name))
                });
                let values = self.before.values(name);
                let list = &self.index.sets[set].list;
                if let ([Value::Text(value)], true) = (&values[..], keyed)
                    && let Some(who) = list.iter().position(|one| one.value == *value)
                {
                    all.push(Mention { set, who: vec![who], from: 0, to: 0 });
                }
            }
        }
        all
    }

    /// "I'd like a different time zone", "a new theme please": which is to be asked.
    pub(super) fn wants_another(&self, clause: &Judged, mentions: &[Mention]) -> Option<Step> {
        let other = |word: &Word| matches!(word.text.as_str(), "different" | "another" | "new" | "other");
        let [mention] = mentions else { return None };
        let wanted =
            matches!(clause.mood, Mood::Desire | Mood::Order | Mood::Fragment) && clause.bar.is_none();
        let words = clause.words.iter().enumerate();
        let whole = words
            .filter(|(place, word)| !(mention.from..mention.to).contains(place) && !other(word))
            .all(|(_, word)| !score::carries(word) || self.index.write_leads.contains(&word.stem));
        if !wanted || !whole || !clause.words.iter().any(other) || !self.index.keys.contains(&mention.set) {
            return None;
        }
        let [who] = mention.who[..] else { return None };
        let (tool, key) = self.index.tools.iter().enumerate().find_map(|(place, tool)| {
            let key = tool.sets.iter().position(|set| *set == Some(mention.set))?;
            (tool.writes() && tool.sets.len() > 1).then_some((place, key))
        })?;
        let value = Value::Text(self.index.sets[mention.set].list[who].value.clone());
        let wish = super::Wish { tool, args: vec![(key, value)] };
        let slot = super::again::lacking(self.index, &wish)?;
        Some(Step::Unclear { among: self.among(&wish, slot), wish, slot })
    }

    fn write_step(&self, fit: &Fit) -> Step {
        if let Some((slot, among)) = &fit.filled.unclear {
            return Step::Unclear { wish: partial(fit), slot: *slot, among: among.clone() };
        }
        if fit.precision >= SURE && fit.unexplained == 0 {
            return self.step(fit);
        }
        if let Some(slot) = fit.lacks.filter(|_| fit.filled.mentions > 0 && fit.unexplained == 1) {
            let wish = partial(fit);
            return Step::Unclear { among: self.among(&wish, slot), wish, slot };
        }
        if fit.lacks.is_none() && fit.precision >= PERHAPS && fit.unexplained <= 1 {
            return Step::Perhaps(self.wishes(fit));
        }
        Step::Unknown
    }

    /// "the timezone should be UTC": a statement that gives a key its value is an order; any other only tells.
    pub(super) fn ought(&self, clause: &Judged, mentions: &[Mention]) -> Step {
        if !clause.should || clause.bar.is_some() || clause.asked || clause.joined == Joined::Reason {
            return Step::Aside;
        }
        let pairs = |place: &usize| {
            let tool = &self.index.tools[*place];
            tool.writes() && tool.offer.spec.slots().len() > 1
        };
        let whole = (0..self.index.tools.len())
            .filter(pairs)
            .find_map(|place| score::whole(place, &clause.words, mentions, self.index, self.said));
        whole.map_or(Step::Aside, |fit| self.write_step(&fit))
    }
}

/// "I want it off": the state that is wanted, as the verb that leads to it.
fn wanted_state(clause: &Judged) -> Option<Judged> {
    // "jellyfin off" is one; what is up or back may only be told.
    let switched = clause.words.last().is_some_and(|last| matches!(last.text.as_str(), "off" | "on"));
    if clause.mood != Mood::Desire && !(clause.mood == Mood::Fragment && (clause.polite || switched)) {
        return None;
    }
    let mut clause = clause.clone();
    for word in &mut clause.words {
        let verb = lexicon::STATES.iter().find(|(state, _)| *state == word.text).map(|(_, verb)| *verb);
        if let Some(verb) = verb {
            verb.clone_into(&mut word.stem);
        }
    }
    Some(clause)
}

fn gerund_frame(clause: &Judged) -> bool {
    clause.mood == Mood::Order && clause.polite
}
