//! Whoever asks may go away at any moment: a method's future is dropped at each place where it waits.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Poll;
use std::time::Duration;

use archy_assistant::Scripted;
use archy_wire::{Code, Settled};
use serde_json::{Value, json};

use crate::house::{House, dark};

/// Lets a future wait this often, and drops it then. `true` where it came to its end.
async fn dropped_after<F: Future>(waits: usize, future: F) -> bool {
    let mut future = pin!(future);
    let mut waited = 0;
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending if waited == waits => Poll::Ready(false),
        Poll::Pending => {
            waited += 1;
            Poll::Pending
        }
    })
    .await
}

/// Waits until no turn runs.
async fn quiet(house: &House) {
    while house.assistant.stats().turns > 0 {
        tokio::task::yield_now().await;
    }
}

async fn sound(house: &House) -> bool {
    let verified = house.call("audit", json!({ "do": "verify" })).await.expect("a look");
    verified["type"] == "sound"
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_taken_once_and_whole_or_not_at_all() {
    for decision in ["confirm", "deny"] {
        for waits in 0.. {
            let house = House::new(dark()).await;
            let began = house.call("chat", json!({ "text": "make the theme dark" })).await.expect("taken");
            let question = house.question().await;
            let shown = json!({ "id": question.id, "digest": question.digest });
            house.call("confirm-shown", shown).await.expect("it waits");
            tokio::time::advance(Duration::from_millis(700)).await;
            let answer = json!({ "id": question.id, "digest": question.digest, "decision": decision });
            let ended = dropped_after(waits, house.call("confirm-tool", answer.clone())).await;
            let again = house.call("confirm-tool", answer).await.expect("it counts");
            let (outcome, changes) = if decision == "confirm" { ("done", 1) } else { ("denied", 0) };
            assert_eq!(again["outcome"], outcome, "dropped after {waits}");
            let events = house.events(began["turn"].as_str().expect("an id")).await;
            let settled: Vec<Settled> = events
                .iter()
                .filter_map(|numbered| match &numbered.event {
                    archy_wire::Event::ConfirmationResolved { outcome, .. } => Some(*outcome),
                    _ => None,
                })
                .collect();
            let wanted = if changes == 1 { Settled::Done } else { Settled::Denied };
            assert_eq!((settled, house.host.changed.load(SeqCst)), (vec![wanted], changes), "after {waits}");
            assert!(sound(&house).await);
            if ended {
                break;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_said_is_said_whole_or_not_at_all() {
    for waits in 0.. {
        let house = House::new([Scripted::says("Good morning."), Scripted::says("Yes?")]).await;
        let ended = dropped_after(waits, house.call("chat", json!({ "text": "hi" }))).await;
        quiet(&house).await;
        let listed = house.call("history", json!({ "do": "list" })).await.expect("a list");
        for conversation in listed["conversations"].as_array().expect("conversations") {
            assert_eq!(conversation["title"], "hi");
            let page = json!({ "do": "page", "conversation": conversation["id"] });
            // What was being written when the future was dropped is a turn only afterwards.
            let mut answer = Value::Null;
            for _ in 0..1000 {
                let told = house.call("history", page.clone()).await.expect("a page");
                answer = told["turns"][0]["answer"].clone();
                if answer != "" {
                    break;
                }
            }
            assert_eq!(answer, "Good morning.");
            let next = json!({ "text": "and?", "conversation": conversation["id"] });
            house.call("chat", next).await.expect("nothing is in the way");
            quiet(&house).await;
        }
        if ended {
            break;
        }
    }
}

/// Something new is said while a person is asked, and whoever says it goes away.
#[tokio::test(start_paused = true)]
async fn what_supersedes_a_question_leaves_no_question_by_half() {
    for waits in 0.. {
        let house = House::new(dark()).await;
        let began = house.call("chat", json!({ "text": "make the theme dark" })).await.expect("taken");
        house.question().await;
        let next = json!({ "text": "no, wait", "conversation": began["conversation"] });
        let ended = dropped_after(waits, house.call("chat", next)).await;
        let page = json!({ "do": "page", "conversation": began["conversation"] });
        let mut said = Value::Null;
        for _ in 0..1000 {
            said = house.call("history", page.clone()).await.expect("a page")["turns"][0]["said"].clone();
            if said == "no, wait" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(said, "no, wait", "a question was withdrawn for it, after {waits}");
        quiet(&house).await;
        assert_eq!(house.assistant.stats().waiting, 0, "after {waits}");
        assert_eq!(house.host.changed.load(SeqCst), 0);
        assert!(sound(&house).await);
        if ended {
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_stopped_and_a_category_closed_whole_or_not_at_all() {
    for (method, of_turn) in [("cancel", true), ("grants", false)] {
        for waits in 0.. {
            let house = House::new(dark()).await;
            let began = house.call("chat", json!({ "text": "make the theme dark" })).await.expect("taken");
            house.question().await;
            let params =
                if of_turn { json!({ "turn": began["turn"] }) } else { json!({ "do": "close-all" }) };
            let ended = dropped_after(waits, house.call(method, params)).await;
            quiet(&house).await;
            assert_eq!(house.assistant.stats().waiting, 0, "{method} after {waits}");
            assert_eq!(house.host.changed.load(SeqCst), 0);
            let open = house.call("grants", json!({ "do": "read" })).await.expect("the owner may");
            assert_eq!(open["open"].as_array().map(Vec::len), Some(if of_turn { 10 } else { 0 }));
            assert!(sound(&house).await);
            if ended {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_conversation_is_forgotten_whole_or_not_at_all() {
    for waits in 0.. {
        let house = House::new([Scripted::says("Good morning.")]).await;
        let began = house.call("chat", json!({ "text": "hi" })).await.expect("taken");
        quiet(&house).await;
        let forget = json!({ "do": "forget", "conversation": began["conversation"] });
        let ended = dropped_after(waits, house.call("history", forget.clone())).await;
        let gone = loop {
            match house.call("history", forget.clone()).await {
                Err(fault) if fault.code == Code::Busy => tokio::task::yield_now().await,
                gone => break gone,
            }
        };
        assert!(gone.is_ok() || gone.is_err_and(|fault| fault.code == Code::Unknown));
        let read = house.call("events", json!({ "turn": began["turn"] })).await;
        assert_eq!(read.map_err(|fault| fault.code), Err(Code::Unknown));
        let listed = house.call("history", json!({ "do": "list" })).await;
        assert_eq!(listed, Ok(json!({ "conversations": [] })));
        let audit = house.call("audit", json!({ "do": "page" })).await.expect("a page");
        let forgotten = |line: &&Value| line["fact"] == "forgotten";
        let times = audit["lines"].as_array().expect("lines").iter().filter(forgotten).count();
        assert_eq!(times, 1, "dropped after {waits}");
        if ended {
            break;
        }
    }
}
