//! What an earlier run left: no turn survives a restart, and nothing that was begun is begun again.

use super::{Assistant, Inner};
use crate::audit::{Fact, Line};
use crate::confirmation::{Record, State, UNSETTLED};
use crate::turn::input::{Arrived, Input};
use crate::turn::journal::{self, Entry, Folded};
use crate::{
    Batch, CallId, ConversationId, Datum, Durability, Order, Outcome, Scan, Sentence, Settled, Shown,
    StoreError, Table, TurnId,
};

impl Assistant {
    /// The texts of the confirmations whose effect had begun when an earlier run ended, and of which nobody knows whether
    /// it happened. For the owner, at start: nothing of it is tried again.
    pub fn unknown_outcomes(&self) -> &[Shown] {
        &self.0.unknown
    }
}

impl Inner {
    /// Settles every question that an earlier run left (what waited is voided, what was executing has an unknown
    /// outcome), then closes each unfinished turn as interrupted. Gives the texts of the unknown outcomes.
    pub(super) fn recover(&self) -> Result<Vec<Shown>, StoreError> {
        let mut unknown = Vec::new();
        weak!(SurvivesRestart, return Ok(unknown));
        for (key, _) in self.store.scan(&every(Table::Meta, UNSETTLED))? {
            let Some(record) = Record::unsettled_id(&key).map(|id| self.record(id)).transpose()?.flatten()
            else {
                continue;
            };
            let (settled, ended) = self.end_unfinished(record)?;
            if settled == Settled::OutcomeUnknown {
                unknown.push(ended.text);
            }
        }
        for (turn, conversation) in self.unfinished()? {
            self.close_interrupted(conversation, turn)?;
        }
        Ok(unknown)
    }

    /// The turns that have not ended, and their conversations.
    pub(super) fn unfinished(&self) -> Result<Vec<(TurnId, ConversationId)>, StoreError> {
        let rows = self.store.scan(&every(Table::Open, b""))?;
        let ids = |(turn, conversation): &(Vec<u8>, Vec<u8>)| {
            Some((TurnId::from_slice(turn)?, ConversationId::from_slice(conversation)?))
        };
        Ok(rows.iter().filter_map(ids).collect())
    }

    /// Closes a turn that nobody drives any more.
    pub(super) fn close_interrupted(
        &self,
        conversation: ConversationId,
        turn: TurnId,
    ) -> Result<(), StoreError> {
        let mut folded = Folded::read(&*self.store, conversation, turn)?;
        let mut inputs = Vec::new();
        // Several turns may wait for one question: each with a call of its own.
        if let Some((call, id)) = folded.machine.waits_with()
            && let Some(record) = self.record(id)?
        {
            // One that others still wait for goes on without this turn.
            let goes_on = self.queue().get(id).is_some();
            let (outcome, record) = if goes_on {
                (Settled::Cancelled, ended(&record, Settled::Cancelled))
            } else {
                self.end_unfinished(record)?
            };
            let result = call.map(|call| told(call, &record, outcome));
            inputs.push(Input::Resolved { id, outcome, result });
        }
        inputs.push(Input::Interrupted);
        let mut batch = Batch::new().remove(Table::Open, turn.to_bytes());
        for input in inputs {
            let entry = Entry { at: self.clock.now(), input };
            batch =
                batch.put(Table::Journal, journal::key(conversation, turn, folded.steps), entry.encode()?);
            folded.take(entry);
        }
        batch.append(self.conversation_after(conversation, &folded.machine)?);
        self.store.commit(&batch, Durability::Synced)
    }

    /// Ends a question that an earlier run left without an end, and tells whoever is to be told.
    fn end_unfinished(&self, record: Record) -> Result<(Settled, Record), StoreError> {
        let settled = match record.state {
            State::Waiting => Settled::Voided,
            State::Executing => Settled::OutcomeUnknown,
            State::Settled(settled) => return Ok((settled, record)),
        };
        let ended = ended(&record, settled);
        let line = Line::about(self.clock.now(), &record, Fact::Settled(settled));
        self.audit.commit(record.replace(&ended), line, Durability::Synced)?;
        self.tell_sink(|sink| sink.settled(&ended.audience, ended.id, settled));
        Ok((settled, ended))
    }

    pub(super) fn record(&self, id: crate::ConfirmationId) -> Result<Option<Record>, StoreError> {
        self.store.get(Table::Confirmation, &id.to_bytes())?.map(|bytes| Record::decode(&bytes)).transpose()
    }
}

/// The question as it ends for whoever is told only how.
fn ended(record: &Record, settled: Settled) -> Record {
    record.ended(settled, Shown::prose(settled.says()))
}

/// What the turn is told that was not there any more when its question ended. The record keeps what a screen shows, not
/// what the tool gave.
fn told(call: CallId, record: &Record, settled: Settled) -> Arrived {
    let says = record.says.as_str();
    let outcome = match settled {
        Settled::Done => Outcome::Done(Datum::text(settled.says())),
        _ => Outcome::NotDone(says.to_owned()),
    };
    Arrived { says: Sentence::plain(says), ..Arrived::plain(call, outcome) }
}

fn every(table: Table, prefix: &[u8]) -> Scan {
    Scan { table, prefix: prefix.to_vec(), beyond: None, order: Order::Up, limit: usize::MAX }
}
