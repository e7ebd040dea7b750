//! The events of a message as the parts of a reply, and a message that came whole.
//!
//! What an event is stands in its data; a new kind of event, block or delta is passed over. A block's index is the key
//! of its deltas. A thinking block with a signature is kept as it came, with its place among text and calls.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::fault::in_stream;
use crate::backend::assemble::{Part, Piece, Reader};
use crate::backend::fault::{no_json, tree};
use crate::backend::field::{fields, list, object, read, text};
use crate::backend::frames::Frame;
use crate::{BackendError, EndReason, Usage};

/// Reads the events of one reply.
#[derive(Debug)]
pub(crate) struct MessageEvents {
    model: String,
    by: String,
    /// What each open block of thoughts holds so far.
    thoughts: HashMap<u64, Thought>,
    spoke: bool,
    called: usize,
}

#[derive(Debug, Default)]
struct Thought {
    thinking: String,
    signature: String,
}

/// A block that later requests send back unchanged to the model that made it, and where it stood.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    by: String,
    /// Whether text came before it.
    pub(crate) after_text: bool,
    /// How many calls came before it.
    pub(crate) after_calls: usize,
    /// The block as it came.
    pub(crate) block: Box<RawValue>,
}

impl Kept {
    /// What was kept of `by`, in order, among all that is opaque in one reply.
    pub(crate) fn of(opaque: &[&str], by: &str) -> Vec<Self> {
        let kept = opaque.iter().filter_map(|opaque| serde_json::from_str::<Self>(opaque).ok());
        kept.filter(|kept| kept.by == by).collect()
    }
}

impl MessageEvents {
    /// For a reply of `model`; what must be sent back is marked as made `by` it.
    pub(crate) fn new(model: &str, by: &str) -> Self {
        Self { model: model.to_owned(), by: by.to_owned(), thoughts: HashMap::new(), spoke: false, called: 0 }
    }

