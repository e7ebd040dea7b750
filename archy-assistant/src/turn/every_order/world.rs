//! The driver's glue, played one atomic step at a time: what in the assistant is an await is a step boundary here.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use tokio::time::Instant;

use crate::backend::{BackendError, BackendFault};
use crate::confirmation::{Checked, Crossing, NotAsked, Queue, Record, State, Subject, Waiter, Waiting};
use crate::tool::{Claim, Pending};
use crate::turn::input::{Arrived, Asked, Called, Crossed, Input, Judgement, Said};
use crate::turn::journal::{Entry, Folded};
use crate::turn::{Do, Machine, Settled};
use crate::{
    Browsed, BrowserAction, BrowserVerb, CallId, Caller, Calls, Categories, ConfirmationId, ConversationId,
    Datum, Door, EndReason, Label, Limits, Locality, Mind, Outcome, OwnerRole, Principal, Scope, Shown,
    Timestamp, ToolCall, ToolError, TurnId,
};

/// Who says what, what the model then calls (`read`, `page` for a browser action, or the name of an app to restart; after `far` only once a person has
/// agreed that the turn goes to a remote one), and what may happen.
pub(super) struct Plan {
    turns: Vec<(Caller, Vec<&'static str>)>,
    pub(super) may: Box<dyn Fn(Act) -> bool>,
}

impl Plan {
    pub(super) fn new<const N: usize>(turns: [(&str, &[&'static str]); N]) -> Self {
        let caller = |seat: &str| match seat {
            "chrome" => Caller::owner(),
            _ => Caller::relayed(
                Principal::new("radio:7f3a").unwrap(),
                Scope::EVERYTHING,
                Door::Radio,
                Principal::owner(),
                OwnerRole,
            ),
        };
        let turns = turns.into_iter().map(|(seat, calls)| (caller(seat), calls.to_vec())).collect();
        Self { turns, may: Box::new(|_| true) }
    }

    /// The same where only this may happen.
    pub(super) fn only(self, may: impl Fn(Act) -> bool + 'static) -> Self {
        Self { may: Box::new(may), ..self }
    }
}

/// One atomic step of the node. The number is that of the question, or of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// A person says yes: the look at it, and the start of the claim.
    Confirm(usize),
    /// The claim's transaction.
    Claim(usize),
    /// The effect.
    Effect(usize),
    /// A person says no.
    Deny(usize),
    /// Nobody decided in time.
    Expire(usize),
    /// The transaction with a question's end, which is then told to the turns that wait.
    Record(usize),
    /// The owner closes the category.
    Close,
    /// What waits in it is taken back.
    Sweep,
    /// The caller stops the turn.
    Cancel(usize),
    /// The page says what became of what it was asked, or the time for it is over.
    Browsed(usize, Browsed),
    /// Something new is said in its conversation.
    NewMessage(usize),
    /// The node shuts down.
    Stop,
    /// The turn's driver takes what was sent to it.
    Deliver(usize),
}

#[derive(Debug, Clone)]
enum Nudge {
    Cancel,
    Stop,
    Resolved(ConfirmationId, Settled, Option<Arrived>),
}

/// What is being done about a question, and is lost in a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Going {
    Nothing,
    Claiming,
    Claimed,
    Ran,
    Ending(Settled),
}

pub(super) struct Question {
    pub(super) record: Record,
    /// Whether the claim was durable before the effect.
    pub(super) was_executing: bool,
    pub(super) effects: u32,
    going: Going,
}

pub(super) struct Turn {
    pub(super) caller: Caller,
    calls: Vec<&'static str>,
    pub(super) folded: Folded,
    /// What was committed, each with the number of events after it.
    pub(super) journal: Vec<(Entry, usize)>,
    inbox: VecDeque<Nudge>,
    ends_with: Option<Input>,
    /// What the page was asked to do.
    page: Option<(CallId, BrowserAction)>,
    /// Whether a person was asked whether it may go to a remote model.
    far: bool,
    cancelled: bool,
    spoken: bool,
}

pub(super) struct World {
    pub(super) queue: Queue,
    pub(super) turns: Vec<Turn>,
    pub(super) questions: Vec<Question>,
    pub(super) closed: bool,
    swept: bool,
    stopped: bool,
    pub(super) began: Instant,
}

/// The writes of a model's first reply are asked for; what they would change does not matter here.
struct Fake;

impl Pending for Fake {
    fn change(&self) -> &[u8] {
        b"change"
    }
    fn text(&self, _: &str, _: &str, _: &[(&'static str, String)]) -> Shown {
        Shown::default()
    }
    fn same(&self, _: &dyn Pending) -> bool {
        true
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn apply(
        self: Box<Self>,
        _: &Caller,
        _: Claim,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Datum, ToolError>> + Send + '_>> {
        unreachable!("the effect is played")
    }
}

pub(super) fn conversation(turn: usize) -> ConversationId {
    ConversationId(10 + turn as u128)
}

pub(super) fn turn_id(turn: usize) -> TurnId {
    TurnId(20 + turn as u128)
}

impl World {
    pub(super) fn new(plan: &Plan) -> Self {
        let turns = plan.turns.iter().map(|(caller, calls)| Turn {
            caller: caller.clone(),
            calls: calls.clone(),
            folded: Folded::empty(),
            journal: Vec::new(),
            inbox: VecDeque::new(),
            ends_with: None,
            page: None,
            far: false,
            cancelled: false,
            spoken: false,
        });
        let mut world = Self {
            queue: Queue::default(),
            turns: turns.collect(),
            questions: Vec::new(),
            closed: false,
            swept: false,
            stopped: false,
            began: Instant::now(),
        };
        for turn in 0..world.turns.len() {
            let limits = Limits::default();
            let said = Said {
                text: "do it".to_owned(),
                seat: world.turns[turn].caller.seat(),
                context: Label::default(),
                sources: std::collections::BTreeSet::new(),
                closed: Categories::NONE,
                only_closed: false,
                steps: limits.steps,
                calls: limits.calls,
                text_limit: limits.text,
            };
            world.take(turn, vec![Input::Said(said)]);
        }
        world
    }

    pub(super) fn digest(&self, question: usize) -> crate::Digest {
        self.questions[question].record.digest()
    }

    /// What could come next.
    pub(super) fn possible(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for (place, question) in self.questions.iter().enumerate() {
            let waits = question.record.state == State::Waiting;
            match question.going {
                Going::Nothing if waits => {
                    acts.extend([Act::Confirm(place), Act::Deny(place), Act::Expire(place)]);
                }
                Going::Nothing => {}
                Going::Claiming => acts.push(Act::Claim(place)),
                Going::Claimed => acts.push(Act::Effect(place)),
                Going::Ran | Going::Ending(_) => acts.push(Act::Record(place)),
            }
        }
        for (place, turn) in self.turns.iter().enumerate() {
            if turn.folded.machine.has_ended() {
                continue;
            }
            if !turn.inbox.is_empty() {
                acts.push(Act::Deliver(place));
            }
            if turn.page.is_some() {
                acts.extend([Browsed::Done, Browsed::NotDone].map(|browsed| Act::Browsed(place, browsed)));
            }
            if !turn.cancelled {
                acts.push(Act::Cancel(place));
            }
            if !turn.spoken && self.queue.waited_for_by(turn_id(place)).is_some() {
                acts.push(Act::NewMessage(place));
            }
        }
        if self.turns.iter().all(|turn| turn.folded.machine.has_ended()) {
            return acts;
        }
        match (self.closed, self.swept) {
            (false, _) => acts.push(Act::Close),
            (true, false) => acts.push(Act::Sweep),
            (true, true) => {}
        }
        if !self.stopped {
            acts.push(Act::Stop);
        }
        acts
    }

    pub(super) fn step(&mut self, act: Act) {
        match act {
            Act::Confirm(place) => self.confirm(place),
            Act::Claim(place) => {
                // The claim's transaction expects the grants as they were looked at.
                let question = &mut self.questions[place];
                if self.closed {
                    question.going = Going::Ending(Settled::Revoked);
                } else {
                    question.record = question.record.executing();
                    question.was_executing = true;
                    question.going = Going::Claimed;
                }
            }
            Act::Effect(place) => {
                let question = &mut self.questions[place];
                if self.closed {
                    question.going = Going::Ending(Settled::Revoked);
                } else {
                    question.effects += 1;
                    question.going = Going::Ran;
                }
            }
            Act::Deny(place) => self.withdraw(place, Settled::Denied),
            Act::Expire(place) => self.withdraw(place, Settled::Expired),
            Act::Record(place) => self.record(place),
            Act::Close => self.closed = true,
            Act::Sweep => {
                self.swept = true;
                for id in self.queue.no_longer_allowed(|_| false) {
                    self.withdraw(self.place(id), Settled::Revoked);
                }
            }
            Act::Cancel(turn) => {
                self.turns[turn].cancelled = true;
                self.turns[turn].inbox.push_back(Nudge::Cancel);
            }
            Act::Browsed(turn, browsed) => {
                let (call, action) = self.turns[turn].page.take().expect("it was asked");
                self.take(turn, vec![action.arrived(call, browsed).into()]);
            }
            Act::NewMessage(turn) => {
                self.turns[turn].spoken = true;
                if let Some(id) = self.queue.waited_for_by(turn_id(turn)) {
                    self.leave(turn, id, Settled::Superseded);
                }
            }
            Act::Stop => {
                self.stopped = true;
                for turn in &mut self.turns {
                    if !turn.folded.machine.has_ended() {
                        turn.inbox.push_back(Nudge::Stop);
                    }
                }
            }
            Act::Deliver(turn) => self.deliver(turn),
        }
    }

    fn place(&self, id: ConfirmationId) -> usize {
        self.questions.iter().position(|question| question.record.id == id).expect("it was asked")
    }

    fn confirm(&mut self, place: usize) {
        let (owner, digest) = (Caller::owner(), self.digest(place));
        let id = self.questions[place].record.id;
        let shown = self.queue.shown(&owner, id, &digest, self.began);
        assert_eq!(shown, Checked::Counts);
        let now = self.began + Duration::from_millis(700);
        let checked = self.queue.check(&owner, id, &digest, crate::Decision::Confirm, now);
        assert_eq!(checked, Checked::Counts);
        if self.closed {
            return self.withdraw(place, Settled::Revoked);
        }
        self.queue.start_claim(id).expect("nobody was faster");
        self.questions[place].going = Going::Claiming;
    }

    fn withdraw(&mut self, place: usize, settled: Settled) {
        let id = self.questions[place].record.id;
        if self.queue.withdraw(id, settled).is_some() {
            self.questions[place].going = Going::Ending(settled);
        }
    }

    fn leave(&mut self, turn: usize, id: ConfirmationId, settled: Settled) {
        match self.queue.part(id, turn_id(turn)) {
            Some(waiter) => self.tell(&[waiter], id, settled),
            None => self.withdraw(self.place(id), settled),
        }
    }

    fn record(&mut self, place: usize) {
        let question = &mut self.questions[place];
        let settled = if let Going::Ending(settled) = question.going { settled } else { Settled::Done };
        question.record = question.record.ended(settled, Shown::line(settled.says()));
        question.going = Going::Nothing;
        let id = question.record.id;
        let waiters = self.queue.remove(id).expect("it stays until its end is recorded").waiters;
        self.tell(&waiters, id, settled);
    }

    fn tell(&mut self, waiters: &[Waiter], id: ConfirmationId, settled: Settled) {
        for waiter in waiters {
            let turn = self.turns.iter_mut().enumerate().find(|(place, _)| turn_id(*place) == waiter.turn);
            let Some((_, turn)) = turn.filter(|(_, turn)| !turn.folded.machine.has_ended()) else { continue };
            let outcome = match settled {
                Settled::Done => Outcome::Done(Datum::text("done")),
                _ => Outcome::NotDone(settled.says().to_owned()),
            };
            let result = waiter.call.map(|call| Arrived::plain(call, outcome));
            turn.inbox.push_back(Nudge::Resolved(id, settled, result));
        }
    }

    fn deliver(&mut self, place: usize) {
        let turn = &mut self.turns[place];
        let nudge = turn.inbox.pop_front().expect("something was sent");
        let (with, settled) = match nudge {
            Nudge::Resolved(id, outcome, result) => {
                let mut inputs = vec![Input::Resolved { id, outcome, result }];
                inputs.extend(turn.ends_with.take());
                return self.take(place, inputs);
            }
            Nudge::Cancel => (Input::Cancel, Settled::Cancelled),
            Nudge::Stop => (Input::Interrupted, Settled::Voided),
        };
        match turn.folded.machine.waits_for() {
            Some(id) => {
                turn.ends_with = Some(with);
                self.leave(place, id, settled);
            }
            None => self.take(place, vec![with]),
        }
    }

    /// Gives a machine its inputs, and then does what it says.
    fn take(&mut self, place: usize, inputs: Vec<Input>) {
        let mut queue = VecDeque::from(inputs);
        let mut wanted = None;
        let mut todo = Vec::new();
        while let Some(input) = queue.pop_front() {
            let turn = &mut self.turns[place];
            let entry = Entry { at: Timestamp::default(), input };
            for action in turn.folded.take(entry.clone()) {
                match action {
                    Do::Emit(_) => {}
                    Do::Ask(calls) => wanted = Some(calls),
                    action => todo.push(action),
                }
            }
            turn.journal.push((entry, turn.folded.events.len()));
            if turn.folded.machine.has_ended() {
                turn.inbox.clear();
                todo.clear();
            } else if queue.is_empty()
                && let Some(calls) = wanted.take()
            {
                queue.extend(self.reply(place, calls));
            }
        }
        for action in todo {
            let next = match action {
                Do::Read(call) => Arrived::plain(call.id, Outcome::Done(Datum::text("read"))).into(),
                Do::Propose(call) => self.propose(place, &call),
                Do::Browse(call, action) => {
                    self.turns[place].page = Some((call.id, action));
                    continue;
                }
                action => unreachable!("{action:?}"),
            };
            self.take(place, vec![next]);
        }
    }

    fn reply(&mut self, place: usize, calls: Calls) -> Vec<Input> {
        let turn = &mut self.turns[place];
        if turn.calls.first() != Some(&"far") {
            return turn.reply(calls);
        }
        turn.calls.remove(0);
        let mut inputs = vec![Input::Asked(turn.asked(calls))];
        turn.far = true;
        let (backend, why) = ("far".to_owned(), BackendFault::Unreachable);
        let crossing = Crossing { backend, classes: Categories::NONE, at_most: 1 };
        inputs.push(match self.ask(place, Subject::Crossing(crossing), None) {
            Some(id) => Input::Crossing { id, why },
            None => Input::Broke(BackendError { class: why, detail: String::new() }),
        });
        inputs
    }

    fn propose(&mut self, place: usize, call: &ToolCall) -> Input {
        let (tool, change) = ("restart".to_owned(), b"change".to_vec());
        let subject = Subject::Call { tool, args: call.args.clone(), change };
        match self.ask(place, subject, Some(call.id)) {
            Some(id) => Input::Proposed { call: call.id, id },
            None => Arrived::plain(call.id, Outcome::NotDone("not now".to_owned())).into(),
        }
    }

    fn ask(&mut self, place: usize, subject: Subject, call: Option<CallId>) -> Option<ConfirmationId> {
        let turn = &self.turns[place];
        if self.closed {
            return None;
        }
        match self.queue.may_ask(&turn.caller, &subject, &Shown::default()) {
            Ok(()) => {}
            Err(NotAsked::Same(id)) => {
                let waiter = Waiter { turn: turn_id(place), call };
                assert!(self.queue.join(id, waiter), "what is the same still waits");
                return Some(id);
            }
            Err(NotAsked::Full) => return None,
        }
        let id = ConfirmationId(100 + self.questions.len() as u128);
        let record = Record {
            id,
            boot: 7,
            subject,
            text: Shown::default(),
            proposer: turn.caller.principal().clone(),
            audience: turn.caller.audience().clone(),
            conversation: conversation(place),
            turn: turn_id(place),
            call,
            expires: Timestamp::default(),
            state: State::Waiting,
            says: Shown::default(),
        };
        let expires = self.began + Duration::from_secs(120);
        let (caller, label) = (turn.caller.clone(), Label::default());
        self.queue.ask(Waiting::new(record.clone(), Box::new(Fake), caller, label, expires));
        self.questions.push(Question { record, was_executing: false, effects: 0, going: Going::Nothing });
        Some(id)
    }

    /// Whether a turn that waits for a question will hear of its end.
    pub(super) fn will_hear(&self, place: usize, id: ConfirmationId) -> bool {
        let turn = &self.turns[place];
        let waits = self
            .queue
            .get(id)
            .is_some_and(|waiting| waiting.waiters.iter().any(|waiter| waiter.turn == turn_id(place)));
        waits || turn.inbox.iter().any(|nudge| matches!(nudge, Nudge::Resolved(told, ..) if *told == id))
    }

    /// Everything on which the future depends.
    pub(super) fn key(&self) -> u128 {
        let mut text = String::new();
        for turn in &self.turns {
            let _ = write!(
                text,
                "{:?}{:?}{:?}{:?}{}{}{};",
                turn.folded.machine,
                turn.inbox,
                turn.ends_with,
                turn.page,
                turn.cancelled,
                turn.spoken,
                turn.calls.len()
            );
        }
        for question in &self.questions {
            let waiters = self.queue.get(question.record.id).map(|waiting| &waiting.waiters);
            let _ = write!(
                text,
                "{:?}{:?}{}{:?};",
                question.record.state, question.going, question.effects, waiters
            );
        }
        let _ = write!(text, "{}{}{}", self.closed, self.swept, self.stopped);
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            salt.hash(&mut hasher);
            text.hash(&mut hasher);
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }
}

impl Turn {
    /// The first reply calls, later ones and those without tools only speak.
    fn reply(&mut self, calls: Calls) -> Vec<Input> {
        let mut inputs = vec![Input::Asked(self.asked(calls))];
        let wanted = if calls == Calls::None { Vec::new() } else { std::mem::take(&mut self.calls) };
        if wanted.is_empty() {
            inputs.push(Input::Text("Well.".to_owned()));
        }
        for name in wanted {
            let (tool, judged) = match name {
                "read" => ("look", Judgement::Read),
                "page" => {
                    let target = name.to_owned();
                    ("theme", Judgement::Browser(BrowserAction { verb: BrowserVerb::Theme, target }))
                }
                _ => ("restart", Judgement::Ask),
            };
            inputs.push(Input::Called(Called { tool: tool.to_owned(), args: name.to_owned(), judged }));
        }
        inputs.push(Input::End(EndReason::Complete));
        inputs
    }
}

impl From<Arrived> for Input {
    fn from(arrived: Arrived) -> Self {
        Self::Result(arrived)
    }
}

impl Turn {
    fn asked(&self, calls: Calls) -> Asked {
        let (backend, locality) =
            if self.far { ("far", Locality::Remote) } else { ("home", Locality::OnNode) };
        Asked {
            backend: backend.to_owned(),
            locality,
            mind: Mind::Model,
            calls,
            label: Label::default(),
            names: Label::default(),
            withheld: Vec::new(),
            crossed: self.far.then_some(Crossed { holds: Categories::NONE, messages: 1, bytes: 1 }),
            instead_of: None,
        }
    }
}

/// The call that a turn's machine waits for a person with.
pub(super) fn writes(machine: &Machine) -> Vec<(CallId, String)> {
    let mut all = Vec::new();
    for message in machine.messages() {
        if let crate::Content::Reply { calls, .. } = &message.content {
            let writes = calls.iter().filter(|call| call.tool == "restart");
            all.extend(writes.map(|call| (call.id, call.args.clone())));
        }
    }
    all
}
