//! The row of a conversation: who began it, what it rests on.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Inner, Refused};
use crate::turn::Machine;
use crate::turn::journal::Folded;
use crate::{
    Batch, Caller, ConversationId, Label, Message, Order, Principal, Scan, Source, StoreError, Table,
    Timestamp, TurnId,
};

/// A conversation as it is stored. What it rests on is the fold of its turns, kept here so that a new turn need not
/// read all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Conversation {
    pub(crate) owner: Principal,
    pub(crate) began: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) label: Label,
    pub(crate) sources: BTreeSet<Source>,
}

impl Conversation {
    pub(crate) fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a conversation has only text keys")
    }
}

impl Inner {
    pub(super) fn conversation(&self, id: ConversationId) -> Result<Option<Conversation>, StoreError> {
        let row = self.store.get(Table::Conversation, &id.to_bytes())?;
        row.map(|bytes| serde_json::from_slice(&bytes).map_err(|error| StoreError::Damaged(error.into())))
            .transpose()
    }

    pub(super) fn conversation_of(&self, turn: TurnId) -> Result<Option<ConversationId>, StoreError> {
        let row = self.store.get(Table::Place, &turn.to_bytes())?;
        Ok(row.and_then(|bytes| ConversationId::from_slice(&bytes)))
    }

    /// The conversation, if this caller may read it; another's looks unknown.
    pub(super) fn readable(&self, caller: &Caller, id: ConversationId) -> Result<Conversation, Refused> {
        let conversation = self.conversation(id)?.ok_or(Refused::Unknown)?;
        if Self::may_read(caller, &conversation.owner) { Ok(conversation) } else { Err(Refused::Unknown) }
    }

    /// The batch that notes what the conversation rests on after a turn.
    pub(super) fn conversation_after(
        &self,
        id: ConversationId,
        machine: &Machine,
    ) -> Result<Batch, StoreError> {
        let Some(mut conversation) = self.conversation(id)? else { return Ok(Batch::new()) };
        conversation.last = self.clock.now();
        conversation.label = conversation.label.join(machine.context());
        conversation.sources.extend(machine.sources().iter().cloned());
        Ok(Batch::new().put(Table::Conversation, id.to_bytes(), conversation.encode()))
    }

    /// The turns of a conversation, newest first, beyond `before`.
    pub(super) fn turns(
        &self,
        conversation: ConversationId,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnId>, StoreError> {
        let prefix = conversation.to_bytes().to_vec();
        let beyond = before.map(|turn| [conversation.to_bytes(), turn.to_bytes()].concat());
        let rows =
            self.store.scan(&Scan { table: Table::Turn, prefix, beyond, order: Order::Down, limit })?;
        Ok(rows.iter().filter_map(|(key, _)| TurnId::from_slice(key.get(16..)?)).collect())
    }

    /// The last messages of a conversation, whole turns, oldest first, and at most so many; the last turn whole in any
    /// case. Where there are more, half of them are left out at once, so that what a server has read of them stays the
    /// head of the next requests.
    pub(super) fn messages(
        &self,
        conversation: ConversationId,
        most: usize,
    ) -> Result<Vec<Message>, StoreError> {
        let first = self.recent().first(conversation);
        let (mut turns, mut count, mut before) = (Vec::new(), 0, None);
        'reading: loop {
            let page = self.turns(conversation, before, 16)?;
            for turn in &page {
                let messages = self.messages_of(conversation, *turn)?;
                count += messages.len();
                turns.push((*turn, messages));
                if count > most || Some(*turn) == first {
                    break 'reading;
                }
            }
            match page.last() {
                Some(last) if page.len() == 16 => before = Some(*last),
                _ => break,
            }
        }
        if count > most {
            let mut left = most / 2;
            let kept = turns.iter().take_while(|(_, messages)| {
                let fits = messages.len() <= left;
                left = left.saturating_sub(messages.len());
                fits
            });
            let kept = kept.count().max(1);
            turns.truncate(kept);
            self.recent().begin(conversation, turns[kept - 1].0);
        }
        Ok(turns.iter().rev().flat_map(|(_, messages)| messages.iter().cloned()).collect())
    }

    /// The messages of one turn.
    fn messages_of(&self, conversation: ConversationId, turn: TurnId) -> Result<Arc<[Message]>, StoreError> {
        if let Some(messages) = self.recent().get(turn) {
            return Ok(messages);
        }
        let folded = Folded::read(&*self.store, conversation, turn)?;
        let (bytes, ended) = (folded.bytes, folded.machine.has_ended());
        let messages: Arc<[Message]> = folded.machine.into_messages().into();
        if ended {
            self.recent().keep(turn, Arc::clone(&messages), bytes);
        }
        Ok(messages)
    }
}