    fn speak(&mut self, words: Option<String>, parts: &mut Vec<Part>) {
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            self.spoke = true;
            parts.push(Part::Text(words));
        }
    }

    fn keep(&self, block: Box<RawValue>) -> Option<Part> {
        let kept = Kept { by: self.by.clone(), after_text: self.spoke, after_calls: self.called, block };
        serde_json::to_string(&kept).ok().map(Part::Opaque)
    }

    /// A block begins. In a message that came whole, it is all of it.
    fn block(&mut self, index: Option<u64>, raw: &RawValue, whole: bool, parts: &mut Vec<Part>) {
        let Some(block) = object::<Block<'_>>(Some(raw)) else { return };
        match text(block.r#type).as_deref() {
            Some("text") => self.speak(text(block.text), parts),
            Some("tool_use") => {
                self.called += 1;
                parts.push(Part::Call(Piece {
                    id: text(block.id).unwrap_or_default(),
                    index,
                    tool: text(block.name).unwrap_or_default(),
                    fragment: String::new(),
                    whole: block.input.map(|raw| raw.get().to_owned()),
                }));
            }
            Some("redacted_thinking") => parts.extend(self.keep(raw.to_owned())),
            Some("thinking") if whole => {
                let signed = text(block.signature).is_some_and(|signature| !signature.is_empty());
                parts.extend(signed.then(|| self.keep(raw.to_owned())).flatten());
            }
            Some("thinking") => {
                let thought = Thought {
                    thinking: text(block.thinking).unwrap_or_default(),
                    signature: text(block.signature).unwrap_or_default(),
                };
                self.thoughts.insert(index.unwrap_or(0), thought);
            }
            _ => {}
        }
    }

    fn delta(&mut self, index: Option<u64>, raw: &RawValue, parts: &mut Vec<Part>) {
        let Some(delta) = object::<Delta<'_>>(Some(raw)) else { return };
        match text(delta.r#type).as_deref() {
            Some("text_delta") => self.speak(text(delta.text), parts),
            Some("input_json_delta") => {
                let fragment = text(delta.partial_json).unwrap_or_default();
                parts.push(Part::Call(Piece { index, fragment, ..Piece::default() }));
            }
            Some("thinking_delta") => {
                let thought = self.thoughts.entry(index.unwrap_or(0)).or_default();
                thought.thinking.push_str(&text(delta.thinking).unwrap_or_default());
            }
            Some("signature_delta") => {
                let thought = self.thoughts.entry(index.unwrap_or(0)).or_default();
                thought.signature.push_str(&text(delta.signature).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// A block is over. Thoughts without a signature would be refused.
    fn stop(&mut self, index: Option<u64>, parts: &mut Vec<Part>) {
        let thought = self.thoughts.remove(&index.unwrap_or(0));
        if let Some(Thought { thinking, signature }) = thought.filter(|thought| !thought.signature.is_empty())
        {
            let block = json!({ "type": "thinking", "thinking": thinking, "signature": signature });
            parts.extend(to_raw_value(&block).ok().and_then(|block| self.keep(block)));
        }
    }
}

impl Reader for MessageEvents {
    fn read(&mut self, frame: &Frame, parts: &mut Vec<Part>) -> Result<(), BackendError> {
        let data = frame.data();
        // A gateway's, after the end or in the place of it.
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let event: Event<'_> = fields(data).map_err(|error| no_json("an event of a reply", &error, data))?;
        let kind = text(event.r#type).unwrap_or_default();
        let whole = matches!(frame, Frame::Whole(_));
        let named_error = matches!(frame, Frame::Piece { name, .. } if name == "error");
        if kind == "error" || named_error || event.error.is_some() || (whole && event.content.is_none()) {
            return Err(in_stream(&tree(data), &self.model));
        }
        match &*kind {
            "message_start" => {
                let usage = object::<Message<'_>>(event.message).and_then(|message| message.usage);
                parts.extend(used(usage));
            }
            "content_block_start" => {
                if let Some(raw) = event.content_block {
                    self.block(read(event.index), raw, false, parts);
                }
            }
            "content_block_delta" => {
                if let Some(raw) = event.delta {
                    self.delta(read(event.index), raw, parts);
                }
            }
            "content_block_stop" => self.stop(read(event.index), parts),
            "message_delta" => {
                parts.extend(used(event.usage));
                let reason = object::<Delta<'_>>(event.delta).and_then(|delta| text(delta.stop_reason));
                parts.extend(reason.map(|reason| Part::Ends(ends(&reason))));
            }
            "message_stop" => parts.push(Part::Over),
            _ if whole => {
                for (index, raw) in (0..).zip(list(event.content)?) {
                    self.block(Some(index), raw, true, parts);
                }
                parts.extend(used(event.usage));
                parts.extend(text(event.stop_reason).map(|reason| Part::Ends(ends(&reason))));
                parts.push(Part::Over);
            }
            _ => {}
        }
        Ok(())
    }
}

fn ends(reason: &str) -> EndReason {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => EndReason::Length,
        "refusal" => EndReason::Refused,
        _ => EndReason::Complete,
    }
}

/// The counts so far. What was read from a cache or written to one was read as well.
fn used(usage: Option<&RawValue>) -> Option<Part> {
    let tokens: Tokens<'_> = object(usage)?;
    let cached = [tokens.to_cache, tokens.from_cache];
    let cached: u64 = cached.into_iter().filter_map(read::<u64>).fold(0, u64::saturating_add);
    let input = read::<u64>(tokens.input).map(|input| input.saturating_add(cached));
    Some(Part::Usage(Usage { input, output: read(tokens.output) }))
}

/// Each field as it was written: one that reads oddly must not take the others with it.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    r#type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    /// Of a message that came whole.
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stop_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default)]
    r#type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow, default)]
    signature: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    r#type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    partial_json: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow, default)]
    signature: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stop_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Tokens<'a> {
    #[serde(borrow, default, rename = "input_tokens")]
    input: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cache_creation_input_tokens")]
    to_cache: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cache_read_input_tokens")]
    from_cache: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "output_tokens")]
    output: Option<&'a RawValue>,
}

#[cfg(test)]
mod tests;
