//! What a turn does while a person decides, and what becomes of it when the node starts again: the design, sentence by
//! sentence, where `asking.rs` does not look.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use archy_assistant::*;

use crate::gate::*;
use crate::home::*;

fn call(app: &str) -> String {
    format!(r#"{{"app":"{app}"}}"#)
}

fn restart(app: &str) -> Script {
    Scripted::calls([("app_restart", &call(app))])
}

fn both() -> Script {
    Scripted::calls([("app_restart", &call("a")), ("app_restart", &call("b"))])
}

fn outcomes(events: &[Event]) -> Vec<Settled> {
    match end(events) {
        Event::Finished(Finished { receipts, .. }) | Event::Failed { receipts, .. } => {
            receipts.iter().map(|receipt| receipt.outcome).collect()
        }
        event => panic!("{event:?} is no end"),
    }
}

/// A read that ends when another one of it has begun too.
struct Meet(tokio::sync::Barrier);

impl Read for Meet {
    type Args = App;
    fn spec(&self) -> Spec {
        Spec::new("meet", Category::System, "Waits for another.")
    }
    async fn read(&self, _: &Caller, _: App) -> Result<Datum, ToolError> {
        self.0.wait().await;
        Ok(Datum::text("met"))
    }
}

/// A write whose look at the node panics, then goes well.
struct Fragile(AtomicBool);

impl Write for Fragile {
    type Args = App;
    type Change = String;
    fn spec(&self) -> Spec {
        Spec::new("fragile", Category::Apps, "Panics once.")
    }
    async fn plan(&self, _: &Caller, args: App) -> Result<Plan<String>, ToolError> {
        assert!(self.0.swap(true, Ordering::SeqCst), "a host that panics while it is looked at");
        Ok(Plan { change: args.app, text: ConfirmText::new("Do it"), undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, _: Approved<String>) -> Result<Datum, ToolError> {
        Ok(Datum::text("done"))
    }
}

async fn with_tools(scripts: impl IntoIterator<Item = Script>) -> Home {
    let node: Arc<Node> = Arc::default();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let model = Arc::new(Scripted::new(scripts));
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let tools =
        toolbox(&node).read(Meet(tokio::sync::Barrier::new(2))).write(Fragile(AtomicBool::new(false)));
    let assistant = Assistant::builder([Arc::clone(&model) as Arc<dyn Backend>], tools, grants)
        .with_store(Arc::clone(&store))
        .with_sink(Arc::new(PollPending))
        .open()
        .unwrap();
    Home { node, model, store, assistant }.open_all().await
}

fn restarted(home: Home, scripts: impl IntoIterator<Item = Script>) -> Home {
    let Home { node, store, assistant, .. } = home;
    drop(assistant);
    Home::with(Scripted::new(scripts), store, node, Limits::default())
}

#[tokio::test(start_paused = true)]
async fn the_reads_of_a_reply_run_at_the_same_time_before_its_writes() {
    let script =
        Scripted::calls([("app_restart", &call("a")), ("meet", &call("one")), ("meet", &call("two"))]);
    let home = with_tools([script, Scripted::says("Ok.")]).await;
    let (began, question) = home.ask(&Caller::owner(), Target::New, "meet").await;
    home.answer(&question, Decision::Confirm).await.unwrap();
    let events = home.listen(began.turn).await;
    let done = events.iter().filter(|event| matches!(event, Event::ToolFinished { not_done: None, .. }));
    assert_eq!(done.count(), 3);
    let place = |wanted: fn(&Event) -> bool| events.iter().position(wanted).unwrap();
    let asked = place(|event| matches!(event, Event::ConfirmationRequired { .. }));
    let read = place(|event| matches!(event, Event::ToolFinished { call: CallId(2), .. }));
    assert!(read < asked);
}

#[tokio::test(start_paused = true)]
async fn while_a_person_decides_no_model_is_asked_and_the_turns_time_stands_still() {
    let limits = || {
        let mut limits = Limits::default();
        limits.turn = Duration::from_secs(10);
        limits
    };
    for joined in [false, true] {
        let store = Arc::new(MemoryStore::new());
        let scripts = (0..=usize::from(joined)).map(|_| restart("a"));
        let scripts: Vec<_> = scripts.chain([Scripted::says("Ok."), Scripted::says("Ok.")]).collect();
        let home = Home::with(Scripted::new(scripts), store, Arc::default(), limits()).open_all().await;
        let (first, question) = home.ask(&Caller::owner(), Target::New, "a").await;
        let mut turns = vec![first.turn];
        if joined {
            let (second, same) = home.ask(&Caller::owner(), Target::New, "a").await;
            assert_eq!(same.id, question.id);
            turns.push(second.turn);
        }
        tokio::time::advance(Duration::from_secs(100)).await;
        assert_eq!(home.model.requests().len(), turns.len());
        home.answer(&question, Decision::Confirm).await.unwrap();
        for turn in turns {
            assert_eq!(outcomes(&home.listen(turn).await), [Settled::Done]);
        }
        assert_eq!(home.restarts(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_a_person_did_not_agree_to_the_rest_is_not_asked_and_one_last_request_tells_them() {
    for outcome in [Settled::Denied, Settled::Expired, Settled::Revoked, Settled::TargetChanged] {
        let home = Home::new([both(), Scripted::says("As you wish.")]).await;
        let (began, question) = home.ask(&Caller::owner(), Target::New, "both").await;
        match outcome {
            Settled::Denied => drop(home.answer(&question, Decision::Deny).await.unwrap()),
            Settled::Revoked => drop(home.assistant.close_all(&Caller::owner()).await.unwrap()),
            Settled::TargetChanged => {
                home.node.pid.store(9, Ordering::SeqCst);
                home.answer(&question, Decision::Confirm).await.unwrap();
            }
            _ => {}
        }
        let events = home.listen(began.turn).await;
        assert_eq!((outcomes(&events), said(&events)), (vec![outcome], "As you wish.".to_owned()));
        let requests = home.model.requests();
        let [_, last] = requests.as_slice() else { panic!("{} requests", requests.len()) };
        assert_eq!(last.calls, Calls::None);
        let results: Vec<_> = last
            .messages
            .iter()
            .filter_map(|message| match &message.content {
                Content::Result { call, outcome: Outcome::NotDone(why), .. } => Some((call.0, why.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(results, [(0, outcome.says()), (1, "not asked")]);
        assert_eq!(home.restarts(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_connection_changes_nothing() {
    let home = Home::new([restart("hello"), Scripted::says("Restarted.")]).await;
    // `ask` drops its listener as soon as a person is asked: from here on nobody listens.
    let (began, question) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(home.assistant.pending(&Caller::owner()), std::slice::from_ref(&question));
    home.answer(&question, Decision::Confirm).await.unwrap();
    while home.assistant.stats().turns > 0 {
        tokio::task::yield_now().await;
    }
    let page = home.assistant.history(&Caller::owner(), began.conversation, None, 1).unwrap();
    assert_eq!(page.items[0].answer.as_str(), "Restarted.");
    let told: Vec<_> = page.items[0].events.iter().map(|numbered| numbered.event.clone()).collect();
    assert_eq!(home.listen(began.turn).await, told);
    assert_eq!(outcomes(&told), [Settled::Done]);
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_conversation_whose_turn_runs_is_refused_and_not_kept() {
    let home = with_tools([Scripted::calls([("meet", &call("one"))]), Scripted::says("Met.")]).await;
    let owner = Caller::owner();
    let began = home.assistant.chat(&owner, Target::New, "meet").await.unwrap();
    let mut events = home.assistant.events(&owner, began.turn, None).unwrap();
    while !matches!(events.next().await.unwrap().event, Event::ToolStarted { .. }) {}
    let to = Target::Conversation(began.conversation);
    assert!(matches!(home.assistant.chat(&owner, to, "and?").await, Err(Refused::Busy)));
    assert!(matches!(home.assistant.forget(&owner, began.conversation).await, Err(Refused::Busy)));
    home.assistant.cancel(&owner, began.turn).await.unwrap();
    let page = home.assistant.history(&owner, began.conversation, None, 9).unwrap();
    assert_eq!(page.items.iter().map(|turn| turn.said.0.as_str()).collect::<Vec<_>>(), ["meet"]);
    assert_eq!(end(&home.listen(began.turn).await), &finished(End::Cancelled, vec![]));
}

#[tokio::test(start_paused = true)]
async fn of_two_turns_that_wait_for_one_question_each_has_its_own_answer() {
    let two = || Scripted::calls([("disk_status", "{}"), ("app_restart", &call("a"))]);
    // One of them goes: the other one still waits.
    let home = Home::new([restart("a"), two(), Scripted::says("Ok.")]).await;
    let (first, question) = home.ask(&Caller::owner(), Target::New, "one").await;
    let (second, _) = home.ask(&Caller::owner(), Target::New, "two").await;
    home.assistant.cancel(&Caller::owner(), first.turn).await.unwrap();
    assert_eq!(outcomes(&home.listen(first.turn).await), [Settled::Cancelled]);
    assert_eq!(home.assistant.pending(&Caller::owner()).len(), 1);
    home.answer(&question, Decision::Confirm).await.unwrap();
    assert_eq!((outcomes(&home.listen(second.turn).await), home.restarts()), (vec![Settled::Done], 1));

    // The node starts again: both are told of their own call.
    let home = Home::new([restart("a"), two()]).await;
    let (first, _) = home.ask(&Caller::owner(), Target::New, "one").await;
    let (second, _) = home.ask(&Caller::owner(), Target::New, "two").await;
    let home = restarted(home, []);
    for turn in [first.turn, second.turn] {
        assert_eq!(outcomes(&home.listen(turn).await), [Settled::Voided]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_read_before_an_identical_call_is_not_left_out() {
    let reads = Scripted::calls([("app_logs", &call("b"))]);
    let home = Home::new([restart("a"), reads, restart("a"), restart("a")]).await;
    let (_, first) = home.ask(&Caller::owner(), Target::New, "one").await;
    let (_, second) = home.ask(&Caller::owner(), Target::New, "two").await;
    let said = "  Suggested after reading: the log of b";
    let says = |question: &Confirmation| question.text.as_str().lines().any(|line| line == said);
    assert_eq!((first.id == second.id, says(&first), says(&second)), (false, false, true));
    // One that read nothing waits for the question that says so.
    let (third, same) = home.ask(&Caller::owner(), Target::New, "three").await;
    assert_eq!((same.id, home.assistant.pending(&Caller::owner()).len()), (first.id, 2));
    home.answer(&same, Decision::Confirm).await.unwrap();
    assert_eq!(outcomes(&home.listen(third.turn).await), [Settled::Done]);
}

#[tokio::test(start_paused = true)]
async fn what_the_record_knows_after_a_restart_is_what_a_late_answer_hears() {
    let home = Home::new([restart("a")]).await;
    let (_, question) = home.ask(&Caller::owner(), Target::New, "a").await;
    let home = restarted(home, []);
    let late =
        home.assistant.confirm(&Caller::owner(), question.id, &question.digest, Decision::Confirm).await;
    let says = Shown::line(Settled::Voided.says());
    assert_eq!(late.unwrap(), Resolution { outcome: Settled::Voided, says });
}

#[tokio::test(start_paused = true)]
async fn a_host_that_panics_while_it_is_looked_at_takes_no_turn_with_it() {
    let script = || Scripted::calls([("fragile", &call("a"))]);
    let home = with_tools([script(), script(), Scripted::says("Hm.")]).await;
    let (began, question) = home.ask(&Caller::owner(), Target::New, "do it").await;
    home.answer(&question, Decision::Confirm).await.unwrap();
    let events = home.listen(began.turn).await;
    assert_eq!(
        outcomes(&events),
        [Settled::NotAsked, Settled::Done],
        "it could not be planned, then it was asked and done"
    );
}

#[tokio::test(start_paused = true)]
async fn shutting_down_while_a_person_is_asked_voids_and_interrupts() {
    let home = Home::new([restart("a")]).await;
    let (began, _) = home.ask(&Caller::owner(), Target::New, "a").await;
    assert!(home.assistant.shutdown(Duration::from_secs(5)).await);
    let events = home.listen(began.turn).await;
    let Event::Finished(finished) = end(&events) else { panic!("{events:?}") };
    assert_eq!((&finished.end, outcomes(&events)), (&End::Interrupted, vec![Settled::Voided]));
    assert_eq!(home.model.requests().len(), 1);
}

/// One turn with a confirmed write, whose `fails`-th commit fails; then the node starts again. How many commits it took.
async fn with_a_commit_that_fails(fails: Option<usize>) -> usize {
    let gate = Gate::failing(fails);
    let store = Arc::clone(&gate) as Arc<dyn Store>;
    let scripts = [restart("hello"), Scripted::says("Restarted.")];
    let home = Home::with(Scripted::new(scripts), store, Arc::default(), Limits::default());
    let owner = Caller::owner();
    for category in [Category::Apps, Category::System] {
        let _ = home.assistant.open_category(&owner, category).await;
    }
    let mut answered = None;
    if let Ok(began) = home.assistant.chat(&owner, Target::New, "restart hello").await {
        let mut events = home.assistant.events(&owner, began.turn, None).unwrap();
        let mut ends = 0;
        while let Some(numbered) = events.next().await {
            ends += usize::from(matches!(numbered.event, Event::Finished(_) | Event::Failed { .. }));
            if let Some(question) = home.assistant.pending(&owner).first()
                && answered.is_none()
            {
                answered = Some((question.clone(), home.answer(question, Decision::Confirm).await));
            }
        }
        assert_eq!(ends, 1, "commit {fails:?}: a turn has one end, whatever fails");
        assert_eq!(home.assistant.stats().turns, 0, "commit {fails:?}");
    }
    let ran = home.restarts();
    assert!(ran <= 1);
    let commits = gate.commits();
    let home = restarted(home, []);
    assert_eq!(home.restarts(), ran, "commit {fails:?}: nothing runs again");
    assert_eq!((home.assistant.stats(), home.assistant.pending(&owner)), (Stats::default(), vec![]));
    if let Some((question, told)) = answered {
        let late = home.assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await;
        let late = late.expect("its end is recorded").outcome;
        let honest = match late {
            Settled::Done => ran == 1,
            Settled::OutcomeUnknown => true,
            _ => ran == 0,
        };
        assert!(honest, "commit {fails:?}: {late:?}, but it ran {ran} times (told {told:?})");
    }
    for summary in home.assistant.conversations(&owner, None, 9).unwrap().items {
        for turned in home.assistant.history(&owner, summary.id, None, 9).unwrap().items {
            for receipt in turned.receipts {
                assert_eq!(receipt.outcome == Settled::Done, ran == 1, "commit {fails:?}: {receipt:?}");
            }
        }
    }
    commits
}

#[tokio::test(start_paused = true)]
async fn whichever_commit_fails_nothing_is_claimed_that_is_not_so() {
    let commits = with_a_commit_that_fails(None).await;
    // The first one opens the assistant, which without it is not there.
    for fails in 1..commits {
        with_a_commit_that_fails(Some(fails)).await;
    }
    println!("{commits} commits, each but the first made to fail");
}
