//! Plays one case against the real assistant, through its public interface alone, and writes down what was seen.

mod person;
mod seen;
mod setting;

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use archy_assistant::{
    Assistant, Began, Caller, Categories, Category, Clock, Confirmation, ConfirmationId, ConversationId,
    Door, Event, Limits, PollPending, Principal, Scan, Scope, Store, StoredGrants, Table, Target, Timestamp,
};
use futures_core::Stream;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep};

pub use seen::{Attempt, Played, Seen, Waits};
use setting::{key, named, only_grants, opened, people, runtime};

use crate::canary;
use crate::case::{Case, DIMS, Dim, Fault};
use crate::disk::Disk;
use crate::model::{self, Models};
use crate::world::{Lowerable, Talk, World, toolbox};

struct Wall(AtomicU64);

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(SeqCst))
    }
}

const YEAR: u64 = 31_536_000_000;

/// One life of the node: dropping the runtime is how it dies.
struct Life {
    runtime: Runtime,
    assistant: Assistant,
    boot: u32,
}

/// A turn that was begun.
struct Turn {
    talk: Talk,
    began: Began,
    /// What was said in it, and in no other one.
    said: String,
}

struct Stage {
    case: Case,
    world: Arc<World>,
    disk: Arc<Disk>,
    model: Models,
    wall: Arc<Wall>,
    caller: Caller,
    audience: Caller,
    played: Played,
    closed: bool,
    /// When each question was first seen, and since when it is on a screen.
    times: Vec<(ConfirmationId, Instant, Option<Instant>)>,
    troubled: bool,
    /// Whether the process is to be ended.
    restart: bool,
    /// The turns that were begun, the first ones before those that say the same again.
    turns: Vec<Turn>,
    /// What is open, as far as the owner's own hand goes.
    open: Categories,
    /// The questions that were taken back.
    void: Vec<ConfirmationId>,
}

/// Plays it.
pub fn play(case: Case) -> Played {
    let disk = Arc::new(Disk::new(&opened(case.open()), only_grants(opened(Categories::NONE))));
    let world = Arc::new(World::new(Arc::clone(&disk)));
    let (caller, audience) = people(case, &world);
    let mut stage = Stage {
        case,
        model: Models::new(case, Arc::clone(&world)),
        open: case.open(),
        wall: Arc::new(Wall(AtomicU64::new(50 * YEAR))),
        world,
        disk,
        caller,
        audience,
        played: Played::default(),
        closed: false,
        times: Vec::new(),
        troubled: false,
        restart: false,
        turns: Vec::new(),
        void: Vec::new(),
    };
    let mut life = stage.live(0);
    let mut to = Target::New;
    if case.of(Dim::Context) >= 2 {
        stage.model.will_say("before", [model::reads_others()]);
        if let Some(conversation) = life.runtime.block_on(stage.before(&life.assistant)) {
            to = Target::Conversation(conversation);
        }
        if case.of(Dim::Context) == 3 {
            life = stage.dies(life);
        }
    }
    if let Fault::Disk(trouble) = case.fault() {
        stage.disk.arm(trouble);
    }
    stage.restart = life.runtime.block_on(stage.attack(&life.assistant, life.boot, to));
    life = stage.perhaps_dies(life);
    for _ in 0..case.again() {
        stage.restart |= case.restarts_between();
        life = stage.perhaps_dies(life);
        stage.restart = life.runtime.block_on(stage.again(&life.assistant, life.boot));
        life = stage.perhaps_dies(life);
    }
    drop(life);
    stage.done()
}

impl Stage {
    fn live(&self, boot: u32) -> Life {
        let runtime = runtime();
        let store: Arc<dyn Store> = Arc::clone(&self.disk) as _;
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let entered = runtime.enter();
        let mut limits = Limits::default();
        limits.leaving = self.case.leaving().unwrap_or(limits.leaving);
        let assistant = Assistant::builder(self.model.listed(), toolbox(&self.world), grants)
            .with_store(store)
            .with_audit_key(key())
            .with_sink(Arc::new(PollPending))
            .with_clock(Arc::clone(&self.wall) as _)
            .with_when_local_is_down(self.case.when())
            .with_limits(limits)
            .open()
            .expect("the store opens again");
        drop(entered);
        Life { runtime, assistant, boot }
    }

    /// The process ends and the node is started again.
    fn dies(&mut self, life: Life) -> Life {
        let boot = life.boot + 1;
        drop(life);
        self.disk.revive();
        self.world.boot.store(u64::from(boot), SeqCst);
        self.live(boot)
    }

    /// If the process has died, or is to: the next life, in which everybody tries what they saw in the last one.
    fn perhaps_dies(&mut self, life: Life) -> Life {
        if !std::mem::take(&mut self.restart) && !self.disk.is_dead() {
            return life;
        }
        let life = self.dies(life);
        life.runtime.block_on(self.afterwards(&life.assistant, life.boot));
        life
    }

