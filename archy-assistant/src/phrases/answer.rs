//! Putting it into words: choices, questions back, and what cannot be done.

use super::courtesy::Courtesy;
use super::fill::Value;
use super::index::Index;
use super::intent::Bar;
use super::reading::{Outcome, Wish};
use crate::{Candidate, Offer, Sentence, SlotKind};

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

/// What is said back to what was said to the assistant itself.
pub(super) fn courtesy(courtesy: Courtesy, tools: &[Offer]) -> Sentence {
    let can = can_be_said(tools).unwrap_or_else(|| "Nothing is open to me here yet.".to_owned());
    Sentence::plain(match courtesy {
        Courtesy::Greeting => format!("Hello. {can}"),
        Courtesy::Thanks => "You are welcome.".to_owned(),
        Courtesy::Help => can,
    })
}

/// What can be asked for, where something was not understood.
pub(super) fn not_understood(tools: &[Offer]) -> Sentence {
    Sentence::plain(match can_be_said(tools) {
        Some(can) => format!("I did not understand that. {can}"),
        None => "I did not understand that, and nothing is open to me here.".to_owned(),
    })
}

/// A few of the tools' own phrases, with capitals where something is to be named, and one of them as it is really said.
fn can_be_said(tools: &[Offer]) -> Option<String> {
    let phrase = |offer: &Offer| offer.spec.said_with_gaps().next().map(|phrase| format!("\"{phrase}\""));
    let phrases: Vec<String> = tools.iter().filter_map(phrase).take(8).collect();
    let can = (!phrases.is_empty()).then(|| format!("You can say, for instance: {}.", phrases.join(", ")))?;
    Some(match tools.iter().find_map(example) {
        Some(example) => format!("{can} With names it is, for example: \"{example}\"."),
        None => can,
    })
}

/// The first phrase of a tool, said with what there is here to be named; none where it names nothing.
fn example(offer: &Offer) -> Option<String> {
    let mut text = (*offer.spec.said_as().first()?).to_owned();
    let mut chosen: Vec<(&str, &str)> = Vec::new();
    for (slot, candidates) in offer.spec.slots().iter().zip(&offer.candidates) {
        let gap = format!("{{{}}}", slot.name);
        if !text.contains(&gap) {
            continue;
        }
        let fits = |candidate: &&Candidate| {
            let with = candidate.goes_with.as_ref();
            !candidate.any_words && with.is_none_or(|(slot, value)| chosen.contains(&(slot, value)))
        };
        let value = &candidates.iter().find(fits)?.value;
        text = text.replace(&gap, value);
        chosen.push((slot.name, value));
    }
    (!chosen.is_empty() && !text.contains('{')).then_some(text)
}
