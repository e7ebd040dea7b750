//! The neutral request as the body of `POST v1/messages`.
//!
//! All results of a reply's calls stand in one next message of the user, before any text: anything else is refused, and
//! so is every later request of that conversation. Tools and system text are the same bytes in each request, and marked
//! to be cached; tools stay there when none may be called, because a history with calls is refused without them. Where
//! all of them were closed since, one that cannot be called stands for them.

use serde::Serialize;
use serde_json::Value;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::reply::Kept;
use crate::backend::fit::{Fitted, Room, fit};
use crate::backend::history::{Answered, Entry};
use crate::backend::{BackendError, schema};
use crate::{Calls, Offer, Request};

/// What is fixed for a model as long as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings<'a> {
    /// The model's name.
    pub(crate) model: &'a str,
    /// Who made what is sent back unchanged.
    pub(crate) by: &'a str,
    /// At most so many tokens are written, without the thoughts.
    pub(crate) max_tokens: u32,
    /// At most so many tokens are thought, if any.
    pub(crate) thinking: Option<u32>,
}

/// What of `request` fits, with what was made `by` the model.
///
/// # Errors
///
/// What was said last does not.
pub(crate) fn fitted<'r>(request: &'r Request, room: Room, by: &str) -> Result<Fitted<'r>, BackendError> {
    fit(request, room, Some(tool), Some(by))
}

/// The body that asks for a reply.
pub(crate) fn messages(fitted: &Fitted<'_>, calls: Calls, settings: &Settings<'_>) -> Vec<u8> {
    let Fitted { system, tools, entries, .. } = fitted;
    let kept: Vec<Vec<Kept>> = entries.iter().map(|entry| kept(entry, settings.by)).collect();
    let mut turns: Vec<Turn<'_>> = Vec::new();
    let mut thinking = settings.thinking;
    for (entry, kept) in entries.iter().zip(&kept) {
        match entry {
            Entry::Noted(text) => add(&mut turns, "user", Block::text(text)),
            Entry::Said(text) => {
                add(&mut turns, "user", Block::text(text));
                thinking = settings.thinking;
            }
            Entry::Reply { text, calls, .. } => {
                // Calls that another made came without its thoughts: going on from them it may not think.
                if !calls.is_empty() && kept.is_empty() {
                    thinking = None;
                }
                reply(&mut turns, text, calls, kept);
                for call in calls {
                    add(&mut turns, "user", Block::result(call));
                }
            }
        }
    }
    let gone = tools.is_empty()
        && entries.iter().any(|entry| matches!(entry, Entry::Reply { calls, .. } if !calls.is_empty()));
    let stand_in = if gone { vec![gone_tool()] } else { Vec::new() };
    let tools = if gone { &stand_in } else { tools };
    let no_calls = gone || (calls == Calls::None && !tools.is_empty());
    let body = Body {
        model: settings.model,
        max_tokens: settings.max_tokens.saturating_add(thinking.unwrap_or(0)),
        stream: true,
        thinking: thinking.map(|budget| json!({ "type": "enabled", "budget_tokens": budget })),
        tool_choice: no_calls.then(|| json!({ "type": "none" })),
        tools,
        system: json!([{
            "type": "text",
            "text": system,
            "cache_control": { "type": "ephemeral" },
        }]),
        messages: turns,
    };
    serde_json::to_vec(&body).expect("strings, numbers and JSON are JSON")
}

fn kept(entry: &Entry<'_>, by: &str) -> Vec<Kept> {
    match entry {
        Entry::Reply { calls, opaque, .. } if !calls.is_empty() => Kept::of(opaque, by),
        _ => Vec::new(),
    }
}

/// The blocks in the order in which they came.
fn reply<'a>(turns: &mut Vec<Turn<'a>>, text: &'a str, calls: &'a [Answered<'_>], kept: &'a [Kept]) {
    let mut kept = kept.iter().peekable();
    let mut add = |block| add(turns, "assistant", block);
    while let Some(first) = kept.next_if(|kept| !kept.after_text && kept.after_calls == 0) {
        add(Block::Kept(&first.block));
    }
    if !text.is_empty() {
        add(Block::text(text));
    }
    for (place, call) in calls.iter().enumerate() {
        while let Some(next) = kept.next_if(|kept| kept.after_calls <= place) {
            add(Block::Kept(&next.block));
        }
        add(Block::Call { r#type: "tool_use", id: call.id(), name: &call.tool, input: call.args });
    }
}

fn add<'a>(turns: &mut Vec<Turn<'a>>, role: &'static str, block: Block<'a>) {
    match turns.last_mut() {
        Some(turn) if turn.role == role => turn.content.push(block),
        _ => turns.push(Turn { role, content: vec![block] }),
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: &'a [Box<RawValue>],
    system: Value,
    messages: Vec<Turn<'a>>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Kept(&'a RawValue),
    Text { r#type: &'static str, text: &'a str },
    Call { r#type: &'static str, id: String, name: &'a str, input: &'a RawValue },
    Result { r#type: &'static str, tool_use_id: String, is_error: bool, content: &'a str },
}

impl<'a> Block<'a> {
    fn text(text: &'a str) -> Self {
        Self::Text { r#type: "text", text }
    }

    fn result(call: &'a Answered<'_>) -> Self {
        Self::Result {
            r#type: "tool_result",
            tool_use_id: call.id(),
            is_error: call.failed,
            content: &call.result,
        }
    }
}

fn gone_tool() -> Box<RawValue> {
    let tool = json!({
        "name": "none",
        "description": "There are no tools any more.",
        "input_schema": { "type": "object", "properties": {} },
    });
    to_raw_value(&tool).expect("JSON is JSON")
}

fn tool(offer: &Offer) -> Value {
    json!({
        "name": offer.spec.name(),
        "description": offer.spec.about(),
        "input_schema": schema::parameters(offer),
    })
}

#[cfg(test)]
mod tests;
