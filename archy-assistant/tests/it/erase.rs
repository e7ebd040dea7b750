//! The end of everything, and what comes in at the same time.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::sync::Arc;

use archy_assistant::*;
use tokio::sync::Notify;

use crate::audit::facts;
use crate::home::*;
use crate::store::all;

fn restart(app: &str) -> Script {
    Scripted::calls([("app_restart", &format!(r#"{{"app":"{app}"}}"#))])
}

#[tokio::test(start_paused = true)]
async fn erased_it_is_as_on_a_fresh_node_and_goes_on() {
    let home = Home::new([Scripted::says("Hi."), restart("hello"), Scripted::says("Fresh.")]).await;
    let owner = Caller::owner();
    home.say("hello").await;
    let (waiting, question) = home.ask(&owner, Target::New, "restart hello").await;

    home.assistant.erase(&owner).await.unwrap();
    assert_eq!(Table::ALL.map(|table| all(&*home.store, table, b"").len()), [0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(facts(&home.assistant), [Fact::Erased]);
    assert_eq!(home.assistant.grants(&owner).unwrap(), Categories::NONE);
    assert_eq!(home.assistant.pending(&owner), []);
    assert_eq!(home.assistant.stats(), Stats::default());
    let answer = home.assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await;
    assert!(matches!(answer, Err(ConfirmRefused::Unknown)), "{answer:?}");
    assert!(matches!(home.assistant.events(&owner, waiting.turn, None), Err(Refused::Unknown)));

    assert_eq!(said(&home.say("hello again").await), "Fresh.");
    assert_eq!(home.restarts(), 0);
    let verified = home.assistant.audit_verify(&owner).await.unwrap();
    assert_eq!(verified, Verified::Sound { first: 1, last: 1 });
}

/// A write whose effect lasts until it is told to end.
struct Slow {
    begun: Arc<Notify>,
    ends: Arc<Notify>,
}

impl Write for Slow {
    type Args = NoArgs;
    type Change = ();
    fn spec(&self) -> Spec {
        Spec::new("slow", Category::Apps, "Takes its time.")
    }
    async fn plan(&self, _: &Caller, _: NoArgs) -> Result<Plan<()>, ToolError> {
        Ok(Plan { change: (), text: ConfirmText::new("Take some time"), undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, _: Approved<()>) -> Result<Datum, ToolError> {
        self.begun.notify_one();
        self.ends.notified().await;
        Ok(Datum::text("it took its time"))
    }
}

#[tokio::test(start_paused = true)]
async fn erasing_is_refused_while_an_effect_runs_and_changes_nothing() {
    let (begun, ends) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = Slow { begun: Arc::clone(&begun), ends: Arc::clone(&ends) };
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let model = Arc::new(Scripted::new([Scripted::calls([("slow", "{}")]), Scripted::says("Done.")]));
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let assistant =
        Assistant::builder([Arc::clone(&model) as Arc<dyn Backend>], Toolbox::new().write(slow), grants)
            .with_store(Arc::clone(&store))
            .with_sink(Arc::new(PollPending))
            .open()
            .unwrap();
    let home = Home { node: Arc::default(), model, store, assistant }.open_all().await;
    let owner = Caller::owner();
    let (turn, question) = home.ask(&owner, Target::New, "take your time").await;
    let answered = home.answer(&question, Decision::Confirm);
    let erased = async {
        begun.notified().await;
        let before = facts(&home.assistant);
        let refused = home.assistant.erase(&owner).await;
        assert!(matches!(refused, Err(Refused::Executing)), "{refused:?}");
        assert_eq!(facts(&home.assistant), before);
        ends.notify_one();
    };
    let (answered, ()) = tokio::join!(answered, erased);
    assert_eq!(answered.unwrap().outcome, Settled::Done, "the effect was brought to its end");
    assert!(matches!(end(&home.listen(turn.turn).await), Event::Finished(_)), "the turn was not stopped");
    home.assistant.erase(&owner).await.unwrap();
    assert_eq!(facts(&home.assistant), [Fact::Erased]);
}

#[tokio::test(start_paused = true)]
async fn of_an_answer_and_an_erasing_at_once_only_one_counts() {
    let mut ran = Vec::new();
    for steps in 0..40 {
        let home = Home::new([restart("hello"), Scripted::says("Done.")]).await;
        let owner = Caller::owner();
        let (_, question) = home.ask(&owner, Target::New, "restart hello").await;
        home.assistant.shown(&owner, question.id, &question.digest).unwrap();
        tokio::time::advance(std::time::Duration::from_millis(700)).await;
        let later = |by: usize| async move {
            for _ in 0..by {
                tokio::task::yield_now().await;
            }
        };
        let (answer_by, erase_by) = if steps % 2 == 0 { (steps / 2, 0) } else { (0, steps / 2) };
        let answer = async {
            later(answer_by).await;
            home.assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await
        };
        let erase = async {
            later(erase_by).await;
            home.assistant.erase(&owner).await
        };
        let (answer, erased) = tokio::join!(answer, erase);
        match (&answer, &erased) {
            (Ok(Resolution { outcome: Settled::Done, .. }), _) => assert_eq!(home.restarts(), 1),
            (_, Ok(())) => assert_eq!(home.restarts(), 0),
            other => panic!("{steps}: {other:?}"),
        }
        ran.push((home.restarts(), erased.is_ok()));
        if erased.is_ok() {
            assert_eq!(facts(&home.assistant), [Fact::Erased], "{steps}");
        } else {
            assert!(matches!(erased, Err(Refused::Executing)), "{steps}: {erased:?}");
        }
    }
    assert!(ran.contains(&(0, true)) && ran.contains(&(1, false)), "both come first sometimes: {ran:?}");
}

#[tokio::test(start_paused = true)]
async fn an_erasing_whose_caller_went_away_still_comes_to_its_end() {
    let home = Home::new([]).await;
    let owner = Caller::owner();
    drop(tokio::time::timeout(std::time::Duration::ZERO, home.assistant.erase(&owner)).await);
    while facts(&home.assistant) != [Fact::Erased] {
        tokio::task::yield_now().await;
    }
    while home.assistant.chat(&owner, Target::New, "hello").await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_given_when_nothing_new_may_begin_starts_no_effect() {
    let home = Home::new([restart("hello"), Scripted::says("Done.")]).await;
    let owner = Caller::owner();
    let (_, question) = home.ask(&owner, Target::New, "restart hello").await;
    home.assistant.shown(&owner, question.id, &question.digest).unwrap();
    tokio::time::advance(std::time::Duration::from_millis(700)).await;
    let answer = home.assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm);
    let (ended, answer) = tokio::join!(home.assistant.shutdown(std::time::Duration::from_secs(1)), answer);
    assert_eq!((ended, answer.unwrap().outcome, home.restarts()), (true, Settled::Voided, 0));
}
