use proptest::prelude::*;

use super::*;

/// Gives out parts that a test made.
struct Given(Vec<Result<Vec<Part>, BackendError>>);

impl Reader for Given {
    fn read(&mut self, _: &Frame, parts: &mut Vec<Part>) -> Result<(), BackendError> {
        parts.extend(self.0.remove(0)?);
        Ok(())
    }
}

fn assembled(frames: Vec<Result<Vec<Part>, BackendError>>) -> Events {
    let (count, frame) = (frames.len(), Frame::Whole(String::new()));
    let mut assembler = Assembler::new(Given(frames), Habit::Silent);
    let mut events: Events = (0..count).flat_map(|_| assembler.frame(&frame)).collect();
    events.extend(assembler.no_more());
    assert!(assembler.is_over());
    assert_eq!(assembler.no_more(), []);
    events
}

/// The calls of a reply of these pieces, as `tool args` or `tool! why`.
fn calls(pieces: &[Piece]) -> Vec<String> {
    let mut frames: Vec<_> = pieces.iter().map(|piece| Ok(vec![Part::Call(piece.clone())])).collect();
    frames.push(Ok(vec![Part::Over]));
    let line = |event| match event {
        Ok(ReplyEvent::Call { tool, args }) => Some(format!("{tool} {args}")),
        Ok(ReplyEvent::BadCall { tool, why }) => Some(format!("{tool}! {why}")),
        _ => None,
    };
    assembled(frames).into_iter().filter_map(line).collect()
}

/// `id index tool fragment`, a dot for what is absent.
fn piece(written: &str) -> Piece {
    let mut parts = written.splitn(4, ' ').map(|part| if part == "." { "" } else { part }.to_owned());
    let mut next = || parts.next().unwrap_or_default();
    Piece { id: next(), index: next().parse().ok(), tool: next(), fragment: next(), whole: None }
}

fn whole(tool: &str, whole: &str) -> Piece {
    Piece { tool: tool.to_owned(), whole: Some(whole.to_owned()), ..Piece::default() }
}

#[test]
fn a_piece_goes_to_its_call() {
    let cases: [(&str, &[&str], &[&str]); 13] = [
        ("by index", &["a 0 x .", ". 0 . {\"v\"", "b 1 y {}", ". 0 . :1}"], &["x {\"v\":1}", "y {}"]),
        ("indexes from 1", &["a 1 x .", ". 1 . {}"], &["x {}"]),
        ("all at index 0, told apart by id", &["a 0 x {}", "b 0 y {}"], &["x {}", "y {}"]),
        (
            "the same index again, later pieces without id",
            &["a 0 x {", ". 0 . }", "b 0 y {\"a\"", ". 0 . :1}"],
            &["x {}", "y {\"a\":1}"],
        ),
        ("no index", &["a . x {}", "b . y {", "b . . }"], &["x {}", "y {}"]),
        ("no index and no id", &[". . x {}", ". . y {", ". . . }"], &["x {}", "y {}"]),
        ("no id, index always 0", &[". 0 x {}", ". 0 x {}", ". 0 y {}"], &["x {}", "x {}", "y {}"]),
        ("name and id in every piece", &["a 0 x {", "a 0 x }"], &["x {}"]),
        ("name in every piece, no id", &[". 0 x {", ". 0 x }", ". 0 x {}"], &["x {}", "x {}"]),
        ("empty name later", &["a 0 x {", ". 0 . }", "a . . ."], &["x {}"]),
        ("a new id in every piece", &["a 0 x {", "b 0 . }"], &["x {}"]),
        ("one id for two calls", &["a 0 x {}", "a 1 y {}"], &["x {}", "y {}"]),
        ("a name that comes late", &["a 0 . .", ". 0 x {}"], &["x {}"]),
    ];
    for (why, pieces, want) in cases {
        let pieces: Vec<Piece> = pieces.iter().map(|written| piece(written)).collect();
        assert_eq!(calls(&pieces), want, "{why}");
    }
}

