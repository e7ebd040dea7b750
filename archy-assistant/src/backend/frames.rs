//! What a streamed reply is made of: lines of JSON, or server-sent events on top of the same lines.
//!
//! Nothing depends on a content type, because gateways set it as they like. Comments, events without data and
//! heartbeats in the data are passed over; an event that the last bytes leave open is given out all the same. A body
//! that begins as JSON or as a web page where events were asked for is one frame, whole.

use super::lines::{LimitError, Limits, Lines};

/// What the lines hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Each is JSON.
    Json,
    /// Fields of events.
    Events,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A piece of a stream.
    Piece {
        /// The event's name; mostly empty.
        name: String,
        /// Its data, never empty.
        data: String,
    },
    /// No stream came, but this.
    Whole(String),
}

impl Frame {
    /// What it holds.
    pub(crate) fn data(&self) -> &str {
        match self {
            Self::Piece { data, .. } | Self::Whole(data) => data,
        }
    }
}

/// The decoder. [`feed`](Self::feed) it a packet, then take frames until there is none.
#[derive(Debug)]
pub(crate) struct Frames {
    lines: Lines,
    most: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Json,
    /// Before the first line of what are to be events.
    Start,
    Events {
        name: String,
        data: Option<String>,
    },
    Whole(String),
}

impl Frames {
    pub(crate) fn new(framing: Framing, limits: Limits) -> Self {
        let state = match framing {
            Framing::Json => State::Json,
            Framing::Events => State::Start,
        };
        Self { lines: Lines::new(limits), most: limits.line, state }
    }

    /// Takes the next packet.
    pub(crate) fn feed(&mut self, packet: &[u8]) {
        self.lines.feed(packet);
    }

    /// Nothing more will come.
    pub(crate) fn end(&mut self) {
        self.lines.end();
    }

    /// How many bytes are kept of what was fed.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn kept(&self) -> usize {
        let begun = match &self.state {
            State::Json | State::Start => 0,
            State::Events { name, data } => name.len() + data.as_ref().map_or(0, String::len),
            State::Whole(text) => text.len(),
        };
        self.lines.kept() + begun
    }

    /// Whether [`end`](Self::end) was called.
    pub(crate) fn is_ended(&self) -> bool {
        self.lines.is_ended()
    }

    /// The next frame; `None` until more is fed, or for good after the last one.
    ///
    /// # Errors
    ///
    /// More came than the limits allow, for a line, for one event or for all.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, LimitError> {
        while let Some(line) = self.lines.next()? {
            if let Some(frame) = self.line(line)? {
                return Ok(Some(frame));
            }
        }
        Ok(if self.lines.is_ended() { self.rest() } else { None })
    }

    fn line(&mut self, line: String) -> Result<Option<Frame>, LimitError> {
        if matches!(self.state, State::Start) && !line.trim().is_empty() {
            // No field of an event begins so.
            if line.trim_start().starts_with(['{', '[', '<']) {
                self.state = State::Whole(line);
                return Ok(None);
            }
            self.state = State::Events { name: String::new(), data: None };
        }
        match &mut self.state {
            State::Start => Ok(None),
            State::Json if line.trim().is_empty() => Ok(None),
            State::Json => Ok(Some(Frame::Piece { name: String::new(), data: line })),
            State::Whole(text) => join(text, &line, self.most).map(|()| None),
            State::Events { .. } if line.is_empty() => Ok(self.rest()),
            State::Events { name, data } => {
                let (field, value) = line.split_once(':').unwrap_or((&line, ""));
                let value = value.strip_prefix(' ').unwrap_or(value);
                match (field, data.as_mut()) {
                    ("event", _) => value.clone_into(name),
                    ("data", Some(data)) => join(data, value, self.most)?,
                    ("data", None) => *data = Some(value.to_owned()),
                    _ => {}
                }
                Ok(None)
            }
        }
    }

    /// What was begun, as a frame, if it is one.
    fn rest(&mut self) -> Option<Frame> {
        match &mut self.state {
            State::Json | State::Start => None,
            State::Whole(text) => {
                Some(std::mem::take(text)).filter(|text| !text.is_empty()).map(Frame::Whole)
            }
            State::Events { name, data } => {
                let (name, data) = (std::mem::take(name), data.take()?);
                let heartbeat = data.trim().is_empty() || data.starts_with(':');
                (!heartbeat).then_some(Frame::Piece { name, data })
            }
        }
    }
}

fn join(text: &mut String, line: &str, most: usize) -> Result<(), LimitError> {
    if text.len() + 1 + line.len() > most {
        return Err(LimitError::Line);
    }
    text.push('\n');
    text.push_str(line);
    Ok(())
}

