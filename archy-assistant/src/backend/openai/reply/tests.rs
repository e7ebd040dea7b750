use super::*;
use crate::ReplyEvent;
use crate::backend::assemble::{Assembler, Events};
use crate::backend::fed::{cut_anywhere, fed, fed_in_every_way, line_with};
use crate::backend::frames::Framing;
use crate::backend::thinking::Habit;

const PARALLEL: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/openai__parallel_tools_index_keyed_usage_null.sse");
const OPENROUTER: &[u8] = include_bytes!(
    "../../../../tests/fixtures/wire/openai__openrouter_comments_then_error_in_200_stream.sse"
);
const FROM_ONE: &[u8] =
    include_bytes!("../../../../tests/fixtures/wire/openai__tool_index_starts_at_1_empty_args_delta.sse");
const MISTRAL: &str =
    include_str!("../../../../tests/fixtures/wire/openai__mistral_tool_call_no_index_no_type.chunks.jsonl");

fn make() -> Assembler<Chunks> {
    Assembler::new(Chunks::new("m", "openai m"), Habit::Silent)
}

fn of(stream: &str) -> Events {
    fed_in_every_way(Framing::Events, make, stream.as_bytes()).0
}

/// The stream of these chunks' payloads.
fn chunks<'a>(payloads: impl IntoIterator<Item = &'a str>) -> String {
    payloads.into_iter().flat_map(|payload| ["data: ", payload, "\n\n"]).collect()
}

/// The stream of these deltas, that ends for this reason and with the last word.
fn deltas(deltas: &[&str], reason: &str) -> String {
    let chunk =
        |delta: &&str| format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#);
    let mut all: Vec<String> = deltas.iter().map(chunk).collect();
    all.push(format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":{reason}}}]}}"#));
    all.push("[DONE]".to_owned());
    chunks(all.iter().map(String::as_str))
}

fn text(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.to_owned())
}
fn called(tool: &str, args: &str) -> ReplyEvent {
    ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() }
}
fn ended(input: Option<u64>, output: Option<u64>, reason: EndReason) -> [ReplyEvent; 2] {
    [ReplyEvent::Usage(Usage { input, output }), ReplyEvent::End(reason)]
}
fn good(before: &[ReplyEvent], end: [ReplyEvent; 2]) -> Events {
    before.iter().cloned().chain(end).map(Ok).collect()
}
fn complete(before: &[ReplyEvent]) -> Events {
    good(before, ended(None, None, EndReason::Complete))
}
fn broke(class: BackendFault, detail: &str) -> Result<ReplyEvent, BackendError> {
    Err(BackendError { class, detail: detail.to_owned() })
}
fn cut() -> Result<ReplyEvent, BackendError> {
    broke(BackendFault::Broken, "the reply stopped without its end")
}

