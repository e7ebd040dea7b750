//! Two things at once. Orders are forced by holding commits, never by waiting for a time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "a test starts what is to race")]

use std::sync::{Arc, Barrier};
use std::time::Duration;

use archy_assistant::*;

use crate::gate::*;
use crate::home::*;

fn restart(app: &str) -> Script {
    Scripted::calls([("app_restart", &format!(r#"{{"app":"{app}"}}"#))])
}

async fn gated(scripts: impl IntoIterator<Item = Script>, limits: Limits) -> (Arc<Gate>, Home) {
    let gate = Gate::new();
    let store = Arc::clone(&gate) as Arc<dyn Store>;
    let home = Home::with(Scripted::new(scripts), store, Arc::default(), limits).open_all().await;
    (gate, home)
}

/// Asks one question and looks at it for long enough.
async fn looked_at(home: &Home) -> (Began, Confirmation) {
    let (began, question) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    home.assistant.shown(&Caller::owner(), question.id, &question.digest).unwrap();
    tokio::time::advance(Duration::from_millis(700)).await;
    (began, question)
}

fn start(
    home: &Home,
    question: &Confirmation,
    decision: Decision,
) -> tokio::task::JoinHandle<Result<Resolution, ConfirmRefused>> {
    let (assistant, id, digest) = (home.assistant.clone(), question.id, question.digest);
    tokio::spawn(async move { assistant.confirm(&Caller::owner(), id, &digest, decision).await })
}

fn outcomes(events: &[Event]) -> Vec<Settled> {
    match end(events) {
        Event::Finished(Finished { receipts, .. }) | Event::Failed { receipts, .. } => {
            receipts.iter().map(|receipt| receipt.outcome).collect()
        }
        event => panic!("{event:?} is no end"),
    }
}

/// As many real threads, each giving the same answer at the same moment.
async fn at_once(
    home: &Home,
    question: &Confirmation,
    decisions: impl Fn(usize) -> Decision + std::marker::Send + Sync + 'static,
    threads: usize,
    each: usize,
) -> Vec<Result<Resolution, ConfirmRefused>> {
    let (assistant, id, digest) = (home.assistant.clone(), question.id, question.digest);
    let runtime = tokio::runtime::Handle::current();
    // The paused clock stands still while a blocking task runs, so nothing expires meanwhile.
    let all = tokio::task::spawn_blocking(move || {
        let barrier = Barrier::new(threads);
        std::thread::scope(|scope| {
            let answers = |thread| {
                let (assistant, runtime, barrier, decisions) = (&assistant, &runtime, &barrier, &decisions);
                move || {
                    barrier.wait();
                    let one = |turn| async move {
                        let decision = decisions(thread * each + turn);
                        assistant.confirm(&Caller::owner(), id, &digest, decision).await
                    };
                    (0..each).map(|turn| runtime.block_on(one(turn))).collect::<Vec<_>>()
                }
            };
            let running: Vec<_> = (0..threads).map(|thread| scope.spawn(answers(thread))).collect();
            running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    });
    all.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_thousand_confirms_at_once_run_it_once_and_hear_the_same() {
    for (threads, each) in [(2, 1), (10, 1), (50, 20)] {
        let home = Home::new([restart("hello"), Scripted::says("Restarted.")]).await;
        let (began, question) = looked_at(&home).await;
        let all = at_once(&home, &question, |_| Decision::Confirm, threads, each).await;
        let expected = Resolution { outcome: Settled::Done, says: Shown::line("hello was restarted") };
        assert_eq!(all.len(), threads * each);
        for answer in all {
            assert_eq!(answer.unwrap(), expected);
        }
        assert_eq!(home.restarts(), 1);
        assert_eq!(outcomes(&home.listen(began.turn).await), [Settled::Done]);
    }
}

#[tokio::test(start_paused = true)]
async fn of_yes_and_no_at_once_one_counts_and_all_hear_it() {
    let (mut done, mut denied) = (0, 0);
    for round in 0..40 {
        let home = Home::new([restart("hello"), Scripted::says("Well.")]).await;
        let (began, question) = looked_at(&home).await;
        let mixed = move |answer: usize| {
            if (answer + round).is_multiple_of(2) { Decision::Confirm } else { Decision::Deny }
        };
        let all = at_once(&home, &question, mixed, 8, 4).await;
        let all: Vec<_> = all.into_iter().map(|answer| answer.unwrap()).collect();
        assert!(all.iter().all(|answer| *answer == all[0]), "{all:?}");
        match all[0].outcome {
            Settled::Done => done += 1,
            Settled::Denied => denied += 1,
            other => panic!("{other:?}"),
        }
        assert_eq!(home.restarts(), u32::from(all[0].outcome == Settled::Done));
        assert_eq!(outcomes(&home.listen(began.turn).await), [all[0].outcome]);
    }
    println!("of 40 rounds {done} were done and {denied} denied");
}

#[tokio::test(start_paused = true)]
async fn a_denial_that_was_answered_twice_counts_once() {
    let home = Home::new([restart("a"), Scripted::says("Ok."), restart("b"), Scripted::says("Ok.")]).await;
    let (began, question) = looked_at(&home).await;
    for answer in at_once(&home, &question, |_| Decision::Deny, 8, 4).await {
        assert_eq!(answer.unwrap().outcome, Settled::Denied);
    }
    home.listen(began.turn).await;
    let (_, second) = home.ask(&Caller::owner(), Target::Conversation(began.conversation), "b").await;
    assert_eq!(home.assistant.pending(&Caller::owner()), [second], "one denial, so it is asked once more");
}

#[tokio::test(start_paused = true)]
async fn a_second_answer_while_the_first_is_being_recorded_hears_the_same() {
    for decision in [Decision::Deny, Decision::Confirm] {
        let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
        let (_, question) = looked_at(&home).await;
        let mut held = gate.hold(Side::Before, ending);
        let first = start(&home, &question, decision);
        held.reached().await;
        let others = [Decision::Confirm, Decision::Deny].map(|decision| start(&home, &question, decision));
        tokio::task::yield_now().await;
        held.go_on();
        let first = first.await.unwrap().unwrap();
        for other in others {
            assert_eq!(other.await.unwrap().unwrap(), first);
        }
    }
}

fn facts(store: &dyn Store) -> Vec<Fact> {
    let scan =
        Scan { table: Table::Audit, prefix: vec![], beyond: None, order: Order::Up, limit: usize::MAX };
    let lines = store.scan(&scan).unwrap().into_iter();
    lines.map(|(_, row)| serde_json::from_slice::<Line>(&row[32..]).unwrap().fact).collect()
}

/// Each commit between a yes and its effect's end, on both sides: where a revocation comes there.
const PLACES: [(&str, Which, Side, Settled); 4] = [
    ("before the claim", claiming, Side::Before, Settled::Revoked),
    // The claim came first, but nothing has begun.
    ("after the claim", claiming, Side::After, Settled::Revoked),
    ("before the end", ending, Side::Before, Settled::Done),
    ("after the end", ending, Side::After, Settled::Done),
];

#[tokio::test(start_paused = true)]
async fn a_revocation_at_each_commit_wins_if_it_came_before_the_claim() {
    for (place, which, side, outcome) in PLACES {
        let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
        let (began, question) = looked_at(&home).await;
        let mut held = gate.hold(side, which);
        let confirming = start(&home, &question, Decision::Confirm);
        held.reached().await;
        // A commit that is held holds the audit's lock too, so the revocation is ordered by the grants' own commit.
        let revoked = {
            let grants = StoredGrants::new(Arc::clone(&home.store));
            let batch = grants.replace(Categories::ALL.without(Category::Apps)).unwrap();
            home.store.commit(&batch, Durability::Synced)
        };
        revoked.unwrap();
        held.go_on();
        let resolution = confirming.await.unwrap().unwrap();
        let events = home.listen(began.turn).await;
        assert_eq!(outcomes(&events), [resolution.outcome], "{place}");
        let ran = u32::from(outcome == Settled::Done);
        assert_eq!((resolution.outcome, home.restarts()), (outcome, ran), "{place}");
        let claimed = side == Side::After || outcome == Settled::Done;
        assert_eq!(facts(&*home.store).contains(&Fact::Executing), claimed, "{place}");
    }
}

#[tokio::test(start_paused = true)]
async fn closing_a_category_between_yes_and_claim_runs_nothing() {
    let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
    let (began, question) = looked_at(&home).await;
    let mut held = gate.hold(Side::Before, granting);
    let assistant = home.assistant.clone();
    let closing =
        tokio::spawn(async move { assistant.close_category(&Caller::owner(), Category::Apps).await });
    held.reached().await;
    // The answer comes while the revocation is on its way: the claim waits for the audit behind it.
    let confirming = start(&home, &question, Decision::Confirm);
    tokio::task::yield_now().await;
    held.go_on();
    assert_eq!(confirming.await.unwrap().unwrap().outcome, Settled::Revoked);
    assert!(!closing.await.unwrap().unwrap().has(Category::Apps));
    assert_eq!(home.restarts(), 0);
    assert_eq!(outcomes(&home.listen(began.turn).await), [Settled::Revoked]);
}

#[tokio::test(start_paused = true)]
async fn a_role_that_is_lowered_before_the_claim_is_durable_runs_nothing() {
    for side in [Side::Before, Side::After] {
        let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
        let role = LiveRole::default();
        let owner = Caller::chrome(Principal::owner(), Scope::EVERYTHING, role.clone());
        let (began, question) = home.ask(&owner, Target::New, "restart hello").await;
        home.assistant.shown(&owner, question.id, &question.digest).unwrap();
        tokio::time::advance(Duration::from_millis(700)).await;
        let mut held = gate.hold(side, claiming);
        let confirming = start(&home, &question, Decision::Confirm);
        held.reached().await;
        role.lower();
        home.assistant.roles_changed().await.unwrap();
        held.go_on();
        assert_eq!(confirming.await.unwrap().unwrap().outcome, Settled::Revoked, "{side:?}");
        assert_eq!(home.restarts(), 0, "{side:?}");
        assert_eq!(outcomes(&home.listen(began.turn).await), [Settled::Revoked]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_being_asked_while_its_category_closes_does_not_wait() {
    let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
    let mut held = gate.hold(Side::After, asking);
    let began = home.assistant.chat(&Caller::owner(), Target::New, "restart hello").await.unwrap();
    held.reached().await;
    let assistant = home.assistant.clone();
    let closing =
        tokio::spawn(async move { assistant.close_category(&Caller::owner(), Category::Apps).await });
    tokio::task::yield_now().await;
    held.go_on();
    closing.await.unwrap().unwrap();
    assert_eq!(outcomes(&home.listen(began.turn).await), [Settled::Revoked]);
    assert_eq!(home.assistant.pending(&Caller::owner()), []);
}

#[tokio::test(start_paused = true)]
async fn what_expires_while_it_is_planned_again_is_expired() {
    let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
    let (began, question) = looked_at(&home).await;
    let mut held = gate.hold(Side::Before, claiming);
    let confirming = start(&home, &question, Decision::Confirm);
    held.reached().await;
    // The claim was begun in time, so the clock does not take it back.
    tokio::time::advance(Duration::from_secs(200)).await;
    held.go_on();
    assert_eq!(confirming.await.unwrap().unwrap().outcome, Settled::Done);
    assert_eq!((outcomes(&home.listen(began.turn).await), home.restarts()), (vec![Settled::Done], 1));

    // An answer at the very moment of expiry does not count, and neither does a later one.
    let home = Home::new([restart("hello"), Scripted::says("Ok.")]).await;
    let (began, question) = looked_at(&home).await;
    tokio::time::advance(Duration::from_secs(120)).await;
    for _ in 0..2 {
        let answer = start(&home, &question, Decision::Confirm).await.unwrap().unwrap();
        assert_eq!(
            answer,
            Resolution { outcome: Settled::Expired, says: Shown::line(Settled::Expired.says()) }
        );
    }
    assert_eq!((outcomes(&home.listen(began.turn).await), home.restarts()), (vec![Settled::Expired], 0));
}

#[tokio::test(start_paused = true)]
async fn a_new_message_or_a_cancel_after_the_claim_waits_for_the_effect() {
    let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
    let (began, question) = looked_at(&home).await;
    let mut held = gate.hold(Side::After, claiming);
    let confirming = start(&home, &question, Decision::Confirm);
    held.reached().await;
    let to = Target::Conversation(began.conversation);
    let said = home.assistant.chat(&Caller::owner(), to, "never mind").await;
    assert!(matches!(said, Err(Refused::Busy)), "an effect is on its way");
    let assistant = home.assistant.clone();
    let cancelling = tokio::spawn(async move { assistant.cancel(&Caller::owner(), began.turn).await });
    tokio::task::yield_now().await;
    assert!(!cancelling.is_finished());
    held.go_on();
    cancelling.await.unwrap().unwrap();
    assert_eq!(confirming.await.unwrap().unwrap().outcome, Settled::Done);
    let events = home.listen(began.turn).await;
    let Event::Finished(Finished { end: ended, receipts, .. }) = end(&events) else { panic!("{events:?}") };
    assert_eq!((ended, receipts[0].outcome, home.restarts()), (&End::Cancelled, Settled::Done, 1));
    assert_eq!(home.model.requests().len(), 1, "a cancelled turn asks no backend");
}

#[tokio::test(start_paused = true)]
async fn a_confirm_while_a_new_message_takes_it_back_hears_that() {
    let (gate, home) = gated([restart("hello"), Scripted::says("Hi.")], Limits::default()).await;
    let (began, question) = looked_at(&home).await;
    let mut held = gate.hold(Side::Before, ending);
    let (assistant, to) = (home.assistant.clone(), Target::Conversation(began.conversation));
    let saying = tokio::spawn(async move { assistant.chat(&Caller::owner(), to, "never mind").await });
    held.reached().await;
    let confirming = start(&home, &question, Decision::Confirm);
    tokio::task::yield_now().await;
    held.go_on();
    assert_eq!(confirming.await.unwrap().unwrap().outcome, Settled::Superseded);
    let next = saying.await.unwrap().unwrap();
    assert_eq!(said(&home.listen(next.turn).await), "Hi.");
    assert_eq!((outcomes(&home.listen(began.turn).await), home.restarts()), (vec![Settled::Superseded], 0));
}

#[tokio::test(start_paused = true)]
async fn shutting_down_during_an_effect_waits_for_it_but_not_for_ever() {
    for patient in [true, false] {
        let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
        let (began, question) = looked_at(&home).await;
        let mut held = gate.hold(Side::After, claiming);
        let confirming = start(&home, &question, Decision::Confirm);
        held.reached().await;
        let assistant = home.assistant.clone();
        let stopping = tokio::spawn(async move { assistant.shutdown(Duration::from_secs(5)).await });
        tokio::task::yield_now().await;
        assert!(!stopping.is_finished());
        if !patient {
            tokio::time::advance(Duration::from_secs(5)).await;
            assert!(!stopping.await.unwrap(), "the effect has not ended");
            held.go_on();
            confirming.await.unwrap().unwrap();
            continue;
        }
        held.go_on();
        assert!(stopping.await.unwrap());
        assert_eq!(confirming.await.unwrap().unwrap().outcome, Settled::Done);
        let events = home.listen(began.turn).await;
        let Event::Finished(Finished { end: ended, receipts, .. }) = end(&events) else {
            panic!("{events:?}")
        };
        assert_eq!((ended, receipts[0].outcome, home.restarts()), (&End::Interrupted, Settled::Done, 1));
        assert_eq!(home.model.requests().len(), 1, "a turn that is stopped asks no backend");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_connection_drops_is_still_carried_out_and_told() {
    for (decision, which, outcome) in [
        (Decision::Deny, ending as Which, Settled::Denied),
        (Decision::Confirm, claiming as Which, Settled::Done),
        (Decision::Confirm, ending as Which, Settled::Done),
    ] {
        let (gate, home) = gated([restart("hello"), Scripted::says("Ok.")], Limits::default()).await;
        let (began, question) = looked_at(&home).await;
        let mut held = gate.hold(Side::Before, which);
        let answering = start(&home, &question, decision);
        held.reached().await;
        answering.abort();
        assert!(answering.await.is_err());
        held.go_on();
        assert_eq!(outcomes(&home.listen(began.turn).await), [outcome]);
        assert_eq!(home.restarts(), u32::from(outcome == Settled::Done));
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_connection_drops_is_said_all_the_same() {
    let (gate, home) = gated([Scripted::says("Hi."), Scripted::says("Again.")], Limits::default()).await;
    let owner = Caller::owner();
    let mut held = gate.hold(Side::Before, saying);
    let assistant = home.assistant.clone();
    let chatting = tokio::spawn(async move { assistant.chat(&Caller::owner(), Target::New, "hello").await });
    held.reached().await;
    chatting.abort();
    assert!(chatting.await.is_err());
    held.go_on();
    let conversation = loop {
        if let [one] = home.assistant.conversations(&owner, None, 9).unwrap().items.as_slice() {
            break one.id;
        }
        tokio::task::yield_now().await;
    };
    while home.assistant.stats().turns > 0 {
        tokio::task::yield_now().await;
    }
    let page = home.assistant.history(&owner, conversation, None, 9).unwrap();
    assert_eq!(page.items[0].answer.as_str(), "Hi.");
    let next = home.assistant.chat(&owner, Target::Conversation(conversation), "and?").await.unwrap();
    assert_eq!(said(&home.listen(next.turn).await), "Again.");
}

#[tokio::test(start_paused = true)]
async fn four_that_ask_at_the_same_moment_are_still_at_most_three() {
    let scripts: Vec<_> = ["a", "b", "c", "d"].into_iter().map(restart).collect();
    let (gate, home) = gated(scripts.into_iter().chain([Scripted::says("Full.")]), Limits::default()).await;
    let mut held = gate.hold(Side::Before, asking);
    let mut turns = Vec::new();
    for app in ["a", "b", "c", "d"] {
        turns.push(home.assistant.chat(&Caller::owner(), Target::New, app).await.unwrap().turn);
    }
    held.reached().await;
    // Each has planned its write and looked whether it may ask before the first question is durable.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    held.go_on();
    let mut ended = 0;
    for turn in turns {
        let mut events = home.assistant.events(&Caller::owner(), turn, None).unwrap();
        while let Some(numbered) = events.next().await {
            match numbered.event {
                Event::ConfirmationRequired { .. } => break,
                Event::Finished(_) => ended += 1,
                _ => {}
            }
        }
    }
    assert_eq!((home.assistant.pending(&Caller::owner()).len(), ended), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn the_same_thing_asked_twice_at_the_same_moment_is_one_question() {
    let (gate, home) =
        gated([restart("a"), restart("a"), Scripted::says("Ok."), Scripted::says("Ok.")], Limits::default())
            .await;
    let mut held = gate.hold(Side::Before, asking);
    let first = home.assistant.chat(&Caller::owner(), Target::New, "one").await.unwrap();
    let second = home.assistant.chat(&Caller::owner(), Target::New, "two").await.unwrap();
    held.reached().await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    held.go_on();
    for turn in [first.turn, second.turn] {
        let mut events = home.assistant.events(&Caller::owner(), turn, None).unwrap();
        while !matches!(events.next().await.unwrap().event, Event::ConfirmationRequired { .. }) {}
    }
    let pending = home.assistant.pending(&Caller::owner());
    assert_eq!(pending.len(), 1);
    home.answer(&pending[0], Decision::Confirm).await.unwrap();
    for turn in [first.turn, second.turn] {
        assert_eq!(outcomes(&home.listen(turn).await), [Settled::Done]);
    }
    assert_eq!(home.restarts(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_chats_at_once_are_answered_or_refused_and_leave_nothing_behind() {
    let scripts = (0..64).map(|_| Scripted::says("Hi."));
    let home = Arc::new(Home::new(scripts).await);
    let chats: Vec<_> = (0..64)
        .map(|number| {
            let home = Arc::clone(&home);
            tokio::spawn(async move {
                let principal = Principal::new(format!("person-{}", number % 32)).unwrap();
                let caller = Caller::chrome(principal, Scope::EVERYTHING, OwnerRole);
                let began = match home.assistant.chat(&caller, Target::New, "hello").await {
                    Ok(began) => began,
                    Err(Refused::TooMany) => return 0,
                    Err(other) => panic!("{other}"),
                };
                let mut events = home.assistant.events(&caller, began.turn, None).unwrap();
                let mut last = None;
                while let Some(numbered) = events.next().await {
                    last = Some(numbered.event);
                }
                assert_eq!(last, Some(finished(End::Answered, vec![])));
                // Whoever has heard the end may speak at once.
                let to = Target::Conversation(began.conversation);
                assert!(!matches!(home.assistant.chat(&caller, to, "and?").await, Err(Refused::Busy)));
                1
            })
        })
        .collect();
    let mut answered = 0;
    for chat in chats {
        answered += chat.await.unwrap();
    }
    assert!(answered >= Limits::default().turns, "as many as may run were taken: {answered}");
    assert!(home.assistant.shutdown(Duration::from_secs(60)).await);
    assert_eq!(home.assistant.stats(), Stats::default());
    println!("of 64 chats at once {answered} were answered, the others refused");
}
