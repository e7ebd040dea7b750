//! Who answers when somebody does not: home first, then the rules, then what the owner or a person says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use archy_assistant::*;
use tokio::sync::Notify;

use crate::home::*;

/// A home with these backends, everything open.
struct Chained {
    home: Home,
    local: Arc<Scripted>,
    remote: Arc<Scripted>,
}

fn down(class: BackendFault) -> Script {
    vec![Err(BackendError { class, detail: "as played".to_owned() })]
}

fn unreachable() -> Script {
    down(BackendFault::Unreachable)
}

/// A local model, a remote one that may receive `opened`, and the rules.
async fn chained(
    when: WhenLocalIsDown,
    local: impl IntoIterator<Item = Script>,
    remote: impl IntoIterator<Item = Script>,
    opened: Categories,
) -> Chained {
    chained_within(Limits::default(), when, local, remote, opened).await
}

/// The same, where everything may go along, but no more than 500 bytes.
async fn little_may_leave(
    local: impl IntoIterator<Item = Script>,
    remote: impl IntoIterator<Item = Script>,
) -> Chained {
    let mut limits = Limits::default();
    limits.leaving = 500;
    chained_within(limits, WhenLocalIsDown::Ask, local, remote, Categories::ALL).await
}

async fn chained_within(
    limits: Limits,
    when: WhenLocalIsDown,
    local: impl IntoIterator<Item = Script>,
    remote: impl IntoIterator<Item = Script>,
    opened: Categories,
) -> Chained {
    let (node, store): (Arc<Node>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let local = Arc::new(Scripted::new(local).named("at home"));
    let remote = Arc::new(Scripted::new(remote).remote(opened).named("far away"));
    let backends: [Arc<dyn Backend>; 3] =
        [Arc::clone(&remote) as _, Arc::clone(&local) as _, Arc::new(Phrases)];
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let assistant = Assistant::builder(backends, toolbox(&node), grants)
        .with_store(Arc::clone(&store))
        .with_sink(Arc::new(PollPending))
        .with_when_local_is_down(when)
        .with_limits(limits)
        .open()
        .expect("opens");
    let home = Home { node, model: Arc::clone(&local), store, assistant }.open_all().await;
    Chained { home, local, remote }
}

fn started(events: &[Event]) -> Vec<&str> {
    let mut started = Vec::new();
    for event in events {
        if let Event::Started { backend, .. } = event {
            started.push(backend.as_str());
        }
    }
    started
}

fn failed(why: BackendFault) -> Event {
    Event::Failed { failure: Failure::Backend(why), receipts: vec![] }
}

#[tokio::test(start_paused = true)]
async fn home_answers_although_a_remote_one_is_listed_first() {
    let it = chained(WhenLocalIsDown::UseRemote, [Scripted::says("Hi.")], [], Categories::ALL).await;
    let events = it.home.say("write me a poem").await;
    assert_eq!((started(&events), said(&events).as_str()), (vec!["at home"], "Hi."));
    assert_eq!(it.remote.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_leaves_while_a_person_is_asked_and_a_no_ends_it() {
    let it = chained(WhenLocalIsDown::Ask, [unreachable()], [Scripted::says("Far.")], Categories::NONE).await;
    let (began, question) = it.home.ask(&Caller::owner(), Target::New, "write me a poem").await;
    assert_eq!(question.call, None);
    assert_eq!(
        question.text.as_str(),
        "Send this conversation to a model that is not yours\n  \
         To: far away\n  \
         Because: at home: the backend does not answer\n  \
         What goes: what you said, what was answered, the names of the tools\n  \
         Data of the node that may go along: nothing\n  \
         Data of this conversation that stays: nothing\n  \
         At most: 262144 bytes of text, for this answer only\n  \
         Can be undone: no\n  \
         Exact call: send {\"backend\":\"far away\",\"classes\":[],\"at-most\":262144}"
    );
    assert_eq!(it.remote.requests().len(), 0);
    assert_eq!(it.home.answer(&question, Decision::Deny).await.unwrap().outcome, Settled::Denied);
    let events = it.home.listen(began.turn).await;
    assert_eq!(end(&events), &failed(BackendFault::Unreachable));
    assert_eq!(it.remote.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_yes_lets_this_turn_go_there_and_no_other() {
    let read = Scripted::calls([("disk_status", "{}"), ("app_logs", r#"{"app":"hello"}"#)]);
    let it = chained(
        WhenLocalIsDown::Ask,
        [unreachable(), unreachable(), unreachable()],
        [read, Scripted::says("A poem.")],
        Categories::only(Category::System),
    )
    .await;
    *it.home.node.log.lock().unwrap() = "canary".to_owned();
    let (began, question) = it.home.ask(&Caller::owner(), Target::New, "write me a poem").await;
    assert_eq!(it.home.answer(&question, Decision::Confirm).await.unwrap().outcome, Settled::Done);
    let events = it.home.listen(began.turn).await;
    assert_eq!(started(&events), ["at home", "far away"]);
    assert!(events.contains(&Event::BackendSwitched {
        from: "at home".to_owned(),
        to: "far away".to_owned(),
        why: BackendFault::Unreachable,
        leaves: Categories::NONE,
    }));
    let crossed = |event: &Event| match event {
        Event::Crossed { backend, holds, messages, .. } => Some((backend.clone(), *holds, *messages)),
        _ => None,
    };
    let crossed: Vec<_> = events.iter().filter_map(crossed).collect();
    let far = || "far away".to_owned();
    assert_eq!(crossed, [(far(), Categories::NONE, 1), (far(), Categories::only(Category::System), 4)]);
    // What the owner did not open for it was shown to the person, and stayed.
    assert!(events.contains(&Event::Withheld { category: Category::Apps, backend: far() }));
    assert!(said(&events).contains("canary") && said(&events).ends_with("A poem."));
    assert!(!format!("{:?}", it.remote.requests()[1].messages).contains("canary"));
    let lines = it.home.assistant.audit(&Caller::owner(), None, 100).unwrap().items;
    let crossings = lines.iter().filter(|line| matches!(line.fact, Fact::Crossed { .. })).count();
    assert_eq!(crossings, 2);

    // The next turn asks again.
    let to = Target::Conversation(began.conversation);
    let (_, again) = it.home.ask(&Caller::owner(), to, "another one").await;
    assert_ne!(again.digest, question.digest);
    assert!(again.text.as_str().contains("that stays: apps"), "{}", again.text);
    assert_eq!(it.remote.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn who_cannot_be_asked_is_told_that_it_failed() {
    let it = chained(WhenLocalIsDown::Ask, [unreachable()], [Scripted::says("Far.")], Categories::ALL).await;
    let began = it.home.assistant.chat(&radio(), Target::New, "write me a poem").await.unwrap();
    let events = it.home.listen(began.turn).await;
    assert_eq!(end(&events), &failed(BackendFault::Unreachable));
    assert_eq!((it.remote.requests().len(), it.home.assistant.pending(&Caller::owner()).len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn the_owners_standing_word_is_followed() {
    let fails =
        chained(WhenLocalIsDown::Fail, [unreachable()], [Scripted::says("Far.")], Categories::ALL).await;
    assert_eq!(end(&fails.home.say("write me a poem").await), &failed(BackendFault::Unreachable));
    assert_eq!(fails.remote.requests().len(), 0);
    let goes =
        chained(WhenLocalIsDown::UseRemote, [unreachable()], [Scripted::says("Far.")], Categories::ALL).await;
    assert_eq!(said(&goes.home.say("write me a poem").await), "Far.");
}

#[tokio::test(start_paused = true)]
async fn closing_what_would_go_along_takes_the_question_back() {
    let opened = Categories::only(Category::System);
    let it = chained(WhenLocalIsDown::Ask, [unreachable()], [Scripted::says("Far.")], opened).await;
    let (began, _) = it.home.ask(&Caller::owner(), Target::New, "write me a poem").await;
    it.home.assistant.close_category(&Caller::owner(), Category::System).await.unwrap();
    let events = it.home.listen(began.turn).await;
    assert_eq!(end(&events), &failed(BackendFault::Unreachable));
    assert_eq!((it.remote.requests().len(), it.home.assistant.pending(&Caller::owner()).len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn more_than_was_agreed_to_does_not_leave() {
    let call = Scripted::calls([("app_logs", r#"{"app":"hello"}"#)]);
    let it = little_may_leave([unreachable()], [call, Scripted::says("Read.")]).await;
    *it.home.node.log.lock().unwrap() = "x".repeat(600);
    let (began, question) = it.home.ask(&Caller::owner(), Target::New, "what does the log say").await;
    it.home.answer(&question, Decision::Confirm).await.unwrap();
    let events = it.home.listen(began.turn).await;
    assert_eq!(end(&events), &Event::Failed { failure: Failure::Limit(Limited::Leaving), receipts: vec![] });
    assert_eq!(it.remote.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_carried_along_unread_counts_as_what_leaves_too() {
    let mut thinks = Scripted::calls([("disk_status", "{}")]);
    thinks.insert(0, Ok(ReplyEvent::Opaque("t".repeat(600))));
    let it = little_may_leave([unreachable()], [thinks, Scripted::says("Far.")]).await;
    let (began, question) = it.home.ask(&Caller::owner(), Target::New, "write me a poem").await;
    it.home.answer(&question, Decision::Confirm).await.unwrap();
    let events = it.home.listen(began.turn).await;
    assert_eq!(end(&events), &Event::Failed { failure: Failure::Limit(Limited::Leaving), receipts: vec![] });
    assert_eq!(it.remote.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_closed_after_a_yes_does_not_go_along_any_more() {
    let read = Scripted::calls([("disk_status", "{}")]);
    let restart = Scripted::calls([("app_restart", r#"{"app":"hello"}"#)]);
    let opened = Categories::only(Category::System);
    let remote = [read, restart, Scripted::says("Far.")];
    let it = chained(WhenLocalIsDown::Ask, [unreachable()], remote, opened).await;
    let (began, question) = it.home.ask(&Caller::owner(), Target::New, "write me a poem").await;
    it.home.answer(&question, Decision::Confirm).await.unwrap();
    let restart = loop {
        match it.home.assistant.pending(&Caller::owner()).pop() {
            Some(question) if question.call.is_some() => break question,
            _ => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    };
    it.home.assistant.close_category(&Caller::owner(), Category::System).await.unwrap();
    it.home.answer(&restart, Decision::Deny).await.unwrap();
    assert_eq!(said(&it.home.listen(began.turn).await), "Free: 1 GB.\n\nFar.");
    let space = |request: &Arc<Request>| {
        request.messages.iter().find_map(|message| match &message.content {
            Content::Result { tool, outcome, .. } if tool == "disk_status" => Some(outcome.clone()),
            _ => None,
        })
    };
    let free = Outcome::Done(Datum::record([("free", Datum::Bytes(1_000_000_000))]));
    let went: Vec<_> = it.remote.requests().iter().map(space).collect();
    assert_eq!(went, [None, Some(free), Some(Outcome::Withheld)]);
}

#[tokio::test(start_paused = true)]
async fn a_restart_voids_the_question_and_nothing_went() {
    let it = chained(WhenLocalIsDown::Ask, [unreachable()], [Scripted::says("Far.")], Categories::ALL).await;
    let (began, question) = it.home.ask(&Caller::owner(), Target::New, "write me a poem").await;
    let Home { node, store, assistant, .. } = it.home;
    drop(assistant);
    let home = Home::with(Scripted::new([]), store, node, Limits::default());
    let events = home.listen(began.turn).await;
    assert!(matches!(end(&events), Event::Finished(finished) if finished.end == End::Interrupted));
    let late =
        home.assistant.confirm(&Caller::owner(), question.id, &question.digest, Decision::Confirm).await;
    assert_eq!((late.unwrap().outcome, it.remote.requests().len()), (Settled::Voided, 0));
}

#[tokio::test(start_paused = true)]
async fn two_denials_end_the_asking_for_the_conversation() {
    let it = chained(WhenLocalIsDown::Ask, [], [Scripted::says("Far.")], Categories::ALL).await;
    let mut to = Target::New;
    for _ in 0..2 {
        let (began, question) = it.home.ask(&Caller::owner(), to, "write me a poem").await;
        it.home.answer(&question, Decision::Deny).await.unwrap();
        it.home.listen(began.turn).await;
        to = Target::Conversation(began.conversation);
    }
    let began = it.home.assistant.chat(&Caller::owner(), to, "write me a poem").await.unwrap();
    let events = it.home.listen(began.turn).await;
    assert!(!events.iter().any(|event| matches!(event, Event::ConfirmationRequired { .. })));
    assert_eq!(end(&events), &failed(BackendFault::Unreachable));
}

#[tokio::test(start_paused = true)]
async fn a_busy_backend_is_asked_again_when_it_said() {
    let busy = || down(BackendFault::Busy(Some(Duration::from_secs(7))));
    let home = Home::new([busy(), busy(), Scripted::says("At last.")]).await;
    let before = tokio::time::Instant::now();
    let events = home.say("write me a poem").await;
    assert_eq!((started(&events), said(&events).as_str()), (vec!["scripted"], "At last."));
    assert!(before.elapsed() >= Duration::from_secs(14), "{:?}", before.elapsed());

    let home = Home::new([busy(), busy(), busy(), Scripted::says("Too late.")]).await;
    let why = BackendFault::Busy(Some(Duration::from_secs(7)));
    assert_eq!(end(&home.say("write me a poem").await), &failed(why));
    let long = down(BackendFault::Busy(Some(Duration::from_secs(61))));
    let home = Home::new([long, Scripted::says("Too late.")]).await;
    home.say("write me a poem").await;
    assert_eq!(home.model.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn cancelling_while_it_waits_sends_nothing_more() {
    let home =
        Home::new([down(BackendFault::Busy(Some(Duration::from_secs(30)))), Scripted::says("x")]).await;
    let began = home.assistant.chat(&Caller::owner(), Target::New, "write me a poem").await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    home.assistant.cancel(&Caller::owner(), began.turn).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(home.model.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_keeps_failing_is_not_waited_for_but_asked_before_a_person_is() {
    let it = chained(WhenLocalIsDown::Fail, [], [], Categories::NONE).await;
    for _ in 0..3 {
        it.home.say("write me a poem").await;
    }
    assert_eq!(it.local.requests().len(), 3);
    // The rules answer what they are sure of, without asking it again.
    let events = it.home.say("how much space is left").await;
    assert_eq!((said(&events).as_str(), it.local.requests().len()), ("Free: 1 GB.", 3));
    assert_eq!(started(&events), ["phrases"]);
    // What they are not sure of it is asked after all.
    it.local.then(Scripted::says("I am back."));
    assert_eq!(said(&it.home.say("write me a poem").await), "I am back.");
    it.local.then(Scripted::says("Still here."));
    assert_eq!(said(&it.home.say("how much space is left").await), "Still here.");
}

#[test]
fn backends_that_nobody_could_tell_apart_are_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let twins: [Arc<dyn Backend>; 2] = [Arc::new(Scripted::new([])), Arc::new(Scripted::new([]))];
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let opened = Assistant::builder(twins, Toolbox::new(), grants).with_store(store).open();
    assert!(matches!(opened, Err(OpenError::SameName(name)) if name.as_str() == "scripted"));
}

/// What each request to the remote one holds of the free space; nothing, where it was not asked for yet.
fn free_space(it: &Chained) -> Vec<Option<Outcome>> {
    let space = |request: &Arc<Request>| {
        request.messages.iter().find_map(|message| match &message.content {
            Content::Result { tool, outcome, .. } if tool == "disk_status" => Some(outcome.clone()),
            _ => None,
        })
    };
    it.remote.requests().iter().map(space).collect()
}

fn one_gigabyte() -> Outcome {
    Outcome::Done(Datum::record([("free", Datum::Bytes(1_000_000_000))]))
}

#[tokio::test(start_paused = true)]
async fn what_is_closed_while_a_request_waits_does_not_go_along_any_more() {
    let busy = down(BackendFault::Busy(Some(Duration::from_secs(30))));
    let read = Scripted::calls([("disk_status", "{}")]);
    let remote = [read, Scripted::says("Far."), busy, Scripted::says("Again.")];
    let it = chained(WhenLocalIsDown::UseRemote, [], remote, Categories::only(Category::System)).await;
    let began = it.home.assistant.chat(&Caller::owner(), Target::New, "write me a poem").await.unwrap();
    it.home.listen(began.turn).await;
    let to = Target::Conversation(began.conversation);
    let again = it.home.assistant.chat(&Caller::owner(), to, "write me another").await.unwrap();
    while it.remote.requests().len() < 3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    it.home.assistant.close_category(&Caller::owner(), Category::System).await.unwrap();
    assert_eq!(said(&it.home.listen(again.turn).await), "Again.");
    let free = Some(one_gigabyte());
    assert_eq!(free_space(&it), [None, free.clone(), free, Some(Outcome::Withheld)]);
}

/// A tool whose names are listed slowly, once somebody has slowed it.
#[derive(Default)]
struct Slow {
    waits: AtomicBool,
    begun: Notify,
    go_on: Notify,
}

struct Names(Arc<Slow>);

impl Candidates for Slow {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async {
            if self.waits.load(SeqCst) {
                self.begun.notify_one();
                self.go_on.notified().await;
            }
            Ok(vec![Candidate::new("hello")])
        })
    }
}

impl Read for Names {
    type Args = App;
    fn spec(&self) -> Spec {
        Spec::new("app_status", Category::Apps, "How an app is.").slot(Slot::live("app", self.0.clone()))
    }
    async fn read(&self, _: &Caller, _: App) -> Result<Datum, ToolError> {
        Ok(Datum::record([]))
    }
}

#[tokio::test]
async fn what_is_closed_while_the_tools_are_listed_does_not_go_along_any_more() {
    let slow = Arc::new(Slow::default());
    let (node, store): (Arc<Node>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let far = [Scripted::calls([("disk_status", "{}")]), Scripted::says("Far."), Scripted::says("Again.")];
    let remote = Arc::new(Scripted::new(far).remote(Categories::only(Category::System)));
    let backends: [Arc<dyn Backend>; 1] = [Arc::clone(&remote) as _];
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let assistant = Assistant::builder(backends, toolbox(&node).read(Names(Arc::clone(&slow))), grants)
        .with_store(Arc::clone(&store))
        .with_sink(Arc::new(PollPending))
        .open()
        .expect("opens");
    let home = Home { node, model: Arc::clone(&remote), store, assistant }.open_all().await;
    let it = Chained { home, local: Arc::new(Scripted::new([])), remote };
    let began = it.home.assistant.chat(&Caller::owner(), Target::New, "write me a poem").await.unwrap();
    it.home.listen(began.turn).await;
    slow.waits.store(true, SeqCst);
    let to = Target::Conversation(began.conversation);
    let owner = Caller::owner();
    let closing = async {
        slow.begun.notified().await;
        it.home.assistant.close_category(&owner, Category::System).await.unwrap();
        slow.go_on.notify_one();
    };
    let (again, ()) = tokio::join!(it.home.assistant.chat(&owner, to, "write me another"), closing);
    it.home.listen(again.unwrap().turn).await;
    assert_eq!(free_space(&it), [None, Some(one_gigabyte()), Some(Outcome::Withheld)]);
}

#[tokio::test(start_paused = true)]
async fn the_owners_standing_word_holds_for_what_is_open_alone() {
    let remote = [Scripted::calls([("disk_status", "{}")]), Scripted::says("Far."), Scripted::says("Again.")];
    let opened = Categories::only(Category::System);
    let it = chained(WhenLocalIsDown::UseRemote, [], remote, opened).await;
    let began = it.home.assistant.chat(&Caller::owner(), Target::New, "write me a poem").await.unwrap();
    it.home.listen(began.turn).await;
    it.home.assistant.close_category(&Caller::owner(), Category::System).await.unwrap();
    let to = Target::Conversation(began.conversation);
    let again = it.home.assistant.chat(&Caller::owner(), to, "write me another").await.unwrap();
    it.home.listen(again.turn).await;
    assert_eq!(free_space(&it), [None, Some(one_gigabyte()), Some(Outcome::Withheld)]);
}
