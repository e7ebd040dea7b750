//! What a question's life should be, in as few words as possible.

use std::collections::HashMap;

use archy_assistant::{Decision, Settled};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// At the chrome.
    Owner,
    /// A contact on the radio, for whom the owner decides.
    Radio,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    Unknown,
    TooSoon,
    Ended(Settled),
}

struct Question {
    app: String,
    target: u32,
    who: Who,
    conversation: usize,
    /// The turns that wait for it.
    waiters: Vec<usize>,
    asked: u64,
    shown: Option<u64>,
    ended: Option<Settled>,
}

struct Turn {
    who: Who,
    conversation: usize,
    waits: bool,
    /// Whether a relayed caller was told that it waits, after which its stream ends.
    waited: bool,
    receipts: Vec<Settled>,
}

/// Times are in milliseconds.
pub(crate) struct Reference {
    now: u64,
    open: bool,
    pub(crate) lowered: bool,
    pub(crate) target: u32,
    pub(crate) effects: u32,
    questions: Vec<Question>,
    turns: Vec<Turn>,
    conversations: Vec<Who>,
    denials: HashMap<usize, u32>,
}

impl Reference {
    pub(crate) fn new() -> Self {
        Self {
            now: 0,
            open: true,
            lowered: false,
            target: 0,
            effects: 0,
            questions: Vec::new(),
            turns: Vec::new(),
            conversations: Vec::new(),
            denials: HashMap::new(),
        }
    }

    /// Some conversation of theirs.
    pub(crate) fn conversation_of(&self, who: Who, number: usize) -> Option<usize> {
        let theirs = self.conversations.iter().enumerate().filter(|(_, owner)| **owner == who);
        theirs.map(|(place, _)| place).nth(number)
    }

    /// Something is said that makes the model propose; the conversation, or `None` when too many turns run.
    pub(crate) fn propose(&mut self, who: Who, app: &str, to: Option<usize>) -> Option<usize> {
        if let Some(turn) = self.turns.iter().position(|turn| turn.waits && Some(turn.conversation) == to) {
            self.leave(turn, Settled::Superseded);
        }
        let theirs = self.turns.iter().filter(|turn| turn.waits && turn.who == who).count();
        if theirs >= 4 || self.running() >= 8 {
            return None;
        }
        let conversation = to.unwrap_or(self.conversations.len());
        if to.is_none() {
            self.conversations.push(who);
        }
        let turn = self.turns.len();
        self.turns.push(Turn { who, conversation, waits: false, waited: false, receipts: Vec::new() });
        if !self.open || (who == Who::Owner && self.lowered) {
            // The tool is not there.
            return Some(conversation);
        }
        if self.denials.get(&conversation).is_some_and(|denials| *denials >= 2) {
            self.turns[turn].receipts.push(Settled::NotAsked);
            return Some(conversation);
        }
        let target = self.target;
        let same = self.questions.iter_mut().find(|question| {
            question.ended.is_none()
                && question.app == app
                && question.target == target
                && question.who == who
        });
        if let Some(same) = same {
            same.waiters.push(turn);
        } else {
            let relayed = self.waiting().filter(|place| self.questions[*place].who == Who::Radio).count();
            if self.waiting().count() >= 3 || (who == Who::Radio && relayed >= 1) {
                self.turns[turn].receipts.push(Settled::NotAsked);
                return Some(conversation);
            }
            let (app, asked) = (app.to_owned(), self.now);
            let waiters = vec![turn];
            let question =
                Question { app, target, who, conversation, waiters, asked, shown: None, ended: None };
            self.questions.push(question);
        }
        self.turns[turn].waits = true;
        self.turns[turn].waited = who == Who::Radio;
        if self.questions.last().is_some_and(|question| question.waiters == [turn]) {
            // Whenever a new question joins them, all that wait are looked at again.
            self.roles_changed();
        }
        Some(conversation)
    }

    pub(crate) fn show(&mut self, question: usize) -> bool {
        let question = &mut self.questions[question];
        if question.ended.is_none() {
            question.shown = Some(self.now);
        }
        question.ended.is_none()
    }

