//! From the parts of one reply to its events: the same for every vendor, streamed or whole.
//!
//! A vendor's [`Reader`] says what a frame holds. Here the thoughts are kept out of the text, the pieces of calls are
//! put together, and the end is watched. Calls are given out with the end alone, so a reply that was cut calls nothing;
//! the vendor's reason for the end never says whether there are any. Nothing after the end is read, and an error wins
//! over an end that was announced.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::fault::fault;
use super::frames::Frame;
use super::thinking::{Habit, Stretch, Thoughts};
use super::{BackendError, BackendFault, EndReason, ReplyEvent, Usage};

/// A reply has at most so many calls, far more than a turn takes: each costs many times its bytes.
const CALLS: usize = 256;

/// What comes of one frame.
pub(crate) type Events = Vec<Result<ReplyEvent, BackendError>>;

/// A vendor's frames, read. It keeps of a reply only what its own frames need to be understood.
pub(crate) trait Reader {
    /// Adds what `frame` holds, in its order. What is new or odd is passed over.
    ///
    /// # Errors
    ///
    /// The frame is an error of the vendor's, or nothing that can be read.
    fn read(&mut self, frame: &Frame, parts: &mut Vec<Part>) -> Result<(), BackendError>;
}

/// What a frame may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text, perhaps with thoughts in it.
    Text(String),
    /// What must be sent back beside the calls of this reply; without any, it is dropped.
    Opaque(String),
    /// A call, or a piece of one.
    Call(Piece),
    /// Something in the place of a call that is none.
    NoCall,
    /// Tokens used so far: a count that is there replaces the one before.
    Usage(Usage),
    /// Why it will end. More may follow.
    Ends(EndReason),
    /// The vendor's last word.
    Over,
}

/// A piece of a call. Without `id` and `index`, a named one is a call of its own and an unnamed one belongs to the
/// last; a new `id` always begins a call, whatever its index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Piece {
    /// The vendor's id of the call; empty where there is none.
    pub(crate) id: String,
    /// The vendor's place of the call in the reply; often wrong.
    pub(crate) index: Option<u64>,
    /// The tool's name; empty in the later pieces.
    pub(crate) tool: String,
    /// More of the arguments' text.
    pub(crate) fragment: String,
    /// All arguments, as JSON; counts where no fragment came.
    pub(crate) whole: Option<String>,
}

/// Assembles one reply.
#[derive(Debug)]
pub(crate) struct Assembler<R> {
    reader: R,
    thoughts: Thoughts,
    calls: Calls,
    opaque: Vec<String>,
    usage: Usage,
    ends: Option<EndReason>,
    over: bool,
}

impl<R: Reader> Assembler<R> {
    /// For a reply of a model that is known to think so.
    pub(crate) fn new(reader: R, habit: Habit) -> Self {
        Self {
            reader,
            thoughts: Thoughts::new(habit),
            calls: Calls::default(),
            opaque: Vec::new(),
            usage: Usage::default(),
            ends: None,
            over: false,
        }
    }

    /// The events of the next frame. After an error or the end there are none.
    pub(crate) fn frame(&mut self, frame: &Frame) -> Events {
        let (mut events, mut parts) = (Vec::new(), Vec::new());
        if self.over {
            return events;
        }
        let read = self.reader.read(frame, &mut parts);
        for part in parts {
            if !self.over {
                self.part(part, &mut events);
            }
        }
        if let (Err(error), false) = (read, self.over) {
            self.over = true;
            events.push(Err(error));
        }
        events
    }

    /// No more frames come: the end, if it was announced, else an error. Nothing, if either came before.
    pub(crate) fn no_more(&mut self) -> Events {
        let mut events = Vec::new();
        match self.ends {
            _ if self.over => {}
            Some(_) => self.part(Part::Over, &mut events),
            None => events.push(Err(fault(BackendFault::Broken, "the reply stopped without its end"))),
        }
        self.over = true;
        events
    }

    /// Whether the end or an error came.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the end was announced: what may still come adds nothing that must be waited for.
    pub(crate) fn is_ending(&self) -> bool {
        self.ends.is_some()
    }

    /// What is known of the model's thinking after this reply.
    pub(crate) fn habit(&self) -> Habit {
        self.thoughts.habit()
    }

    fn part(&mut self, part: Part, events: &mut Events) {
        match part {
            Part::Text(delta) => push_text(events, self.thoughts.text(&delta)),
            Part::Opaque(opaque) => self.opaque.push(opaque),
            Part::Call(piece) => {
                if self.calls.add(piece) {
                    self.call_begins(events);
                }
            }
            Part::NoCall => {
                self.calls.all.push(Call::default());
                self.call_begins(events);
            }
            Part::Usage(Usage { input, output }) => {
                self.usage =
                    Usage { input: input.or(self.usage.input), output: output.or(self.usage.output) };
            }
            // A later word does not take back that it was cut.
            Part::Ends(reason) => match self.ends {
                Some(EndReason::Length | EndReason::Refused) => {}
                _ => self.ends = Some(reason),
            },
            Part::Over => self.end(events),
        }
    }

    fn call_begins(&mut self, events: &mut Events) {
        push_text(events, self.thoughts.stretch_ends(Stretch::Call));
        if self.calls.all.len() > CALLS {
            self.over = true;
            events.push(Err(fault(BackendFault::Broken, &format!("a reply of more than {CALLS} calls"))));
        }
    }

