//! Putting it into words: choices, questions back, and what cannot be done.

use super::fill::Value;
use super::index::Index;
use super::intent::Bar;
use super::reading::{Outcome, Wish};
use crate::{Offer, Sentence, SlotKind};

/// At most so many choices are offered.
const CHOICES: usize = 6;

/// The calls among which a question lets choose.
pub(super) fn choices(asked: &Outcome) -> Vec<Wish> {
    match asked {
        Outcome::Which { wish, slot, among } => among
            .iter()
            .take(CHOICES)
            .map(|value| {
                let mut wish = wish.clone();
                wish.args.retain(|(known, _)| known != slot);
                wish.args.push((*slot, Value::Text(value.clone())));
                wish.args.sort_by_key(|(slot, _)| *slot);
                wish
            })
            .collect(),
        Outcome::Perhaps(wishes) => wishes.iter().take(CHOICES).cloned().collect(),
        _ => Vec::new(),
    }
}

/// A wish as a person could say it.
pub(super) fn spoken(wish: &Wish, index: &Index<'_>) -> String {
    let spec = &index.tools[wish.tool].offer.spec;
    let slots = spec.slots();
    let full = |phrase: &&&str| {
        wish.args.iter().all(|(slot, _)| phrase.contains(&format!("{{{}}}", slots[*slot].name)))
            && phrase.matches('{').count() <= wish.args.len()
    };
    let phrase =
        spec.said_as().iter().find(full).or_else(|| spec.said_as().first()).copied().unwrap_or_default();
    let mut text = phrase.to_owned();
    for (slot, value) in &wish.args {
        let value = match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
        };
        text = text.replace(&format!("{{{}}}", slots[*slot].name), &value);
    }
    text
}

/// The question that asks which of them was meant.
pub(super) fn question(asked: &Outcome, index: &Index<'_>) -> Sentence {
    match asked {
        Outcome::Which { wish, slot, .. } => {
            let spec = &index.tools[wish.tool].offer.spec;
            let name = spec.slots()[*slot].name;
            match spec.slots()[*slot].kind {
                SlotKind::Words => Sentence::plain("Which words do you mean?"),
                _ => Sentence::plain(format!("Which {name} do you mean?")),
            }
        }
        _ => Sentence::plain("I am not sure. Did you mean this?"),
    }
}

/// Why a change that was spoken of is not made.
pub(super) fn barred(bar: Bar) -> &'static str {
    match bar {
        Bar::Negated => "Understood: I leave it as it is.",
        Bar::Advice => {
            "I cannot judge that, and I change nothing on a question. If you want it done, tell me to do it, with the name."
        }
        Bar::Past => "I change nothing on a question. Ask me how it is doing and I will look.",
        Bar::Reported => {
            "You are telling me what was said elsewhere, so I change nothing. If you want it done, tell me so yourself."
        }
        Bar::Later => {
            "I cannot wait for a time or an event. Tell me when it is to be done, and I will propose it then."
        }
        Bar::Sweeping => "I change one thing at a time: tell me which one, by its name.",
    }
}

/// What can be asked for, in a few of the tools' own phrases.
pub(super) fn not_understood(tools: &[Offer]) -> Sentence {
    let said = |offer: &Offer| {
        offer.spec.said_as().first().map(|phrase| format!("\"{}\"", phrase.replace(['{', '}'], "")))
    };
    let can: Vec<String> = tools.iter().filter_map(said).take(8).collect();
    if can.is_empty() {
        return Sentence::plain("I did not understand that, and nothing is open to me here.");
    }
    Sentence::plain(format!("I did not understand that. You can say, for instance: {}.", can.join(", ")))
}