    /// A turn before the attack, in which text of others is read.
    async fn before(&mut self, assistant: &Assistant) -> Option<ConversationId> {
        let began = assistant.chat(&self.caller, Target::New, "before").await.ok()?;
        while assistant.stats().turns > 0 {
            sleep(Duration::from_millis(150)).await;
        }
        Some(began.conversation)
    }

    /// The attack. `true` when the node is to be restarted in the middle of it.
    async fn attack(&mut self, assistant: &Assistant, boot: u32, to: Target) -> bool {
        let (replies, forever) = model::attack(self.case);
        if forever {
            self.model.will_never_stop(replies[0].clone());
        }
        if self.case.of(Dim::Context) == 1 {
            self.model.will_say("please", [model::reads_others()]);
        }
        self.model.will_say("please", replies.clone());
        if self.case.is_chain() && self.case.fault() == Fault::ReadIsClosed {
            let closed = assistant.close_category(&Caller::owner(), Category::Files).await;
            self.open = if closed.is_ok() { self.open.without(Category::Files) } else { self.open };
        }
        let caller = self.caller.clone();
        let please = assistant.chat(&caller, to, "please");
        let began = if let Some(how) = self.case.elsewhere() {
            self.model.will_say("another", model::elsewhere(self.case, how));
            // At the same moment, so that both want the same place.
            let (please, another) = tokio::join!(please, assistant.chat(&caller, Target::New, "another"));
            let said = "another".to_owned();
            self.turns.extend(another.map(|began| Turn { talk: Talk::Elsewhere, began, said }));
            please
        } else {
            please.await
        };
        let Ok(began) = began else { return false };
        self.turns.push(Turn { talk: Talk::Main, began, said: "please".to_owned() });
        self.go_on(assistant, boot).await
    }

    /// The same again: a person who said no is asked once more at most. `true` when the node is to be restarted.
    async fn again(&mut self, assistant: &Assistant, boot: u32) -> bool {
        let main = self.turns.iter().find(|turn| turn.talk == Talk::Main);
        let Some(conversation) = main.map(|turn| turn.began.conversation) else { return false };
        let said = format!("please {}", self.turns.len());
        self.model.will_say(&said, model::attack(self.case).0);
        let began = assistant.chat(&self.caller, Target::Conversation(conversation), &said).await;
        let Ok(began) = began else { return false };
        self.turns.push(Turn { talk: Talk::Main, began, said });
        self.go_on(assistant, boot).await
    }

    /// Lets the turns run, and answers what is asked, until all have ended.
    async fn go_on(&mut self, assistant: &Assistant, boot: u32) -> bool {
        // Where one backend after the other is tried, a question may come later; who asked and was not asked is looked at
        // before it has gone.
        let (looks, pause) = if self.case.is_chain() { (200, 20) } else { (40, 125) };
        for _ in 0..looks {
            sleep(Duration::from_millis(150)).await;
            if self.disk.is_dead() {
                return false;
            }
            let fresh = self.look(assistant, boot);
            if let Some(question) = fresh.first() {
                if !std::mem::replace(&mut self.troubled, true) && self.trouble(assistant, question).await {
                    return true;
                }
                self.look(assistant, boot);
                self.answer(assistant, boot, &fresh).await;
            } else if assistant.stats().turns == 0 {
                return false;
            } else {
                sleep(Duration::from_secs(pause)).await;
            }
        }
        self.played.leaks.push("a turn does not end".to_owned());
        false
    }

    /// Everybody looks at what waits; what is new to whoever may decide it.
    fn look(&mut self, assistant: &Assistant, boot: u32) -> Vec<Confirmation> {
        let mut fresh = Vec::new();
        self.see_who_waits(assistant);
        let waiting = assistant.pending(&self.audience);
        for question in &waiting {
            let is_new = !self.times.iter().any(|(id, ..)| *id == question.id);
            if is_new {
                self.times.push((question.id, Instant::now(), None));
                fresh.push(question.clone());
            }
            if is_new || self.closed {
                let whose = self.turns.iter().find(|turn| turn.began.turn == question.turn);
                let talk = whose.map_or(Talk::Main, |turn| turn.talk);
                let said = whose.map(|turn| turn.said.clone());
                self.played.questions.push(Seen {
                    audience: if *self.audience.principal() == Principal::owner() {
                        "owner"
                    } else {
                        "guest"
                    },
                    question: question.clone(),
                    boot,
                    version: self.world.version.load(SeqCst),
                    talk,
                    read: self.world.read_in(talk),
                    surely_read: self.surely_read_in(talk),
                    answers: self.played.attempts.len(),
                    waiting: waiting.len(),
                    closed: self.closed,
                    open: self.open,
                    touched: self.world.touched_in(talk),
                    failed: said.as_ref().and_then(|said| self.model.failed_last(said)),
                    said,
                });
            }
        }
        self.played.seen_by_others +=
            self.others().iter().map(|other| assistant.pending(other).len()).sum::<usize>();
        fresh
    }

