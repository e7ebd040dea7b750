//! Saying something, listening, and answering questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Category, Effect, Numbered, Settled};

/// No parameters, or an answer that says only that it is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// `chat`: says something. The answer comes at once; the turn goes on whether anybody listens or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chat {
    /// In a new conversation where absent.
    #[serde(default)]
    pub conversation: Option<String>,
    /// What is said.
    pub text: String,
}

/// A turn has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Began {
    /// The turn.
    pub turn: String,
    /// Its conversation.
    pub conversation: String,
}

/// `events`: what happened in a turn, over plain HTTP. `listen` takes the same over WebSocket, where the events come
/// one by one and `wait_ms` and `most` mean nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadEvents {
    /// Which turn.
    pub turn: String,
    /// Only events after this number; from the first one where absent.
    #[serde(default)]
    pub after: Option<u32>,
    /// Where there is none yet, so long is waited for one, at most 25,000 ms; not at all where absent.
    #[serde(default)]
    pub wait_ms: u32,
    /// At most so many, and never more than 500.
    #[serde(default)]
    pub most: Option<u32>,
}

/// Events, in order and without gaps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventsRead {
    /// The events.
    pub events: Vec<Numbered>,
    /// Whether the last one of the turn is among them, or came before.
    pub over: bool,
}

/// `cancel`: stops a turn; answered when it has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Which turn.
    pub turn: String,
}

/// `browsed`: what became of a browser action. Once, while the turn waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportBrowsed {
    /// In which turn.
    pub turn: String,
    /// For which call.
    pub call: u32,
    /// What became of it.
    pub outcome: Browsed,
}

/// What became of a browser action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Browsed {
    /// The page did it.
    Done,
    /// The page could not, or the person did not want it.
    NotDone,
}

/// `pending`: the questions that wait for whoever asks, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pending {
    /// The questions.
    pub confirmations: Vec<Confirmation>,
}

/// A question to a person. Only the node's own page or terminal is ever given one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    /// Its id; knowing it gives no right.
    pub id: String,
    /// What an answer must repeat.
    pub digest: String,
    /// The whole text, as the node wrote it.
    pub text: String,
    /// The conversation in which it arose.
    pub conversation: String,
    /// The turn that waits for it.
    pub turn: String,
    /// The call that it is about; absent where it is about sending the conversation to a remote backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// Until when it can be answered.
    pub expires: u64,
    /// Its place in the order in which they were asked, from 1.
    pub place: usize,
    /// How many wait.
    pub of: usize,
}

/// `confirm-shown`: a question is on a screen now. An answer counts 700 ms after that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmShown {
    /// Which one.
    pub id: String,
    /// Its digest.
    pub digest: String,
}

/// `confirm-tool`: answers a question; answered when its effect has ended. Answered again, it runs nothing and says
/// what became of it. An effect that has begun ends, whether or not whoever confirmed it still listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// Which one.
    pub id: String,
    /// Its digest.
    pub digest: String,
    /// The answer.
    pub decision: Decision,
}

/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Do it.
    Confirm,
    /// Do not.
    Deny,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// How it ended.
    pub outcome: Settled,
    /// What the node observed, or why it was not done.
    pub says: String,
}

/// `list-tools`: what can be done, by whoever asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tools {
    /// In a stable order.
    pub tools: Vec<Tool>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Whether it reads, or changes something after a person has confirmed it.
    pub effect: Effect,
    /// Whose data it is about; absent where it needs no category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
}
