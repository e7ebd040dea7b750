//! Clauses that need each other: names before or after what is wanted of them, pronouns, the second half of a query.

use super::again::lacking;
use super::points::sweeps;
use super::{Outcome, Reading, Step, Wish};
use crate::SlotKind;
use crate::phrases::clauses::Joined;
use crate::phrases::fill::{self, Mention, Value};
use crate::phrases::intent::{Bar, Judged, Mood, Points};
use crate::phrases::score;

/// What has come together so far.
#[derive(Default)]
struct Joining {
    wishes: Vec<Wish>,
    /// The names of the last clause that had any.
    topic: Vec<Mention>,
    /// Names that wait for what is wanted of them.
    waiting: Vec<Mention>,
    last: Option<Wish>,
    asked: Option<Outcome>,
    barred: Option<Bar>,
    /// Something was taken back, and what was put in its place is not clear.
    muddled: bool,
    /// What an aside would ask, if nothing else was wanted.
    aside: Option<Outcome>,
    elsewhere: Option<&'static str>,
}

impl Reading<'_> {
    /// Joins the steps of all clauses.
    pub(super) fn join(&self, judged: &[Judged], mentions: &[Vec<Mention>], steps: Vec<Step>) -> Outcome {
        let mut all = Joining::default();
        for (place, ((found, clause), named)) in steps.into_iter().zip(judged).zip(mentions).enumerate() {
            let step = if comments(clause, &judged[..place]) { Step::Aside } else { found };
            if clause.corrects {
                self.take_back(&mut all, &step, named);
            }
            self.add(&mut all, step, clause, named);
            if named.is_empty() {
                continue;
            }
            if !matches!(clause.joined, Joined::And) {
                all.topic.clear();
            }
            all.topic.extend(named.iter().cloned());
        }
        if all.muddled {
            return Outcome::Nothing;
        }
        if all.wishes.is_empty() {
            all.asked = all.asked.or(all.aside);
        }
        // Nothing is begun while a part of it is still a question.
        if let Some(asked) = all.asked {
            return asked;
        }
        let wishes = unique(all.wishes);
        match (all.elsewhere, all.barred) {
            _ if !wishes.is_empty() => Outcome::Wishes(wishes),
            (Some(answer), _) => Outcome::Elsewhere(answer),
            (_, Some(bar)) => Outcome::Barred(bar),
            _ => self
                .again(judged, mentions)
                .or_else(|| self.asks_by_name(judged, mentions))
                .unwrap_or(Outcome::Nothing),
        }
    }

    /// "restart lnd, no wait, electrs": what stands before is replaced by what is said now.
    fn take_back(&self, all: &mut Joining, step: &Step, named: &[Mention]) {
        let only_names = matches!(step, Step::Names) && !named.is_empty();
        match step {
            Step::Aside => return,
            Step::Wishes(_)
            | Step::Lacks { .. }
            | Step::Barred(_)
            | Step::Perhaps(_)
            | Step::Unclear { .. } => {}
            _ if only_names && (all.last.is_some() || !all.waiting.is_empty()) => {}
            _ => all.muddled |= all.wishes.iter().any(|wish| self.index.tools[wish.tool].writes()),
        }
        all.wishes.pop();
        all.waiting.pop();
        all.asked = all.asked.take().filter(|asked| only_names && matches!(asked, Outcome::Which { .. }));
    }

    fn add(&self, all: &mut Joining, step: Step, clause: &Judged, named: &[Mention]) {
        if cancels(clause) {
            all.wishes.retain(|wish| !self.index.tools[wish.tool].writes());
            all.asked = None;
            all.barred = Some(Bar::Negated);
            return;
        }
        match step {
            Step::Wishes(made) => {
                let made = self.searched(all, made, clause);
                let made = self.pointed_words(&made).unwrap_or(made);
                if !all.waiting.is_empty() && matches!(clause.joined, Joined::And | Joined::Or) {
                    all.wishes.extend(self.repeat(&made[0], &all.waiting));
                }
                all.waiting.clear();
                all.last = made.last().cloned();
                all.wishes.extend(made);
            }
            Step::Lacks { wish, slot } if self.takes_words(&wish, slot) => {
                self.lack_words(all, wish, slot, clause);
            }
            Step::Lacks { wish, slot } => self.complete(all, &wish, slot, clause),
            Step::Unclear { wish, slot, among } => {
                all.asked.get_or_insert(Outcome::Which { wish, slot, among });
            }
            Step::Perhaps(made) => {
                all.asked.get_or_insert(Outcome::Perhaps(made));
            }
            Step::Names => self.add_names(all, clause, named),
            Step::Elsewhere(answer) => {
                all.elsewhere.get_or_insert(answer);
            }
            Step::Barred(bar) => {
                let excepts =
                    bar == Bar::Negated && super::only_names(&clause.words, named) && !named.is_empty();
                all.last = all.last.take().filter(|_| excepts);
                all.barred.get_or_insert(bar);
            }
            Step::Unknown => {
                let goes_on = clause.mood == Mood::Fragment
                    && matches!(clause.joined, Joined::And | Joined::Or | Joined::Comma);
                if let (Some(last), Some(done)) = (&mut all.last, all.wishes.last_mut())
                    && goes_on
                    && self.extend_words(last, clause)
                {
                    done.clone_from(last);
                }
            }
            Step::Aside => {}
        }
    }

    /// Whether a slot is filled by words as they come.
    fn takes_words(&self, wish: &Wish, slot: usize) -> bool {
        matches!(self.index.tools[wish.tool].offer.spec.slots()[slot].kind, SlotKind::Words)
    }

    /// "I lost roof.dwg, can you find that file": what was named before; else the words follow, or are asked for.
    fn lack_words(&self, all: &mut Joining, wish: Wish, slot: usize, clause: &Judged) {
        if let Some(value) = self.said_before(clause) {
            let made = wish.with(slot, value);
            all.last = Some(made.clone());
            all.wishes.push(made);
        } else if matches!(clause.mood, Mood::Order | Mood::Desire | Mood::Fragment)
            || !self.point_at(&wish, slot, clause, &all.waiting, &all.topic, &all.wishes).is_empty()
        {
            self.complete(all, &wish, slot, clause);
        } else {
            all.aside = Some(Outcome::Which { wish, slot, among: Vec::new() });
        }
    }

    /// "go through my notes and find X": the words of the second half, in the place of the first.
    fn searched(&self, all: &mut Joining, made: Vec<Wish>, clause: &Judged) -> Vec<Wish> {
        let joins = matches!(clause.joined, Joined::And | Joined::Comma | Joined::Then | Joined::Colon);
        let ([wish], Some(Outcome::Which { wish: open, slot, .. }), true) = (&made[..], &all.asked, joins)
        else {
            return made;
        };
        let words = wish.args.iter().find(|(slot, _)| self.takes_words(wish, *slot));
        match words {
            Some((_, value)) if self.takes_words(open, *slot) && all.wishes.is_empty() => {
                let whole = open.with(*slot, value.clone());
                all.asked = None;
                vec![whole]
            }
            _ => made,
        }
    }

    /// Fills what lacks with what it points at, or asks.
    fn complete(&self, all: &mut Joining, wish: &Wish, slot: usize, clause: &Judged) {
        let writes = self.index.tools[wish.tool].writes();
        let values = self.point_at(wish, slot, clause, &all.waiting, &all.topic, &all.wishes);
        all.waiting.clear();
        if values.is_empty() && clause.sweeping && writes && sweeps(&clause.words) {
            all.barred.get_or_insert(Bar::Sweeping);
        } else if values.is_empty()
            && !writes
            && wish.args.is_empty()
            && self.index.tools[wish.tool].sets[slot].is_some()
        {
            // "where did I put it": hardly more than an aside, if anything else is wanted.
            let among = self.among(wish, slot);
            all.aside = Some(Outcome::Which { wish: wish.clone(), slot, among });
            all.last.get_or_insert(wish.clone());
        } else if values.is_empty() {
            all.last = Some(wish.clone());
            let among = self.among(wish, slot);
            all.asked.get_or_insert(Outcome::Which { wish: wish.clone(), slot, among });
        } else if values.len() == 1 || clause.points == Some(Points::Several) || !writes {
            let made: Vec<Wish> = values.into_iter().map(|value| wish.with(slot, value)).collect();
            if let Some(slot) = made.first().and_then(|wish| lacking(self.index, wish)) {
                let (wish, among) = (made[0].clone(), self.among(&made[0], slot));
                all.asked.get_or_insert(Outcome::Which { wish, slot, among });
                return;
            }
            all.wishes.extend(made);
            all.last = all.wishes.last().cloned();
        } else {
            let text = |value| if let Value::Text(text) = value { Some(text) } else { None };
            let among = values.into_iter().filter_map(text).collect();
            all.asked.get_or_insert(Outcome::Which { wish: wish.clone(), slot, among });
        }
    }

    /// "… and mempool": the last wish again; else the names wait.
    fn add_names(&self, all: &mut Joining, clause: &Judged, named: &[Mention]) {
        let goes_on = !matches!(clause.joined, Joined::Sentence | Joined::Colon | Joined::Reason);
        let repeated = match &all.last {
            Some(last) if goes_on && clause.bar.is_none() => self.repeat(last, named),
            _ => Vec::new(),
        };
        if repeated.is_empty() {
            all.waiting.extend(named.iter().cloned());
            return;
        }
        if let Some(Outcome::Which { wish, slot, .. }) = &all.asked {
            // "restart it, lnd": the name completes what lacked.
            let completes =
                |made: &Wish| made.tool == wish.tool && made.args.iter().any(|(known, _)| known == slot);
            if all.wishes.is_empty() && repeated.iter().all(completes) {
                all.asked = None;
            }
        }
        all.wishes.extend(repeated);
    }

    /// "the log level, what are we on?": a name put first belongs to what follows.
    pub(super) fn put_names_back(&self, judged: &[Judged], steps: &mut [Step]) {
        for place in 1..judged.len() {
            let (front, clause) = (&judged[place - 1], &judged[place]);
            let apart =
                !matches!(clause.joined, Joined::Comma | Joined::Colon) || front.sentence != clause.sentence;
            let first = place == 1 || !matches!(front.joined, Joined::And | Joined::Comma | Joined::Or);
            if apart
                || !first
                || !matches!(steps[place - 1], Step::Names)
                || (clause.mood == Mood::Fragment && clause.joined != Joined::Colon)
            {
                continue;
            }
            let mut whole = clause.clone();
            if clause.mood == Mood::Fragment {
                whole.words.splice(0..0, front.words.iter().cloned());
            } else {
                whole.words.extend(front.words.iter().cloned());
            }
            if clause.mood == Mood::Fragment {
                // "language: italian".
                (whole.joined, whole.polite) = (Joined::Sentence, true);
            }
            let mentions = fill::mentions(&whole.words, self.index);
            let step = self.clause(&whole, &mentions);
            if matches!(step, Step::Wishes(_) | Step::Perhaps(_)) {
                steps[place] = step;
                steps[place - 1] = Step::Aside;
            }
        }
    }
}

