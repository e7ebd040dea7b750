//! A question as it is stored: what it binds and what became of it.

use serde::{Deserialize, Serialize};

use super::{Crossing, Digest};
use crate::{
    Batch, CallId, ConfirmationId, ConversationId, Expect, Order, Principal, Scan, Settled, Shown, Store,
    Table, Timestamp, TurnId,
};

/// What a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Subject {
    /// A call of a tool, with its arguments and its change in the tool's own encoding.
    Call { tool: String, args: String, change: Vec<u8> },
    /// The conversation going to a remote backend.
    Crossing(Crossing),
}

impl Subject {
    /// The tool, if it is about one.
    pub(crate) fn tool(&self) -> Option<&str> {
        match self {
            Self::Call { tool, .. } => Some(tool),
            Self::Crossing(_) => None,
        }
    }

    /// What denials of it are counted under: its tool, or any crossing.
    pub(crate) fn kind(&self) -> &str {
        // No tool has a name like this.
        self.tool().unwrap_or("-crossing")
    }
}

/// Where a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// Nobody has decided.
    Waiting,
    /// It was confirmed, and its effect may be happening.
    Executing,
    /// It has ended.
    Settled(Settled),
}

/// What the keys of questions begin with that have not ended.
pub(crate) const UNSETTLED: &[u8] = b"unsettled/";

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: ConfirmationId,
    /// The number that this run of the node drew: what waited before a restart cannot be answered after it.
    pub(crate) boot: u128,
    pub(crate) subject: Subject,
    pub(crate) text: Shown,
    pub(crate) proposer: Principal,
    pub(crate) audience: Principal,
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    /// Absent for a crossing.
    pub(crate) call: Option<CallId>,
    pub(crate) expires: Timestamp,
    pub(crate) state: State,
    /// What was observed, or why it was not done.
    pub(crate) says: Shown,
}

impl Record {
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a record has only text keys")
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, crate::StoreError> {
        serde_json::from_slice(bytes).map_err(|error| crate::StoreError::Damaged(error.into()))
    }

    /// The batch that writes it for the first time.
    pub(crate) fn insert(&self) -> Batch {
        let key = self.id.to_bytes();
        Batch::new()
            .expect(Expect::Absent(Table::Confirmation, key.to_vec()))
            .put(Table::Confirmation, key, self.encode())
            .put(Table::Meta, unsettled(self.id), Vec::new())
    }

    /// The batch that makes `next` of it, only if it is still what `self` is.
    pub(crate) fn replace(&self, next: &Self) -> Batch {
        let key = self.id.to_bytes();
        let batch = Batch::new().expect(Expect::Value(Table::Confirmation, key.to_vec(), self.encode())).put(
            Table::Confirmation,
            key,
            next.encode(),
        );
        match next.state {
            State::Waiting | State::Executing => batch,
            State::Settled(settled) => {
                let batch = batch.remove(Table::Meta, unsettled(self.id));
                if settled == Settled::Denied {
                    batch.put(Table::Meta, self.denied(), Vec::new())
                } else {
                    batch
                }
            }
        }
    }

    /// The key under which its denial is listed.
    fn denied(&self) -> Vec<u8> {
        [denied_in(self.conversation, Some(self.subject.kind())), self.id.to_bytes().to_vec()].concat()
    }

    /// The questions of a kind that were denied in a conversation, at most so many.
    pub(crate) fn denied_ids(
        store: &dyn Store,
        conversation: ConversationId,
        kind: &str,
        limit: usize,
    ) -> Result<Vec<ConfirmationId>, crate::StoreError> {
        let prefix = denied_in(conversation, Some(kind));
        let from = prefix.len();
        let rows = store.scan(&Scan { table: Table::Meta, prefix, beyond: None, order: Order::Up, limit })?;
        Ok(rows.iter().filter_map(|(key, _)| ConfirmationId::from_slice(key.get(from..)?)).collect())
    }

    /// The id under a key that begins with [`UNSETTLED`].
    pub(crate) fn unsettled_id(key: &[u8]) -> Option<ConfirmationId> {
        ConfirmationId::from_slice(key.strip_prefix(UNSETTLED)?)
    }

    /// The same record, once it is being carried out.
    pub(crate) fn executing(&self) -> Self {
        Self { state: State::Executing, ..self.clone() }
    }

    /// The same record, once it has ended.
    pub(crate) fn ended(&self, settled: Settled, says: Shown) -> Self {
        Self { state: State::Settled(settled), says, ..self.clone() }
    }
}

/// Each question that has not ended is listed under this key, so that a start finds what an earlier run left without
/// reading all that were ever asked.
fn unsettled(id: ConfirmationId) -> Vec<u8> {
    [UNSETTLED, &id.to_bytes()].concat()
}

/// Each question that was denied is listed under its conversation and kind, so that "no" is remembered after a restart,
/// and goes with the conversation. What every such key of a conversation, or of a kind in it, begins with.
pub(crate) fn denied_in(conversation: ConversationId, kind: Option<&str>) -> Vec<u8> {
    let kind = kind.map(|kind| format!("{kind}/")).unwrap_or_default();
    [b"denied/", &conversation.to_bytes()[..], kind.as_bytes()].concat()
}
