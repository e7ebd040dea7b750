//! The node's policy: two pure, total questions whose whole tables are tested.
//!
//! Nothing here reads a clock, a store or a model's words. Whoever wants to know whether something may happen asks
//! [`decide`]; whoever wants to send text to a backend asks [`may_leave`].

use crate::{Categories, Category, Scope};

/// Whether a tool reads or changes the node. Set by the toolbox from the trait that the tool implements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Changes nothing on the node.
    Read,
    /// Changes the node, once a person has confirmed it.
    Write,
}

/// What the policy needs to know of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Its category.
    pub category: Category,
    /// Whether it reads or writes.
    pub effect: Effect,
    /// Whether its effect or its arguments reach someone outside the node.
    pub egress: bool,
}

/// What a message, or a whole conversation, rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Label {
    /// The categories that its text may hold data of.
    pub holds: Categories,
    /// Whether text that others wrote is in it.
    pub tainted: bool,
}

impl Label {
    /// The label of a text that rests on both.
    #[must_use]
    pub const fn join(self, other: Self) -> Self {
        Self { holds: self.holds.union(other.holds), tainted: self.tainted || other.tainted }
    }
}

/// Where a backend's bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// This machine, or one that the owner declared as their own.
    Own,
    /// Anyone else, and what the owner opened for it.
    Remote {
        /// The categories whose data may be sent there.
        may_receive: Categories,
    },
}

impl Destination {
    /// The same, where no more than this may be sent to anyone else.
    pub(crate) fn narrowed_to(self, most: Categories) -> Self {
        match self {
            Self::Own => Self::Own,
            Self::Remote { may_receive } => Self::Remote { may_receive: may_receive.intersection(most) },
        }
    }
}

/// The policy's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may run now.
    Allow,
    /// A person must confirm it first.
    Confirm,
    /// It may not run.
    Deny(Denied),
}

/// Why the policy said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The caller's scope or the host's role does not reach it.
    OutOfScope,
    /// The owner has not opened the category.
    Closed(Category),
}

/// May this caller use this tool now? Asked when listing, proposing, confirming and executing.
///
/// Laws, each tested over the whole table: a write is never [`Verdict::Allow`]; closing a category or shrinking a scope
/// never widens an answer; text from others only moves `Allow` to `Confirm`.
pub fn decide(scope: Scope, need: Need, open: Categories, context: Label) -> Verdict {
    if !weak!(ScopeForgotten) && !scope.reaches(need.category, need.effect) {
        return Verdict::Deny(Denied::OutOfScope);
    }
    if !open.has(need.category) {
        return Verdict::Deny(Denied::Closed(need.category));
    }
    match need.effect {
        Effect::Write => Verdict::Confirm,
        Effect::Read if need.egress && context.tainted && !weak!(TaintForgotten) => Verdict::Confirm,
        Effect::Read => Verdict::Allow,
    }
}

/// May a message with this label be sent there? Asked for every message, at the one place where bytes go to a backend.
pub fn may_leave(label: Label, destination: Destination) -> bool {
    match destination {
        Destination::Own => true,
        Destination::Remote { .. } if weak!(RemoteGetsAll) => true,
        Destination::Remote { may_receive } => label.holds.within(may_receive),
    }
}

#[cfg(test)]
mod tests;
