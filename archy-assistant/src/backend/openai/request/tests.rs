use super::*;
use crate::backend::asked::{conversation, replied, request, said};
use crate::backend::choice::Side;

pub(crate) const SETTINGS: Settings<'static> = Settings {
    model: "m",
    by: "openai m http://127.0.0.1",
    locality: Locality::OnNode,
    max_tokens: 4096,
    dialect: Dialect {
        max_tokens: true,
        temperature: true,
        streams: Streams::AndCounts,
        said_after_results: true,
    },
};
const KEPT: &str = r#"{"by":"openai m http://127.0.0.1","reasoning_content":"Let me look.","calls":[null,{"google":{"thought_signature":"s"}}]}"#;

fn body(request: &Request, settings: &Settings<'_>) -> String {
    let fitted = fitted(request, Room::new(16_384, 4096, None), settings.by).expect("it fits");
    String::from_utf8(chat(&fitted, request.calls, settings)).expect("JSON is UTF-8")
}

fn sent(request: &Request, settings: &Settings<'_>) -> Value {
    serde_json::from_str(&body(request, settings)).expect("a body is JSON")
}

#[test]
fn a_conversation_with_all_its_parts() {
    let opaque = [r#"{"by":"claude m","after_text":false,"after_calls":0,"block":{}}"#, KEPT];
    insta::assert_json_snapshot!(sent(&request(conversation(&opaque), Calls::Allowed), &SETTINGS));
}

#[test]
fn beside_calls_alone_there_is_no_content_and_of_others_no_thoughts() {
    let request = request(
        vec![said("Hi"), replied("", &[(0, "disk_status", "{")], &[KEPT]), said("And?")],
        Calls::None,
    );
    let body = sent(&request, &Settings { by: "openai n http://127.0.0.1", ..SETTINGS });
    let call = json!({ "id": "call00001", "type": "function",
        "function": { "name": "disk_status", "arguments": "{}" } });
    assert_eq!(body["messages"][2], json!({ "role": "assistant", "tool_calls": [call] }));
    let result =
        json!({ "role": "tool", "tool_call_id": "call00001", "content": "Error: it was not answered." });
    assert_eq!(body["messages"][3], result);
    assert_eq!(body["tools"][1]["function"]["name"], "disk_status");
    assert_eq!(body["tool_choice"], "none");
}

#[test]
fn thoughts_in_objects_go_back_beside_calls_to_who_made_them() {
    const KEPT: &str = r#"{"by":"openai m http://127.0.0.1","reasoning_details":[{"type":"reasoning.text","index":0,"text":"a"}]}"#;
    let request = request(
        vec![
            said("Hi"),
            replied("", &[(0, "disk_status", "{}")], &[KEPT]),
            replied("Fine.", &[], &[KEPT]),
            said("And?"),
        ],
        Calls::Allowed,
    );
    let details = |by| {
        let body = sent(&request, &Settings { by, ..SETTINGS });
        let messages = body["messages"].as_array().expect("messages").clone();
        messages.iter().filter_map(|message| message.get("reasoning_details").cloned()).collect::<Vec<_>>()
    };
    assert_eq!(details(SETTINGS.by), [json!([{"type": "reasoning.text", "index": 0, "text": "a"}])]);
    assert_eq!(details("openai m http://127.0.0.2"), [] as [Value; 0]);
}

#[test]
fn a_longer_conversation_begins_with_the_same_bytes() {
    let body = |messages| body(&request(messages, Calls::Allowed), &SETTINGS);
    let mut messages = conversation(&[KEPT]);
    let short = body(messages.clone());
    messages.extend([replied("Fine.", &[], &[]), said("And now?")]);
    let long = body(messages);
    assert!(long.starts_with(short.strip_suffix("]}").expect("messages are the last field")), "{long}");
}

#[test]
fn where_a_server_refuses_what_is_said_after_results_something_stands_between() {
    let refused = |status, words: &str| Refusal { status, retry_after: None, body: words.to_owned() };
    let roles = |dialect| {
        let settings = Settings { dialect, ..SETTINGS };
        let sent = sent(&request(conversation(&[]), Calls::None), &settings);
        let messages = sent["messages"].as_array().expect("messages");
        messages
            .iter()
            .map(|message| message["role"].as_str().expect("a role").to_owned())
            .collect::<Vec<_>>()
    };
    let all = Dialect::default();
    assert_eq!(roles(all), ["system", "user", "assistant", "tool", "tool", "tool", "user"]);
    for (status, words) in [
        (400, r#"{"message":"Unexpected role 'user' after role 'tool'","code":"3230"}"#),
        (
            500,
            "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        ),
    ] {
        let less = all.without_what(&refused(status, words)).expect("it can be mended");
        let want = ["system", "user", "assistant", "tool", "tool", "tool", "assistant", "user"];
        assert_eq!(roles(less), want);
        assert_eq!(less.without_what(&refused(status, words)), None, "not twice");
    }
}

#[test]
fn what_a_server_refuses_by_name_is_left_out_once() {
    let refused = |status, body: &str| Refusal { status, retry_after: None, body: body.to_owned() };
    let changed = |body: &str, dialect: Dialect| {
        let less = dialect.without_what(&refused(400, body))?;
        Some(sent(&request(vec![said("Hi")], Calls::Allowed), &Settings { dialect: less, ..SETTINGS }))
    };
    let all = Dialect::default();
    let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let body = changed(words, all).expect("it can be left out");
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(4096)));
    let body =
        changed(r#"{"detail":[{"loc":["stream_options"],"msg":"Extra inputs are not permitted"}]}"#, all)
            .expect("it can be left out");
    assert_eq!((body.get("stream_options"), &body["stream"]), (None, &json!(true)));
    let body = changed("temperature does not support 0.2 with this model", all).expect("it can be left out");
    assert_eq!(body.get("temperature"), None);
    let body = changed("this model does not support stream", all).expect("it can be left out");
    assert_eq!((&body["stream"], body.get("stream_options")), (&json!(false), None));

    let less = all.without_what(&refused(400, words)).expect("it can be left out");
    assert_eq!(less.without_what(&refused(400, words)), None, "not twice");
    assert_eq!(all.without_what(&refused(400, "messages: is not supported")), None);
    assert_eq!(all.without_what(&refused(500, words)), None);
}

#[test]
fn only_what_runs_at_home_is_told_to_be_cold() {
    let request = request(vec![said("Hi")], Calls::Allowed);
    assert_eq!(sent(&request, &Settings { locality: Locality::Remote, ..SETTINGS }).get("temperature"), None);
}

#[test]
fn what_is_asked_in_text_is_held_to_its_schema() {
    let lines = vec![Line { side: Side::Person, text: "restart lnd".to_owned() }];
    let schema = json!({ "type": "object" });
    let dialogue = Dialogue { system: "Choose.".to_owned(), lines, schema: Some(schema), max_tokens: 99 };
    let messages = json!([
        { "role": "system", "content": "Choose." },
        { "role": "user", "content": "restart lnd" },
    ]);
    let format = json!({ "name": "calls", "strict": true, "schema": { "type": "object" } });
    let mut want = json!({ "model": "m", "stream": true, "stream_options": { "include_usage": true },
        "max_tokens": 99, "temperature": 0.0, "messages": messages,
        "response_format": { "type": "json_schema", "json_schema": format } });
    let sent = |dialogue: &Dialogue| -> Value {
        serde_json::from_slice(&talk(dialogue, &SETTINGS)).expect("a body is JSON")
    };
    assert_eq!(sent(&dialogue), want);
    want.as_object_mut().expect("an object").remove("response_format");
    assert_eq!(sent(&Dialogue { schema: None, ..dialogue }), want);
}
