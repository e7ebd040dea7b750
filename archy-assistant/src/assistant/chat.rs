//! Something is said: a turn begins.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::conversation::Conversation;
use super::driver::Driver;
use super::live::{Live, Nudge, Running};
use super::{Assistant, Inner, Refused};
use crate::phrases;
use crate::turn::input;
use crate::{Batch, Caller, Categories, ConversationId, Label, Settled, StoreError, Table, TurnId};

/// To which conversation something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A new one.
    New,
    /// One that the caller began earlier.
    Conversation(ConversationId),
}

/// A turn that has begun. Its events are listened to with [`Assistant::events`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Began {
    /// The turn.
    pub turn: TurnId,
    /// Its conversation.
    pub conversation: ConversationId,
}

impl Assistant {
    /// Says something. When this returns, the message is kept and the turn runs on its own, listened to or not.
    ///
    /// In a conversation where a person is asked, the new message supersedes the question.
    ///
    /// # Errors
    /// [`Refused::Length`], [`Refused::Unknown`], [`Refused::Busy`] (a turn of the conversation runs),
    /// [`Refused::TooMany`], [`Refused::Stopping`], or when the store fails; then nothing was said.
    pub async fn chat(&self, caller: &Caller, to: Target, text: &str) -> Result<Began, Refused> {
        let inner = &self.0;
        if inner.is_closing() {
            return Err(Refused::Stopping);
        }
        let text = text.trim();
        if text.is_empty() || text.len() > inner.limits.said {
            return Err(Refused::Length(inner.limits.said));
        }
        if !inner.rates().may_say(caller, &inner.limits, Instant::now()) {
            return Err(Refused::TooMany);
        }
        let conversation = match to {
            Target::New => ConversationId(inner.ids.next(inner.clock.now())),
            Target::Conversation(conversation) => {
                let row = inner.conversation(conversation)?.ok_or(Refused::Unknown)?;
                if row.owner != *caller.principal() {
                    return Err(Refused::Unknown);
                }
                conversation
            }
        };
        let (assistant, caller, text) = (self.clone(), caller.clone(), text.to_owned());
        // In a task of its own: a caller who goes away has said it all the same, and no question is withdrawn for nothing.
        let beginning = super::driver::spawn(async move {
            if let Target::Conversation(conversation) = to {
                assistant.0.make_way(conversation).await?;
                assistant.0.close_what_broke(conversation).await?;
            }
            let turn = TurnId(assistant.0.ids.next(assistant.0.clock.now()));
            let (nudges, inbox) = mpsc::unbounded_channel();
            let live = Arc::new(Live::new(conversation, caller.principal().clone(), nudges));
            let running = assistant.0.admit(turn, live)?;
            assistant.begin(&caller, to, text, running, inbox).await
        });
        beginning.await.map_err(|error| StoreError::Failed(error.into()))?
    }

    async fn begin(
        &self,
        caller: &Caller,
        to: Target,
        text: String,
        running: Running,
        inbox: mpsc::UnboundedReceiver<Nudge>,
    ) -> Result<Began, Refused> {
        let (conversation, turn) = (running.live.conversation, running.turn);
        let inner = &self.0;
        // Read now that the turn has its place: another that ended meanwhile has added to it.
        let row = match to {
            Target::New => inner.fresh(caller),
            Target::Conversation(_) => inner.conversation(conversation)?.ok_or(Refused::Unknown)?,
        };
        let history = inner.messages(conversation, inner.limits.history)?;
        let (closed, only_closed) = inner.closed_for(caller, row.label, &text, &history).await;
        let said = input::Said {
            text,
            seat: caller.seat(),
            context: if weak!(HistoryLosesLabel) { Label::default() } else { row.label },
            sources: row.sources.clone(),
            closed,
            only_closed,
            steps: inner.limits.steps,
            calls: inner.limits.calls,
            text_limit: inner.limits.text,
        };
        let first = Batch::new()
            .put(Table::Conversation, conversation.to_bytes(), row.encode())
            .put(Table::Turn, [conversation.to_bytes(), turn.to_bytes()].concat(), Vec::new())
            .put(Table::Place, turn.to_bytes(), conversation.to_bytes())
            .put(Table::Open, turn.to_bytes(), conversation.to_bytes());
        let driver = Driver::new(Arc::clone(inner), caller.clone(), running, history, inbox);
        driver.start(first, said).await?;
        Ok(Began { turn, conversation })
    }

