//! What must hold of whatever a server sends. The targets in `fuzz/` look for bytes of which it does not hold; the tests
//! below do with less, on stable.

use serde_json::Value;
use serde_json::value::RawValue;

use super::assemble::{Assembler, Events, Reader};
use super::claude::reply::MessageEvents;
use super::fed::{fed, holds};
use super::frames::{Frame, Framing, framed};
use super::lines::Limits;
use super::ollama::reply::Lines;
use super::openai::reply::Chunks;
use super::thinking::Habit;
use crate::{Locality, ReplyEvent};

/// Whose replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Ollama's.
    Ollama,
    /// Anthropic's.
    Anthropic,
    /// Those of servers that speak as OpenAI's do.
    OpenAi,
}

/// The decoder. The first four bytes say what is expected, the limits, and how the rest is cut into packets.
///
/// # Panics
///
/// Something does not hold.
pub fn frames(bytes: &[u8]) {
    let [framing, line, total, cut, bytes @ ..] = bytes else { return };
    let framing = if framing % 2 == 0 { Framing::Events } else { Framing::Json };
    let limits = Limits { line: usize::from(*line) + 1, total: 16 * (usize::from(*total) + 1) };
    let whole = framed(framing, [bytes], limits);
    for size in [1, usize::from(*cut).max(1)] {
        assert_eq!(framed(framing, bytes.chunks(size), limits), whole, "{size} bytes at a time");
    }
    let given: usize = whole.0.iter().map(|frame| frame.data().len()).sum();
    assert!(given <= 3 * limits.total, "{given} bytes of at most {}", limits.total);
}

/// The assembler of `vendor`. The first byte says what is known of the model's thoughts, the second how the rest is cut.
///
/// # Panics
///
/// Something does not hold.
pub fn reply(vendor: Vendor, bytes: &[u8]) {
    let [habit, cut, reply @ ..] = bytes else { return };
    let habit = [Habit::Silent, Habit::Unknown, Habit::Aloud][usize::from(habit % 3)];
    match vendor {
        Vendor::Ollama => {
            all(vendor, || Assembler::new(Lines::new("m", Locality::OnNode), habit), reply, *cut);
        }
        Vendor::Anthropic => {
            all(vendor, || Assembler::new(MessageEvents::new("m", "by"), habit), reply, *cut);
        }
        Vendor::OpenAi => all(vendor, || Assembler::new(Chunks::new("m", "by"), habit), reply, *cut),
    }
}

fn all<R: Reader>(vendor: Vendor, make: impl Fn() -> Assembler<R>, reply: &[u8], cut: u8) {
    let framing = if vendor == Vendor::Ollama { Framing::Json } else { Framing::Events };
    let whole = fed(framing, make(), [reply]);
    for size in [1, usize::from(cut).max(1)] {
        assert_eq!(fed(framing, make(), reply.chunks(size)), whole, "{size} bytes at a time");
    }
    let (begin, rest) = reply.split_at(reply.len() * usize::from(cut) / 256);
    assert_eq!(fed(framing, make(), [begin, rest]), whole, "in two");
    for (bytes, events) in [(reply, whole.0), (begin, fed(framing, make(), [begin]).0)] {
        holds(&events);
        let most = 32 * bytes.len() + (64 << 10);
        assert!(weight(&events) <= most, "{} bytes came of {}", weight(&events), bytes.len());
        if let Some(Ok(ReplyEvent::End(_))) = events.last() {
            let (frames, _) = framed(framing, [bytes], Limits::REPLY);
            assert!(frames.iter().any(|frame| may_end(vendor, frame)), "no end was sent: {events:?}");
        }
    }
}

/// What the events take in memory.
fn weight(events: &Events) -> usize {
    let text = |event: &Result<ReplyEvent, _>| match event {
        Ok(ReplyEvent::Call { tool: a, args: b } | ReplyEvent::BadCall { tool: a, why: b }) => {
            a.len() + b.len()
        }
        Ok(ReplyEvent::Text(text) | ReplyEvent::Opaque(text)) => text.len(),
        _ => 0,
    };
    size_of_val(&**events) + events.iter().map(text).sum::<usize>()
}

/// Whether the vendor's word for the end is in the frame, wherever: read as a tree, which the readers never do.
fn may_end(vendor: Vendor, frame: &Frame) -> bool {
    let data = frame.data();
    let Ok(tree) = serde_json::from_str::<Value>(data) else {
        // Half a surrogate pair, a long number and depth are JSON for a reader, and no tree.
        return (vendor == Vendor::OpenAi && data.trim() == "[DONE]")
            || serde_json::from_str::<&RawValue>(data).is_ok();
    };
    matches!(frame, Frame::Whole(_))
        || has(&tree, &|key, value| match (vendor, key) {
            (Vendor::Ollama, "done") => *value == Value::Bool(true),
            (Vendor::Anthropic, "type") => value == "message_stop",
            (Vendor::Anthropic, "stop_reason") | (Vendor::OpenAi, "finish_reason") => value.is_string(),
            _ => false,
        })
}