#[test]
fn arguments_are_the_text_of_an_object() {
    for (fragments, want) in [
        (&["", ""][..], "x {}"),
        (&["null"], "x {}"),
        (&[" {\"a\"", ":1e400} "], "x {\"a\":1e400}"),
        (&["{}{\"a\":1}"], "x {\"a\":1}"),
        (&["\"{\\\"a\\\":1}\""], "x {\"a\":1}"),
        (&["\"\""], "x {}"),
        (&["\"\\\"{}\\\"\""], "x! the arguments are no object"),
        (&["[1]"], "x! the arguments are no object"),
        (&["{}x"], "x! the arguments are no JSON: trailing characters at line 1 column 3"),
        (&["{\"a"], "x! the arguments are no JSON: EOF while parsing a string at line 1 column 3"),
    ] {
        let pieces = fragments.iter().map(|text| piece(&format!("a 0 x {text}")));
        assert_eq!(calls(&pieces.collect::<Vec<_>>()), [want], "{fragments:?}");
    }
}

#[test]
fn whole_arguments_count_where_no_fragments_came() {
    assert_eq!(
        calls(&[whole("x", "{\"a\":1}"), whole("x", "null"), whole("y", "\"{}\"")]),
        ["x {\"a\":1}", "x {}", "y {}"]
    );
    let at = |written: &str, args: &str| Piece { whole: Some(args.to_owned()), ..piece(written) };
    assert_eq!(calls(&[at("a 0 x", "{}"), piece("a 0 . {\"b\":2}")]), ["x {\"b\":2}"]);
    assert_eq!(calls(&[at("a 0 x", "{}"), at("a 0 .", "{\"b\":2}"), at("a 0 .", "{}")]), ["x {\"b\":2}"]);
}

#[test]
fn what_is_no_call_is_said() {
    let bad = "! a call needs a function with a name, and its arguments";
    assert_eq!(calls(&[piece("a 0 . {}")]), [bad]);
    assert_eq!(calls(&[piece(". . . {}")]), [bad]);
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}
fn said(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.to_owned())
}
fn called() -> Part {
    Part::Call(whole("x", "{}"))
}
fn call() -> ReplyEvent {
    ReplyEvent::Call { tool: "x".to_owned(), args: "{}".to_owned() }
}
fn end(reason: EndReason) -> [Result<ReplyEvent, BackendError>; 2] {
    [Ok(ReplyEvent::Usage(Usage::default())), Ok(ReplyEvent::End(reason))]
}
fn cut() -> BackendError {
    fault(BackendFault::Broken, "the reply stopped without its end")
}

#[test]
fn calls_come_with_the_end_alone() {
    let [usage, done] = end(EndReason::Complete);
    let opaque = || Part::Opaque("o".to_owned());
    assert_eq!(
        assembled(vec![Ok(vec![called(), opaque(), text("a")]), Ok(vec![Part::Ends(EndReason::Complete)])]),
        [Ok(said("a")), Ok(ReplyEvent::Opaque("o".to_owned())), Ok(call()), usage.clone(), done.clone()]
    );
    assert_eq!(assembled(vec![Ok(vec![called(), text("a")])]), [Ok(said("a")), Err(cut())]);
    assert_eq!(assembled(vec![Ok(vec![text("a"), opaque(), Part::Over])]), [Ok(said("a")), usage, done]);
}

#[test]
fn an_error_wins_over_an_end_that_was_announced() {
    let error = fault(BackendFault::Busy(None), "x");
    let frames =
        vec![Ok(vec![called(), Part::Ends(EndReason::Complete)]), Err(error.clone()), Ok(vec![Part::Over])];
    assert_eq!(assembled(frames), [Err(error)]);
}

#[test]
fn nothing_is_read_after_the_end() {
    let error = fault(BackendFault::Busy(None), "x");
    let frames = vec![Ok(vec![Part::Over, text("late"), called()]), Ok(vec![text("later")]), Err(error)];
    assert_eq!(assembled(frames), end(EndReason::Complete));
}

