//! From a byte of the model to the event that a listener has, committed in between.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use archy_assistant::{
    Backend, BackendError, BackendFacts, Caller, EndReason, Event, Events, ReplyEvent, ReplyStream, Request,
    Target,
};
use futures_core::Stream;
use tokio::sync::mpsc;

use crate::figure::{self, Samples};
use crate::floor::Floors;
use crate::house::{House, Told};
use crate::keeping;

/// Longer than text is gathered for, so that the next piece is handed on at once.
const IDLE: Duration = Duration::from_millis(105);

pub(crate) fn measure(floors: &Floors) {
    let woken = crate::here().block_on(woken());
    figure::time("floor: bare channel to a task and back, after 100 ms", &woken, "", None);
    for keeping in keeping::all() {
        let name = keeping.name;
        let aim = if name == "in memory" { "30 µs" } else { "" };
        crate::here().block_on(async {
            let backend = Arc::new(Typed::default());
            let house = House::new(Arc::clone(&backend) as Arc<dyn Backend>, keeping.store).await;

            let mut first = Samples::default();
            for _ in 0..200 {
                let mut events = begin(&house, &backend).await;
                first.add(type_one(&backend, &mut events).await);
                backend.hand(ReplyEvent::End(EndReason::Complete));
                while events.next().await.is_some() {}
            }
            let floor = Some(("spawn", floors.spawn));
            figure::time(&format!("byte to event, first of a reply, {name}"), &first, aim, floor);

            let mut later = Samples::default();
            let mut events = begin(&house, &backend).await;
            let before = house.store.counts();
            for _ in 0..50 {
                tokio::time::sleep(IDLE).await;
                later.add(type_one(&backend, &mut events).await);
            }
            let floor = Some(("channel", woken.median()));
            figure::time(&format!("byte to event, after 100 ms, {name}"), &later, aim, floor);
            if name == "in memory" {
                let counts = house.store.counts().since(before);
                figure::count(
                    "  commits per event of text",
                    &format!("{:.2}", f64::from(counts.kept) / 50.0),
                    "",
                );
            }
            house.assistant.shutdown(IDLE).await;
        });
    }
    rhythm();
}

async fn begin(house: &House, backend: &Typed) -> Events {
    let said = house.assistant.chat(&Caller::owner(), Target::New, "go on").await.expect("it is taken");
    let mut events = house.assistant.events(&Caller::owner(), said.turn, None).expect("it is known");
    while let Some(numbered) = events.next().await {
        if matches!(numbered.event, Event::Started { .. }) {
            break;
        }
    }
    // The backend is asked a moment after the event.
    while !backend.is_asked() {
        tokio::task::yield_now().await;
    }
    events
}

async fn type_one(backend: &Typed, events: &mut Events) -> Duration {
    let typed = Instant::now();
    backend.hand(ReplyEvent::Text("word ".to_owned()));
    while let Some(numbered) = events.next().await {
        if matches!(numbered.event, Event::Text(_)) {
            break;
        }
    }
    typed.elapsed()
}

/// How long it takes to reach another task and hear from it, when nothing has run for as long as above.
async fn woken() -> Samples {
    let (ask, mut asked) = mpsc::unbounded_channel();
    let (answer, mut answered) = mpsc::unbounded_channel();
    #[expect(clippy::disallowed_methods, reason = "this is the measure of a bare task")]
    let task = tokio::spawn(async move {
        while let Some(text) = asked.recv().await {
            let _: Result<(), mpsc::error::SendError<String>> = answer.send(text);
        }
    });
    let mut samples = Samples::default();
    for _ in 0..50 {
        tokio::time::sleep(IDLE).await;
        let began = Instant::now();
        ask.send("word ".to_owned()).expect("the task runs");
        answered.recv().await.expect("the task answers");
        samples.add(began.elapsed());
    }
    drop(ask);
    task.await.expect("it ends");
    samples
}

/// How many entries and commits a reply of 600 pieces makes that takes two seconds.
fn rhythm() {
    crate::here().block_on(async {
        let backend = Arc::new(Typed::default());
        let keeping = keeping::all().remove(0);
        let house = House::new(Arc::clone(&backend) as Arc<dyn Backend>, keeping.store).await;
        let mut events = begin(&house, &backend).await;
        let before = house.store.counts();
        let began = Instant::now();
        for piece in 0..600_u32 {
            backend.hand(ReplyEvent::Text("word ".to_owned()));
            tokio::time::sleep_until((began + Duration::from_micros(3333) * piece).into()).await;
        }
        backend.hand(ReplyEvent::End(EndReason::Complete));
        while events.next().await.is_some() {}
        let counts = house.store.counts().since(before);
        figure::count("state deltas of a reply of 600 pieces in 2 s", &counts.inputs.to_string(), "");
        figure::count("  in commits", &(counts.kept + counts.synced).to_string(), "");
    });
}

/// Hands on what somebody types, in the reply that was asked for last.
#[derive(Default)]
struct Typed(Mutex<Option<mpsc::UnboundedSender<ReplyEvent>>>);

impl Typed {
    fn is_asked(&self) -> bool {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.as_ref().is_some_and(|keys| !keys.is_closed())
    }

    fn hand(&self, event: ReplyEvent) {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.as_ref().and_then(|keys| keys.send(event).ok()).expect("a reply runs");
    }
}

impl Backend for Typed {
    fn facts(&self) -> BackendFacts {
        Told.facts()
    }

    fn reply(&self, _: Arc<Request>) -> ReplyStream {
        let (keys, typed) = mpsc::unbounded_channel();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(keys);
        Box::pin(Keys(typed))
    }
}

struct Keys(mpsc::UnboundedReceiver<ReplyEvent>);

impl Stream for Keys {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}
