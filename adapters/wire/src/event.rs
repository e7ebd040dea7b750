//! What happens in a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Category;

/// One event with its place in the turn. The numbers of a turn begin at 0 and have no gaps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Numbered {
    /// Its number.
    pub seq: u32,
    /// When.
    pub at: u64,
    /// What.
    pub event: Event,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// A backend has begun to answer.
    Started {
        /// Its name.
        backend: String,
        /// Where it runs.
        locality: Locality,
        /// Whether a model or rules answer.
        mind: Mind,
    },
    /// Some text of the answer: put it after what came before.
    Text {
        /// The text.
        text: String,
    },
    /// A call is dealt with: a read starts, or a write is being planned.
    ToolStarted {
        /// Its place in the turn.
        call: u32,
        /// The tool.
        tool: String,
        /// Its arguments.
        args: String,
    },
    /// A call has its result.
    ToolFinished {
        /// Its place in the turn.
        call: u32,
        /// The tool.
        tool: String,
        /// Why it was not done; absent where it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_done: Option<String>,
    },
    /// A person is asked: the node's page fetches the question with `pending`.
    ConfirmationRequired {
        /// Which question.
        id: String,
        /// For which call; absent where it is about sending the conversation to a remote backend.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<u32>,
    },
    /// The question has its answer.
    ConfirmationResolved {
        /// Which question.
        id: String,
        /// What became of it.
        outcome: Settled,
    },
    /// The request would need this category, which the owner has not opened.
    Closed {
        /// Which one.
        category: Category,
    },
    /// The page is asked to do this on its own screen.
    BrowserAction {
        /// For which call: `browsed` says what became of it.
        call: u32,
        /// `navigate`, `open-app`, `launch-app`, `theme` or `play`.
        verb: String,
        /// One of the targets that the page declared.
        target: String,
    },
    /// Another backend goes on.
    BackendSwitched {
        /// From this one.
        from: String,
        /// To this one.
        to: String,
        /// Because of this, in words.
        why: String,
        /// Whose data goes to it; none where it runs on the owner's own machines.
        leaves: Vec<Category>,
    },
    /// Messages went to a backend that is not the owner's.
    Crossed {
        /// To this one.
        backend: String,
        /// Whose data they rest on.
        holds: Vec<Category>,
        /// How many messages.
        messages: u32,
        /// How many bytes of text in them.
        bytes: u64,
    },
    /// Something was not sent to this backend.
    Withheld {
        /// What it rests on.
        category: Category,
        /// Who did not get it.
        backend: String,
    },
    /// The turn has ended.
    Finished {
        /// How.
        end: End,
        /// What the backends reported to have used.
        usage: Usage,
        /// One for each write of the turn; none means that nothing was changed.
        receipts: Vec<Receipt>,
    },
    /// The turn has ended without an answer.
    Failed {
        /// Why, in words.
        says: String,
        /// What was changed all the same.
        receipts: Vec<Receipt>,
    },
    /// Something that this version of the types has no word for.
    #[serde(other)]
    Other,
}

/// Where a backend runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Locality {
    /// On the node.
    OnNode,
    /// On another machine of the owner's.
    OwnNetwork,
    /// Anywhere else.
    Remote,
    /// Something that this version of the types has no word for.
    #[serde(other)]
    Other,
}

/// What answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mind {
    /// A language model.
    Model,
    /// Fixed rules, without a model.
    Rules,
    /// Something that this version of the types has no word for.
    #[serde(other)]
    Other,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It changes nothing on the node.
    Read,
    /// It changes the node, once a person has confirmed it.
    Write,
    /// Something that this version of the types has no word for.
    #[serde(other)]
    Other,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum End {
    /// With an answer.
    Answered,
    /// With an answer that was cut at a length limit.
    AnsweredInPart,
    /// With a question back.
    AsksBack {
        /// What can be said to it.
        choices: Vec<String>,
    },
    /// A person elsewhere decides; what happens then is written to the conversation.
    Waiting,
    /// With the answer that could be given after the most steps that a turn may take.
    StepLimit,
    /// It was stopped, or something new was said while a person was asked.
    Cancelled,
    /// The node was stopped while it ran.
    Interrupted,
    /// In a way that this version of the types has no word for.
    #[serde(other)]
    Other,
}

/// What backends report to have used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens read; absent where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens written; absent where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

/// One line of the node's own on a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: String,
    /// What became of it.
    pub outcome: Settled,
    /// What the node observed, or why it was not done.
    pub says: String,
}

/// What became of a question to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// It was confirmed and done.
    Done,
    /// It was confirmed, and failed.
    Failed,
    /// It could not be asked.
    NotAsked,
    /// The person said no.
    Denied,
    /// Nobody decided in time.
    Expired,
    /// The owner closed the category or lowered the role meanwhile.
    Revoked,
    /// What it was about has changed since it was shown.
    TargetChanged,
    /// Something new was said.
    Superseded,
    /// The turn was stopped.
    Cancelled,
    /// The node was restarted before anyone decided.
    Voided,
    /// It was confirmed and begun; whether it happened is not known.
    OutcomeUnknown,
    /// Something that this version of the types has no word for.
    #[serde(other)]
    Other,
}
