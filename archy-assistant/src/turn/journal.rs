//! The journal of a turn: its machine's inputs as they are stored, and what folds out of them.

use serde::{Deserialize, Serialize};

use super::event::Event;
use super::input::Input;
use super::machine::{Do, Machine};
use crate::{ConversationId, Store, StoreError, Table, Timestamp, TurnId};

/// One input with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) input: Input,
}

/// An event with its number in the turn and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered {
    /// Its number, from 0.
    pub seq: u32,
    /// When it happened, by the wall clock.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// A turn as its journal tells it.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) machine: Machine,
    pub(crate) events: Vec<Numbered>,
    /// How many inputs were folded: the number of the next one.
    pub(crate) steps: u32,
    pub(crate) said_at: Timestamp,
    /// How long its journal is.
    pub(crate) bytes: usize,
}

pub(crate) fn key(conversation: ConversationId, turn: TurnId, step: u32) -> Vec<u8> {
    [&conversation.to_bytes()[..], &turn.to_bytes(), &step.to_be_bytes()].concat()
}

pub(crate) fn prefix(conversation: ConversationId, turn: TurnId) -> Vec<u8> {
    [conversation.to_bytes(), turn.to_bytes()].concat()
}

impl Entry {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(self).map_err(|error| StoreError::Failed(error.into()))
    }
}

impl Folded {
    /// A turn that has not begun.
    pub(crate) fn empty() -> Self {
        Self {
            machine: Machine::new(),
            events: Vec::new(),
            steps: 0,
            said_at: Timestamp::default(),
            bytes: 0,
        }
    }

    /// Replays a turn from the store.
    pub(crate) fn read(
        store: &dyn Store,
        conversation: ConversationId,
        turn: TurnId,
    ) -> Result<Self, StoreError> {
        let mut folded = Self::empty();
        let mut scan = crate::Scan {
            table: Table::Journal,
            prefix: prefix(conversation, turn),
            beyond: None,
            order: crate::Order::Up,
            limit: 512,
        };
        loop {
            let rows = store.scan(&scan)?;
            let Some((last, _)) = rows.last() else { break };
            scan.beyond = Some(last.clone());
            for (_, bytes) in &rows {
                let entry =
                    serde_json::from_slice(bytes).map_err(|error| StoreError::Damaged(error.into()))?;
                folded.take(entry);
                folded.bytes += bytes.len();
            }
            if rows.len() < scan.limit {
                break;
            }
        }
        Ok(folded)
    }

    /// Takes one more input.
    pub(crate) fn take(&mut self, entry: Entry) -> Vec<Do> {
        if self.steps == 0 {
            self.said_at = entry.at;
        }
        self.steps += 1;
        let actions = self.machine.step(entry.input);
        for action in &actions {
            if let Do::Emit(event) = action {
                let seq = u32::try_from(self.events.len()).unwrap_or(u32::MAX);
                self.events.push(Numbered { seq, at: entry.at, event: event.clone() });
            }
        }
        actions
    }
}
