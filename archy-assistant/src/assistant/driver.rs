//! The driver of one turn: it gives the machine its inputs, commits them, and only then does what the machine says.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::{OwnedMutexGuard, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};

use super::Inner;
use super::choose::Chain;
use super::live::{Nudge, Running};
use super::propose::{Asker, Proposal};
use super::reply::Reply;
use super::request::Ready;
use super::settle::{done, failed};
use crate::audit::Line;
use crate::backend::BackendError;
use crate::confirmation::Waiting;
use crate::tool::{Body, Tool};
use crate::turn::input::{Arrived, Input, Said};
use crate::turn::journal::{self, Entry};
use crate::turn::{Do, Machine};
use crate::{
    Batch, Browsed, BrowserAction, CallId, Caller, ConversationId, Datum, Durability, Event, Limited,
    Message, Numbered, Outcome, Request, Settled, StoreError, Table, ToolCall, ToolError, TurnId, Verdict,
};

/// The machine's next input, with what is committed together with it.
pub(super) struct Next {
    pub(super) input: Input,
    pub(super) batch: Batch,
    /// For the audit.
    pub(super) line: Option<Line>,
    /// A question that joins the queue once all this is durable.
    pub(super) asks: Option<Asks>,
}

/// A question on its way into the queue, and the right to ask, which one proposal has at a time: what may be asked is
/// decided by what waits already.
pub(super) struct Asks {
    pub(super) waiting: Box<Waiting>,
    pub(super) turn: OwnedMutexGuard<()>,
}

impl Next {
    pub(super) fn plain(input: Input) -> Self {
        Self { input, batch: Batch::new(), line: None, asks: None }
    }
}

/// What a read came to, or something that the page was asked to do.
enum Came {
    Read(Result<Datum, ToolError>),
    Browsed(BrowserAction, Browsed),
}

pub(super) struct Driver {
    pub(super) inner: Arc<Inner>,
    pub(super) caller: Caller,
    running: Running,
    pub(super) conversation: ConversationId,
    pub(super) turn: TurnId,
    pub(super) history: Vec<Message>,
    inbox: mpsc::UnboundedReceiver<Nudge>,
    pub(super) machine: Machine,
    /// The number of the next input in the journal.
    step: u32,
    /// The number of the next event.
    seq: u32,
    pub(super) reply: Option<Reply>,
    reads: JoinSet<Came>,
    reading: HashMap<tokio::task::Id, ToolCall>,
    /// When the turn has taken too long; pushed back by the time in which a person decides.
    pub(super) deadline: Instant,
    waiting_since: Option<(Instant, Instant)>,
    pub(super) chain: Chain,
    /// A request that goes once its input is committed.
    instead: Option<Ready>,
    /// What ends the turn once the effect that has begun is through.
    ends_with: Option<Input>,
}

/// What the driver waits for.
pub(super) enum Woken {
    Nudge(Nudge),
    Reply(Vec<Next>),
    /// The reply broke before anything of it was seen.
    ReplyBroke {
        so_far: Vec<Next>,
        request: Arc<Request>,
        error: BackendError,
    },
    Read(Arrived),
    TextIsDue,
    TooLong,
    NobodyDecided,
}

impl Driver {
    pub(super) fn new(
        inner: Arc<Inner>,
        caller: Caller,
        running: Running,
        history: Vec<Message>,
        inbox: mpsc::UnboundedReceiver<Nudge>,
    ) -> Self {
        let deadline = Instant::now() + inner.limits.turn;
        let chain = Chain::new(inner.backends.len());
        Self {
            inner,
            caller,
            conversation: running.live.conversation,
            turn: running.turn,
            running,
            history,
            inbox,
            machine: Machine::new(),
            step: 0,
            seq: 0,
            reply: None,
            reads: JoinSet::new(),
            reading: HashMap::new(),
            deadline,
            waiting_since: None,
            chain,
            instead: None,
            ends_with: None,
        }
    }

