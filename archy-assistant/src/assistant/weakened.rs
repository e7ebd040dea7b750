//! What seeded weaknesses do, where it is more than leaving a guard out. Only in builds with `--cfg archy_weak`.

use std::sync::Arc;

use tokio::time::Instant;

use super::Inner;
use super::driver::Next;
use crate::confirmation::{State, Subject, Waiting};
use crate::tool::{Claim, Pending};
use crate::turn::input::{Arrived, Input};
use crate::{Caller, ConfirmRefused, ConfirmationId, Digest, Label, Outcome, Resolution, ToolCall};

impl Inner {
    /// Runs without asking anybody.
    pub(super) async fn unasked(&self, caller: &Caller, call: &ToolCall, pending: Box<dyn Pending>) -> Next {
        let came = match pending.apply(caller, Claim::forged()).await {
            Ok(datum) => Outcome::Done(datum),
            Err(error) => Outcome::NotDone(error.to_string()),
        };
        Next::plain(Input::Result(Arrived::plain(call.id, came)))
    }

    /// Lets what is stored in this state wait again, and confirms it.
    pub(super) async fn revived(
        self: &Arc<Self>,
        caller: &Caller,
        (id, digest): (ConfirmationId, &Digest),
        state: State,
    ) -> Option<Result<Resolution, ConfirmRefused>> {
        let record = self.record(id).ok()??;
        let theirs = caller.is_chrome() && record.audience == *caller.principal();
        if record.state != state || !theirs || !record.digest().same(digest) {
            return None;
        }
        let Subject::Call { tool, args, .. } = &record.subject else { return None };
        let pending = self.plan(caller, tool, args).await.ok()?;
        let expires = Instant::now() + self.limits.decide_within;
        let waiting = Waiting::new(record, pending, caller.clone(), Label::default(), expires);
        self.queue().ask(waiting);
        Some(self.carry_out(caller, id).await)
    }
}