fn has(tree: &Value, wanted: &impl Fn(&str, &Value) -> bool) -> bool {
    match tree {
        Value::Object(fields) => fields.iter().any(|(key, value)| wanted(key, value) || has(value, wanted)),
        Value::Array(all) => all.iter().any(|value| has(value, wanted)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;

    /// Each recorded stream, and whose it is.
    fn recorded() -> Vec<(Vendor, Vec<u8>)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/wire");
        let files = std::fs::read_dir(folder).expect("the folder is there");
        let one = |file: std::io::Result<std::fs::DirEntry>| {
            let path = file.expect("it can be read").path();
            let name = path.file_name()?.to_str()?;
            let vendor = match name.split_once("__")?.0 {
                "ollama" => Vendor::Ollama,
                "anthropic" => Vendor::Anthropic,
                "openai" => Vendor::OpenAi,
                _ => return None,
            };
            let text = std::fs::read_to_string(&path).expect("it is text");
            let payloads = || text.lines().flat_map(|line| ["data: ", line, "\n\n"]).collect();
            let stream = if path.extension()? == "jsonl" { payloads() } else { text.clone() };
            Some((vendor, stream.into_bytes()))
        };
        let mut recorded: Vec<_> = files.filter_map(one).collect();
        recorded.sort_by(|(_, a), (_, b)| a.cmp(b));
        recorded
    }

    #[test]
    fn every_recorded_stream_is_used() {
        let of = |vendor| recorded().iter().filter(|(whose, _)| *whose == vendor).count();
        assert_eq!([Vendor::Ollama, Vendor::Anthropic, Vendor::OpenAi].map(of), [2, 4, 4]);
    }

    proptest! {
        #[test]
        fn it_holds_of_anything(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            frames(&bytes);
            for vendor in [Vendor::Ollama, Vendor::Anthropic, Vendor::OpenAi] {
                reply(vendor, &bytes);
            }
        }

        #[test]
        fn it_holds_of_bent_streams(
            (vendor, mut bytes) in select(recorded()),
            bends in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..6),
            how in any::<[u8; 4]>(),
        ) {
            for (at, byte) in bends {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            frames(&[&how, &*bytes].concat());
            reply(vendor, &[&how[..2], &*bytes].concat());
        }
    }

    /// `before`, many times `one`, and `after`, for each vendor: little that costs much.
    #[test]
    fn what_costs_little_to_send_costs_little_to_keep() {
        for (vendor, before, one, after) in [
            (Vendor::Ollama, r#"{"message":{"tool_calls":[0"#, ",0", r#"]},"done":true}"#),
            (
                Vendor::Ollama,
                r#"{"done":false}"#,
                "\n{\"message\":{\"tool_calls\":[0]}}",
                "\n{\"done\":true}",
            ),
            (
                Vendor::OpenAi,
                r#"data: {"choices":[{"delta":{"tool_calls":[0"#,
                ",0",
                r#"]},"finish_reason":"stop"}]}"#,
            ),
            (Vendor::Anthropic, r#"{"stop_reason":"tool_use","content":[0"#, r#",{"type":"tool_use"}"#, "]}"),
        ] {
            reply(vendor, format!("\0\0{before}{}{after}", one.repeat(20_000)).as_bytes());
        }
    }

    /// A list in the place of an object: its parts are no fields.
    #[test]
    fn what_stands_in_a_list_is_no_end() {
        for (vendor, text) in [
            (Vendor::Ollama, "[null,null,null,true]"),
            (Vendor::Ollama, r#"{"message":{}}"#),
            (Vendor::Anthropic, "data: [\"message_stop\"]\n\n"),
            (
                Vendor::Anthropic,
                "data: {\"type\":\"message_delta\",\"delta\":[null,null,null,null,null,\"end_turn\"]}\n\n",
            ),
            (Vendor::OpenAi, "data: {\"choices\":[[null,null,\"stop\"]]}\n\n"),
        ] {
            reply(vendor, &[b"\0\xff", text.as_bytes()].concat());
        }
    }

    #[test]
    fn half_a_refusal_is_no_end() {
        let text = "data: {\"choices\":[{\"delta\":{\"refusal\":\"I\"}}]}\n\n";
        reply(Vendor::OpenAi, &[b"\0\x7f", text.as_bytes()].concat());
    }
}
