//! What the conversation was about: the last calls, and the values that were named.

use serde_json::Value as Json;

use super::fill::Value;
use crate::{Content, Message};

/// How far back a name is remembered, in things said.
const REMEMBERED: usize = 4;

/// A call made earlier.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Earlier {
    pub(super) tool: String,
    pub(super) args: Vec<(String, Value)>,
}

/// What came before.
#[derive(Debug, Default)]
pub(super) struct Before<'m> {
    /// The calls of the last turn that made any, and how many things were said since.
    pub(super) calls: Vec<Earlier>,
    pub(super) age: usize,
    /// All calls that are remembered, the latest turn first.
    pub(super) turns: Vec<Vec<Earlier>>,
    /// The last thing said, where it was answered without a call, and what stood before it.
    pub(super) unanswered: Option<(&'m str, &'m [Message])>,
    /// Everything said, the latest first.
    pub(super) said: Vec<&'m str>,
}

impl<'m> Before<'m> {
    pub(super) fn new(messages: &'m [Message]) -> Self {
        let mut before = Self::default();
        let mut calls: Vec<Earlier> = Vec::new();
        for (place, message) in messages.iter().enumerate().rev() {
            match &message.content {
                Content::Reply { calls: made, .. } => {
                    for call in made.iter().rev() {
                        calls.insert(0, Earlier { tool: call.tool.clone(), args: args(&call.args) });
                    }
                }
                Content::Said(said) => {
                    if before.said.is_empty() && calls.is_empty() {
                        before.unanswered = Some((said, &messages[..place]));
                    }
                    before.said.push(said);
                    if before.calls.is_empty() && !calls.is_empty() {
                        before.calls.clone_from(&calls);
                        before.age = before.said.len();
                    }
                    before.turns.push(std::mem::take(&mut calls));
                    if before.said.len() >= REMEMBERED {
                        break;
                    }
                }
                _ => {}
            }
        }
        before
    }

    /// The values that the slot called `slot` had in the latest turn that gave it any.
    pub(super) fn values(&self, slot: &str) -> Vec<Value> {
        for turn in &self.turns {
            let mut values = Vec::new();
            for (_, value) in turn.iter().flat_map(|call| &call.args).filter(|(name, _)| name == slot) {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
            if !values.is_empty() {
                return values;
            }
        }
        Vec::new()
    }
}

fn args(json: &str) -> Vec<(String, Value)> {
    let Ok(Json::Object(parts)) = serde_json::from_str(json) else { return Vec::new() };
    parts
        .into_iter()
        .filter_map(|(name, value)| match value {
            Json::String(text) => Some((name, Value::Text(text))),
            Json::Number(number) => number.as_u64().map(|number| (name, Value::Number(number))),
            _ => None,
        })
        .collect()
}
