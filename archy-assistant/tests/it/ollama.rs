//! The Ollama backend against a server that plays each of its ways to answer, and not to.

use std::time::Duration;

use archy_assistant::{
    Ability, Backend, BackendError, BackendFault, BadEndpoint, Categories, Category, Deadlines, EndReason,
    Installed, Locality, Ollama, Probe, ReplyEvent, Usage,
};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};

use crate::raw_server::{Asked, RawServer, beside};
use crate::replies::{SHORT, all, class, next, patient, request, text};

const CAN_CALL: &str = r#"{"capabilities":["completion","tools"],"model_info":{"x.context_length":8192}}"#;
fn ollama(server: &RawServer, deadlines: Deadlines) -> Ollama {
    Ollama::new(&server.url(), "m:8b", Locality::OnNode).expect("a URL").with_deadlines(deadlines)
}

/// Plays the probe, and says that the model can do `show`.
async fn play_probe(server: &RawServer, show: &str) {
    let mut asked = server.next().await;
    assert_eq!((&*asked.line, &asked.body), ("POST /api/show", &json!({ "model": "m:8b" })));
    asked.answer("200 OK", show).await;
    let mut asked = server.next().await;
    assert_eq!(asked.line, "GET /api/version");
    asked.answer("200 OK", r#"{"version":"0.12.10"}"#).await;
}

async fn play_load(server: &RawServer) {
    let mut asked = server.next().await;
    assert_eq!((&*asked.line, &asked.body["messages"]), ("POST /api/chat", &json!([])));
    asked.answer("200 OK", r#"{"done":true,"done_reason":"load"}"#).await;
}

/// Plays all that comes before the chat, and gives the chat.
async fn play_until_chat(server: &RawServer) -> Asked {
    play_probe(server, CAN_CALL).await;
    play_load(server).await;
    let asked = server.next().await;
    assert_eq!(asked.line, "POST /api/chat");
    asked
}

#[tokio::test]
async fn a_reply_with_text_and_a_call_in_packets_of_one_byte() {
    let server = RawServer::new().await;
    let ollama = ollama(&server, patient());
    let play = async {
        let mut chat = play_until_chat(&server).await;
        assert_eq!(chat.body["tools"][0]["function"]["name"], "disk_status");
        assert_eq!(chat.body["options"]["num_ctx"], 8192, "no more than it was trained for");
        assert_eq!(chat.body.get("think"), None);
        let body: Value = serde_json::from_slice(&ollama.body(&request())).expect("a body is JSON");
        assert_eq!(chat.body, body, "what is sent is what can be looked at");
        chat.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
        let lines = "{\"message\":{\"content\":\"Größe\"},\"done\":false}\n\
            {\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"disk_status\",\"arguments\":{}}}]}}\n\
            {\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":26,\"eval_count\":7}\n";
        for byte in lines.as_bytes() {
            chat.send([b"1\r\n", &[*byte][..], b"\r\n"].concat()).await;
        }
        chat.until_closed().await;
    };
    let events = beside(play, all(ollama.reply(request()))).await;
    let want = vec![
        Ok(text("Größe")),
        Ok(ReplyEvent::Call { tool: "disk_status".to_owned(), args: "{}".to_owned() }),
        Ok(ReplyEvent::Usage(Usage { input: Some(26), output: Some(7) })),
        Ok(ReplyEvent::End(EndReason::Complete)),
    ];
    assert_eq!(events, want);
}

#[tokio::test]
async fn what_was_learned_is_kept_for_the_next_reply() {
    let server = RawServer::new().await;
    let ollama = ollama(&server, patient());
    let show = r#"{"capabilities":["tools","thinking"]}"#;
    let said = |text: &str| format!("{{\"message\":{{\"content\":\"{text}\"}}}}\n");
    let done = "{\"done\":true}\n";
    let play = async {
        play_probe(&server, show).await;
        play_load(&server).await;
        let mut chat = server.next().await;
        assert_eq!(chat.body["think"], false);
        chat.begin().await;
        chat.send(said("Well ") + &said("thought</think>Hi") + done).await;
        // No second probe. This time it is known that it thinks aloud, and thoughts that a limit cut are not shown.
        play_load(&server).await;
        let mut chat = server.next().await;
        chat.begin().await;
        chat.send(said("Well ") + "{\"done\":true,\"done_reason\":\"length\"}\n").await;
    };
    let replies = async {
        let first = all(ollama.reply(request())).await;
        (first, all(ollama.reply(request())).await)
    };
    let (first, second) = beside(play, replies).await;
    let end = |reason| [Ok(ReplyEvent::Usage(Usage::default())), Ok(ReplyEvent::End(reason))];
    assert_eq!(first, [vec![Ok(text("Hi"))], end(EndReason::Complete).into()].concat());
    assert_eq!(second, end(EndReason::Length));
}

#[tokio::test]
async fn an_error_in_the_middle_ends_the_reply() {
    let server = RawServer::new().await;
    let ollama = ollama(&server, patient());
    let play = async {
        let mut chat = play_until_chat(&server).await;
        chat.begin().await;
        chat.send("{\"message\":{\"content\":\"Hi\"}}\n{\"error\":\"it broke\"}\n{\"done\":true}\n").await;
        chat.until_closed().await;
    };
    let events = beside(play, all(ollama.reply(request()))).await;
    let error = BackendError { class: BackendFault::ModelFault, detail: "it broke".to_owned() };
    assert_eq!(events, [Ok(text("Hi")), Err(error)]);
}

#[tokio::test]
async fn a_connection_that_is_cut_is_no_end() {
    for head in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1f\r\n",
        "",
    ] {
        let server = RawServer::new().await;
        let ollama = ollama(&server, patient());
        let play = async {
            let mut chat = play_until_chat(&server).await;
            chat.send(head).await;
            if !head.is_empty() {
                chat.send("{\"message\":{\"content\":\"Hi\"}}\n{\"").await;
            }
        };
        let mut events = beside(play, all(ollama.reply(request()))).await;
        let last = events.pop().expect("something came").expect_err("it was cut");
        assert_eq!(last.class, BackendFault::Broken, "{head:?}: {last:?}");
        assert_eq!(events, if head.is_empty() { vec![] } else { vec![Ok(text("Hi"))] }, "{head:?}");
    }
}

#[tokio::test]
async fn each_silence_has_its_own_deadline() {
    // Until there is a connection: one waits to be accepted, and there is room for no more.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let full = socket.listen(0).expect("a listener");
    let address = full.local_addr().expect("it is bound");
    let _waits = TcpStream::connect(address).await.expect("the only place");
    let url = format!("http://{address}");
    let knocking = Ollama::new(&url, "m:8b", Locality::OnNode).expect("a URL");
    let knocking = knocking.with_deadlines(Deadlines { connect: SHORT, ..patient() });
    assert_eq!(class(knocking.reply(request())).await, BackendFault::Unreachable);

    // Until the model is loaded.
    let server = RawServer::new().await;
    let loading = ollama(&server, Deadlines { load: SHORT, ..patient() });
    let play = async {
        play_probe(&server, CAN_CALL).await;
        server.next().await.until_closed().await;
    };
    assert_eq!(beside(play, class(loading.reply(request()))).await, BackendFault::Unreachable);

    // Until the reply begins: before its head, and after it.
    for begins in [false, true] {
        let server = RawServer::new().await;
        let waiting = ollama(&server, Deadlines { first: SHORT, ..patient() });
        let play = async {
            let mut chat = play_until_chat(&server).await;
            if begins {
                chat.begin().await;
            }
            chat.until_closed().await;
        };
        assert_eq!(
            beside(play, class(waiting.reply(request()))).await,
            BackendFault::Unreachable,
            "{begins}"
        );
    }

    // In the middle, however much was said before.
    let server = RawServer::new().await;
    let silent = ollama(&server, Deadlines { silence: SHORT, ..patient() });
    let play = async {
        let mut chat = play_until_chat(&server).await;
        chat.begin().await;
        chat.send("{\"message\":{\"content\":\"Hi\"}}\n").await;
        chat.until_closed().await;
    };
    let events = beside(play, all(silent.reply(request()))).await;
    assert_eq!(events[0], Ok(text("Hi")));
    assert_eq!(events[1].as_ref().expect_err("it fell silent").class, BackendFault::Broken);
    assert_eq!(events.len(), 2);
}

#[tokio::test]
async fn a_refusal_has_its_class() {
    for (status, body, class) in [
        ("404 Not Found", r#"{"error":"model 'm:8b' not found"}"#, BackendFault::Unsuitable),
        ("400 Bad Request", r#"{"error":"m:8b does not support tools"}"#, BackendFault::Unsuitable),
        (
            "400 Bad Request",
            r#"{"error":"request (9000 tokens) exceeds the available context size (8192 tokens)"}"#,
            BackendFault::TooLong,
        ),
        (
            "503 Service Unavailable\r\nretry-after: 7",
            r#"{"error":"server busy"}"#,
            BackendFault::Busy(Some(Duration::from_secs(7))),
        ),
        (
            "500 Internal Server Error",
            r#"{"error":"error parsing tool call: raw='{'"}"#,
            BackendFault::ModelFault,
        ),
        ("302 Found\r\nlocation: http://127.0.0.1:1/", "", BackendFault::Broken),
        ("200 OK", "<html>login</html>", BackendFault::Broken),
        ("200 OK", "", BackendFault::Broken),
    ] {
        let server = RawServer::new().await;
        let ollama = ollama(&server, patient());
        let play = async {
            let mut chat = play_until_chat(&server).await;
            chat.answer(status, body).await;
        };
        let events = beside(play, all(ollama.reply(request()))).await;
        assert_eq!(events.len(), 1, "{status} {body}");
        assert_eq!(events[0].as_ref().expect_err("a refusal").class, class, "{status} {body}");
    }
}

#[tokio::test]
async fn a_line_without_end_is_given_up() {
    let server = RawServer::new().await;
    let ollama = ollama(&server, patient());
    let play = async {
        let mut chat = play_until_chat(&server).await;
        chat.begin().await;
        let (mut sent, packet) = (0, vec![b'x'; 1 << 16]);
        while sent < 64 << 20 && chat.try_send(&packet).await {
            sent += packet.len();
        }
        assert!(sent < 64 << 20, "the client read all of it");
    };
    let events = beside(play, all(ollama.reply(request()))).await;
    let error =
        BackendError { class: BackendFault::Broken, detail: "a line of the answer is too long".to_owned() };
    assert_eq!(events, [Err(error)]);
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    // While nothing has come, while it speaks, and while the model is being loaded.
    for step in ["head", "text", "load"] {
        let server = RawServer::new().await;
        let ollama = ollama(&server, patient());
        let (arrived, arrival) = tokio::sync::oneshot::channel();
        let play = async {
            let mut asked = if step == "load" {
                play_probe(&server, CAN_CALL).await;
                server.next().await
            } else {
                play_until_chat(&server).await
            };
            if step == "text" {
                asked.begin().await;
                asked.send("{\"message\":{\"content\":\"Hi\"}}\n").await;
            } else {
                arrived.send(()).expect("the client waits");
            }
            asked.until_closed().await;
        };
        let cancel = async {
            let mut stream = ollama.reply(request());
            if step == "text" {
                assert_eq!(next(&mut stream).await, Some(Ok(text("Hi"))));
            } else {
                tokio::select! {
                    event = next(&mut stream) => panic!("nothing was sent: {event:?}"),
                    _ = arrival => {}
                }
            }
            drop(stream);
        };
        beside(play, cancel).await;
    }
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let url = RawServer::new().await.url();
    let ollama = Ollama::new(&url, "m:8b", Locality::OnNode).expect("a URL");
    let error = ollama.probe().await.expect_err("nothing listens");
    assert_eq!(error.class, BackendFault::Unreachable);
    assert!(error.detail.starts_with(&url), "{error:?}");
    assert_eq!(Ollama::discover(&url).await.expect_err("nothing listens").class, BackendFault::Unreachable);
}

#[tokio::test]
async fn a_missing_model_is_asked_for_again() {
    let server = RawServer::new().await;
    let ollama = ollama(&server, patient());
    let play = async {
        server.next().await.answer("404 Not Found", r#"{"error":"model 'm:8b' not found"}"#).await;
        play_probe(&server, CAN_CALL).await;
    };
    let (missing, found) = beside(play, async { (ollama.probe().await, ollama.probe().await) }).await;
    let error = BackendError {
        class: BackendFault::Unsuitable,
        detail: "`ollama pull m:8b` fetches it; 404: model 'm:8b' not found".to_owned(),
    };
    assert_eq!(missing, Err(error));
    let probe = Probe {
        version: "0.12.10".to_owned(),
        tools: Ability::Yes,
        thinking: Ability::No,
        context: Some(8192),
        cloud: false,
    };
    assert_eq!(found, Ok(probe.clone()));
    assert_eq!(ollama.probe().await, Ok(probe), "remembered: the server answers no more");
}

#[tokio::test]
async fn a_model_without_tools_is_sent_nothing() {
    let server = RawServer::new().await;
    let ollama = ollama(&server, patient());
    let play = play_probe(&server, r#"{"capabilities":["completion"]}"#);
    let events = beside(play, all(ollama.reply(request()))).await;
    let error = BackendError { class: BackendFault::Unsuitable, detail: "m:8b cannot call tools".to_owned() };
    assert_eq!(events, [Err(error)]);
}

#[tokio::test]
async fn a_hidden_cloud_is_remote_and_gets_nothing_that_was_meant_to_stay() {
    let server = RawServer::new().await;
    let cloud = r#"{"capabilities":["tools"],"remote_host":"https://ollama.com:443","remote_model":"x"}"#;
    let here = ollama(&server, patient());
    assert_eq!(here.facts().locality, Locality::OnNode);
    let refused = beside(play_probe(&server, cloud), class(here.reply(request()))).await;
    assert_eq!(refused, BackendFault::Unsuitable);
    assert_eq!(here.facts().locality, Locality::Remote);

    let known = ollama(&server, patient());
    beside(play_probe(&server, cloud), known.probe()).await.expect("a probe");
    assert_eq!(known.facts().locality, Locality::Remote);

    let remote = Ollama::new(&server.url(), "m:8b", Locality::Remote)
        .expect("a URL")
        .with_may_receive(Categories::only(Category::Bitcoin));
    assert_eq!(remote.facts().may_receive, Categories::only(Category::Bitcoin));
    let play = async {
        play_probe(&server, cloud).await;
        // Nothing to load.
        let mut chat = server.next().await;
        assert_eq!(chat.body["messages"][1]["role"], "user");
        chat.answer("200 OK", "{\"message\":{\"content\":\"Hi\"},\"remote_host\":\"x\",\"done\":true}").await;
    };
    assert_eq!(beside(play, all(remote.reply(request()))).await[0], Ok(text("Hi")));

    let named = Ollama::new("http://127.0.0.1:1", "gpt-oss:120b-cloud", Locality::OnNode).expect("a URL");
    assert_eq!(named.facts().locality, Locality::Remote);
}

#[tokio::test]
async fn models_that_call_tools_are_found() {
    let server = RawServer::new().await;
    let tags = json!({ "models": [
        { "name": "small", "size": 1, "capabilities": ["tools"] },
        { "name": "eyes", "size": 9, "capabilities": ["vision"] },
        { "name": "m:8b", "size": 5, "details": { "parameter_size": "8.2B" } },
    ]});
    let play = async {
        let mut asked = server.next().await;
        assert_eq!(asked.line, "GET /api/tags");
        asked.answer("200 OK", &tags.to_string()).await;
        let mut asked = server.next().await;
        assert_eq!((&*asked.line, &asked.body), ("POST /api/show", &json!({ "model": "m:8b" })));
        asked.answer("200 OK", CAN_CALL).await;
    };
    let found = beside(play, Ollama::discover(&server.url())).await.expect("a list");
    let model = |name: &str, size, parameters: &str| Installed {
        name: name.to_owned(),
        size,
        parameters: parameters.to_owned(),
        cloud: false,
    };
    assert_eq!(found, [model("m:8b", 5, "8.2B"), model("small", 1, "")]);
}

#[tokio::test]
async fn a_proxy_is_given_the_name_and_no_address() {
    let proxy = RawServer::new().await;
    let socks = proxy.url().replace("http://", "socks5h://");
    let new = || Ollama::new("http://abc.onion:81", "m:8b", Locality::OwnNetwork).expect("a URL");
    assert_eq!(new().with_socks("socks5://127.0.0.1:9050").map(|_| ()), Err(BadEndpoint::NotSocks));
    let ollama = new().with_socks(&socks).expect("a proxy");
    let play = async {
        let list = r#"{"models":[{"name":"m:8b","size":5,"capabilities":["completion"]}]}"#;
        let lines = "HTTP/1.1 200 OK\r\n\r\n{\"message\":{\"content\":\"Hi.\"},\"done\":false}\n\
                     {\"done\":true,\"done_reason\":\"stop\"}\n";
        for (line, answer) in [
            ("GET /api/tags", list),
            ("POST /api/show", CAN_CALL),
            ("GET /api/version", "{}"),
            ("POST /api/chat", r#"{"done":true,"done_reason":"load"}"#),
            ("POST /api/chat", ""),
        ] {
            let (mut asked, name, port) = proxy.next_through_socks().await;
            assert_eq!((&*asked.line, &*name, port), (line, "abc.onion", 81));
            if answer.is_empty() { asked.send(lines).await } else { asked.answer("200 OK", answer).await }
        }
    };
    let both = async { (ollama.models().await, all(ollama.reply(request())).await) };
    let (models, reply) = beside(play, both).await;
    let installed = Installed { name: "m:8b".to_owned(), size: 5, parameters: String::new(), cloud: false };
    assert_eq!(models, Ok(vec![(installed, Ability::No)]));
    let usage = ReplyEvent::Usage(Usage::default());
    assert_eq!(reply, [Ok(text("Hi.")), Ok(usage), Ok(ReplyEvent::End(EndReason::Complete))]);
}

#[test]
fn only_plain_addresses_are_taken() {
    let new = |url: &str| Ollama::new(url, "m", Locality::OnNode).map(|_| ());
    for (url, want) in [
        ("http://127.0.0.1:11434", Ok(())),
        ("http://[::1]:11434/", Ok(())),
        ("https://node.local/ollama", Ok(())),
        ("127.0.0.1:11434", Err(BadEndpoint::NotHttp)),
        ("ftp://node.local", Err(BadEndpoint::NotHttp)),
        ("file:///etc/passwd", Err(BadEndpoint::NotHttp)),
        ("http://", Err(BadEndpoint::NotHttp)),
        ("http://me@node.local", Err(BadEndpoint::UserInfo)),
        ("http://:secret@node.local", Err(BadEndpoint::UserInfo)),
        ("http://node.local/?key=secret", Err(BadEndpoint::Query)),
        ("http://node.local/#x", Err(BadEndpoint::Query)),
    ] {
        assert_eq!(new(url), want, "{url}");
    }
}

#[tokio::test]
async fn a_path_before_the_api_is_kept() {
    let server = RawServer::new().await;
    let ollama = Ollama::new(&format!("{}/ollama", server.url()), "m:8b", Locality::OnNode).expect("a URL");
    let play = async {
        let mut asked = server.next().await;
        assert_eq!(asked.line, "POST /ollama/api/show");
        asked.answer("500 Internal Server Error", "").await;
    };
    assert_eq!(beside(play, ollama.probe()).await.expect_err("a refusal").class, BackendFault::ModelFault);
}
