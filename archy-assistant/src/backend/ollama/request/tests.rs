use super::*;
use crate::backend::asked::{message, replied, request, result, said};
use crate::backend::choice::{Line, Side};
use crate::{Content, Datum, Message, Outcome};

const SETTINGS: Settings<'static> =
    Settings { model: "qwen3:8b", num_ctx: 16_384, keep_alive: Duration::from_secs(1800), thinks: true };

fn two_calls() -> Vec<Message> {
    let calls = [
        (0, "disk_status", "{}"),
        (1, "app_logs", r#"{"level":"errors","app":"electrs"}"#),
        (2, "app_doctor", "{}"),
    ];
    vec![
        said("How full is the disk, and what ails electrs?"),
        replied("", &calls, &[]),
        result(0, "disk_status", Outcome::Done(Datum::record([("free", Datum::Bytes(1_400_000_000_000))]))),
        result(1, "app_logs", Outcome::Withheld),
        result(2, "app_doctor", Outcome::NotDone("there is no such tool".to_owned())),
        message(Content::Note("answer now, without tools".to_owned())),
    ]
}

fn body(request: &Request, settings: Settings<'_>) -> String {
    let fitted = fitted(request, Room::new(16_384, 3000, None)).expect("it fits");
    String::from_utf8(chat(&fitted, settings, 3000)).expect("JSON is UTF-8")
}

fn sent(request: &Request) -> Value {
    serde_json::from_str(&body(request, SETTINGS)).expect("a body is JSON")
}

#[test]
fn a_first_request() {
    let request = request(vec![said("How full is the disk?")], Calls::Allowed);
    insta::assert_json_snapshot!(sent(&request));
}

#[test]
fn results_an_unknown_tool_and_a_note() {
    insta::assert_json_snapshot!(sent(&request(two_calls(), Calls::Allowed))["messages"]);
}

#[test]
fn without_calls_no_tools_are_sent() {
    let body = sent(&request(two_calls(), Calls::None));
    assert_eq!(body.get("tools"), None);
    assert_eq!(body["messages"], sent(&request(two_calls(), Calls::Allowed))["messages"]);
}

#[test]
fn a_longer_conversation_begins_with_the_same_bytes() {
    let mut messages = two_calls();
    let short = body(&request(messages.clone(), Calls::Allowed), SETTINGS);
    messages.extend([replied("Fine.", &[], &[]), said("And now?")]);
    let long = body(&request(messages, Calls::Allowed), SETTINGS);
    let head = short.strip_suffix("]}").expect("messages are the last field");
    assert!(long.starts_with(head), "{long}");
}

#[test]
fn a_model_is_loaded_with_the_options_of_its_chats() {
    let load: Value = serde_json::from_slice(&load(SETTINGS)).expect("a body is JSON");
    let chat = sent(&request(two_calls(), Calls::Allowed));
    assert_eq!(load["messages"], json!([]));
    for key in ["model", "keep_alive", "truncate", "shift"] {
        assert_eq!(load[key], chat[key], "{key}");
    }
    assert_eq!(load["options"]["num_ctx"], chat["options"]["num_ctx"]);
}

#[test]
fn only_a_thinking_model_is_told_not_to() {
    let request = request(two_calls(), Calls::None);
    assert_eq!(sent(&request)["think"], json!(false));
    let plain: Value = serde_json::from_str(&body(&request, Settings { thinks: false, ..SETTINGS }))
        .expect("a body is JSON");
    assert_eq!(plain.get("think"), None);
}

#[test]
fn arguments_keep_what_a_tree_would_lose() {
    let calls = [(0, "x", r#"{"b":9007199254740993123,"a":1}"#)];
    let messages = vec![replied("", &calls, &[])];
    let body = body(&request(messages, Calls::None), SETTINGS);
    assert!(body.contains(r#""arguments":{"b":9007199254740993123,"a":1}"#), "{body}");
}

#[test]
fn what_is_asked_in_text_is_held_to_its_schema() {
    let lines = vec![Line { side: Side::Person, text: "restart lnd".to_owned() }];
    let schema = json!({ "type": "object" });
    let dialogue = Dialogue { system: "Choose.".to_owned(), lines, schema: Some(schema), max_tokens: 99 };
    let body: Value = serde_json::from_slice(&talk(&dialogue, SETTINGS)).expect("a body is JSON");
    let want = json!({
        "model": "qwen3:8b", "stream": true, "think": false, "keep_alive": "1800s", "truncate": false, "shift": false,
        "options": { "num_ctx": 16384, "num_predict": 99, "temperature": 0.0 },
        "messages": [
            { "role": "system", "content": "Choose." },
            { "role": "user", "content": "restart lnd" },
        ],
        "format": { "type": "object" },
    });
    assert_eq!(body, want);
}
