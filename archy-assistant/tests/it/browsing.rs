//! What a turn asks of the person's own screen, and what becomes of it.

use archy_assistant::*;

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
                None => Outcome::Done(Datum::text("This page is dark now.")),
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
