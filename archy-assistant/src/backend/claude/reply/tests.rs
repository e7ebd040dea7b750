use super::*;
use crate::backend::assemble::{Assembler, Events};
use crate::backend::fed::{cut_anywhere, fed, fed_in_every_way, line_with};
use crate::backend::frames::Framing;
use crate::backend::thinking::Habit;
use crate::{BackendFault, ReplyEvent};

const ESCAPES: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/anthropic__unicode_args_escape_split_across_deltas.sse");
const TRUNCATED: &[u8] = include_bytes!(
    "../../../../tests/fixtures/wire/anthropic__truncated_tool_use_max_tokens_no_block_stop.sse"
);
const NO_ARGS: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/anthropic__zero_arg_parallel_tools.sse");
const GATEWAY: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/anthropic__gateway_event_data_done.sse");

fn make() -> Assembler<MessageEvents> {
    Assembler::new(MessageEvents::new("m", "claude m"), Habit::Silent)
}

fn of(stream: &str) -> Events {
    fed_in_every_way(Framing::Events, make, stream.as_bytes()).0
}

/// The stream of these events' data, each with its name.
fn events(data: &[&str]) -> String {
    let event = |data: &&str| {
        let value: serde_json::Value = serde_json::from_str(data).expect("JSON");
        format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap_or_default())
    };
    data.iter().map(event).collect()
}

const START: &str = r#"{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;
const TOOL: &str = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"x","input":{}}}"#;
const HI: &str = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#;

fn reason(reason: &str) -> String {
    format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":9}}}}"#
    )
}

fn text(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.to_owned())
}
fn called(tool: &str, args: &str) -> ReplyEvent {
    ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() }
}
fn good(before: &[ReplyEvent], input: Option<u64>, output: Option<u64>, reason: EndReason) -> Events {
    let end = [ReplyEvent::Usage(Usage { input, output }), ReplyEvent::End(reason)];
    before.iter().cloned().chain(end).map(Ok).collect()
}
fn complete(before: &[ReplyEvent]) -> Events {
    good(before, Some(10), Some(9), EndReason::Complete)
}
fn broke(class: BackendFault, detail: &str) -> Result<ReplyEvent, BackendError> {
    Err(BackendError { class, detail: detail.to_owned() })
}
fn cut() -> Result<ReplyEvent, BackendError> {
    broke(BackendFault::Broken, "the reply stopped without its end")
}

