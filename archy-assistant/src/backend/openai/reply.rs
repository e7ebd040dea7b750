//! The chunks of `chat/completions` as the parts of a reply, and an answer that came whole.
//!
//! Servers of this kind agree on little: a field that is missing, new or of another type is passed over. An error is
//! looked for first, because it may come under status 200, beside `choices`, and after the end was announced.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::fault::in_stream;
use crate::backend::assemble::{Part, Piece, Reader};
use crate::backend::fault::{fault, no_json, tree};
use crate::backend::field::{few, fields, list, object, read, text};
use crate::backend::frames::Frame;
use crate::{BackendError, BackendFault, EndReason, Usage};

/// A reply's thoughts are kept as at most so many objects: each piece is held against all of them.
const DETAILS: usize = 128;
/// And as at most so many values in them: each may be a few bytes on the wire, and hundreds once it is read.
const VALUES: usize = 4096;

/// Reads the chunks of one reply.
#[derive(Debug)]
pub(crate) struct Chunks {
    model: String,
    kept: Kept,
    /// A refusal was begun; it is over with the reply.
    refused: bool,
}

/// What a later request sends back unchanged to who made it: DeepSeek and OpenRouter
/// the thoughts, Gemini a signature at each call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    by: String,
    /// The thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_content: Option<String>,
    /// The thoughts as OpenRouter sends them: objects, each of which may come in pieces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasoning_details: Vec<Map<String, Value>>,
    /// How many values are in these, at most.
    #[serde(skip)]
    values: usize,
    /// What was at each call, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<Option<Box<RawValue>>>,
}

impl Kept {
    /// What was kept of `by` among all that is opaque in one reply; nothing, where it answered through another.
    pub(crate) fn of(opaque: &[&str], by: &str) -> Self {
        let kept = |opaque: &&str| serde_json::from_str::<Self>(opaque).ok();
        opaque.iter().filter_map(kept).find(|kept| kept.by == by).unwrap_or_default()
    }

    fn is_empty(&self) -> bool {
        self.reasoning_content.is_none()
            && self.reasoning_details.is_empty()
            && self.calls.iter().all(Option::is_none)
    }

    /// What one message says of the thoughts. Its objects go on with those of earlier messages that are of their type and
    /// index, and of no other id.
    fn details(&mut self, more: &[&RawValue]) {
        let earlier = self.reasoning_details.len();
        for raw in more {
            let Some(detail) = few::<Map<String, Value>>(raw.get()) else { continue };
            if !detail.contains_key("type") {
                continue;
            }
            let known = |old: &&mut Map<String, Value>| {
                let is_same = |field| detail.get(field).is_some_and(|value| old.get(field) == Some(value));
                let id = |of: &Map<String, Value>| of.get("id").filter(|id| !id.is_null()).cloned();
                let other = id(old).zip(id(&detail)).is_some_and(|(old, new)| old != new);
                is_same("type") && is_same("index") && !other
            };
            if let Some(old) = self.reasoning_details[..earlier].iter_mut().find(known) {
                go_on(old, detail, &mut self.values);
                continue;
            }
            let more = detail.values().map(values).sum::<usize>();
            if self.reasoning_details.len() < DETAILS && self.values + more <= VALUES {
                self.values += more;
                self.reasoning_details.push(detail);
            }
        }
    }
}

/// How many values this one is made of.
fn values(value: &Value) -> usize {
    match value {
        Value::Array(all) => 1 + all.iter().map(values).sum::<usize>(),
        Value::Object(all) => 1 + all.values().map(values).sum::<usize>(),
        _ => 1,
    }
}

/// Adds a piece of an object: its texts go on, and what it says anew is said, as long as there is room for its values
/// beside `all`.
fn go_on(old: &mut Map<String, Value>, more: Map<String, Value>, all: &mut usize) {
    for (field, value) in more {
        match (old.get_mut(&field), value) {
            (Some(_), Value::Null) => {}
            (Some(Value::String(text)), Value::String(more))
                if ["text", "summary", "data"].contains(&&*field) =>
            {
                text.push_str(&more);
            }
            (known, value) => {
                let again = known.is_some() && !value.is_array() && !value.is_object();
                let more = if again { 0 } else { values(&value) };
                if *all + more <= VALUES {
                    *all += more;
                    old.insert(field, value);
                }
            }
        }
    }
}

impl Chunks {
    /// For a reply of `model`; what must be sent back is marked as made `by` it.
    pub(crate) fn new(model: &str, by: &str) -> Self {
        Self { model: model.to_owned(), kept: Kept { by: by.to_owned(), ..Kept::default() }, refused: false }
    }

    /// One choice: a `delta` of a chunk, or the `message` of a whole answer.
    fn said(&mut self, said: &Said<'_>, parts: &mut Vec<Part>) -> Result<(), BackendError> {
        parts.extend(words(said.content)?.map(Part::Text));
        if let Some(refusal) = text(said.refusal).filter(|refusal| !refusal.is_empty()) {
            parts.push(Part::Text(refusal));
            self.refused = true;
        }
        if let Some(more) = text(said.reasoning_content).filter(|more| !more.is_empty()) {
            self.kept.reasoning_content.get_or_insert_default().push_str(&more);
        }
        self.kept.details(&list(said.reasoning_details)?);
        for call in list(said.tool_calls)? {
            parts.push(self.call(call));
        }
        Ok(())
    }