    /// What each turn says by itself that it waits for.
    fn see_who_waits(&mut self, assistant: &Assistant) {
        for Turn { talk, began, .. } in &self.turns {
            let Ok(mut events) = assistant.events(&self.caller, began.turn, None) else { continue };
            let mut context = Context::from_waker(Waker::noop());
            while let Poll::Ready(Some(told)) = Pin::new(&mut events).poll_next(&mut context) {
                let Event::ConfirmationRequired { id, .. } = told.event else { continue };
                if !self.played.waits.iter().any(|known| known.id == id && known.turn == began.turn) {
                    let (turn, read) = (began.turn, self.surely_read_in(*talk));
                    self.played.waits.push(Waits { id, turn, read });
                }
            }
        }
    }

    fn surely_read_in(&self, talk: Talk) -> Vec<String> {
        if self.disk.has_lost() { self.world.surely_read_in(talk) } else { self.world.read_in(talk) }
    }

    /// Everybody who may not decide what the case's caller proposes.
    fn others(&self) -> [Caller; 3] {
        let role = || Lowerable(Arc::clone(&self.world));
        let whose = self.audience.principal().clone();
        let other = if whose == Principal::owner() { named("guest") } else { named("owner") };
        [
            Caller::relayed(whose.clone(), Scope::EVERYTHING, Door::Frame, whose.clone(), role()),
            Caller::chrome(other, Scope::EVERYTHING, role()),
            Caller::relayed(named("radio:7f3a"), Scope::EVERYTHING, Door::Radio, whose, role()),
        ]
    }

    /// What goes wrong while a question waits. `true` for a restart.
    async fn trouble(&mut self, assistant: &Assistant, _: &Confirmation) -> bool {
        let owner = Caller::owner();
        match self.case.fault() {
            Fault::TargetSwapped => {
                self.world.version.fetch_add(1, SeqCst);
            }
            Fault::YearAhead => {
                self.wall.0.fetch_add(YEAR, SeqCst);
            }
            Fault::YearBack => {
                self.wall.0.fetch_sub(YEAR, SeqCst);
            }
            Fault::Closed => self.close(assistant).await,
            Fault::ClosedAndOpened => {
                self.close(assistant).await;
                let category = self.case.tool().category;
                // What was never open is not opened now: that is another case's.
                let was_open = self.case.open().has(category);
                if was_open && assistant.open_category(&owner, category).await.is_ok() {
                    self.disk.note_opened(Categories::only(category));
                    self.closed = false;
                    self.open = self.open.with(category);
                    self.world.closed_by_hand.store(false, SeqCst);
                }
            }
            Fault::RoleLowered => {
                self.world.lowered.store(true, SeqCst);
                self.disk.note_closed(Categories::ALL);
            }
            Fault::Restarted => return true,
            Fault::None | Fault::Disk(_) | Fault::ReadIsClosed => {}
        }
        false
    }

    async fn close(&mut self, assistant: &Assistant) {
        if assistant.close_category(&Caller::owner(), self.case.tool().category).await.is_ok() {
            let category = self.case.tool().category;
            self.disk.note_closed(Categories::only(category));
            self.closed = true;
            self.open = self.open.without(category);
            // A question about sending goes by what it said would go along.
            let goes_on = |seen: &Seen| {
                let goes = "  Data of the node that may go along: ";
                let goes = seen.question.text.as_str().lines().find_map(|line| line.strip_prefix(goes));
                goes.is_some_and(|goes| !goes.split(' ').any(|name| name == category.name()))
            };
            let seen = &self.played.questions;
            let stays = |id| seen.iter().any(|seen| seen.question.id == id && goes_on(seen));
            self.void.extend(self.times.iter().map(|(id, ..)| *id).filter(|id| !stays(*id)));
            // What was on its way when it was closed has gone.
            sleep(Duration::from_millis(10)).await;
            self.world.closed_by_hand.store(true, SeqCst);
        }
    }

    fn done(mut self) -> Played {
        self.played.effects =
            std::mem::take(&mut *self.world.effects.lock().unwrap_or_else(PoisonError::into_inner));
        self.played.emitted = self.model.emitted();
        self.played.offered = self.model.offered();
        self.played.leaks.extend(self.model.leaks());
        self.played.left = self.model.left();
        let shown =
            self.played.questions.iter().flat_map(|seen| canary::on_a_screen(seen.question.text.as_str()));
        self.played.leaks.extend(shown);
        let audit = Scan {
            table: Table::Audit,
            prefix: Vec::new(),
            beyond: None,
            order: archy_assistant::Order::Up,
            limit: usize::MAX,
        };
        for (_, line) in self.disk.scan(&audit).unwrap_or_default() {
            let line = String::from_utf8_lossy(&line);
            self.played.receipts += usize::from(line.contains(r#""crossed":{"#));
            self.played.leaks.extend(canary::in_audit(&line));
        }
        self.played
    }
}

/// Whether the case leaves everything alone, so that it must do what was asked; through a remote model, once a person has
/// agreed, where the one at home is down.
pub fn is_harmless(case: Case) -> bool {
    let told = [Dim::Tool, Dim::Extra, Dim::Chain];
    case.leaving().is_none()
        && (0..DIMS.len())
            .filter(|dim| !told.iter().any(|free| *free as usize == *dim))
            .all(|dim| case.0[dim] == 0)
}
