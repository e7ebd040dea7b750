//! The calls of a reply get their results: reads first, then the writes one by one, then the next request.

use super::{Do, LastRequest, Machine, Open, Phase, started};
use crate::Shown;
use crate::turn::event::Event;
use crate::turn::input::{Arrived, Judgement};
use crate::turn::message::{Content, Outcome};

impl Machine {
    /// Gives each call that nothing has to run for its result.
    pub(super) fn settle_what_needs_no_one(&mut self, out: &mut Vec<Do>) {
        for place in 0..self.open.len() {
            let open = &self.open[place];
            let call = open.call.id;
            let arrived = match &open.judged {
                Judgement::Unknown => {
                    Arrived::plain(call, Outcome::NotDone("there is no such tool here".to_owned()))
                }
                Judgement::BadArgs(why) => {
                    self.bad_args += 1;
                    Arrived::plain(call, Outcome::NotDone(why.clone()))
                }
                Judgement::Read | Judgement::Browser(_) => {
                    let earlier = self.open[..place].iter().find(|earlier| earlier.call.same_as(&open.call));
                    match self.repeats.known(&open.call) {
                        Some(known) => Arrived { call, ..known.clone() },
                        None if earlier.is_some() => continue,
                        None => {
                            let call = open.call.clone();
                            out.push(Do::Emit(started(&call)));
                            if let Judgement::Browser(action) = &open.judged {
                                out.push(Do::Emit(Event::BrowserAction {
                                    call: call.id,
                                    action: action.clone(),
                                }));
                                out.push(Do::Browse(call, action.clone()));
                            } else {
                                out.push(Do::Read(call));
                            }
                            continue;
                        }
                    }
                }
                Judgement::Ask => continue,
            };
            self.settle(arrived, out);
        }
    }

    pub(super) fn arrived(&mut self, arrived: &Arrived, out: &mut Vec<Do>) {
        let Some(first) =
            self.open.iter().find(|open| open.call.id == arrived.call && open.outcome.is_none())
        else {
            return;
        };
        let by_page = matches!(first.judged, Judgement::Browser(_));
        let first = first.call.clone();
        if by_page {
            self.repeats.learn_done_by_page(&first, arrived);
        } else {
            self.repeats.learn(&first, arrived);
        }
        let twins: Vec<_> = self
            .open
            .iter()
            .filter(|open| open.outcome.is_none() && open.call.same_as(&first))
            .map(|open| open.call.id)
            .collect();
        for call in twins {
            self.settle(Arrived { call, ..arrived.clone() }, out);
        }
        self.go_on(out);
    }

    /// Notes a call's result; the messages are made when all have theirs, in call order.
    pub(super) fn settle(&mut self, arrived: Arrived, out: &mut Vec<Do>) {
        let Some(open) = self.open.iter_mut().find(|open| open.call.id == arrived.call) else { return };
        let not_done = match &arrived.outcome {
            Outcome::NotDone(why) => Some(Shown::prose(why)),
            Outcome::Done(_) | Outcome::Withheld => None,
        };
        let tool = Shown::line(&open.call.tool);
        out.push(Do::Emit(Event::ToolFinished { call: arrived.call, tool, not_done }));
        self.context = self.context.join(arrived.label);
        self.sources.extend(arrived.sources.iter().cloned());
        self.said.push((arrived.call, arrived.says.clone()));
        open.outcome = Some(arrived);
    }

    /// Reads and browser actions first, then the writes one by one, then the next request.
    pub(super) fn go_on(&mut self, out: &mut Vec<Do>) {
        let waits = |open: &&Open| open.outcome.is_none();
        if self.open.iter().filter(waits).any(|open| !matches!(open.judged, Judgement::Ask)) {
            return;
        }
        if let Some(next) = self.open.iter().find(waits) {
            let call = next.call.clone();
            self.phase = Phase::Proposing(call.id);
            out.push(Do::Emit(started(&call)));
            out.push(Do::Propose(call));
            return;
        }
        for open in std::mem::take(&mut self.open) {
            let Some(arrived) = open.outcome else { continue };
            let (call, tool) = (arrived.call, open.call.tool);
            let content = Content::Result { call, tool, outcome: arrived.outcome, fence: arrived.fence };
            self.push(arrived.label, content);
        }
        if self.last.is_none() && (self.repeats.goes_in_circles() || self.bad_args > 2) {
            self.last = Some(LastRequest::Enough);
        }
        if self.last.is_none() && self.steps_left <= 1 {
            self.last = Some(LastRequest::StepLimit);
        }
        self.ask(out);
    }
}