    /// Commits the beginning, then goes on by itself.
    pub(super) async fn start(mut self, first: Batch, said: Said) -> Result<(), StoreError> {
        let begin = Next { batch: first, ..Next::plain(Input::Said(said)) };
        let (todo, ask) = self.take(vec![begin]).await?;
        spawn(async move {
            if self.run(todo, ask).await.is_err() {
                // Nothing can be kept any more: say so, and let the next start close the turn.
                let failed = Numbered { seq: self.seq, at: self.inner.clock.now(), event: Event::lost() };
                self.running.live.tell(vec![failed]);
                if let Some(id) = self.machine.waits_for() {
                    let _ = self.inner.leave(self.turn, id, Settled::Cancelled).await;
                }
            }
        });
        Ok(())
    }

    async fn run(&mut self, mut todo: Vec<Do>, mut ask: Option<Ready>) -> Result<(), StoreError> {
        loop {
            let mut next = Vec::new();
            if let Some(ready) = ask.take() {
                self.reply = Some(Reply::begin(ready));
            }
            for action in todo {
                match action {
                    Do::Read(call) => self.read(call),
                    Do::Propose(call) => next.push(self.propose(&call).await),
                    Do::Stop => return Ok(()),
                    // Each was seen to in `take`.
                    Do::Emit(_) | Do::Ask(_) | Do::Browse(..) => {}
                }
            }
            while next.is_empty() {
                next = self.next().await?;
            }
            (todo, ask) = self.take(next).await?;
        }
    }

    /// Gives the machine its inputs, commits them in one transaction, and tells the listeners. Requests are made ready
    /// here, so that the journal says that they go before they go.
    async fn take(&mut self, inputs: Vec<Next>) -> Result<(Vec<Do>, Option<Ready>), StoreError> {
        let (mut queue, mut todo) = (std::collections::VecDeque::from(inputs), Vec::new());
        let mut ask = self.instead.take();
        let mut wanted = None;
        let (mut batch, mut lines, mut questions) = (Batch::new(), Vec::new(), Vec::new());
        let (mut events, mut durability) = (Vec::new(), Durability::Kept);
        while let Some(next) = queue.pop_front() {
            let at = self.inner.clock.now();
            if matters(&next.input) {
                durability = Durability::Synced;
            }
            batch.append(next.batch);
            lines.extend(next.line);
            questions.extend(next.asks);
            let entry = Entry { at, input: next.input };
            let key = journal::key(self.conversation, self.turn, self.step);
            batch = batch.put(Table::Journal, key, entry.encode()?);
            self.step += 1;
            for action in self.machine.step(entry.input) {
                match action {
                    Do::Emit(event) => {
                        events.push(Numbered { seq: self.seq, at, event });
                        self.seq += 1;
                    }
                    Do::Ask(calls) => wanted = Some(calls),
                    action => todo.push(action),
                }
            }
            // Made ready last: an input behind this one may end the turn.
            let calls = if queue.is_empty() && !self.machine.has_ended() { wanted.take() } else { None };
            if let Some(calls) = calls {
                let picked = self.pick(calls).await;
                queue.push_back(picked.next(&mut ask));
            }
        }
        if self.machine.has_ended() {
            todo = vec![Do::Stop];
            ask = None;
            self.reply = None;
            self.reads.abort_all();
            durability = Durability::Synced;
            batch = batch.remove(Table::Open, self.turn.to_bytes());
            batch.append(self.inner.conversation_after(self.conversation, &self.machine)?);
        }
        if let Err(error) = self.inner.commit(batch, lines, durability).await {
            // What was not committed is not told, so its numbers are free again.
            self.seq -= u32::try_from(events.len()).unwrap_or(0);
            return Err(error);
        }
        let asked = !questions.is_empty();
        for Asks { waiting, turn } in questions {
            let (audience, id) = (waiting.record.audience.clone(), waiting.record.id);
            self.inner.queue().ask(*waiting);
            drop(turn);
            self.inner.tell_sink(|sink| sink.asked(&audience, id));
        }
        if let (None, Some(id)) = (self.waiting_since, self.machine.waits_for()) {
            self.waiting_since = self.inner.queue().get(id).map(|waiting| (Instant::now(), waiting.expires));
        }
        if self.machine.has_ended() {
            // Before anybody hears of the end: whoever does may speak at once.
            self.inner.live().remove(&self.turn);
        }
        for action in &todo {
            if let Do::Browse(call, action) = action {
                // Before the page hears of it: it may answer at once.
                self.browse(call, action);
            }
        }
        self.running.live.tell(events);
        if asked {
            // A category or a role may have been closed while the question was being written.
            self.inner.withdraw_what_is_closed().await?;
        }
        Ok((todo, ask))
    }

