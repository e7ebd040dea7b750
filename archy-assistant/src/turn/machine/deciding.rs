//! A person is asked, and what their answer leads to.

use super::{Do, LastRequest, Machine, Phase};
use crate::backend::BackendFault;
use crate::turn::event::{End, Event, Failure, Finished, Receipt, Settled};
use crate::turn::input::Arrived;
use crate::turn::message::Outcome;
use crate::{CallId, ConfirmationId, Seat, Shown};

impl Machine {
    pub(super) fn not_proposed(&mut self, arrived: Arrived, out: &mut Vec<Do>) {
        self.receipt(&arrived, Settled::NotAsked);
        self.phase = Phase::Reading;
        self.settle(arrived, out);
        self.go_on(out);
    }

    pub(super) fn proposed(&mut self, call: CallId, id: ConfirmationId, out: &mut Vec<Do>) {
        self.phase = Phase::Waiting(Some(call), id);
        out.push(Do::Emit(Event::ConfirmationRequired { id, call: Some(call) }));
        if self.seat != Seat::Chrome {
            let receipts = self.receipts.clone();
            out.push(Do::Emit(Event::Finished(Finished { end: End::Waiting, usage: self.usage, receipts })));
        }
    }

    pub(super) fn resolved(
        &mut self,
        id: ConfirmationId,
        outcome: Settled,
        result: Option<Arrived>,
        out: &mut Vec<Do>,
    ) {
        out.push(Do::Emit(Event::ConfirmationResolved { id, outcome }));
        let Some(result) = result else { return self.crossing_decided(outcome, out) };
        self.receipt(&result, outcome);
        self.phase = Phase::Reading;
        self.settle(result, out);
        match outcome {
            // The node has changed, or may have: what was read before says nothing any more.
            Settled::Done | Settled::Failed | Settled::OutcomeUnknown => self.repeats.forget(),
            // The person goes on with something else.
            Settled::Superseded | Settled::Cancelled => return self.cancelled(out),
            Settled::Voided => return self.interrupted(out),
            _ => {
                self.last = Some(LastRequest::Enough);
                self.settle_rest("not asked", out);
            }
        }
        self.go_on(out);
    }

    pub(super) fn crossing_decided(&mut self, outcome: Settled, out: &mut Vec<Do>) {
        let why = self.down.take().unwrap_or(BackendFault::Unreachable);
        match outcome {
            Settled::Done => {
                self.phase = Phase::Asking;
                out.push(Do::Ask(self.calls()));
            }
            Settled::Superseded | Settled::Cancelled => self.cancelled(out),
            Settled::Voided => self.interrupted(out),
            _ => self.fail(Failure::Backend(why), out),
        }
    }

    pub(super) fn receipt(&mut self, arrived: &Arrived, outcome: Settled) {
        let Some(open) = self.open.iter().find(|open| open.call.id == arrived.call) else { return };
        let says = match &arrived.outcome {
            Outcome::NotDone(why) => Shown::prose(why),
            Outcome::Done(_) | Outcome::Withheld => arrived.says.shown(),
        };
        let (tool, args) = (Shown::line(&open.call.tool), Shown::line(&open.call.args));
        self.receipts.push(Receipt { tool, args, outcome, says });
    }
}
