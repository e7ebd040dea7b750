//! The pure machine of a turn: inputs in, actions out. It reads no clock, no store and no randomness, so replaying a
//! turn's journal gives the same events again.

use std::collections::BTreeSet;

use super::event::{End, Event, Failure, Finished, Receipt, Settled};
use super::input::{Arrived, AskBack, Asked, Called, Crossed, Input, Judgement, Said};
use super::message::{Content, Message, Outcome, ToolCall};
use super::repeat::Repeats;
use crate::backend::{BackendFault, EndReason};
use crate::{CallId, Calls, ConfirmationId, Label, Limits, Seat, Sentence, Shown, Source, Usage};

/// What the driver does next, after the input is committed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Do {
    /// Tell the listeners.
    Emit(Event),
    /// Send a request to a backend.
    Ask(Calls),
    /// Run a read.
    Read(ToolCall),
    /// Plan a write (or a read that needs a person) and ask the person.
    Propose(ToolCall),
    /// Everything is said.
    Stop,
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was said yet.
    New,
    /// A backend is answering.
    Asking,
    /// Reads run.
    Reading,
    /// A write is being planned.
    Proposing(CallId),
    /// A person decides: on a call, or without one on whether the conversation may go to a remote backend.
    Waiting(Option<CallId>, ConfirmationId),
    /// It has ended.
    Ended,
}

/// One turn.
#[derive(Debug)]
pub(crate) struct Machine {
    phase: Phase,
    seat: Seat,
    steps_left: u32,
    max_calls: usize,
    max_text: usize,
    /// What the whole conversation rests on, this turn included.
    context: Label,
    sources: BTreeSet<Source>,
    messages: Vec<Message>,
    reply: Reply,
    /// The calls of the reply that is being worked on.
    open: Vec<Open>,
    next_call: u32,
    repeats: Repeats,
    nudged: bool,
    bad_args: u32,
    last: Option<LastRequest>,
    backend: Option<String>,
    /// Why no backend at home answers, while a person decides whether a remote one may.
    down: Option<BackendFault>,
    usage: Usage,
    receipts: Vec<Receipt>,
    shown: BTreeSet<CallId>,
    said: Vec<(CallId, Sentence)>,
}

/// Why the request that is under way is the last one of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastRequest {
    /// The person has decided against something, or the backend goes in circles.
    Enough,
    /// It has taken the most steps.
    StepLimit,
}

#[derive(Debug, Default)]
struct Reply {
    label: Label,
    /// What the names rest on that the backend was given to choose from.
    names: Label,
    text: Sentence,
    bytes: usize,
    calls: Vec<(ToolCall, Judgement)>,
    opaque: Vec<String>,
    ask_back: Option<AskBack>,
}

