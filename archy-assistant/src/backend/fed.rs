//! Feeds recorded and built streams to an assembler, cut and bent in every way: what the tests of all vendors share.

use serde_json::{Value, json};

use super::assemble::{Assembler, Events, Reader};
use super::frames::{Framing, framed};
use super::lines::Limits;
use super::thinking::Habit;
use crate::{EndReason, ReplyEvent};

/// The events of `packets`, and what was learned of the model.
pub(crate) fn fed<'a, R: Reader>(
    framing: Framing,
    mut assembler: Assembler<R>,
    packets: impl IntoIterator<Item = &'a [u8]>,
) -> (Events, Habit) {
    let (frames, error) = framed(framing, packets, Limits::REPLY);
    assert_eq!(error, None, "what is fed is short");
    let mut events: Events = frames.iter().flat_map(|frame| assembler.frame(frame)).collect();
    events.extend(assembler.no_more());
    (events, assembler.habit())
}

/// The events of `bytes`, which must be the same wherever they are split, byte by byte, with other line ends, and with
/// fields and events in them that nobody knows.
pub(crate) fn fed_in_every_way<R: Reader>(
    framing: Framing,
    make: impl Fn() -> Assembler<R>,
    bytes: &[u8],
) -> (Events, Habit) {
    let whole = fed(framing, make(), [bytes]);
    holds(&whole.0);
    for at in 0..bytes.len() {
        let (a, b) = bytes.split_at(at);
        assert_eq!(fed(framing, make(), [a, b]), whole, "split at {at}");
    }
    assert_eq!(fed(framing, make(), bytes.chunks(1)), whole, "byte by byte");
    let text = std::str::from_utf8(bytes).expect("a stream is UTF-8");
    for end in ["\r\n", "\r"] {
        let other = text.replace('\n', end);
        assert_eq!(fed(framing, make(), other.as_bytes().chunks(3)), whole, "lines end with {end:?}");
    }
    let marked = format!("\u{feff}{text}");
    assert_eq!(fed(framing, make(), [marked.as_bytes()]), whole, "with a byte order mark");
    assert_eq!(fed(framing, make(), [more(text, framing).as_bytes()]), whole, "with more in it");
    whole
}

/// Cuts `bytes` at every byte: without the first `end` bytes, which hold the vendor's own word for the end, a reply is
/// an error and calls nothing; with them, it calls what the whole does or is an error.
pub(crate) fn cut_anywhere<R: Reader>(
    framing: Framing,
    make: impl Fn() -> Assembler<R>,
    bytes: &[u8],
    end: usize,
) {
    let whole = fed(framing, make(), [bytes]).0;
    let calls = |events: &Events| {
        let is_call = |event: &&_| matches!(event, Ok(ReplyEvent::Call { .. } | ReplyEvent::BadCall { .. }));
        events.iter().filter(is_call).cloned().collect::<Vec<_>>()
    };
    for at in 0..bytes.len() {
        let events = fed(framing, make(), [&bytes[..at]]).0;
        holds(&events);
        if matches!(events.last(), Some(Ok(ReplyEvent::End(_)))) {
            assert!(at >= end, "cut at {at} of {end}: {events:?}");
            assert_eq!(calls(&events), calls(&whole), "cut at {at}");
        }
    }
}

/// Where the line ends that holds `marker`.
pub(crate) fn line_with(bytes: &[u8], marker: &str) -> usize {
    let text = std::str::from_utf8(bytes).expect("a stream is UTF-8");
    let at = text.find(marker).expect("the marker is there");
    text[at..].find('\n').map_or(bytes.len(), |length| at + length)
}

/// What holds for the events of whatever came: one end, and calls only before an end.
pub(crate) fn holds(events: &Events) {
    let (last, before) = events.split_last().expect("a reply comes to its end");
    assert!(matches!(last, Ok(ReplyEvent::End(_)) | Err(_)), "{events:?}");
    for event in before {
        match event {
            Ok(ReplyEvent::Call { args, .. }) => {
                serde_json::from_str::<serde_json::Map<_, _>>(args).expect("arguments are an object");
                assert!(last.is_ok(), "a call of a reply that broke: {events:?}");
                assert_ne!(*last, Ok(ReplyEvent::End(EndReason::Refused)), "{events:?}");
            }
            Ok(ReplyEvent::BadCall { .. } | ReplyEvent::Opaque(_)) => assert!(last.is_ok(), "{events:?}"),
            Ok(ReplyEvent::Text(text)) => assert!(!text.is_empty(), "{events:?}"),
            Ok(ReplyEvent::Usage(_)) => {}
            other => panic!("{other:?} in the middle of {events:?}"),
        }
    }
}

/// The same stream with a field that is new in each object and, among events, an event that is new after each.
fn more(text: &str, framing: Framing) -> String {
    let line = |line: &str| {
        let (before, json) = match framing {
            Framing::Json => ("", line),
            Framing::Events => match line.split_once("data: ") {
                Some(("", json)) => ("data: ", json),
                _ => return line.to_owned(),
            },
        };
        let mut new = match serde_json::from_str::<Value>(json) {
            Ok(value) if value.is_object() => value,
            _ => return line.to_owned(),
        };
        add_fields(&mut new);
        let event = match framing {
            Framing::Json => "",
            Framing::Events => "\n\nevent: new_in_2031\ndata: {\"type\":\"new_in_2031\",\"index\":0}\n",
        };
        format!("{before}{new}{event}")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn add_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let own = |key: &str| matches!(key, "arguments" | "input");
            fields.iter_mut().filter(|(key, _)| !own(key)).for_each(|(_, value)| add_fields(value));
            fields.insert("new_in_2031".to_owned(), json!({ "a": [1, null, "x"] }));
        }
        Value::Array(all) => all.iter_mut().for_each(add_fields),
        _ => {}
    }
}
