//! The pure machine of a turn: inputs in, actions out. It reads no clock, no store and no randomness, so replaying a
//! turn's journal gives the same events again.

mod deciding;
mod ending;
mod replying;
mod telling;
mod working;

use std::collections::BTreeSet;

use self::telling::Told;
use super::event::{End, Event, Failure, Receipt};
use super::input::{Arrived, AskBack, Input, Judgement, Said};
use super::message::{Content, Message, Outcome, ToolCall};
use super::repeat::Repeats;
use crate::backend::BackendFault;
use crate::{
    BrowserAction, CallId, Calls, ConfirmationId, Label, Limits, Seat, Sentence, Shown, Source, Usage,
};

/// What the driver does next, after the input is committed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Do {
    /// Tell the listeners.
    Emit(Event),
    /// Send a request to a backend.
    Ask(Calls),
    /// Run a read.
    Read(ToolCall),
    /// Wait until the page says what became of what it was asked to do.
    Browse(ToolCall, BrowserAction),
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
    /// What of the answer was told so far.
    told: Told,
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
            told: Told::default(),
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
            self.tell(&text.shown(), out);
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