#[derive(Debug)]
struct Open {
    call: ToolCall,
    judged: Judgement,
    outcome: Option<Arrived>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let limits = Limits::default();
        Self {
            phase: Phase::New,
            seat: Seat::Chrome,
            steps_left: limits.steps,
            max_calls: limits.calls,
            max_text: limits.text,
            context: Label::default(),
            sources: BTreeSet::new(),
            messages: Vec::new(),
            reply: Reply::default(),
            open: Vec::new(),
            next_call: 0,
            repeats: Repeats::default(),
            nudged: false,
            bad_args: 0,
            last: None,
            backend: None,
            down: None,
            usage: Usage::default(),
            receipts: Vec::new(),
            shown: BTreeSet::new(),
            said: Vec::new(),
        }
    }

    /// What the conversation rests on now.
    pub(crate) fn context(&self) -> Label {
        self.context
    }

    /// The free text of others that the conversation holds now.
    pub(crate) fn sources(&self) -> &BTreeSet<Source> {
        &self.sources
    }

    /// The turn's own messages so far, in the order of a request.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The same, for whoever goes on without the turn.
    pub(crate) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// Whether the turn has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// The question that a person is asked now.
    pub(crate) fn waits_for(&self) -> Option<ConfirmationId> {
        self.waits_with().map(|(_, id)| id)
    }

    /// The same, with the call that it is about, if it is about one.
    pub(crate) fn waits_with(&self) -> Option<(Option<CallId>, ConfirmationId)> {
        if let Phase::Waiting(call, id) = self.phase { Some((call, id)) } else { None }
    }

    /// Takes one input. What does not fit the phase changes nothing and asks for nothing.
    pub(crate) fn step(&mut self, input: Input) -> Vec<Do> {
        let mut out = Vec::new();
        match (self.phase, input) {
            (Phase::Ended, _) => {}
            (Phase::New, Input::Said(said)) => self.said(said, &mut out),
            (_, Input::Interrupted) => self.interrupted(&mut out),
            (_, Input::Cancel) => self.cancelled(&mut out),
            (_, Input::TooMuch(what)) => self.fail(Failure::Limit(what), &mut out),
            (Phase::Asking, input) => self.replying(input, &mut out),
            (Phase::Reading, Input::Result(arrived)) => self.arrived(&arrived, &mut out),
            (Phase::Proposing(call), Input::Proposed { call: proposed, id }) if call == proposed => {
                self.proposed(call, id, &mut out);
            }
            (Phase::Proposing(call), Input::Result(arrived)) if call == arrived.call => {
                self.not_proposed(arrived, &mut out);
            }
            (Phase::Waiting(_, waits), Input::Resolved { id, outcome, result }) if waits == id => {
                self.resolved(id, outcome, result, &mut out);
            }
            _ => {}
        }
        out
    }

    fn said(&mut self, said: Said, out: &mut Vec<Do>) {
        self.seat = said.seat;
        self.steps_left = said.steps;
        self.max_calls = said.calls;
        self.max_text = said.text_limit;
        let label = Label { tainted: said.seat != Seat::Chrome, ..Label::default() };
        self.context = said.context.join(label);
        self.sources = said.sources;
        if label.tainted {
            self.sources.insert(Source::Said);
        }
        self.messages.push(Message { label, content: Content::Said(said.text) });
        for category in said.closed.iter() {
            out.push(Do::Emit(Event::Closed(category)));
        }
        if said.only_closed {
            let closed: Vec<_> = said.closed.iter().map(crate::Category::name).collect();
            let text = Sentence::plain(format!(
                "That needs what is closed: {}. You can open it.",
                closed.join(", ")
            ));
            out.push(Do::Emit(Event::Text(text.shown())));
            self.reply.text = text;
            self.keep_reply();
            return self.finish(End::Answered, out);
        }
        self.ask(out);
    }

    fn ask(&mut self, out: &mut Vec<Do>) {
        self.phase = Phase::Asking;
        self.reply = Reply::default();
        self.steps_left = self.steps_left.saturating_sub(1);
        out.push(Do::Ask(self.calls()));
    }

    fn calls(&self) -> Calls {
        if self.last.is_some() { Calls::None } else { Calls::Allowed }
    }

    fn replying(&mut self, input: Input, out: &mut Vec<Do>) {
        match input {
            Input::Asked(asked) => self.asked(asked, out),
            Input::Text(text) => {
                self.reply.bytes += text.len();
                if self.reply.bytes > self.max_text {
                    return self.fail(Failure::Limit(super::event::Limited::Text), out);
                }
                out.push(Do::Emit(Event::Text(Shown::prose(&text))));
                self.reply.text = std::mem::take(&mut self.reply.text).and(text);
            }
            Input::Sentence(sentence) => {
                out.push(Do::Emit(Event::Text(sentence.shown())));
                self.reply.text = std::mem::take(&mut self.reply.text).and(sentence);
            }
            // The last request of a turn offers no tools: what it calls all the same is not taken.
            Input::Called(_) if self.last.is_some() => {}
            Input::Called(called) => self.called(called, out),
            Input::AskBack(ask) => {
                // Its choices name what the node has.
                self.reply.label = self.reply.label.join(self.reply.names);
                self.reply.ask_back = Some(ask);
            }
            Input::Opaque(opaque) => self.reply.opaque.push(opaque),
            Input::Usage(usage) => self.usage = self.usage.and(usage),
            Input::Crossing { id, why } => {
                self.down = Some(why);
                self.phase = Phase::Waiting(None, id);
                out.push(Do::Emit(Event::ConfirmationRequired { id, call: None }));
            }
            Input::Broke(error) => {
                self.keep_partial_reply();
                self.fail(Failure::Backend(error.class), out);
            }
            Input::End(reason) => self.ended(reason, out),
            _ => {}
        }
    }

    fn asked(&mut self, asked: Asked, out: &mut Vec<Do>) {
        let label = if weak!(HistoryLosesLabel) { Label::default() } else { asked.label };
        // A reply that broke before anything of it was seen leaves nothing behind.
        self.reply = Reply { label, names: asked.names, ..Reply::default() };
        let leaves = asked.crossed.as_ref().map(|crossed| crossed.holds);
        // The same backend asked again is no other one.
        if let Some((from, why)) = asked.instead_of.filter(|(from, _)| *from != asked.backend) {
            let leaves = leaves.unwrap_or_default();
            out.push(Do::Emit(Event::BackendSwitched { from, to: asked.backend.clone(), why, leaves }));
        }
        if self.backend.as_ref() != Some(&asked.backend) {
            let (backend, locality, mind) = (asked.backend.clone(), asked.locality, asked.mind);
            out.push(Do::Emit(Event::Started { backend, locality, mind }));
            self.backend = Some(asked.backend.clone());
        }
        if let Some(Crossed { holds, messages, bytes }) = asked.crossed {
            let backend = asked.backend.clone();
            out.push(Do::Emit(Event::Crossed { backend, holds, messages, bytes }));
        }
        for held in asked.withheld {
            let backend = asked.backend.clone();
            out.push(Do::Emit(Event::Withheld { category: held.category, backend }));
            let fresh = held.call.filter(|call| self.shown.insert(*call));
            if let Some((_, says)) = self.said.iter().find(|(call, _)| Some(*call) == fresh) {
                out.push(Do::Emit(Event::Text(says.shown())));
            }
        }
    }

    fn called(&mut self, called: Called, out: &mut Vec<Do>) {
        if self.reply.calls.len() >= self.max_calls {
            return self.fail(Failure::Limit(super::event::Limited::Calls), out);
        }
        let id = CallId(self.next_call);
        self.next_call += 1;
        self.reply.calls.push((ToolCall { id, tool: called.tool, args: called.args }, called.judged));
    }

    fn ended(&mut self, reason: EndReason, out: &mut Vec<Do>) {
        let calls = std::mem::take(&mut self.reply.calls);
        if calls.is_empty() {
            return self.answered(reason, out);
        }
        // Calls run only from a reply that ended properly.
        if reason != EndReason::Complete && !weak!(CutReplyRuns) {
            self.keep_partial_reply();
            return self.fail(Failure::Backend(crate::BackendFault::Broken), out);
        }
        let text = std::mem::take(&mut self.reply.text);
        let opaque = std::mem::take(&mut self.reply.opaque);
        let all = calls.iter().map(|(call, _)| call.clone()).collect();
        self.push(self.reply.label, Content::Reply { text, calls: all, opaque });
        self.repeats.reply(calls.iter().map(|(call, _)| call));
        self.open = calls.into_iter().map(|(call, judged)| Open { call, judged, outcome: None }).collect();
        self.phase = Phase::Reading;
        self.settle_what_needs_no_one(out);
        self.go_on(out);
    }

    fn answered(&mut self, reason: EndReason, out: &mut Vec<Do>) {
        if let Some(ask) = self.reply.ask_back.take() {
            out.push(Do::Emit(Event::Text(ask.question.shown())));
            self.reply.text = std::mem::take(&mut self.reply.text).and(ask.question);
            self.keep_reply();
            return self
                .finish(End::AsksBack { choices: ask.choices.iter().map(Sentence::shown).collect() }, out);
        }
        if self.reply.text.is_blank() {
            // A tool's own sentence was shown in its place.
            if !self.shown.is_empty() {
                return self.finish(self.end(reason), out);
            }
            if self.nudged || self.last.is_some() {
                return self.fail(Failure::Empty, out);
            }
            self.nudged = true;
            self.push(
                Label::default(),
                Content::Note("You answered with nothing. Answer the person.".to_owned()),
            );
            return self.ask(out);
        }
        self.keep_reply();
        self.finish(self.end(reason), out);
    }

    fn end(&self, reason: EndReason) -> End {
        match (self.last, reason) {
            (Some(LastRequest::StepLimit), _) => End::StepLimit,
            (_, EndReason::Length) => End::AnsweredInPart,
            _ => End::Answered,
        }
    }

    /// Gives each call that nothing has to run for its result.
    fn settle_what_needs_no_one(&mut self, out: &mut Vec<Do>) {
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
                Judgement::Browser(action) => {
                    out.push(Do::Emit(Event::BrowserAction(action.clone())));
                    Arrived::plain(call, Outcome::Done(crate::Datum::text("the page was asked to")))
                }
                Judgement::Read => {
                    let earlier = self.open[..place].iter().find(|earlier| earlier.call.same_as(&open.call));
                    match self.repeats.known(&open.call) {
                        Some(known) => Arrived { call, ..known.clone() },
                        None if earlier.is_some() => continue,
                        None => {
                            let call = open.call.clone();
                            out.push(Do::Emit(started(&call)));
                            out.push(Do::Read(call));
                            continue;
                        }
                    }
                }
                Judgement::Ask => continue,
            };
            self.settle(arrived, out);
        }
    }

    fn arrived(&mut self, arrived: &Arrived, out: &mut Vec<Do>) {
        let Some(first) =
            self.open.iter().find(|open| open.call.id == arrived.call && open.outcome.is_none())
        else {
            return;
        };
        let first = first.call.clone();
        self.repeats.learn(&first, arrived);
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
    fn settle(&mut self, arrived: Arrived, out: &mut Vec<Do>) {
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

    /// Reads first, then the writes one by one, then the next request.
    fn go_on(&mut self, out: &mut Vec<Do>) {
        let waits = |open: &&Open| open.outcome.is_none();
        if self.open.iter().filter(waits).any(|open| open.judged == Judgement::Read) {
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

    fn not_proposed(&mut self, arrived: Arrived, out: &mut Vec<Do>) {
        self.receipt(&arrived, Settled::NotAsked);
        self.phase = Phase::Reading;
        self.settle(arrived, out);
        self.go_on(out);
    }

    fn proposed(&mut self, call: CallId, id: ConfirmationId, out: &mut Vec<Do>) {
        self.phase = Phase::Waiting(Some(call), id);
        out.push(Do::Emit(Event::ConfirmationRequired { id, call: Some(call) }));
        if self.seat != Seat::Chrome {
            let receipts = self.receipts.clone();
            out.push(Do::Emit(Event::Finished(Finished { end: End::Waiting, usage: self.usage, receipts })));
        }
    }

    fn resolved(&mut self, id: ConfirmationId, outcome: Settled, result: Option<Arrived>, out: &mut Vec<Do>) {
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

    fn crossing_decided(&mut self, outcome: Settled, out: &mut Vec<Do>) {
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

    fn receipt(&mut self, arrived: &Arrived, outcome: Settled) {
        let Some(open) = self.open.iter().find(|open| open.call.id == arrived.call) else { return };
        let says = match &arrived.outcome {
            Outcome::NotDone(why) => Shown::prose(why),
            Outcome::Done(_) | Outcome::Withheld => arrived.says.shown(),
        };
        let (tool, args) = (Shown::line(&open.call.tool), Shown::line(&open.call.args));
        self.receipts.push(Receipt { tool, args, outcome, says });
    }

    fn settle_rest(&mut self, why: &str, out: &mut Vec<Do>) {
        let rest: Vec<_> =
            self.open.iter().filter(|open| open.outcome.is_none()).map(|open| open.call.id).collect();
        for call in rest {
            self.settle(Arrived::plain(call, Outcome::NotDone(why.to_owned())), out);
        }
    }

    fn cancelled(&mut self, out: &mut Vec<Do>) {
        self.close_open_calls("stopped", out);
        self.keep_partial_reply();
        self.finish(End::Cancelled, out);
    }

    fn interrupted(&mut self, out: &mut Vec<Do>) {
        self.close_open_calls("the node was stopped", out);
        self.keep_partial_reply();
        self.finish(End::Interrupted, out);
    }

    /// Every call gets its result, so that the conversation stays one that a model can go on with.
    fn close_open_calls(&mut self, why: &str, out: &mut Vec<Do>) {
        self.settle_rest(why, out);
        for open in std::mem::take(&mut self.open) {
            let Some(arrived) = open.outcome else { continue };
            let (call, tool) = (arrived.call, open.call.tool);
            self.push(
                arrived.label,
                Content::Result { call, tool, outcome: arrived.outcome, fence: arrived.fence },
            );
        }
    }

    fn keep_reply(&mut self) {
        let text = std::mem::take(&mut self.reply.text);
        let opaque = std::mem::take(&mut self.reply.opaque);
        self.push(self.reply.label, Content::Reply { text, calls: Vec::new(), opaque });
    }

    /// Keeps what was said before it was cut, marked as such.
    fn keep_partial_reply(&mut self) {
        self.reply.opaque.clear();
        if !self.reply.text.is_blank() {
            self.reply.text = std::mem::take(&mut self.reply.text).and(" […]");
            self.keep_reply();
        }
    }

    fn push(&mut self, label: Label, content: Content) {
        self.context = self.context.join(label);
        self.messages.push(Message { label, content });
    }

    fn finish(&mut self, end: End, out: &mut Vec<Do>) {
        self.phase = Phase::Ended;
        let receipts = std::mem::take(&mut self.receipts);
        out.push(Do::Emit(Event::Finished(Finished { end, usage: self.usage, receipts })));
        out.push(Do::Stop);
    }

    fn fail(&mut self, failure: Failure, out: &mut Vec<Do>) {
        self.close_open_calls("stopped", out);
        self.keep_partial_reply();
        self.phase = Phase::Ended;
        let receipts = std::mem::take(&mut self.receipts);
        out.push(Do::Emit(Event::Failed { failure, receipts }));
        out.push(Do::Stop);
    }
}

impl Arrived {
    /// A result in the node's own words, which rests on nothing.
    pub(crate) fn plain(call: CallId, outcome: Outcome) -> Self {
        let says = match &outcome {
            Outcome::NotDone(why) => Sentence::plain(why.clone()),
            Outcome::Done(datum) => Sentence::from(datum),
            Outcome::Withheld => Sentence::default(),
        };
        Self { call, outcome, label: Label::default(), sources: BTreeSet::new(), fence: 0, says }
    }
}

fn started(call: &ToolCall) -> Event {
    Event::ToolStarted { call: call.id, tool: Shown::line(&call.tool), args: Shown::line(&call.args) }
}
