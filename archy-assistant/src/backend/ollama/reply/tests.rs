use super::*;
use crate::ReplyEvent;
use crate::backend::assemble::{Assembler, Events};
use crate::backend::fed::{cut_anywhere, fed, fed_in_every_way, line_with};
use crate::backend::frames::Framing;
use crate::backend::thinking::Habit;

const STRAY_CLOSE: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/ollama__parallel_tools_stray_think_close.ndjson");
const ERROR_LINE: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/ollama__midstream_error_line.ndjson");

fn make(habit: Habit) -> impl Fn() -> Assembler<Lines> {
    move || Assembler::new(Lines::new("m", Locality::OnNode), habit)
}

fn in_every_way(lines: &[u8], habit: Habit) -> (Events, Habit) {
    fed_in_every_way(Framing::Json, make(habit), lines)
}

fn of(lines: &str) -> Events {
    in_every_way(lines.as_bytes(), Habit::Silent).0
}

/// The same without fields that are new: to add them, a line is read as a tree, which loses how a value was written.
fn as_written(lines: &str) -> Events {
    fed(Framing::Json, make(Habit::Silent)(), lines.as_bytes().chunks(1)).0
}

fn text(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.to_owned())
}
fn called(tool: &str, args: &str) -> ReplyEvent {
    ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() }
}
fn end(input: Option<u64>, output: Option<u64>, reason: EndReason) -> Events {
    vec![Ok(ReplyEvent::Usage(Usage { input, output })), Ok(ReplyEvent::End(reason))]
}
fn error(class: BackendFault, detail: &str) -> Result<ReplyEvent, BackendError> {
    Err(BackendError { class, detail: detail.to_owned() })
}
fn cut() -> Result<ReplyEvent, BackendError> {
    error(BackendFault::Broken, "the reply stopped without its end")
}

#[test]
fn thoughts_before_a_bare_close_are_dropped_and_two_calls_kept() {
    let mut want = vec![Ok(called("lookup_harbor_label", "{}")), Ok(called("lookup_orchard_label", "{}"))];
    want.extend(end(Some(262), Some(473), EndReason::Complete));
    for habit in [Habit::Unknown, Habit::Aloud] {
        assert_eq!(in_every_way(STRAY_CLOSE, habit), (want.clone(), Habit::Aloud), "{habit:?}");
    }
}

#[test]
fn an_error_line_is_the_last_thing_read() {
    let want = vec![error(BackendFault::ModelFault, "an error was encountered while running the model")];
    assert_eq!(in_every_way(ERROR_LINE, Habit::Unknown).0, want);
}

