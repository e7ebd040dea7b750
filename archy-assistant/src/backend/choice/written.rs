//! Calls as a small model writes them, `{"calls":[{"do":"app_status","with":{"app":"lnd"}}]}`: the schema that it is held
//! to, and what it wrote, read.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{object, of_call};
use crate::Offer;
use crate::backend::ReplyEvent;
use crate::phrases::{Argument, Shortlist, says};

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

/// The calls in `text` that stand in the list, each once, in the order written. Words that are taken as they come must
/// stand in something that was `said`.
pub(super) fn calls(text: &str, list: &Shortlist, tools: &[Offer], said: &[&str]) -> Vec<ReplyEvent> {
    let Ok(written) = serde_json::from_str::<Written>(unfenced(text)) else { return Vec::new() };
    let mut events: Vec<ReplyEvent> = Vec::new();
    for call in written.calls {
        let listed = list.calls.iter().any(|listing| {
            tools[listing.tool].spec.name() == call.r#do
                && listing.args.len() == call.with.len()
                && listing.args.iter().all(|(name, argument)| match (call.with.get(*name), argument) {
                    (Some(value), Argument::Named(named)) => value == named,
                    (Some(Value::String(words)), Argument::Words) => {
                        said.iter().any(|said| says(said, words))
                    }
                    _ => false,
                })
        });
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
