//! The task of a radio: it tells the door what happens and what time it is, and does what the door says.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use archy_assistant::{ConversationId, Timestamp};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::sleep_until;

use super::ask::{Asked, ask};
use super::status::LinkState;
use super::{PoisonError, Radio};
use crate::{Asker, Handled, Heard, MeshLink, Next, NotSent, Question, QuestionId, Received};

/// What somebody asks within this of their last question goes on with the same conversation.
const GOES_ON: u64 = 30 * 60 * 1000;
/// So many conversations are gone on with.
const MOST: usize = 128;

pub(super) struct Driver<L> {
    radio: Radio,
    link: L,
    turns: JoinSet<Asked>,
    running: BTreeMap<QuestionId, oneshot::Sender<()>>,
    conversations: BTreeMap<Asker, (ConversationId, Timestamp)>,
}

impl<L: MeshLink> Driver<L> {
    pub(super) fn new(radio: Radio, link: L) -> Self {
        Self { radio, link, turns: JoinSet::new(), running: BTreeMap::new(), conversations: BTreeMap::new() }
    }

    pub(super) async fn run(mut self) {
        loop {
            let next = self.radio.door().due(self.now());
            let until = match next {
                Next::Send(packet) => {
                    // Its airtime is spent, whatever becomes of it.
                    let sent =
                        if self.keep() { self.link.send(&packet).await } else { Err(NotSent::Refused) };
                    self.radio.door().sent(sent, self.now());
                    continue;
                }
                Next::At(at) => Some(self.radio.0.moments.instant(at)),
                Next::Nothing => None,
            };
            tokio::select! {
                heard = self.link.next() => self.heard(heard),
                Some(asked) = self.turns.join_next() => if let Ok(asked) = asked { self.asked(asked) },
                () = async { sleep_until(until.expect("it is looked at before")).await }, if until.is_some() => {}
                () = self.radio.0.changed.notified() => {}
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.radio.0.moments.now()
    }

    fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Up(facts) => {
                self.radio.door().up(facts);
                self.radio.link_is(LinkState::Up);
            }
            Heard::Down(why) => self.radio.link_is(LinkState::Down(why)),
            Heard::Contacts(contacts) => {
                *self.radio.0.contacts.lock().unwrap_or_else(PoisonError::into_inner) = contacts;
            }
            Heard::Acknowledged(ack) => self.radio.door().acknowledged(ack, self.now()),
            Heard::Message(message) => self.message(&message),
        }
    }

    fn message(&mut self, message: &Received) {
        let handled = self.radio.door().handle(message, self.now());
        if matches!(handled, Handled::Silence(_)) {
            return;
        }
        // Heard first, and kept, and only then answered: a crash in between costs an answer, never a second one.
        let is_kept = self.keep();
        if let Handled::Ask(question) = handled
            && is_kept
        {
            self.ask(question);
        }
    }

    fn ask(&mut self, question: Question) {
        if let Some(before) = question.instead_of.and_then(|before| self.running.remove(&before)) {
            // It may have ended meanwhile.
            let _ = before.send(());
        }
        let now = self.now();
        self.conversations.retain(|_, (_, last)| last.0 + GOES_ON > now.0);
        let before = self.conversations.get(&question.asker).map(|(conversation, _)| *conversation);
        let (instead, instead_of) = oneshot::channel();
        self.running.insert(question.id, instead);
        self.turns.spawn(ask(self.radio.clone(), question, before, instead_of));
    }

    fn asked(&mut self, asked: Asked) {
        self.running.remove(&asked.question.id);
        let now = self.now();
        if let Some(conversation) = asked.conversation
            && (self.conversations.len() < MOST || self.conversations.contains_key(&asked.asker()))
        {
            self.conversations.insert(asked.asker(), (conversation, now));
        }
        if let Some(answer) = asked.answer {
            self.radio.door().answered(asked.question.id, &answer, now);
        }
    }

    /// Keeps what must outlive a restart; whether it is kept.
    fn keep(&self) -> bool {
        let remembered = self.radio.door().remembered().to_bytes();
        let is_kept = self.radio.0.memory.keep(&remembered).is_ok();
        self.radio.0.is_kept.store(is_kept, Ordering::Relaxed);
        is_kept
    }
}
