//! Going on from what was said before: the last call once more, and answers to the assistant's own question.

use super::{Outcome, Reading, Wish, only_names};
use crate::phrases::answer;
use crate::phrases::english::ENGLISH;
use crate::phrases::fill::{self, Mention, Value};
use crate::phrases::index::Index;
use crate::phrases::intent::{self, Judged, Mood};
use crate::phrases::lexicon;
use crate::phrases::score;
use crate::phrases::words::{self, Kind, Word};
use crate::{Presence, SlotKind};

/// What agrees, and no more.
const YES: [&str; 8] = ["yes", "ok", "okay", "do", "it", "that", "please", "sure"];

impl Reading<'_> {
    /// "jellyfin?": the one read that needs no more than the name.
    pub(super) fn asks_by_name(&self, judged: &[Judged], mentions: &[Vec<Mention>]) -> Option<Outcome> {
        let ([clause], [names]) = (judged, mentions) else { return None };
        if !(clause.asked || clause.polite) || clause.bar.is_some() || !only_names(&clause.words, names) {
            return None;
        }
        let words = &clause.words;
        let fits = self.index.tools.iter().enumerate().filter(|(_, tool)| !tool.writes()).filter_map(
            |(place, tool)| {
                let by_name = tool
                    .patterns
                    .iter()
                    .any(|pattern| pattern.content.is_empty() && pattern.slots.len() == 1);
                let fit = score::whole(place, words, names, self.index, self.said)?;
                by_name.then_some(fit)
            },
        );
        fits.max_by_key(|fit| fit.filled.mentions).map(|fit| Outcome::Wishes(self.wishes(&fit)))
    }

    /// The last call once more with what is new: "and lnd?", "make it 100 lines".
    pub(super) fn again(&self, judged: &[Judged], mentions: &[Vec<Mention>]) -> Option<Outcome> {
        let place = judged.iter().position(|clause| !clause.words.is_empty())?;
        let clause = &judged[place];
        if judged.iter().skip(place + 1).any(|clause| !clause.words.is_empty()) {
            return None;
        }
        if clause.bar.is_some() || clause.mood == Mood::Statement {
            return None;
        }
        let earlier = self.before.calls.last().filter(|_| self.before.age <= 2)?;
        let tool = self.index.tools.iter().position(|tool| tool.name() == earlier.tool)?;
        let known = &self.index.tools[tool];
        let words = &clause.words;
        let mut filled = fill::fill(known, words, &mentions[place], self.index, self.said);
        for (place, slot) in known.offer.spec.slots().iter().enumerate() {
            if matches!(slot.kind, SlotKind::Words)
                && !words.iter().any(|word| matches!(word.kind, Kind::Path | Kind::Quoted))
                && !clause.words.iter().any(|word| matches!(word.text.as_str(), "for" | "about"))
                && !starts_on(self.said)
            {
                filled.values[place].clear();
                filled.open.fill(false);
            }
        }
        if filled.values.iter().all(Vec::is_empty) {
            return None;
        }
        let light = |(place, word): (usize, &Word)| {
            filled.explained[place]
                || filled.open[place]
                || known.vocabulary.contains(&word.stem)
                || !score::carries(word)
                || word.text == "make"
        };
        if !words.iter().enumerate().all(light) {
            return None;
        }
        let mut wish = Wish { tool, args: Vec::new() };
        for (place, slot) in known.offer.spec.slots().iter().enumerate() {
            let value = filled.values[place].first().cloned().or_else(|| {
                earlier.args.iter().find(|(name, _)| name == slot.name).map(|(_, value)| value.clone())
            });
            if let Some(value) = value {
                wish.args.push((place, value));
            }
        }
        if lacking(self.index, &wish).is_some() {
            return None;
        }
        let sure = !known.writes() || (!clause.asked && starts_on(self.said) && clause.mood != Mood::Desire);
        Some(if sure { Outcome::Wishes(vec![wish]) } else { Outcome::Perhaps(vec![wish]) })
    }

    /// An answer to the assistant's own question.
    pub(super) fn answers_pending(&self, judged: &[Judged]) -> Option<Outcome> {
        let pending = self.pending.as_ref()?;
        // "which one? nextcloud": asking back is no answer and no bar to one.
        let asks_back = |clause: &Judged| {
            clause.asked
                && clause.words.iter().all(|word| {
                    matches!(word.text.as_str(), "which" | "what" | "one" | "app" | "ones" | "hm" | "file")
                })
        };
        let clauses: Vec<&Judged> =
            judged.iter().filter(|clause| !clause.words.is_empty() && !asks_back(clause)).collect();
        if clauses.iter().any(|clause| clause.bar.is_some() || clause.asked) {
            return None;
        }
        let raw: Vec<Word> =
            words::split(self.said).into_iter().filter(|word| word.mark().is_none()).collect();
        let choices = answer::choices(pending);
        if let Some(place) = ordinal(&raw, choices.len()) {
            return choices.get(place).map(|wish| Outcome::Wishes(vec![wish.clone()]));
        }
        if !raw.is_empty()
            && raw.iter().all(|word| YES.contains(&word.text.as_str()) || intent::is_filler(word))
        {
            // An agreement does not say to which.
            let no = raw.iter().any(|word| matches!(word.text.as_str(), "no" | "nope" | "not" | "thanks"));
            return (!no).then(|| pending.clone());
        }
        let Outcome::Which { wish, slot, .. } = pending else { return None };
        let tool = &self.index.tools[wish.tool];
        let mut values = Vec::new();
        for clause in &clauses {
            let mentions = fill::mentions(&clause.words, self.index);
            match tool.sets[*slot] {
                Some(set) if self.takes_any(wish, *slot, set) && mentions.is_empty() => {
                    let led =
                        |word: &&Word| matches!(word.text.as_str(), "to" | "it" | "as" | "call" | "the");
                    let rest: Vec<&Word> = clause.words.iter().skip_while(led).collect();
                    let [word] = rest[..] else { return None };
                    let means =
                        ENGLISH.stop.contains(word.text.as_str()) || self.index.leads.contains(&word.stem);
                    let says = word.is_plain() && !means || word.kind == Kind::Quoted;
                    let said = self.said.get(word.at.clone()).filter(|_| says)?;
                    values.push(Value::Text(said.to_owned()));
                }
                Some(set) => {
                    if !only_names(&clause.words, &mentions) {
                        return None;
                    }
                    for mention in mentions.iter().filter(|mention| mention.set == set) {
                        let [who] = mention.who[..] else { return None };
                        values.push(Value::Text(self.index.sets[set].list[who].value.clone()));
                    }
                }
                None => values.push(self.free_answer(clause)?),
            }
        }
        values.dedup();
        if values.len() > 1 && tool.sets[*slot].is_none() {
            return None;
        }
        (!values.is_empty()).then(|| {
            Outcome::Wishes(
                values
                    .into_iter()
                    .map(|value| {
                        let mut wish = wish.clone();
                        wish.args.retain(|(known, _)| known != slot);
                        wish.args.push((*slot, value));
                        wish.args.sort_by_key(|(slot, _)| *slot);
                        wish
                    })
                    .collect(),
            )
        })
    }
}