    fn call(&mut self, raw: &RawValue) -> Part {
        let Some(called) = object::<Called<'_>>(Some(raw)) else { return Part::NoCall };
        let Function { name, arguments } = object(called.function).unwrap_or_default();
        let tool = text(name).unwrap_or_default();
        if !tool.is_empty() {
            self.kept.calls.push(called.extra_content.map(ToOwned::to_owned));
        }
        let fragment = text(arguments);
        let whole = arguments.filter(|_| fragment.is_none()).map(|raw| raw.get().to_owned());
        let id = text(called.id).unwrap_or_default();
        Part::Call(Piece {
            id,
            index: read(called.index),
            tool,
            fragment: fragment.unwrap_or_default(),
            whole,
        })
    }

    fn refusal(&self) -> Option<Part> {
        self.refused.then_some(Part::Ends(EndReason::Refused))
    }

    fn opaque(&mut self) -> Option<Part> {
        let kept = std::mem::take(&mut self.kept);
        self.kept.by.clone_from(&kept.by);
        (!kept.is_empty()).then(|| Part::Opaque(serde_json::to_string(&kept).unwrap_or_default()))
    }
}

impl Reader for Chunks {
    fn read(&mut self, frame: &Frame, parts: &mut Vec<Part>) -> Result<(), BackendError> {
        let data = frame.data();
        if data.trim() == "[DONE]" {
            parts.extend(self.refusal());
            parts.push(Part::Over);
            return Ok(());
        }
        let whole = matches!(frame, Frame::Whole(_));
        let error = |error: &RawValue| Err(in_stream(&tree(error.get()), &self.model));
        let of_what = if whole { "an answer" } else { "a chunk of a reply" };
        let raw: &RawValue = serde_json::from_str(data).map_err(|error| no_json(of_what, &error, data))?;
        if matches!(frame, Frame::Piece { name, .. } if name == "error") || raw.get().starts_with('[') {
            return error(raw);
        }
        let chunk: Chunk<'_> = fields(data).map_err(|error| no_json(of_what, &error, data))?;
        // Some send what went wrong in the place of the choices, without calling it an error.
        let says_error = || text(chunk.object).as_deref() == Some("error");
        if let Some(inner) = chunk.error {
            return error(inner);
        } else if chunk.choices.is_none() && (whole || says_error()) {
            return error(raw);
        }
        if let Some(Tokens { input, output }) = object(chunk.usage) {
            parts.push(Part::Usage(Usage { input: read(input), output: read(output) }));
        }
        if let Some(choice) = list(chunk.choices)?.first().and_then(|raw| object::<Choice<'_>>(Some(raw))) {
            for said in [choice.delta, choice.message] {
                if let Some(said) = said.filter(|raw| raw.get().starts_with('{')) {
                    let said = fields(said.get())
                        .map_err(|error| no_json("a message of a reply", &error, said.get()))?;
                    self.said(&said, parts)?;
                }
            }
            if let Some(reason) = text(choice.finish_reason).filter(|reason| !reason.is_empty()) {
                parts.extend(self.opaque());
                parts.extend(self.refusal());
                parts.push(ends(&reason)?);
            }
        }
        if whole {
            parts.extend(self.opaque());
            parts.extend(self.refusal());
            parts.push(Part::Over);
        }
        Ok(())
    }
}

fn ends(reason: &str) -> Result<Part, BackendError> {
    Ok(Part::Ends(match reason {
        "length" | "max_tokens" | "model_length" => EndReason::Length,
        "content_filter" => EndReason::Refused,
        "error" => return Err(fault(BackendFault::ModelFault, "the reply ended with an error")),
        "insufficient_system_resource" => {
            return Err(fault(BackendFault::Busy(None), "the server ended the reply for want of resources"));
        }
        _ => EndReason::Complete,
    }))
}

/// The text in `"…"`, or in a list of parts of which some are text.
fn words(content: Option<&RawValue>) -> Result<Option<String>, BackendError> {
    #[derive(Deserialize)]
    struct Inner<'a> {
        #[serde(borrow, default)]
        r#type: Option<&'a RawValue>,
        #[serde(borrow, default)]
        text: Option<&'a RawValue>,
    }
    if let Some(text) = text(content) {
        return Ok(Some(text));
    }
    let parts = list(content)?.into_iter().filter_map(|raw| object::<Inner<'_>>(Some(raw)));
    let texts = parts.filter(|part| text(part.r#type).as_deref() == Some("text"));
    let all: String = texts.filter_map(|part| text(part.text)).collect();
    Ok(Some(all).filter(|all| !all.is_empty()))
}

/// Each field as it was written: one that reads oddly must not take the others with it.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
    #[serde(borrow, default)]
    choices: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    finish_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<&'a RawValue>,
    /// Thoughts kept apart, which must be sent back. `reasoning` says the same elsewhere and need not.
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Called<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function: Option<&'a RawValue>,
    #[serde(borrow, default)]
    extra_content: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Tokens<'a> {
    #[serde(borrow, default, rename = "prompt_tokens")]
    input: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "completion_tokens")]
    output: Option<&'a RawValue>,
}

#[cfg(test)]
mod tests;