/// "…, both fine": no more than a word on what was told.
fn comments(clause: &Judged, before: &[Judged]) -> bool {
    let light = |word: &crate::phrases::words::Word| !score::carries(word);
    let told = |before: &Judged| before.mood == Mood::Statement && before.sentence == clause.sentence;
    before.iter().any(told)
        && !clause.words.is_empty()
        && clause.mood == Mood::Fragment
        && !clause.asked
        && !clause.polite
        && clause.words.iter().all(light)
}

/// "actually don't": what was ordered before is not wanted.
fn cancels(clause: &Judged) -> bool {
    const CANCELS: [&[&str]; 9] = [
        &["do", "not"],
        &["do", "not", "do", "that"],
        &["do", "not", "do", "it"],
        &["leave", "it"],
        &["leave", "that"],
        &["forget", "it"],
        &["forget", "that"],
        &["cancel", "that"],
        &["cancel", "it"],
    ];
    let texts: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
    let refuses = texts == ["not"] && clause.mood == Mood::Order;
    clause.joined != Joined::Reason && (refuses || CANCELS.contains(&&texts[..]))
}

/// Each wish once; one that says more takes the place of the one before ("its log, the last 40 lines").
fn unique(wishes: Vec<Wish>) -> Vec<Wish> {
    let mut unique: Vec<Wish> = Vec::new();
    for wish in wishes {
        let less = |known: &&mut Wish| {
            let within = known.args.iter().all(|arg| wish.args.contains(arg));
            known.tool == wish.tool && within && (known.args.is_empty() == wish.args.is_empty())
        };
        match unique.iter_mut().find(less) {
            Some(known) => *known = wish,
            None => unique.push(wish),
        }
    }
    unique
}
