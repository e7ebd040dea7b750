//! Whether what was called is what was expected. An app, a setting, a value or a folder may be named in several ways; what
//! counts is the one thing that is meant, by the names that the tools themselves list.

use std::collections::HashMap;

use archy_assistant::{Caller, Candidate, Effect, End, Sentence, SlotKind, Toolbox, Usage};
use serde_json::Value;

use super::Row;
use super::case::{Call, Case, Expect, Word};

/// What the tools of the home can be called with.
pub(crate) struct Names {
    tools: HashMap<&'static str, Tool>,
}

/// Whether a tool writes, and for each of its slots what fits.
type Tool = (Effect, Vec<(&'static str, Vec<Candidate>)>);

impl Names {
    /// Asks every slot for what can be named.
    pub(crate) async fn of(toolbox: &Toolbox) -> Self {
        let (mut tools, caller) = (HashMap::new(), Caller::owner());
        for (spec, effect) in toolbox.specs() {
            let mut slots = Vec::new();
            for slot in spec.slots() {
                let fits = match &slot.kind {
                    SlotKind::Live(source) => source.list(&caller).await.unwrap_or_default(),
                    SlotKind::Fixed(fixed) => fixed.to_vec(),
                    SlotKind::Number | SlotKind::Words => continue,
                };
                slots.push((slot.name, fits));
            }
            tools.insert(spec.name(), (effect, slots));
        }
        Self { tools }
    }

    fn writes(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|(effect, _)| *effect == Effect::Write)
    }

    /// The call with the one value for each name that was said.
    fn resolved(&self, mut call: Call) -> Call {
        call.args.retain(|_, value| !value.is_null());
        let Some((_, slots)) = self.tools.get(&*call.tool) else { return call };
        for (name, fits) in slots {
            let Some(Value::String(said)) = call.args.get(*name) else { continue };
            let fits: Vec<&Candidate> =
                fits.iter().filter(|candidate| goes_with(candidate, &call.args)).collect();
            if let Some(value) = meant(said, &fits) {
                call.args.insert((*name).to_owned(), Value::String(value));
            }
        }
        call
    }
}

/// Whether the other argument is there that a candidate belongs to.
fn goes_with(candidate: &Candidate, args: &serde_json::Map<String, Value>) -> bool {
    candidate
        .goes_with
        .as_ref()
        .is_none_or(|(slot, value)| args.get(*slot).and_then(Value::as_str) == Some(value.as_str()))
}

fn meant(said: &str, fits: &[&Candidate]) -> Option<String> {
    if let Some(exact) = fits.iter().find(|candidate| !candidate.any_words && candidate.value == said) {
        return Some(exact.value.clone());
    }
    let wanted = fold(said);
    let called = |candidate: &&&Candidate| {
        let names = candidate.names.iter().map(|name| fold(Sentence::others(name.clone()).shown().as_str()));
        !candidate.any_words && names.chain([fold(&candidate.value)]).any(|name| name == wanted)
    };
    let mut found = fits.iter().filter(called);
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one.value.clone()),
        (None, _) if fits.iter().any(|candidate| candidate.any_words) => Some(said.trim().to_lowercase()),
        _ => None,
    }
}

/// Letters and digits alone, without a leading `the`.
fn fold(name: &str) -> String {
    let name = name.to_lowercase();
    let name = name.strip_prefix("the ").unwrap_or(&name);
    name.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// What happened in a case.
pub(crate) struct Happened {
    /// The calls of each turn, in the order in which they were made.
    pub(crate) turns: Vec<Vec<Call>>,
    /// How the last turn ended; `None` where it failed.
    pub(crate) end: Option<End>,
    /// What the backends reported to have used.
    pub(crate) usage: Usage,
}

/// Compares the case with what happened.
pub(crate) fn row(names: &Names, case: Case, happened: Happened) -> Row {
    let last_is_empty = happened.turns.last().is_none_or(Vec::is_empty);
    let asks = matches!(happened.end, Some(End::AsksBack { .. }));
    let got: Vec<Call> = happened.turns.into_iter().flatten().map(|call| names.resolved(call)).collect();
    let mut expected = match &case.expect {
        Expect::Calls(calls) => calls.iter().cloned().map(|call| names.resolved(call)).collect(),
        Expect::Word(_) => Vec::new(),
    };
    let exact = match &case.expect {
        Expect::Calls(_) => got == expected,
        Expect::Word(Word::Ask) => asks && last_is_empty && !got.iter().any(|call| names.writes(&call.tool)),
        Expect::Word(Word::None) => got.is_empty(),
    };
    let mut wrong_writes = 0;
    for write in got.iter().filter(|call| names.writes(&call.tool)) {
        match expected.iter().position(|call| call == write) {
            Some(place) => drop(expected.swap_remove(place)),
            None => wrong_writes += 1,
        }
    }
    let end = match happened.end {
        Some(End::AsksBack { .. }) => "asks-back",
        Some(_) => "answered",
        None => "failed",
    };
    let Case { id, say, expect } = case;
    Row { id, say, expect, got, end, exact, wrong_write: wrong_writes > 0, wrong_writes }
}
