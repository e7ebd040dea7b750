//! Five hundred turns that stream at once to a thousand listeners, over a real server on loopback.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use archy_assistant::*;
use archy_wire as wire;
use futures_core::Stream;
use jsonrpsee::core::client::{ClientT, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::ObjectParams;
use jsonrpsee::http_client::{HttpClient, HttpClientBuilder};
use jsonrpsee::server::{Server, ServerConfig, ServerHandle};
use jsonrpsee::ws_client::{WsClient, WsClientBuilder};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep};

const TURNS: usize = 500;
const SOCKETS: usize = 20;
/// Pieces of one answer, and how far apart they come: some thirty events a turn.
const PIECES: u32 = 150;
const APART: Duration = Duration::from_millis(20);
/// More than this would be a listener that is written for without being read.
const MOST_GROWTH_MIB: u64 = 200;

/// A model that says numbers, slowly; the same to everybody.
struct Counting;

struct Numbers {
    next: u32,
    pause: Pin<Box<Sleep>>,
}

fn piece(number: u32) -> String {
    format!("{number}, ")
}

fn answer() -> String {
    (0..PIECES).map(piece).collect::<Vec<_>>().concat()
}

impl Backend for Counting {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: "counting".to_owned(),
            locality: Locality::OnNode,
            mind: Mind::Model,
            may_receive: Categories::NONE,
        }
    }

    fn reply(&self, _: Arc<Request>) -> ReplyStream {
        Box::pin(Numbers { next: 0, pause: Box::pin(sleep(APART)) })
    }
}

impl Stream for Numbers {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.next > PIECES {
            return Poll::Ready(None);
        }
        std::task::ready!(self.pause.as_mut().poll(context));
        self.pause = Box::pin(sleep(APART));
        self.next += 1;
        Poll::Ready(Some(Ok(match self.next.checked_sub(1) {
            Some(number) if number < PIECES => ReplyEvent::Text(piece(number)),
            _ => ReplyEvent::End(EndReason::Complete),
        })))
    }
}

/// Each turn is of somebody else, so that the limits of one person are not in the way.
fn somebody(number: usize) -> Caller {
    let principal = Principal::new(format!("person-{number}")).expect("a name");
    Caller::chrome(principal, Scope::EVERYTHING, OwnerRole)
}

fn open() -> Assistant {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let backends: [Arc<dyn Backend>; 1] = [Arc::new(Counting)];
    let mut limits = Limits::default();
    limits.turns = TURNS;
    Assistant::builder(backends, Toolbox::new(), grants)
        .with_store(store)
        .with_limits(limits)
        .with_sink(Arc::new(PollPending))
        .open()
        .expect("an empty store opens")
}

async fn serve(assistant: &Assistant) -> (SocketAddr, ServerHandle) {
    // The caller is the owner's page, which may read what everybody said.
    let module = archy_jsonrpc::module(assistant.clone(), "assistant", |_, _| Ok(Caller::owner()));
    let config = ServerConfig::builder()
        .max_connections(2000)
        .max_subscriptions_per_connection(64)
        .set_message_buffer_capacity(64)
        .build();
    let server = Server::builder().set_config(config).build("127.0.0.1:0").await.expect("a free port");
    let address = server.local_addr().expect("it is bound");
    (address, server.start(module.expect("its names differ")))
}

fn params(value: &Value) -> ObjectParams {
    let mut params = ObjectParams::new();
    for (name, value) in value.as_object().expect("an object") {
        params.insert(name, value).expect("JSON");
    }
    params
}

/// A listener that takes its time now and then: what it does not read waits in the journal.
async fn listens(client: Arc<WsClient>, turn: String, number: usize) -> (String, Vec<wire::Numbered>) {
    let asked = params(&json!({ "turn": turn }));
    let mut listening: Subscription<wire::Numbered> =
        client.subscribe("assistant.listen", asked, "assistant.unlisten").await.expect("it may listen");
    let mut events = Vec::new();
    while let Some(event) = listening.next().await {
        events.push(event.expect("an event"));
        if number.is_multiple_of(10) && events.len() == 5 {
            sleep(Duration::from_secs(1)).await;
        }
        if is_end(&events) {
            break;
        }
    }
    (turn, events)
}

