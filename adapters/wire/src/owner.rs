//! What an owner opens, and looks through.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose data, and what may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Apps, their state and logs.
    Apps,
    /// The machine and its settings.
    System,
    /// Addresses, traffic and peers.
    Network,
    /// Balances.
    Wallet,
    /// Files below the shared folder.
    Files,
    /// Music, films, podcasts.
    Media,
    /// Search over the node's own open sources.
    Search,
    /// Which model answers, and where it runs.
    AiLocal,
    /// The owner's notes.
    Notes,
    /// The Bitcoin node.
    Bitcoin,
    /// Something that this version of the types has no word for. A node opens and closes none of this name.
    #[serde(other)]
    Other,
}

/// `grants`: what is open. Only the node's own page or terminal reads it, and only its owner changes it. All four answer with
/// [`GrantsRead`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Grants {
    /// Reads it.
    Read {},
    /// Opens a category.
    Open {
        /// Which one.
        category: Category,
    },
    /// Closes a category at once, and takes back what waits in it.
    Close {
        /// Which one.
        category: Category,
    },
    /// Closes everything at once, and takes back everything that waits.
    CloseAll {},
}

/// What is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrantsRead {
    /// These, in the order in which they are listed to people.
    pub open: Vec<Category>,
    /// Whether everything counts as closed all the same, until the owner has acknowledged how the audit was found.
    pub held: bool,
}

/// `audit`: for the owner at the node's own page or terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Audit {
    /// Its lines, newest first: [`AuditPage`].
    Page {
        /// Only those before this one.
        #[serde(default)]
        before: Option<u64>,
        /// At most so many; otherwise 50, and never more than 100.
        #[serde(default)]
        most: Option<u32>,
    },
    /// Looks at every line: [`Verified`].
    Verify {},
}

/// A part of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditPage {
    /// The part, newest first.
    pub lines: Vec<AuditLine>,
    /// Give this as `before` to get what is older; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<u64>,
}

/// One line of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditLine {
    /// Its number, from 1.
    pub seq: u64,
    /// When.
    pub at: u64,
    /// What happened, by a stable name: `opened`, `asked`, `executing`, `settled`, `grant-opened`, `grant-closed`, `crossed`, …
    pub fact: String,
    /// More of it: how a question ended, which category, which backend and what went there.
    pub about: String,
    /// Who did it or asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The turn in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The question that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<String>,
}

/// What a look at every line came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Verified {
    /// Every line fits.
    Sound {
        /// The chain's first line. Above 1, an earlier chain was found damaged.
        first: u64,
        /// The last line.
        last: u64,
    },
    /// One does not.
    Broken {
        /// The first one that does not.
        line: u64,
        /// What is wrong with it, in words.
        says: String,
    },
    /// Something that this version of the types has no word for.
    #[serde(other)]
    Other,
}
