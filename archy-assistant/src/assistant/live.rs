//! A turn that runs: its events so far, who listens, and the way to reach its driver.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::{mpsc, oneshot};

use super::Inner;
use crate::turn::input::Arrived;
use crate::{Browsed, CallId, ConfirmationId, ConversationId, Numbered, Principal, Settled, TurnId};

/// What reaches a turn's driver from outside.
#[derive(Debug)]
pub(super) enum Nudge {
    /// The caller stops the turn.
    Cancel,
    /// The node is shutting down.
    Stop,
    /// A person's question has its answer. Boxed, because every running turn has room for some nudges.
    Resolved { id: ConfirmationId, outcome: Settled, result: Option<Box<Arrived>> },
}

pub(super) struct Live {
    pub(super) conversation: ConversationId,
    pub(super) principal: Principal,
    pub(super) driver: mpsc::UnboundedSender<Nudge>,
    told: Mutex<Told>,
    /// What the page was asked to do and has not answered.
    page: Mutex<HashMap<CallId, oneshot::Sender<Browsed>>>,
}

/// A turn's place among those that run. Given up when this is dropped, whatever ends the turn's task.
pub(super) struct Running {
    pub(super) inner: Arc<Inner>,
    pub(super) live: Arc<Live>,
    pub(super) turn: TurnId,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.inner.live().remove(&self.turn);
        self.live.end();
    }
}

#[derive(Default)]
struct Told {
    events: Vec<Numbered>,
    /// The number of the first event after which a relayed caller is told nothing.
    first_end: Option<usize>,
    ended: bool,
    wakers: HashMap<u64, Waker>,
    next_listener: u64,
}

impl Live {
    pub(super) fn new(
        conversation: ConversationId,
        principal: Principal,
        driver: mpsc::UnboundedSender<Nudge>,
    ) -> Self {
        Self { conversation, principal, driver, told: Mutex::default(), page: Mutex::default() }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the listeners. Called after the events are committed.
    pub(super) fn tell(&self, events: Vec<Numbered>) {
        let mut told = self.told();
        let end = events.iter().position(|numbered| numbered.event.is_end());
        let end = end.map(|place| told.events.len() + place);
        told.first_end = told.first_end.or(end);
        told.events.extend(events);
        told.wakers.drain().for_each(|(_, waker)| waker.wake());
    }

    /// Nothing more will be told.
    pub(super) fn end(&self) {
        let mut told = self.told();
        told.ended = true;
        told.wakers.drain().for_each(|(_, waker)| waker.wake());
    }

    /// A number for a listener's waker.
    pub(super) fn listener(&self) -> u64 {
        let mut told = self.told();
        told.next_listener += 1;
        told.next_listener
    }

    /// Forgets a listener.
    pub(super) fn leave(&self, listener: u64) {
        self.told().wakers.remove(&listener);
    }

    /// The event with this number, `None` after the last one, or after the first end for whoever is told no more.
    pub(super) fn poll(
        &self,
        seq: usize,
        listener: u64,
        first_end: bool,
        context: &Context<'_>,
    ) -> Poll<Option<Numbered>> {
        let mut told = self.told();
        if first_end && told.first_end.is_some_and(|end| seq > end) {
            return Poll::Ready(None);
        }
        match told.events.get(seq) {
            Some(event) => Poll::Ready(Some(event.clone())),
            None if told.ended => Poll::Ready(None),
            None => {
                told.wakers.insert(listener, context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Waits until the turn has ended.
    pub(super) async fn ended(&self) {
        let listener = self.listener();
        std::future::poll_fn(|context| {
            let mut told = self.told();
            if told.ended {
                return Poll::Ready(());
            }
            told.wakers.insert(listener, context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn page(&self) -> MutexGuard<'_, HashMap<CallId, oneshot::Sender<Browsed>>> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page was asked to do something; its word comes here.
    pub(super) fn asked_of_page(&self, call: CallId) -> oneshot::Receiver<Browsed> {
        let (tell, told) = oneshot::channel();
        self.page().insert(call, tell);
        told
    }

    /// Takes the page's word, once; whether anybody waited for it.
    pub(super) fn browsed(&self, call: CallId, browsed: Browsed) -> bool {
        let waits = self.page().remove(&call);
        waits.is_some_and(|waits| waits.send(browsed).is_ok())
    }

    /// The page's word is taken no more; what waits for it gets one that was taken before, or none.
    pub(super) fn page_is_through(&self, call: CallId) {
        self.page().remove(&call);
    }

    /// Hands a person's answer to the driver; a turn that is gone needs none.
    pub(super) fn resolve(&self, id: ConfirmationId, outcome: Settled, result: Option<Arrived>) {
        let _ = self.driver.send(Nudge::Resolved { id, outcome, result: result.map(Box::new) });
    }
}
