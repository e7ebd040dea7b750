//! Listening to a turn, live or from its journal, from any number on.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::live::Live;
use super::{Assistant, Inner, Refused};
use crate::turn::journal::Folded;
use crate::{Browsed, CallId, Caller, Event, Numbered, TurnId};

/// The events of one turn. Dropping it changes nothing; the turn goes on, and listening can begin again anywhere.
pub struct Events {
    from: From,
    next: usize,
    /// Whether the end of this caller's part was told.
    over: bool,
}

enum From {
    Live { live: Arc<Live>, listener: u64, first_end: bool },
    Journal(Vec<Numbered>),
}

impl Assistant {
    /// The events of a turn after number `after` (from the first one where that is `None`), those that are still to
    /// come included. Each was committed before it is given.
    ///
    /// # Errors
    /// [`Refused::Unknown`] when there is no such turn for this caller.
    pub fn events(&self, caller: &Caller, turn: TurnId, after: Option<u32>) -> Result<Events, Refused> {
        let next = after.map_or(0, |after| (after as usize).saturating_add(1));
        if let Some(live) = self.0.live().get(&turn).cloned() {
            if !Inner::may_read(caller, &live.principal) {
                return Err(Refused::Unknown);
            }
            let (listener, first_end) = (live.listener(), !caller.is_chrome());
            return Ok(Events { from: From::Live { live, listener, first_end }, next, over: false });
        }
        let conversation = self.0.conversation_of(turn)?.ok_or(Refused::Unknown)?;
        self.0.readable(caller, conversation)?;
        let mut folded = Folded::read(&*self.0.store, conversation, turn)?;
        if !folded.machine.has_ended() {
            // The store could not keep how it went on. Whoever comes late is told what the others were told.
            let seq = u32::try_from(folded.events.len()).unwrap_or(u32::MAX);
            folded.events.push(Numbered { seq, at: self.0.clock.now(), event: Event::lost() });
        }
        if !caller.is_chrome()
            && let Some(end) = folded.events.iter().position(|numbered| numbered.event.is_end())
        {
            folded.events.truncate(end + 1);
        }
        Ok(Events { from: From::Journal(folded.events), next, over: false })
    }
}

impl Assistant {
    /// Says what became of a browser action. Whoever may listen to the turn may say it, once: of several pages that do,
    /// the first one counts.
    ///
    /// # Errors
    /// [`Refused::Unknown`] when no such turn of this caller runs, or nothing (more) waits in it for this call.
    pub fn browsed(
        &self,
        caller: &Caller,
        turn: TurnId,
        call: CallId,
        browsed: Browsed,
    ) -> Result<(), Refused> {
        let live = self.0.live().get(&turn).cloned();
        let live = live.filter(|live| Inner::may_read(caller, &live.principal)).ok_or(Refused::Unknown)?;
        if live.browsed(call, browsed) { Ok(()) } else { Err(Refused::Unknown) }
    }
}

impl Events {
    /// Waits for the next event; `None` after the last one.
    pub async fn next(&mut self) -> Option<Numbered> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl Stream for Events {
    type Item = Numbered;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Numbered>> {
        if self.over {
            return Poll::Ready(None);
        }
        let next = match &self.from {
            From::Live { live, listener, first_end } => live.poll(self.next, *listener, *first_end, context),
            From::Journal(events) => Poll::Ready(events.get(self.next).cloned()),
        };
        if let Poll::Ready(Some(numbered)) = &next {
            self.next += 1;
            // For a relayed caller the first end is the last event that it sees, wherever it begins to listen.
            self.over = numbered.event.is_end();
        }
        next
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let From::Live { live, listener, .. } = &self.from {
            live.leave(*listener);
        }
    }
}