/// The frames of `packets`, as a transport would feed them, and what was too long. Little is kept meanwhile.
#[cfg(any(test, fuzzing))]
pub(crate) fn framed<'a>(
    framing: Framing,
    packets: impl IntoIterator<Item = &'a [u8]>,
    limits: Limits,
) -> (Vec<Frame>, Option<LimitError>) {
    let (mut decoder, mut frames, mut last) = (Frames::new(framing, limits), Vec::new(), 0);
    for packet in packets.into_iter().map(Some).chain([None]) {
        match packet {
            Some(packet) => {
                last = packet.len();
                decoder.feed(packet);
            }
            None => decoder.end(),
        }
        loop {
            match decoder.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Some(error)),
            }
        }
        // The last packet, and a line, a name and data, of which each byte may have become U+FFFD.
        let most = last + 7 * limits.line;
        assert!(decoder.kept() <= most, "{} bytes are kept of at most {most}", decoder.kept());
    }
    assert_eq!(decoder.next(), Ok(None), "what was given out is not given again");
    (frames, None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(name: &str, data: &str) -> Frame {
        Frame::Piece { name: name.to_owned(), data: data.to_owned() }
    }

    fn events(text: &str) -> Vec<Frame> {
        let single = framed(Framing::Events, text.as_bytes().chunks(1), Limits::REPLY);
        let whole = framed(Framing::Events, [text.as_bytes()], Limits::REPLY);
        assert_eq!(single, whole, "{text:?}");
        assert_eq!(whole.1, None);
        whole.0
    }

    #[test]
    fn events_in_whatever_form() {
        for (text, want) in [
            ("data: a\n\ndata:b\n\n", vec![piece("", "a"), piece("", "b")]),
            ("event: x\ndata: a\n\ndata: b\n\n", vec![piece("x", "a"), piece("", "b")]),
            ("data: a\ndata\ndata:  b\n\n", vec![piece("", "a\n\n b")]),
            (
                "\u{feff}data: a\r\n\r\ndata: b\r\rdata: c",
                vec![piece("", "a"), piece("", "b"), piece("", "c")],
            ),
            (": comment\n\n: ping\n\ndata: a\n: between\nid: 7\nretry: 3\nodd\n\n", vec![piece("", "a")]),
            ("event: ping\n\ndata: a\n\n", vec![piece("", "a")]),
            ("event: ping\ndata:\n\ndata: : keepalive\n\ndata: \n\ndata: a\n\n", vec![piece("", "a")]),
            ("\n\n\ndata: [DONE]", vec![piece("", "[DONE]")]),
            ("data: ä", vec![piece("", "ä")]),
            ("database: a\n\nDATA: b\n\n", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(events(text), want, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_stream_is_one_frame() {
        for text in ["{\n \"a\": 1\n\n}", " [1]", "<html>\ndata: a"] {
            assert_eq!(events(&format!("\n{text}\n")), [Frame::Whole(text.to_owned())]);
        }
        assert_eq!(events("data: a\n\n{}\n\n"), [piece("", "a")]);
    }

    #[test]
    fn lines_of_json_are_frames_as_they_are() {
        let text = b"{\"a\":1}\n\n  \n<html>";
        let want = (vec![piece("", "{\"a\":1}"), piece("", "<html>")], None);
        assert_eq!(framed(Framing::Json, [&text[..]], Limits::REPLY), want);
    }

    #[test]
    fn one_event_is_no_longer_than_a_line() {
        let limits = Limits { line: 9, total: 99 };
        let fed = |text: &str| framed(Framing::Events, [text.as_bytes()], limits);
        assert_eq!(fed("data:abcd\ndata:efg\n\n"), (vec![piece("", "abcd\nefg")], None));
        assert_eq!(fed("data:abcd\ndata:efgh\n\n"), (vec![piece("", "abcd\nefgh")], None));
        assert_eq!(
            fed("data:a\n\ndata:abcd\ndata:efgh\ndata:\n"),
            (vec![piece("", "a")], Some(LimitError::Line))
        );
        assert_eq!(fed("{\n12345\n6789\n"), (vec![], Some(LimitError::Line)));
    }

    proptest! {
        #[test]
        fn packets_make_no_difference(
            parts in proptest::collection::vec(prop_oneof![
                3 => any::<u8>().prop_map(|byte| vec![byte]),
                4 => Just(b"\n".to_vec()), 2 => Just(b"\r".to_vec()), 4 => Just(b"data:".to_vec()),
                2 => Just(b"event: ".to_vec()), 1 => Just(b"{".to_vec()), 1 => Just("\u{feff}".into()),
            ], 0..40),
            cuts in proptest::collection::vec(0_usize..120, 0..6),
            line in 1_usize..40,
            total in 1_usize..120,
        ) {
            let bytes = parts.concat();
            let limits = Limits { line, total };
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let packets: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            for framing in [Framing::Json, Framing::Events] {
                let whole = framed(framing, [&bytes[..]], limits);
                prop_assert_eq!(framed(framing, packets.iter().copied(), limits), whole.clone());
                prop_assert_eq!(framed(framing, bytes.chunks(1), limits), whole);
            }
        }
    }
}
