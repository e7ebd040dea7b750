//! What may be meant at all: the few calls among which something with less care than these rules, a small model, may
//! choose.
//!
//! A clause that forbids, asks for advice, reports, waits, or asks for what is done elsewhere gives none. A call stands
//! here only with what the person named, in this text or, where it names nothing, in the last one before it that does.
//! A write stands here only where the rules themselves read an order for it.

use super::{Outcome, Reading, Step, Wish, read, understood};
use crate::phrases::clauses;
use crate::phrases::fill::{self, Value};
use crate::phrases::follow_up::Before;
use crate::phrases::index::Index;
use crate::phrases::intent;
use crate::phrases::score::{self, Fit};
use crate::{Message, SlotKind};

/// So many tools of each clause, those that fit best.
const TOOLS: usize = 3;
/// A tool that fits worse than this is not meant.
const LEAST: f64 = 0.45;
/// Nor is one that fits so much worse than the best.
const APART: f64 = 0.3;
/// So many calls at most.
const CALLS: usize = 6;

/// What may be meant, best first in each clause.
#[derive(Debug)]
pub(in crate::phrases) struct Listed {
    /// The calls, each with all that was named for it; words that are taken as they come are those that the rules took.
    pub(in crate::phrases) wishes: Vec<Wish>,
    /// So many of them are wanted at most: as many as clauses ask for, and values are named.
    pub(in crate::phrases) most: usize,
    /// What the rules themselves made of it.
    pub(in crate::phrases) outcome: Outcome,
}

/// What `said` may mean after `messages`.
pub(in crate::phrases) fn shortlist(said: &str, index: &Index<'_>, messages: &[Message]) -> Listed {
    let outcome = read(said, index, messages);
    let sure = match &outcome {
        Outcome::Wishes(wishes) => wishes.as_slice(),
        _ => &[],
    };
    let reading = Reading { said, index, before: Before::new(messages), pending: None };
    let (mut wishes, mut most) = (Vec::new(), 0);
    for clause in &intent::judge(clauses::split(&understood(said, index)), index) {
        let mentions = fill::mentions(&clause.words, index);
        let step = reading.clause(clause, &mentions);
        if clause.general || matches!(step, Step::Barred(_) | Step::Aside | Step::Elsewhere(_)) {
            continue;
        }
        let fit = |tool| score::fit(tool, &clause.words, &mentions, index, said, None);
        let mut fits: Vec<Fit> = (0..index.tools.len()).filter_map(fit).collect();
        fits.sort_by(|a, b| b.score.total_cmp(&a.score));
        let least = fits.first().map_or(LEAST, |best| LEAST.max(best.score - APART));
        let mut new = Vec::new();
        for fit in fits.iter().take(TOOLS).filter(|fit| fit.score >= least) {
            let made: Vec<Wish> = reading.called(fit);
            let made: Vec<Wish> = made
                .into_iter()
                .filter(|wish| !index.tools[wish.tool].writes() || sure.contains(wish))
                .filter(|wish| !wishes.contains(wish))
                .collect();
            new.push(made);
        }
        most += new.iter().find(|made| !made.is_empty()).map_or(0, Vec::len);
        wishes.extend(new.into_iter().flatten());
    }
    let more: Vec<Wish> = sure.iter().filter(|wish| !wishes.contains(wish)).cloned().collect();
    wishes.extend(more);
    Listed { wishes, most: most.max(sure.len()).min(CALLS), outcome }
}

impl Reading<'_> {
    /// The calls of a tool that fits, with all that they need; none where something was not named.
    fn called(&self, fit: &Fit) -> Vec<Wish> {
        let Some(slot) = fit.lacks else { return self.wishes(fit) };
        let tool = &self.index.tools[fit.tool];
        let values = if matches!(tool.offer.spec.slots()[slot].kind, SlotKind::Words) {
            vec![Value::Text(String::new())]
        } else {
            tool.sets[slot].map(|set| self.named_before(set)).unwrap_or_default()
        };
        let mut fit = fit.clone();
        fit.filled.values[slot] = values;
        if fill::lacks(tool, &fit.filled).is_none() { self.wishes(&fit) } else { Vec::new() }
    }

    /// What the person named of a set, in the last text before this one that names any.
    fn named_before(&self, set: usize) -> Vec<Value> {
        let named = |text: &&str| -> Vec<Value> {
            let mentions = fill::mentions(&understood(text, self.index), self.index);
            let mine = mentions.iter().filter(|mention| mention.set == set && mention.who.len() == 1);
            mine.map(|mention| Value::Text(self.index.sets[set].list[mention.who[0]].value.clone())).collect()
        };
        self.before.said.iter().map(named).find(|values| !values.is_empty()).unwrap_or_default()
    }
}
