//! From a byte of the model to the event that a listener has, committed in between.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use archy_assistant::{
    Backend, BackendError, BackendFacts, Caller, EndReason, Event, ReplyEvent, ReplyStream, Request, Target,
};
use futures_core::Stream;
use tokio::sync::mpsc;

use crate::figure::{Report, Samples};
use crate::floor::Floors;
use crate::house::{House, Told};
use crate::keeping;

pub(crate) fn measure(report: &mut Report, floors: &Floors) {
    for keeping in keeping::all() {
        let (aim, name) = (if keeping.name == "in memory" { "30 µs" } else { "" }, keeping.name);
        crate::here().block_on(async {
            let backend = Arc::new(Typed::default());
            let house = House::new(Arc::clone(&backend) as Arc<dyn Backend>, keeping.store).await;
            let said =
                house.assistant.chat(&Caller::owner(), Target::New, "go on").await.expect("it is taken");
            let mut events = house.assistant.events(&Caller::owner(), said.turn, None).expect("it is known");
            let (mut first, mut samples) = (true, Samples::default());
            let before = house.store.counts();
            for _ in 0..50 {
                // Longer than the time within which text is gathered, so that nothing is held back.
                tokio::time::sleep(Duration::from_millis(105)).await;
                let typed = Instant::now();
                backend.type_one();
                while let Some(numbered) = events.next().await {
                    if matches!(numbered.event, Event::Text(_)) {
                        break;
                    }
                }
                if !std::mem::take(&mut first) {
                    samples.add(typed.elapsed());
                }
            }
            let floor = Some(("spawn", floors.spawn));
            report.time(&format!("byte to event, {name}"), &samples, aim, floor);
            if name == "in memory" {
                let counts = house.store.counts().since(before);
                report.count("  commits per event of text", &format!("{:.2}", counts.kept as f64 / 50.0), "");
            }
            house.assistant.cancel(&Caller::owner(), said.turn).await.expect("it runs");
        });
    }
    rhythm(report);
}

/// How many entries and commits a reply of 600 pieces makes that takes two seconds.
fn rhythm(report: &mut Report) {
    crate::here().block_on(async {
        let backend = Arc::new(Typed::default());
        let keeping = keeping::all().remove(0);
        let house = House::new(Arc::clone(&backend) as Arc<dyn Backend>, keeping.store).await;
        let said = house.assistant.chat(&Caller::owner(), Target::New, "go on").await.expect("it is taken");
        let before = house.store.counts();
        let began = Instant::now();
        for piece in 0..600_u32 {
            backend.type_one();
            tokio::time::sleep_until((began + Duration::from_micros(3333) * piece).into()).await;
        }
        backend.end();
        let mut events = house.assistant.events(&Caller::owner(), said.turn, None).expect("it is known");
        while events.next().await.is_some() {}
        let counts = house.store.counts().since(before);
        report.count("state deltas of a reply of 600 pieces in 2 s", &counts.inputs.to_string(), "");
        report.count("  in commits", &(counts.kept + counts.synced).to_string(), "");
    });
}

/// Says a word whenever somebody types one.
struct Typed {
    keys: mpsc::UnboundedSender<ReplyEvent>,
    typed: std::sync::Mutex<Option<mpsc::UnboundedReceiver<ReplyEvent>>>,
}

impl Default for Typed {
    fn default() -> Self {
        let (keys, typed) = mpsc::unbounded_channel();
        Self { keys, typed: std::sync::Mutex::new(Some(typed)) }
    }
}

impl Typed {
    fn type_one(&self) {
        self.keys.send(ReplyEvent::Text("word ".to_owned())).expect("the reply runs");
    }

    fn end(&self) {
        self.keys.send(ReplyEvent::End(EndReason::Complete)).expect("the reply runs");
    }
}

impl Backend for Typed {
    fn facts(&self) -> BackendFacts {
        Told.facts()
    }

    fn reply(&self, _: Arc<Request>) -> ReplyStream {
        let typed = self.typed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        Box::pin(Keys(typed.expect("one reply is asked for")))
    }
}

struct Keys(mpsc::UnboundedReceiver<ReplyEvent>);

impl Stream for Keys {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}
