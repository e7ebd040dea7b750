//! What an adversary tries at the door.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use archy_assistant::{Caller, Door, OwnerRole, Principal, Scope, Scripted};
use archy_jsonrpc::{METHODS, module, params};
use archy_wire::{self as wire, Code, Event, Fault};
use jsonrpsee::Extensions;
use serde_json::{Value, json};

use crate::house::{House, dark};

#[tokio::test]
async fn parameters_by_position_are_refused_whatever_dispatcher_gives_them() {
    let house = House::new([]).await;
    for (method, params) in [
        ("chat", json!([null, "hi"])),
        ("history", json!(["list"])),
        ("grants", json!(["close-all"])),
        ("list-tools", json!("x")),
    ] {
        let answer = house.call(method, params.clone()).await;
        assert_eq!(answer.map_err(|fault| fault.code), Err(Code::BadParams), "{method} {params}");
    }
}

#[test]
fn a_parameter_that_is_given_twice_is_refused() {
    for text in [
        r#"{"id":"a","digest":"shown","decision":"deny","digest":"other"}"#,
        r#"{"decision":"deny","decision":"confirm"}"#,
        r#"{"do":"read","\u0064o":"close-all"}"#,
        r#"["x"]"#,
        r#""x""#,
        r#"{"text":"hi"} {}"#,
    ] {
        assert_eq!(params(Some(text)).map_err(|fault| fault.code), Err(Code::BadParams), "{text}");
    }
    for text in [None, Some("null"), Some("[]"), Some(" [ ] ")] {
        assert_eq!(params(text), Ok(Value::Null), "{text:?}");
    }
    assert_eq!(params(Some(r#"{"text":"hi"}"#)), Ok(json!({ "text": "hi" })));
    let deep = format!(r#"{{"text":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(params(Some(&deep)).map_err(|fault| fault.code), Err(Code::BadParams));
}

#[tokio::test]
async fn the_last_event_is_said_to_be_the_last_also_where_no_more_were_asked_for() {
    let house = House::new([Scripted::says("Good morning.")]).await;
    let began = house.call("chat", json!({ "text": "hi" })).await.expect("it is taken");
    let turn = began["turn"].as_str().expect("an id");
    let all = house.events(turn).await;
    let asked = json!({ "turn": turn, "most": all.len() });
    let read = house.call("events", asked).await.expect("it is known");
    assert_eq!((read["events"].as_array().map(Vec::len), &read["over"]), (Some(all.len()), &json!(true)));
    let asked = json!({ "turn": turn, "most": all.len() - 1 });
    assert_eq!(house.call("events", asked).await.expect("it is known")["over"], json!(false));
}

#[tokio::test]
async fn a_relayed_caller_sees_nothing_of_a_turn_beyond_its_own_end() {
    let house = House::new(dark()).await;
    let owner = Principal::owner();
    let frame = Caller::relayed(owner.clone(), Scope::EVERYTHING, Door::Frame, owner, OwnerRole);
    let ask = async |method: &str, params: Value| {
        archy_jsonrpc::call(&house.assistant, &frame, method, params).await.expect("it may")
    };
    let began = ask("chat", json!({ "text": "make the theme dark" })).await;
    let turn = &began["turn"];
    let read = ask("events", json!({ "turn": turn, "wait_ms": 20_000 })).await;
    let mut all: Vec<wire::Numbered> = serde_json::from_value(read["events"].clone()).expect("events");
    while !matches!(all.last().map(|last| &last.event), Some(Event::Finished { .. })) {
        let after = all.last().map(|last| last.seq);
        let read = ask("events", json!({ "turn": turn, "after": after, "wait_ms": 20_000 })).await;
        all.extend(serde_json::from_value::<wire::EventsRead>(read).expect("events").events);
    }
    let last = all.last().expect("an end");
    assert!(matches!(last.event, Event::Finished { end: wire::End::Waiting, .. }), "{all:?}");
    let question = house.question().await;
    let no = json!({ "id": question.id, "digest": question.digest, "decision": "deny" });
    house.call("confirm-tool", no).await.expect("a no counts at once");
    let beyond = ask("events", json!({ "turn": turn, "after": last.seq, "wait_ms": 20_000 })).await;
    assert_eq!(beyond, json!({ "events": [], "over": true }), "while it runs");
    while house.assistant.stats().turns > 0 {
        tokio::task::yield_now().await;
    }
    let beyond = ask("events", json!({ "turn": turn, "after": last.seq, "wait_ms": 20_000 })).await;
    assert_eq!(beyond, json!({ "events": [], "over": true }), "from its journal");
}

/// A session that ends while somebody listens.
#[tokio::test]
async fn whoever_has_logged_out_hears_no_more_of_a_turn() {
    let house = House::new(dark()).await;
    let began = house.call("chat", json!({ "text": "make the theme dark" })).await.expect("it is taken");
    let question = house.question().await;
    let logged_in = Arc::new(AtomicBool::new(true));
    let session = Arc::clone(&logged_in);
    let module = module(house.assistant.clone(), "assistant", move |_, _| {
        let out = || Fault::new(Code::Unauthenticated, "log in first");
        session.load(SeqCst).then(Caller::owner).ok_or_else(out)
    });
    let module = module.expect("its names differ");
    let request = |method: &str, params: Value| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
    };
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let listen = request("assistant.listen", json!({ "turn": began["turn"] }));
    let (_, mut listening) = module.raw_json_request(&listen, 16).await.expect("a request");
    let last = loop {
        let told = read(listening.recv().await.expect("it goes on").get());
        let Some(event) = told["params"].get("result") else { continue };
        if event["event"]["type"] == "confirmation-required" {
            break event["seq"].clone();
        }
    };
    let wait =
        request("assistant.events", json!({ "turn": began["turn"], "after": last, "wait_ms": 25_000 }));
    let polling = async { module.raw_json_request(&wait, 16).await.expect("a request").0 };
    let logging_out = async {
        tokio::task::yield_now().await;
        logged_in.store(false, SeqCst);
        let no = json!({ "id": question.id, "digest": question.digest, "decision": "deny" });
        house.call("confirm-tool", no).await.expect("a no counts at once");
    };
    let (polled, ()) = tokio::join!(polling, logging_out);
    assert_eq!(read(polled.get())["error"]["code"], Code::Unauthenticated.number());
    let last = read(listening.recv().await.expect("it is told why").get());
    assert_eq!(last["params"]["error"]["code"], Code::Unauthenticated.number(), "{last}");
    assert!(listening.recv().await.is_none(), "nothing comes after that");
}

#[tokio::test]
async fn nobody_unknown_is_answered_by_what_ends_listening() {
    let house = House::new([]).await;
    let nobody = |_: &Extensions, _: &str| Err(Fault::new(Code::Unauthenticated, "log in first"));
    let module = module(house.assistant.clone(), "assistant", nobody).expect("its names differ");
    let names: Vec<&str> = module.method_names().collect();
    assert_eq!(names.len(), METHODS.len() + 2);
    for name in names {
        for params in [json!([]), json!(["x"]), json!({})] {
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": name, "params": params }).to_string();
            let (answer, _) = module.raw_json_request(&request, 1).await.expect("a request");
            let answer: Value = serde_json::from_str(answer.get()).expect("JSON");
            assert_eq!(answer["error"]["code"], Code::Unauthenticated.number(), "{name} {params}");
        }
    }
}
