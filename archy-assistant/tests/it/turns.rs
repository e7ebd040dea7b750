//! A turn from what is said to its end.

use std::sync::Arc;

use archy_assistant::*;

use crate::home::*;

#[tokio::test(start_paused = true)]
async fn a_read_is_done_and_its_result_goes_back_to_the_model() {
    let home = Home::new([Scripted::calls([("disk_status", "{}")]), Scripted::says("1 GB is free.")]).await;
    let events = home.say("how much space is left?").await;
    let tool = Shown::line("disk_status");
    assert_eq!(
        events,
        vec![
            Event::Started { backend: "scripted".to_owned(), locality: Locality::OnNode, mind: Mind::Model },
            Event::ToolStarted { call: CallId(0), tool: tool.clone(), args: Shown::line("{}") },
            Event::ToolFinished { call: CallId(0), tool, not_done: None },
            Event::Text(Shown::line("1 GB is free.")),
            finished(End::Answered, vec![]),
        ]
    );
    let second = home.model.requests()[1].clone();
    let contents: Vec<_> = second.messages.iter().map(|message| &message.content).collect();
    assert!(matches!(contents[0], Content::Said(text) if text == "how much space is left?"));
    assert!(matches!(contents[1], Content::Reply { calls, .. } if calls.len() == 1));
    assert!(matches!(contents[2], Content::Result { outcome: Outcome::Done(_), .. }));
}

