//! A model that calls no tools by itself, brought to choose: it is given what the person said, and writes which of the
//! few calls that this may mean are wanted, held to a schema that lets it write nothing else. What it says to the
//! results, or where no call is wanted, is a request of its own, for words.
//!
//! Which calls stand to choice is the doing of the node's rules (`phrases`): only what the person named, and a write only
//! where they read an order for it. So neither the model nor a text of others that it has read can bring in anything
//! else; what comes is held against the same list again, whatever the server made of the schema.
//!
//! Both requests begin with the same bytes, and so does the next one of the conversation; what changes stands at the
//! end.

mod play;
mod prompt;
#[cfg(test)]
mod tests;
mod written;

use std::time::Duration;

use serde_json::Value;

pub(crate) use self::play::{choose, first, whole};
pub(crate) use self::written::unfenced;
use super::budget::{self, MESSAGE, last_turn, last_turns};
use super::history::{Entry, mend};
use super::{BackendError, Calling, Calls, ModelCard, ReplyEvent, Request};
use crate::phrases::{Shortlist, shortlist, told};
use crate::{Content, Sentence};

/// The context of a model that nobody has told, in tokens.
const CONTEXT: u32 = 4096;
/// What is told of tools is read within this time, once; else only of those that may be meant.
const PATIENCE: Duration = Duration::from_secs(120);
/// Results that take longer to read than this are told in the tools' own sentences, which say the same at once.
const READING: Duration = Duration::from_secs(15);
/// Words that answer take at most so many tokens, a choice so many for each call.
const WORDS: usize = 400;
const CALL: usize = 64;
/// The rules list no more than so many as wanted.
const MOST: usize = 6;

/// A request that is text alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dialogue {
    /// What the model is told before.
    pub(crate) system: String,
    /// The conversation; a person begins and ends it.
    pub(crate) lines: Vec<Line>,
    /// What the reply is held to.
    pub(crate) schema: Option<Value>,
    /// At most so many tokens are written.
    pub(crate) max_tokens: usize,
}

/// One side's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Whose it is.
    pub(crate) side: Side,
    /// What it says.
    pub(crate) text: String,
}

/// Who says a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The person, or the node for it.
    Person,
    /// The model.
    Model,
}

impl Side {
    /// As every vendor calls it.
    pub(crate) fn role(self) -> &'static str {
        match self {
            Self::Person => "user",
            Self::Model => "assistant",
        }
    }
}

/// What is to be done for a request.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// The rules ask back.
    Ask(Sentence, Vec<Sentence>),
    /// The model chooses.
    Choose(Dialogue),
    /// The model answers in words.
    Speak(Dialogue),
    /// The tools' own sentences answer.
    Tell(Vec<ReplyEvent>),
}

/// A request, and what may be chosen for it.
#[derive(Debug)]
pub(crate) struct Choice<'r> {
    request: &'r Request,
    calling: Calling,
    system: String,
    lines: Vec<Line>,
    list: Option<Shortlist>,
    /// What the tools say of what was found, where the model is too slow to read it.
    told: Vec<ReplyEvent>,
}

impl<'r> Choice<'r> {
    /// For a model with this card.
    ///
    /// # Errors
    ///
    /// What was said last, with what came of it, does not fit the model's context.
    pub(crate) fn new(request: &'r Request, card: &ModelCard) -> Result<Self, BackendError> {
        let context = card.context.unwrap_or(CONTEXT) as usize;
        // A text of others takes at most about a quarter of the context.
        let entries = mend(&request.messages, context.clamp(2048, 16_384), None);
        let list = may_be_meant(request);
        let beside = WORDS.max(CALL * (MOST + 1)) + 8 * MESSAGE;
        let most = card.read_within(PATIENCE).map_or(context, |tokens| tokens as usize).min(context / 2);
        let most = most.min(context.saturating_sub(beside + last_turn(&entries)));
        let mut system = prompt::system(&request.tools.iter());
        if budget::tokens(&system) > most {
            let meant =
                |place: &usize| list.iter().flat_map(|list| &list.calls).any(|call| call.tool == *place);
            let tools = (0..request.tools.len()).filter(meant).map(|place| &request.tools[place]);
            system = prompt::system(&tools);
        }
        let taken = budget::tokens(&system) + beside;
        let lines = lines(last_turns(&entries, context.saturating_sub(taken))?);
        let new = lines.last().map_or(0, |line| budget::tokens(&line.text));
        let slow = card.read_within(READING).is_some_and(|tokens| new > tokens as usize);
        let told = if slow { results(request) } else { Vec::new() };
        Ok(Self { request, calling: card.calling(), system, lines, list, told })
    }

