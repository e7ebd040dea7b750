//! What was said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Numbered, Receipt};

/// `history`: what was said, of whoever asks. Of lists the newest come first, at most 100 at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum History {
    /// The conversations: [`Conversations`].
    List {
        /// Only those older than this one.
        #[serde(default)]
        before: Option<String>,
        /// At most so many; otherwise 50.
        #[serde(default)]
        most: Option<u32>,
    },
    /// The turns of one: [`Turns`].
    Page {
        /// Which one.
        conversation: String,
        /// Only those older than this one.
        #[serde(default)]
        before: Option<String>,
        /// At most so many, fewer where they are long; otherwise 50.
        #[serde(default)]
        most: Option<u32>,
    },
    /// The turns in which these words stand: [`Found`].
    Search {
        /// The words.
        words: String,
        /// At most so many; otherwise 50.
        #[serde(default)]
        most: Option<u32>,
    },
    /// A whole conversation: [`Exported`].
    Export {
        /// Which one.
        conversation: String,
    },
    /// Removes a conversation for good: [`Nothing`](crate::Nothing).
    Forget {
        /// Which one.
        conversation: String,
    },
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Which one.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// What was said first.
    pub title: String,
    /// When it began.
    pub began: u64,
    /// When something last happened in it.
    pub last: u64,
}

/// A part of the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conversations {
    /// The part, newest first.
    pub conversations: Vec<Summary>,
    /// Give this as `before` to get what is older; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<String>,
}

/// A turn as it can be read later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turned {
    /// Which one.
    pub turn: String,
    /// When it was said.
    pub at: u64,
    /// What was said.
    pub said: String,
    /// The whole text of the answer.
    pub answer: String,
    /// What was written to the node, or was not.
    pub receipts: Vec<Receipt>,
    /// Everything that happened.
    pub events: Vec<Numbered>,
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turns {
    /// The part, newest first.
    pub turns: Vec<Turned>,
    /// Give this as `before` to get what is older; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Newest first.
    pub found: Vec<FoundTurn>,
}

/// A turn that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundTurn {
    /// Where.
    pub conversation: String,
    /// What.
    pub turn: Turned,
}

/// A whole conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// The form's version: 1.
    pub version: u32,
    /// What it is.
    pub conversation: Summary,
    /// Its turns, oldest first.
    pub turns: Vec<Turned>,
}