#[test]
fn recorded_streams_at_every_split() {
    let parallel = fed_in_every_way(Framing::Events, make, PARALLEL).0;
    let calls = [called("alpha", r#"{"value": "red"}"#), called("beta", r#"{"value": "blue"}"#)];
    assert_eq!(parallel, good(&calls, ended(Some(90), Some(42), EndReason::Complete)));

    let from_one = fed_in_every_way(Framing::Events, make, FROM_ONE).0;
    let said = [text("Reading"), text(" it."), called("read_file", r#"{"path": "a.txt"}"#)];
    assert_eq!(from_one, complete(&said));

    let mistral = of(&chunks(MISTRAL.lines()));
    let call = [called("weather", r#"{"location": "San Francisco"}"#)];
    assert_eq!(mistral, good(&call, ended(Some(124), Some(22), EndReason::Complete)));

    // An error wins, although the end was announced before it and the last word came after it.
    let openrouter = fed_in_every_way(Framing::Events, make, OPENROUTER).0;
    assert_eq!(openrouter, [broke(BackendFault::Broken, "400: Token limit reached")]);
}

#[test]
fn a_stream_that_was_cut_anywhere_calls_nothing() {
    for (stream, marker) in [
        (PARALLEL, r#""finish_reason":"tool_calls""#),
        (FROM_ONE, r#""finish_reason":"tool_calls""#),
        (chunks(MISTRAL.lines()).as_bytes(), r#""finish_reason":"tool_calls""#),
        (OPENROUTER, r#""finish_reason":"length""#),
    ] {
        cut_anywhere(Framing::Events, make, stream, line_with(stream, marker));
    }
    let whole = r#"{"choices":[{"message":{"content":"Hi","tool_calls":[]},"finish_reason":"stop"}]}"#;
    cut_anywhere(Framing::Events, make, whole.as_bytes(), whole.len());
}

/// Faults 12 to 18 of the wild, each as it was reported: pieces of calls, and what comes of them.
#[test]
fn calls_in_each_form_that_servers_send() {
    for (why, pieces, want) in [
        (
            "12: arguments as an object",
            &[r#"{"index":0,"id":"a","function":{"name":"x","arguments":{"n":1}}}"#][..],
            &[called("x", r#"{"n":1}"#)][..],
        ),
        (
            "13: empty arguments",
            &[r#"{"index":0,"id":"a","function":{"name":"x","arguments":""}}"#],
            &[called("x", "{}")],
        ),
        (
            "13: no arguments",
            &[r#"{"index":0,"id":"a","function":{"name":"x","arguments":null}}"#],
            &[called("x", "{}")],
        ),
        (
            "13: arguments encoded twice",
            &[r#"{"index":0,"id":"a","function":{"name":"x","arguments":"\"{\\\"n\\\":1}\""}}"#],
            &[called("x", r#"{"n":1}"#)],
        ),
        (
            "14: an empty object before the arguments",
            &[
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#,
                r#"{"index":0,"function":{"arguments":"{\"n\":1}"}}"#,
            ],
            &[called("x", r#"{"n":1}"#)],
        ),
        (
            "15: all calls at index 0",
            &[
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"x","arguments":"{}"}}"#,
            ],
            &[called("x", "{}"), called("x", "{}")],
        ),
        (
            "16: a piece without an id after an index that came again",
            &[
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"y","arguments":"{\"n\""}}"#,
                r#"{"index":0,"function":{"name":"","arguments":":2}"}}"#,
            ],
            &[called("x", "{}"), called("y", r#"{"n":2}"#)],
        ),
        (
            "17: ids that are the same, or empty",
            &[
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#,
                r#"{"index":1,"id":"a","function":{"name":"y","arguments":"{}"}}"#,
                r#"{"index":2,"id":"","function":{"name":"z","arguments":"{}"}}"#,
            ],
            &[called("x", "{}"), called("y", "{}"), called("z", "{}")],
        ),
        (
            "20: arguments that are no JSON",
            &[r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":"}}"#],
            &[ReplyEvent::BadCall {
                tool: "x".to_owned(),
                why: "the arguments are no JSON: EOF while parsing a value at line 1 column 5".to_owned(),
            }],
        ),
        (
            "no call",
            &["7"],
            &[ReplyEvent::BadCall {
                tool: String::new(),
                why: "a call needs a function with a name, and its arguments".to_owned(),
            }],
        ),
    ] {
        let pieces: Vec<String> =
            pieces.iter().map(|piece| format!(r#"{{"tool_calls":[{piece}]}}"#)).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        // 28: the reason says nothing of whether there are calls.
        for reason in [r#""stop""#, r#""tool_calls""#, r#""new_reason""#, "null", r#""""#] {
            assert_eq!(of(&deltas(&pieces, reason)), complete(want), "{why}, {reason}");
        }
    }
}

#[test]
fn several_calls_and_text_in_one_chunk_and_the_end_too() {
    let stream = chunks([
        r#"{"choices":[{"delta":{"content":"So: ","tool_calls":[{"id":"a","index":0,"function":{"name":"x","arguments":"{}"}},{"id":"b","index":1,"function":{"name":"y"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#,
    ]);
    let said = [text("So: "), called("x", "{}"), called("y", "{}")];
    assert_eq!(of(&stream), good(&said, ended(Some(5), Some(2), EndReason::Complete)));
}

#[test]
fn an_empty_list_of_calls_is_an_answer() {
    let stream =
        deltas(&[r#"{"content":"Hi","tool_calls":[]}"#, r#"{"tool_calls":null}"#], r#""tool_calls""#);
    assert_eq!(of(&stream), complete(&[text("Hi")]));
}

/// Faults 4, 5 and 8: what is an end, and what is none.
#[test]
fn the_end_is_a_reason_or_the_last_word() {
    let hi = r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}"#;
    let stop = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let cost = r#"{"choices":[],"usage":{"prompt_tokens":3,"cost":1},"cost_sats":9}"#;
    let counted = good(&[text("Hi")], ended(Some(3), None, EndReason::Complete));
    assert_eq!(of(&chunks([hi, "[DONE]"])), complete(&[text("Hi")]), "no reason, but the last word");
    assert_eq!(of(&chunks([hi, stop])), complete(&[text("Hi")]), "a reason, but no last word");
    assert_eq!(of(&chunks([hi, stop, cost, "[DONE]"])), counted);
    assert_eq!(of(chunks([hi, stop, cost, "[DONE]"]).trim_end()), counted, "the last event is open");
    assert_eq!(of(&chunks([hi, cost])), [Ok(text("Hi")), cut()], "only a gateway's trailer");
    assert_eq!(of(&chunks([hi])), [Ok(text("Hi")), cut()]);
    assert_eq!(of(&chunks([hi, "[DONE]", hi])), complete(&[text("Hi")]), "after the end");
    assert_eq!(of(""), [cut()]);
}

#[test]
fn reasons_that_are_more_than_an_end() {
    let end = |reason: &str| of(&deltas(&[r#"{"content":"Hi"}"#], &format!("{reason:?}")));
    for (reason, want) in [
        ("length", EndReason::Length),
        ("model_length", EndReason::Length),
        ("content_filter", EndReason::Refused),
        ("end_turn", EndReason::Complete),
        ("function_call", EndReason::Complete),
    ] {
        assert_eq!(end(reason), good(&[text("Hi")], ended(None, None, want)), "{reason}");
    }
    let broken = |reason| end(reason).pop().expect("something came").expect_err("no end").class;
    assert_eq!(broken("insufficient_system_resource"), BackendFault::Busy(None));
    assert_eq!(broken("error"), BackendFault::ModelFault);
    let refused = of(&deltas(&[r#"{"refusal":"I"}"#, r#"{"refusal":" won't."}"#], r#""stop""#));
    assert_eq!(refused, good(&[text("I"), text(" won't.")], ended(None, None, EndReason::Refused)));
}

/// Faults 6, 7 and 9.
#[test]
fn errors_in_whatever_place_win() {
    let hi = r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}"#;
    for error in [
        r#"{"error":{"message":"it broke","type":"server_error"}}"#,
        r#"{"error":"it broke"}"#,
        r#"{"error":{"message":"it broke"},"choices":[{"delta":{"content":"late"},"finish_reason":"stop"}]}"#,
        r#"{"object":"error","message":"it broke","type":"BadRequestError"}"#,
        r#"[{"error":{"message":"it broke"}}]"#,
    ] {
        let want = [Ok(text("Hi")), broke(BackendFault::ModelFault, "it broke")];
        assert_eq!(of(&chunks([hi, error, "[DONE]"])), want, "{error}");
        assert_eq!(of(error), [broke(BackendFault::ModelFault, "it broke")], "whole: {error}");
    }
    let named = format!("{}event: error\ndata: {{\"message\":\"it broke\"}}\n\n", chunks([hi]));
    assert_eq!(of(&named), [Ok(text("Hi")), broke(BackendFault::ModelFault, "it broke")]);
    assert_eq!(of("{\"detail\":\"it broke\"}"), [broke(BackendFault::ModelFault, "it broke")]);
    let page = "<html>\n<body>Sign in</body>";
    assert_eq!(
        of(page),
        [broke(
            BackendFault::Broken,
            "a web page came, not an answer: is the address right? <html> <body>Sign in</body>"
        )]
    );
    let rubbish = of("data: {\"choices\":\n\n");
    assert!(matches!(&rubbish[..], [Err(error)] if error.class == BackendFault::Broken), "{rubbish:?}");
}

#[test]
fn an_answer_that_came_whole_is_read_by_the_same_rules() {
    let whole = r#"
{
  "id": "x", "object": "chat.completion", "error": null,
  "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi", "reasoning_content": "hm",
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{\"n\": 1}"}}]},
    "finish_reason": "tool_calls"}],
  "usage": {"prompt_tokens": 5, "completion_tokens": 2}
}"#;
    let kept = ReplyEvent::Opaque(r#"{"by":"openai m","reasoning_content":"hm","calls":[null]}"#.to_owned());
    let said = [text("Hi"), kept, called("x", r#"{"n": 1}"#)];
    // Without a new event after each line, since there are no events.
    assert_eq!(
        fed(Framing::Events, make(), whole.as_bytes().chunks(1)).0,
        good(&said, ended(Some(5), Some(2), EndReason::Complete))
    );
}

#[test]
fn thoughts_are_no_text_and_are_kept_beside_calls_alone() {
    let thought = r#"{"content":null,"reasoning":"a","reasoning_content":"a"}"#;
    let more = r#"{"content":"","reasoning_content":"b"}"#;
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}"#;
    assert_eq!(of(&deltas(&[thought, more, r#"{"content":"Hi"}"#], r#""stop""#)), complete(&[text("Hi")]));
    let kept = ReplyEvent::Opaque(r#"{"by":"openai m","reasoning_content":"ab","calls":[null]}"#.to_owned());
    assert_eq!(of(&deltas(&[thought, more, call], r#""stop""#)), complete(&[kept, called("x", "{}")]));
    // Only where it must be sent back.
    let reasoning = r#"{"reasoning":"a"}"#;
    assert_eq!(of(&deltas(&[reasoning, call], r#""stop""#)), complete(&[called("x", "{}")]));
    // A signature at one of the calls.
    let signed = r#"{"tool_calls":[{"index":0,"id":"b","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"y","arguments":"{}"}}]}"#;
    let stream = deltas(&[call, signed], r#""stop""#);
    let events = fed(Framing::Events, make(), [stream.as_bytes()]).0;
    let kept = r#"{"by":"openai m","calls":[null,{"google":{"thought_signature":"s"}}]}"#;
    assert_eq!(
        events,
        complete(&[ReplyEvent::Opaque(kept.to_owned()), called("x", "{}"), called("y", "{}")])
    );
    // It is given to who made it alone.
    let of = |by| serde_json::to_value(Kept::of(&["{}", "rubbish", kept], by)).expect("JSON");
    assert_eq!(of("openai m")["calls"][1]["google"]["thought_signature"], "s");
    assert_eq!(of("openai n").get("calls"), None);
}

#[test]
fn thoughts_that_come_in_pieces_are_kept_as_the_objects_that_they_are() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}"#;
    let details = |details: &str| format!(r#"{{"reasoning":"a","reasoning_details":{details}}}"#);
    let pieces = [
        details(r#"[{"type":"reasoning.text","index":0,"text":"Let me","format":null,"signature":null}]"#),
        details(r#"[{"type":"reasoning.text","index":0,"text":" look.","format":"f"},7]"#),
        details(
            r#"[{"type":"reasoning.text","index":0,"signature":"s"},{"type":"reasoning.encrypted","index":1,"id":"a","data":"x"}]"#,
        ),
        details(
            r#"[{"type":"reasoning.encrypted","index":1,"id":"b","data":"y"},{"type":"reasoning.encrypted","data":"z"}]"#,
        ),
        details(
            r#"[{"type":"reasoning.encrypted","index":1,"id":"a","data":"x"},{"type":"reasoning.encrypted","data":"z"}]"#,
        ),
        details("[]"),
        details(r#"{"odd":1}"#),
    ];
    let mut said: Vec<&str> = pieces.iter().map(String::as_str).collect();
    said.push(call);
    // Without new fields in them, which would be kept too.
    let events = fed(Framing::Events, make(), [deltas(&said, r#""tool_calls""#).as_bytes()]).0;
    let [Ok(ReplyEvent::Opaque(kept)), ..] = &events[..] else { panic!("{events:?}") };
    assert_eq!(events, complete(&[ReplyEvent::Opaque(kept.clone()), called("x", "{}")]));
    let want = serde_json::json!([
        {"type": "reasoning.text", "index": 0, "text": "Let me look.", "format": "f", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "id": "a", "data": "xx"},
        {"type": "reasoning.encrypted", "index": 1, "id": "b", "data": "y"},
        {"type": "reasoning.encrypted", "data": "z"},
        {"type": "reasoning.encrypted", "data": "z"},
    ]);
    let details =
        |by| serde_json::to_value(Kept::of(&[kept], by)).expect("JSON").get("reasoning_details").cloned();
    assert_eq!((details("openai m"), details("openai n")), (Some(want), None));
    // What comes whole is whole.
    let twice =
        r#"[{"type":"reasoning.text","index":0,"text":"a"},{"type":"reasoning.text","index":0,"text":"b"}]"#;
    let whole = format!(
        r#"{{"choices":[{{"message":{{"reasoning_details":{twice},{}}},"finish_reason":"tool_calls"}}]}}"#,
        &call[1..call.len() - 1]
    );
    let events = fed(Framing::Events, make(), [whole.as_bytes()]).0;
    let [Ok(ReplyEvent::Opaque(kept)), ..] = &events[..] else { panic!("{events:?}") };
    assert!(kept.contains(r#""text":"a""#) && kept.contains(r#""text":"b""#), "{kept}");
    // Without calls nothing is to be sent back.
    assert_eq!(of(&deltas(&[&pieces[0], r#"{"content":"Hi"}"#], r#""stop""#)), complete(&[text("Hi")]));
}

#[test]
fn odd_fields_do_not_take_the_others_with_them() {
    let stream = chunks([
        r#"{"choices":[{"index":0,"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":"a"},{"type":"text","text":"Hi"}]}}]}"#,
        r#"{"choices":[{"delta":{"content":{"odd":1},"role":7,"tool_calls":{}}}]}"#,
        r#"{"choices":{},"usage":"none"}"#,
        r#"{"choices":[{"delta":"?","finish_reason":3}],"usage":{"prompt_tokens":-1,"completion_tokens":7}}"#,
        "{}",
        "[DONE]",
    ]);
    let bad = ReplyEvent::BadCall {
        tool: String::new(),
        why: "a call needs a function with a name, and its arguments".to_owned(),
    };
    let want = good(&[text("Hi"), bad], ended(None, Some(7), EndReason::Complete));
    assert_eq!(fed(Framing::Events, make(), [stream.as_bytes()]).0, want);
}

#[test]
fn thoughts_are_kept_as_few_objects() {
    let think = |index: usize| {
        format!(r#"{{"reasoning_details":[{{"type":"reasoning.text","index":{index},"text":"a"}}]}}"#)
    };
    let mut all: Vec<String> = (0..2 * DETAILS).map(think).collect();
    all.push(r#"{"tool_calls":[{"function":{"name":"x","arguments":""}}]}"#.to_owned());
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let events = fed(Framing::Events, make(), [deltas(&all, r#""tool_calls""#).as_bytes()]).0;
    let Ok(ReplyEvent::Opaque(kept)) = &events[0] else { panic!("{events:?}") };
    assert_eq!(Kept::of(&[kept], "openai m").reasoning_details.len(), DETAILS);
}

#[test]
fn thoughts_are_kept_as_few_values() {
    let kept = |think: &dyn Fn(usize) -> String| {
        let think = |number: usize| format!(r#"{{"reasoning_details":[{}]}}"#, think(number));
        let mut all: Vec<String> = (0..100).map(think).collect();
        all.push(r#"{"tool_calls":[{"function":{"name":"x","arguments":""}}]}"#.to_owned());
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let events = fed(Framing::Events, make(), [deltas(&all, r#""tool_calls""#).as_bytes()]).0;
        let Ok(ReplyEvent::Opaque(kept)) = &events[0] else { panic!("{events:?}") };
        kept.clone()
    };
    let bomb = vec![r#"{"":0}"#; 1000].join(",");
    let new = |number: usize| format!(r#"{{"type":"t","index":{number},"x":[{bomb}]}}"#);
    let going_on = |number: usize| format!(r#"{{"type":"t","index":0,"x{number}":[{bomb}]}}"#);
    let said_again = |_: usize| format!(r#"{{"type":"t","index":0,"x":[{bomb}]}}"#);
    for bombs in [&new as &dyn Fn(usize) -> String, &going_on, &said_again] {
        assert!(kept(bombs).matches(r#"{"":0}"#).count() <= VALUES / 2);
    }
    // What is said with each piece costs nothing.
    let honest = |_: usize| r#"{"type":"t","index":0,"format":"f","id":null,"text":"ab"}"#.to_owned();
    assert!(kept(&honest).contains(&"ab".repeat(100)));
}
