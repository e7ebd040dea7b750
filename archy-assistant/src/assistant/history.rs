//! What was said: listed, paged, searched, exported, forgotten.

use serde::{Deserialize, Serialize};

use super::conversation::Conversation;
use super::{Assistant, Inner, Refused};
use crate::audit::{Fact, Line};
use crate::confirmation::denied_in;
use crate::turn::journal::Folded;
use crate::{
    Batch, Caller, ConfirmationId, Content, ConversationId, Durability, Event, Numbered, Order, Principal,
    Receipt, Scan, Shown, StoreError, Table, Timestamp, TurnId,
};

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Which one.
    pub id: ConversationId,
    /// Whose it is.
    pub owner: Principal,
    /// What was said first.
    pub title: Shown,
    /// When it began.
    pub began: Timestamp,
    /// When something last happened in it.
    pub last: Timestamp,
}

/// One turn as it can be read later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turned {
    /// Which one.
    pub turn: TurnId,
    /// When it was said.
    pub at: Timestamp,
    /// What was said.
    pub said: Said,
    /// The whole text of the answer.
    pub answer: Shown,
    /// What was written to the node, or was not.
    pub receipts: Vec<Receipt>,
    /// Everything that happened.
    pub events: Vec<Numbered>,
}

/// What a person said, as a screen may show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Said(pub Shown);

/// A part of a list, newest first, and where the next part begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T, K> {
    /// The part.
    pub items: Vec<T>,
    /// Give this to get what is older; absent at the end.
    pub older: Option<K>,
}

/// A conversation as it is exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// The form's version: 1.
    pub version: u32,
    /// What it is.
    pub conversation: Summary,
    /// Its turns, oldest first.
    pub turns: Vec<Turned>,
}

/// At most so many turns are looked through by one search.
const SEARCHED: usize = 20_000;

impl Assistant {
    /// The conversations that this caller may read, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn conversations(
        &self,
        caller: &Caller,
        before: Option<ConversationId>,
        most: usize,
    ) -> Result<Page<Summary, ConversationId>, Refused> {
        let mut items = Vec::new();
        let mut beyond = before;
        loop {
            let rows = self.0.store.scan(&Scan {
                table: Table::Conversation,
                prefix: Vec::new(),
                beyond: beyond.map(|id| id.to_bytes().to_vec()),
                order: Order::Down,
                limit: 64,
            })?;
            for (key, bytes) in &rows {
                let Some(id) = ConversationId::from_slice(key) else { continue };
                if items.len() == most {
                    return Ok(Page { older: items.last().map(|last: &Summary| last.id), items });
                }
                let row: Conversation =
                    serde_json::from_slice(bytes).map_err(|error| StoreError::Damaged(error.into()))?;
                if Inner::may_read(caller, &row.owner) {
                    items.push(self.0.summary(id, row)?);
                }
                beyond = Some(id);
            }
            if rows.len() < 64 {
                return Ok(Page { items, older: None });
            }
        }
    }

    /// The turns of a conversation, newest first.
    ///
    /// # Errors
    /// [`Refused::Unknown`] when there is no such conversation for this caller, or when the store cannot be read.
    pub fn history(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        before: Option<TurnId>,
        most: usize,
    ) -> Result<Page<Turned, TurnId>, Refused> {
        self.0.readable(caller, conversation)?;
        let turns = self.0.turns(conversation, before, most.saturating_add(1))?;
        let older = (turns.len() > most).then(|| turns.get(most.saturating_sub(1)).copied()).flatten();
        let items = turns
            .iter()
            .take(most)
            .map(|turn| self.0.turned(conversation, *turn))
            .collect::<Result<_, _>>()?;
        Ok(Page { items, older })
    }

    /// The turns in which `words` were said or answered, newest first, capitals or not.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn search(
        &self,
        caller: &Caller,
        words: &str,
        most: usize,
    ) -> Result<Vec<(ConversationId, Turned)>, Refused> {
        let words = words.to_lowercase();
        let (mut found, mut looked, mut before) = (Vec::new(), 0, None);
        loop {
            let page = self.conversations(caller, before, 64)?;
            for summary in page.items {
                let mut older = None;
                loop {
                    let turns = self.0.turns(summary.id, older, 64)?;
                    for turn in &turns {
                        looked += 1;
                        let turned = self.0.turned(summary.id, *turn)?;
                        let has = |text: &Shown| text.as_str().to_lowercase().contains(&words);
                        if has(&turned.said.0) || has(&turned.answer) {
                            found.push((summary.id, turned));
                        }
                        if found.len() >= most || looked >= SEARCHED {
                            return Ok(found);
                        }
                    }
                    match turns.last() {
                        Some(last) if turns.len() == 64 => older = Some(*last),
                        _ => break,
                    }
                }
            }
            match page.older {
                Some(older) => before = Some(older),
                None => return Ok(found),
            }
        }
    }

    /// A whole conversation in a stable form.
    ///
    /// # Errors
    /// As for [`Assistant::history`].
    pub fn export(&self, caller: &Caller, conversation: ConversationId) -> Result<Exported, Refused> {
        let row = self.0.readable(caller, conversation)?;
        let mut turns = self.0.turns(conversation, None, usize::MAX)?;
        turns.reverse();
        let turns = turns.iter().map(|turn| self.0.turned(conversation, *turn)).collect::<Result<_, _>>()?;
        Ok(Exported { version: 1, conversation: self.0.summary(conversation, row)?, turns })
    }

    /// Removes a conversation so that it can no longer be found in the store's file. The audit keeps that it was.
    ///
    /// # Errors
    /// [`Refused::Unknown`] when the caller did not begin such a conversation, [`Refused::Busy`] while a turn of it
    /// runs, or when the store cannot be written.
    pub async fn forget(&self, caller: &Caller, conversation: ConversationId) -> Result<(), Refused> {
        let row = self.0.conversation(conversation)?.ok_or(Refused::Unknown)?;
        if row.owner != *caller.principal() {
            return Err(Refused::Unknown);
        }
        // Its place is held meanwhile, so that nothing is said in a conversation that is going.
        let place = self.0.hold(conversation, caller.principal())?;
        let (inner, caller) = (std::sync::Arc::clone(&self.0), caller.principal().clone());
        let gone = super::driver::spawn(async move {
            let _place = place;
            inner.remove(conversation, &caller).await
        });
        Ok(gone.await.map_err(|error| StoreError::Failed(error.into()))??)
    }
}

