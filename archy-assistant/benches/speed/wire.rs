//! What stands between a backend and the wire: the decoder, the first event of a stream, the building of requests.

use std::future::poll_fn;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use archy_assistant::{
    Backend, BackendError, CallId, Calls, Category, Claude, Content, Datum, Effect, Label, Locality, Message,
    Offer, Ollama, OpenAi, Outcome, ReplyEvent, ReplyStream, Request, Secret, Sentence, Source, Spec,
    ToolCall,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::decoder::frames::{Frames, Framing};
use crate::decoder::lines::Limits;
use crate::figure::{self, Samples};
use crate::floor::Floors;

const EVENT: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\
    \"delta\":{\"content\":\" word\"},\"finish_reason\":null}]}\n\n";

pub(crate) fn measure(_: &Floors) {
    decode();
    request();
    first_event();
}

fn decode() {
    let limits = Limits { line: 8 << 20, total: usize::MAX };
    for mebibytes in [1, 4, 16, 64] {
        let stream = EVENT.repeat((mebibytes << 20) / EVENT.len());
        let samples = Samples::of(if mebibytes > 4 { 3 } else { 10 }, || {
            black_box(decoded(stream.as_bytes(), limits));
        });
        rate(&format!("decode {mebibytes} MiB of events in packets of 4 KiB"), stream.len(), &samples);
    }
    for mebibytes in [1, 7] {
        let stream = format!("data: {}\n\n", "x".repeat(mebibytes << 20));
        let samples = Samples::of(10, || assert_eq!(decoded(stream.as_bytes(), limits), 1));
        rate(&format!("decode one event of {mebibytes} MiB in packets of 4 KiB"), stream.len(), &samples);
    }
}

fn decoded(stream: &[u8], limits: Limits) -> usize {
    let mut frames = Frames::new(Framing::Events, limits);
    let mut count = 0;
    for packet in stream.chunks(4096) {
        frames.feed(packet);
        while let Ok(Some(frame)) = frames.next() {
            black_box(frame.data());
            count += 1;
        }
    }
    count
}

fn rate(name: &str, bytes: usize, samples: &Samples) {
    #[expect(clippy::cast_precision_loss, reason = "it is printed")]
    let rate = bytes as f64 / 1e6 / samples.median().as_secs_f64();
    figure::count(name, &format!("{rate:.0} MB/s"), "≥ 200 MB/s");
}

/// Forty messages and twenty tools.
fn long_request() -> Request {
    let schema = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "App", "type": "object",
        "properties": {
            "app": { "type": "string", "description": "The app's id." },
            "lines": { "type": ["integer", "null"], "format": "uint32", "minimum": 0, "description": "How many." },
        },
        "required": ["app"], "additionalProperties": false,
    });
    let schema = Arc::new(schema);
    let names = [
        "app_status",
        "app_logs",
        "app_list",
        "app_restart",
        "app_start",
        "app_stop",
        "app_pause",
        "app_update",
        "disk_status",
        "system_status",
        "settings_get",
        "settings_set",
        "network_status",
        "peers_list",
        "balance_get",
        "files_list",
        "files_search",
        "media_search",
        "notes_search",
        "bitcoin_status",
    ];
    let offer = |name: &'static str| Offer {
        spec: Arc::new(Spec::new(name, Category::Apps, "Tells how something of the node is, or changes it.")),
        effect: Effect::Read,
        schema: Arc::clone(&schema),
        candidates: Vec::new(),
    };
    let message = |content| Message { label: Label::default(), content };
    let turn = |turn: u32| {
        let call = ToolCall {
            id: CallId(0),
            tool: "app_status".to_owned(),
            args: format!(r#"{{"app":"app-{turn}","lines":50}}"#),
        };
        let result = Datum::record([
            ("name", Datum::others(format!("App {turn}"), Source::AppName)),
            ("runs", Datum::Bool(true)),
            ("memory", Datum::Bytes(412_000_000)),
        ]);
        [
            Content::Said("How is the app, and since when does it run?".to_owned()),
            Content::Reply { text: Sentence::default(), calls: vec![call], opaque: Vec::new() },
            Content::Result {
                call: CallId(0),
                tool: "app_status".to_owned(),
                outcome: Outcome::Done(result),
                fence: 7,
            },
            Content::Reply {
                text: Sentence::plain("It runs since yesterday and uses 412 MB."),
                calls: Vec::new(),
                opaque: Vec::new(),
            },
        ]
    };
    Request {
        tools: names.into_iter().map(offer).collect(),
        elsewhere: Arc::new([]),
        messages: (0..10).flat_map(turn).map(message).collect(),
        calls: Calls::Allowed,
        max_text: 64 * 1024,
    }
}

fn request() {
    let request = long_request();
    let ollama = Ollama::new("http://127.0.0.1:1", "m", Locality::OnNode).expect("a URL");
    let openai = OpenAi::new("http://127.0.0.1:1", "m", Locality::OnNode).expect("a URL");
    let claude = Claude::new(Secret::new("key"), "m");
    let bodies: [(&str, &dyn Fn() -> Vec<u8>); 3] = [
        ("ollama", &|| ollama.body(&request)),
        ("openai", &|| openai.body(&request)),
        ("claude", &|| claude.body(&request)),
    ];
    for (name, body) in bodies {
        let samples = Samples::of(500, || {
            black_box(body());
        });
        figure::time(&format!("request of 40 messages and 20 tools, {name}"), &samples, "≤ 100 µs", None);
    }
}

async fn next(reply: &mut ReplyStream) -> Option<Result<ReplyEvent, BackendError>> {
    poll_fn(|cx| reply.as_mut().poll_next(cx)).await
}

fn first_event() {
    crate::here().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");

        let (mut bare, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let mut server = accepted.expect("a connection").0;
        let bare = bare.as_mut().expect("a connection");
        server.set_nodelay(true).expect("a socket");
        let mut floor = Samples::default();
        let mut packet = [0; 1024];
        for _ in 0..500 {
            let began = Instant::now();
            server.write_all(EVENT.as_bytes()).await.expect("it listens");
            bare.read_exact(&mut packet[..EVENT.len()]).await.expect("it speaks");
            floor.add(began.elapsed());
        }
        figure::time("floor: the same bytes through a bare socket", &floor, "", None);

        let openai = OpenAi::new(&format!("http://{address}"), "m", Locality::Remote).expect("a URL");
        let mut reply = openai.reply(Arc::new(long_request()));
        let accept = async {
            let mut server = listener.accept().await.expect("a connection").0;
            server.set_nodelay(true).expect("a socket");
            let mut body = vec![0; 1 << 16];
            while !body.ends_with(b"]}") {
                let read = server.read(&mut body).await.expect("a request");
                if body[..read].ends_with(b"]}") {
                    break;
                }
            }
            let head = format!("HTTP/1.1 200 OK\r\n\r\n{EVENT}");
            server.write_all(head.as_bytes()).await.expect("it listens");
            server
        };
        let (mut server, first) = tokio::join!(accept, next(&mut reply));
        assert_eq!(first, Some(Ok(ReplyEvent::Text("word".to_owned()))));
        let mut samples = Samples::default();
        for _ in 0..500 {
            let began = Instant::now();
            server.write_all(EVENT.as_bytes()).await.expect("it listens");
            let event = next(&mut reply).await;
            samples.add(began.elapsed());
            assert_eq!(event, Some(Ok(ReplyEvent::Text(" word".to_owned()))));
        }
        let floor: Duration = floor.median();
        figure::time("streamed byte to event, over a socket", &samples, "≤ 30 µs", Some(("socket", floor)));
    });
}
