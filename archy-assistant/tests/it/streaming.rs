//! The backends that stream events, each against a server that plays its ways to answer, and not to.

use std::sync::Arc;
use std::time::Duration;

use archy_assistant::*;
use serde_json::{Value, json};

use crate::raw_server::{Asked, RawServer, beside};
use crate::replies::{Events, SHORT, all, class, next, patient, request, text};

const CANARY: &str = "sk-canary-0123456789abcdef";
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// A vendor as the tests play it.
#[derive(Clone, Copy)]
struct Vendor {
    name: &'static str,
    line: &'static str,
    /// The key's header.
    key: &'static str,
    /// The event that says `Größe`.
    says: &'static str,
    /// The events that call `disk_status`.
    calls: &'static str,
    /// The events of the end, with 26 and 7 tokens.
    ends: &'static str,
    /// The end announced, and no more.
    announces: &'static str,
    /// An error event whose words are `it broke`.
    breaks: &'static str,
    /// The words, the call and the end as one answer.
    whole: &'static str,
}

const CLAUDE: Vendor = Vendor {
    name: "claude m:8b",
    line: "POST /v1/messages",
    key: "x-api-key: sk-canary-0123456789abcdef",
    says: "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Größe\"}}\n\n",
    calls: "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"disk_status\",\"input\":{}}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
    ends: "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"input_tokens\":26,\"output_tokens\":7}}\n\n\
        event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    announces: "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"input_tokens\":26,\"output_tokens\":7}}\n\n",
    breaks: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"it broke\"}}\n\n",
    whole: r#"{"type":"message","content":[{"type":"text","text":"Größe"},
        {"type":"tool_use","id":"t","name":"disk_status","input":{}}],
        "stop_reason":"tool_use","usage":{"input_tokens":26,"output_tokens":7}}"#,
};

const OPENAI: Vendor = Vendor {
    name: "openai m:8b",
    line: "POST /v1/chat/completions",
    key: "authorization: Bearer sk-canary-0123456789abcdef",
    says: "data: {\"choices\":[{\"delta\":{\"content\":\"Größe\"},\"finish_reason\":null}]}\n\n",
    calls: "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"disk_status\",\"arguments\":\"\"}}]}}]}\n\n",
    ends: "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":26,\"completion_tokens\":7}}\n\ndata: [DONE]\n\n",
    announces: "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":26,\"completion_tokens\":7}}\n\n",
    breaks: "data: {\"error\":{\"message\":\"it broke\",\"type\":\"server_error\"}}\n\n",
    whole: r#"{"choices":[{"message":{"content":"Größe","tool_calls":[{"id":"a",
        "function":{"name":"disk_status","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":26,"completion_tokens":7}}"#,
};

const BOTH: [Vendor; 2] = [CLAUDE, OPENAI];

fn openai(url: &str) -> OpenAi {
    OpenAi::new(&format!("{url}/v1"), "m:8b", Locality::Remote).expect("a URL")
}

fn end(before: &[ReplyEvent], reason: EndReason) -> Events {
    let usage = ReplyEvent::Usage(Usage { input: Some(26), output: Some(7) });
    before.iter().cloned().chain([usage, ReplyEvent::End(reason)]).map(Ok).collect()
}

fn said_and_called() -> Events {
    let call = ReplyEvent::Call { tool: "disk_status".to_owned(), args: "{}".to_owned() };
    end(&[text("Größe"), call], EndReason::Complete)
}

impl Vendor {
    fn is_claude(&self) -> bool {
        self.name.starts_with("claude")
    }

    fn at(&self, url: &str, deadlines: Deadlines) -> Box<dyn Backend> {
        let key = Secret::new(CANARY);
        if self.is_claude() {
            let claude = Claude::new(key, "m:8b").with_url(url).expect("a URL");
            return Box::new(claude.with_deadlines(deadlines));
        }
        Box::new(openai(url).with_key(key).with_deadlines(deadlines))
    }

    fn stream(&self) -> String {
        [self.says, self.calls, self.ends].concat()
    }

    async fn asked(&self, server: &RawServer) -> Asked {
        let asked = server.next().await;
        assert_eq!(asked.line, self.line);
        asked
    }

    /// The events of a reply to which the server says this, and then hangs up.
    async fn to(&self, said: impl AsRef<[u8]>) -> Events {
        let server = RawServer::new().await;
        let play = async { self.asked(&server).await.send(said).await };
        beside(play, all(self.at(&server.url(), patient()).reply(request()))).await
    }

