//! The backend without a model: it matches what was said against the tools' phrases and what their slots may hold.
//!
//! It proposes a write only for an order that it understands whole; what asks, forbids, reports, supposes or waits
//! changes nothing. Tools are known only by their specs, English only by the [`lexicon`].
//!
//! What was said becomes [`words`], then [`clauses`], of which [`intent`] says what kind of sentence each is, once [`voice`]
//! has put its words into the usual order;
//! [`fill`] finds the values of slots, [`score`] how well a tool fits, and [`reading`] joins it all with what came
//! before ([`follow_up`]). [`answer`] puts it into words. What may be meant at all, for a model to choose from, is in
//! `shortlist`.

mod answer;
mod browser;
mod clauses;
mod correct;
mod courtesy;
mod english;
mod fill;
mod follow_up;
mod index;
mod intent;
mod lexicon;
mod reading;
mod score;
#[cfg(feature = "http")]
mod shortlist;
mod voice;
mod words;

#[cfg(test)]
pub(crate) mod cases;
#[cfg(test)]
mod sentences;

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::backend::at_once;
use crate::{
    Backend, BackendFacts, Calls, Categories, Content, Elsewhere, EndReason, Locality, Message, Mind, Offer,
    Outcome as Came, ReplyEvent, ReplyStream, Request, Sentence,
};
use courtesy::{Courtesy, courtesy};
use fill::Value;
use index::Index;
use reading::{Outcome, Wish};
#[cfg(feature = "http")]
pub(crate) use shortlist::{Argument, Listing, Shortlist, shortlist};

/// Answers by matching what was said against the tools' phrases.
#[derive(Debug, Default, Clone)]
pub struct Phrases;

impl Backend for Phrases {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: "phrases".to_owned(),
            locality: Locality::OnNode,
            mind: Mind::Rules,
            may_receive: Categories::NONE,
        }
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        at_once(events(&request).into_iter().chain([ReplyEvent::End(EndReason::Complete)]).map(Ok).collect())
    }
}

