//! The neutral request as the body of `POST chat/completions`.
//!
//! Servers differ in what they refuse, so nothing is sent that one of them can do without: no `content` beside calls,
//! because `null` and an empty text are each refused somewhere; arguments always as the text of an object; ids of nine
//! letters and digits. Tools stay in the request when none may be called, because they are the head of what the server
//! has read already.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::reply::Kept;
use crate::backend::choice::{Dialogue, Line};
use crate::backend::fit::{Fitted, Room, fit};
use crate::backend::history::{Answered, Entry};
use crate::backend::transport::Refusal;
use crate::backend::{BackendError, schema};
use crate::{Calls, Locality, Offer, Request};

/// What is fixed for a model as long as it is used, and what was learned of its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings<'a> {
    /// The model's name on the server.
    pub(crate) model: &'a str,
    /// Who made what is sent back unchanged.
    pub(crate) by: &'a str,
    /// Where it runs.
    pub(crate) locality: Locality,
    /// At most so many tokens are written.
    pub(crate) max_tokens: u32,
    /// What its server takes.
    pub(crate) dialect: Dialect,
}

/// What a server takes of the fields that not every one knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The limit is called `max_tokens`, and not `max_completion_tokens` as for OpenAI's thinking models.
    max_tokens: bool,
    temperature: bool,
    streams: Streams,
    /// What a person says may follow a result. Some templates and servers (Mistral's) want an answer between the two.
    said_after_results: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Streams {
    AndCounts,
    WithoutCounts,
    Never,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { max_tokens: true, temperature: true, streams: Streams::AndCounts, said_after_results: true }
    }
}

impl Dialect {
    /// Without what this refusal names, if it is something that can be left out and was not. It only ever gets less.
    pub(crate) fn without_what(self, refusal: &Refusal) -> Option<Self> {
        const REFUSES: [&str; 6] =
            ["support", "not permitted", "not allowed", "unrecognized", "unknown", "unexpected"];
        let words = refusal.body.to_lowercase();
        let of_the_order = words.contains("after role") || words.contains("roles must alternate");
        if of_the_order && (400..=500).contains(&refusal.status) {
            return self.said_after_results.then_some(Self { said_after_results: false, ..self });
        }
        if !matches!(refusal.status, 400 | 422) || !REFUSES.iter().any(|refuses| words.contains(refuses)) {
            return None;
        }
        let less = if words.contains("max_completion_tokens") {
            Self { max_tokens: false, ..self }
        } else if words.contains("stream_options") && self.streams == Streams::AndCounts {
            Self { streams: Streams::WithoutCounts, ..self }
        } else if words.contains("temperature") {
            Self { temperature: false, ..self }
        } else if words.contains("stream") {
            Self { streams: Streams::Never, ..self }
        } else {
            self
        };
        (less != self).then_some(less)
    }
}

/// What stands between results and what is said after them, where there was no answer.
const BETWEEN: &str = "(No answer yet.)";

/// What of `request` fits, with what was made `by` the model.
///
/// # Errors
///
/// What was said last does not.
pub(crate) fn fitted<'r>(request: &'r Request, room: Room, by: &str) -> Result<Fitted<'r>, BackendError> {
    fit(request, room, Some(tool), Some(by))
}