    async fn error(&self, said: impl AsRef<[u8]>) -> BackendError {
        self.to(said).await.pop().expect("something came").expect_err("an error")
    }
}

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn a_reply_with_text_and_a_call_in_packets_of_one_byte() {
    for vendor in BOTH {
        let server = RawServer::new().await;
        let backend = vendor.at(&server.url(), patient());
        let facts = BackendFacts {
            name: vendor.name.to_owned(),
            locality: Locality::Remote,
            mind: Mind::Model,
            may_receive: Categories::NONE,
        };
        assert_eq!(backend.facts(), facts);
        let play = async {
            let mut asked = vendor.asked(&server).await;
            assert!(asked.head.lines().any(|line| line == vendor.key), "{}", asked.head);
            assert_eq!(asked.body["stream"], true);
            let body = if vendor.is_claude() {
                assert!(asked.head.contains("anthropic-version: 2023-06-01"), "{}", asked.head);
                Claude::new(Secret::new(""), "m:8b").body(&request())
            } else {
                openai(&server.url()).body(&request())
            };
            let body: Value = serde_json::from_slice(&body).expect("a body is JSON");
            assert_eq!(asked.body, body, "what is sent is what can be looked at");
            asked.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
            for byte in vendor.stream().as_bytes() {
                asked.send([b"1\r\n", &[*byte][..], b"\r\n"].concat()).await;
            }
            asked.until_closed().await;
        };
        let events = beside(play, all(backend.reply(request()))).await;
        assert_eq!(events, said_and_called(), "{}", vendor.name);
    }
}

#[tokio::test]
async fn no_header_and_no_form_of_an_answer_is_relied_on() {
    for vendor in BOTH {
        let plain = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n".to_owned();
        let open = vendor.stream();
        assert_eq!(vendor.to(plain + open.trim_end()).await, said_and_called(), "{}", vendor.name);
        let whole = vendor.to(answer("200 OK", vendor.whole)).await;
        assert_eq!(whole, said_and_called(), "{}", vendor.name);
        let keeps_on = format!("{HEAD}: ping\n\n{}: ping\n\n{}", vendor.says, vendor.announces);
        assert_eq!(vendor.to(keeps_on).await, end(&[text("Größe")], EndReason::Complete));
    }
}

