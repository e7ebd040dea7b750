//! Whether a backend asks for the same thing again and again.

use std::collections::BTreeMap;

use super::input::Arrived;
use super::message::{Outcome, ToolCall};

/// What was called in this turn, and what the reads gave.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// Each reply's calls, in order.
    replies: Vec<Vec<Key>>,
    known: BTreeMap<Key, Arrived>,
}

type Key = (String, String);

impl ToolCall {
    /// Whether it asks for exactly the same.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.tool == other.tool && self.args == other.args
    }

    fn key(&self) -> Key {
        (self.tool.clone(), self.args.clone())
    }
}

impl Repeats {
    /// A reply with these calls.
    pub(crate) fn reply<'a>(&mut self, calls: impl Iterator<Item = &'a ToolCall>) {
        self.replies.push(calls.map(ToolCall::key).collect());
    }

    /// A read gave this. Failures are not kept: asking again may help.
    pub(crate) fn learn(&mut self, call: &ToolCall, arrived: &Arrived) {
        if matches!(arrived.outcome, Outcome::Done(_)) {
            self.known.insert(call.key(), arrived.clone());
        }
    }

    /// A browser action was done: what the same verb did before holds no more.
    pub(crate) fn learn_done_by_page(&mut self, call: &ToolCall, arrived: &Arrived) {
        if matches!(arrived.outcome, Outcome::Done(_)) {
            self.known.retain(|(tool, _), _| *tool != call.tool);
        }
        self.learn(call, arrived);
    }

    /// What the same read gave before, if nothing was written since.
    pub(crate) fn known(&self, call: &ToolCall) -> Option<&Arrived> {
        self.known.get(&call.key())
    }

    /// Something was written.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// Whether a call came in a third reply, or the last four replies went A, B, A, B.
    pub(crate) fn goes_in_circles(&self) -> bool {
        let Some(last) = self.replies.last() else { return false };
        let times = |key: &Key| self.replies.iter().filter(|reply| reply.contains(key)).count();
        if last.iter().any(|key| times(key) >= 3) {
            return true;
        }
        match self.replies.as_slice() {
            [.., a, b, c, d] => a == c && b == d,
            _ => false,
        }
    }
}
