//! What a turn's machine is told. The journal of these is the one stored truth of a turn.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::event::{Limited, Settled};
use super::message::Outcome;
use crate::backend::{BackendError, BackendFault, EndReason};
use crate::untrusted::codec;
use crate::{
    BrowserAction, CallId, Calls, Categories, Category, ConfirmationId, Label, Locality, Mind, Seat,
    Sentence, Source, Usage,
};

/// One step of a turn, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Input {
    Said(Said),
    Asked(Asked),
    Text(String),
    Sentence(#[serde(with = "codec::sentence")] Sentence),
    Called(Called),
    AskBack(AskBack),
    Opaque(String),
    Usage(Usage),
    End(EndReason),
    Broke(BackendError),
    Result(Arrived),
    Proposed {
        call: CallId,
        id: ConfirmationId,
    },
    /// A person is asked whether the conversation may go to a remote backend, because none at home answers.
    Crossing {
        id: ConfirmationId,
        why: BackendFault,
    },
    /// The result is that of the call that was asked about; a question about a crossing has none.
    Resolved {
        id: ConfirmationId,
        outcome: Settled,
        result: Option<Arrived>,
    },
    TooMuch(Limited),
    Cancel,
    Interrupted,
}

/// How a turn begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) seat: Seat,
    /// What the conversation rested on before.
    pub(crate) context: Label,
    /// The free text of others that was in it before.
    pub(crate) sources: BTreeSet<Source>,
    /// The categories that the request would need and that are closed.
    pub(crate) closed: Categories,
    /// Whether nothing else was asked, so that no backend needs to be.
    pub(crate) only_closed: bool,
    /// The steps and bytes of text that were allowed when it was said: a replay must end where the turn ended.
    pub(crate) steps: u32,
    pub(crate) calls: usize,
    pub(crate) text_limit: usize,
}

/// A request goes to a backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) backend: String,
    pub(crate) locality: Locality,
    pub(crate) mind: Mind,
    pub(crate) calls: Calls,
    /// What the messages that were sent rest on: the reply inherits it.
    pub(crate) label: Label,
    /// What the names rest on that it may choose from: a question back holds them.
    #[serde(default)]
    pub(crate) names: Label,
    /// What was not sent.
    pub(crate) withheld: Vec<Held>,
    /// What was sent, where it left the owner's own machines.
    #[serde(default)]
    pub(crate) crossed: Option<Crossed>,
    /// Another backend was asked first, and failed before it said anything.
    pub(crate) instead_of: Option<(String, BackendFault)>,
}

/// What went to a remote backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crossed {
    pub(crate) holds: Categories,
    pub(crate) messages: u32,
    pub(crate) bytes: u64,
}

/// Something that was not sent to a backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) category: Category,
    /// A result of this turn: the person is shown it in the tool's own sentence.
    pub(crate) call: Option<CallId>,
}

/// A call, already judged by the node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Called {
    pub(crate) tool: String,
    /// In the tool's own writing, `{}` where they could not be read.
    pub(crate) args: String,
    pub(crate) judged: Judgement,
}

/// What the node found a call to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Judgement {
    Read,
    Ask,
    Browser(BrowserAction),
    BadArgs(String),
    Unknown,
}

/// A question of the backend to the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskBack {
    #[serde(with = "codec::sentence")]
    pub(crate) question: Sentence,
    #[serde(with = "codec::sentences")]
    pub(crate) choices: Vec<Sentence>,
}

/// A call's result, with what the node adds to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arrived {
    pub(crate) call: CallId,
    pub(crate) outcome: Outcome,
    pub(crate) label: Label,
    /// The free text of others in it.
    pub(crate) sources: BTreeSet<Source>,
    /// The nonce of its fence, drawn after the text was fixed.
    pub(crate) fence: u128,
    /// The tool's own sentence for it.
    #[serde(with = "codec::sentence")]
    pub(crate) says: Sentence,
}
