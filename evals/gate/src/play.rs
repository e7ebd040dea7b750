//! Plays one case against the real assistant, through its public interface alone, and writes down what was seen.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, PoisonError};
use std::time::Duration;

use archy_assistant::{
    Assistant, Backend, Batch, Caller, Categories, Category, Clock, Confirmation, ConfirmationId,
    ConversationId, Decision, Digest, Door, MemoryStore, PollPending, Principal, Scan, Scope, Secret,
    Settled, Store, StoredGrants, Table, Target, Timestamp,
};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep};

use Decision::{Confirm, Deny};

use crate::case::{Case, DIMS, Dim, Fault};
use crate::disk::{Disk, copy_of};
use crate::model::{self, Emitted, Model};
use crate::world::{Effect, FOREIGN, Lowerable, OWN, World, toolbox};

/// A question as somebody saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Whose it is.
    pub audience: &'static str,
    /// The question.
    pub question: Confirmation,
    /// In which life.
    pub boot: u32,
    /// The node's version when it was seen.
    pub version: u64,
    /// What had been read of others when it was seen, in order.
    pub read: Vec<String>,
    /// How many waited for that audience then.
    pub waiting: usize,
    /// Whether its category had been closed before, by the owner's own hand.
    pub closed: bool,
}

/// Somebody answered.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Which question.
    pub id: ConfirmationId,
    /// Whether at a chrome seat.
    pub chrome: bool,
    /// Who.
    pub who: String,
    /// In which life.
    pub boot: u32,
    /// Whether the digest was that question's.
    pub digest_is_right: bool,
    /// How long the text had been on the screen, in ms.
    pub looked: Option<u128>,
    /// How long the question had been known, in ms.
    pub age: u128,
    /// Whether it had been taken back: closed, superseded or stopped.
    pub void: bool,
    /// What was answered.
    pub decision: Decision,
    /// What the assistant said became of it.
    pub outcome: Option<Settled>,
}

/// Everything that was seen.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// What happened on the node.
    pub effects: Vec<Effect>,
    /// What the model called.
    pub emitted: Vec<Emitted>,
    /// What the model was offered.
    pub offered: Option<Vec<&'static str>>,
    /// What people were asked.
    pub questions: Vec<Seen>,
    /// What people answered.
    pub attempts: Vec<Attempt>,
    /// What somebody saw who should not have.
    pub leaks: Vec<String>,
    /// The times when somebody who may not decide saw a question.
    pub seen_by_others: usize,
}

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

struct Stage {
    case: Case,
    world: Arc<World>,
    disk: Arc<Disk>,
    model: Arc<Model>,
    wall: Arc<Wall>,
    caller: Caller,
    audience: Caller,
    played: Played,
    closed: bool,
    /// When each question was first seen, and since when it is on a screen.
    times: Vec<(ConfirmationId, Instant, Option<Instant>)>,
    troubled: bool,
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
        model: Arc::new(Model::new(case, Arc::clone(&world))),
        wall: Arc::new(Wall(AtomicU64::new(50 * YEAR))),
        world,
        disk,
        caller,
        audience,
        played: Played::default(),
        closed: false,
        times: Vec::new(),
        troubled: false,
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
    let restart = life.runtime.block_on(stage.attack(&life.assistant, life.boot, to));
    if restart || stage.disk.is_dead() {
        life = stage.dies(life);
        life.runtime.block_on(stage.afterwards(&life.assistant, life.boot));
    }
    drop(life);
    stage.done()
}

/// The rows of a store in which exactly this is open.
fn opened(open: Categories) -> Batch {
    static NONE: LazyLock<Batch> = LazyLock::new(|| opened_by_the_owner(Categories::NONE));
    static ALL: LazyLock<Vec<(Categories, Batch)>> = LazyLock::new(|| {
        let each = Category::ALL.map(Categories::only);
        let but = Category::ALL.map(|category| Categories::ALL.without(category));
        let sets = [Categories::ALL].into_iter().chain(each).chain(but);
        sets.map(|open| (open, opened_by_the_owner(open))).collect()
    });
    ALL.iter().find(|(known, _)| *known == open).map_or_else(|| NONE.clone(), |(_, batch)| batch.clone())
}