#[test]
fn a_reply_that_was_cut_anywhere_has_an_error_and_no_end() {
    let end = line_with(STRAY_CLOSE, r#""done":true"#);
    cut_anywhere(Framing::Json, make(Habit::Unknown), STRAY_CLOSE, end);
    for fixture in [STRAY_CLOSE, ERROR_LINE] {
        let fixture = fixture.trim_ascii_end();
        let whole = fed(Framing::Json, make(Habit::Unknown)(), [fixture]).0;
        for at in 0..fixture.len() {
            let events = fed(Framing::Json, make(Habit::Unknown)(), [&fixture[..at]]).0;
            let (last, before) = events.split_last().expect("a cut reply says so");
            assert!(last.is_err(), "cut at {at}: {events:?}");
            assert!(whole.starts_with(before), "cut at {at}: {events:?}");
            assert!(before.iter().all(Result::is_ok), "cut at {at}: {events:?}");
            assert!(!before.contains(&Ok(ReplyEvent::End(EndReason::Complete))), "cut at {at}");
        }
    }
}

#[test]
fn a_line_may_hold_text_and_calls_and_the_end_at_once() {
    let line = r#"{"message":{"content":"So: ","thinking":"hm","tool_calls":[
        {"id":"","function":{"index":0,"name":"x","arguments":{"b":1,"a":[2.50]}}},
        {"function":{"index":0,"name":"y","arguments":{}}}]},"done":true,"done_reason":"stop"}"#
        .replace('\n', "");
    let mut want = vec![Ok(text("So: ")), Ok(called("x", r#"{"b":1,"a":[2.50]}"#)), Ok(called("y", "{}"))];
    want.extend(end(None, None, EndReason::Complete));
    assert_eq!(as_written(&line), want);
}

#[test]
fn nothing_is_read_after_the_end_or_an_error() {
    let late = r#"{"message":{"content":"late"},"done":false}"#;
    let done = r#"{"done":true,"done_reason":"length","eval_count":3}"#;
    assert_eq!(
        of(&format!("{done}\n{late}\n{{\"error\":\"late\"}}\nrubbish")),
        end(None, Some(3), EndReason::Length)
    );
    assert_eq!(
        of(&format!("{{\"error\":\"x\",\"done\":true}}\n{late}")),
        [error(BackendFault::ModelFault, "x")]
    );
}

#[test]
fn no_end_is_an_error() {
    assert_eq!(of(""), [cut()]);
    assert_eq!(of("\n\n"), [cut()]);
    assert_eq!(of(r#"{"message":{"content":"Hi"},"done":false}"#), [Ok(text("Hi")), cut()]);
    assert_eq!(of(r#"{"message":{"content":"Hi"},"done":"true"}"#), [Ok(text("Hi")), cut()]);
    let html = of("<html>\n<body>");
    assert_eq!(
        html,
        [error(BackendFault::Broken, "a web page came, not a line of a reply: is the address right? <html>")]
    );
}

#[test]
fn an_empty_reply_stays_empty() {
    let empty = r#"{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#;
    assert_eq!(
        in_every_way(empty.as_bytes(), Habit::Unknown),
        (end(None, None, EndReason::Complete), Habit::Unknown)
    );
    assert_eq!(of(r#"{"done":true,"done_reason":"load"}"#), end(None, None, EndReason::Complete));
}

#[test]
fn odd_fields_do_not_take_the_others_with_them() {
    let line = r#"{"model":7,"message":{"role":null,"content":null,"images":[],"tool_calls":null},"done":false}
{"message":"?","done":null}
{"message":{"content":["no text"],"tool_calls":[]}}
{"message":{"content":"Hi"},"done":true,"done_reason":{},"prompt_eval_count":-1,"eval_count":2.5}"#;
    let mut want = vec![Ok(text("Hi"))];
    want.extend(end(None, None, EndReason::Complete));
    assert_eq!(of(line), want);
}

#[test]
fn arguments_come_as_the_text_of_an_object() {
    let args = |arguments: &str| {
        let line = format!(
            r#"{{"message":{{"tool_calls":[{{"function":{{"name":"x"{arguments}}}}}]}},"done":true}}"#
        );
        as_written(&line)[0].clone().expect("a call is no error")
    };
    let good = |text: &str| ReplyEvent::Call { tool: "x".to_owned(), args: text.to_owned() };
    let bad = |why: &str| ReplyEvent::BadCall { tool: "x".to_owned(), why: why.to_owned() };
    for (written, want) in [
        ("", good("{}")),
        (r#","arguments":null"#, good("{}")),
        (r#","arguments":"""#, good("{}")),
        (r#","arguments":" ""#, good("{}")),
        (r#","arguments": { "n": 9007199254740993, "n": 1 } "#, good(r#"{ "n": 9007199254740993, "n": 1 }"#)),
        (r#","arguments":"{\"city\":\"Köln\"}""#, good(r#"{"city":"Köln"}"#)),
        (r#","arguments":"\"{}\"""#, bad("the arguments are no object")),
        (r#","arguments":[1]"#, bad("the arguments are no object")),
        (r#","arguments":3"#, bad("the arguments are no object")),
        (
            r#","arguments":"{\"a\"""#,
            bad("the arguments are no JSON: EOF while parsing an object at line 1 column 4"),
        ),
    ] {
        assert_eq!(args(written), want, "{written}");
    }
}

#[test]
fn what_looks_like_a_call_and_is_none_is_never_dropped_in_silence() {
    let bad = Ok(ReplyEvent::BadCall {
        tool: String::new(),
        why: "a call needs a function with a name, and its arguments".to_owned(),
    });
    assert_eq!(
        of(r#"{"message":{"tool_calls":[{"function":{"arguments":{}}},3]},"done":true}"#)[..2],
        [bad.clone(), bad.clone()]
    );
    assert_eq!(of(r#"{"message":{"tool_calls":"x(1)"},"done":true}"#)[0], bad);
    assert_eq!(of(r#"{"message":{"tool_calls":"x(1)"}}"#), [cut()]);
    assert_eq!(
        as_written(r#"{"message":{"tool_calls":[],"tool_calls":[]}}"#),
        [error(
            BackendFault::Broken,
            "no message of a reply: duplicate field `tool_calls` at line 1 column 29"
        )]
    );
}

#[test]
fn a_reply_from_a_cloud_is_refused_where_the_model_was_to_run_here() {
    let line = r#"{"remote_host":"https://ollama.com:443","message":{"content":"Hi"},"done":true}"#;
    assert_eq!(
        of(line),
        [error(BackendFault::Unsuitable, "the reply came from a cloud, not from the server")]
    );
    let mut remote = Assembler::new(Lines::new("m", Locality::Remote), Habit::Silent);
    let frame = Frame::Piece { name: String::new(), data: line.to_owned() };
    assert_eq!(remote.frame(&frame)[0], Ok(text("Hi")));
}

#[test]
fn a_cut_call_is_seen_as_cut() {
    let lines = r#"{"message":{"tool_calls":[{"function":{"name":"x","arguments":{}}}]}}
{"done":true,"done_reason":"length"}"#;
    let mut want = vec![Ok(called("x", "{}"))];
    want.extend(end(None, None, EndReason::Length));
    assert_eq!(of(lines), want);
}
