use super::*;
use crate::backend::asked::{conversation, replied, request, result, said};
use crate::{Message, Outcome};

const SETTINGS: Settings<'static> =
    Settings { model: "m", by: "claude m", max_tokens: 4096, thinking: Some(2048) };

fn kept(after_text: bool, after_calls: usize, block: &str) -> String {
    format!(r#"{{"by":"claude m","after_text":{after_text},"after_calls":{after_calls},"block":{block}}}"#)
}

fn body(request: &Request, settings: &Settings<'_>) -> String {
    let fitted = fitted(request, Room::new(16_384, 4096, None), settings.by).expect("it fits");
    String::from_utf8(super::messages(&fitted, request.calls, settings)).expect("JSON is UTF-8")
}

fn sent(messages: Vec<Message>, calls: Calls, settings: &Settings<'_>) -> Value {
    serde_json::from_str(&body(&request(messages, calls), settings)).expect("a body is JSON")
}

#[test]
fn a_conversation_with_all_its_parts() {
    let kept = [
        kept(false, 0, r#"{"type":"thinking","thinking":"Let me look.","signature":"s"}"#),
        kept(false, 0, r#"{"type":"redacted_thinking","data":"d"}"#),
        kept(true, 1, r#"{"type":"thinking","thinking":"","signature":"t"}"#),
    ];
    let mut opaque = vec![r#"{"by":"openai m","reasoning_content":"of another"}"#];
    opaque.extend(kept.iter().map(String::as_str));
    insta::assert_json_snapshot!(sent(conversation(&opaque), Calls::Allowed, &SETTINGS));
}

#[test]
fn results_stand_in_one_message_before_what_is_said_next() {
    let messages = vec![
        said("Hi"),
        replied("", &[(0, "a", "{}"), (1, "b", "{}")], &[]),
        result(1, "b", Outcome::Withheld),
        said("Well?"),
    ];
    let body = sent(messages, Calls::None, &SETTINGS);
    let roles: Vec<&Value> =
        body["messages"].as_array().expect("a list").iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let blocks = body["messages"][2]["content"].as_array().expect("a list");
    let seen: Vec<_> = blocks.iter().map(|block| (&block["type"], &block["is_error"])).collect();
    let [yes, no, none] = [json!(true), json!(false), Value::Null];
    let [result, text] = [json!("tool_result"), json!("text")];
    assert_eq!(seen, [(&result, &yes), (&result, &no), (&text, &none)]);
    assert_eq!(
        (&body["tool_choice"], &body["tools"][1]["name"]),
        (&json!({ "type": "none" }), &json!("disk_status"))
    );
}

#[test]
fn it_thinks_unless_it_goes_on_from_calls_of_another() {
    let mine = kept(false, 0, r#"{"type":"thinking","thinking":"a","signature":"s"}"#);
    let calls = |opaque: &[&str]| replied("", &[(0, "disk_status", "{}")], opaque);
    let thinks = |messages: Vec<Message>| {
        let body = sent(messages, Calls::Allowed, &SETTINGS);
        (body["thinking"]["budget_tokens"].as_u64(), body["max_tokens"].as_u64())
    };
    let (on, off) = ((Some(2048), Some(6144)), (None, Some(4096)));
    assert_eq!(thinks(vec![said("Hi")]), on);
    assert_eq!(thinks(vec![said("Hi"), calls(&[&mine])]), on);
    assert_eq!(thinks(vec![said("Hi"), calls(&[])]), off);
    assert_eq!(thinks(vec![said("Hi"), calls(&[&mine.replace("claude m", "claude n")])]), off);
    assert_eq!(
        thinks(vec![said("Hi"), calls(&[]), said("And?")]),
        on,
        "a turn that is over asks for nothing"
    );
}

#[test]
fn what_was_thought_beside_no_call_is_not_sent() {
    let mine = kept(false, 0, r#"{"type":"thinking","thinking":"a","signature":"s"}"#);
    let body = sent(vec![said("Hi"), replied("Ho", &[], &[&mine]), said("And?")], Calls::Allowed, &SETTINGS);
    assert_eq!(body["messages"][1]["content"], json!([{ "type": "text", "text": "Ho" }]));
}

#[test]
fn a_longer_conversation_begins_with_the_same_bytes() {
    let body = |messages| body(&request(messages, Calls::Allowed), &SETTINGS);
    let mut messages = conversation(&[&*kept(false, 0, r#"{"type":"redacted_thinking","data":"d"}"#)]);
    let short = body(messages.clone());
    messages.extend([replied("Fine.", &[], &[]), said("And now?")]);
    let long = body(messages);
    assert!(long.starts_with(short.strip_suffix("]}").expect("messages are the last field")), "{long}");
}

#[test]
fn calls_of_tools_that_are_closed_now_are_no_reason_to_refuse() {
    let called = vec![said("Hi"), replied("", &[(0, "a", "{}")], &[]), said("Well?")];
    let none = |messages| {
        let request = Request { tools: vec![], ..request(messages, Calls::Allowed) };
        serde_json::from_str::<Value>(&body(&request, &SETTINGS)).expect("a body is JSON")
    };
    let sent = none(called);
    let names: Vec<_> = sent["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!((names, &sent["tool_choice"]), (vec![&json!("none")], &json!({ "type": "none" })));
    let sent = none(vec![said("Hi")]);
    assert_eq!((sent.get("tools"), sent.get("tool_choice")), (None, None));
}
