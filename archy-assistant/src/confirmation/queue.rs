//! The questions that wait, in the order in which they were asked. Synchronous and without a clock of its own.

use std::time::Duration;

use super::{Confirmation, Decision, Digest, Record, Subject};
use crate::tool::Pending;
use crate::{CallId, Caller, ConfirmationId, ConversationId, Label, Seat, Settled, Shown, TurnId};

/// At most so many wait for one audience.
const MOST: usize = 3;
/// Of these, so many from doors that others can write into.
const MOST_RELAYED: usize = 1;
/// How long a question is on a screen before an answer counts.
const LOOK: Duration = Duration::from_millis(700);

/// A call of a turn that waits for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiter {
    pub(crate) turn: TurnId,
    /// Absent where the turn waits to learn who answers.
    pub(crate) call: Option<CallId>,
}

/// A moment on the clock that nobody can set.
type Monotonic = tokio::time::Instant;

/// A question that waits.
pub(crate) struct Waiting {
    pub(crate) record: Record,
    pub(crate) digest: Digest,
    pub(crate) pending: Option<Box<dyn Pending>>,
    /// Who proposed it, for deciding again with today's rights.
    pub(crate) caller: Caller,
    /// What the conversation rested on.
    pub(crate) context: Label,
    pub(crate) expires: Monotonic,
    /// The calls that wait for it: the one that asked, and identical ones that came later.
    pub(crate) waiters: Vec<Waiter>,
    shown: Option<Monotonic>,
    stage: Stage,
}

/// How far a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Anybody whom it concerns may answer it.
    Open,
    /// It was confirmed, and is being carried out.
    Claimed,
    /// It was taken back like this, which is being recorded.
    Ending(Settled),
}

/// Why a person is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAsked {
    /// Too many questions wait already.
    Full,
    /// The same question waits already.
    Same(ConfirmationId),
}

/// What an answer comes to, before anything is claimed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// There is no such question for this caller, or it is not the one that was shown.
    Unknown,
    /// It was shown too short a time ago, or not at all.
    TooSoon,
    /// Somebody else's answer is being carried out.
    Busy,
    /// It has ended like this.
    Settled(Settled),
    /// The answer counts.
    Counts,
}

/// The questions of one assistant.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Vec<Waiting>,
}

impl Waiting {
    pub(crate) fn new(
        record: Record,
        pending: Box<dyn Pending>,
        caller: Caller,
        context: Label,
        expires: Monotonic,
    ) -> Self {
        let digest = record.digest();
        let pending = Some(pending);
        let waiters = vec![Waiter { turn: record.turn, call: record.call }];
        Self { waiters, record, digest, pending, caller, context, expires, shown: None, stage: Stage::Open }
    }

    fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    fn concerns(&self, caller: &Caller) -> bool {
        weak!(AnySeatConfirms, return self.record.audience == *caller.principal());
        weak!(AnyPrincipalConfirms, return caller.is_chrome());
        caller.is_chrome() && self.record.audience == *caller.principal()
    }
}

impl Queue {
    /// Whether a question about this may be asked now. It is the same as one that waits only if its text is too: a
    /// person who confirms must have been told what each turn that waits had read before it proposed.
    pub(crate) fn may_ask(&self, caller: &Caller, subject: &Subject, text: &Shown) -> Result<(), NotAsked> {
        let theirs = || self.waiting.iter().filter(|waiting| waiting.record.audience == *caller.audience());
        let same = theirs().find(|waiting| {
            // A crossing is agreed to for one turn.
            let same = waiting.record.subject == *subject && subject.tool().is_some();
            let says_so = waiting.record.text == *text || weak!(MergedUnread);
            same && says_so && waiting.is_open() && waiting.record.proposer == *caller.principal()
        });
        if let Some(same) = same {
            return Err(NotAsked::Same(same.record.id));
        }
        let relayed = theirs().filter(|waiting| waiting.caller.seat() != Seat::Chrome).count();
        weak!(QueueUnbounded, return Ok(()));
        if theirs().count() >= MOST || (!caller.is_chrome() && relayed >= MOST_RELAYED) {
            return Err(NotAsked::Full);
        }
        Ok(())
    }

    /// Takes a question whose record is durable.
    pub(crate) fn ask(&mut self, waiting: Waiting) {
        self.waiting.push(waiting);
    }

    /// What waits for a caller at the chrome; for anybody else, nothing.
    pub(crate) fn list(&self, caller: &Caller) -> Vec<Confirmation> {
        let theirs: Vec<_> = self.waiting.iter().filter(|waiting| waiting.concerns(caller)).collect();
        let all = theirs.len();
        theirs
            .into_iter()
            .enumerate()
            .map(|(place, waiting)| Confirmation {
                id: waiting.record.id,
                digest: waiting.digest,
                text: waiting.record.text.clone(),
                conversation: waiting.record.conversation,
                turn: waiting.record.turn,
                call: waiting.record.call,
                expires: waiting.record.expires,
                place: (place + 1, all),
            })
            .collect()
    }

    /// Notes that the question is on a screen now. Showing it again starts the guard again.
    pub(crate) fn shown(
        &mut self,
        caller: &Caller,
        id: ConfirmationId,
        digest: &Digest,
        now: Monotonic,
    ) -> Checked {
        match self.find(caller, id, digest) {
            Ok(waiting) => {
                waiting.shown = Some(now);
                Checked::Counts
            }
            Err(checked) => checked,
        }
    }

