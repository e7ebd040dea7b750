//! The entries of a conversation, each with its label.

use crate::untrusted::codec;
use crate::{Datum, Label, Sentence};

/// The place of a call in its turn, from 0; the node's own numbering, whatever a vendor calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct CallId(pub u32);

/// One entry of a conversation, with the label of everything its text may rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it rests on.
    pub label: Label,
    /// What it is.
    pub content: Content,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A person said it. Through a relayed door it is text from others.
    Said(String),
    /// A backend answered it.
    Reply {
        /// The text of a model, or the sentence of the node's own rules.
        text: Sentence,
        /// The calls it made, each answered by a result that follows.
        calls: Vec<ToolCall>,
        /// What must be carried back to the same backend unchanged.
        opaque: Vec<String>,
    },
    /// The result of a call.
    Result {
        /// Which call.
        call: CallId,
        /// The tool's name, as it was called.
        tool: String,
        /// What came of it.
        outcome: Outcome,
        /// The nonce of its fences.
        fence: u128,
    },
    /// The node itself tells the backend something.
    Note(String),
}

/// What the model asked for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ToolCall {
    /// The node's own number for it.
    pub id: CallId,
    /// The name as it was called.
    pub tool: String,
    /// Its arguments as JSON text: the tool's own writing where they could be parsed, else `{}`.
    pub args: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was done.
    Done(#[serde(with = "codec::datum")] Datum),
    /// It was not done, or it failed: a sentence for the backend and the person.
    NotDone(String),
    /// It was done and shown to the person; its content may not go to this backend.
    Withheld,
}

impl Content {
    /// How many bytes it is where it leaves, with what only another backend could read.
    pub(crate) fn bytes(&self) -> u64 {
        let opaque = match self {
            Self::Reply { opaque, .. } => opaque.iter().map(String::len).sum(),
            _ => 0,
        };
        (self.hashed().len() + opaque) as u64
    }

    /// The bytes that the audit's receipt of a crossing is made of.
    pub(crate) fn hashed(&self) -> Vec<u8> {
        match self {
            Self::Said(text) | Self::Note(text) => text.clone().into_bytes(),
            Self::Reply { text, calls, .. } => {
                let calls = calls.iter().map(|call| format!("\n{} {}", call.tool, call.args));
                (text.for_prompt() + &calls.collect::<String>()).into_bytes()
            }
            Self::Result { outcome, .. } => serde_json::to_vec(outcome).unwrap_or_default(),
        }
    }
}