#[test]
fn a_limit_is_not_taken_back_and_what_was_refused_calls_nothing() {
    let ends = |reason| Ok(vec![Part::Ends(reason)]);
    let [usage, length] = end(EndReason::Length);
    assert_eq!(
        assembled(vec![Ok(vec![called()]), ends(EndReason::Length), ends(EndReason::Complete)]),
        [Ok(call()), usage, length]
    );
    assert_eq!(assembled(vec![Ok(vec![called()]), ends(EndReason::Refused)]), end(EndReason::Refused));
}

#[test]
fn counts_are_kept_each_for_itself() {
    let usage = |input, output| Part::Usage(Usage { input, output });
    let parts = vec![usage(Some(0), Some(1)), usage(Some(32), None), usage(None, Some(7)), Part::Over];
    assert_eq!(
        assembled(vec![Ok(parts)])[0],
        Ok(ReplyEvent::Usage(Usage { input: Some(32), output: Some(7) }))
    );
}

#[test]
fn text_before_a_call_is_shown_although_it_may_have_been_a_thought() {
    let mut assembler = Assembler::new(Given(vec![Ok(vec![text("Let me look."), called()])]), Habit::Unknown);
    assert_eq!(assembler.frame(&Frame::Whole(String::new())), [Ok(said("Let me look."))]);
}

fn any_part() -> impl Strategy<Value = Part> {
    let id = prop_oneof![Just(""), Just("a"), Just("b")];
    let name = prop_oneof![Just(""), Just("x"), Just("y")];
    let fragment = prop_oneof![Just(""), Just("{"), Just("}"), Just("\"a\":1"), Just("\\"), Just("\"")];
    let piece = (id, proptest::option::of(0_u64..3), name, fragment, proptest::option::of("[{}\"]{0,2}"));
    let piece = piece.prop_map(|(id, index, tool, fragment, whole)| {
        Part::Call(Piece { id: id.into(), index, tool: tool.into(), fragment: fragment.into(), whole })
    });
    let reason = prop_oneof![Just(EndReason::Complete), Just(EndReason::Length), Just(EndReason::Refused)];
    prop_oneof![
        6 => piece,
        2 => "[a<>/think]{0,9}".prop_map(Part::Text),
        1 => Just(Part::NoCall),
        1 => Just(Part::Opaque("o".to_owned())),
        1 => reason.prop_map(Part::Ends),
        1 => Just(Part::Over),
    ]
}

proptest! {
    #[test]
    fn whatever_parts_come_there_is_one_end_and_calls_stand_before_it(
        frames in proptest::collection::vec(proptest::collection::vec(any_part(), 0..5), 0..9),
        fails_at in 0_usize..12,
    ) {
        let mut frames: Vec<_> = frames.into_iter().map(Ok).collect();
        if fails_at < frames.len() {
            frames[fails_at] = Err(fault(BackendFault::ModelFault, "x"));
        }
        let events = assembled(frames);
        let is_last = |event: &Result<ReplyEvent, _>| matches!(event, Err(_) | Ok(ReplyEvent::End(_)));
        prop_assert_eq!(events.iter().filter(|event| is_last(event)).count(), 1);
        prop_assert!(is_last(events.last().expect("one is there")));
        let calls = |event: &Result<ReplyEvent, _>| {
            matches!(event, Ok(ReplyEvent::Call { .. } | ReplyEvent::BadCall { .. } | ReplyEvent::Opaque(_)))
        };
        if events.last().expect("one is there").is_err() {
            prop_assert!(!events.iter().any(calls));
        }
        for event in &events {
            if let Ok(ReplyEvent::Call { args, .. }) = event {
                prop_assert!(serde_json::from_str::<serde_json::Map<_, _>>(args).is_ok(), "{}", args);
            }
        }
    }
}
