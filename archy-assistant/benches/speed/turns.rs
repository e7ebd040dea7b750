//! The loop's own time: from what is said until the last event, with a model and a tool that need none.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use archy_assistant::{
    Backend, BackendError, BackendFacts, Caller, Content, ConversationId, EndReason, Message, ReplyEvent,
    ReplyStream, Request, Target,
};
use futures_core::Stream;

use crate::figure::{self, Samples};
use crate::floor::Floors;
use crate::house::{House, Plays, Told, call};
use crate::keeping;

/// A turn of two model calls and one read is four messages; ten of them are the forty that a request carries.
const EARLIER: usize = 10;

pub(crate) fn measure(floors: &Floors) {
    for (place, runtime) in [("", crate::here()), (", two threads", crate::daemon())] {
        for keeping in keeping::all() {
            runtime.block_on(async {
                let house = House::new(Arc::new(Told), keeping.store).await;
                let to = Target::Conversation(listen(&house, Target::New).await);
                for _ in 0..EARLIER + 20 {
                    turn(&house, to, "how is it").await;
                }
                let before = house.store.counts();
                let times = if keeping.name == "SQLite" { 100 } else { 500 };
                let mut samples = Samples::default();
                for _ in 0..times {
                    samples.add(turn(&house, to, "how is it").await);
                }
                let counts = house.store.counts().since(before);
                let (aim, floor) = match keeping.name {
                    "in memory" => ("150 µs", ("spawn_blocking", floors.blocking)),
                    "SQLite" => ("", ("fsync", floors.fsync)),
                    _ => ("1 ms", ("spawn_blocking", floors.blocking)),
                };
                figure::time(&format!("turn, {}{place}", keeping.name), &samples, aim, Some(floor));
                if place.is_empty() && keeping.name == "in memory" {
                    let each = |count: u32| format!("{:.2}", f64::from(count) / f64::from(times));
                    figure::count("  commits per turn", &each(counts.kept + counts.synced), "");
                    figure::count("  of these, commits that wait for the disk", &each(counts.synced), "");
                    figure::count("  state deltas (journal entries) per turn", &each(counts.inputs), "");
                    figure::count("  bytes written per turn", &each(counts.bytes), "");
                    figure::count("  reads of the store per turn", &each(counts.reads), "");
                }
            });
        }
    }
}

/// One turn to its end, for the sake of its messages.
pub(crate) async fn listen(house: &House, to: Target) -> ConversationId {
    let began = house.assistant.chat(&Caller::owner(), to, "how is it").await.expect("it is taken");
    let mut events = house.assistant.events(&Caller::owner(), began.turn, None).expect("it is known");
    while events.next().await.is_some() {}
    began.conversation
}

/// From Enter to the last event.
async fn turn(house: &House, to: Target, text: &str) -> std::time::Duration {
    let began = Instant::now();
    let said = house.assistant.chat(&Caller::owner(), to, text).await.expect("it is taken");
    let mut events = house.assistant.events(&Caller::owner(), said.turn, None).expect("it is known");
    while events.next().await.is_some() {}
    began.elapsed()
}

/// A call's way through the node: judged (found, decided, parsed, written anew) between two looks at the reply, and the
/// whole of it as what one more call adds to a turn.
pub(crate) fn dispatch(floors: &Floors) {
    const CALLS: u32 = 16;
    crate::here().block_on(async {
        let looks = Arc::new(Looked::default());
        let keeping = keeping::all().remove(0);
        let house = House::new(Arc::clone(&looks) as Arc<dyn Backend>, keeping.store).await;
        let (mut one, mut many) = (Samples::default(), Samples::default());
        for _ in 0..300 {
            one.add(turn(&house, Target::New, "1").await);
            many.add(turn(&house, Target::New, &CALLS.to_string()).await);
        }
        let floor = Some(("serde_json", floors.parse));
        let judged = looks.judged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        figure::time("dispatch: find, decide, parse", &judged, "10 µs", floor);
        let mut whole = Samples::default();
        whole.add(many.median().saturating_sub(one.median()) / (CALLS - 1));
        figure::time("dispatch: whole call, with task, events and journal", &whole, "", floor);
    });
}

/// Calls as often as it was told, and notes how long the node takes between two calls.
#[derive(Default)]
struct Looked {
    judged: Arc<Mutex<Samples>>,
}

impl Backend for Looked {
    fn facts(&self) -> BackendFacts {
        Told.facts()
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let [Message { content: Content::Said(count), .. }] = request.messages.as_slice() else {
            let text = ReplyEvent::Text("Done.".to_owned());
            return Box::pin(Plays(vec![ReplyEvent::End(EndReason::Complete), text]));
        };
        let left = count.parse().unwrap_or(0);
        Box::pin(Calls { left, handed: None, judged: Arc::clone(&self.judged) })
    }
}

struct Calls {
    left: u32,
    handed: Option<Instant>,
    judged: Arc<Mutex<Samples>>,
}

impl Stream for Calls {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(handed) = self.handed.take() {
            self.judged.lock().unwrap_or_else(PoisonError::into_inner).add(handed.elapsed());
        }
        let event = match self.left {
            0 => ReplyEvent::End(EndReason::Complete),
            left => call("app_status", &format!(r#"{{"app":"app-{left}"}}"#)),
        };
        self.left = self.left.saturating_sub(1);
        self.handed = Some(Instant::now());
        Poll::Ready(Some(Ok(event)))
    }
}
