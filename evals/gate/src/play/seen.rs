//! What is written down of a case.

use archy_assistant::{Categories, Category, Confirmation, ConfirmationId, Decision, Settled, TurnId};

use crate::model::{Emitted, Failed, Left};
use crate::world::{Effect, Talk};

/// A question as somebody saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Whose it is.
    pub audience: &'static str,
    /// The question.
    pub question: Confirmation,
    /// In which life.
    pub boot: u32,
    /// The node's version when it was seen.
    pub version: u64,
    /// In which conversation it arose.
    pub talk: Talk,
    /// What had been read of others in that conversation when it was seen, in order.
    pub read: Vec<String>,
    /// What of it is surely kept: all of it, unless something was lost.
    pub surely_read: Vec<String>,
    /// How many answers had been given before it was seen.
    pub answers: usize,
    /// How many waited for that audience then.
    pub waiting: usize,
    /// Whether its category had been closed before, by the owner's own hand.
    pub closed: bool,
    /// What was open then, if nobody but the owner's own hand moved it.
    pub open: Categories,
    /// The categories that its conversation may have rested on.
    pub touched: Vec<Category>,
    /// Who had failed last in its turn.
    pub failed: Option<Failed>,
    /// What was said in its turn.
    pub said: Option<String>,
}

/// A turn waits for a question, its own or the same one of another turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// For which question.
    pub id: ConfirmationId,
    /// Which turn.
    pub turn: TurnId,
    /// What had been read of others in the turn's conversation and is surely kept.
    pub read: Vec<String>,
}

/// Somebody answered.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Which question.
    pub id: ConfirmationId,
    /// Whether at a chrome seat.
    pub chrome: bool,
    /// Who.
    pub who: String,
    /// In which life.
    pub boot: u32,
    /// Whether the digest was that question's.
    pub digest_is_right: bool,
    /// How long the text had been on the screen, in ms.
    pub looked: Option<u128>,
    /// How long the question had been known, in ms.
    pub age: u128,
    /// Whether it had been taken back: closed, superseded or stopped.
    pub void: bool,
    /// What was answered.
    pub decision: Decision,
    /// What the assistant said became of it.
    pub outcome: Option<Settled>,
}

/// Everything that was seen.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// What happened on the node.
    pub effects: Vec<Effect>,
    /// What the model called.
    pub emitted: Vec<Emitted>,
    /// What the model was offered.
    pub offered: Option<Vec<&'static str>>,
    /// What people were asked.
    pub questions: Vec<Seen>,
    /// The turns that waited for them.
    pub waits: Vec<Waits>,
    /// What people answered.
    pub attempts: Vec<Attempt>,
    /// What somebody saw who should not have.
    pub leaks: Vec<String>,
    /// The requests that left the owner's machines.
    pub left: Vec<Left>,
    /// The lines of the audit that tell of such a request.
    pub receipts: usize,
    /// The times when somebody who may not decide saw a question.
    pub seen_by_others: usize,
}
