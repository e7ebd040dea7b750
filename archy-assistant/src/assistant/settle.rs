//! A question comes to its end: recorded, and told to every turn that waits for it.

use std::sync::Arc;

use tokio::sync::watch;

use super::Inner;
use super::confirm::ConfirmRefused;
use crate::audit::{Fact, Line};
use crate::confirmation::{Record, Waiter};
use crate::turn::input::Arrived;
use crate::{
    CallId, Categories, ConfirmationId, ConfirmationSink, Datum, Durability, Label, Outcome as Came,
    Resolution, Sentence, Settled, StoreError, TurnId, id,
};

impl Inner {
    /// Settles a question that nobody is carrying out; where somebody is, what they come to.
    pub(super) async fn settle_now(
        self: &Arc<Self>,
        id: ConfirmationId,
        settled: Settled,
    ) -> Result<Resolution, ConfirmRefused> {
        match self.settle(id, settled).await? {
            Some(resolution) => Ok(resolution),
            None => self.outcome(id).await,
        }
    }

    /// Takes back a question, unless it is being carried out: `None` then.
    pub(super) async fn settle(
        self: &Arc<Self>,
        id: ConfirmationId,
        settled: Settled,
    ) -> Result<Option<Resolution>, StoreError> {
        let (tell, told) = watch::channel(None);
        let record = {
            let mut queue = self.queue();
            let Some(record) = queue.withdraw(id, settled) else { return Ok(None) };
            self.effects().insert(id, told);
            record
        };
        let inner = Arc::clone(self);
        // In a task of its own: whoever takes it back may go away, and the turn has to hear of it all the same.
        let ending = super::driver::spawn(async move {
            let (resolution, written) = inner.record_end(&record, settled, Ok(None)).await;
            inner.effects().remove(&id);
            let _ = tell.send(Some(resolution.clone()));
            written.map(|()| resolution)
        });
        ending.await.map_err(|error| StoreError::Failed(error.into()))?.map(Some)
    }

    /// Takes a turn out of those that wait for a question, and the question back when nobody else waits for it. `false`
    /// when it is being carried out.
    pub(super) async fn leave(
        self: &Arc<Self>,
        turn: TurnId,
        id: ConfirmationId,
        settled: Settled,
    ) -> Result<bool, StoreError> {
        let parted = self.queue().part(id, turn);
        if let Some(waiter) = parted {
            self.tell_waiters(&[waiter], id, settled, |call| not_done(call, settled));
            return Ok(true);
        }
        Ok(self.settle(id, settled).await?.is_some())
    }

    /// Records the end of a question and tells everybody, also when it could not be recorded.
    pub(super) async fn record_end(
        self: &Arc<Self>,
        record: &Record,
        settled: Settled,
        came: Result<Option<Datum>, String>,
    ) -> (Resolution, Result<(), StoreError>) {
        let says = match &came {
            Ok(Some(datum)) => self.sentence(record, datum),
            Ok(None) => Sentence::plain(settled.says()),
            Err(why) => Sentence::plain(why.clone()),
        };
        let batch = record.replace(&record.ended(settled, says.shown()));
        let line = Line::about(self.clock.now(), record, Fact::Settled(settled));
        // When this cannot be written, nobody can answer it any more, and the next start says what is known of it.
        let written = self.commit(batch, vec![line], Durability::Synced).await;
        let waiters = self.queue().remove(record.id).map(|waiting| waiting.waiters).unwrap_or_default();
        let holds = self.rests_on(record);
        self.tell_waiters(&waiters, record.id, settled, |call| match &came {
            Ok(Some(datum)) => done(call, holds, datum.clone(), says.clone()),
            Ok(None) => not_done(call, settled),
            Err(why) => failed(call, holds, why.clone()),
        });
        self.tell_sink(|sink| sink.settled(&record.audience, record.id, settled));
        (Resolution { outcome: settled, says: says.shown() }, written)
    }

    /// Tells the sink; one that panics takes nothing with it.
    pub(super) fn tell_sink(&self, tell: impl FnOnce(&dyn ConfirmationSink)) {
        if let Some(sink) = &self.sink {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tell(&**sink)));
        }
    }

    fn sentence(&self, record: &Record, datum: &Datum) -> Sentence {
        let tool = record.subject.tool().and_then(|tool| self.toolbox.find(tool));
        tool.map_or_else(|| Sentence::from(datum), |tool| tool.spec.sentence(datum))
    }

    fn rests_on(&self, record: &Record) -> Categories {
        let Some(tool) = record.subject.tool() else { return Categories::NONE };
        // A tool that is gone tells nothing of what it rested on: it counts as all of it.
        self.toolbox.find(tool).map_or(Categories::ALL, |tool| tool.spec.rests_on())
    }

    fn tell_waiters(
        &self,
        waiters: &[Waiter],
        id: ConfirmationId,
        settled: Settled,
        result: impl Fn(CallId) -> Arrived,
    ) {
        for waiter in waiters {
            if let Some(live) = self.live().get(&waiter.turn) {
                live.resolve(id, settled, waiter.call.map(&result));
            }
        }
    }

    /// Takes back every question that today's grants and roles would not ask any more.
    pub(super) async fn withdraw_what_is_closed(self: &Arc<Self>) -> Result<(), StoreError> {
        weak!(CloseLeavesQuestions, return Ok(()));
        let grants = self.granted();
        let gone = self.queue().no_longer_allowed(|waiting| self.still(waiting, None, &grants));
        let mut all = Ok(());
        // One that cannot be recorded must not keep the others waiting.
        for id in gone {
            all = all.and(self.settle(id, Settled::Revoked).await.map(drop));
        }
        all
    }
}

/// The result of a call that a person, the clock or the node decided against.
pub(super) fn not_done(call: CallId, settled: Settled) -> Arrived {
    Arrived::plain(call, Came::NotDone(settled.says().to_owned()))
}

/// The result of a call of a known tool that failed: its words may name what the tool rests on.
pub(super) fn failed(call: CallId, holds: Categories, why: String) -> Arrived {
    Arrived { label: Label { holds, tainted: false }, ..Arrived::plain(call, Came::NotDone(why)) }
}

/// A call's result with its label, the free text in it, and the nonce of its fence, drawn now that the text is fixed.
pub(super) fn done(call: CallId, holds: Categories, datum: Datum, says: Sentence) -> Arrived {
    let mut sources = std::collections::BTreeSet::new();
    datum.visit_others(&mut |text| {
        if text.source().is_free_text() {
            sources.insert(text.source().clone());
        }
    });
    Arrived {
        call,
        label: datum.label(holds),
        outcome: Came::Done(datum),
        sources,
        fence: id::random(),
        says,
    }
}
