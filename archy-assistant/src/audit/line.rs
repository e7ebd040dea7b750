//! What a line of the audit says.

use serde::{Deserialize, Serialize};

use super::Broken;
use crate::confirmation::{Digest, Record};
use crate::{Categories, Category, ConfirmationId, ConversationId, Principal, Settled, Timestamp, TurnId};

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fact {
    /// The node was started.
    Opened,
    /// A person was asked.
    Asked,
    /// A person said yes, and the effect may be happening.
    Executing,
    /// A question has ended.
    Settled(Settled),
    /// A category was opened.
    GrantOpened(Category),
    /// A category was closed.
    GrantClosed(Category),
    /// Messages went to a remote backend.
    Crossed {
        /// What people call the backend.
        backend: String,
        /// What the messages rest on.
        classes: Categories,
        /// How many.
        messages: u32,
        /// HMAC-SHA-256 of them with the audit's key, in hexadecimal: whoever has the key can show what went, and nobody
        /// else can guess it from a short text.
        hmac: String,
    },
    /// Found at a start: what its owner lets go to a backend has changed since the audit last said it. Until then
    /// nothing went to a remote one.
    MayReceive {
        /// What people call the backend.
        backend: String,
        /// Data of these categories, where they are open; absent where it was remote and now counts as the owner's own,
        /// which gets whatever is open.
        categories: Option<Categories>,
    },
    /// A conversation was forgotten.
    Forgotten(ConversationId),
    /// A copy of the store was begun.
    CopiedOut,
    /// The store was found to be an older copy, or to have a past that the witness does not know.
    RolledBack {
        /// The last line that the witness knew.
        remembered: u64,
        /// The last line that was there.
        found: u64,
    },
    /// A copy was put in place on purpose.
    Restored,
    /// The witness knew nothing, or could not be asked.
    Unwitnessed,
    /// The lines before this one do not fit. This one begins a new chain, which binds them as they were found.
    Damaged(Broken),
    /// The owner has seen that the audit is damaged, or that the store was rolled back.
    Acknowledged,
    /// Everything was erased; this is the first line after it.
    Erased,
}

/// One line of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 1; filled in when it is written.
    pub seq: u64,
    /// When, by the wall clock.
    pub at: Timestamp,
    /// What happened.
    pub fact: Fact,
    /// Who did it or asked for it.
    pub principal: Option<Principal>,
    /// The turn in which it happened.
    pub turn: Option<TurnId>,
    /// The question that it is about.
    pub confirmation: Option<ConfirmationId>,
    /// The question's digest.
    pub digest: Option<Digest>,
}

impl Line {
    pub(crate) fn new(at: Timestamp, fact: Fact) -> Self {
        Self { seq: 0, at, fact, principal: None, turn: None, confirmation: None, digest: None }
    }

    pub(crate) fn by(mut self, principal: &Principal) -> Self {
        self.principal = Some(principal.clone());
        self
    }

    pub(crate) fn about(at: Timestamp, record: &Record, fact: Fact) -> Self {
        Self {
            turn: Some(record.turn),
            confirmation: Some(record.id),
            digest: Some(record.digest()),
            ..Self::new(at, fact).by(&record.proposer)
        }
    }
}
