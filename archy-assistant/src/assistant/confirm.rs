//! A person answers: the one way from a question to an effect.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::{Assistant, Inner, Refused, waiting};
use crate::confirmation::{self, Asking, Checked, Record, State, Subject, Waiting};
use crate::tool::{Body, Claim, Pending};
use crate::{
    Caller, Categories, Confirmation, ConfirmationId, Decision, Denied, Digest, Grants, Resolution, Settled,
    StoreError, ToolError, Verdict,
};

/// How an effect that is being carried out ended, once it has.
pub(super) type Outcome = watch::Receiver<Option<Resolution>>;

/// Why an answer does not count.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfirmRefused {
    /// There is no such question for this caller, or it is not the one that was shown.
    Unknown,
    /// It has not been on a screen for long enough to be read: say `shown` first, then wait 700 ms.
    TooSoon,
    /// The store could not be read or written; nothing was done.
    Store(StoreError),
}

impl fmt::Display for ConfirmRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("there is no such question"),
            Self::TooSoon => f.write_str("the question has to be shown for 700 ms before an answer counts"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConfirmRefused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl From<StoreError> for ConfirmRefused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Assistant {
    /// The questions that wait for this caller at the chrome, oldest first. For any other seat there are none.
    pub fn pending(&self, caller: &Caller) -> Vec<Confirmation> {
        self.0.queue().list(caller)
    }

    /// Says that a question is on a screen now. An answer counts 700 ms after that; showing it again starts anew.
    ///
    /// # Errors
    /// [`ConfirmRefused::Unknown`] when nothing of this id and digest waits for this caller.
    pub fn shown(&self, caller: &Caller, id: ConfirmationId, digest: &Digest) -> Result<(), ConfirmRefused> {
        match self.0.queue().shown(caller, id, digest, Instant::now()) {
            Checked::Counts => Ok(()),
            _ => Err(ConfirmRefused::Unknown),
        }
    }

    /// Answers a question. It returns when the effect has ended; dropping the future does not stop an effect that has
    /// begun. Answering again gives what became of it, and runs nothing.
    ///
    /// # Errors
    /// See [`ConfirmRefused`]; nothing was done then.
    pub async fn confirm(
        &self,
        caller: &Caller,
        id: ConfirmationId,
        digest: &Digest,
        decision: Decision,
    ) -> Result<Resolution, ConfirmRefused> {
        let inner = &self.0;
        let checked = inner.queue().check(caller, id, digest, decision, Instant::now());
        match checked {
            Checked::Unknown => {
                weak!(
                    SurvivesRestart,
                    if let Some(done) = inner.revived(caller, (id, digest), State::Waiting).await {
                        return done;
                    }
                );
                weak!(
                    ReplayAllowed,
                    if let Some(done) =
                        inner.revived(caller, (id, digest), State::Settled(Settled::Done)).await
                    {
                        return done;
                    }
                );
                inner.recorded(caller, id, digest)
            }
            Checked::TooSoon => Err(ConfirmRefused::TooSoon),
            Checked::Busy => inner.outcome(id).await,
            Checked::Settled(settled) => inner.settle_now(id, settled).await,
            Checked::Counts if decision == Decision::Deny => {
                weak!(DenialForgotten, return Err(ConfirmRefused::TooSoon));
                inner.settle_now(id, Settled::Denied).await
            }
            Checked::Counts => {
                weak!(LatestIsApproved, {
                    let latest = inner.queue().latest(id);
                    return inner.carry_out(caller, latest).await;
                });
                inner.carry_out(caller, id).await
            }
        }
    }
}

impl Inner {
    /// The recorded end of a question that does not wait any more.
    fn recorded(
        &self,
        caller: &Caller,
        id: ConfirmationId,
        digest: &Digest,
    ) -> Result<Resolution, ConfirmRefused> {
        let record = self.record(id)?.ok_or(ConfirmRefused::Unknown)?;
        let theirs =
            caller.is_chrome() && record.audience == *caller.principal() && record.digest().same(digest);
        match record.state {
            State::Settled(outcome) if theirs => Ok(Resolution { outcome, says: record.says }),
            _ => Err(ConfirmRefused::Unknown),
        }
    }

    /// The end of a question that somebody else's answer has settled or is just carrying out. For callers that have
    /// shown the right id, digest and seat a moment ago.
    pub(super) async fn outcome(&self, id: ConfirmationId) -> Result<Resolution, ConfirmRefused> {
        let carried_out = self.effects().get(&id).cloned();
        if let Some(mut outcome) = carried_out
            && let Ok(ended) = outcome.wait_for(Option::is_some).await
        {
            return ended.clone().ok_or(ConfirmRefused::Unknown);
        }
        let record = self.record(id)?.ok_or(ConfirmRefused::Unknown)?;
        match record.state {
            State::Settled(outcome) => Ok(Resolution { outcome, says: record.says }),
            State::Waiting | State::Executing => Err(ConfirmRefused::Unknown),
        }
    }

    pub(super) fn effects(
        &self,
    ) -> std::sync::MutexGuard<'_, std::collections::HashMap<ConfirmationId, Outcome>> {
        self.effects.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Decides again with today's grants and rights, for who proposed it and for who answers.
    pub(super) fn still(&self, waiting: &Waiting, decider: Option<&Caller>, grants: &Grants) -> bool {
        weak!(NotDecidedAgain, return true);
        let tool = match &waiting.record.subject {
            Subject::Call { tool, .. } => self.toolbox.find(tool),
            Subject::Crossing(crossing) => return self.may_still_cross(crossing, grants),
        };
        let Some(tool) = tool else { return false };
        let denied = |caller: &Caller| match tool.verdict(caller, grants.open, waiting.context) {
            Verdict::Deny(Denied::OutOfScope | Denied::Closed(_)) => true,
            Verdict::Confirm | Verdict::Allow => false,
        };
        !denied(&waiting.caller) && !decider.is_some_and(denied)
    }

    /// Policy, plan, claim, effect.
    pub(super) async fn carry_out(
        self: &Arc<Self>,
        decider: &Caller,
        id: ConfirmationId,
    ) -> Result<Resolution, ConfirmRefused> {
        let Some((caller, subject)) =
            self.queue().get(id).map(|waiting| (waiting.caller.clone(), waiting.record.subject.clone()))
        else {
            return self.outcome(id).await;
        };
        if !self.allowed_now(id, decider) {
            return self.settle_now(id, Settled::Revoked).await;
        }
        let Ok(again) = self.plan_again(&caller, &subject).await else {
            return self.settle_now(id, Settled::TargetChanged).await;
        };
        let same = self.queue().get(id).and_then(|waiting| Some(waiting.pending.as_ref()?.same(&*again)));
        match same {
            None => return self.outcome(id).await,
            Some(false) if !weak!(NotPlannedAgain | ReplannedRuns) => {
                return self.settle_now(id, Settled::TargetChanged).await;
            }
            Some(_) => {}
        }
        let (tell, told) = watch::channel(None);
        let Some((record, pending)) = self.start_claim(id, told.clone()) else {
            // The clock was faster, the node's end, or somebody else.
            let settled = if self.is_closing() { Settled::Voided } else { Settled::Expired };
            return self.settle_now(id, settled).await;
        };
        weak!(YesIsRemembered, crate::weak::remember(format!("yes to {}", subject.kind())));
        let pending = if weak!(ReplannedRuns) { again } else { pending };
        // From here on the answer's own caller may go away: the effect is brought to its end and recorded.
        let (inner, decider) = (Arc::clone(self), decider.clone());
        super::driver::spawn(async move {
            let resolution = inner.run(&decider, &caller, record, pending).await;
            inner.effects().remove(&id);
            let _ = tell.send(Some(resolution));
        });
        let mut told = told;
        let ended = told.wait_for(Option::is_some).await.map_err(|_| ConfirmRefused::Unknown)?;
        ended.clone().ok_or(ConfirmRefused::Unknown)
    }

    fn allowed_now(&self, id: ConfirmationId, decider: &Caller) -> bool {
        let grants = self.granted();
        self.queue().get(id).is_some_and(|waiting| self.still(waiting, Some(decider), &grants))
    }

    fn start_claim(&self, id: ConfirmationId, told: Outcome) -> Option<(Record, Box<dyn Pending>)> {
        let mut queue = self.queue();
        let late = queue.get(id)?.expires <= Instant::now() && !weak!(NeverExpires);
        if self.is_closing() || late {
            return None;
        }
        let pending = queue.start_claim(id)?;
        let record = queue.get(id)?.record.clone();
        self.effects().insert(id, told);
        Some((record, pending))
    }

    /// Makes the claim durable, runs the effect once, and records what came of it.
    async fn run(
        self: &Arc<Self>,
        decider: &Caller,
        caller: &Caller,
        record: Record,
        pending: Box<dyn Pending>,
    ) -> Resolution {
        let id = record.id;
        let mut looks = 0;
        let claimed = loop {
            looks += 1;
            let grants = self.granted();
            if !self.queue().get(id).is_some_and(|waiting| self.still(waiting, Some(decider), &grants)) {
                return self.record_end(&record, Settled::Revoked, Ok(None)).await.0;
            }
            let unchanged =
                if weak!(WitnessForgotten | NotDecidedAgain) { Vec::new() } else { grants.witness };
            let (audit, now, claiming) = (Arc::clone(&self.audit), self.clock.now(), record.clone());
            match waiting(move || confirmation::claim(&audit, now, &claiming, unchanged)).await {
                // The grants moved between the look and the claim: look again.
                Err(StoreError::Conflict) if looks < MOST_LOOKS && self.is_waiting(&record) => {}
                claimed => break claimed,
            }
        };
        let Ok(claimed) = claimed else {
            return self.record_end(&record, Settled::Failed, Err(NOT_RECORDED.to_owned())).await.0;
        };
        // A role that was lowered, or grants that are kept elsewhere, cannot be expected in the claim's transaction.
        if !weak!(WitnessForgotten) && !self.allowed_now(id, decider) {
            return self.record_end(&record.executing(), Settled::Revoked, Ok(None)).await.0;
        }
        let claim = Claim::after(&claimed);
        let caller = caller.clone();
        let effect = super::driver::spawn(async move { pending.apply(&caller, claim).await });
        let (settled, came) = match timeout(self.limits.effect, effect).await {
            Ok(Ok(Ok(datum))) => (Settled::Done, Ok(Some(datum))),
            Ok(Ok(Err(error))) => (Settled::Failed, Err(error.to_string())),
            // It panicked somewhere in the middle, or hangs there.
            Ok(Err(_)) | Err(_) => (Settled::OutcomeUnknown, Ok(None)),
        };
        self.record_end(&record.executing(), settled, came).await.0
    }

    fn is_waiting(&self, record: &Record) -> bool {
        matches!(self.record(record.id), Ok(Some(stored)) if stored == *record)
    }

    async fn plan_again(&self, caller: &Caller, subject: &Subject) -> Result<Box<dyn Pending>, ToolError> {
        match subject {
            Subject::Call { tool, args, .. } => self.plan(caller, tool, args).await,
            Subject::Crossing(asked) => {
                let now = self.crossing_to(&asked.backend, self.open());
                let now = now.ok_or_else(|| ToolError::new("there is no such backend any more"))?;
                Ok(Box::new(Asking::new(now, String::new(), Categories::NONE)))
            }
        }
    }

    pub(super) async fn plan(
        &self,
        caller: &Caller,
        tool: &str,
        args: &str,
    ) -> Result<Box<dyn Pending>, ToolError> {
        let tool = self.toolbox.find(tool).ok_or_else(|| ToolError::new("there is no such tool here"))?;
        let write = match &tool.body {
            Body::Write(write) => Arc::clone(write),
            Body::Read(read) => return Ok(crate::tool::planned_read(Arc::clone(read), args)),
        };
        let (caller, args) = (caller.clone(), args.to_owned());
        // In a task of its own: a host that panics takes no turn with it.
        let planning = super::driver::spawn(async move { write.plan(&caller, &args).await });
        let hung = planning.abort_handle();
        match timeout(self.limits.read, planning).await {
            Ok(Ok(planned)) => planned,
            Ok(Err(_)) => Err(ToolError::new("it failed inside the node")),
            Err(_) => {
                hung.abort();
                Err(ToolError::new("looking at it took too long"))
            }
        }
    }
}

/// So often a claim is tried while the grants keep moving under it.
const MOST_LOOKS: u32 = 8;

const NOT_RECORDED: &str = "not done: the node could not record it first";

impl From<ConfirmRefused> for Refused {
    fn from(refused: ConfirmRefused) -> Self {
        match refused {
            ConfirmRefused::Store(error) => Self::Store(error),
            ConfirmRefused::Unknown | ConfirmRefused::TooSoon => Self::Unknown,
        }
    }
}
