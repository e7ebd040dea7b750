use super::*;
use crate::backend::asked::{conversation, replied, request, said};
use crate::backend::choice::{Line, Side};

pub(crate) const SETTINGS: Settings<'static> =
    Settings { model: "qwen3:8b", num_ctx: 16_384, keep_alive: Duration::from_secs(1800), thinks: true };

fn body(request: &Request, settings: Settings<'_>) -> String {
    let fitted = fitted(request, Room::new(16_384, 3000, None)).expect("it fits");
    String::from_utf8(chat(&fitted, settings, 3000)).expect("JSON is UTF-8")
}

fn sent(request: &Request) -> Value {
    serde_json::from_str(&body(request, SETTINGS)).expect("a body is JSON")
}

#[test]
fn a_conversation_with_all_its_parts() {
    insta::assert_json_snapshot!(sent(&request(conversation(&[]), Calls::Allowed)));
}

#[test]
fn beside_calls_alone_the_content_is_an_empty_text() {
    let messages = vec![said("Hi"), replied("", &[(0, "disk_status", "{}")], &[])];
    let function = json!({ "name": "disk_status", "arguments": {} });
    let call = json!({ "id": "call00001", "type": "function", "function": function });
    let want = json!({ "role": "assistant", "content": "", "tool_calls": [call] });
    assert_eq!(sent(&request(messages, Calls::Allowed))["messages"][2], want);
}

#[test]
fn without_calls_no_tools_are_sent() {
    let body = sent(&request(conversation(&[]), Calls::None));
    assert_eq!(body.get("tools"), None);
    assert_eq!(body["messages"], sent(&request(conversation(&[]), Calls::Allowed))["messages"]);
}

#[test]
fn a_longer_conversation_begins_with_the_same_bytes() {
    let mut messages = conversation(&[]);
    let short = body(&request(messages.clone(), Calls::Allowed), SETTINGS);
    messages.extend([replied("Fine.", &[], &[]), said("And now?")]);
    let long = body(&request(messages, Calls::Allowed), SETTINGS);
    let head = short.strip_suffix("]}").expect("messages are the last field");
    assert!(long.starts_with(head), "{long}");
}

#[test]
fn a_model_is_loaded_with_the_options_of_its_chats() {
    let load: Value = serde_json::from_slice(&load(SETTINGS)).expect("a body is JSON");
    let chat = sent(&request(conversation(&[]), Calls::Allowed));
    assert_eq!(load["messages"], json!([]));
    for key in ["model", "keep_alive", "truncate", "shift"] {
        assert_eq!(load[key], chat[key], "{key}");
    }
    assert_eq!(load["options"]["num_ctx"], chat["options"]["num_ctx"]);
}

#[test]
fn only_a_thinking_model_is_told_not_to() {
    let request = request(conversation(&[]), Calls::None);
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