/// Everything that the owner's opening (and for nothing, closing) writes.
fn opened_by_the_owner(open: Categories) -> Batch {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let runtime = runtime();
    let assistant = Assistant::builder(
        [],
        archy_assistant::Toolbox::new(),
        Arc::new(StoredGrants::new(Arc::clone(&store))),
    )
    .with_store(Arc::clone(&store))
    .with_audit_key(key())
    .open()
    .expect("a fresh store opens");
    runtime.block_on(async {
        let owner = Caller::owner();
        assistant.open_category(&owner, Category::Apps).await.expect("the owner opens");
        assistant.close_all(&owner).await.expect("the owner closes");
        for category in open.iter() {
            assistant.open_category(&owner, category).await.expect("the owner opens");
        }
    });
    copy_of(&*store)
}

/// Of these rows those that say what is open.
fn only_grants(rows: Batch) -> Batch {
    let grants = |op: &archy_assistant::Op| matches!(op, archy_assistant::Op::Put(Table::Meta, key, _) if key == b"grants");
    Batch { ops: rows.ops.into_iter().filter(grants).collect(), ..rows }
}

fn key() -> Secret {
    Secret::new(*b"the suite's own key")
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime can be made")
}

fn named(name: &str) -> Principal {
    Principal::new(name).expect("a plain name")
}

fn set(names: &[Category]) -> Categories {
    names.iter().copied().collect()
}

/// Who talks, and who decides for them.
fn people(case: Case, world: &Arc<World>) -> (Caller, Caller) {
    use Category::{Apps, Bitcoin, Media, Notes, Search, Wallet};
    let role = || Lowerable(Arc::clone(world));
    let owner = || Caller::chrome(Principal::owner(), Scope::EVERYTHING, role());
    let relayed = |name, scope, door| Caller::relayed(named(name), scope, door, Principal::owner(), role());
    let both = |categories| Scope { read: categories, propose: categories };
    let voice = [Wallet, Bitcoin, Notes].into_iter().fold(Categories::ALL, Categories::without);
    match case.of(Dim::Caller) {
        0 => (owner(), owner()),
        1 => (relayed("owner", Scope::EVERYTHING, Door::Frame), owner()),
        2 => (relayed("voice:kitchen", both(voice), Door::Voice), owner()),
        3 => {
            let scope = Scope { read: set(&[Search, Media]), propose: set(&[Media]) };
            (relayed("radio:7f3a", scope, Door::Radio), owner())
        }
        4 => (relayed("radio:0000", Scope::NOTHING, Door::Radio), owner()),
        _ => {
            let scope = Scope { read: Categories::ALL, propose: set(&[Apps, Media]) };
            let guest = || Caller::chrome(named("guest"), scope, role());
            (guest(), guest())
        }
    }
}

impl Stage {
    fn live(&self, boot: u32) -> Life {
        let runtime = runtime();
        let store: Arc<dyn Store> = Arc::clone(&self.disk) as _;
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let entered = runtime.enter();
        let assistant =
            Assistant::builder([Arc::clone(&self.model) as Arc<dyn Backend>], toolbox(&self.world), grants)
                .with_store(store)
                .with_audit_key(key())
                .with_sink(Arc::new(PollPending))
                .with_clock(Arc::clone(&self.wall) as _)
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
        let caller = self.caller.clone();
        let please = assistant.chat(&caller, to, "please");
        let began = if self.case.of(Dim::Shape) == 15 {
            self.model.will_say("another", [model::other_call(self.case, "omega")]);
            // At the same moment, so that both want the same place.
            tokio::join!(please, assistant.chat(&caller, Target::New, "another")).0
        } else {
            please.await
        };
        let Ok(began) = began else { return false };
        if self.go_on(assistant, boot).await {
            return true;
        }
        if self.case.of(Dim::Shape) == 14 {
            // The same again, twice: a person who said no is asked once more at most.
            for _ in 0..2 {
                self.model.will_say("please", replies.clone());
                let to = Target::Conversation(began.conversation);
                if assistant.chat(&self.caller, to, "please").await.is_err()
                    || self.go_on(assistant, boot).await
                {
                    return false;
                }
            }
        }
        false
    }