    fn read(&mut self, call: ToolCall) {
        let verdict = |tool: &Tool| tool.verdict(&self.caller, self.inner.open(), self.machine.context());
        let allowed = self.inner.toolbox.find(&call.tool).filter(|tool| verdict(tool) == Verdict::Allow);
        let read = match allowed.map(|tool| &tool.body) {
            Some(Body::Read(read)) => Some(Arc::clone(read)),
            _ => None,
        };
        let (caller, args, _id, most) =
            (self.caller.clone(), call.args.clone(), call.id, self.inner.limits.read);
        let task = self.reads.spawn(async move {
            let Some(read) = read else { return Came::Read(Err(ToolError::new(Settled::Revoked.says()))) };
            let result = timeout(most, read.read(&caller, &args)).await;
            Came::Read(result.unwrap_or_else(|_| Err(ToolError::new("it took too long"))))
        });
        self.reading.insert(task.id(), call);
    }

    /// Waits for the page's word; where none comes in time, it was not done.
    fn browse(&mut self, call: &ToolCall, action: &BrowserAction) {
        let (live, id, action) = (Arc::clone(&self.running.live), call.id, action.clone());
        let (mut told, most) = (live.asked_of_page(id), self.inner.limits.browser);
        let task = self.reads.spawn(async move {
            let in_time = timeout(most, &mut told).await;
            let told = if let Ok(told) = in_time {
                told
            } else {
                live.page_is_through(id);
                // A word that was taken before that line still counts, as whoever gave it was told.
                told.await
            };
            Came::Browsed(action, told.unwrap_or(Browsed::NotDone))
        });
        self.reading.insert(task.id(), call.clone());
    }

    async fn propose(&mut self, call: &ToolCall) -> Next {
        let asker = Asker { caller: &self.caller, conversation: self.conversation, turn: self.turn };
        let proposal = Proposal {
            asker,
            call,
            context: self.machine.context(),
            sources: self.machine.sources().iter().collect(),
        };
        self.inner.propose(proposal).await
    }

    /// Waits for what comes next and turns it into inputs; empty when it was nothing for the machine.
    async fn next(&mut self) -> Result<Vec<Next>, StoreError> {
        Ok(match self.wait().await {
            Woken::Nudge(Nudge::Cancel) => self.end(Input::Cancel, Settled::Cancelled).await?,
            Woken::Nudge(Nudge::Stop) => self.end(Input::Interrupted, Settled::Voided).await?,
            Woken::Nudge(Nudge::Resolved { id, outcome, result }) => {
                if let Some((since, _)) = self.waiting_since.take() {
                    self.deadline += since.elapsed();
                }
                if result.is_none() {
                    self.crossing_decided(outcome);
                }
                let result = result.map(|result| *result);
                let mut next = vec![Next::plain(Input::Resolved { id, outcome, result })];
                next.extend(self.ends_with.take().map(Next::plain));
                next
            }
            Woken::Reply(next) => {
                self.answered();
                next
            }
            Woken::ReplyBroke { mut so_far, request, error } => {
                let picked = self.broke(&request, error).await;
                so_far.push(picked.next(&mut self.instead));
                so_far
            }
            Woken::Read(arrived) => vec![Next::plain(Input::Result(arrived))],
            Woken::TextIsDue => self.reply.as_mut().map(|reply| vec![reply.hand_on()]).unwrap_or_default(),
            Woken::TooLong => vec![Next::plain(Input::TooMuch(Limited::Time))],
            Woken::NobodyDecided => {
                self.waiting_since =
                    self.waiting_since.map(|(since, _)| (since, Instant::now() + self.inner.limits.turn));
                if let Some(id) = self.machine.waits_for().filter(|_| !weak!(NeverExpires)) {
                    self.inner.settle(id, Settled::Expired).await?;
                }
                Vec::new()
            }
        })
    }

