//! What a listener is told of a turn. Events are numbered from 0 in each turn and committed before they are delivered.

use crate::backend::BackendFault;
use crate::{BrowserAction, CallId, Categories, Category, ConfirmationId, Locality, Mind, Shown, Usage};

/// One thing that happened in a turn. All text in it may be put on a screen as it is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
    /// Some text of the answer.
    Text(Shown),
    /// A tool call is dealt with: a read starts, or a write is being planned.
    ToolStarted {
        /// Its place in the turn.
        call: CallId,
        /// The tool.
        tool: Shown,
        /// Its arguments in the tool's own writing.
        args: Shown,
    },
    /// A tool call has its result.
    ToolFinished {
        /// Its place in the turn.
        call: CallId,
        /// The tool.
        tool: Shown,
        /// Why it was not done; absent where it was.
        not_done: Option<Shown>,
    },
    /// A person is asked. Its text is fetched by a chrome caller with `pending`.
    ConfirmationRequired {
        /// Which question.
        id: ConfirmationId,
        /// For which call; absent where it is about sending the conversation to a remote backend.
        call: Option<CallId>,
    },
    /// The question has its answer.
    ConfirmationResolved {
        /// Which question.
        id: ConfirmationId,
        /// What became of it.
        outcome: Settled,
    },
    /// The request would need this category, which the owner has not opened. Only for callers at the chrome.
    Closed(Category),
    /// The caller's door is asked to do this on its own screen.
    BrowserAction {
        /// For this call: what became of it is said with [`Assistant::browsed`](crate::Assistant::browsed).
        call: CallId,
        /// What to do.
        action: BrowserAction,
    },
    /// Another backend goes on.
    BackendSwitched {
        /// From this one.
        from: String,
        /// To this one.
        to: String,
        /// Because of this.
        why: BackendFault,
        /// What data of the node goes to it; nothing where it runs on the owner's own machines.
        leaves: Categories,
    },
    /// Messages went to a backend that is not the owner's.
    Crossed {
        /// To this one.
        backend: String,
        /// The data of the node that they rest on.
        holds: Categories,
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
    /// The turn has ended. (For a relayed caller: [`End::Waiting`] is the last one it sees.)
    Finished(Finished),
    /// The turn has ended without an answer.
    Failed {
        /// Why.
        failure: Failure,
        /// What was changed all the same.
        receipts: Vec<Receipt>,
    },
}

impl Event {
    /// Whether it ends the turn, or what a relayed caller sees of it.
    pub(crate) const fn is_end(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed { .. })
    }

    /// The end of a turn that the store could not keep.
    pub(crate) fn lost() -> Self {
        Self::Failed { failure: Failure::Store, receipts: Vec::new() }
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Finished {
    /// How.
    pub end: End,
    /// What the backends reported to have used.
    pub usage: Usage,
    /// One line of the node's own for each write of the turn; empty means that nothing was changed.
    pub receipts: Vec<Receipt>,
}

/// The ways in which a turn ends.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum End {
    /// With an answer.
    Answered,
    /// With an answer that was cut at a length limit.
    AnsweredInPart,
    /// With a question back.
    AsksBack {
        /// What can be said to it.
        choices: Vec<Shown>,
    },
    /// For this caller: a person elsewhere decides, and what happens then is written to the conversation.
    Waiting,
    /// With the answer that could be given after the most steps that a turn may take.
    StepLimit,
    /// The caller stopped it, or said something new while a person was asked.
    Cancelled,
    /// The node was stopped while it ran.
    Interrupted,
}

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Failure {
    /// No backend could answer.
    Backend(BackendFault),
    /// It answered with nothing, twice.
    Empty,
    /// The model declined, in no words of its own.
    Declined,
    /// Something grew beyond its limit.
    Limit(Limited),
    /// The store could not keep it.
    Store,
}

/// What grew too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limited {
    /// The text of a reply.
    Text,
    /// The calls of a reply.
    Calls,
    /// The time that a turn may take, without the time in which a person decides.
    Time,
    /// What may leave the node, as the person agreed to it.
    Leaving,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Backend(BackendFault::Unreachable) => "No backend answers. Is the model's server running?",
            Self::Backend(BackendFault::Busy(_)) => "The backend is busy. Try again in a minute.",
            Self::Backend(BackendFault::Refused) => "The backend refused the request.",
            Self::Backend(BackendFault::Unsuitable) => "The model is missing or cannot call tools.",
            Self::Backend(BackendFault::TooLong) => {
                "The conversation is too long for the model. Begin a new one."
            }
            Self::Backend(BackendFault::Broken) => "The backend's answer was cut off; nothing in it was run.",
            Self::Backend(BackendFault::ModelFault) => "The model failed. Try again or say it differently.",
            Self::Empty => "The model answered with nothing.",
            Self::Declined => "The model declined to answer.",
            Self::Limit(Limited::Text) => "The answer grew beyond its limit and was stopped.",
            Self::Limit(Limited::Calls) => "The model asked for too many things at once and was stopped.",
            Self::Limit(Limited::Time) => "The answer took too long and was stopped.",
            Self::Limit(Limited::Leaving) => {
                "More would have left the node than was agreed to, so it was stopped."
            }
            Self::Store => "The node could not write to its store, so the turn was stopped.",
        })
    }
}

/// One line of the node's own on a write of the turn.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Receipt {
    /// The tool.
    pub tool: Shown,
    /// Its arguments.
    pub args: Shown,
    /// What became of it.
    pub outcome: Settled,
    /// What the node observed, or why it was not done.
    pub says: Shown,
}

/// What became of a question to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// It was confirmed and done.
    Done,
    /// It was confirmed, and failed.
    Failed,
    /// It could not be asked: it is not possible now, or too much is asked already.
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
}

impl Settled {
    /// The sentence that a person and a backend read.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "it was confirmed, but it failed",
            Self::NotAsked => "not done: it could not be asked",
            Self::Denied => "not done: the person said no",
            Self::Expired => "not done: nobody decided in time",
            Self::Revoked => "not done: the permission was withdrawn meanwhile",
            Self::TargetChanged => "not done: it has changed since it was shown",
            Self::Superseded => "not done: something new was said meanwhile",
            Self::Cancelled => "not done: the turn was stopped",
            Self::Voided => "not done: the node was restarted meanwhile",
            Self::OutcomeUnknown => "begun, but whether it happened is not known: look before trying again",
        }
    }
}
