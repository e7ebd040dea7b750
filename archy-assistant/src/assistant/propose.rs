//! A write is planned and a person is asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::Instant;

use super::Inner;
use super::driver::{Asks, Next};
use super::settle::failed;
use crate::audit::{Fact, Line};
use crate::confirmation::{NotAsked, Record, State, Subject, Waiter, Waiting};
use crate::turn::input::{Arrived, Input};
use crate::{
    Caller, ConfirmationId, ConversationId, Label, Outcome, Seat, Settled, Shown, Source, StoreError,
    Timestamp, ToolCall, TurnId, Verdict, id,
};

/// A text longer than this cannot be shown whole on a small screen, and so cannot be confirmed.
const LONGEST_TEXT: usize = 4096;
/// After so many denials of a tool in a conversation it is not proposed there again.
const MOST_DENIALS: usize = 2;

/// Where a proposal comes from.
pub(super) struct Proposal<'a> {
    pub(super) caller: &'a Caller,
    pub(super) conversation: ConversationId,
    pub(super) turn: TurnId,
    pub(super) call: &'a ToolCall,
    pub(super) context: Label,
    pub(super) sources: Vec<&'a Source>,
}

impl Inner {
    /// Plans the call and makes its question. What comes back is the machine's next input; a question joins the queue
    /// only after the input and the record are committed together.
    pub(super) async fn propose(self: &Arc<Self>, proposal: Proposal<'_>) -> Next {
        let call = proposal.call;
        let refuse = |why: String| Next::plain(Input::Result(Arrived::plain(call.id, Outcome::NotDone(why))));
        if self.sink.is_none() {
            return refuse("nobody can be asked here, so nothing that needs a person is done".to_owned());
        }
        let Some(tool) = self.toolbox.find(&call.tool) else {
            return refuse("there is no such tool here".to_owned());
        };
        if let Verdict::Deny(_) = tool.verdict(proposal.caller, self.open(), proposal.context) {
            return refuse(Settled::Revoked.says().to_owned());
        }
        let pending = match self.plan(proposal.caller, &call.tool, &call.args).await {
            Ok(pending) => pending,
            // Its words may name what the tool rests on.
            Err(error) => {
                return Next::plain(Input::Result(failed(call.id, tool.spec.rests_on(), error.to_string())));
            }
        };
        let text = pending.text(&call.tool, &call.args, &asked(&proposal));
        if text.as_str().len() > LONGEST_TEXT {
            return refuse("it is too long to be shown whole, so it cannot be confirmed".to_owned());
        }
        let name = tool.spec.name();
        weak!(
            YesIsRemembered,
            if crate::weak::is_remembered(&format!("yes to {name}")) {
                return self.unasked(proposal.caller, call, pending).await;
            }
        );
        weak!(
            ApprovedInArgs,
            if crate::weak::is_remembered(&format!("approved {name}")) {
                return self.unasked(proposal.caller, call, pending).await;
            }
        );
        let asking = if weak!(PlacesRace) { Arc::default() } else { Arc::clone(&self.asking) };
        let turn = asking.lock_owned().await;
        match self.denials(proposal.conversation, name) {
            Ok(..MOST_DENIALS) => {}
            Ok(_) => {
                return refuse("the person has said no to this twice; it is not asked again here".to_owned());
            }
            Err(error) => return refuse(error.to_string()),
        }
        let may = self.queue().may_ask(proposal.caller, name, &call.args, pending.change(), &text);
        match may {
            Ok(()) => {}
            Err(NotAsked::Full) => {
                return refuse("too many questions already wait for the person".to_owned());
            }
            Err(NotAsked::Same(id)) => {
                let waiter = Waiter { turn: proposal.turn, call: call.id };
                if !self.queue().join(id, waiter) {
                    return refuse("the same thing is being done just now".to_owned());
                }
                return Next::plain(Input::Proposed { call: call.id, id });
            }
        }
        if !self.rates().may_propose(proposal.conversation, &self.limits, Instant::now()) {
            return refuse(
                "the person has been asked often enough here; ask again in five minutes".to_owned(),
            );
        }
        let within = self.limits.decide_within;
        let now = self.clock.now();
        let record = Record {
            id: ConfirmationId(id::random()),
            boot: self.boot,
            subject: Subject::Call {
                tool: call.tool.clone(),
                args: call.args.clone(),
                change: pending.change().to_vec(),
            },
            text,
            proposer: proposal.caller.principal().clone(),
            audience: proposal.caller.audience().clone(),
            conversation: proposal.conversation,
            turn: proposal.turn,
            call: call.id,
            expires: Timestamp(now.0.saturating_add(u64::try_from(within.as_millis()).unwrap_or(u64::MAX))),
            state: State::Waiting,
            says: Shown::default(),
        };
        let line = Line::about(now, &record, Fact::Asked);
        let (batch, id) = (record.insert(), record.id);
        let waiting = Waiting::new(
            record,
            pending,
            proposal.caller.clone(),
            proposal.context,
            name,
            Instant::now() + within,
        );
        Next {
            input: Input::Proposed { call: call.id, id },
            batch,
            line: Some(line),
            asks: Some(Asks { waiting: Box::new(waiting), turn }),
        }
    }

    /// How often a person has said no to a tool in a conversation; counted no further than matters.
    fn denials(&self, conversation: ConversationId, tool: &str) -> Result<usize, StoreError> {
        // The queue before the store: a denial leaves the one only after it is in the other, so none is missed.
        let mut denied: BTreeSet<_> = self.queue().being_denied(conversation, tool).collect();
        denied.extend(Record::denied_ids(&*self.store, conversation, tool, MOST_DENIALS)?);
        weak!(
            DenialsForgotten,
            denied.retain(|id| matches!(self.record(*id), Ok(Some(record)) if record.boot == self.boot))
        );
        Ok(denied.len())
    }
}

/// What the crate adds to a confirmation's text: who asked through which door, and what was read before.
fn asked(proposal: &Proposal<'_>) -> Vec<(&'static str, String)> {
    let mut asked = Vec::new();
    if let Seat::Relayed(door) = proposal.caller.seat() {
        asked.push(("Asked by", format!("{} ({})", proposal.caller.principal(), door.name())));
    }
    if !proposal.sources.is_empty() {
        let read: Vec<_> = proposal.sources.iter().map(|source| source.describe()).collect();
        asked.push(("Suggested after reading", read.join(", ")));
    }
    asked
}
