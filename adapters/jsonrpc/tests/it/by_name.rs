//! Each method by its name.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use archy_assistant::{Browser, BrowserVerb, Caller, Door, OwnerRole, Principal, Scope, Scripted};
use archy_wire::{Code, Event, EventsRead, Fault, Settled};
use serde_json::{Value, json};

use crate::house::{House, dark};

async fn says(house: &House, text: &str) -> (String, String) {
    let began = house.call("chat", json!({ "text": text })).await.expect("it is taken");
    let part = |name: &str| began[name].as_str().expect("an id").to_owned();
    (part("turn"), part("conversation"))
}

fn code(answer: Result<Value, Fault>) -> Code {
    answer.expect_err("it is refused").code
}

#[tokio::test]
async fn a_turn_is_listened_to_over_plain_http_and_read_again_later() {
    let house = House::new([Scripted::says("Good morning.")]).await;
    let (turn, conversation) = says(&house, "hi").await;
    let events = house.events(&turn).await;
    let text: String = events
        .iter()
        .filter_map(|numbered| match &numbered.event {
            Event::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, "Good morning.");
    assert!(events.iter().enumerate().all(|(place, event)| event.seq as usize == place), "{events:?}");
    assert!(matches!(events.last().expect("an end").event, Event::Finished { .. }), "{events:?}");
    assert_eq!(house.events(&turn).await, events);

    let listed = house.call("history", json!({ "do": "list" })).await.expect("a list");
    assert_eq!(listed["conversations"][0]["id"], *conversation);
    let asked = json!({ "do": "page", "conversation": conversation });
    let page = house.call("history", asked).await.expect("a page");
    assert_eq!(
        (&page["turns"][0]["said"], &page["turns"][0]["answer"]),
        (&json!("hi"), &json!("Good morning."))
    );
    let found = house.call("history", json!({ "do": "search", "words": "morning" })).await.expect("found");
    assert_eq!(found["found"][0]["conversation"], *conversation);
    let asked = json!({ "do": "export", "conversation": conversation });
    assert_eq!(house.call("history", asked).await.expect("all of it")["turns"][0]["turn"], *turn);
    let asked = json!({ "do": "forget", "conversation": conversation });
    assert_eq!(house.call("history", asked.clone()).await, Ok(json!({})));
    assert_eq!(code(house.call("history", asked).await), Code::Unknown);
}

#[tokio::test(start_paused = true)]
async fn where_nothing_happens_the_wait_for_an_event_ends() {
    let house = House::new(dark()).await;
    let (turn, _) = says(&house, "make the theme dark").await;
    house.question().await;
    let began = tokio::time::Instant::now();
    let asked = json!({ "turn": turn, "after": 2, "wait_ms": 4_000_000_000_u32 });
    let read = house.call("events", asked).await.expect("it is known");
    assert_eq!(read, json!({ "events": [], "over": false }));
    assert_eq!(began.elapsed(), Duration::from_secs(25));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_fetched_shown_and_answered_once() {
    let house = House::new(dark()).await;
    let (turn, _) = says(&house, "make the theme dark").await;
    let question = house.question().await;
    assert_eq!((question.turn.as_str(), question.place, question.of), (turn.as_str(), 1, 1));
    assert!(question.text.contains("light → dark"), "{}", question.text);
    let shown = json!({ "id": question.id, "digest": question.digest });
    let yes = json!({ "id": question.id, "digest": question.digest, "decision": "confirm" });

    assert_eq!(code(house.call("confirm-tool", yes.clone()).await), Code::TooSoon);
    assert_eq!(house.call("confirm-shown", shown.clone()).await, Ok(json!({})));
    assert_eq!(code(house.call("confirm-tool", yes.clone()).await), Code::TooSoon);
    tokio::time::advance(Duration::from_millis(700)).await;
    let other = json!({ "id": question.id, "digest": "00".repeat(32), "decision": "confirm" });
    assert_eq!(code(house.call("confirm-tool", other).await), Code::Unknown);
    for _ in 0..2 {
        let resolved = house.call("confirm-tool", yes.clone()).await.expect("it counts");
        assert_eq!(resolved["outcome"], "done");
    }
    assert_eq!(house.host.changed.load(SeqCst), 1);
    let events = house.events(&turn).await;
    let resolved =
        |event: &Event| matches!(event, Event::ConfirmationResolved { outcome: Settled::Done, .. });
    assert_eq!(events.iter().filter(|numbered| resolved(&numbered.event)).count(), 1, "{events:?}");
}

#[tokio::test]
async fn the_page_says_what_became_of_what_it_was_asked() {
    let theme = || Scripted::calls([("theme", r#"{"target":"dark"}"#)]);
    let house = House::new([theme(), Scripted::says("Well."), theme(), Scripted::says("Well.")]).await;
    let page = Caller::owner().with_browser(Browser::NONE.with(BrowserVerb::Theme, ["dark"]));
    for (outcome, not_done) in [("done", None), ("not-done", Some("this page did not do it".to_owned()))] {
        let began = archy_jsonrpc::call(&house.assistant, &page, "chat", json!({ "text": "make it dark" }));
        let began = began.await.expect("it is taken");
        let (mut after, mut asked) = (None, None);
        while asked.is_none() {
            let params = json!({ "turn": began["turn"], "after": after, "wait_ms": 20_000, "most": 1 });
            let read = house.call("events", params).await.expect("it is known");
            let read: EventsRead = serde_json::from_value(read).expect("events");
            after = read.events.last().map(|last| last.seq).or(after);
            asked = read.events.into_iter().find_map(|numbered| match numbered.event {
                Event::BrowserAction { call, verb, target } => Some((call, verb, target)),
                _ => None,
            });
        }
        assert_eq!(asked, Some((0, "theme".to_owned(), "dark".to_owned())));
        let said = json!({ "turn": began["turn"], "call": 0, "outcome": outcome });
        assert_eq!(house.call("browsed", said.clone()).await, Ok(json!({})));
        let events = house.events(began["turn"].as_str().expect("an id")).await;
        let ended = events.into_iter().find_map(|numbered| match numbered.event {
            Event::ToolFinished { call: 0, not_done, .. } => Some(not_done),
            _ => None,
        });
        assert_eq!(ended, Some(not_done));
        assert_eq!(code(house.call("browsed", said).await), Code::Unknown, "it is believed once");
    }
}

#[tokio::test]
async fn what_stands_at_the_nodes_own_page_stands_nowhere_else() {
    let house = House::new(dark()).await;
    let owner = Principal::owner();
    let frame = Caller::relayed(owner.clone(), Scope::EVERYTHING, Door::Frame, owner, OwnerRole);
    let ask = async |method: &str, params: Value| {
        archy_jsonrpc::call(&house.assistant, &frame, method, params).await
    };
    let began = ask("chat", json!({ "text": "make the theme dark" })).await.expect("it may speak");
    let question = house.question().await;
    let shown = json!({ "id": question.id, "digest": question.digest });
    let yes = json!({ "id": question.id, "digest": question.digest, "decision": "confirm" });
    assert_eq!(ask("pending", Value::Null).await, Ok(json!({ "confirmations": [] })));
    assert_eq!(code(ask("confirm-shown", shown).await), Code::Unknown);
    assert_eq!(code(ask("confirm-tool", yes).await), Code::Unknown);
    assert_eq!(code(ask("grants", json!({ "do": "read" })).await), Code::Forbidden);
    assert_eq!(code(ask("grants", json!({ "do": "open", "category": "wallet" })).await), Code::Forbidden);
    assert_eq!(code(ask("audit", json!({ "do": "page" })).await), Code::Forbidden);
    assert_eq!(ask("cancel", json!({ "turn": began["turn"] })).await, Ok(json!({})));
    assert_eq!(house.host.changed.load(SeqCst), 0);
}

#[tokio::test]
async fn what_is_closed_is_listed_to_its_owner_alone_and_the_audit_says_who_closed_it() {
    let house = House::new([]).await;
    let names = |tools: &Value| -> Vec<String> {
        let tools = tools["tools"].as_array().expect("tools");
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let all = ["setting_get", "settings_list", "setting_set"];
    let listed = house.call("list-tools", Value::Null).await.expect("tools");
    assert_eq!(names(&listed), all);
    assert!(listed["tools"].as_array().expect("tools").iter().all(|tool| tool["category"] == "system"));

    let closed = house.call("grants", json!({ "do": "close", "category": "system" })).await.expect("closed");
    assert_eq!(closed["open"].as_array().expect("categories").len(), 9);
    assert_eq!(names(&house.call("list-tools", json!({})).await.expect("tools")).len(), 3);
    let owner = Principal::owner();
    let frame = Caller::relayed(owner.clone(), Scope::EVERYTHING, Door::Frame, owner, OwnerRole);
    let there = archy_jsonrpc::call(&house.assistant, &frame, "list-tools", json!({})).await.expect("tools");
    assert_eq!(there, json!({ "tools": [] }));

    let page = house.call("audit", json!({ "do": "page", "most": 1 })).await.expect("a page");
    let line = &page["lines"][0];
    assert_eq!((&line["fact"], &line["about"]), (&json!("grant-closed"), &json!("system")));
    assert_eq!(line["principal"], "owner");
    let verified = house.call("audit", json!({ "do": "verify" })).await.expect("a look");
    assert_eq!((&verified["type"], &verified["last"]), (&json!("sound"), &line["seq"]));
    assert_eq!(house.call("grants", json!({ "do": "close-all" })).await.expect("closed")["open"], json!([]));
}

#[tokio::test]
async fn what_is_not_asked_as_it_must_be_is_refused_and_does_nothing() {
    let house = House::new([]).await;
    for (method, params, wanted) in [
        ("no-such", json!({}), Code::NoMethod),
        ("chat", Value::Null, Code::BadParams),
        ("chat", json!({ "text": "" }), Code::BadParams),
        ("chat", json!({ "text": "x".repeat(1 << 20) }), Code::BadParams),
        ("chat", json!({ "text": "hi", "approved": true }), Code::BadParams),
        ("chat", json!({ "text": "hi", "conversation": "00" }), Code::Unknown),
        ("events", json!({ "turn": "nobody's" }), Code::Unknown),
        ("pending", json!({ "all": true }), Code::BadParams),
        ("confirm-tool", json!({ "id": "x", "digest": "y", "decision": "confirm" }), Code::Unknown),
        ("confirm-tool", json!({ "id": "x", "digest": "y", "decision": "yes" }), Code::BadParams),
        ("confirm-tool", json!({ "id": "x", "decision": "confirm" }), Code::BadParams),
        ("grants", json!({ "do": "open", "category": "everything" }), Code::BadParams),
        ("grants", json!({ "do": "read", "category": "apps" }), Code::BadParams),
        ("history", json!({ "do": "list", "most": -1 }), Code::BadParams),
    ] {
        assert_eq!(code(house.call(method, params.clone()).await), wanted, "{method} {params}");
    }
    let listed = house.call("history", json!({ "do": "list" })).await.expect("a list");
    assert_eq!(listed, json!({ "conversations": [] }));
}