impl Inner {
    async fn remove(
        self: &std::sync::Arc<Self>,
        conversation: ConversationId,
        by: &Principal,
    ) -> Result<(), StoreError> {
        let prefix = conversation.to_bytes();
        let mut batch = Batch::new()
            .remove(Table::Conversation, prefix)
            .remove_all(Table::Turn, prefix)
            .remove_all(Table::Journal, prefix)
            .remove_all(Table::Meta, denied_in(conversation, None));
        let turns = self.turns(conversation, None, usize::MAX)?;
        for turn in &turns {
            batch = batch.remove(Table::Place, turn.to_bytes());
        }
        for id in self.asked_in(conversation)? {
            batch = batch.remove(Table::Confirmation, id.to_bytes());
        }
        let line = Line::new(self.clock.now(), Fact::Forgotten(conversation)).by(by);
        self.commit(batch, vec![line], Durability::Scrubbed).await?;
        self.rates().forget(conversation);
        for turn in turns {
            self.recent().forget(turn);
        }
        Ok(())
    }

    fn summary(&self, id: ConversationId, row: Conversation) -> Result<Summary, StoreError> {
        let first = Scan {
            table: Table::Turn,
            prefix: id.to_bytes().to_vec(),
            beyond: None,
            order: Order::Up,
            limit: 1,
        };
        let first = self.store.scan(&first)?.first().and_then(|(key, _)| TurnId::from_slice(key.get(16..)?));
        let title = match first {
            Some(turn) => said(&Folded::read(&*self.store, id, turn)?),
            None => Shown::default(),
        };
        Ok(Summary { id, owner: row.owner, title, began: row.began, last: row.last })
    }

    fn turned(&self, conversation: ConversationId, turn: TurnId) -> Result<Turned, StoreError> {
        let folded = Folded::read(&*self.store, conversation, turn)?;
        let said = Said(said(&folded));
        let (mut answer, mut receipts) = (String::new(), Vec::new());
        for numbered in &folded.events {
            match &numbered.event {
                Event::Text(text) => answer.push_str(text.as_str()),
                Event::Finished(finished) => receipts.clone_from(&finished.receipts),
                Event::Failed { receipts: all, .. } => receipts.clone_from(all),
                _ => {}
            }
        }
        let at = folded.said_at;
        Ok(Turned { turn, at, said, answer: Shown::prose(&answer), receipts, events: folded.events })
    }

    fn asked_in(&self, conversation: ConversationId) -> Result<Vec<ConfirmationId>, StoreError> {
        let all = Scan {
            table: Table::Confirmation,
            prefix: Vec::new(),
            beyond: None,
            order: Order::Up,
            limit: usize::MAX,
        };
        let about = |bytes: &[u8]| {
            crate::confirmation::Record::decode(bytes).is_ok_and(|record| record.conversation == conversation)
        };
        let theirs = self.store.scan(&all)?.into_iter().filter(|(_, bytes)| about(bytes));
        Ok(theirs.filter_map(|(key, _)| ConfirmationId::from_slice(&key)).collect())
    }
}

fn said(folded: &Folded) -> Shown {
    match folded.machine.messages().first().map(|message| &message.content) {
        Some(Content::Said(text)) => Shown::prose(text),
        _ => Shown::default(),
    }
}