    /// Takes back what a person was asked; an effect that has begun is waited for, and the turn ends after it.
    async fn end(&mut self, with: Input, settled: Settled) -> Result<Vec<Next>, StoreError> {
        if let Some(id) = self.machine.waits_for() {
            self.inner.leave(self.turn, id, settled).await?;
            // Either way the answer is on its way here.
            self.ends_with = Some(with);
            return Ok(Vec::new());
        }
        Ok(vec![Next::plain(with)])
    }

    /// Waits for the first of: a nudge, a read, the reply, its text falling due, the turn or a question taking too long.
    async fn wait(&mut self) -> Woken {
        let mut sleep = Box::pin(sleep_until(self.wakes_at()));
        std::future::poll_fn(|context| {
            if let Poll::Ready(Some(nudge)) = self.inbox.poll_recv(context) {
                return Poll::Ready(Woken::Nudge(nudge));
            }
            if let Poll::Ready(Some(joined)) = self.reads.poll_join_next_with_id(context) {
                return Poll::Ready(Woken::Read(self.joined(joined)));
            }
            // Looked at before the reply, which may always have something to say.
            if self.waiting_since.is_none() && Instant::now() >= self.deadline {
                return Poll::Ready(Woken::TooLong);
            }
            if let Poll::Ready(woken) = self.poll_reply(context, &mut sleep) {
                return Poll::Ready(woken);
            }
            sleep.as_mut().poll(context).map(|()| self.slept())
        })
        .await
    }

    fn wakes_at(&self) -> Instant {
        let text = self.reply.as_ref().filter(|reply| !reply.text.is_empty()).map(|reply| reply.hand_on_at);
        let turn = match self.waiting_since {
            Some((_, expires)) => expires,
            None => self.deadline,
        };
        text.map_or(turn, |text| text.min(turn))
    }

    fn slept(&self) -> Woken {
        let now = Instant::now();
        if self.reply.as_ref().is_some_and(|reply| !reply.text.is_empty() && reply.hand_on_at <= now) {
            Woken::TextIsDue
        } else if self.waiting_since.is_some() {
            Woken::NobodyDecided
        } else {
            Woken::TooLong
        }
    }

    fn joined(&mut self, joined: Result<(tokio::task::Id, Came), tokio::task::JoinError>) -> Arrived {
        let (task, result) = match joined {
            Ok(came) => came,
            Err(error) => (error.id(), Came::Read(Err(ToolError::new("it failed inside the node")))),
        };
        let Some(call) = self.reading.remove(&task) else {
            return Arrived::plain(CallId(u32::MAX), Outcome::NotDone(String::new()));
        };
        let result = match result {
            Came::Read(result) => result,
            Came::Browsed(action, browsed) => return action.arrived(call.id, browsed),
        };
        match (result, self.inner.toolbox.find(&call.tool)) {
            (Ok(datum), Some(tool)) => {
                let says = tool.spec.sentence(&datum);
                done(call.id, tool.spec.rests_on(), datum, says)
            }
            (Err(error), Some(tool)) => failed(call.id, tool.spec.rests_on(), error.to_string()),
            (Err(error), None) => Arrived::plain(call.id, Outcome::NotDone(error.to_string())),
            (Ok(_), None) => {
                Arrived::plain(call.id, Outcome::NotDone("there is no such tool here".to_owned()))
            }
        }
    }
}

/// What must survive a power cut: what a person said, what a person is asked and decided.
fn matters(input: &Input) -> bool {
    matches!(input, Input::Said(_) | Input::Proposed { .. } | Input::Crossing { .. } | Input::Resolved { .. })
}

/// The one place where the assistant starts a task.
#[expect(clippy::disallowed_methods, reason = "the one place where a task is started")]
pub(super) fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(work)
}
