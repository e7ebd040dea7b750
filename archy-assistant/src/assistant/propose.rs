//! A write is planned and a person is asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::Instant;

use super::Inner;
use super::driver::{Asks, Next};
use super::settle::failed;
use crate::audit::{Fact, Line};
use crate::confirmation::{NotAsked, Record, State, Subject, Waiter, Waiting};
use crate::tool::Pending;
use crate::turn::input::{Arrived, Input};
use crate::{
    Batch, CallId, Caller, ConfirmationId, ConversationId, Label, Outcome, Seat, Settled, Shown, Source,
    StoreError, Timestamp, ToolCall, TurnId, Verdict, id,
};

/// A text longer than this cannot be shown whole on a small screen, and so cannot be confirmed.
const LONGEST_TEXT: usize = 4096;
/// After so many denials of a tool in a conversation it is not proposed there again.
const MOST_DENIALS: usize = 2;

/// In whose name a person is asked.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) caller: &'a Caller,
    pub(super) conversation: ConversationId,
    pub(super) turn: TurnId,
}

/// A call that needs a person.
pub(super) struct Proposal<'a> {
    pub(super) asker: Asker<'a>,
    pub(super) call: &'a ToolCall,
    pub(super) context: Label,
    pub(super) sources: Vec<&'a Source>,
}

/// What a person is asked.
pub(super) struct Question {
    pub(super) subject: Subject,
    pub(super) text: Shown,
    pub(super) pending: Box<dyn Pending>,
    pub(super) call: Option<CallId>,
}

/// A question that is put, or was already: with what is committed when the turn hears of it.
pub(super) struct Put {
    id: ConfirmationId,
    new: Option<(Batch, Line, Asks)>,
}

impl Put {
    /// The input that tells the turn.
    pub(super) fn next(self, input: impl FnOnce(ConfirmationId) -> Input) -> Next {
        let next = Next::plain(input(self.id));
        match self.new {
            Some((batch, line, asks)) => Next { batch, line: Some(line), asks: Some(asks), ..next },
            None => next,
        }
    }
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
        if let Verdict::Deny(_) = tool.verdict(proposal.asker.caller, self.open(), proposal.context) {
            return refuse(Settled::Revoked.says().to_owned());
        }
        let pending = match self.plan(proposal.asker.caller, &call.tool, &call.args).await {
            Ok(pending) => pending,
            // Its words may name what the tool rests on.
            Err(error) => {
                return Next::plain(Input::Result(failed(call.id, tool.spec.rests_on(), error.to_string())));
            }
        };
        let text = pending.text(&call.tool, &call.args, &asked(&proposal));
        weak!(
            YesIsRemembered,
            if crate::weak::is_remembered(&format!("yes to {}", call.tool)) {
                return self.unasked(proposal.asker.caller, call, pending).await;
            }
        );
        weak!(
            ApprovedInArgs,
            if crate::weak::is_remembered(&format!("approved {}", call.tool)) {
                return self.unasked(proposal.asker.caller, call, pending).await;
            }
        );
        let question = Question {
            subject: Subject::Call {
                tool: call.tool.clone(),
                args: call.args.clone(),
                change: pending.change().to_vec(),
            },
            text,
            pending,
            call: Some(call.id),
        };
        match self.put(proposal.asker, question, proposal.context).await {
            Ok(put) => put.next(|id| Input::Proposed { call: call.id, id }),
            Err(why) => refuse(why),
        }
    }

    /// Makes a question wait, or says why a person is not asked.
    pub(super) async fn put(
        self: &Arc<Self>,
        asker: Asker<'_>,
        question: Question,
        context: Label,
    ) -> Result<Put, String> {
        let Question { subject, text, pending, call } = question;
        if text.as_str().len() > LONGEST_TEXT {
            return Err("it is too long to be shown whole, so it cannot be confirmed".to_owned());
        }
        let asking = if weak!(PlacesRace) { Arc::default() } else { Arc::clone(&self.asking) };
        let turn = asking.lock_owned().await;
        match self.denials(asker.conversation, subject.kind()) {
            Ok(..MOST_DENIALS) => {}
            Ok(_) => {
                return Err("the person has said no to this twice; it is not asked again here".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        }
        let may = self.queue().may_ask(asker.caller, &subject, &text);
        match may {
            Ok(()) => {}
            Err(NotAsked::Full) => return Err("too many questions already wait for the person".to_owned()),
            Err(NotAsked::Same(id)) => {
                if !self.queue().join(id, Waiter { turn: asker.turn, call }) {
                    return Err("the same thing is being done just now".to_owned());
                }
                return Ok(Put { id, new: None });
            }
        }
        if !self.rates().may_propose(asker.conversation, &self.limits, Instant::now()) {
            return Err("the person has been asked often enough here; ask again in five minutes".to_owned());
        }
        let within = self.limits.decide_within;
        let now = self.clock.now();
        let record = Record {
            id: ConfirmationId(id::random()),
            boot: self.boot,
            subject,
            text,
            proposer: asker.caller.principal().clone(),
            audience: asker.caller.audience().clone(),
            conversation: asker.conversation,
            turn: asker.turn,
            call,
            expires: Timestamp(now.0.saturating_add(u64::try_from(within.as_millis()).unwrap_or(u64::MAX))),
            state: State::Waiting,
            says: Shown::default(),
        };
        let (line, id) = (Line::about(now, &record, Fact::Asked), record.id);
        let batch = record.insert();
        let expires = Instant::now() + within;
        let waiting = Box::new(Waiting::new(record, pending, asker.caller.clone(), context, expires));
        Ok(Put { id, new: Some((batch, line, Asks { waiting, turn })) })
    }

    /// How often a person has said no to such a question in a conversation; counted no further than matters.
    fn denials(&self, conversation: ConversationId, kind: &str) -> Result<usize, StoreError> {
        // The queue before the store: a denial leaves the one only after it is in the other, so none is missed.
        let mut denied: BTreeSet<_> = self.queue().being_denied(conversation, kind).collect();
        denied.extend(Record::denied_ids(&*self.store, conversation, kind, MOST_DENIALS)?);
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
    if let Seat::Relayed(door) = proposal.asker.caller.seat() {
        asked.push(("Asked by", format!("{} ({})", proposal.asker.caller.principal(), door.name())));
    }
    if !proposal.sources.is_empty() {
        let read: Vec<_> = proposal.sources.iter().map(|source| source.describe()).collect();
        asked.push(("Suggested after reading", read.join(", ")));
    }
    asked
}
