//! A daemon's own server on loopback, with the methods merged into its own and a session by header.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use archy_assistant::{Assistant, Caller, Scripted};
use archy_jsonrpc::{METHODS, UNAUTHENTICATED_METHODS, module};
use archy_wire::{Code, Fault, Numbered};
use jsonrpsee::core::client::{ClientT, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::{ArrayParams, BatchRequestBuilder, ObjectParams};
use jsonrpsee::core::{ClientError, RegisterMethodError};
use jsonrpsee::http_client::{HttpClient, HttpClientBuilder};
use jsonrpsee::server::{Server, ServerHandle};
use jsonrpsee::ws_client::{WsClient, WsClientBuilder};
use jsonrpsee::{Extensions, RpcModule};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::house::{House, dark};

/// What the daemon's transport knows of a request.
#[derive(Clone)]
enum Session {
    Owner,
    /// Somebody whom the daemon's roles let read, and nothing else.
    Guest,
}

/// The daemon's word: who it is, and its roles by method.
fn caller(extensions: &Extensions, method: &str) -> Result<Caller, Fault> {
    match extensions.get::<Session>() {
        Some(Session::Owner) => Ok(Caller::owner()),
        Some(Session::Guest) if method == "assistant.history" => Ok(Caller::owner()),
        Some(Session::Guest) => Err(Fault::new(Code::Forbidden, "your role does not let you do that")),
        None => Err(Fault::new(Code::Unauthenticated, "log in first")),
    }
}

/// A daemon that has a method of its own.
fn daemon(assistant: &Assistant) -> RpcModule<()> {
    let mut daemon = RpcModule::new(());
    daemon.register_method("content.list", |_, (), _| "the daemon's own").expect("it is new");
    daemon
        .merge(module(assistant.clone(), "assistant", caller).expect("its names differ"))
        .expect("they are new");
    daemon
}

/// Puts the session of the `x-session` header where the methods find it.
fn with_session<B>(mut request: http::Request<B>) -> http::Request<B> {
    let session = match request.headers().get("x-session").and_then(|session| session.to_str().ok()) {
        Some("owner") => Some(Session::Owner),
        Some("guest") => Some(Session::Guest),
        _ => None,
    };
    session.map(|session| request.extensions_mut().insert(session));
    request
}

async fn serve(assistant: &Assistant) -> (SocketAddr, ServerHandle) {
    let sessions = tower::ServiceBuilder::new().map_request(with_session);
    let server =
        Server::builder().set_http_middleware(sessions).build("127.0.0.1:0").await.expect("a free port");
    let address = server.local_addr().expect("it is bound");
    (address, server.start(daemon(assistant)))
}

fn http(address: SocketAddr, session: &str) -> HttpClient {
    let headers = http::HeaderMap::from_iter([(
        http::HeaderName::from_static("x-session"),
        http::HeaderValue::from_str(session).expect("a header"),
    )]);
    HttpClientBuilder::default().set_headers(headers).build(format!("http://{address}")).expect("a client")
}

async fn ws(address: SocketAddr, session: &str) -> WsClient {
    let headers = http::HeaderMap::from_iter([(
        http::HeaderName::from_static("x-session"),
        http::HeaderValue::from_str(session).expect("a header"),
    )]);
    WsClientBuilder::default().set_headers(headers).build(format!("ws://{address}")).await.expect("a client")
}

fn params(value: &Value) -> ObjectParams {
    let mut params = ObjectParams::new();
    for (name, value) in value.as_object().expect("an object") {
        params.insert(name, value).expect("JSON");
    }
    params
}

fn number(error: &ClientError) -> i32 {
    match error {
        ClientError::Call(error) => error.code(),
        other => panic!("not the server's word: {other}"),
    }
}

#[tokio::test]
async fn no_method_answers_whom_the_host_does_not_know_by_whatever_way() {
    assert_eq!(UNAUTHENTICATED_METHODS, [""; 0]);
    let house = House::new(dark()).await;
    let (address, server) = serve(&house.assistant).await;
    let (over_http, over_ws) = (http(address, "nobody"), ws(address, "nobody").await);
    let said = json!({ "text": "make the theme dark" });
    for method in METHODS {
        let method = format!("assistant.{method}");
        for answer in [
            over_http.request::<Value, _>(&method, params(&said)).await,
            over_ws.request::<Value, _>(&method, params(&said)).await,
            over_http.request::<Value, _>(&method, ArrayParams::new()).await,
        ] {
            assert_eq!(number(&answer.expect_err(&method)), Code::Unauthenticated.number(), "{method}");
        }
    }
    let mut batch = BatchRequestBuilder::new();
    let names = METHODS.map(|method| format!("assistant.{method}"));
    for name in &names {
        batch.insert(name, params(&said)).expect("JSON");
    }
    let answers = over_http.batch_request::<Value>(batch).await.expect("each has its answer");
    assert_eq!((answers.num_successful_calls(), answers.num_failed_calls()), (0, METHODS.len()));
    over_http.notification("assistant.chat", params(&said)).await.expect("it is sent");
    over_ws.notification("assistant.chat", params(&said)).await.expect("it is sent");
    let listened: Result<Subscription<Value>, _> =
        over_ws.subscribe("assistant.listen", params(&json!({ "turn": "x" })), "assistant.unlisten").await;
    assert_eq!(number(&listened.expect_err("nobody")), Code::Unauthenticated.number());
    let there = over_http.request::<String, _>("content.list", ArrayParams::new()).await;
    assert_eq!(there.expect("the daemon's own"), "the daemon's own");
    assert_eq!(house.call("history", json!({ "do": "list" })).await, Ok(json!({ "conversations": [] })));
    server.stop().expect("it runs");
}

#[tokio::test]
async fn the_hosts_roles_come_before_what_is_open() {
    let house = House::new([]).await;
    let (address, server) = serve(&house.assistant).await;
    let guest = http(address, "guest");
    let listed = guest.request::<Value, _>("assistant.history", params(&json!({ "do": "list" }))).await;
    assert_eq!(listed.expect("its role lets it"), json!({ "conversations": [] }));
    let refused = guest.request::<Value, _>("assistant.chat", params(&json!({ "text": "hi" }))).await;
    assert_eq!(number(&refused.expect_err("its role does not")), Code::Forbidden.number());
    server.stop().expect("it runs");
}

#[tokio::test]
async fn a_websocket_is_told_the_same_as_whoever_polls() {
    let house = House::new([Scripted::says("Good morning.")]).await;
    let (address, server) = serve(&house.assistant).await;
    let client = ws(address, "owner").await;
    let began: Value =
        client.request("assistant.chat", params(&json!({ "text": "hi" }))).await.expect("it is taken");
    let turn = began["turn"].as_str().expect("an id");
    for after in [None, Some(1)] {
        let asked = params(&json!({ "turn": turn, "after": after }));
        let mut listening: Subscription<Numbered> =
            client.subscribe("assistant.listen", asked, "assistant.unlisten").await.expect("it may listen");
        let polled = house.events(turn).await;
        let wanted = &polled[after.map_or(0, |after: usize| after + 1)..];
        for event in wanted {
            assert_eq!(&listening.next().await.expect("an event").expect("it is one"), event);
        }
    }
    server.stop().expect("it runs");
}

#[tokio::test]
async fn who_leaves_after_a_yes_leaves_the_effect_to_its_end() {
    let house = House::that_waits(dark()).await;
    let (address, server) = serve(&house.assistant).await;
    let client = http(address, "owner");
    let said = params(&json!({ "text": "make the theme dark" }));
    let began: Value = client.request("assistant.chat", said).await.expect("it is taken");
    let question = house.question().await;
    let shown = params(&json!({ "id": question.id, "digest": question.digest }));
    client.request::<Value, _>("assistant.confirm-shown", shown).await.expect("it waits");
    tokio::time::sleep(Duration::from_millis(750)).await;
    let yes = params(&json!({ "id": question.id, "digest": question.digest, "decision": "confirm" }));
    tokio::select! {
        answer = client.request::<Value, _>("assistant.confirm-tool", yes) => panic!("too early: {answer:?}"),
        () = house.host.begun.notified() => drop(client),
    }
    house.host.go_on.as_ref().expect("it waits").notify_one();
    house.events(began["turn"].as_str().expect("an id")).await;
    assert_eq!(house.host.changed.load(SeqCst), 1);
    server.stop().expect("it runs");
}

#[tokio::test]
async fn a_thousand_answers_at_once_run_it_once() {
    let house = House::new(dark()).await;
    let (address, server) = serve(&house.assistant).await;
    let client = ws(address, "owner").await;
    let said = params(&json!({ "text": "make the theme dark" }));
    client.request::<Value, _>("assistant.chat", said).await.expect("it is taken");
    let question = house.question().await;
    let shown = params(&json!({ "id": question.id, "digest": question.digest }));
    client.request::<Value, _>("assistant.confirm-shown", shown).await.expect("it waits");
    tokio::time::sleep(Duration::from_millis(750)).await;
    let mut clients = Vec::new();
    for _ in 0..10 {
        clients.push(Arc::new(ws(address, "owner").await));
    }
    let mut answers = JoinSet::new();
    for number in 0..1000 {
        let client = Arc::clone(&clients[number % clients.len()]);
        let yes = json!({ "id": question.id, "digest": question.digest, "decision": "confirm" });
        answers
            .spawn(async move { client.request::<Value, _>("assistant.confirm-tool", params(&yes)).await });
    }
    let mut done = 0;
    while let Some(told) = answers.join_next().await {
        let told = told.expect("nobody panicked").expect("each has its answer");
        assert_eq!(told["outcome"], "done", "{told:?}");
        done += 1;
    }
    assert_eq!((done, house.host.changed.load(SeqCst)), (1000, 1));
    server.stop().expect("it runs");
}

#[tokio::test]
async fn a_name_that_the_daemon_has_already_refuses_the_merge_and_another_namespace_does_not() {
    let house = House::new([]).await;
    let mut daemon = RpcModule::new(());
    daemon.register_method("assistant.history", |_, (), _| "the daemon's own").expect("it is new");
    let same = module(house.assistant.clone(), "assistant", caller).expect("its names differ");
    let refused = daemon.merge(same).expect_err("one name is there");
    assert!(matches!(refused, RegisterMethodError::AlreadyRegistered(name) if name == "assistant.history"));
    assert_eq!(
        daemon.method_names().collect::<Vec<_>>(),
        ["assistant.history"],
        "nothing was merged by half"
    );
    daemon
        .merge(module(house.assistant.clone(), "archy", caller).expect("its names differ"))
        .expect("they are new");
    let mut names: Vec<&str> = daemon.method_names().filter(|name| name.starts_with("archy.")).collect();
    names.sort_unstable();
    let mut wanted: Vec<String> =
        METHODS.iter().chain(&["listen", "unlisten"]).map(|name| format!("archy.{name}")).collect();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
}
