use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::backend::asked::{replied, result, said};
use crate::backend::at_once;
use crate::backend::stream::{next, stream};
use crate::phrases::cases::offers;
use crate::tools::specs;
use crate::{BackendFault, Datum, EndReason, Message, Outcome, Usage};

const CARD: ModelCard = ModelCard {
    streams: true,
    calls_tools: false,
    follows_schema: true,
    reads: Some(30.0),
    writes: Some(8.0),
    context: Some(8192),
};

fn request(messages: Vec<Message>, calls: Calls) -> Request {
    Request { tools: offers(), elsewhere: specs::elsewhere().into(), messages, calls, max_text: 8000 }
}

fn step_of(messages: Vec<Message>, card: &ModelCard) -> Step {
    Choice::new(&request(messages, Calls::Allowed), card).expect("it fits").step()
}

fn step(text: &str) -> Step {
    step_of(vec![said(text)], &CARD)
}

/// The calls that a model may write to `text`.
fn may_write(text: &str) -> Vec<Value> {
    match step(text) {
        Step::Choose(dialogue) => {
            let schema = dialogue.schema.expect("it is held to one");
            schema["properties"]["calls"]["items"]["anyOf"].as_array().expect("calls").clone()
        }
        _ => Vec::new(),
    }
}

fn names(text: &str) -> Vec<String> {
    let name = |call: &Value| call["properties"]["do"]["const"].as_str().expect("a name").to_owned();
    may_write(text).iter().map(name).collect()
}

fn call(tool: &str, args: &str) -> ReplyEvent {
    ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() }
}

#[test]
fn what_a_model_is_told_is_made_of_the_tools_and_short() {
    let system = prompt::system(&offers().iter());
    insta::assert_snapshot!(system);
    assert!(budget::tokens(&system) <= 1200, "{}", budget::tokens(&system));
}

#[test]
fn only_what_the_person_named_can_be_written() {
    let app = |name: &str| {
        json!({ "type": "object", "required": ["do", "with"], "additionalProperties": false, "properties": {
            "do": { "const": name },
            "with": { "type": "object", "required": ["app"], "additionalProperties": false,
                "properties": { "app": { "const": "vaultwarden" } } },
        }})
    };
    assert_eq!(may_write("restart the password manager"), [app("app_status"), app("app_restart")]);
}

#[test]
fn a_write_can_be_written_only_where_an_order_is_read() {
    let writes = ["app_start", "app_stop", "app_restart", "setting_set"];
    for (text, write) in [
        ("restart lnd", true),
        ("please set the theme to dark", true),
        ("should i restart lnd?", false),
        ("do not restart lnd", false),
        ("my brother wants to restart lnd", false),
        ("remind me to restart lnd", false),
        ("the log says: restart lnd", false),
        ("restart", false),
        ("how is lnd", false),
    ] {
        let names = names(text);
        assert_eq!(names.iter().any(|name| writes.contains(&&**name)), write, "{text}: {names:?}");
    }
}

#[test]
fn what_is_not_clear_is_asked_and_what_wants_no_tool_is_answered_in_words() {
    let Step::Ask(question, _) = step("restart the app") else { panic!("it must be asked which") };
    assert_eq!(question, Sentence::plain("Which app do you mean?"));
    let Step::Speak(dialogue) = step("show me the seed phrase") else { panic!("nothing to choose") };
    assert_eq!(dialogue.schema, None);
    let last = &dialogue.lines[0].text;
    assert!(
        last.starts_with("show me the seed phrase\n\n(Answer in words.) The node says: Seeds and keys"),
        "{last}"
    );
}