    /// Whether an answer counts: seat and audience, digest, expiry, guard, in this order. A denial needs no guard.
    pub(crate) fn check(
        &mut self,
        caller: &Caller,
        id: ConfirmationId,
        digest: &Digest,
        decision: Decision,
        now: Monotonic,
    ) -> Checked {
        let waiting = match self.find(caller, id, digest) {
            Ok(waiting) => waiting,
            Err(checked) => return checked,
        };
        if !waiting.is_open() {
            return Checked::Busy;
        }
        if now >= waiting.expires && !weak!(NeverExpires) {
            return Checked::Settled(Settled::Expired);
        }
        let looked = waiting.shown.is_some_and(|shown| now.duration_since(shown) >= LOOK);
        if decision == Decision::Confirm && !looked && !weak!(NoGuard) {
            return Checked::TooSoon;
        }
        Checked::Counts
    }

    fn find(
        &mut self,
        caller: &Caller,
        id: ConfirmationId,
        digest: &Digest,
    ) -> Result<&mut Waiting, Checked> {
        self.waiting
            .iter_mut()
            .find(|waiting| {
                waiting.record.id == id
                    && waiting.concerns(caller)
                    && (waiting.digest.same(digest) || weak!(DigestForgotten))
            })
            .ok_or(Checked::Unknown)
    }

    fn open(&mut self, id: ConfirmationId) -> Option<&mut Waiting> {
        self.waiting.iter_mut().find(|waiting| waiting.record.id == id && waiting.is_open())
    }

    /// The question that a turn waits for.
    pub(crate) fn waited_for_by(&self, turn: TurnId) -> Option<ConfirmationId> {
        let by = |waiting: &&Waiting| waiting.waiters.iter().any(|waiter| waiter.turn == turn);
        self.waiting.iter().find(by).map(|waiting| waiting.record.id)
    }

    /// Lets one more call wait for the same question. `false` when it is gone, or its effect has begun.
    pub(crate) fn join(&mut self, id: ConfirmationId, waiter: Waiter) -> bool {
        let waiting = self.open(id);
        waiting.is_some_and(|waiting| {
            waiting.waiters.push(waiter);
            true
        })
    }

    /// Takes a turn's call out of those that wait for a question, unless it is the only one or the effect has begun.
    pub(crate) fn part(&mut self, id: ConfirmationId, turn: TurnId) -> Option<Waiter> {
        let waiting = self.open(id)?;
        if waiting.waiters.len() < 2 {
            return None;
        }
        let place = waiting.waiters.iter().position(|waiter| waiter.turn == turn)?;
        Some(waiting.waiters.remove(place))
    }

    /// The question, wherever it stands.
    pub(crate) fn get(&self, id: ConfirmationId) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.record.id == id)
    }

    /// Marks a question as being claimed, so that no second answer and no revocation can come between, and hands over
    /// what runs. `None` when it is gone, or somebody else was faster.
    pub(crate) fn start_claim(&mut self, id: ConfirmationId) -> Option<Box<dyn Pending>> {
        weak!(NameOnlyBinding, self.mix_up(id));
        let waiting = self.open(id)?;
        waiting.stage = Stage::Claimed;
        waiting.pending.take()
    }

    #[cfg(archy_weak)]
    fn mix_up(&mut self, id: ConfirmationId) {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.record.id == id) else { return };
        let kind = self.waiting[at].record.subject.kind().to_owned();
        let same = |waiting: &Waiting| waiting.record.subject.kind() == kind && waiting.pending.is_some();
        let Some(other) = self.waiting.iter().rposition(same) else { return };
        let pending = self.waiting[other].pending.take();
        self.waiting[other].pending = std::mem::replace(&mut self.waiting[at].pending, None);
        self.waiting[at].pending = pending;
    }

    #[cfg(archy_weak)]
    pub(crate) fn latest(&self, or: ConfirmationId) -> ConfirmationId {
        self.waiting.last().map_or(or, |waiting| waiting.record.id)
    }

    /// Removes a question that has ended, whoever asked for it.
    pub(crate) fn remove(&mut self, id: ConfirmationId) -> Option<Waiting> {
        let place = self.waiting.iter().position(|waiting| waiting.record.id == id)?;
        Some(self.waiting.remove(place))
    }

    /// Marks a question that nobody has begun to carry out as ending like this, so that no answer counts any more. It
    /// is removed when its end is recorded.
    pub(crate) fn withdraw(&mut self, id: ConfirmationId, settled: Settled) -> Option<Record> {
        let waiting = self.open(id)?;
        waiting.stage = Stage::Ending(settled);
        Some(waiting.record.clone())
    }

    /// The questions that today's grants and roles would not ask any more.
    pub(crate) fn no_longer_allowed(&self, allowed: impl Fn(&Waiting) -> bool) -> Vec<ConfirmationId> {
        let open = self.waiting.iter().filter(|waiting| waiting.is_open());
        open.filter(|waiting| !allowed(waiting)).map(|waiting| waiting.record.id).collect()
    }

    /// The questions of a kind in a conversation whose denial is being recorded just now.
    pub(crate) fn being_denied(
        &self,
        conversation: ConversationId,
        kind: &str,
    ) -> impl Iterator<Item = ConfirmationId> {
        let denied = self.waiting.iter().filter(move |waiting| {
            waiting.stage == Stage::Ending(Settled::Denied)
                && waiting.record.conversation == conversation
                && waiting.record.subject.kind() == kind
        });
        denied.map(|waiting| waiting.record.id)
    }

    /// Whether an effect is being carried out, or the end of a question is being recorded.
    pub(crate) fn is_executing(&self) -> bool {
        self.waiting.iter().any(|waiting| !waiting.is_open())
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}
