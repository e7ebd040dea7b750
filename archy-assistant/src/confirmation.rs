//! The question to a person: what it binds, who may answer it, and the one way from its answer to an effect.
//!
//! The text is part of the digest, so what was shown is what is confirmed. An answer becomes an effect only through
//! [`Claimed`], which exists only after the intent is durable.

mod crossing;
mod digest;
mod queue;
mod record;

pub(crate) use crossing::{Asking, Crossing};
pub use digest::Digest;
pub(crate) use queue::{Checked, NotAsked, Queue, Waiter, Waiting};
pub(crate) use record::{Record, State, Subject, UNSETTLED, denied_in};

use crate::{CallId, ConfirmationId, ConversationId, Settled, Shown, Timestamp, TurnId};

/// A question as a chrome seat of its audience sees it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Confirmation {
    /// Its id; knowing it gives no right.
    pub id: ConfirmationId,
    /// What an answer must repeat.
    pub digest: Digest,
    /// The whole text, as the node wrote it.
    pub text: Shown,
    /// The conversation in which it arose.
    pub conversation: ConversationId,
    /// The turn that waits for it.
    pub turn: TurnId,
    /// The call that it is about; absent where it is about sending the conversation to a remote backend.
    pub call: Option<CallId>,
    /// Until when it can be answered, by the wall clock (the node itself counts with one that cannot be set).
    pub expires: Timestamp,
    /// Its place in the order in which they were asked, from 1, and how many wait.
    pub place: (usize, usize),
}

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Do it.
    Confirm,
    /// Do not.
    Deny,
}

/// What became of a question, as it is told to whoever answers it, first or later.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Resolution {
    /// How it ended.
    pub outcome: Settled,
    /// What the node observed, or why it was not done.
    pub says: Shown,
}

/// Who is told that there is a question. It can show it to a person; it cannot answer it.
///
/// Called once for each new question and once when it is settled, on the assistant's task: hand it on and return. What
/// an earlier run left without an end is settled while the assistant opens.
pub trait ConfirmationSink: Send + Sync + 'static {
    /// There is a new question for this audience.
    fn asked(&self, audience: &crate::Principal, id: ConfirmationId);
    /// A question needs no answer any more.
    fn settled(&self, audience: &crate::Principal, id: ConfirmationId, outcome: Settled);
}

/// A sink for hosts that ask [`pending`](crate::Assistant::pending) by themselves, after each event of a turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct PollPending;

impl ConfirmationSink for PollPending {
    fn asked(&self, _: &crate::Principal, _: ConfirmationId) {}
    fn settled(&self, _: &crate::Principal, _: ConfirmationId, _: Settled) {}
}

/// Proof that a claim is durable: the intent is in the audit and the question counts as executing. Neither `Clone` nor
/// made anywhere but in [`claim`].
pub(crate) struct Claimed(());

/// Makes the claim durable: the record goes from waiting to executing in one synced transaction with the audit's
/// intent, only if the record and the grants are still what was checked. Blocks.
pub(crate) fn claim(
    audit: &crate::audit::Audit,
    now: Timestamp,
    record: &Record,
    unchanged: Vec<crate::Expect>,
) -> Result<Claimed, crate::StoreError> {
    let mut batch = record.replace(&record.executing());
    batch.expects.extend(unchanged);
    let line = crate::audit::Line::about(now, record, crate::audit::Fact::Executing);
    let written = audit.commit(batch, line, crate::Durability::Synced);
    weak!(UnrecordedClaim, return Ok(Claimed(())));
    written?;
    Ok(Claimed(()))
}