    /// Stops a turn. What a person was asked is withdrawn; an effect that has begun is brought to its end first.
    ///
    /// # Errors
    /// [`Refused::Unknown`] when no such turn of this caller runs.
    pub async fn cancel(&self, caller: &Caller, turn: TurnId) -> Result<(), Refused> {
        let live = self.0.live().get(&turn).cloned().ok_or(Refused::Unknown)?;
        if !Inner::may_read(caller, &live.principal) {
            return Err(Refused::Unknown);
        }
        let _ = live.driver.send(Nudge::Cancel);
        live.ended().await;
        Ok(())
    }
}

impl Inner {
    /// Holds a conversation's place without a turn, so that none can begin in it.
    pub(super) fn hold(
        self: &Arc<Self>,
        conversation: ConversationId,
        principal: &crate::Principal,
    ) -> Result<Running, Refused> {
        let (nobody, _) = mpsc::unbounded_channel();
        let turn = TurnId(self.ids.next(self.clock.now()));
        self.admit(turn, Arc::new(Live::new(conversation, principal.clone(), nobody)))
    }

    fn fresh(&self, caller: &Caller) -> Conversation {
        let now = self.clock.now();
        let owner = caller.principal().clone();
        Conversation {
            owner,
            began: now,
            last: now,
            label: Label::default(),
            sources: std::collections::BTreeSet::new(),
        }
    }

    /// Takes the turn among those that run, within the limits.
    fn admit(self: &Arc<Self>, turn: TurnId, live: Arc<Live>) -> Result<Running, Refused> {
        let mut all = self.live();
        // Asked again under the lock, so that a shutdown sees each turn that it did not keep out.
        if self.is_closing() {
            return Err(Refused::Stopping);
        }
        if all.values().any(|other| other.conversation == live.conversation) {
            return Err(Refused::Busy);
        }
        let theirs = all.values().filter(|other| other.principal == live.principal).count();
        if all.len() >= self.limits.turns || theirs >= self.limits.turns_per_principal {
            return Err(Refused::TooMany);
        }
        all.insert(turn, Arc::clone(&live));
        Ok(Running { inner: Arc::clone(self), live, turn })
    }

    /// Ends a turn of the conversation that only waits for a person; one that does anything else is in the way.
    async fn make_way(self: &Arc<Self>, conversation: ConversationId) -> Result<(), Refused> {
        let running = self
            .live()
            .iter()
            .find(|(_, live)| live.conversation == conversation)
            .map(|(turn, live)| (*turn, Arc::clone(live)));
        let Some((turn, live)) = running else { return Ok(()) };
        let waits = self.queue().waited_for_by(turn).ok_or(Refused::Busy)?;
        match self.leave(turn, waits, Settled::Superseded).await {
            Ok(true) => live.ended().await,
            Ok(false) => return Err(Refused::Busy),
            Err(error) => return Err(Refused::Store(error)),
        }
        Ok(())
    }

    /// Closes the conversation's turns that the store could not take to their end: what they have read is in the
    /// history, so the conversation must rest on it.
    async fn close_what_broke(self: &Arc<Self>, conversation: ConversationId) -> Result<(), Refused> {
        let broken: Vec<_> = self
            .unfinished()?
            .into_iter()
            .filter(|(turn, of)| *of == conversation && !self.live().contains_key(turn))
            .collect();
        for (turn, conversation) in broken {
            // An effect that has begun is brought to its end first, so that the turn is told of it.
            let begun = self.queue().waited_for_by(turn);
            if let Some(id) = begun {
                let _ = self.outcome(id).await;
            }
            let inner = Arc::clone(self);
            super::waiting(move || inner.close_interrupted(conversation, turn)).await?;
        }
        Ok(())
    }

    /// Which closed categories a request at the chrome would need, by the node's own matcher over the whole toolbox,
    /// and whether it needs nothing else.
    async fn closed_for(
        &self,
        caller: &Caller,
        context: Label,
        text: &str,
        history: &[crate::Message],
    ) -> (Categories, bool) {
        let Some(listing) = self.toolbox.listing(caller, self.open(), context).await else {
            return (Categories::NONE, false);
        };
        let closed_tools = listing.closed.len();
        let all: Vec<_> = listing.closed.into_iter().chain(listing.offers).collect();
        let needs = phrases::needs(text, &all, &self.elsewhere, history);
        let closed: Categories = needs
            .iter()
            .filter_map(|name| {
                all[..closed_tools].iter().find(|offer| offer.spec.name() == *name)?.spec.category()
            })
            .collect();
        let open =
            needs.iter().any(|name| all[closed_tools..].iter().any(|offer| offer.spec.name() == *name));
        (closed, !closed.is_empty() && !open)
    }
}
