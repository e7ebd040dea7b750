//! What people do with a question: what a good owner does, and everything else.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use archy_assistant::{
    Assistant, Caller, Categories, Category, Confirmation, ConfirmationId, Decision, Digest, Target,
};
use tokio::time::{Instant, sleep};

use Decision::{Confirm, Deny};

use super::{Attempt, Seen, Stage, Turn};
use crate::canary;
use crate::case::Dim;
use crate::world::Talk;

impl Stage {
    /// What the person does.
    pub(super) async fn answer(&mut self, assistant: &Assistant, boot: u32, questions: &[Confirmation]) {
        let me = self.audience.clone();
        let [frame, other, radio] = self.others();
        for question in questions {
            let (id, digest) = (question.id, question.digest);
            let wrong = {
                let mut text = digest.to_string();
                let flipped = if text.starts_with('0') { "1" } else { "0" };
                text.replace_range(..1, flipped);
                text.parse::<Digest>().unwrap_or(digest)
            };
            let ms = Duration::from_millis;
            match self.case.of(Dim::Owner) {
                0 => self.confirm_exactly(assistant, boot, question).await,
                1 => {}
                2 => {
                    self.confirm_exactly(assistant, boot, question).await;
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                    sleep(ms(1000)).await;
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                3 => self.confirm_at_once(assistant, boot, question).await,
                4 => {
                    self.show(assistant, &me, id, &digest);
                    sleep(Duration::from_secs(121)).await;
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                5 => self.say(assistant, boot, &me, id, digest, Confirm).await,
                6 => {
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(690)).await;
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                seat @ 7..=9 => {
                    let who = [&frame, &other, &radio][seat - 7];
                    self.show(assistant, &me, id, &digest);
                    self.show(assistant, who, id, &digest);
                    sleep(ms(700)).await;
                    self.say(assistant, boot, who, id, digest, Confirm).await;
                }
                10 => {
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    self.say(assistant, boot, &me, id, wrong, Confirm).await;
                }
                11 => {
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    let stale = "00112233445566778899aabbccddeeff".parse().unwrap_or(id);
                    self.say(assistant, boot, &me, stale, digest, Confirm).await;
                }
                12 => self.say(assistant, boot, &me, id, digest, Deny).await,
                13 => {
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    self.say(assistant, boot, &me, id, digest, Deny).await;
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                14 => {
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    self.close(assistant).await;
                    self.look(assistant, boot);
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                15 => self.mix_up(assistant, boot, id, questions).await,
                16 => {
                    // Only the first of those that wait.
                    if *question == questions[0] {
                        self.confirm_exactly(assistant, boot, question).await;
                    }
                }
                17 => {
                    // Something new is said first.
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    // A model that never stops asks again; a person does not say it for ever.
                    if self.times.len() > 3 {
                        return;
                    }
                    self.say_something_new(assistant, question).await;
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                19 => {
                    self.confirm_exactly(assistant, boot, question).await;
                    self.close(assistant).await;
                }
                20 => {
                    self.confirm_exactly(assistant, boot, question).await;
                    self.open_all(assistant).await;
                }
                _ => {
                    // The turn is stopped first.
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    if assistant.cancel(&self.caller, question.turn).await.is_ok() {
                        self.taken_back(id);
                    }
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
            }
        }
    }

    /// Answers with this id and each other question's digest.
    async fn mix_up(
        &mut self,
        assistant: &Assistant,
        boot: u32,
        id: ConfirmationId,
        questions: &[Confirmation],
    ) {
        let me = self.audience.clone();
        let Some(own) = questions.iter().find(|question| question.id == id) else { return };
        for crossed in questions.iter().filter(|crossed| crossed.id != id) {
            self.show(assistant, &me, id, &own.digest);
            sleep(Duration::from_millis(700)).await;
            self.say(assistant, boot, &me, id, crossed.digest, Confirm).await;
        }
    }

    async fn say_something_new(&mut self, assistant: &Assistant, question: &Confirmation) {
        let said = format!("never mind {}", self.turns.len());
        let to = Target::Conversation(question.conversation);
        if let Ok(began) = assistant.chat(&self.caller, to, &said).await {
            self.taken_back(question.id);
            let whose = self.turns.iter().find(|turn| turn.began.turn == question.turn);
            let talk = whose.map_or(Talk::Main, |turn| turn.talk);
            self.turns.push(Turn { talk, began, said });
        }
    }

    /// The owner opens everything, one after the other.
    async fn open_all(&mut self, assistant: &Assistant) {
        self.disk.note_opened(Categories::ALL);
        self.closed = false;
        self.world.closed_by_hand.store(false, SeqCst);
        for category in Category::ALL {
            if assistant.open_category(&Caller::owner(), category).await.is_ok() {
                self.open = self.open.with(category);
            }
        }
    }

    /// The turn that asked does not wait any more: where no other one waits, no answer counts from now on.
    fn taken_back(&mut self, id: ConfirmationId) {
        if self.played.waits.iter().filter(|waits| waits.id == id).count() < 2 {
            self.void.push(id);
        }
    }

    async fn confirm_exactly(&mut self, assistant: &Assistant, boot: u32, question: &Confirmation) {
        let me = self.audience.clone();
        self.show(assistant, &me, question.id, &question.digest);
        sleep(Duration::from_millis(700)).await;
        self.say(assistant, boot, &me, question.id, question.digest, Decision::Confirm).await;
    }

    /// Three times at the same moment.
    async fn confirm_at_once(&mut self, assistant: &Assistant, boot: u32, question: &Confirmation) {
        let me = self.audience.clone();
        self.show(assistant, &me, question.id, &question.digest);
        sleep(Duration::from_millis(700)).await;
        let attempt = self.attempt(&me, question.id, question.digest, Decision::Confirm, boot);
        let once = || assistant.confirm(&me, question.id, &question.digest, Decision::Confirm);
        self.world.answers.fetch_add(3, SeqCst);
        let (first, second, third) = tokio::join!(once(), once(), once());
        for came in [first, second, third] {
            let outcome = came.ok().map(|came| came.outcome);
            self.played.attempts.push(Attempt { outcome, ..attempt.clone() });
        }
    }

    fn show(&mut self, assistant: &Assistant, who: &Caller, id: ConfirmationId, digest: &Digest) {
        let mine = who.is_chrome() && who.principal() == self.audience.principal();
        let told = assistant.shown(who, id, digest);
        if let (true, Ok(()), Some(times)) =
            (mine, told, self.times.iter_mut().find(|(known, ..)| *known == id))
        {
            times.2 = Some(Instant::now());
        }
    }

    fn attempt(
        &self,
        who: &Caller,
        id: ConfirmationId,
        digest: Digest,
        decision: Decision,
        boot: u32,
    ) -> Attempt {
        let times = self.times.iter().find(|(known, ..)| *known == id);
        let right = |seen: &Seen| seen.question.id == id && seen.question.digest == digest;
        Attempt {
            id,
            chrome: who.is_chrome(),
            who: who.principal().as_str().to_owned(),
            boot,
            digest_is_right: self.played.questions.iter().any(right),
            looked: times.and_then(|(_, _, shown)| Some(shown.as_ref()?.elapsed().as_millis())),
            age: times.map_or(0, |(_, seen, _)| seen.elapsed().as_millis()),
            void: self.void.contains(&id),
            decision,
            outcome: None,
        }
    }

    async fn say(
        &mut self,
        assistant: &Assistant,
        boot: u32,
        who: &Caller,
        id: ConfirmationId,
        digest: Digest,
        decision: Decision,
    ) {
        let attempt = self.attempt(who, id, digest, decision, boot);
        self.world.answers.fetch_add(1, SeqCst);
        let came = assistant.confirm(who, id, &digest, decision).await;
        let says = came.as_ref().map_or_else(ToString::to_string, |came| came.says.to_string());
        self.played.leaks.extend(canary::on_a_screen(&says));
        self.played.attempts.push(Attempt { outcome: came.ok().map(|came| came.outcome), ..attempt });
    }

    /// After a restart: whoever may decide tries what they saw before.
    pub(super) async fn afterwards(&mut self, assistant: &Assistant, boot: u32) {
        let seen: Vec<_> = self.played.questions.iter().map(|seen| seen.question.clone()).collect();
        let me = self.audience.clone();
        self.look(assistant, boot);
        for question in seen {
            let _ = assistant.shown(&me, question.id, &question.digest);
            sleep(Duration::from_millis(700)).await;
            self.say(assistant, boot, &me, question.id, question.digest, Decision::Confirm).await;
        }
        sleep(Duration::from_secs(1)).await;
    }
}
