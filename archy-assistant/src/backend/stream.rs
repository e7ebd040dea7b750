//! A reply as one straight async function that gives out events as it goes.
//!
//! Nothing is spawned: the work runs only while its reader polls, waits at each event until that was taken, and ends
//! with all that it holds (a connection) when the stream is dropped.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;

use super::assemble::{Assembler, Reader};
use super::budget::all_was_read;
use super::deadlines::Deadlines;
use super::thinking::Habit;
use super::transport::BodyFrames;
use super::{BackendError, ReplyEvent, ReplyStream};

/// Once the end was announced, so long is waited for what some send after it: a count of tokens, an error.
const LINGER: Duration = Duration::from_secs(5);

type Slot = Arc<Mutex<Option<ReplyEvent>>>;

/// Where the work puts its events.
pub(crate) struct Out(Slot);

impl Out {
    /// Gives out one event and waits until it was taken.
    pub(crate) async fn give(&self, event: ReplyEvent) {
        let mut event = Some(event);
        poll_fn(|_| {
            let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if slot.is_none() && event.is_none() {
                return Poll::Ready(());
            }
            if slot.is_none() {
                *slot = event.take();
            }
            // No waker: the reader empties the slot and then polls the work itself.
            Poll::Pending
        })
        .await;
    }
}

/// Gives out a whole reply to `sent` bytes: its frames through the assembler, each before its deadline. What it learns of
/// the model's thinking is said after each frame.
///
/// # Errors
///
/// The reply is an error, broke, fell silent before its end was announced, or answers only a part of what was sent.
pub(crate) async fn play<R: Reader>(
    sent: usize,
    mut frames: BodyFrames,
    mut assembler: Assembler<R>,
    deadlines: Deadlines,
    out: &Out,
    learned: impl Fn(Habit),
) -> Result<(), BackendError> {
    let Deadlines { first: mut patience, silence, .. } = deadlines;
    while !assembler.is_over() {
        let events = match frames.next(patience).await {
            Ok(Some(frame)) => assembler.frame(&frame),
            Ok(None) => assembler.no_more(),
            Err(_) if assembler.is_ending() => assembler.no_more(),
            Err(error) => return Err(error),
        };
        patience = if assembler.is_ending() { silence.min(LINGER) } else { silence };
        learned(assembler.habit());
        for event in events {
            let event = event?;
            if let ReplyEvent::Usage(used) = &event {
                all_was_read(sent, used.input)?;
            }
            out.give(event).await;
        }
    }
    Ok(())
}

/// The next event of a reply; `None` after the last.
pub(crate) async fn next(reply: &mut ReplyStream) -> Option<Result<ReplyEvent, BackendError>> {
    poll_fn(|cx| reply.as_mut().poll_next(cx)).await
}

/// The stream of what `work` gives out; an error that it returns is the last item.
pub(crate) fn stream<W, F>(work: W) -> ReplyStream
where
    W: FnOnce(Out) -> F,
    F: Future<Output = Result<(), BackendError>> + Send + 'static,
{
    let slot = Slot::default();
    Box::pin(Working { work: Some(Box::pin(work(Out(Arc::clone(&slot))))), slot })
}

type Work = Pin<Box<dyn Future<Output = Result<(), BackendError>> + Send>>;

struct Working {
    work: Option<Work>,
    slot: Slot,
}

impl Stream for Working {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(work) = self.work.as_mut() else { return Poll::Ready(None) };
        let done = work.as_mut().poll(cx);
        let event = self.slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (event, done) {
            (Some(event), _) => Poll::Ready(Some(Ok(event))),
            (None, Poll::Pending) => Poll::Pending,
            (None, Poll::Ready(done)) => {
                self.work = None;
                Poll::Ready(done.err().map(Err))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::BackendFault;

    async fn all(mut stream: ReplyStream) -> Vec<Result<ReplyEvent, BackendError>> {
        let mut items = Vec::new();
        while let Some(item) = next(&mut stream).await {
            items.push(item);
        }
        items
    }

    #[tokio::test]
    async fn events_come_in_order_and_an_error_is_the_last() {
        let text = |text: &str| ReplyEvent::Text(text.to_owned());
        let error = BackendError { class: BackendFault::Broken, detail: "cut".to_owned() };
        let failing = {
            let error = error.clone();
            stream(|out| async move {
                out.give(text("a")).await;
                tokio::task::yield_now().await;
                out.give(text("b")).await;
                out.give(text("c")).await;
                Err(error)
            })
        };
        assert_eq!(all(failing).await, [Ok(text("a")), Ok(text("b")), Ok(text("c")), Err(error)]);
        assert_eq!(all(stream(|_| async { Ok(()) })).await, []);
    }

    #[tokio::test]
    async fn the_work_stops_where_the_reader_stops() {
        let held = Arc::new(());
        let works = Arc::clone(&held);
        let mut stream = stream(|out| async move {
            let works = works;
            out.give(ReplyEvent::Text("first".to_owned())).await;
            drop(works);
            unreachable!("nobody asked for more")
        });
        assert!(next(&mut stream).await.is_some());
        assert_eq!(Arc::strong_count(&held), 2);
        drop(stream);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
