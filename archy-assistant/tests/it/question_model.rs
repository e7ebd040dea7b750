//! The whole way of a question through the public API, against a model of it that is written apart and shares no code:
//! proposals, answers from right and wrong seats, the clock, grants, roles, restarts, in any order.

mod reference;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use archy_assistant::*;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::home::*;
use reference::{Answered, Reference, Who};

/// What happens next. Numbers choose among what there is, newest first.
#[derive(Debug, Clone)]
enum Act {
    Propose {
        who: Who,
        app: u8,
        to: Option<usize>,
    },
    Show {
        question: usize,
        wrong: bool,
    },
    Answer {
        question: usize,
        decision: Decision,
        seat: u8,
        wrong: bool,
    },
    /// Shown, looked at for long enough, confirmed.
    Agree(usize),
    Tick(u32),
    Open,
    Close,
    Role {
        lowered: bool,
        told: bool,
    },
    SwapTarget,
    Restart,
    Cancel(usize),
}

fn acts() -> impl Strategy<Value = Act> {
    let decision = prop_oneof![3 => Just(Decision::Confirm), 1 => Just(Decision::Deny)];
    let who = prop_oneof![3 => Just(Who::Owner), 1 => Just(Who::Radio)];
    prop_oneof![
        6 => (who, 0..3_u8, proptest::option::of(0..4_usize))
            .prop_map(|(who, app, to)| Act::Propose { who, app, to }),
        8 => (0..3_usize, prop::bool::weighted(0.1)).prop_map(|(question, wrong)| Act::Show { question, wrong }),
        10 => (0..3_usize, decision, 0..16_u8, prop::bool::weighted(0.1))
            .prop_map(|(question, decision, seat, wrong)| Act::Answer { question, decision, seat, wrong }),
        6 => prop_oneof![1 => Just(690), 4 => Just(700), 1 => Just(20_000), 1 => Just(119_000)].prop_map(Act::Tick),
        4 => (0..3_usize).prop_map(Act::Agree),
        1 => Just(Act::Open),
        1 => Just(Act::Close),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(lowered, told)| Act::Role { lowered, told }),
        1 => Just(Act::SwapTarget),
        1 => Just(Act::Restart),
        1 => (0..3_usize).prop_map(Act::Cancel),
    ]
}

/// A model that wants what it is told: the app of that name restarted.
struct Obedient;

