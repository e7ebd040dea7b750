//! What a command and the node say to each other: one JSON document per line, over the socket in the data directory.
//!
//! A command sends [`Line<Ask>`]s; the node answers each with one or more [`Line<Answer>`]s of the same `id`. Several may
//! be under way at once. The peer is the owner's terminal: whoever may open the socket may do all of this.

use archy_assistant::{
    Categories, Category, Confirmation, ConfirmationId, ConversationId, Decision, Digest, Exported, Numbered,
    Opened, Page, Resolution, Stats, Summary, TurnId, Turned, Verified,
};
use serde::{Deserialize, Serialize};

use crate::exit::Trouble;

/// The version of the protocol; a node refuses another one.
pub(crate) const VERSION: u32 = 1;

/// No request is longer than this, its line break included.
pub(crate) const LONGEST_ASK: usize = 64 * 1024;

/// One line, either way.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line<T> {
    /// [`VERSION`].
    pub(crate) v: u32,
    /// Which request it is, or which it answers: the client's own number.
    pub(crate) id: u64,
    /// The request or the answer.
    pub(crate) body: T,
}

/// What a command asks for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Ask {
    /// Says something: [`Answer::Began`], then an [`Answer::Event`] for each event, then [`Answer::Over`]. Before that
    /// [`Answer::Waits`], where others come first.
    Chat {
        /// In a new conversation where absent.
        conversation: Option<ConversationId>,
        text: String,
        /// How many seconds it may wait for its turn; not at all where absent.
        #[serde(default)]
        wait_within: u16,
    },
    /// Takes back what was said in this request while it still waits for its turn; that one is refused then.
    Withdraw { request: u64 },
    /// Listens to a turn from after an event on: events, then [`Answer::Over`].
    Events { turn: TurnId, after: Option<u32> },
    /// Stops a turn; answered when it has ended.
    Cancel { turn: TurnId },
    /// The questions that wait.
    Pending,
    /// A question is on the screen.
    Shown { id: ConfirmationId, digest: Digest },
    /// Answers a question; answered when its effect has ended.
    Confirm { id: ConfirmationId, digest: Digest, decision: Decision },
    /// What is open.
    Grants,
    /// Opens these.
    Open { categories: Vec<Category> },
    /// Closes these.
    Close { categories: Vec<Category> },
    /// Closes everything.
    CloseAll,
    /// The conversations, newest first.
    Conversations { before: Option<ConversationId>, most: usize },
    /// The turns of one, newest first.
    History { conversation: ConversationId, before: Option<TurnId>, most: usize },
    /// The turns in which these words stand.
    Search { words: String, most: usize },
    /// A whole conversation.
    Export { conversation: ConversationId },
    /// Removes a conversation.
    Forget { conversation: ConversationId },
    /// What can be done.
    Tools,
    /// A new link that logs a browser in at the page, once.
    Link,
    /// What is going on.
    Stats,
    /// The audit's lines before one, newest first.
    Audit { before: Option<u64>, most: usize },
    /// How the audit was found.
    AuditState,
    /// Looks at every line of the audit.
    AuditVerify,
    /// Writes the audit to a new file.
    AuditExport { file: String },
    /// The owner has seen how the audit was found.
    AuditAcknowledge,
    /// Writes a copy of the database to a new file.
    Backup { file: String },
    /// What a peer would see over a radio with these settings.
    Rehearse { settings: Box<archy_mesh::Settings>, key: archy_mesh::ContactKey, text: String },
    /// Removes everything from the database; the node ends afterwards.
    Erase,
}

/// What a peer would see.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Rehearsed {
    /// Why nothing is answered, where that is so.
    pub(crate) silence: Option<String>,
    pub(crate) parts: Vec<archy_mesh::Sheet>,
    pub(crate) more: Vec<archy_mesh::Sheet>,
    /// The milliseconds of airtime that the hour allows.
    pub(crate) allowed: u64,
}

/// What the node answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// It is done, and there is nothing more to say.
    Done {},
    /// It is not done.
    Refused(Trouble),
    /// So many others are answered first.
    Waits { running: usize },
    /// Everything was erased, and the node ends. Not an answer: sent with `id` 0 to whoever is connected.
    Erased {},
    /// A turn has begun.
    Began { turn: TurnId, conversation: ConversationId },
    /// What a peer would see over a radio.
    Rehearsed(Rehearsed),
    /// Something happened in the turn.
    Event(Numbered),
    /// No more events.
    Over {},
    /// The questions that wait.
    Pending(Vec<Confirmation>),
    /// What became of a question.
    Resolved(Resolution),
    /// What is open.
    Grants {
        open: Categories,
        /// Whether everything counts as closed all the same, because of how the audit was found.
        held: bool,
    },
    /// A part of the list of conversations.
    Conversations(Page<Summary, ConversationId>),
    /// A part of a conversation.
    History(Page<Turned, TurnId>),
    /// What was found.
    Found(Vec<Found>),
    /// A whole conversation.
    Exported(Exported),
    /// What can be done.
    Tools(Vec<ToolLine>),
    /// The link. Whoever has it is let in as the owner.
    Link(String),
    /// What is going on.
    Stats(Stats),
    /// A part of the audit.
    Audit(Page<archy_assistant::Line, u64>),
    /// How the audit was found, and whether everything counts as closed because of it.
    AuditState { opened: Opened, held: bool },
    /// What a look at every line came to.
    Verified { verified: Verified, held: bool },
}

/// A turn that a search found.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) conversation: ConversationId,
    pub(crate) turned: Turned,
}

/// A tool as it is listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ToolLine {
    pub(crate) name: String,
    pub(crate) category: Category,
    /// Whether it changes the node, after a person has agreed.
    pub(crate) writes: bool,
    /// Whether its category is open.
    pub(crate) open: bool,
    pub(crate) about: String,
    /// Some of the ways in which it can be said; what is to be named stands in capitals.
    pub(crate) said_as: Vec<String>,
}
