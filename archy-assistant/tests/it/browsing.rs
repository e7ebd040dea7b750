//! What a turn asks of the person's own screen, and what becomes of it.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use archy_assistant::*;
use futures_core::Stream as _;

use crate::home::*;

fn page() -> Browser {
    Browser::NONE.with(BrowserVerb::Theme, ["light", "dark"]).with_called(
        BrowserVerb::Navigate,
        "audit",
        ["the audit log"],
    )
}

fn owner() -> Caller {
    Caller::owner().with_browser(page())
}

fn dark() -> Script {
    Scripted::calls([("theme", r#"{"target":"dark"}"#)])
}

/// A turn that waits for the page, and the events until it does.
async fn waiting(home: &Home) -> (Began, Events) {
    let began = home.assistant.chat(&owner(), Target::New, "make it dark").await.expect("it is taken");
    let mut events = home.assistant.events(&owner(), began.turn, None).expect("it is known");
    loop {
        if let Event::BrowserAction { call, action } = events.next().await.expect("it goes on").event {
            assert_eq!((call, &*action.target, action.verb), (CallId(0), "dark", BrowserVerb::Theme));
            return (began, events);
        }
    }
}

async fn rest(mut events: Events) -> Vec<Event> {
    let mut rest = Vec::new();
    while let Some(numbered) = events.next().await {
        rest.push(numbered.event);
    }
    rest
}

fn through(not_done: Option<&str>) -> Event {
    Event::ToolFinished { call: CallId(0), tool: Shown::line("theme"), not_done: not_done.map(Shown::prose) }
}

#[tokio::test(start_paused = true)]
async fn what_the_page_says_is_the_result_of_the_call() {
    for (browsed, not_done) in [(Browsed::Done, None), (Browsed::NotDone, Some("this page did not do it"))] {
        let home = Home::new([dark(), Scripted::says("Well.")]).await;
        let (began, events) = waiting(&home).await;
        assert_eq!(home.model.requests().len(), 1, "the turn waits");
        home.assistant.browsed(&owner(), began.turn, CallId(0), browsed).unwrap();
        let expected =
            [through(not_done), Event::Text(Shown::line("Well.")), finished(End::Answered, vec![])];
        assert_eq!(rest(events).await, expected);
        let told = home.model.requests()[1].messages.last().map(|message| message.content.clone());
        let Some(Content::Result { outcome, .. }) = told else { panic!("{told:?}") };
        assert_eq!(
            outcome,
            match not_done {
                None => Outcome::Done(Datum::text("The theme of this page is dark now.")),
                Some(why) => Outcome::NotDone(why.to_owned()),
            }
        );
        // The same once more, from the journal.
        let again = rest(home.assistant.events(&owner(), began.turn, None).unwrap()).await;
        assert_eq!(again[again.len() - 3..], expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_says_nothing_in_time_has_not_done_it() {
    let home = Home::new([dark(), Scripted::says("Well.")]).await;
    let (began, events) = waiting(&home).await;
    let events = rest(events).await;
    assert_eq!(events[0], through(Some("this page did not do it")));
    let late = home.assistant.browsed(&owner(), began.turn, CallId(0), Browsed::Done);
    assert!(matches!(late, Err(Refused::Unknown)));
}

#[tokio::test(start_paused = true)]
async fn the_page_is_believed_once_about_what_it_was_asked_and_by_whom_it_concerns() {
    let home = Home::new([dark(), Scripted::says("Well."), Scripted::says("Hello.")]).await;
    let (began, events) = waiting(&home).await;
    let stranger = Caller::chrome(Principal::new("somebody").unwrap(), Scope::EVERYTHING, OwnerRole);
    let refused = |caller: &Caller, turn, call| {
        let told = home.assistant.browsed(caller, turn, call, Browsed::Done);
        assert!(matches!(told, Err(Refused::Unknown)), "{told:?}");
    };
    refused(&owner(), began.turn, CallId(1));
    let other = home.assistant.chat(&owner(), Target::New, "hi").await.unwrap();
    refused(&owner(), other.turn, CallId(0));
    home.assistant.browsed(&owner(), began.turn, CallId(0), Browsed::NotDone).unwrap();
    refused(&owner(), began.turn, CallId(0));
    assert_eq!(rest(events).await[0], through(Some("this page did not do it")));
    let home = Home::new([dark(), Scripted::says("Well.")]).await;
    let (began, _) = waiting(&home).await;
    let told = home.assistant.browsed(&stranger, began.turn, CallId(0), Browsed::Done);
    // The owner's chrome may listen to everybody; nobody else's may to the owner.
    assert!(matches!(told, Err(Refused::Unknown)), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waits_for_the_page_can_be_stopped_and_does_not_survive_a_restart() {
    let home = Home::new([dark()]).await;
    let (began, events) = waiting(&home).await;
    home.assistant.cancel(&owner(), began.turn).await.unwrap();
    assert_eq!(rest(events).await, [through(Some("stopped")), finished(End::Cancelled, vec![])]);
    let told = home.assistant.browsed(&owner(), began.turn, CallId(0), Browsed::Done);
    assert!(matches!(told, Err(Refused::Unknown)));
    let home = Home::new([dark()]).await;
    let (_, events) = waiting(&home).await;
    assert!(home.assistant.shutdown(std::time::Duration::from_secs(5)).await);
    assert_eq!(
        rest(events).await,
        [through(Some("the node was stopped")), finished(End::Interrupted, vec![])]
    );
}

#[tokio::test(start_paused = true)]
async fn the_same_is_asked_once_and_something_else_beside_it() {
    let both = Scripted::calls([
        ("theme", r#"{"target":"dark"}"#),
        ("navigate", r#"{"target":"audit"}"#),
        ("theme", r#"{ "target": "dark" }"#),
        ("disk_status", "{}"),
        ("theme", r#"{"target":"blue"}"#),
    ]);
    let home = Home::new([both, Scripted::says("Well.")]).await;
    let began = home.assistant.chat(&owner(), Target::New, "show me").await.unwrap();
    let mut events = home.assistant.events(&owner(), began.turn, None).unwrap();
    let (mut asked, mut ended) = (Vec::new(), Vec::new());
    while let Some(numbered) = events.next().await {
        match numbered.event {
            Event::BrowserAction { call, action } => {
                home.assistant.browsed(&owner(), began.turn, call, Browsed::Done).unwrap();
                asked.push((call.0, action.target));
            }
            Event::ToolFinished { call, not_done, .. } => ended.push((call.0, not_done.is_none())),
            _ => {}
        }
    }
    assert_eq!(asked, [(0, "dark".to_owned()), (1, "audit".to_owned())]);
    ended.sort_unstable();
    assert_eq!(
        ended,
        [(0, true), (1, true), (2, true), (3, true), (4, false)],
        "blue is none of its targets"
    );
}

/// A page on another thread, as quick as can be: it answers in the moment in which it is told something.
struct Quick {
    assistant: Assistant,
    turn: TurnId,
    heard: Mutex<u32>,
}

impl Wake for Quick {
    fn wake(self: Arc<Self>) {
        let told = self.assistant.browsed(&owner(), self.turn, CallId(1), Browsed::Done);
        *self.heard.lock().expect("nobody panics with it") += u32::from(told.is_ok());
    }
}

/// A store with such a page, which listens again at each commit: what is told comes after.
struct Watched(MemoryStore, Mutex<Option<(Events, Waker)>>);

impl Store for Watched {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        if let Some((events, waker)) = &mut *self.1.lock().expect("nobody panics with it") {
            let mut context = Context::from_waker(waker);
            while let Poll::Ready(Some(_)) = Pin::new(&mut *events).poll_next(&mut context) {}
        }
        self.0.commit(batch, durability)
    }
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(table, key)
    }
    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        self.0.scan(scan)
    }
    fn copy_to(&self, file: &std::path::Path) -> Result<(), StoreError> {
        self.0.copy_to(file)
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_answers_in_the_moment_it_is_asked_is_heard() {
    let store = Arc::new(Watched(MemoryStore::new(), Mutex::default()));
    let light = Scripted::calls([("theme", r#"{"target":"light"}"#)]);
    let model = Scripted::new([dark(), light, Scripted::says("Well.")]);
    let home = Home::with(model, Arc::clone(&store) as Arc<dyn Store>, Arc::default(), Limits::default());
    let (began, _) = waiting(&home).await;
    let (assistant, turn) = (home.assistant.clone(), began.turn);
    let quick = Arc::new(Quick { assistant, turn, heard: Mutex::default() });
    let events = home.assistant.events(&owner(), turn, None).unwrap();
    *store.1.lock().unwrap() = Some((events, Waker::from(Arc::clone(&quick))));
    home.assistant.browsed(&owner(), turn, CallId(0), Browsed::Done).unwrap();
    let all = home.listen(turn).await;
    *store.1.lock().unwrap() = None;
    let call = CallId(1);
    let action = BrowserAction { verb: BrowserVerb::Theme, target: "light".to_owned() };
    let args = Shown::line(r#"{"target":"light"}"#);
    let expected = [
        Event::ToolStarted { call, tool: Shown::line("theme"), args },
        Event::BrowserAction { call, action },
        Event::ToolFinished { call, tool: Shown::line("theme"), not_done: None },
        Event::Text(Shown::line("Well.")),
        finished(End::Answered, vec![]),
    ];
    assert_eq!(all[all.len() - 5..], expected, "asked, done and told, in this order");
    assert_eq!(*quick.heard.lock().unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_another_action_has_changed_since_is_asked_again() {
    let theme = |target: &str| Scripted::calls([("theme", &*format!(r#"{{"target":"{target}"}}"#))]);
    let home = Home::new([theme("dark"), theme("light"), theme("dark"), Scripted::says("Well.")]).await;
    let began = home.assistant.chat(&owner(), Target::New, "make it flicker").await.unwrap();
    let mut events = home.assistant.events(&owner(), began.turn, None).unwrap();
    let mut asked = Vec::new();
    while let Some(numbered) = events.next().await {
        if let Event::BrowserAction { call, action } = numbered.event {
            home.assistant.browsed(&owner(), began.turn, call, Browsed::Done).unwrap();
            asked.push(action.target);
        }
    }
    assert_eq!(asked, ["dark", "light", "dark"]);
}

#[tokio::test(start_paused = true)]
async fn a_radio_contact_says_nothing_for_the_owners_page_and_another_door_without_one_is_asked_nothing() {
    let home = Home::new([dark(), Scripted::says("Well."), dark(), Scripted::says("Well.")]).await;
    let (began, events) = waiting(&home).await;
    let told = home.assistant.browsed(&radio(), began.turn, CallId(0), Browsed::Done);
    assert!(matches!(told, Err(Refused::Unknown)), "{told:?}");
    home.assistant.browsed(&owner(), began.turn, CallId(0), Browsed::Done).unwrap();
    assert_eq!(rest(events).await[0], through(None));
    let began = home.assistant.chat(&radio(), Target::New, "make it dark").await.unwrap();
    let events = rest(home.assistant.events(&radio(), began.turn, None).unwrap()).await;
    assert!(!events.iter().any(|event| matches!(event, Event::BrowserAction { .. })), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_killed_while_the_page_is_asked_ends_the_turn_and_keeps_what_was_told() {
    let home = Home::new([dark()]).await;
    let (began, _) = waiting(&home).await;
    let store = Arc::new(MemoryStore::new());
    // What was committed until now, as a copy: the first node is not asked to end anything.
    let mut batch = Batch::new();
    for table in Table::ALL {
        let all = Scan { table, prefix: vec![], beyond: None, order: Order::Up, limit: usize::MAX };
        for (key, value) in home.store.scan(&all).unwrap() {
            batch = batch.put(table, key, value);
        }
    }
    store.commit(&batch, Durability::Kept).unwrap();
    let before = home.assistant.events(&owner(), began.turn, None).unwrap();
    let again = Home::with(Scripted::new([]), store, Arc::clone(&home.node), Limits::default());
    let told = again.assistant.browsed(&owner(), began.turn, CallId(0), Browsed::Done);
    assert!(matches!(told, Err(Refused::Unknown)), "{told:?}");
    let after = again.listen(began.turn).await;
    home.assistant.cancel(&owner(), began.turn).await.unwrap();
    let before = rest(before).await;
    let told = before.len() - 2;
    assert_eq!(after[..told], before[..told], "what was told stands");
    assert_eq!(after[told..], [through(Some("the node was stopped")), finished(End::Interrupted, vec![])]);
}