    /// What is to be done first.
    pub(crate) fn step(&self) -> Step {
        match &self.list {
            Some(Shortlist { ask: Some((question, choices)), .. }) => {
                Step::Ask(question.clone(), choices.clone())
            }
            Some(list) if !list.calls.is_empty() => Step::Choose(self.dialogue(
                None,
                (self.calling == Calling::Schema).then(|| written::schema(list, &self.request.tools)),
                CALL * (list.most + 1),
            )),
            _ if !self.told.is_empty() => Step::Tell(self.told.clone()),
            _ => Step::Speak(self.speak()),
        }
    }

    /// The request for words.
    pub(crate) fn speak(&self) -> Dialogue {
        let told = self.list.as_ref().and_then(|list| list.told);
        let told = told.map(|told| format!(" The node says: {told}")).unwrap_or_default();
        self.dialogue(
            Some(&format!("{}{told}", prompt::IN_WORDS)),
            None,
            WORDS.min(self.request.max_text / 2),
        )
    }

    /// The calls that the model wrote; none, where it wrote anything else.
    pub(crate) fn read(&self, text: &str) -> Vec<ReplyEvent> {
        let Some(list) = &self.list else { return Vec::new() };
        let said: Vec<&str> = self.request.messages.iter().filter_map(said).collect();
        written::calls(text, list, &self.request.tools, &said)
    }

    fn dialogue(&self, last: Option<&str>, schema: Option<Value>, max_tokens: usize) -> Dialogue {
        let mut lines = self.lines.clone();
        if let (Some(line), Some(last)) = (lines.last_mut(), last) {
            line.text.push_str("\n\n");
            line.text.push_str(last);
        }
        Dialogue { system: self.system.clone(), lines, schema, max_tokens }
    }
}

fn said(message: &crate::Message) -> Option<&str> {
    match &message.content {
        Content::Said(text) => Some(text),
        _ => None,
    }
}

/// What the last thing said may mean; nothing, where calls were made for it already, or none may be made.
fn may_be_meant(request: &Request) -> Option<Shortlist> {
    let (last, text) = request.last_said()?;
    let called = |content: &Content| matches!(content, Content::Reply { calls, .. } if !calls.is_empty());
    if request.calls == Calls::None || request.messages[last..].iter().any(|message| called(&message.content))
    {
        return None;
    }
    Some(shortlist(text, &request.tools, &request.elsewhere, &request.messages[..last]))
}

/// The tools' sentences for the results after the last thing said.
fn results(request: &Request) -> Vec<ReplyEvent> {
    let after = &request.messages[request.last_said().map_or(0, |(last, _)| last + 1)..];
    told(&request.tools, after)
}

/// The conversation as text of two sides, which take turns.
fn lines(entries: &[Entry<'_>]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |side: Side, text: &str| match lines.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.side == side => {
            last.text.push_str("\n\n");
            last.text.push_str(text);
        }
        _ => lines.push(Line { side, text: text.to_owned() }),
    };
    for entry in entries {
        match entry {
            Entry::Said(text) | Entry::Noted(text) => add(Side::Person, text),
            Entry::Reply { text, calls, .. } if calls.is_empty() => add(Side::Model, text),
            Entry::Reply { calls, .. } => {
                let made = calls.iter().map(|call| (&*call.tool, call.args.get()));
                add(Side::Model, &written::text(made));
                for call in calls {
                    add(Side::Person, &format!("{}: {}", call.tool, call.result));
                }
            }
        }
    }
    if lines.last().is_none_or(|last| last.side == Side::Model) {
        lines.push(Line { side: Side::Person, text: prompt::GO_ON.to_owned() });
    }
    lines
}
