//! Clauses that need each other: names before or after what is wanted of them, pronouns, the second half of a query.

use super::{Outcome, Reading, Step, Wish};
use crate::phrases::clauses::Joined;
use crate::phrases::fill::{self, Mention, Value};
use crate::phrases::intent::{Bar, Judged, Mood, Points};

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
    elsewhere: Option<&'static str>,
}

impl Reading<'_> {
    /// Joins the steps of all clauses.
    pub(super) fn join(&self, judged: &[Judged], mentions: &[Vec<Mention>], steps: Vec<Step>) -> Outcome {
        let mut all = Joining::default();
        for ((step, clause), named) in steps.into_iter().zip(judged).zip(mentions) {
            self.add(&mut all, step, clause, named);
            if !named.is_empty() {
                all.topic.clone_from(named);
            }
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

    fn add(&self, all: &mut Joining, step: Step, clause: &Judged, named: &[Mention]) {
        match step {
            Step::Wishes(made) => {
                let made = self.pointed_words(&made).unwrap_or(made);
                if !all.waiting.is_empty() && matches!(clause.joined, Joined::And | Joined::Or) {
                    all.wishes.extend(self.repeat(&made[0], &all.waiting));
                }
                all.waiting.clear();
                all.last = made.last().cloned();
                all.wishes.extend(made);
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
                all.last = None;
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

    /// Fills what lacks with what it points at, or asks.
    fn complete(&self, all: &mut Joining, wish: &Wish, slot: usize, clause: &Judged) {
        let writes = self.index.tools[wish.tool].writes();
        let values = self.point_at(wish, slot, clause, &all.waiting, &all.topic, &all.wishes);
        all.waiting.clear();
        if values.is_empty() && clause.sweeping && writes {
            all.barred.get_or_insert(Bar::Sweeping);
        } else if values.is_empty() {
            all.last = Some(wish.clone());
            let among = self.among(wish, slot);
            all.asked.get_or_insert(Outcome::Which { wish: wish.clone(), slot, among });
        } else if values.len() == 1 || clause.points == Some(Points::Several) || !writes {
            let made = values.into_iter().map(|value| wish.with(slot, value));
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
            whole.words.extend(front.words.iter().cloned());
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
