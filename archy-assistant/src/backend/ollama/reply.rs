//! The lines of `/api/chat` as the parts of a reply.
//!
//! A field that is missing, new or of another type is passed over; only a line that is no JSON object breaks the
//! reply. A line may hold text and calls at once, the last one too.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::fault::in_stream;
use crate::backend::assemble::{Part, Piece, Reader};
use crate::backend::fault::{fault, no_json, tree};
use crate::backend::field::{fields, list, object, read, text};
use crate::backend::frames::Frame;
use crate::{BackendError, BackendFault, EndReason, Locality, Usage};

/// Reads the lines of one reply.
#[derive(Debug)]
pub(crate) struct Lines {
    model: String,
    locality: Locality,
}

impl Lines {
    /// For a reply of `model`, which runs there.
    pub(crate) fn new(model: &str, locality: Locality) -> Self {
        Self { model: model.to_owned(), locality }
    }
}

impl Reader for Lines {
    fn read(&mut self, frame: &Frame, parts: &mut Vec<Part>) -> Result<(), BackendError> {
        let line: Line<'_> =
            fields(frame.data()).map_err(|error| no_json("a line of a reply", &error, frame.data()))?;
        if let Some(error) = line.error {
            return Err(in_stream(&tree(error.get()), &self.model));
        }
        if self.locality.is_home() && text(line.remote_host).is_some_and(|host| !host.is_empty()) {
            let words = "the reply came from a cloud, not from the server";
            return Err(fault(BackendFault::Unsuitable, words));
        }
        let message = said(line.message)?;
        parts.extend(text(message.content).map(Part::Text));
        parts.extend(list(message.tool_calls)?.into_iter().map(call));
        if read(line.done) == Some(true) {
            let reason = match text(line.done_reason).as_deref() {
                Some("length") => EndReason::Length,
                _ => EndReason::Complete,
            };
            let usage = Usage { input: read(line.prompt_eval_count), output: read(line.eval_count) };
            parts.extend([Part::Usage(usage), Part::Ends(reason), Part::Over]);
        }
        Ok(())
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
    function: &'a RawValue,
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
        .map_err(|error| fault(BackendFault::Broken, &format!("no message of a reply: {error}")))
}

/// A call is never split, and its id and index mean nothing: several may have the same.
fn call(raw: &RawValue) -> Part {
    match object::<Called<'_>>(Some(raw)).and_then(|called| object(Some(called.function))) {
        Some(Function { name: tool, arguments }) => {
            Part::Call(Piece { tool, whole: arguments.map(|raw| raw.get().to_owned()), ..Piece::default() })
        }
        None => Part::NoCall,
    }
}

#[cfg(test)]
mod tests;