#[tokio::test]
async fn an_error_in_the_middle_ends_the_reply() {
    for vendor in BOTH {
        let stream = [HEAD, vendor.says, vendor.calls, vendor.announces, vendor.breaks, vendor.ends].concat();
        let error = BackendError { class: BackendFault::ModelFault, detail: "it broke".to_owned() };
        assert_eq!(vendor.to(stream).await, [Ok(text("Größe")), Err(error)], "{}", vendor.name);
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_no_end() {
    for vendor in BOTH {
        for head in [
            HEAD,
            "HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfff\r\n",
        ] {
            let mut events = vendor.to([head, vendor.says, vendor.calls].concat()).await;
            let last = events.pop().expect("something came").expect_err("it was cut");
            assert_eq!(last.class, BackendFault::Broken, "{head:?}: {last:?}");
            assert_eq!(events, [Ok(text("Größe"))], "{head:?}");
        }
        assert_eq!(vendor.error("").await.class, BackendFault::Broken);
    }
}

#[tokio::test]
async fn each_silence_has_its_own_deadline() {
    for vendor in BOTH {
        for begins in [false, true] {
            let server = RawServer::new().await;
            let waiting = vendor.at(&server.url(), Deadlines { first: SHORT, ..patient() });
            let play = async {
                let mut asked = vendor.asked(&server).await;
                if begins {
                    asked.send(HEAD).await;
                }
                asked.until_closed().await;
            };
            let class = beside(play, class(waiting.reply(request()))).await;
            assert_eq!(class, BackendFault::Unreachable, "{} {begins}", vendor.name);
        }
        // In the middle it is broken; once the end was announced nothing is missing.
        for said in ["", vendor.announces] {
            let server = RawServer::new().await;
            let silent = vendor.at(&server.url(), Deadlines { silence: SHORT, ..patient() });
            let play = async {
                let mut asked = vendor.asked(&server).await;
                asked.send([HEAD, vendor.says, said].concat()).await;
                asked.until_closed().await;
            };
            let events = beside(play, all(silent.reply(request()))).await;
            if said.is_empty() {
                assert_eq!(events[0], Ok(text("Größe")));
                assert_eq!(events[1].as_ref().expect_err("it fell silent").class, BackendFault::Broken);
            } else {
                assert_eq!(events, end(&[text("Größe")], EndReason::Complete), "{}", vendor.name);
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_has_its_class_and_words_that_say_what_to_do() {
    let seven = Some(Duration::from_secs(7));
    for vendor in BOTH {
        let of = |kind: &str, message: &str| {
            json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string()
        };
        for (status, body, class, says) in [
            ("401 Unauthorized", of("authentication_error", "no"), BackendFault::Refused, "is the key right"),
            (
                "404 Not Found",
                of("not_found_error", "model: x not found"),
                BackendFault::Unsuitable,
                "is m:8b ",
            ),
            ("404 Not Found", "404 page not found".to_owned(), BackendFault::Broken, "is the address right?"),
            ("429 Busy\r\nretry-after: 7.0", of("x", "slow"), BackendFault::Busy(seven), "429: slow"),
            ("529 Overloaded\r\nretry-after-ms: 7000", of("x", "y"), BackendFault::Busy(seven), "529: y"),
            ("413 Too Large", "<html>".to_owned(), BackendFault::TooLong, "413: <html>"),
            ("302 Found\r\nlocation: http://127.0.0.1:1/", String::new(), BackendFault::Broken, "302: "),
            ("200 OK", "<html>sign in</html>".to_owned(), BackendFault::Broken, "a web page came, not "),
            ("200 OK", String::new(), BackendFault::Broken, "the reply stopped without its end"),
            (
                "200 OK\r\ncontent-encoding: gzip",
                "\u{1f}\u{8b}x".to_owned(),
                BackendFault::Broken,
                "the reply ",
            ),
        ] {
            let error = vendor.error(answer(status, &body)).await;
            assert_eq!(error.class, class, "{} {status} {body} {error:?}", vendor.name);
            assert!(error.detail.starts_with(says.trim_end()), "{} {status} {error:?}", vendor.name);
        }
    }
}

#[tokio::test]
async fn what_is_too_much_is_given_up() {
    for vendor in BOTH {
        for (line, says) in [
            ("x", "a line of the answer is too long"),
            ("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", "a line of the answer is too long"),
            (": ping\n\n", "the answer is too long"),
            ("{\n", "a line of the answer is too long"),
        ] {
            let server = RawServer::new().await;
            let play = async {
                let mut asked = vendor.asked(&server).await;
                asked.send(HEAD).await;
                let (mut sent, packet) = (0, line.repeat(1 << 16));
                while sent < 96 << 20 && asked.try_send(packet.as_bytes()).await {
                    sent += packet.len();
                }
                assert!(sent < 96 << 20, "the client read all of it");
            };
            let backend = vendor.at(&server.url(), patient());
            let error = BackendError { class: BackendFault::Broken, detail: says.to_owned() };
            assert_eq!(beside(play, all(backend.reply(request()))).await, [Err(error)], "{line:?}");
        }
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    for vendor in BOTH {
        let server = RawServer::new().await;
        let backend = vendor.at(&server.url(), patient());
        let play = async {
            let mut asked = vendor.asked(&server).await;
            asked.send([HEAD, vendor.says].concat()).await;
            asked.until_closed().await;
        };
        let cancel = async {
            let mut stream = backend.reply(request());
            assert_eq!(next(&mut stream).await, Some(Ok(text("Größe"))));
            drop(stream);
        };
        beside(play, cancel).await;
    }
}

#[tokio::test]
async fn a_wrong_address_is_said_in_words() {
    for vendor in BOTH {
        let nobody = RawServer::new().await.url();
        let error = all(vendor.at(&nobody, patient()).reply(request())).await.pop().expect("an error");
        let error = error.expect_err("nothing listens");
        assert_eq!(error.class, BackendFault::Unreachable);
        assert!(error.detail.starts_with(&nobody), "{error:?}");

        // No TLS is spoken there.
        let server = RawServer::new().await;
        let secure = server.url().replace("http://", "https://");
        let play = server.refuse_tls();
        let error = beside(play, all(vendor.at(&secure, patient()).reply(request()))).await;
        let error = error[0].clone().expect_err("no TLS");
        assert_eq!(error.class, BackendFault::Unreachable, "{error:?}");
        assert!(error.detail.ends_with("it does not speak TLS: is it an http:// address?"), "{error:?}");

        // No HTTP is.
        let error = vendor.error("SSH-2.0-OpenSSH_10.0\r\n").await;
        assert_eq!(error.class, BackendFault::Broken, "{error:?}");
        assert!(error.detail.ends_with("is the address right, with http:// or https://?"), "{error:?}");
    }
}

#[tokio::test]
async fn a_key_is_in_its_header_and_nowhere_else() {
    for vendor in BOTH {
        let quoted = |words: &str| json!({ "error": { "message": words, "type": "x" } }).to_string();
        let long = format!("{} {CANARY}", "x".repeat(240));
        for said in [
            answer("401 Unauthorized", &quoted(&format!("no such key: {CANARY}"))),
            answer("401 Unauthorized", &quoted(&long)),
            answer("500 Error", &format!("{CANARY} <html>")),
            answer("200 OK", &format!("<html>{CANARY}")),
            format!("{HEAD}data: {}\n\n", quoted(CANARY)),
            format!("{HEAD}data: {{\"{CANARY}\n\n"),
        ] {
            let error = vendor.error(&said).await;
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
            assert!(error.detail.contains("[key]"), "{error:?}");
        }
    }
    let claude = Claude::new(Secret::new(CANARY), "m");
    let openai = openai("http://127.0.0.1:1").with_key(Secret::new(format!(" {CANARY}\n")));
    assert!(!format!("{claude:?} {openai:?}").contains("canary"));
    assert!(!String::from_utf8_lossy(&claude.body(&request())).contains("canary"));
    assert!(!String::from_utf8_lossy(&openai.body(&request())).contains("canary"));
}

#[tokio::test]
async fn a_proxy_is_given_the_name_and_no_address() {
    let proxy = RawServer::new().await;
    let socks = proxy.url().replace("http://", "socks5h://");
    for vendor in BOTH {
        let backend: Box<dyn Backend> = if vendor.is_claude() {
            let claude =
                Claude::new(Secret::new(CANARY), "m:8b").with_url("http://abc.onion:81").expect("a URL");
            Box::new(claude.with_socks(&socks).expect("a proxy"))
        } else {
            Box::new(openai("http://abc.onion:81").with_socks(&socks).expect("a proxy"))
        };
        let play = async {
            let (mut asked, name, port) = proxy.next_through_socks().await;
            assert_eq!((&*asked.line, &*name, port), (vendor.line, "abc.onion", 81));
            asked.send([HEAD, &vendor.stream()].concat()).await;
        };
        assert_eq!(beside(play, all(backend.reply(request()))).await, said_and_called());
    }
}

#[test]
fn two_servers_with_one_model_are_told_apart_by_their_names() {
    let opened = |backends: [Arc<dyn Backend>; 2]| {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        Assistant::builder(backends, Toolbox::new(), grants).with_store(store).open().map(|_| ())
    };
    let [one, other] = ["http://127.0.0.1:1", "http://127.0.0.1:2"].map(openai);
    let refused = opened([Arc::new(one.clone()), Arc::new(other.clone())]);
    assert!(matches!(refused, Err(OpenError::SameName(name)) if name.as_str() == "openai m:8b"));
    let (one, other) = (one.with_name("attic m:8b"), other.with_name("cellar m:8b"));
    let names = [one.facts().name, other.facts().name];
    assert_eq!(names, ["attic m:8b", "cellar m:8b"]);
    assert!(opened([Arc::new(one), Arc::new(other)]).is_ok());

    let key = || Secret::new(CANARY);
    let (claude, ollama) =
        (Claude::new(key(), "m"), Ollama::new("http://a", "m", Locality::OnNode).expect("a URL"));
    let names = [claude.with_name("work").facts().name, ollama.with_name("attic").facts().name];
    assert_eq!(names, ["work", "attic"]);
}

#[tokio::test]
async fn a_field_that_a_server_refuses_by_name_is_left_out_from_then_on() {
    let server = RawServer::new().await;
    let openai = openai(&server.url());
    let play = async {
        let mut asked = OPENAI.asked(&server).await;
        assert_eq!(asked.body["max_tokens"], 4096);
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        asked.answer("400 Bad Request", &json!({ "error": { "message": words } }).to_string()).await;
        for _ in 0..2 {
            let mut asked = OPENAI.asked(&server).await;
            assert_eq!(
                (asked.body.get("max_tokens"), &asked.body["max_completion_tokens"]),
                (None, &json!(4096))
            );
            asked.send([HEAD, &OPENAI.stream()].concat()).await;
        }
    };
    let replies = async { (all(openai.reply(request())).await, all(openai.reply(request())).await) };
    let want = said_and_called();
    assert_eq!(beside(play, replies).await, (want.clone(), want));
}

#[tokio::test]
async fn a_server_at_home_is_asked_one_thing_at_a_time() {
    let server = RawServer::new().await;
    let url = format!("{}/v1", server.url());
    let home = Arc::new(OpenAi::new(&url, "m:8b", Locality::OwnNetwork).expect("a URL"));
    let mut first = home.reply(request());
    let begun = async {
        let mut asked = OPENAI.asked(&server).await;
        asked.send([HEAD, OPENAI.says, OPENAI.calls].concat()).await;
        asked
    };
    // A small model's text is held until it is clear that it is no thought; here the call says so.
    let (mut asked, said) = beside(async {}, async { tokio::join!(begun, next(&mut first)) }).await;
    assert_eq!(said, Some(Ok(text("Größe"))));
    let mut second = home.reply(request());
    let mut third = home.reply(request());
    let early = tokio::select! {
        _ = server.next() => "a second request",
        _ = next(&mut second) => "a second reply",
        _ = next(&mut third) => "a third reply",
        () = tokio::time::sleep(SHORT) => "nothing",
    };
    assert_eq!(early, "nothing");
    drop(second);
    drop(first);
    asked.until_closed().await;
    let play = async { OPENAI.asked(&server).await.send([HEAD, &OPENAI.stream()].concat()).await };
    assert_eq!(beside(play, all(third)).await, said_and_called());
}

#[tokio::test]
async fn the_models_of_a_server_are_listed() {
    let server = RawServer::new().await;
    let openai = openai(&server.url()).with_key(Secret::new(CANARY));
    let play = async {
        let mut asked = server.next().await;
        assert_eq!(asked.line, "GET /v1/models");
        assert!(asked.head.lines().any(|line| line == OPENAI.key), "{}", asked.head);
        let list =
            json!({ "data": [{ "id": "m:8b" }, { "id": "m\u{1b}[31m" }, { "id": "" }, {}, { "id": "b" }] });
        asked.answer("200 OK", &list.to_string()).await;
        server.next().await.answer("401 Unauthorized", &json!({ "error": CANARY }).to_string()).await;
    };
    let (listed, refused) = beside(play, async { (openai.models().await, openai.models().await) }).await;
    assert_eq!(listed, Ok(vec!["m:8b".to_owned(), "b".to_owned()]));
    let detail = "is the key right, and paid for? 401: [key]".to_owned();
    assert_eq!(refused, Err(BackendError { class: BackendFault::Refused, detail }));
}

/// A conversation of so many turns, and what is asked last.
fn long_conversation(turns: usize) -> Arc<Request> {
    let message = |content| Message { label: Label::default(), content };
    let turn = |turn: usize| {
        let answer = Sentence::plain(format!("It is {turn} % full, and there is room enough for all. "));
        let answer = Content::Reply { text: answer, calls: vec![], opaque: vec![] };
        [message(Content::Said(format!("How full was it on day {turn}?"))), message(answer)]
    };
    let last = request();
    let messages = (0..turns).flat_map(turn).chain(last.messages.clone()).collect();
    Arc::new(Request { messages, ..Request::clone(&last) })
}

#[tokio::test]
async fn what_a_server_finds_too_long_is_asked_again_with_fewer_whole_turns() {
    for vendor in BOTH {
        let server = RawServer::new().await;
        let play = async {
            let mut asked = vendor.asked(&server).await;
            let all = asked.body["messages"].as_array().expect("messages").clone();
            asked.send(answer("413 Too Large", "{}")).await;
            let mut asked = vendor.asked(&server).await;
            let fewer = asked.body["messages"].as_array().expect("messages");
            let people = fewer.iter().filter(|message| message["role"] == "user").count();
            let models = fewer.iter().filter(|message| message["role"] == "assistant").count();
            assert!(
                fewer.len() * 3 < all.len() * 2 && people == models + 1,
                "{} of {}",
                fewer.len(),
                all.len()
            );
            assert_eq!(fewer.last(), all.last());
            asked.send([HEAD, &vendor.stream()].concat()).await;
        };
        let reply = vendor.at(&server.url(), patient()).reply(long_conversation(60));
        assert_eq!(beside(play, all(reply)).await, said_and_called(), "{}", vendor.name);
    }
}

#[tokio::test]
async fn a_small_answer_that_has_no_end_is_given_up() {
    let drips = |status: &'static str| async move {
        let server = RawServer::new().await;
        let backend = openai(&server.url()).with_deadlines(Deadlines { silence: SHORT, ..patient() });
        let play = async {
            let mut asked = server.next().await;
            asked.send(format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\r\n")).await;
            while asked.try_send(b" ").await {
                tokio::time::sleep(SHORT / 4).await;
            }
        };
        beside(play, backend.models()).await.expect_err("it has no end")
    };
    assert_eq!(drips("200 OK").await.class, BackendFault::Broken);
    assert_eq!(drips("429 Slow").await.class, BackendFault::Busy(None));
}

/// All texts in the order in which they stand.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(all) => all.values().flat_map(texts).collect(),
        _ => vec![],
    }
}

#[tokio::test]
async fn a_server_that_finds_everything_too_long_is_asked_a_few_times_and_told_nothing_new() {
    for vendor in BOTH {
        let server = RawServer::new().await;
        let backend = vendor.at(&server.url(), patient());
        let mut reply = Box::pin(all(backend.reply(long_conversation(400))));
        let mut asked: Vec<Value> = Vec::new();
        let events = loop {
            tokio::select! {
                events = &mut reply => break events,
                mut next = vendor.asked(&server) => {
                    asked.push(next.body.clone());
                    next.send(answer("413 Too Large", "{}")).await;
                }
            }
        };
        let Err(error) = &events[0] else { panic!("{events:?}") };
        assert_eq!((error.class, events.len()), (BackendFault::TooLong, 1), "{}", vendor.name);
        let bytes: Vec<usize> = asked.iter().map(|body| body.to_string().len()).collect();
        assert_eq!(asked.len(), 4, "{bytes:?}");
        assert!(bytes[1..].iter().sum::<usize>() <= bytes[0] + 4096, "{bytes:?}");
        let first = texts(&asked[0]);
        for less in &asked[1..] {
            assert!(texts(less).iter().all(|text| first.contains(text)), "{}", vendor.name);
        }
    }
}

#[tokio::test]
async fn a_reply_to_a_part_of_the_prompt_has_no_end_so_nothing_of_it_is_run() {
    let cut = OPENAI.stream().replace(r#""prompt_tokens":26"#, r#""prompt_tokens":1024"#);
    let server = RawServer::new().await;
    let play = async { OPENAI.asked(&server).await.send([HEAD, &cut].concat()).await };
    let mut events = beside(play, all(openai(&server.url()).reply(long_conversation(140)))).await;
    let error = events.pop().expect("something came").expect_err("the prompt was cut");
    assert_eq!(error.class, BackendFault::TooLong, "{error:?}");
    assert!(error.detail.starts_with("the server cut the prompt: it read 1024 tokens"), "{error:?}");
    assert!(events.iter().all(|event| !matches!(event, Ok(ReplyEvent::End(_)))), "{events:?}");
}

#[test]
fn an_owners_context_bounds_also_what_a_model_is_given_to_choose_from() {
    let card = ModelCard { follows_schema: true, context: Some(16_384), ..ModelCard::default() };
    let request = long_conversation(140);
    let openai = OpenAi::new("http://127.0.0.1:1", "m", Locality::OnNode).expect("a URL").with_card(card);
    let ollama = Ollama::new("http://127.0.0.1:1", "m", Locality::OnNode).expect("a URL").with_card(card);
    for (whole, bounded) in [
        (openai.clone().with_context(16_384).body(&request), openai.with_context(2048).body(&request)),
        (ollama.clone().with_context(16_384).body(&request), ollama.with_context(2048).body(&request)),
    ] {
        // Three bytes of English and JSON are never less than a token.
        assert!(whole.len() / 3 > 2048 && !bounded.is_empty(), "{} {}", whole.len(), bounded.len());
        assert!(bounded.len() / 3 <= 2048, "{}", String::from_utf8_lossy(&bounded));
    }
}