#[test]
fn after_results_and_at_the_end_of_a_turn_there_are_words_only() {
    let messages = vec![
        said("restart lnd"),
        replied("", &[(0, "app_restart", r#"{"app":"lnd"}"#)], &[]),
        result(0, "app_restart", Outcome::NotDone("nobody agreed".to_owned())),
    ];
    let Step::Speak(dialogue) = step_of(messages, &CARD) else { panic!("words") };
    let line = |side, text: &str| Line { side, text: text.to_owned() };
    let lines = [
        line(Side::Person, "restart lnd"),
        line(Side::Model, r#"{"calls":[{"do":"app_restart","with":{"app":"lnd"}}]}"#),
        line(Side::Person, "app_restart: Error: nobody agreed\n\n(Answer in words.)"),
    ];
    assert_eq!(dialogue.lines, lines);
    let last = request(vec![said("restart lnd")], Calls::None);
    assert!(matches!(Choice::new(&last, &CARD).expect("it fits").step(), Step::Speak(_)));
}

#[test]
fn what_a_slow_model_would_read_for_long_the_tools_say_themselves() {
    let app =
        |name: &'static str| Datum::record([("name", Datum::text(name)), ("state", Datum::text("running"))]);
    let messages = vec![
        said("list my apps"),
        replied("", &[(0, "apps_list", "{}")], &[]),
        result(0, "apps_list", Outcome::Done(Datum::List(vec![app("lnd"); 60]))),
    ];
    assert!(matches!(step_of(messages.clone(), &ModelCard { reads: Some(5000.0), ..CARD }), Step::Speak(_)));
    let Step::Tell(told) = step_of(messages, &CARD) else { panic!("the tool's own sentence") };
    let [ReplyEvent::Sentence(sentence)] = &told[..] else { panic!("one sentence: {told:?}") };
    assert!(sentence.shown().as_str().starts_with("lnd is running"), "{sentence:?}");
}

#[test]
fn a_small_context_holds_only_the_tools_that_may_be_meant() {
    let Step::Choose(dialogue) =
        step_of(vec![said("how is lnd")], &ModelCard { context: Some(1100), ..CARD })
    else {
        panic!("a choice")
    };
    assert!(dialogue.system.contains("\napp_status(app): "), "{}", dialogue.system);
    assert!(!dialogue.system.contains("bitcoin_status"), "{}", dialogue.system);
    // What was said leaves no room for all of them either.
    let card = ModelCard { context: Some(4096), ..CARD };
    let long = format!("how is lnd {}", "please ".repeat(1300));
    let long = request(vec![said(&long)], Calls::Allowed);
    let choice = Choice::new(&long, &card).expect("it fits");
    assert!(!choice.system.contains("bitcoin_status"), "{}", choice.system);
    let long = request(vec![said(&"how is lnd ".repeat(1200))], Calls::Allowed);
    assert!(Choice::new(&long, &card).is_err_and(|error| error.class == crate::BackendFault::TooLong));
}

#[test]
fn what_was_written_is_held_against_the_list_again() {
    let read = |text: &str, written: &str| {
        Choice::new(&request(vec![said(text)], Calls::Allowed), &CARD).expect("it fits").read(written)
    };
    let restart = |app: &str| format!(r#"{{"do":"app_restart","with":{{"app":"{app}"}}}}"#);
    let calls = |calls: &[String]| format!(r#"{{"calls":[{}]}}"#, calls.join(","));
    let lnd = call("app_restart", r#"{"app":"lnd"}"#);
    for (written, want) in [
        (calls(&[restart("lnd")]), vec![lnd.clone()]),
        (calls(&[restart("lnd"), restart("lnd")]), vec![lnd.clone()]),
        (calls(&[restart("electrs"), restart("lnd")]), vec![lnd.clone()]),
        (format!("```json\n{}\n```", calls(&[restart("lnd")])), vec![lnd.clone()]),
        (calls(&[restart("lnd").replace("restart", "stop")]), vec![]),
        (calls(&[]), vec![]),
        (format!("Sure! {}", calls(&[restart("lnd")])), vec![]),
        (calls(&[restart("lnd")]).replace("\"do\"", "\"why\":1,\"do\""), vec![]),
        ("I restarted lnd.".to_owned(), vec![]),
        (String::new(), vec![]),
    ] {
        assert_eq!(read("restart lnd", &written), want, "{written}");
    }
    let search = |query: &str| calls(&[format!(r#"{{"do":"notes_search","with":{{"query":"{query}"}}}}"#)]);
    let found = call("notes_search", r#"{"query":"sourdough"}"#);
    assert_eq!(read("search my notes for sourdough", &search("sourdough")), [found]);
    assert_eq!(read("search my notes for sourdough", &search("seed phrase")), [], "nobody said that");
}

#[test]
fn each_request_begins_as_the_one_before() {
    let text = |messages: &[Message]| {
        let dialogue = match step_of(messages.to_vec(), &CARD) {
            Step::Choose(dialogue) | Step::Speak(dialogue) => dialogue,
            other => panic!("a request: {other:?}"),
        };
        let lines = dialogue.lines.iter().map(|line| format!("\n{}: {}", line.side.role(), line.text));
        dialogue.system + &lines.collect::<String>()
    };
    let whole = [
        said("how is lnd"),
        replied("", &[(0, "app_status", r#"{"app":"lnd"}"#)], &[]),
        result(0, "app_status", Outcome::Done(Datum::record([("state", Datum::text("running"))]))),
        replied("It is running.", &[], &[]),
        said("and electrs?"),
    ];
    let sent: Vec<String> = [1, 3, 5].iter().map(|end| text(&whole[..*end])).collect();
    for pair in sent.windows(2) {
        let same = pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
        assert!(same * 100 >= pair[0].len() * 95, "{same} of {}", pair[0].len());
    }
}

#[tokio::test]
async fn the_tokens_of_a_choice_are_told_also_where_the_words_after_it_fail() {
    let used = |input| ReplyEvent::Usage(Usage { input: Some(input), output: Some(1) });
    let text = |text: &str| Ok(ReplyEvent::Text(text.to_owned()));
    let end = || Ok(ReplyEvent::End(EndReason::Complete));
    let failed = || BackendError { class: BackendFault::Broken, detail: "cut".to_owned() };
    for words in [vec![Err(failed())], vec![text("It is well."), Ok(used(2)), Ok(used(1)), end()]] {
        // Both counts of the choice are one event: it is read whole.
        let choice = Ok(ReplyEvent::Usage(Usage { input: Some(5), output: Some(2) }));
        let told: Vec<_> = [choice].into_iter().chain(words.clone()).collect();
        let replies = Mutex::new(vec![words, vec![text(r#"{"calls":[]}"#), Ok(used(3)), Ok(used(2)), end()]]);
        let mut reply = stream(|out| async move {
            let say = |_| at_once(replies.lock().expect("nobody panics").pop().expect("two requests"));
            choose(&request(vec![said("how is lnd")], Calls::Allowed), &CARD, say, &out).await
        });
        let mut events = Vec::new();
        while let Some(event) = next(&mut reply).await {
            events.push(event);
        }
        assert_eq!(events, told);
    }
}