/// What was understood of something said.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::enum_variant_names, reason = "the opposite of the type's name says it best")]
pub(crate) enum Understood {
    /// These calls are wanted, in this order: the tool's name, and its arguments as JSON text.
    Calls(Vec<(String, String)>),
    /// It must be asked which was meant.
    Ask {
        /// The question.
        question: Sentence,
        /// What can be chosen, each as it could be said.
        choices: Vec<Sentence>,
    },
    /// Perhaps one of these was meant.
    Guess {
        /// The question.
        question: Sentence,
        /// What can be chosen, each as it could be said.
        choices: Vec<Sentence>,
    },
    /// It was said to the assistant itself.
    Courtesy(Courtesy),
    /// It is done elsewhere, or not at all: where.
    Elsewhere(&'static str),
    /// It speaks of a change without ordering one; why nothing is changed.
    Unchanged(&'static str),
    /// It was not understood.
    NotUnderstood,
}

/// What `text` asks for, after the messages `before` it. Pure; reads no clock and no host.
pub(crate) fn understand(
    text: &str,
    tools: &[Offer],
    elsewhere: &[Elsewhere],
    before: &[Message],
) -> Understood {
    if let Some((place, target)) = browser::wanted(text, tools) {
        let args = Map::from_iter([("target".to_owned(), Json::from(target))]);
        return Understood::Calls(vec![(
            tools[place].spec.name().to_owned(),
            Json::Object(args).to_string(),
        )]);
    }
    let index = Index::new(browser::of_the_node(tools), elsewhere);
    match reading::read(text, &index, before) {
        Outcome::Wishes(wishes) => {
            let calls = wishes.iter().map(|wish| call(wish, &index)).collect();
            Understood::Calls(browser::on_the_page(text, calls, tools))
        }
        asked @ (Outcome::Which { .. } | Outcome::Perhaps(_)) => {
            let question = answer::question(&asked, &index);
            let spoken = |wish: &Wish| Sentence::plain(answer::spoken(wish, &index));
            let choices = answer::choices(&asked).iter().map(spoken).collect();
            match asked {
                Outcome::Which { .. } => Understood::Ask { question, choices },
                _ => Understood::Guess { question, choices },
            }
        }
        Outcome::Elsewhere(answer) => Understood::Elsewhere(answer),
        Outcome::Barred(bar) => Understood::Unchanged(answer::barred(bar)),
        Outcome::Nothing => courtesy(text).map_or(Understood::NotUnderstood, Understood::Courtesy),
    }
}

/// The tools that `text` would use, by name: also one of which a part is still to be asked.
pub(crate) fn needs(
    text: &str,
    tools: &[Offer],
    elsewhere: &[Elsewhere],
    before: &[Message],
) -> Vec<&'static str> {
    if let Some((place, _)) = browser::wanted(text, tools) {
        return vec![tools[place].spec.name()];
    }
    let index = Index::new(browser::of_the_node(tools), elsewhere);
    let wishes = match reading::read(text, &index, before) {
        Outcome::Wishes(wishes) | Outcome::Perhaps(wishes) => wishes,
        Outcome::Which { wish, .. } => vec![wish],
        _ => Vec::new(),
    };
    wishes.iter().map(|wish| index.tools[wish.tool].offer.spec.name()).collect()
}

/// Whether the rules know for sure what a request wants, so that they may answer for a model that failed: calls that are
/// whole, or lack only a name; what is said to the assistant itself, or done elsewhere; results that only need their
/// sentence.
pub(crate) fn is_sure(request: &Request) -> bool {
    match stage(request) {
        Stage::Told(events) => !events.is_empty(),
        Stage::Said(Understood::Calls(calls)) => !calls.is_empty(),
        Stage::Said(understood) => {
            matches!(understood, Understood::Ask { .. } | Understood::Courtesy(_) | Understood::Elsewhere(_))
        }
        Stage::Nothing => false,
    }
}

fn call(wish: &Wish, index: &Index<'_>) -> (String, String) {
    let spec = &index.tools[wish.tool].offer.spec;
    let args: Map<String, Json> = wish
        .args
        .iter()
        .map(|(slot, value)| {
            let value = match value {
                Value::Text(text) => Json::from(text.as_str()),
                Value::Number(number) => Json::from(*number),
            };
            (spec.slots()[*slot].name.to_owned(), value)
        })
        .collect();
    (spec.name().to_owned(), Json::Object(args).to_string())
}

/// What a request is about.
enum Stage {
    /// Results are there; the events tell them.
    Told(Vec<ReplyEvent>),
    /// Something was said.
    Said(Understood),
    /// Nothing that could be answered.
    Nothing,
}

fn stage(request: &Request) -> Stage {
    // What the node itself tells a model changes nothing of what was said and found.
    let spoken = |message: &&Message| !matches!(message.content, Content::Note(_));
    let messages: Vec<Message> = request.messages.iter().filter(spoken).cloned().collect();
    let results =
        messages.iter().rev().take_while(|message| matches!(message.content, Content::Result { .. })).count();
    if results > 0 {
        return Stage::Told(told(&request.tools, &messages[messages.len() - results..]));
    }
    let Some(last) = messages.iter().rposition(|message| matches!(message.content, Content::Said(_))) else {
        return Stage::Nothing;
    };
    if request.calls == Calls::None {
        // What came of this turn's calls is known; nothing new may begin.
        return Stage::Told(told(&request.tools, &messages[last..]));
    }
    let Content::Said(text) = &messages[last].content else { return Stage::Nothing };
    Stage::Said(understand(text, &request.tools, &request.elsewhere, &messages[..last]))
}

/// The events of a reply, without its end.
fn events(request: &Request) -> Vec<ReplyEvent> {
    let understood = match stage(request) {
        Stage::Told(events) => return events,
        Stage::Said(understood) => understood,
        Stage::Nothing => return Vec::new(),
    };
    let sentence = |sentence| vec![ReplyEvent::Sentence(sentence)];
    match understood {
        Understood::Calls(calls) => {
            calls.into_iter().map(|(tool, args)| ReplyEvent::Call { tool, args }).collect()
        }
        Understood::Ask { question, choices } | Understood::Guess { question, choices } => {
            vec![ReplyEvent::AskBack { question, choices }]
        }
        Understood::Courtesy(courtesy) => sentence(answer::courtesy(courtesy, &request.tools)),
        Understood::Elsewhere(answer) | Understood::Unchanged(answer) => sentence(Sentence::plain(answer)),
        Understood::NotUnderstood => sentence(answer::not_understood(&request.tools)),
    }
}

/// The sentences of results, in call order.
pub(crate) fn told(tools: &[Offer], messages: &[Message]) -> Vec<ReplyEvent> {
    let sentences = messages.iter().filter_map(|message| match &message.content {
        Content::Result { tool, outcome: Came::Done(datum), .. } => {
            let spec = tools.iter().find(|offer| offer.spec.name() == tool).map(|offer| &offer.spec);
            Some(spec.map_or_else(|| Sentence::from(datum), |spec| spec.sentence(datum)))
        }
        Content::Result { outcome: Came::NotDone(why), .. } => Some(Sentence::plain(why.clone())),
        _ => None,
    });
    let whole = Sentence::join(sentences.filter(|sentence| !sentence.is_empty()), " ");
    if whole.is_empty() { Vec::new() } else { vec![ReplyEvent::Sentence(whole)] }
}
