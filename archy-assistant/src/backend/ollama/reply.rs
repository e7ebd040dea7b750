//! The lines of `/api/chat` as events.
//!
//! A field that is missing, new or of another type is passed over; only a line that is no JSON object breaks the
//! reply. A line may hold text and calls at once, the last one too. The vendor's reason for the end never says whether
//! there were calls, and nothing after the end is read.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault;
use crate::backend::thinking::{Habit, Stretch, Thoughts};
use crate::{BackendError, BackendFault, EndReason, Locality, ReplyEvent, Usage};

/// What comes of one line.
pub(crate) type Events = Vec<Result<ReplyEvent, BackendError>>;

/// Assembles one reply.
#[derive(Debug)]
pub(crate) struct Assembler {
    model: String,
    locality: Locality,
    thoughts: Thoughts,
    over: bool,
}

impl Assembler {
    /// For a reply of `model`, which runs there and is known to think so.
    pub(crate) fn new(model: &str, locality: Locality, habit: Habit) -> Self {
        Self { model: model.to_owned(), locality, thoughts: Thoughts::new(habit), over: false }
    }

    /// The events of the next line. After an error or the end there are none.
    pub(crate) fn line(&mut self, line: &str) -> Events {
        if self.over || line.trim().is_empty() {
            return Vec::new();
        }
        let mut events = Vec::new();
        if let Err(error) = self.read(line, &mut events) {
            self.over = true;
            events.push(Err(error));
        }
        events
    }

    /// No more lines come: an error, unless the end was among them.
    pub(crate) fn no_more(&mut self) -> Option<BackendError> {
        let cut = !self.over;
        self.over = true;
        cut.then(|| fault::fault(BackendFault::Broken, "the reply stopped without its end"))
    }

    /// Whether the end or an error came.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// What is known of the model's thinking after this reply.
    pub(crate) fn habit(&self) -> Habit {
        self.thoughts.habit()
    }

    fn read(&mut self, line: &str, events: &mut Events) -> Result<(), BackendError> {
        let line: Line<'_> = serde_json::from_str(line).map_err(|error| {
            fault::fault(BackendFault::Broken, &format!("no line of a reply ({error}): {line}"))
        })?;
        if let Some(error) = line.error {
            let error = read::<Value>(Some(error)).unwrap_or_default();
            return Err(fault::in_stream(&error, &self.model));
        }
        if self.locality != Locality::Remote
            && read::<String>(line.remote_host).is_some_and(|host| !host.is_empty())
        {
            return Err(fault::fault(
                BackendFault::Unsuitable,
                "the reply came from a cloud, not from the server",
            ));
        }
        let message = said(line.message)?;
        let text = self.thoughts.text(&read::<String>(message.content).unwrap_or_default());
        push_text(events, text);
        let calls: Vec<&RawValue> = match message.tool_calls.map(|raw| (raw, serde_json::from_str(raw.get())))
        {
            None => Vec::new(),
            Some((_, Ok(calls))) => calls,
            Some((raw, Err(_))) => vec![raw],
        };
        for called in calls {
            push_text(events, self.thoughts.stretch_ends(Stretch::Call));
            events.push(Ok(call(called)));
        }
        if read(line.done) == Some(true) {
            self.over = true;
            let (how, reason) = match read::<String>(line.done_reason).as_deref() {
                Some("length") => (Stretch::Cut, EndReason::Length),
                _ => (Stretch::Complete, EndReason::Complete),
            };
            push_text(events, self.thoughts.stretch_ends(how));
            let usage = Usage { input: read(line.prompt_eval_count), output: read(line.eval_count) };
            events.extend([Ok(ReplyEvent::Usage(usage)), Ok(ReplyEvent::End(reason))]);
        }
        Ok(())
    }
}

fn push_text(events: &mut Events, text: String) {
    if !text.is_empty() {
        events.push(Ok(ReplyEvent::Text(text)));
    }
}

/// A line, each field as it was written: a field that reads oddly must not take the others with it, and the arguments
/// of a call must keep what a tree of values would lose (a key that is there twice, a long number).
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    remote_host: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    done: Option<&'a RawValue>,
    #[serde(borrow, default)]
    done_reason: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt_eval_count: Option<&'a RawValue>,
    #[serde(borrow, default)]
    eval_count: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Said<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Called<'a> {
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Deserialize)]
struct Function<'a> {
    name: String,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The message of a line. One that is an object and cannot be read may hold a call: that breaks the reply.
fn said(message: Option<&RawValue>) -> Result<Said<'_>, BackendError> {
    let Some(raw) = message.filter(|raw| raw.get().starts_with('{')) else { return Ok(Said::default()) };
    serde_json::from_str(raw.get())
        .map_err(|error| fault::fault(BackendFault::Broken, &format!("no message of a reply: {error}")))
}

fn read<T: serde::de::DeserializeOwned>(field: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(field?.get()).ok()
}

fn call(raw: &RawValue) -> ReplyEvent {
    match serde_json::from_str::<Called<'_>>(raw.get()) {
        Ok(Called { function: Function { name: tool, arguments } }) => match object(arguments) {
            Ok(args) => ReplyEvent::Call { tool, args },
            Err(why) => ReplyEvent::BadCall { tool, why },
        },
        Err(_) => ReplyEvent::BadCall {
            tool: String::new(),
            why: "a call needs a function with a name, and its arguments".to_owned(),
        },
    }
}

/// The arguments as the text of an object. Nothing, `null` and an empty text mean none; an object that was sent as its
/// text is unwrapped, once.
fn object(arguments: Option<&RawValue>) -> Result<String, String> {
    let Some(raw) = arguments else { return Ok("{}".to_owned()) };
    let text = read::<String>(Some(raw)).unwrap_or_else(|| raw.get().to_owned());
    match text.trim() {
        "" | "null" => Ok("{}".to_owned()),
        text => match serde_json::from_str::<&RawValue>(text) {
            Ok(object) if object.get().starts_with('{') => Ok(object.get().to_owned()),
            Ok(_) => Err("the arguments are no object".to_owned()),
            Err(error) => Err(format!("the arguments are no JSON: {error}")),
        },
    }
}

#[cfg(test)]
mod tests;
