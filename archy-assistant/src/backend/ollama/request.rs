//! The neutral request as the body of `POST /api/chat`.
//!
//! What was sent once is sent byte for byte again at the head of the next request of its conversation, so that the
//! server need not read it anew. `num_ctx` and `shift` never change for a model: a change makes the server load it
//! again. `truncate: false` makes a request that does not fit an error, not a conversation with a hole.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::backend::choice::Dialogue;
use crate::backend::fit::{Fitted, Room, fit};
use crate::backend::history::{Answered, Entry};
use crate::backend::{BackendError, schema};
use crate::{Calls, Offer, Request};

/// What is fixed for a model as long as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings<'a> {
    /// The model's name on the server.
    pub(crate) model: &'a str,
    /// The context in tokens.
    pub(crate) num_ctx: u32,
    /// How long the server keeps the model after a request.
    pub(crate) keep_alive: Duration,
    /// Whether the model thinks unless it is told not to. Told to another model, it is an error.
    pub(crate) thinks: bool,
}

/// What of `request` fits.
///
/// # Errors
///
/// What was said last does not.
pub(crate) fn fitted(request: &Request, room: Room) -> Result<Fitted<'_>, BackendError> {
    fit(request, room, (request.calls == Calls::Allowed).then_some(tool), None)
}

/// The body that asks for a reply of so many tokens at most.
pub(crate) fn chat(fitted: &Fitted<'_>, settings: Settings<'_>, reply: usize) -> Vec<u8> {
    let mut messages = vec![Said::text("system", fitted.system.clone())];
    for entry in &fitted.entries {
        match entry {
            Entry::Said(text) | Entry::Noted(text) => messages.push(Said::text("user", text.clone())),
            Entry::Reply { text, calls, .. } => {
                let asked = calls.iter().map(Asked::from).collect();
                messages.push(Said { tool_calls: asked, ..Said::text("assistant", text.clone()) });
                messages.extend(calls.iter().map(|call| Said {
                    tool_name: Some(&call.tool),
                    tool_call_id: Some(call.id()),
                    ..Said::text("tool", call.result.clone())
                }));
            }
        }
    }
    to_bytes(&Body { tools: &fitted.tools, ..Body::new(settings, messages, reply) })
}

/// The body that asks for a reply in text, held to a schema where there is one.
pub(crate) fn talk(dialogue: &Dialogue, settings: Settings<'_>) -> Vec<u8> {
    let system = Said::text("system", dialogue.system.clone());
    let lines = dialogue.lines.iter().map(|line| Said::text(line.side.role(), line.text.clone()));
    let reply = dialogue.max_tokens.min(settings.num_ctx as usize / 2);
    let body = Body::new(settings, [system].into_iter().chain(lines).collect(), reply);
    let options = Options { temperature: 0.0, ..body.options };
    to_bytes(&Body { format: dialogue.schema.as_ref(), options, ..body })
}

/// The body that only has the model loaded, with the same options as [`chat`].
pub(crate) fn load(settings: Settings<'_>) -> Vec<u8> {
    to_bytes(&Body::new(settings, Vec::new(), settings.num_ctx as usize / 2))
}

fn to_bytes(body: &Body<'_>) -> Vec<u8> {
    serde_json::to_vec(body).expect("strings, numbers and JSON are JSON")
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<bool>,
    keep_alive: String,
    truncate: bool,
    shift: bool,
    options: Options,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: &'a [Box<RawValue>],
    messages: Vec<Said<'a>>,
    /// After the messages: it changes with every request, and what stands before them does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
}

impl<'a> Body<'a> {
    /// For a reply of so many tokens at most, without tools and held to no schema.
    fn new(settings: Settings<'a>, messages: Vec<Said<'a>>, num_predict: usize) -> Self {
        Self {
            model: settings.model,
            stream: true,
            think: settings.thinks.then_some(false),
            keep_alive: format!("{}s", settings.keep_alive.as_secs()),
            truncate: false,
            shift: false,
            options: Options { num_ctx: settings.num_ctx, num_predict, temperature: 0.2 },
            tools: &[],
            messages,
            format: None,
        }
    }
}

#[derive(Serialize)]
struct Options {
    num_ctx: u32,
    num_predict: usize,
    temperature: f32,
}

#[derive(Serialize, Default)]
struct Said<'a> {
    role: &'static str,
    /// Always a string, an empty one beside calls: an array or `null` is refused.
    content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Asked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

impl Said<'_> {
    fn text(role: &'static str, content: String) -> Self {
        Self { role, content, ..Self::default() }
    }
}

#[derive(Serialize)]
struct Asked<'a> {
    id: String,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// An object, never its text.
    arguments: &'a RawValue,
}

impl<'a> From<&'a Answered<'_>> for Asked<'a> {
    fn from(call: &'a Answered<'_>) -> Self {
        let function = Function { name: &call.tool, arguments: call.args };
        Self { id: call.id(), r#type: "function", function }
    }
}

fn tool(offer: &Offer) -> Value {
    let function = json!({
        "name": offer.spec.name(),
        "description": offer.spec.about(),
        "parameters": schema::parameters(offer),
    });
    json!({ "type": "function", "function": function })
}

#[cfg(test)]
pub(crate) mod tests;
