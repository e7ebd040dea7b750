//! One conversation through every backend that reaches a server: whatever the vendor, the same events.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use archy_assistant::*;
use serde_json::{Value, json};

use crate::home::{Node, toolbox};
use crate::raw_server::{RawServer, beside};

/// What the model says and calls in one reply.
type Reply = (&'static str, &'static [(&'static str, &'static str)]);

/// Two reads beside each other, a tool that there is not, an argument that is none, the same call mended (a write, which
/// a person confirms), and the answer.
const REPLIES: [Reply; 5] = [
    ("I will look. ", &[("disk_status", "{}"), ("app_logs", r#"{"app":"hello"}"#)]),
    ("", &[("app_doctor", "{}")]),
    ("", &[("app_restart", r#"{"application":"hello"}"#)]),
    ("", &[("app_restart", r#"{"app":"hello"}"#)]),
    ("It runs again.", &[]),
];

#[derive(Debug, Clone, Copy)]
enum Vendor {
    Ollama,
    OpenAi,
    Claude,
}

impl Vendor {
    /// All are declared remote, as Claude is, and may be sent everything.
    fn at(self, url: &str) -> Arc<dyn Backend> {
        let all: Categories = Category::ALL.into_iter().collect();
        match self {
            Self::Ollama => {
                Arc::new(Ollama::new(url, "m", Locality::Remote).expect("a URL").with_may_receive(all))
            }
            Self::OpenAi => {
                Arc::new(OpenAi::new(url, "m", Locality::Remote).expect("a URL").with_may_receive(all))
            }
            Self::Claude => {
                let claude = Claude::new(Secret::new("key"), "m").with_url(url).expect("a URL");
                Arc::new(claude.with_may_receive(all))
            }
        }
    }

    /// Whether a request only prepares for one.
    fn prepares(self, line: &str, body: &Value) -> Option<&'static str> {
        match (self, line) {
            (Self::Ollama, "POST /api/show") => Some(r#"{"capabilities":["tools"]}"#),
            (Self::Ollama, "GET /api/version") => Some("{}"),
            (Self::Ollama, _) if body["messages"] == json!([]) => Some(r#"{"done":true}"#),
            _ => None,
        }
    }

    /// The reply as the vendor streams it, each call in two pieces where the vendor knows pieces.
    fn stream(self, (text, calls): Reply) -> String {
        let line = |line: &Value| format!("{line}\n");
        let event = |event: &Value| format!("data: {event}\n\n");
        let halves = |args: &'static str| args.split_at(args.len() / 2);
        let mut stream = String::new();
        match self {
            Self::Ollama => {
                stream += &line(&json!({ "message": { "content": text }, "done": false }));
                for (tool, args) in calls {
                    let args: Value = serde_json::from_str(args).expect("JSON");
                    let call = json!({ "function": { "name": tool, "arguments": args } });
                    stream += &line(&json!({ "message": { "tool_calls": [call] } }));
                }
                stream += "{\"done\":true,\"prompt_eval_count\":5,\"eval_count\":2}\n";
            }
            Self::OpenAi => {
                let chunk = |delta: Value| event(&json!({ "choices": [{ "index": 0, "delta": delta }] }));
                stream += &chunk(json!({ "role": "assistant", "content": text }));
                for (index, (tool, args)) in calls.iter().enumerate() {
                    let (a, b) = halves(args);
                    let function = json!({ "name": tool, "arguments": a });
                    let first = json!({ "index": index, "id": format!("c{index}"), "function": function });
                    let more = json!({ "index": index, "function": { "arguments": b } });
                    stream += &chunk(json!({ "tool_calls": [first] }));
                    stream += &chunk(json!({ "tool_calls": [more] }));
                }
                let usage = json!({ "prompt_tokens": 5, "completion_tokens": 2 });
                stream += &event(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }));
                stream += &event(&json!({ "choices": [], "usage": usage }));
                stream += "data: [DONE]\n\n";
            }
            Self::Claude => {
                let delta = |index: usize, delta: Value| {
                    event(&json!({ "type": "content_block_delta", "index": index, "delta": delta }))
                };
                stream += &delta(0, json!({ "type": "text_delta", "text": text }));
                for (at, (tool, args)) in calls.iter().enumerate() {
                    let (a, b) = halves(args);
                    let block =
                        json!({ "type": "tool_use", "id": format!("t{at}"), "name": tool, "input": {} });
                    stream += &event(
                        &json!({ "type": "content_block_start", "index": at + 1, "content_block": block }),
                    );
                    for part in [a, b] {
                        stream += &delta(at + 1, json!({ "type": "input_json_delta", "partial_json": part }));
                    }
                }
                let usage = json!({ "input_tokens": 5, "output_tokens": 2 });
                let end = json!({ "stop_reason": "end_turn" });
                stream += &event(&json!({ "type": "message_delta", "delta": end, "usage": usage }));
                stream += &event(&json!({ "type": "message_stop" }));
            }
        }
        stream
    }

    async fn play(self, server: &RawServer) {
        let mut replies = REPLIES.into_iter();
        while replies.len() > 0 {
            let mut asked = server.next().await;
            if let Some(answer) = self.prepares(&asked.line, &asked.body) {
                asked.answer("200 OK", answer).await;
            } else {
                asked.begin().await;
                asked.send(self.stream(replies.next().expect("one is left"))).await;
            }
        }
    }

    /// All events, with what differs by right replaced by its name.
    async fn events(self) -> Vec<String> {
        let (server, node) = (RawServer::new().await, Arc::new(Node::default()));
        node.log.lock().expect("nobody panics with it").push_str("connection refused");
        let backend = self.at(&server.url());
        let name = backend.facts().name;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let assistant = Assistant::builder([backend], toolbox(&node), grants)
            .with_store(store)
            .with_audit_key(Secret::new("the audit's key"))
            .with_sink(Arc::new(PollPending))
            .open()
            .expect("opens");
        let owner = Caller::owner();
        for category in Category::ALL {
            assistant.open_category(&owner, category).await.expect("opens");
        }
        let talk = async {
            let began = assistant.chat(&owner, Target::New, "mend hello").await.expect("is taken");
            let mut events = assistant.events(&owner, began.turn, None).expect("is known");
            let mut all = Vec::new();
            while let Some(numbered) = events.next().await {
                if let Event::ConfirmationRequired { id, .. } = numbered.event {
                    all.push(confirm(&assistant, id).await);
                    continue;
                }
                let mut event = format!("{:?}", numbered.event).replace(&name, "BACKEND");
                if event.starts_with("ConfirmationResolved") {
                    event.truncate("ConfirmationResolved".len());
                }
                all.push(event);
            }
            all
        };
        let all = beside(self.play(&server), talk).await;
        assert_eq!(node.restarts.load(Ordering::SeqCst), 1, "{self:?}");
        all
    }
}

/// Confirms the question, and gives its text.
async fn confirm(assistant: &Assistant, id: ConfirmationId) -> String {
    let owner = Caller::owner();
    let asked = assistant.pending(&owner).into_iter().find(|question| question.id == id);
    let question = asked.expect("the owner is asked");
    assistant.shown(&owner, id, &question.digest).expect("is shown");
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(700)).await;
    tokio::time::resume();
    assistant.confirm(&owner, id, &question.digest, Decision::Confirm).await.expect("is done");
    format!("confirmed: {}", question.text)
}

#[tokio::test]
async fn the_same_conversation_through_every_backend() {
    let ollama = Vendor::Ollama.events().await;
    insta::assert_debug_snapshot!(ollama);
    assert_eq!(Vendor::OpenAi.events().await, ollama);
    assert_eq!(Vendor::Claude.events().await, ollama);
}