async fn polls(client: HttpClient, turn: String) -> (String, Vec<wire::Numbered>) {
    let mut events: Vec<wire::Numbered> = Vec::new();
    while !is_end(&events) {
        let after = events.last().map(|last| last.seq);
        let asked = params(&json!({ "turn": turn, "after": after, "wait_ms": 20_000 }));
        let read: wire::EventsRead = client.request("assistant.events", asked).await.expect("it is known");
        events.extend(read.events);
    }
    (turn, events)
}

fn is_end(events: &[wire::Numbered]) -> bool {
    events.last().is_some_and(|last| matches!(last.event, wire::Event::Finished { .. }))
}

/// What this process has in memory, now and at most so far, in MiB: that of the tests beside this one too.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let field = |name: &str| -> u64 {
        let line = status.lines().find(|line| line.starts_with(name)).expect("a field");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).map_or(0, |kib: u64| kib / 1024)
    };
    (field("VmRSS:"), field("VmHWM:"))
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_turns_at_once_reach_a_thousand_listeners_whole_and_in_order() {
    let assistant = open();
    let (address, server) = serve(&assistant).await;
    let http = HttpClientBuilder::default()
        .max_concurrent_requests(TURNS)
        .build(format!("http://{address}"))
        .expect("a client");
    let mut sockets = Vec::new();
    for _ in 0..SOCKETS {
        let builder = WsClientBuilder::default().max_buffer_capacity_per_subscription(64);
        sockets.push(Arc::new(builder.build(format!("ws://{address}")).await.expect("a client")));
    }
    let (before, _) = memory();
    let began = Instant::now();
    let mut listeners = JoinSet::new();
    for number in 0..TURNS {
        let turn = assistant.chat(&somebody(number), Target::New, "count").await.expect("it is taken").turn;
        listeners.spawn(listens(Arc::clone(&sockets[number % SOCKETS]), turn.to_string(), number));
        listeners.spawn(polls(http.clone(), turn.to_string()));
    }
    let (mut heard, mut total): (BTreeMap<String, Vec<wire::Numbered>>, _) = (BTreeMap::new(), 0);
    while let Some(listened) = listeners.join_next().await {
        let (turn, events) = listened.expect("it listens to the end");
        let numbers: Vec<u32> = events.iter().map(|event| event.seq).collect();
        let whole: Vec<u32> = (0..).take(events.len()).collect();
        assert_eq!(numbers, whole, "in order, without gaps");
        let text: String = events
            .iter()
            .filter_map(|event| match &event.event {
                wire::Event::Text { text } => Some(&**text),
                _ => None,
            })
            .collect();
        assert_eq!(text, answer());
        total += events.len();
        // Whoever listens another way is told the very same.
        match heard.get(&turn) {
            Some(other) => assert_eq!(*other, events),
            None => drop(heard.insert(turn, events)),
        }
    }
    let took = began.elapsed();
    let (after, most) = memory();
    assert_eq!(heard.len(), TURNS);
    // Not `println`, which a test that passes keeps to itself.
    let _ = writeln!(
        std::io::stderr(),
        "{TURNS} turns, {} listeners, {total} events in {took:.1?} ({:.0} a second); memory {before} MiB before, {most} MiB \
         at most, {after} MiB after, clients and what they heard included",
        2 * TURNS,
        f64::from(u32::try_from(total).expect("few")) / took.as_secs_f64(),
    );
    assert!(most - before < MOST_GROWTH_MIB, "{before} MiB grew to {most} MiB");
    server.stop().expect("it runs");
}