#[tokio::test(start_paused = true)]
async fn a_closed_category_does_not_exist_for_a_model() {
    let home = Home::with(
        Scripted::new([
            Scripted::calls([("disk_status", "{}"), ("no_such", "{}")]),
            Scripted::says("Sorry."),
        ]),
        Arc::new(MemoryStore::new()),
        Arc::default(),
        Limits::default(),
    );
    let events = home.say("something").await;
    let answers: Vec<_> = events
        .iter()
        .filter_map(
            |event| if let Event::ToolFinished { not_done, .. } = event { Some(not_done) } else { None },
        )
        .collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0], answers[1], "closed and unknown read the same");
    assert!(home.model.requests()[0].tools.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_was_cut_runs_nothing() {
    let mut cut = Scripted::calls([("disk_status", "{}")]);
    cut.pop();
    let home = Home::new([cut]).await;
    let events = home.say("how much space is left?").await;
    let failure = Failure::Backend(BackendFault::Broken);
    assert_eq!(end(&events), &Event::Failed { failure, receipts: vec![] });
    assert!(!events.iter().any(|event| matches!(event, Event::ToolStarted { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_reply_cut_by_length_runs_nothing() {
    let mut cut = Scripted::calls([("disk_status", "{}")]);
    cut.pop();
    cut.push(Ok(ReplyEvent::End(EndReason::Length)));
    let home = Home::new([cut]).await;
    let events = home.say("how much space is left?").await;
    assert!(!events.iter().any(|event| matches!(event, Event::ToolStarted { .. })));
}

#[tokio::test(start_paused = true)]
async fn identical_reads_are_answered_from_the_first_and_circles_end() {
    let call = || Scripted::calls([("disk_status", "{}"), ("disk_status", "{}")]);
    let home = Home::new([call(), call(), call(), Scripted::says("Enough.")]).await;
    let events = home.say("space").await;
    let started = events.iter().filter(|event| matches!(event, Event::ToolStarted { .. })).count();
    let ended = events.iter().filter(|event| matches!(event, Event::ToolFinished { .. })).count();
    assert_eq!((started, ended), (1, 6), "read once, answered each time");
    assert_eq!(home.model.requests().last().map(|request| request.calls), Some(Calls::None));
    assert_eq!(said(&events), "Enough.");
}

#[tokio::test(start_paused = true)]
async fn the_step_limit_ends_with_an_answer() {
    let apps = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|app| format!(r#"{{"app":"{app}"}}"#));
    let mut scripts: Vec<_> = apps.iter().take(7).map(|args| Scripted::calls([("app_logs", args)])).collect();
    scripts.push(Scripted::says("That is what I know."));
    let home = Home::new(scripts).await;
    let events = home.say("logs").await;
    assert_eq!(end(&events), &finished(End::StepLimit, vec![]));
    assert_eq!(home.model.requests().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_gets_one_nudge_then_an_error() {
    let empty = || vec![Ok(ReplyEvent::End(EndReason::Complete))];
    let home = Home::new([empty(), empty()]).await;
    let events = home.say("hello").await;
    assert_eq!(end(&events), &Event::Failed { failure: Failure::Empty, receipts: vec![] });
    let home = Home::new([empty(), Scripted::says("Hello.")]).await;
    assert_eq!(said(&home.say("hello").await), "Hello.");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_without_words_ends_the_turn_and_one_with_words_is_told() {
    let refused = || Ok(ReplyEvent::End(EndReason::Refused));
    let text = |text: &str| Ok(ReplyEvent::Text(text.to_owned()));
    let call = Ok(ReplyEvent::Call { tool: "disk_status".to_owned(), args: "{}".to_owned() });
    let declined = Event::Failed { failure: Failure::Declined, receipts: vec![] };
    for script in [vec![refused()], vec![text("\n"), refused()], vec![call, refused()]] {
        let home = Home::new([script, Scripted::says("Well then.")]).await;
        assert_eq!(end(&home.say("hello").await), &declined);
        assert_eq!(home.model.requests().len(), 1, "it is not asked again");
    }
    assert_eq!(Failure::Declined.to_string(), "The model declined to answer.");
    // After a look too, and a new question is a new one.
    let home =
        Home::new([Scripted::calls([("disk_status", "{}")]), vec![refused()], Scripted::says("Hello.")])
            .await;
    let began = home.assistant.chat(&Caller::owner(), Target::New, "space?").await.unwrap();
    assert_eq!(end(&home.listen(began.turn).await), &declined);
    let to = Target::Conversation(began.conversation);
    let began = home.assistant.chat(&Caller::owner(), to, "hello").await.unwrap();
    assert_eq!(said(&home.listen(began.turn).await), "Hello.");
    let home = Home::new([vec![text("I won't."), refused()]]).await;
    let events = home.say("hello").await;
    assert_eq!((said(&events).as_str(), end(&events)), ("I won't.", &finished(End::Answered, vec![])));
}

#[tokio::test(start_paused = true)]
async fn events_can_be_listened_to_again_from_anywhere() {
    let home = Home::new([Scripted::calls([("disk_status", "{}")]), Scripted::says("1 GB.")]).await;
    let owner = Caller::owner();
    let began = home.assistant.chat(&owner, Target::New, "space?").await.unwrap();
    let live = home.listen(began.turn).await;
    let replayed = home.listen(began.turn).await;
    assert_eq!(live, replayed, "the journal gives the same events");
    let mut rest = home.assistant.events(&owner, began.turn, Some(2)).unwrap();
    let mut last = Vec::new();
    while let Some(numbered) = rest.next().await {
        last.push(numbered.event);
    }
    assert_eq!(last, live[3..]);
}

#[tokio::test(start_paused = true)]
async fn another_persons_conversation_looks_unknown() {
    let home = Home::new([Scripted::says("Hello."), Scripted::says("Hello.")]).await;
    let began = home.assistant.chat(&Caller::owner(), Target::New, "hello").await.unwrap();
    home.listen(began.turn).await;
    let guest = Caller::chrome(Principal::new("guest").unwrap(), Scope::EVERYTHING, OwnerRole);
    let to = Target::Conversation(began.conversation);
    assert!(matches!(home.assistant.chat(&guest, to, "and?").await, Err(Refused::Unknown)));
    assert!(matches!(home.assistant.events(&guest, began.turn, None), Err(Refused::Unknown)));
    assert!(matches!(home.assistant.history(&guest, began.conversation, None, 9), Err(Refused::Unknown)));
    assert!(matches!(home.assistant.forget(&guest, began.conversation).await, Err(Refused::Unknown)));
    let theirs = home.assistant.chat(&guest, Target::New, "hello").await.unwrap();
    let mut events = home.assistant.events(&Caller::owner(), theirs.turn, None).unwrap();
    assert!(events.next().await.is_some(), "the owner's chrome may read all");
}

#[tokio::test(start_paused = true)]
async fn what_rests_on_a_category_does_not_go_to_a_remote_that_may_not_have_it() {
    let remote = Scripted::new([Scripted::calls([("disk_status", "{}")]), Scripted::says("Done.")])
        .remote(Categories::only(Category::Apps));
    let home =
        Home::with(remote, Arc::new(MemoryStore::new()), Arc::default(), Limits::default()).open_all().await;
    let events = home.say("how much space is left?").await;
    assert_eq!(said(&events), "Free: 1 GB.\n\nDone.", "the person is shown it in the tool's own sentence");
    let withheld = Event::Withheld { category: Category::System, backend: "scripted, remote".to_owned() };
    assert!(events.contains(&withheld));
    let second = home.model.requests()[1].clone();
    assert!(
        second.messages.iter().any(|message| {
            matches!(&message.content, Content::Result { outcome: Outcome::Withheld, .. })
        })
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_said_by_different_ones_or_at_different_times_stands_apart() {
    let text = |text: &str| Ok(ReplyEvent::Text(text.to_owned()));
    let looks = [text("Let me "), text("look.")].into_iter();
    let looks =
        looks.chain(Scripted::calls([("disk_status", "{}"), ("app_logs", r#"{"app":"a"}"#)])).collect();
    let ends = Ok(ReplyEvent::End(EndReason::Complete));
    let far = Scripted::new([looks, vec![text("\n"), text("\nEnough "), text("room.\n"), ends]]);
    let far = far.remote(Categories::NONE);
    let home = Home::with(far, Arc::new(MemoryStore::new()), Arc::default(), Limits::default());
    *home.node.log.lock().unwrap() = "out of memory".to_owned();
    let home = home.open_all().await;
    let began = home.assistant.chat(&Caller::owner(), Target::New, "space?").await.unwrap();
    let events = home.listen(began.turn).await;
    let told = "Let me look.\n\nFree: 1 GB.\n\nlines:\n  | out of memory\n\nEnough room.\n";
    assert_eq!(said(&events), told);
    assert_eq!(home.listen(began.turn).await, events, "the journal gives the same events");
}

#[tokio::test(start_paused = true)]
async fn history_is_listed_paged_searched_exported_and_forgotten() {
    let home =
        Home::new([Scripted::says("One."), Scripted::says("Two, a nightingale."), Scripted::says("Three.")])
            .await;
    let owner = Caller::owner();
    let first = home.assistant.chat(&owner, Target::New, "the first").await.unwrap();
    home.listen(first.turn).await;
    let second =
        home.assistant.chat(&owner, Target::Conversation(first.conversation), "and then").await.unwrap();
    home.listen(second.turn).await;
    home.say("another").await;

    let all = home.assistant.conversations(&owner, None, 10).unwrap();
    assert_eq!(
        all.items.iter().map(|item| item.title.as_str()).collect::<Vec<_>>(),
        ["another", "the first"]
    );
    let page = home.assistant.history(&owner, first.conversation, None, 1).unwrap();
    assert_eq!(page.items[0].answer.as_str(), "Two, a nightingale.");
    let older = home.assistant.history(&owner, first.conversation, page.older, 9).unwrap();
    assert_eq!((older.items[0].answer.as_str(), older.older), ("One.", None));
    let found = home.assistant.search(&owner, "NIGHTINGALE", 9).unwrap();
    assert_eq!(found.iter().map(|(_, turned)| turned.turn).collect::<Vec<_>>(), [second.turn]);
    let exported = home.assistant.export(&owner, first.conversation).unwrap();
    assert_eq!(
        exported.turns.iter().map(|turn| turn.said.0.as_str()).collect::<Vec<_>>(),
        ["the first", "and then"]
    );

    home.assistant.forget(&owner, first.conversation).await.unwrap();
    assert!(matches!(home.assistant.history(&owner, first.conversation, None, 9), Err(Refused::Unknown)));
    assert!(matches!(home.assistant.events(&owner, first.turn, None), Err(Refused::Unknown)));
    assert_eq!(home.assistant.conversations(&owner, None, 10).unwrap().items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_long_or_empty_is_refused_before_anything() {
    let home = Home::new([]).await;
    for text in ["", "  \n", &"x".repeat(8193)] {
        assert!(matches!(
            home.assistant.chat(&Caller::owner(), Target::New, text).await,
            Err(Refused::Length(8192))
        ));
    }
    assert_eq!(home.assistant.conversations(&Caller::owner(), None, 9).unwrap().items, []);
}

#[tokio::test(start_paused = true)]
async fn without_a_backend_the_turn_says_so() {
    let home = Home::new([]).await;
    let failure = Failure::Backend(BackendFault::Unreachable);
    assert_eq!(end(&home.say("hello").await), &Event::Failed { failure, receipts: vec![] });
}

#[tokio::test(start_paused = true)]
async fn text_and_calls_beyond_their_limits_end_in_a_clear_error() {
    let home = Home::new([Scripted::says(&"x".repeat(70_000))]).await;
    let failure = Failure::Limit(Limited::Text);
    assert_eq!(end(&home.say("hello").await), &Event::Failed { failure, receipts: vec![] });
    let flood: Vec<_> = (0..100)
        .map(|_| Ok(ReplyEvent::Call { tool: "disk_status".to_owned(), args: "{}".to_owned() }))
        .chain([Ok(ReplyEvent::End(EndReason::Complete))])
        .collect();
    let home = Home::new([flood]).await;
    let failure = Failure::Limit(Limited::Calls);
    assert_eq!(end(&home.say("hello").await), &Event::Failed { failure, receipts: vec![] });
}

#[tokio::test(start_paused = true)]
async fn a_browser_action_reaches_only_a_door_that_declares_it_and_only_its_targets() {
    let script = || {
        [
            Scripted::calls([("open-app", r#"{"target":"hello"}"#), ("open-app", r#"{"target":"lnd"}"#)]),
            Scripted::says("Look."),
        ]
    };
    let home = Home::new(script().into_iter().chain(script())).await;
    let owner = Caller::owner().with_browser(Browser::NONE.with(BrowserVerb::OpenApp, ["hello"]));
    for (caller, actions) in [(owner, 1), (Caller::owner(), 0)] {
        let began = home.assistant.chat(&caller, Target::New, "show me hello").await.unwrap();
        let events = home.listen(began.turn).await;
        let asked = events.iter().filter(|event| matches!(event, Event::BrowserAction { .. })).count();
        assert_eq!(asked, actions);
        // What no page does is not done, and what is none of its targets is no tool.
        let not_done: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::ToolFinished { not_done: Some(why), .. } => Some(why.to_string()),
                _ => None,
            })
            .collect();
        let (none, nobody) = ("there is no such tool here", "this page did not do it");
        assert_eq!(not_done, if actions == 1 { [none, nobody] } else { [none, none] });
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_asks_no_backend_again() {
    let home =
        Home::new([Scripted::calls([("app_restart", r#"{"app":"hello"}"#)]), Scripted::says("Never.")]).await;
    let (began, _) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    home.assistant.cancel(&Caller::owner(), began.turn).await.unwrap();
    assert_eq!(home.model.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn shutting_down_closes_what_runs_and_takes_nothing_new() {
    let home = Home::new([Scripted::calls([("app_restart", r#"{"app":"hello"}"#)])]).await;
    let (began, _) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    assert!(home.assistant.shutdown(std::time::Duration::from_secs(5)).await);
    assert!(
        matches!(end(&home.listen(began.turn).await), Event::Finished(finished) if finished.end == End::Interrupted)
    );
    assert!(matches!(
        home.assistant.chat(&Caller::owner(), Target::New, "hello").await,
        Err(Refused::Stopping)
    ));
}

#[tokio::test]
async fn what_is_remembered_of_a_conversation_is_what_its_journal_says() {
    let calls = || Scripted::calls([("disk_status", "{}"), ("app_logs", r#"{"app":"lnd"}"#)]);
    let scripts =
        [calls(), Scripted::says("Half full."), calls(), Scripted::says("Still."), Scripted::says("Yes.")];
    let home = Home::new(scripts).await;
    let owner = Caller::owner();
    let began = home.assistant.chat(&owner, Target::New, "how full is it?").await.unwrap();
    home.listen(began.turn).await;
    for text in ["and now?", "sure?"] {
        let to = Target::Conversation(began.conversation);
        let next = home.assistant.chat(&owner, to, text).await.unwrap();
        home.listen(next.turn).await;
    }
    let remembered = home.model.requests().last().unwrap().messages.clone();

    // Another one over the same store remembers nothing.
    let last = home.model.requests().len();
    let reopened =
        Home::with(Scripted::new([Scripted::says("Yes.")]), home.store, home.node, Limits::default());
    assert_eq!((remembered.len(), last), (11, 5));
    let to = Target::Conversation(began.conversation);
    let next = reopened.assistant.chat(&owner, to, "sure?").await.unwrap();
    reopened.listen(next.turn).await;
    let read = reopened.model.requests().last().unwrap().messages.clone();
    assert_eq!(read[..11], remembered);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_hears_the_end_of_a_turn_can_go_on_at_once() {
    let mut limits = Limits::default();
    limits.said_per_minute = u32::MAX;
    let model = Scripted::new((0..200).map(|_| Scripted::says("Yes.")));
    let home = Home::with(model, Arc::new(MemoryStore::new()), Arc::default(), limits).open_all().await;
    let owner = Caller::owner();
    let mut to = Target::New;
    for _ in 0..200 {
        let began = home.assistant.chat(&owner, to, "sure?").await.expect("the turn before has ended");
        home.listen(began.turn).await;
        to = Target::Conversation(began.conversation);
    }
}
