//! Whatever a conversation came to, and however little a model holds: each vendor's request is one that its strictest
//! servers take, is no longer than it may be, and holds whole turns.

use proptest::prelude::*;

use super::*;
use crate::backend::asked::{message, replied, result, said};
use crate::backend::{claude, ollama, openai};
use crate::phrases::cases::offers;
use crate::{Calls, Content, Datum, Message, Outcome, Source};

const CLAUDE: &str = r#"{"by":"c","after_text":false,"after_calls":0,"block":{"type":"thinking"}}"#;
const OPENAI: &str = r#"{"by":"o","reasoning_content":"well"}"#;

/// What one message is; those with words say their place, as `<7>`.
fn any_message(place: usize) -> impl Strategy<Value = Message> {
    let text = (0_usize..400).prop_map(move |long| format!("<{place}> {}", "word ".repeat(long)));
    let maybe = prop_oneof![Just(String::new()), Just(" ".to_owned()), text.clone()];
    let args = prop_oneof![Just("{}"), Just(r#"{"app":"lnd"}"#), Just("["), Just("")];
    let call = (0_u32..4, prop_oneof![Just("app_status"), Just("no such tool"), Just("")], args);
    let calls = proptest::collection::vec(call, 0..4);
    let outcome = prop_oneof![
        Just(Outcome::Withheld),
        Just(Outcome::NotDone(String::new())),
        (0_usize..3000).prop_map(|long| Outcome::Done(Datum::others("x".repeat(long), Source::AppName))),
    ];
    prop_oneof![
        3 => text.clone().prop_map(|text| said(&text)),
        1 => Just(said(" ")),
        1 => text.prop_map(|text| message(Content::Note(text))),
        3 => (maybe, calls).prop_map(|(text, calls)| replied(&text, &calls, &[CLAUDE, OPENAI])),
        4 => (0_u32..4, outcome).prop_map(|(id, outcome)| result(id, "app_status", outcome)),
    ]
}

fn any_history() -> impl Strategy<Value = Vec<Message>> {
    (0_usize..24, any::<prop::sample::Index>()).prop_flat_map(|(many, last)| {
        let all: Vec<_> = (0..many).map(any_message).collect();
        (all, Just(last)).prop_map(|(mut all, last)| {
            let place = last.index(all.len() + 1);
            // At some place somebody says something, and it may be the last thing said.
            all.insert(place, said("<99> how is lnd?"));
            all
        })
    })
}

/// The places that a text says, in their order.
fn places(text: &str) -> Vec<usize> {
    let place = |part: &str| part.split_once('>')?.0.parse().ok();
    text.split('<').filter_map(place).collect()
}

fn texts(value: &Value, sum: &mut usize) {
    match value {
        Value::String(text) => *sum += tokens(text),
        Value::Array(all) => all.iter().for_each(|one| texts(one, sum)),
        Value::Object(all) => {
            all.iter().filter(|(key, _)| *key != "role").for_each(|(_, one)| texts(one, sum));
        }
        _ => {}
    }
}

/// The places of the turns of which at least the beginning is there, and whether all of it is.
fn whole_turns(history: &[Message], body: &Value) {
    let says = |message: &Message| match &message.content {
        Content::Said(text) | Content::Note(text) => places(text),
        Content::Reply { text, .. } => places(&text.for_prompt()),
        Content::Result { .. } => Vec::new(),
    };
    let all: Vec<(bool, usize)> = history
        .iter()
        .flat_map(|message| {
            let begins = matches!(message.content, Content::Said(_));
            says(message).into_iter().map(move |place| (begins, place))
        })
        .collect();
    let kept = places(&body["messages"].to_string());
    let all_places: Vec<usize> = all.iter().map(|(_, place)| *place).collect();
    assert!(all_places.ends_with(&kept), "{kept:?} of {all_places:?}");
    let begin = all.len() - kept.len();
    assert!(begin == 0 || all[begin].0, "a part of a turn: {kept:?} of {all:?}");
    let last = all.iter().rposition(|(begins, _)| *begins).expect("somebody spoke");
    assert!(begin <= last, "what was said last is not there");
}

/// As the strictest of the servers that take a list of messages with one role each.
fn alternates(messages: &[Value]) {
    let mut calls: std::collections::VecDeque<&str> = [].into();
    let mut before = "";
    for (place, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        let text = message["content"].as_str();
        match role {
            "system" => assert_eq!(place, 0),
            "user" => assert!(["system", "assistant", "tool"].contains(&before), "{before} {role}"),
            "assistant" => assert!(["user", "tool"].contains(&before), "{before} {role}"),
            "tool" => assert_eq!(calls.pop_front(), message["tool_call_id"].as_str()),
            _ => panic!("{role}"),
        }
        assert!(role == "tool" || calls.is_empty(), "a call without a result");
        if role == "assistant" {
            let asked = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
            calls = asked.iter().map(|call| call["id"].as_str().expect("an id")).collect();
            assert!(!asked.is_empty() || text.is_some_and(|text| !text.trim().is_empty()), "{message}");
        } else {
            assert!(text.is_some_and(|text| !text.trim().is_empty()), "{message}");
        }
        before = role;
    }
    assert!(calls.is_empty(), "a call without a result");
}

/// As Anthropic takes it.
fn blocks(body: &Value) {
    let mut asked: Vec<&str> = Vec::new();
    let mut called = false;
    for (place, turn) in body["messages"].as_array().expect("messages").iter().enumerate() {
        let role = if place % 2 == 0 { "user" } else { "assistant" };
        assert_eq!(turn["role"], role);
        let blocks = turn["content"].as_array().expect("blocks");
        let of = |kind: &str, field: &'static str| -> Vec<&str> {
            let mine = blocks.iter().filter(|block| block["type"] == kind);
            mine.map(|block| block[field].as_str().expect("a text")).collect()
        };
        assert!(
            !blocks.is_empty() && of("text", "text").iter().all(|text| !text.trim().is_empty()),
            "{turn}"
        );
        let results = of("tool_result", "tool_use_id");
        assert_eq!(results, asked);
        assert!(blocks[..results.len()].iter().all(|block| block["type"] == "tool_result"), "{turn}");
        asked = of("tool_use", "id");
        called |= !asked.is_empty();
    }
    assert!(asked.is_empty(), "a call without a result");
    assert!(
        !called || body["tools"].as_array().is_some_and(|tools| !tools.is_empty()),
        "calls, and no tools"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_one_that_is_taken(
        history in any_history(),
        context in prop_oneof![0_u32..3000, 3000_u32..40_000],
        reply in 0_u32..9000,
        tools in prop_oneof![Just(0), Just(3), Just(usize::MAX)],
        calls in prop_oneof![Just(Calls::Allowed), Just(Calls::None)],
    ) {
        let tools: Vec<Offer> = offers().into_iter().take(tools).collect();
        let request =
            Request { tools, elsewhere: [].into(), messages: history, calls, max_text: 8000 };
        let room = Room::new(context, reply, None);
        let json = |body: Vec<u8>| serde_json::from_slice::<Value>(&body).expect("JSON");
        let settings = claude::request::Settings { model: "m", by: "c", max_tokens: 9, thinking: Some(1024) };
        let claude = claude::request::fitted(&request, room, "c");
        let openai = openai::request::fitted(&request, room, "o");
        let ollama = ollama::request::fitted(&request, room);
        let most = room.context - room.reply;
        let mut bodies = Vec::new();
        if let Ok(fitted) = &claude {
            let body = json(claude::request::messages(fitted, calls, &settings));
            blocks(&body);
            bodies.push((fitted, body));
        }
        if let Ok(fitted) = &openai {
            let body = json(openai::request::chat(fitted, calls, &openai::request::tests::SETTINGS));
            alternates(body["messages"].as_array().expect("messages"));
            bodies.push((fitted, body));
        }
        if let Ok(fitted) = &ollama {
            let body = json(ollama::request::chat(fitted, ollama::request::tests::SETTINGS, 9));
            alternates(body["messages"].as_array().expect("messages"));
            bodies.push((fitted, body));
        }
        for (fitted, body) in &bodies {
            whole_turns(&request.messages, body);
            let mut sum = fitted.tools.iter().map(|tool| tokens(tool.get())).sum();
            texts(&body["messages"], &mut sum);
            if body["system"].is_array() {
                sum += tokens(&fitted.system);
            }
            prop_assert!(fitted.prompt <= most, "{} of {most}", fitted.prompt);
            prop_assert!(sum <= most + 40, "{sum} of {most}");
        }
        // What does not fit is told only where it is the last turn that does not.
        if ollama.is_err() {
            let last = last_turn(&mend(&request.messages, room.context.clamp(2048, 16_384), None));
            let least = tokens(&prompt::system(&[])) + MESSAGE + last;
            prop_assert!(least > most && claude.is_err() && openai.is_err(), "{least} of {most}");
        }
    }
}