    fn end(&mut self, events: &mut Events) {
        self.over = true;
        let reason = self.ends.unwrap_or(EndReason::Complete);
        let how = if reason == EndReason::Length { Stretch::Cut } else { Stretch::Complete };
        push_text(events, self.thoughts.stretch_ends(how));
        // What was refused in the middle calls nothing.
        if reason != EndReason::Refused && !self.calls.all.is_empty() {
            events.extend(self.opaque.drain(..).map(ReplyEvent::Opaque).map(Ok));
            events.extend(self.calls.all.drain(..).map(Call::into_event).map(Ok));
        }
        events.extend([Ok(ReplyEvent::Usage(self.usage)), Ok(ReplyEvent::End(reason))]);
    }
}

fn push_text(events: &mut Events, text: String) {
    if !text.is_empty() {
        events.push(Ok(ReplyEvent::Text(text)));
    }
}

/// The calls of a reply so far.
#[derive(Debug, Default)]
struct Calls {
    all: Vec<Call>,
    by_id: HashMap<String, usize>,
    by_index: HashMap<u64, usize>,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    tool: String,
    text: String,
    whole: Option<String>,
    depth: Depth,
}

impl Calls {
    /// Puts the piece where it belongs. Whether that is a new call.
    fn add(&mut self, piece: Piece) -> bool {
        let known = self.find(&piece);
        let place = known.unwrap_or_else(|| {
            self.all.push(Call { index: piece.index, ..Call::default() });
            self.all.len() - 1
        });
        let call = &mut self.all[place];
        if call.tool.is_empty() {
            call.tool = piece.tool;
        }
        call.depth.follow(&piece.fragment);
        call.text.push_str(&piece.fragment);
        if let Some(whole) = piece.whole
            && (call.whole.is_none() || !matches!(&*whole, "{}" | "null" | "\"\""))
        {
            call.whole = Some(whole);
        }
        if !piece.id.is_empty() {
            self.by_id.insert(piece.id, place);
        }
        if let Some(index) = piece.index {
            self.by_index.insert(index, place);
        }
        known.is_none()
    }

    fn find(&self, piece: &Piece) -> Option<usize> {
        let other = |place: &usize| {
            let call = &self.all[*place];
            let named_anew = !piece.tool.is_empty() && !call.tool.is_empty();
            named_anew && (piece.tool != call.tool || call.is_whole())
        };
        if !piece.id.is_empty() {
            // The same id at another place is another call, if it has a name; a new id without a name is none.
            let moved = |place: &usize| {
                let both = self.all[*place].index.zip(piece.index);
                !piece.tool.is_empty() && both.is_some_and(|(was, is)| was != is)
            };
            let known = self.by_id.get(&piece.id).filter(|place| !moved(place));
            let nameless = || piece.tool.is_empty().then(|| self.by_index.get(&piece.index?)).flatten();
            return known.or_else(nameless).copied();
        }
        match piece.index {
            Some(index) => self.by_index.get(&index).filter(|place| !other(place)).copied(),
            None if piece.tool.is_empty() => self.all.len().checked_sub(1),
            None => None,
        }
    }
}

impl Call {
    fn is_whole(&self) -> bool {
        self.whole.is_some() || self.depth.is_closed()
    }

    fn into_event(self) -> ReplyEvent {
        let tool = self.tool;
        if tool.is_empty() {
            let why = "a call needs a function with a name, and its arguments".to_owned();
            return ReplyEvent::BadCall { tool, why };
        }
        let text = if self.text.trim().is_empty() { self.whole.unwrap_or_default() } else { self.text };
        match object(&text) {
            Ok(args) => ReplyEvent::Call { tool, args },
            Err(why) => ReplyEvent::BadCall { tool, why },
        }
    }
}

/// The arguments as the text of an object. Nothing, `null` and an empty text mean none; an object that was sent as its
/// text is unwrapped, once.
fn object(text: &str) -> Result<String, String> {
    let text = text.trim();
    if let Ok(inner) = serde_json::from_str::<String>(text) {
        return plain_object(inner.trim());
    }
    match plain_object(text) {
        // Some begin with the empty object of the first frame.
        Err(why) => text.strip_prefix("{}").and_then(|rest| plain_object(rest).ok()).ok_or(why),
        good => good,
    }
}

fn plain_object(text: &str) -> Result<String, String> {
    match text {
        "" | "null" => Ok("{}".to_owned()),
        text => match serde_json::from_str::<&RawValue>(text) {
            Ok(object) if object.get().starts_with('{') => Ok(object.get().to_owned()),
            Ok(_) => Err("the arguments are no object".to_owned()),
            Err(error) => Err(format!("the arguments are no JSON: {error}")),
        },
    }
}

/// Where in an object a text stands that comes in pieces.
#[derive(Debug, Default)]
struct Depth {
    open: usize,
    began: bool,
    quoted: bool,
    escaped: bool,
}

impl Depth {
    fn follow(&mut self, fragment: &str) {
        for byte in fragment.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.quoted,
                b'"' => self.quoted = !self.quoted,
                _ if self.quoted => {}
                b'{' | b'[' => {
                    self.open += 1;
                    self.began = true;
                }
                b'}' | b']' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.began && self.open == 0 && !self.quoted
    }
}

#[cfg(test)]
mod tests;