impl Backend for Obedient {
    fn facts(&self) -> BackendFacts {
        Scripted::new([]).facts()
    }
    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let last = request.messages.last().map(|message| &message.content);
        let script = match last {
            Some(Content::Said(app)) if request.calls == Calls::Allowed => {
                Scripted::calls([("app_restart", &format!(r#"{{"app":"{app}"}}"#))])
            }
            _ => Scripted::says("Ok."),
        };
        Scripted::new([script]).reply(request)
    }
}

/// The assistant, and what was learnt of it.
struct Tested {
    node: Arc<Node>,
    store: Arc<dyn Store>,
    assistant: Assistant,
    role: LiveRole,
    conversations: Vec<ConversationId>,
    turns: Vec<TurnId>,
    questions: Vec<(ConfirmationId, Digest)>,
}

fn open(node: &Arc<Node>, store: &Arc<dyn Store>) -> Assistant {
    let grants = Arc::new(StoredGrants::new(Arc::clone(store)));
    let builder = Assistant::builder([Arc::new(Obedient) as Arc<dyn Backend>], toolbox(node), grants);
    let builder = builder.with_audit_key(Secret::new(b"the host's key".to_vec()));
    // How often is not what this is about.
    let mut limits = Limits::default();
    (limits.said_per_minute, limits.relayed_per_minute, limits.proposals) = (u32::MAX, u32::MAX, usize::MAX);
    let builder = builder.with_limits(limits);
    builder.with_store(Arc::clone(store)).with_sink(Arc::new(PollPending)).open().expect("opens")
}

impl Tested {
    fn caller(&self, who: Who) -> Caller {
        match who {
            Who::Owner => Caller::chrome(Principal::owner(), Scope::EVERYTHING, self.role.clone()),
            Who::Radio => radio(),
        }
    }

    async fn step(&mut self, act: &Act, model: &mut Reference) {
        let Act::Agree(question) = *act else { return self.one(act, model).await };
        let (decision, seat, wrong) = (Decision::Confirm, 0, false);
        let steps =
            [Act::Show { question, wrong }, Act::Tick(700), Act::Answer { question, decision, seat, wrong }];
        for step in &steps {
            self.one(step, model).await;
        }
    }

    async fn one(&mut self, act: &Act, model: &mut Reference) {
        match *act {
            Act::Propose { who, app, to } => {
                let to = to.and_then(|to| model.conversation_of(who, to));
                let target = to.map_or(Target::New, |to| Target::Conversation(self.conversations[to]));
                let app = format!("app{app}");
                let began = self.assistant.chat(&self.caller(who), target, &app).await;
                quiet(model).await;
                match (began, model.propose(who, &app, to)) {
                    (Ok(began), Some(conversation)) => {
                        self.turns.push(began.turn);
                        if conversation == self.conversations.len() {
                            self.conversations.push(began.conversation);
                        }
                        assert_eq!(self.conversations[conversation], began.conversation);
                    }
                    (Err(Refused::TooMany), None) => {}
                    (began, expected) => panic!("{began:?}, but {expected:?} was expected"),
                }
                for question in self.assistant.pending(&Caller::owner()) {
                    if self.questions.iter().all(|(id, _)| *id != question.id) {
                        self.questions.push((question.id, question.digest));
                    }
                }
            }
            Act::Show { question, wrong } if !self.questions.is_empty() => {
                let question = newest(question, self.questions.len());
                let (id, digest) = self.asked(question, wrong);
                let shown = self.assistant.shown(&Caller::owner(), id, &digest);
                assert_eq!(shown.is_ok(), !wrong && model.show(question));
            }
            Act::Answer { question, decision, seat, wrong } if !self.questions.is_empty() => {
                let question = newest(question, self.questions.len());
                let (id, digest) = self.asked(question, wrong);
                let caller = seat_of(seat);
                let answer = self.assistant.confirm(&caller, id, &digest, decision).await;
                let right = caller.is_chrome() && *caller.principal() == Principal::owner() && !wrong;
                let expected = if right { model.answer(question, decision) } else { Answered::Unknown };
                match (answer, expected) {
                    (Ok(resolution), Answered::Ended(outcome)) => assert_eq!(resolution.outcome, outcome),
                    (Err(ConfirmRefused::TooSoon), Answered::TooSoon)
                    | (Err(ConfirmRefused::Unknown), Answered::Unknown) => {}
                    (answer, expected) => panic!("{answer:?}, but {expected:?} was expected"),
                }
                quiet(model).await;
            }
            Act::Tick(millis) => {
                tokio::time::sleep(Duration::from_millis(millis.into())).await;
                model.tick(millis.into());
                quiet(model).await;
            }
            Act::Open => {
                self.assistant.open_category(&Caller::owner(), Category::Apps).await.expect("opens");
                model.open();
                quiet(model).await;
            }
            Act::Close => {
                self.assistant.close_category(&Caller::owner(), Category::Apps).await.expect("closes");
                model.close();
                quiet(model).await;
            }
            Act::Role { lowered, told } => {
                if lowered {
                    self.role.lower();
                } else {
                    self.role.raise();
                }
                model.lowered = lowered;
                if told {
                    self.assistant.roles_changed().await.expect("is looked at");
                    model.roles_changed();
                    quiet(model).await;
                }
            }
            Act::SwapTarget => {
                self.node.pid.fetch_add(1, Ordering::SeqCst);
                model.target += 1;
            }
            Act::Restart => {
                self.assistant = open(&self.node, &self.store);
                model.restart();
            }
            Act::Cancel(turn) if !self.turns.is_empty() => {
                let turn = newest(turn, self.turns.len());
                let cancelled = self.assistant.cancel(&Caller::owner(), self.turns[turn]).await;
                assert_eq!(cancelled.is_ok(), model.cancel(turn));
                quiet(model).await;
            }
            Act::Show { .. } | Act::Answer { .. } | Act::Agree(_) | Act::Cancel(_) => {}
        }
    }

    fn asked(&self, question: usize, wrong: bool) -> (ConfirmationId, Digest) {
        let (id, digest) = self.questions[question];
        let other = "0".repeat(64).parse().expect("is a digest");
        (id, if wrong { other } else { digest })
    }

    /// What must hold after every step.
    fn holds(&self, model: &Reference) {
        let waiting: Vec<_> = self.assistant.pending(&Caller::owner()).iter().map(|waits| waits.id).collect();
        let expected: Vec<_> = model.waiting().map(|question| self.questions[question].0).collect();
        assert_eq!(waiting, expected);
        assert!(waiting.len() <= 3);
        assert_eq!(self.node.restarts.load(Ordering::SeqCst), model.effects);
        for seat in 1..4 {
            assert_eq!(self.assistant.pending(&seat_of(seat)), [], "only the owner's chrome sees them");
        }
        assert_eq!(self.assistant.stats().turns, model.running());
        for (turn, expected) in model.ended() {
            let mut last = None;
            let mut events = self.assistant.events(&Caller::owner(), self.turns[turn], None).expect("known");
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            while let std::task::Poll::Ready(Some(numbered)) =
                futures_core::Stream::poll_next(std::pin::Pin::new(&mut events), &mut context)
            {
                last = Some(numbered.event);
                // A relayed caller's stream ends with its waiting; the rest is there all the same.
            }
            if let Some(Event::Finished(ended)) = last.filter(|_| model.sees_all(turn)) {
                let outcomes: Vec<_> = ended.receipts.iter().map(|receipt| receipt.outcome).collect();
                assert_eq!(outcomes, expected);
            }
        }
    }
}

fn newest(number: usize, of: usize) -> usize {
    of - 1 - number % of
}

fn seat_of(seat: u8) -> Caller {
    let guest = Principal::new("guest").expect("is fine");
    match seat {
        1 => Caller::chrome(guest, Scope::EVERYTHING, OwnerRole),
        2 => {
            Caller::relayed(Principal::owner(), Scope::EVERYTHING, Door::Frame, Principal::owner(), OwnerRole)
        }
        3 => radio(),
        _ => Caller::owner(),
    }
}

/// Until nothing moves: the paused clock goes on only when every task and every commit is through.
async fn quiet(model: &mut Reference) {
    tokio::time::sleep(Duration::from_millis(1)).await;
    model.tick(1);
}

/// One life of the node: what runs in it dies with it.
fn life() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("starts")
}

/// How many effects there were.
fn run(all: &[Act]) -> u32 {
    let mut runtime = life();
    let (node, store): (Arc<Node>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let assistant = runtime.block_on(async {
        let assistant = open(&node, &store);
        assistant.open_category(&Caller::owner(), Category::Apps).await.expect("opens");
        assistant
    });
    let (conversations, turns, questions) = (Vec::new(), Vec::new(), Vec::new());
    let mut tested =
        Tested { node, store, assistant, role: LiveRole::default(), conversations, turns, questions };
    let mut model = Reference::new();
    for act in all {
        if matches!(act, Act::Restart) {
            runtime = life();
        }
        runtime.block_on(tested.step(act, &mut model));
        tested.holds(&model);
    }
    audited(&*tested.store, model.effects);
    model.effects
}

/// Every effect has its claim before it, every claim one end after it, and no question two.
fn audited(store: &dyn Store, effects: u32) {
    let scan =
        Scan { table: Table::Audit, prefix: vec![], beyond: None, order: Order::Up, limit: usize::MAX };
    let mut stands = std::collections::HashMap::new();
    let mut done = 0;
    for (place, (_, row)) in store.scan(&scan).expect("is read").into_iter().enumerate() {
        let line: Line = serde_json::from_slice(&row[32..]).expect("is a line");
        assert_eq!(line.seq, place as u64 + 1);
        let Some(id) = line.confirmation else { continue };
        let before = stands.insert(id, line.fact.clone());
        match line.fact {
            Fact::Asked => assert_eq!(before, None),
            Fact::Executing => assert_eq!(before, Some(Fact::Asked)),
            Fact::Settled(Settled::Done) => {
                assert_eq!(before, Some(Fact::Executing));
                done += 1;
            }
            Fact::Settled(_) => assert!(matches!(before, Some(Fact::Asked | Fact::Executing)), "{before:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(done, effects);
}

/// `ARCHY_FULL=1` tries twenty-five times as many.
#[expect(clippy::disallowed_methods, reason = "how much is tested is the caller's choice")]
fn cases() -> u32 {
    if std::env::var_os("ARCHY_FULL").is_some() { 5_000 } else { 200 }
}

#[test]
fn the_assistant_and_the_model_of_it_agree_whatever_happens() {
    let config = ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    let (steps, effects) = (AtomicU32::new(0), AtomicU32::new(0));
    let outcome = TestRunner::new(config).run(&prop::collection::vec(acts(), 1..60), |acts| {
        effects.fetch_add(run(&acts), Ordering::SeqCst);
        steps.fetch_add(u32::try_from(acts.len()).expect("is small"), Ordering::SeqCst);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    let (steps, effects) = (steps.into_inner(), effects.into_inner());
    println!("{} cases, {steps} steps, {effects} effects", cases());
    assert!(effects > cases() / 4, "too few of them went all the way");
}