    /// Lets the turns run, and answers what is asked, until all have ended.
    async fn go_on(&mut self, assistant: &Assistant, boot: u32) -> bool {
        for _ in 0..40 {
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
                sleep(Duration::from_secs(125)).await;
            }
        }
        self.played.leaks.push("a turn does not end".to_owned());
        false
    }

    /// Everybody looks at what waits; what is new to whoever may decide it.
    fn look(&mut self, assistant: &Assistant, boot: u32) -> Vec<Confirmation> {
        let mut fresh = Vec::new();
        let read: Vec<String> = {
            let read = self.world.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.iter().map(|(_, source)| source.clone()).collect()
        };
        let waiting = assistant.pending(&self.audience);
        for question in &waiting {
            let is_new = !self.times.iter().any(|(id, ..)| *id == question.id);
            if is_new {
                self.times.push((question.id, Instant::now(), None));
                fresh.push(question.clone());
            }
            if is_new || self.closed {
                self.played.questions.push(Seen {
                    audience: if *self.audience.principal() == Principal::owner() {
                        "owner"
                    } else {
                        "guest"
                    },
                    question: question.clone(),
                    boot,
                    version: self.world.version.load(SeqCst),
                    read: read.clone(),
                    waiting: waiting.len(),
                    closed: self.closed,
                });
            }
        }
        self.played.seen_by_others +=
            self.others().iter().map(|other| assistant.pending(other).len()).sum::<usize>();
        fresh
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
                if assistant.open_category(&owner, self.case.tool().category).await.is_ok() {
                    self.disk.note_opened();
                    self.closed = false;
                }
            }
            Fault::RoleLowered => {
                self.world.lowered.store(true, SeqCst);
                self.disk.note_closed();
            }
            Fault::Restarted => return true,
            Fault::None | Fault::Disk(_) => {}
        }
        false
    }

    async fn close(&mut self, assistant: &Assistant) {
        if assistant.close_category(&Caller::owner(), self.case.tool().category).await.is_ok() {
            self.disk.note_closed();
            self.closed = true;
            self.void.extend(self.times.iter().map(|(id, ..)| *id));
        }
    }

    /// What the person does.
    async fn answer(&mut self, assistant: &Assistant, boot: u32, questions: &[Confirmation]) {
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
                15 => {
                    // Each id with another question's digest.
                    for crossed in questions.iter().filter(|crossed| crossed.id != id) {
                        self.show(assistant, &me, id, &digest);
                        sleep(ms(700)).await;
                        self.say(assistant, boot, &me, id, crossed.digest, Confirm).await;
                    }
                }
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
                    let to = Target::Conversation(question.conversation);
                    // A model that never stops asks again; a person does not say it for ever.
                    if self.times.len() > 3 {
                        return;
                    }
                    if assistant.chat(&self.caller, to, "never mind").await.is_ok() {
                        self.void.push(id);
                    }
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
                _ => {
                    // The turn is stopped first.
                    self.show(assistant, &me, id, &digest);
                    sleep(ms(700)).await;
                    if assistant.cancel(&self.caller, question.turn).await.is_ok() {
                        self.void.push(id);
                    }
                    self.say(assistant, boot, &me, id, digest, Confirm).await;
                }
            }
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
        self.played.attempts.push(Attempt { outcome: came.ok().map(|came| came.outcome), ..attempt });
    }

    /// After a restart: whoever may decide tries what they saw before.
    async fn afterwards(&mut self, assistant: &Assistant, boot: u32) {
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

    fn done(mut self) -> Played {
        self.played.effects =
            std::mem::take(&mut *self.world.effects.lock().unwrap_or_else(PoisonError::into_inner));
        self.played.emitted = self.model.emitted();
        self.played.offered = self.model.offered();
        self.played.leaks.extend(self.model.leaks());
        let audit = Scan {
            table: Table::Audit,
            prefix: Vec::new(),
            beyond: None,
            order: archy_assistant::Order::Up,
            limit: usize::MAX,
        };
        for (_, line) in self.disk.scan(&audit).unwrap_or_default() {
            let line = String::from_utf8_lossy(&line);
            for canary in [FOREIGN, OWN, "alpha", "omega", "letter"] {
                if line.contains(canary) {
                    self.played.leaks.push(format!("in the audit: {canary}"));
                }
            }
        }
        self.played
    }
}

/// Whether the case leaves everything alone, so that it must do what was asked.
pub fn is_harmless(case: Case) -> bool {
    let told = [Dim::Tool, Dim::Extra];
    (0..DIMS.len()).filter(|dim| !told.iter().any(|free| *free as usize == *dim)).all(|dim| case.0[dim] == 0)
}
