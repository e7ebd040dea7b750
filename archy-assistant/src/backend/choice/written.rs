//! Calls as a small model writes them, `{"calls":[{"do":"app_status","with":{"app":"lnd"}}]}`: the schema that it is held
//! to, and what it wrote, read.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Offer;
use crate::backend::ReplyEvent;
use crate::phrases::{Argument, Listing, Shortlist};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    r#do: String,
    #[serde(default)]
    with: Map<String, Value>,
}

/// These calls, as a model writes them: each a tool's name and its arguments as JSON.
pub(super) fn text<'a>(calls: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let calls = calls.map(|(tool, args)| format!("{{\"do\":{},\"with\":{args}}}", Value::from(tool)));
    format!("{{\"calls\":[{}]}}", calls.collect::<Vec<_>>().join(","))
}

/// What a choice from the list looks like.
pub(super) fn schema(list: &Shortlist, tools: &[Offer]) -> Value {
    let calls: Vec<Value> =
        list.calls.iter().map(|call| of_call(tools[call.tool].spec.name(), call)).collect();
    object([("calls", json!({ "type": "array", "maxItems": list.most.max(1), "items": { "anyOf": calls } }))])
}

/// The schema of one call.
fn of_call(name: &str, listing: &Listing) -> Value {
    let args = listing.args.iter().map(|(name, argument)| {
        let value = match argument {
            Argument::Named(value) => json!({ "const": value }),
            Argument::Words => json!({ "type": "string", "minLength": 1 }),
        };
        ((*name).to_owned(), value)
    });
    object([("do", json!({ "const": name })), ("with", object(args))])
}

/// The schema of an object with just these parts. Their order is that of their names, here and in what is written.
fn object<N: Into<String>>(parts: impl IntoIterator<Item = (N, Value)>) -> Value {
    let parts: Map<String, Value> = parts.into_iter().map(|(name, part)| (name.into(), part)).collect();
    let required: Vec<&String> = parts.keys().collect();
    json!({ "type": "object", "required": required, "properties": parts, "additionalProperties": false })
}

/// The calls in `text` that stand in the list, each once, in the order written. Words that are taken as they come must
/// stand in something that was `said`.
pub(super) fn calls(text: &str, list: &Shortlist, tools: &[Offer], said: &[&str]) -> Vec<ReplyEvent> {
    let Ok(written) = serde_json::from_str::<Written>(unfenced(text)) else { return Vec::new() };
    let mut events: Vec<ReplyEvent> = Vec::new();
    for call in written.calls {
        let listed = list.calls.iter().any(|listing| listing.is(&call.r#do, &call.with, tools, said));
        let event = ReplyEvent::Call { tool: call.r#do, args: Value::Object(call.with).to_string() };
        if listed && !events.contains(&event) && events.len() < list.most {
            events.push(event);
        }
    }
    events
}

/// What stands in a fence of code, if that is all; else the text.
pub(crate) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside
        .map_or(text, |inside| inside.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim())
}