/// The body that asks for a reply.
pub(crate) fn chat(fitted: &Fitted<'_>, calls: Calls, settings: &Settings<'_>) -> Vec<u8> {
    let Fitted { system, tools, entries, .. } = fitted;
    let mut messages = vec![Said::text("system", Cow::Borrowed(system))];
    for entry in entries {
        match entry {
            Entry::Said(text) | Entry::Noted(text) => {
                let after_result = messages.last().is_some_and(|last| last.role == "tool");
                if after_result && !settings.dialect.said_after_results {
                    messages.push(Said::text("assistant", Cow::Borrowed(BETWEEN)));
                }
                messages.push(Said::text("user", Cow::Borrowed(text)));
            }
            Entry::Reply { text, calls, opaque } => {
                messages.push(reply(text, calls, Kept::of(opaque, settings.by)));
                messages.extend(calls.iter().map(|call| Said {
                    tool_call_id: Some(call.id()),
                    ..Said::text("tool", Cow::Borrowed(&call.result))
                }));
            }
        }
    }
    // Small models choose better when they are cold; large ones need not, and some refuse it.
    let temperature = settings.locality.is_home().then_some(0.2);
    let body = Body {
        tool_choice: (calls == Calls::None && !tools.is_empty()).then_some("none"),
        tools,
        ..Body::new(settings, settings.max_tokens, temperature, messages)
    };
    serde_json::to_vec(&body).expect("strings, numbers and JSON are JSON")
}

/// The body that asks for a reply in text, held to a schema where there is one.
pub(crate) fn talk(dialogue: &Dialogue, settings: &Settings<'_>) -> Vec<u8> {
    let line = |line: &Line| Said::text(line.side.role(), Cow::Owned(line.text.clone()));
    let system = Said::text("system", Cow::Borrowed(&*dialogue.system));
    let messages = [system].into_iter().chain(dialogue.lines.iter().map(line)).collect();
    let limit = u32::try_from(dialogue.max_tokens).unwrap_or(u32::MAX).min(settings.max_tokens);
    let body = Body {
        response_format: dialogue.schema.as_ref().map(|schema| {
            json!({ "type": "json_schema", "json_schema": { "name": "calls", "strict": true, "schema": schema } })
        }),
        ..Body::new(settings, limit, Some(0.0), messages)
    };
    serde_json::to_vec(&body).expect("strings, numbers and JSON are JSON")
}

fn reply<'a>(text: &'a str, calls: &'a [Answered<'_>], kept: Kept) -> Said<'a> {
    let mut extra = kept.calls.into_iter();
    let asked = |call: &'a Answered<'_>| Asked {
        id: call.id(),
        r#type: "function",
        function: Function { name: &call.tool, arguments: call.args.get() },
        extra_content: extra.next().flatten(),
    };
    Said {
        role: "assistant",
        content: (!text.is_empty()).then_some(Cow::Borrowed(text)),
        tool_calls: calls.iter().map(asked).collect(),
        reasoning_content: kept.reasoning_content.filter(|_| !calls.is_empty()),
        reasoning_details: if calls.is_empty() { Vec::new() } else { kept.reasoning_details },
        ..Said::default()
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    messages: Vec<Said<'a>>,
    /// After the messages: it changes with every request, and what stands before them does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

impl<'a> Body<'a> {
    /// For a reply of `limit` tokens at most, without tools and held to no schema, in the dialect of its server.
    fn new(settings: &Settings<'a>, limit: u32, temperature: Option<f32>, messages: Vec<Said<'a>>) -> Self {
        let Dialect { max_tokens, temperature: takes_one, streams, .. } = settings.dialect;
        Self {
            model: settings.model,
            stream: streams != Streams::Never,
            stream_options: (streams == Streams::AndCounts).then_some(StreamOptions { include_usage: true }),
            max_tokens: max_tokens.then_some(limit),
            max_completion_tokens: (!max_tokens).then_some(limit),
            temperature: temperature.filter(|_| takes_one),
            tools: &[],
            tool_choice: None,
            messages,
            response_format: None,
        }
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize, Default)]
struct Said<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Asked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

impl<'a> Said<'a> {
    fn text(role: &'static str, content: Cow<'a, str>) -> Self {
        Self { role, content: Some(content), ..Self::default() }
    }
}

#[derive(Serialize)]
struct Asked<'a> {
    id: String,
    r#type: &'static str,
    function: Function<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// The text of an object: anything else makes some servers refuse this request and every later one.
    arguments: &'a str,
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
