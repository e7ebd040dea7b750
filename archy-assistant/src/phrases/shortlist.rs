//! The few calls among which a small model may choose, for the backends that let one.

use serde_json::{Map, Value as Json};

use super::answer;
use super::browser;
use super::fill::Value;
use super::index::Index;
use super::reading::Outcome;
use super::reading::shortlist::{Listed, shortlist as listed};
use crate::{Elsewhere, Message, Offer, Sentence, SlotKind};

/// What a text may ask for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shortlist {
    /// The calls, those that fit best first in each clause.
    pub(crate) calls: Vec<Listing>,
    /// So many of them are wanted at most.
    pub(crate) most: usize,
    /// What the rules would ask back, and what can be chosen.
    pub(crate) ask: Option<(Sentence, Vec<Sentence>)>,
    /// What the node says to it: where else it is done, or why nothing is changed.
    pub(crate) told: Option<&'static str>,
}

/// One call that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listing {
    /// The tool's place among the offers.
    pub(crate) tool: usize,
    /// Its arguments, by name.
    pub(crate) args: Vec<(&'static str, Argument)>,
}

impl Listing {
    /// Whether a call of `tool` with these arguments is this one, where the person `said` all this. Words that are taken
    /// as they come must stand in it.
    pub(crate) fn is(&self, tool: &str, args: &Map<String, Json>, tools: &[Offer], said: &[&str]) -> bool {
        let fits = |(name, argument): &(&str, Argument)| match (args.get(*name), argument) {
            (Some(value), Argument::Named(named)) => value == named,
            (Some(Json::String(words)), Argument::Words) => said.iter().any(|said| says(said, words)),
            _ => false,
        };
        tools[self.tool].spec.name() == tool && self.args.len() == args.len() && self.args.iter().all(fits)
    }
}

/// An argument of a call that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    /// This value, which the person named.
    Named(Json),
    /// Words of the person's, as they stand.
    Words,
}

/// What `text` may ask for after the messages `before` it.
pub(crate) fn shortlist(
    text: &str,
    tools: &[Offer],
    elsewhere: &[Elsewhere],
    before: &[Message],
) -> Shortlist {
    if let Some((tool, target)) = browser::wanted(text, tools) {
        let calls = vec![Listing { tool, args: vec![("target", Argument::Named(target.into()))] }];
        return Shortlist { calls, most: 1, ask: None, told: None };
    }
    let index = Index::new(browser::of_the_node(tools), elsewhere);
    let Listed { wishes, most, outcome } = listed(text, &index, before);
    let mut calls: Vec<Listing> = Vec::new();
    for wish in wishes {
        let slots = tools[wish.tool].spec.slots();
        let args = wish.args.into_iter().map(|(slot, value)| {
            let value = match (&slots[slot].kind, value) {
                (SlotKind::Words, _) => Argument::Words,
                (_, Value::Text(text)) => Argument::Named(text.into()),
                (_, Value::Number(number)) => Argument::Named(number.into()),
            };
            (slots[slot].name, value)
        });
        let call = Listing { tool: wish.tool, args: args.collect() };
        if !calls.contains(&call) {
            calls.push(call);
        }
    }
    let ask = matches!(outcome, Outcome::Which { .. } | Outcome::Perhaps(_)).then(|| {
        let choices = answer::choices(&outcome);
        let choices = choices.iter().map(|wish| Sentence::plain(answer::spoken(wish, &index)));
        (answer::question(&outcome, &index), choices.collect())
    });
    let told = match outcome {
        Outcome::Elsewhere(answer) => Some(answer),
        Outcome::Barred(bar) => Some(answer::barred(bar)),
        _ => None,
    };
    Shortlist { calls, most, ask, told }
}

/// Whether `value` stands in `text`, word by word: nothing is searched for that nobody said.
fn says(text: &str, value: &str) -> bool {
    let (text, value) = (plain(text), plain(value));
    !value.is_empty() && text.windows(value.len()).any(|run| run == value)
}

fn plain(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
