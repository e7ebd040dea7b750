//! Both protocols against a real server: llama.cpp's, with a model of 98 MB, started by `evals/models/serve`.
//!
//! The model is too small to choose well: what is tested is that the bytes of a real server are understood. Where the
//! packages cannot be had (no network), the test says so and passes.

use std::future::poll_fn;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use archy_assistant::{
    Backend, BackendError, BackendFault, Calling, Calls, Claude, Content, EndReason, Label, Locality,
    Message, ModelCard, OpenAi, ReplyEvent, Request, Secret,
};

/// What the script says with its exit status where something cannot be had.
const CANNOT: i32 = 3;

/// The server; it ends with its input, so it never outlives this test.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts it; `None` where it cannot be had.
    fn start() -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../evals/models/serve");
        let mut command = Command::new("python3");
        command.arg("-B").arg(script).args(["smollm2", "--until-eof", "--context", "2048"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else {
            eprintln!("skipped: there is no python3");
            return None;
        };
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).expect("its output can be read");
        if let Some(url) = line.trim().strip_prefix("ready ") {
            return Some(Self { child, url: url.to_owned() });
        }
        let status = child.wait().expect("it ended");
        assert_eq!(status.code(), Some(CANNOT), "`evals/models/serve smollm2` shows why");
        eprintln!("skipped: the server or its model cannot be had; `evals/models/serve --prepare` shows why");
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It was told to end; nothing can be done about one that cannot be waited for.
        let _ = self.child.wait();
    }
}

fn said(text: &str) -> Arc<Request> {
    let message = Message { label: Label::default(), content: Content::Said(text.to_owned()) };
    Arc::new(Request {
        tools: vec![],
        elsewhere: Arc::new([]),
        messages: vec![message],
        calls: Calls::Allowed,
        max_text: 200,
    })
}

/// The text of a whole reply, the tokens that were read, and how it ended.
async fn whole(
    backend: &dyn Backend,
    text: &str,
) -> Result<(String, Option<u64>, Option<EndReason>), BackendError> {
    let mut stream = backend.reply(said(text));
    let (mut text, mut read, mut end) = (String::new(), None, None);
    while let Some(event) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        match event? {
            ReplyEvent::Text(more) => text.push_str(&more),
            ReplyEvent::Usage(used) => read = used.input,
            ReplyEvent::End(reason) => end = Some(reason),
            other => panic!("nothing else was asked for: {other:?}"),
        }
    }
    Ok((text, read, end))
}

#[tokio::test]
async fn a_real_server_is_understood_in_both_protocols() {
    let Some(server) = Server::start() else { return };
    let openai = OpenAi::new(&format!("{}/v1", server.url), "smollm2", Locality::OnNode).expect("a URL");
    assert_eq!(openai.models().await, Ok(vec!["smollm2".to_owned()]));

    // The schema holds a model that would say anything else.
    let card = openai.measure().await.expect("it answers");
    let known = ModelCard { reads: None, writes: None, ..card };
    let want = ModelCard {
        streams: true,
        calls_tools: false,
        follows_schema: true,
        context: Some(2048),
        ..ModelCard::default()
    };
    assert_eq!(known, want);
    assert!(card.reads.is_some() && card.writes.is_some(), "{card:?}");
    assert_eq!(card.calling(), Calling::Schema);

    let claude = Claude::new(Secret::new("no key"), "smollm2").with_url(&server.url).expect("a URL");
    let native = openai.clone().with_max_tokens(16);
    let backends: [(&dyn Backend, &str); 3] = [
        (&native, "openai"),
        (&openai.clone().with_card(card).with_max_tokens(16), "by its card"),
        (&claude.with_max_tokens(16), "claude"),
    ];
    for (backend, name) in backends {
        let (text, read, end) = whole(backend, "Say hello.").await.expect(name);
        assert!(!text.trim().is_empty(), "{name}");
        assert!(read.is_some_and(|tokens| tokens > 5), "{name}: {read:?}");
        assert!(matches!(end, Some(EndReason::Complete | EndReason::Length)), "{name}: {end:?}");
    }

    let long = "and then ".repeat(3000);
    for (backend, name) in backends {
        let error = whole(backend, &long).await.expect_err(name);
        assert_eq!(error.class, BackendFault::TooLong, "{name}: {}", error.detail);
    }
}