impl Reading<'_> {
    /// Whether the slot of a wish takes any words, its key being known.
    fn takes_any(&self, wish: &Wish, slot: usize, set: usize) -> bool {
        let slots = self.index.tools[wish.tool].offer.spec.slots();
        let keyed = |key: &(&'static str, String)| {
            wish.args.iter().any(|(known, value)| {
                *known != slot && slots[*known].name == key.0 && *value == Value::Text(key.1.clone())
            })
        };
        self.index.sets[set]
            .list
            .iter()
            .any(|candidate| candidate.any_words && candidate.goes_with.as_ref().is_none_or(keyed))
    }

    /// "for beekeeping", "the one called speech.txt": the words that were asked for.
    fn free_answer(&self, clause: &Judged) -> Option<Value> {
        if !matches!(clause.mood, Mood::Fragment | Mood::Order) {
            return None;
        }
        let words = &clause.words;
        let path = words.iter().position(|word| matches!(word.kind, Kind::Path | Kind::Quoted));
        if let Some(path) = path {
            return Some(Value::Text(self.said.get(words[path].at.clone())?.to_owned()));
        }
        let orders = words.first().is_some_and(|first| self.index.leads.contains(&first.stem));
        let led = words.iter().take_while(|word| {
            matches!(
                word.text.as_str(),
                "for"
                    | "about"
                    | "the"
                    | "a"
                    | "an"
                    | "on"
                    | "called"
                    | "named"
                    | "my"
                    | "it"
                    | "is"
                    | "one"
                    | "word"
            )
        });
        let rest = &words[led.count()..];
        if orders || rest.is_empty() || rest.len() > 5 {
            return None;
        }
        let said = self.said.get(rest[0].at.start..rest.last()?.at.end)?;
        Some(Value::Text(said.to_owned()))
    }
}

/// The first slot that still must be said.
pub(super) fn lacking(index: &Index<'_>, wish: &Wish) -> Option<usize> {
    let slots = index.tools[wish.tool].offer.spec.slots();
    (0..slots.len()).find(|place| {
        slots[*place].presence == Presence::Required && !wish.args.iter().any(|(known, _)| known == place)
    })
}

/// Whether it goes on from what was said before.
pub(super) fn starts_on(said: &str) -> bool {
    let lower = said.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    lower.starts_with("what about")
        || lower.starts_with("how about")
        || matches!(
            first,
            "and"
                | "no"
                | "actually"
                | "sorry"
                | "rather"
                | "wait"
                | "also"
                | "same"
                | "now"
                | "then"
                | "plus"
                | "likewise"
                | "ditto"
        )
        || words.any(|word| matches!(word, "too" | "also" | "same" | "likewise" | "well"))
}

/// "the second one".
fn ordinal(words: &[Word], choices: usize) -> Option<usize> {
    let of =
        |word: &Word| lexicon::ORDINALS.iter().find(|(name, _)| *name == word.text).map(|(_, place)| *place);
    let place = words.iter().find_map(of)?;
    let only = words.iter().all(|word| {
        of(word).is_some()
            || ENGLISH.stop.contains(word.text.as_str())
            || matches!(word.text.as_str(), "number" | "choice" | "option" | "please" | "ok" | "yes")
    });
    let place = if place == usize::MAX { choices.checked_sub(1)? } else { place };
    (only && place < choices).then_some(place)
}
