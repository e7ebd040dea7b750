use std::sync::Arc;

use super::*;
use crate::{
    CallId, Category, Content, Datum, Effect, Label, Message, Outcome, Sentence, Slot, Spec, ToolCall,
};

const SETTINGS: Settings<'static> = Settings { model: "qwen3:8b", num_ctx: 16_384, thinks: true };

fn message(content: Content) -> Message {
    Message { label: Label::default(), content }
}

fn offers() -> Vec<Offer> {
    let logs = Spec::new("app_logs", Category::Apps, "The last lines that an app wrote.")
        .slot(Slot::fixed("level", &["all", "errors"]).optional());
    let disks = Spec::new("disk_status", Category::System, "How much space the disks have.");
    let schema = json!({
        "type": "object",
        "properties": { "app": { "type": "string" }, "level": { "type": ["string", "null"] } },
        "required": ["app"],
    });
    let candidates = logs.slots().iter().map(|slot| match &slot.kind {
        SlotKind::Fixed(values) => Arc::clone(values),
        _ => Arc::default(),
    });
    let candidates = candidates.collect();
    vec![
        Offer { spec: Arc::new(logs), effect: Effect::Read, schema: Arc::new(schema), candidates },
        Offer {
            spec: Arc::new(disks),
            effect: Effect::Read,
            schema: Arc::new(json!({ "type": "object" })),
            candidates: vec![],
        },
    ]
}

fn request(messages: Vec<Message>, calls: Calls) -> Request {
    let elsewhere =
        vec![Elsewhere::new(["install an app", "get an app"], "Apps are installed on the page Store.")];
    Request { tools: offers(), elsewhere: elsewhere.into(), messages, calls, max_text: 6000 }
}

fn two_calls() -> Vec<Message> {
    let call = |id, tool: &str, args: &str| ToolCall {
        id: CallId(id),
        tool: tool.to_owned(),
        args: args.to_owned(),
    };
    let result = |id, tool: &str, outcome| {
        message(Content::Result { call: CallId(id), tool: tool.to_owned(), outcome, fence: 7 })
    };
    vec![
        message(Content::Said("How full is the disk, and what ails electrs?".to_owned())),
        message(Content::Reply {
            text: Sentence::default(),
            calls: vec![
                call(0, "disk_status", "{}"),
                call(1, "app_logs", r#"{"level":"errors","app":"electrs"}"#),
                call(2, "app_doctor", "{}"),
            ],
            opaque: vec![],
        }),
        result(0, "disk_status", Outcome::Done(Datum::record([("free", Datum::Bytes(1_400_000_000_000))]))),
        result(1, "app_logs", Outcome::Withheld),
        result(2, "app_doctor", Outcome::NotDone("there is no such tool".to_owned())),
        message(Content::Note("answer now, without tools".to_owned())),
    ]
}

fn sent(request: &Request) -> Value {
    serde_json::from_slice(&chat(request, SETTINGS)).expect("a body is JSON")
}

#[test]
fn a_first_request() {
    let request = request(vec![message(Content::Said("How full is the disk?".to_owned()))], Calls::Allowed);
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
    let short = String::from_utf8(chat(&request(messages.clone(), Calls::Allowed), SETTINGS)).expect("UTF-8");
    messages.push(message(Content::Reply { text: Sentence::plain("Fine."), calls: vec![], opaque: vec![] }));
    messages.push(message(Content::Said("And now?".to_owned())));
    let long = String::from_utf8(chat(&request(messages, Calls::Allowed), SETTINGS)).expect("UTF-8");
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
    let plain: Value = serde_json::from_slice(&chat(&request, Settings { thinks: false, ..SETTINGS }))
        .expect("a body is JSON");
    assert_eq!(plain.get("think"), None);
}

#[test]
fn arguments_keep_what_a_tree_would_lose() {
    let calls = vec![ToolCall {
        id: CallId(0),
        tool: "x".to_owned(),
        args: r#"{"b":9007199254740993123,"a":1}"#.to_owned(),
    }];
    let messages = vec![message(Content::Reply { text: Sentence::default(), calls, opaque: vec![] })];
    let body = String::from_utf8(chat(&request(messages, Calls::None), SETTINGS)).expect("UTF-8");
    assert!(body.contains(r#""arguments":{"b":9007199254740993123,"a":1}"#), "{body}");
}