    /// The right digest, from the owner's chrome.
    pub(crate) fn answer(&mut self, place: usize, decision: Decision) -> Answered {
        let question = &self.questions[place];
        if let Some(ended) = question.ended {
            return Answered::Ended(ended);
        }
        let conversation = question.conversation;
        let outcome = match decision {
            Decision::Deny => {
                *self.denials.entry(conversation).or_default() += 1;
                Settled::Denied
            }
            Decision::Confirm if question.shown.is_none_or(|shown| self.now - shown < 700) => {
                return Answered::TooSoon;
            }
            Decision::Confirm if !self.open || (question.who == Who::Owner && self.lowered) => {
                Settled::Revoked
            }
            Decision::Confirm if question.target != self.target => Settled::TargetChanged,
            Decision::Confirm => {
                self.effects += 1;
                // The app runs as another process now.
                self.target += 1;
                Settled::Done
            }
        };
        self.end(place, outcome);
        Answered::Ended(outcome)
    }

    pub(crate) fn tick(&mut self, millis: u64) {
        self.now += millis;
        let late = |question: &Question| self.now >= question.asked + 120_000;
        let late: Vec<_> = self.waiting().filter(|place| late(&self.questions[*place])).collect();
        for place in late {
            self.end(place, Settled::Expired);
        }
    }

    pub(crate) fn open(&mut self) {
        self.open = true;
        // Whatever the grants are asked for, what no role reaches any more is taken back.
        self.roles_changed();
    }

    pub(crate) fn close(&mut self) {
        self.open = false;
        let all: Vec<_> = self.waiting().collect();
        for place in all {
            self.end(place, Settled::Revoked);
        }
    }

    pub(crate) fn roles_changed(&mut self) {
        let lowered = self.lowered;
        let theirs: Vec<_> =
            self.waiting().filter(|place| lowered && self.questions[*place].who == Who::Owner).collect();
        for place in theirs {
            self.end(place, Settled::Revoked);
        }
    }

    pub(crate) fn restart(&mut self) {
        let all: Vec<_> = self.waiting().collect();
        for place in all {
            self.end(place, Settled::Voided);
        }
    }

    /// Whether there was a turn to stop.
    pub(crate) fn cancel(&mut self, turn: usize) -> bool {
        let waits = self.turns[turn].waits;
        if waits {
            self.leave(turn, Settled::Cancelled);
        }
        waits
    }

    /// A turn goes; its question stays while others wait for it.
    fn leave(&mut self, turn: usize, outcome: Settled) {
        let place = self
            .questions
            .iter()
            .position(|question| question.ended.is_none() && question.waiters.contains(&turn));
        let place = place.expect("a turn that waits has a question");
        if self.questions[place].waiters.len() == 1 {
            return self.end(place, outcome);
        }
        self.questions[place].waiters.retain(|waiter| *waiter != turn);
        self.told(turn, outcome);
    }

    fn end(&mut self, place: usize, outcome: Settled) {
        self.questions[place].ended = Some(outcome);
        for turn in self.questions[place].waiters.clone() {
            self.told(turn, outcome);
        }
    }

    fn told(&mut self, turn: usize, outcome: Settled) {
        self.turns[turn].waits = false;
        self.turns[turn].receipts.push(outcome);
    }

    /// The questions that wait, oldest first.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.questions.len()).filter(|place| self.questions[*place].ended.is_none())
    }

    /// How many turns have not ended.
    pub(crate) fn running(&self) -> usize {
        self.turns.iter().filter(|turn| turn.waits).count()
    }

    /// The turns that have ended, each with the outcomes of its receipts.
    pub(crate) fn ended(&self) -> impl Iterator<Item = (usize, Vec<Settled>)> + '_ {
        let ended = self.turns.iter().enumerate().filter(|(_, turn)| !turn.waits);
        ended.map(|(place, turn)| (place, turn.receipts.clone()))
    }

    /// Whether the turn's stream goes on to its end.
    pub(crate) fn sees_all(&self, turn: usize) -> bool {
        !self.turns[turn].waited
    }
}