#[test]
fn recorded_streams_at_every_split() {
    let escapes = fed_in_every_way(Framing::Events, make, ESCAPES).0;
    let call = called("echo", r#"{"message": "Grüße aus 東京, from the \"naïve café\"!"}"#);
    assert_eq!(escapes, good(&[call], Some(618), Some(68), EndReason::Complete));

    let no_args = fed_in_every_way(Framing::Events, make, NO_ARGS).0;
    let said = [
        text("I'll call both tools"),
        text(" simultaneously right now!"),
        called("lookup_harbor_label", "{}"),
        called("lookup_orchard_label", "{}"),
    ];
    assert_eq!(no_args, good(&said, Some(700), Some(70), EndReason::Complete));

    let gateway = fed_in_every_way(Framing::Events, make, GATEWAY).0;
    let said =
        ["A solar eclipse occurs when the Moon passes", " directly", " between the Earth", " and the Sun,"];
    assert_eq!(gateway, good(&said.map(text), Some(32), Some(16), EndReason::Length));

    // The call was cut, and is told as one that cannot be run.
    let truncated = fed_in_every_way(Framing::Events, make, TRUNCATED).0;
    let said: String = truncated
        .iter()
        .flatten()
        .filter_map(|event| match event {
            ReplyEvent::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    assert_eq!(
        said,
        "I'll create a comprehensive tax guide for someone with multiple W2s and save it in a file called taxes.txt. \
         Let me do that for you now."
    );
    let why = "the arguments are no JSON: EOF while parsing a string at line 6 column 13".to_owned();
    let cut = ReplyEvent::BadCall { tool: "make_file".to_owned(), why };
    assert_eq!(truncated[5..], good(&[cut], Some(450), Some(124), EndReason::Length));
}

#[test]
fn a_stream_that_was_cut_anywhere_calls_nothing() {
    for stream in [ESCAPES, TRUNCATED, NO_ARGS, GATEWAY] {
        cut_anywhere(Framing::Events, make, stream, line_with(stream, r#""type":"message_delta""#));
    }
    let whole = r#"{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}"#;
    cut_anywhere(Framing::Events, make, whole.as_bytes(), whole.len());
}

#[test]
fn the_reason_never_says_whether_there_are_calls() {
    for why in ["end_turn", "tool_use", "stop_sequence", "pause_turn", "new_reason"] {
        assert_eq!(of(&events(&[START, TOOL, &reason(why), STOP])), complete(&[called("x", "{}")]), "{why}");
        assert_eq!(of(&events(&[START, HI, &reason(why), STOP])), complete(&[text("Hi")]), "{why}");
        assert_eq!(of(&events(&[START, &reason(why), STOP])), complete(&[]), "{why}: an empty reply");
    }
    for (why, end) in [
        ("max_tokens", EndReason::Length),
        ("model_context_window_exceeded", EndReason::Length),
        ("refusal", EndReason::Refused),
    ] {
        let want = good(&[text("Hi")], Some(10), Some(9), end);
        assert_eq!(of(&events(&[START, HI, &reason(why), STOP])), want, "{why}");
    }
    assert_eq!(
        of(&events(&[START, TOOL, &reason("refusal"), STOP])),
        good(&[], Some(10), Some(9), EndReason::Refused)
    );
}

#[test]
fn the_end_is_the_stop_or_a_reason() {
    let reason = reason("end_turn");
    assert_eq!(of(&events(&[START, HI, STOP])), good(&[text("Hi")], Some(10), Some(1), EndReason::Complete));
    assert_eq!(of(&events(&[START, HI, &reason])), complete(&[text("Hi")]));
    assert_eq!(of(events(&[START, HI, &reason, STOP]).trim_end()), complete(&[text("Hi")]));
    assert_eq!(of(&events(&[START, HI])), [Ok(text("Hi")), cut()]);
    assert_eq!(of(&(events(&[START, HI]) + "data: [DONE]\n\n")), [Ok(text("Hi")), cut()], "a gateway's word");
    // Fault 8: after the end.
    assert_eq!(of(&events(&[START, &reason, STOP, HI, TOOL])), complete(&[]));
}

/// Fault 6: under status 200, by its own type.
#[test]
fn an_error_event_wins() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let overloaded = broke(BackendFault::Busy(None), "Overloaded");
    let end = reason("tool_use");
    assert_eq!(of(&events(&[START, HI, error])), [Ok(text("Hi")), overloaded.clone()]);
    assert_eq!(of(&events(&[START, TOOL, &end, error, STOP])), std::slice::from_ref(&overloaded));
    assert_eq!(of(error), [overloaded]);
    assert_eq!(
        of("event: error\ndata: {\"message\":\"it broke\"}\n\n"),
        [broke(BackendFault::ModelFault, "it broke")]
    );
    assert_eq!(of("{\"detail\":\"it broke\"}"), [broke(BackendFault::ModelFault, "it broke")]);
}

#[test]
fn arguments_are_never_put_after_the_first_empty_object() {
    let delta = |json: &str| {
        let delta = json!({ "type": "input_json_delta", "partial_json": json });
        json!({ "type": "content_block_delta", "index": 1, "delta": delta }).to_string()
    };
    let args = |deltas: &[&str]| {
        let deltas: Vec<String> = deltas.iter().map(|json| delta(json)).collect();
        let end = reason("tool_use");
        let data: Vec<&str> =
            [START, TOOL].into_iter().chain(deltas.iter().map(String::as_str)).chain([&*end, STOP]).collect();
        of(&events(&data))
    };
    assert_eq!(args(&["", "{\"a\"", ":1}"]), complete(&[called("x", "{\"a\":1}")]));
    assert_eq!(args(&[""]), complete(&[called("x", "{}")]));
    assert_eq!(
        args(&["{\"a\":\"\\ud83d", "\\ude00\"}"]),
        complete(&[called("x", "{\"a\":\"\\ud83d\\ude00\"}")])
    );
    let why = "the arguments are no JSON: EOF while parsing a value at line 1 column 5".to_owned();
    assert_eq!(args(&["{\"a\":"]), complete(&[ReplyEvent::BadCall { tool: "x".to_owned(), why }]));
    // A gateway that gives all of it at the start.
    let given = TOOL.replace(r#""input":{}"#, r#""input":{"a":1}"#);
    assert_eq!(of(&events(&[START, &given, &reason("x"), STOP])), complete(&[called("x", "{\"a\":1}")]));
}

#[test]
fn thoughts_are_kept_as_they_came_and_where_they_stood() {
    let kept = |text: bool, calls: usize, block: &str| {
        ReplyEvent::Opaque(format!(
            r#"{{"by":"claude m","after_text":{text},"after_calls":{calls},"block":{block}}}"#
        ))
    };
    let think = |index: u32, words: &str, signature: &str| {
        let block = format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"thinking","thinking":"","signature":""}}}}"#
        );
        let words = format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"thinking_delta","thinking":"{words}"}}}}"#
        );
        let signature = format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"signature_delta","signature":"{signature}"}}}}"#
        );
        let stop = format!(r#"{{"type":"content_block_stop","index":{index}}}"#);
        [block, words.clone(), words, signature, stop]
    };
    let redacted =
        r#"{"type":"content_block_start","index":5,"content_block":{"type":"redacted_thinking","data":"d"}}"#;
    let (first, empty, unsigned) = (think(3, "a\\n", "s"), think(4, "", "t"), think(6, "u", ""));
    let end = reason("tool_use");
    let mut data: Vec<&str> = vec![START];
    data.extend(first.iter().map(String::as_str));
    data.push(HI);
    data.extend(empty.iter().map(String::as_str));
    data.push(TOOL);
    data.push(redacted);
    data.extend(unsigned.iter().map(String::as_str));
    data.extend([&*end, STOP]);
    let stream = events(&data);
    let opaque = [
        kept(false, 0, r#"{"signature":"s","thinking":"a\na\n","type":"thinking"}"#),
        kept(true, 0, r#"{"signature":"t","thinking":"","type":"thinking"}"#),
        kept(true, 1, r#"{"type":"redacted_thinking","data":"d"}"#),
    ];
    let want: Vec<ReplyEvent> = [text("Hi")].into_iter().chain(opaque).chain([called("x", "{}")]).collect();
    // What is kept is kept with fields that are new, so it is not fed with more in it.
    assert_eq!(fed(Framing::Events, make(), stream.as_bytes().chunks(1)).0, complete(&want));
    // Without a call nothing of it is needed.
    let mut data: Vec<&str> = vec![START];
    data.extend(first.iter().map(String::as_str));
    data.extend([HI, &*end, STOP]);
    assert_eq!(of(&events(&data)), complete(&[text("Hi")]));
}

#[test]
fn a_message_that_came_whole_is_read_by_the_same_rules() {
    let whole = r#"{"type":"message","role":"assistant","content":[
        {"type":"thinking","thinking":"hm","signature":"s"},
        {"type":"server_tool_use","id":"s"},
        {"type":"text","text":"Hi"},
        {"type":"tool_use","id":"a","name":"x","input":{"n":9007199254740993}},
        {"type":"tool_use","id":"b","name":"y","input":{}}],
        "stop_reason":"tool_use","usage":{"input_tokens":1,"cache_creation_input_tokens":4,"output_tokens":2}}"#;
    let kept = r#"{"by":"claude m","after_text":false,"after_calls":0,"block":{"type":"thinking","thinking":"hm","signature":"s"}}"#;
    let said = [
        text("Hi"),
        ReplyEvent::Opaque(kept.to_owned()),
        called("x", r#"{"n":9007199254740993}"#),
        called("y", "{}"),
    ];
    let want = good(&said, Some(5), Some(2), EndReason::Complete);
    assert_eq!(fed(Framing::Events, make(), whole.as_bytes().chunks(1)).0, want);
    let empty = r#"{"type":"message","content":[],"stop_reason":"end_turn"}"#;
    assert_eq!(of(empty), good(&[], None, None, EndReason::Complete));
    assert_eq!(
        of("<html>"),
        [broke(
            BackendFault::Broken,
            "a web page came, not an event of a reply: is the address right? <html>"
        )]
    );
}

#[test]
fn odd_events_do_not_take_the_others_with_them() {
    let stream = events(&[
        START,
        START,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":"?","content_block":{"type":"text","text":7}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":"?"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}"#,
        r#"{"type":"content_block_delta","index":0}"#,
        r#"{"type":7}"#,
        "{}",
        HI,
        r#"{"type":"message_delta","delta":null,"usage":{"input_tokens":null,"output_tokens":9}}"#,
        STOP,
    ]);
    assert_eq!(fed(Framing::Events, make(), [stream.as_bytes()]).0, complete(&[text("Hi")]));
}
