use serde_json::json;

use super::*;
use crate::backend::asked::{message, replied, result, said};
use crate::phrases::cases::offers;
use crate::{Calls, Content, Message, Outcome};

fn name_and_about(offer: &Offer) -> Value {
    json!({ "name": offer.spec.name(), "about": offer.spec.about() })
}

fn request(messages: Vec<Message>) -> Request {
    Request { tools: offers(), elsewhere: [].into(), messages, calls: Calls::Allowed, max_text: 8000 }
}

fn names(request: &Request, room: Room) -> Vec<String> {
    let fitted = fit(request, room, Some(name_and_about), None).expect("it fits");
    let tool = |tool: &str| serde_json::from_str::<Value>(tool).expect("JSON");
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    fitted.tools.iter().map(|told| name(&tool(told.get()))).collect()
}

fn card(reads: f32) -> ModelCard {
    ModelCard { calls_tools: true, reads: Some(reads), ..ModelCard::default() }
}

#[test]
fn all_tools_are_told_in_their_order_where_they_fit_and_are_read_in_time() {
    let all: Vec<String> = offers().iter().map(|offer| offer.spec.name().to_owned()).collect();
    let request = request(vec![said("restart lnd")]);
    assert_eq!(names(&request, Room::new(16_384, 4096, None)), all);
    assert_eq!(names(&request, Room::new(16_384, 4096, Some(&card(30.0)))), all);
}

#[test]
fn where_the_context_is_small_those_that_may_be_meant_come_before_all_others() {
    let small = Room::new(900, 256, None);
    let told = names(&request(vec![said("search my notes for tea")]), small);
    assert!(told.contains(&"notes_search".to_owned()) && told.len() < offers().len(), "{told:?}");
    let others = names(&request(vec![said("tell me a joke")]), small);
    assert!(!others.contains(&"notes_search".to_owned()) && !others.is_empty(), "{others:?}");
    let places = told.iter().map(|name| offers().iter().position(|offer| offer.spec.name() == name));
    assert!(places.is_sorted(), "{told:?}");
}

#[test]
fn a_slow_model_is_told_little_more_than_what_may_be_meant() {
    let slow = card(4.0);
    let told = names(&request(vec![said("restart lnd")]), Room::new(16_384, 4096, Some(&slow)));
    assert!(told.contains(&"app_restart".to_owned()), "{told:?}");
    assert!(told.len() <= 4, "{told:?}");
}

#[test]
fn what_follows_in_the_same_turn_is_told_the_same_tools() {
    let small = Room::new(900, 128, None);
    let mut messages = vec![said("restart lnd")];
    let first = names(&request(messages.clone()), small);
    messages.push(replied("", &[(0, "app_restart", r#"{"app":"lnd"}"#)], &[]));
    messages.push(result(0, "app_restart", Outcome::NotDone("nobody agreed".to_owned())));
    assert_eq!(names(&request(messages), small), first);
}

#[test]
fn the_whole_of_it_is_never_longer_than_the_context() {
    let turn = |number: u32| {
        let text = "how is it? ".repeat(usize::try_from(number % 7).expect("small") + 1);
        [said(&text), replied(&"it is well ".repeat(20), &[], &[])]
    };
    let messages: Vec<Message> = (0..40).flat_map(turn).chain([said("and now?")]).collect();
    let request = request(messages);
    for context in [1200, 2048, 4096, 8192, 16_384, 32_768] {
        let room = Room::new(context, 4096, None);
        let Fitted { system, tools, entries, .. } =
            fit(&request, room, Some(name_and_about), None).expect("it fits");
        let told: usize = tools.iter().map(|tool| tokens(tool.get())).sum();
        let said: usize = entries.iter().map(of).sum();
        assert!(tokens(&system) + told + said + room.reply <= room.context, "{context}");
        assert!(told <= room.context / 2, "{context}");
    }
}

#[test]
fn what_was_said_last_is_told_whole_or_not_at_all() {
    let request = request(vec![said(&"very long ".repeat(2000))]);
    let error = fit(&request, Room::new(4096, 1024, None), Some(name_and_about), None).expect_err("too long");
    assert_eq!(error.class, BackendFault::TooLong);
}

#[test]
fn what_was_too_long_once_is_not_too_long_for_good() {
    let room = Room::new(4096, 1024, None);
    let long = said(&"very long ".repeat(2000));
    for between in [vec![], vec![message(Content::Note("answer now".to_owned()))]] {
        let messages = [vec![long.clone()], between, vec![said("shorter, then")]].concat();
        let request = request(messages);
        let Fitted { entries, .. } =
            fit(&request, room, Some(name_and_about), None).expect("the last turn fits");
        let Entry::Said(said) = &entries[0] else { panic!("{entries:?}") };
        assert_eq!((said.as_str(), entries.len()), ("shorter, then", 1));
    }
    let both = request(vec![said("restart"), said("lnd")]);
    let Fitted { entries, .. } = fit(&both, room, Some(name_and_about), None).expect("it fits");
    let Entry::Said(said) = &entries[0] else { panic!("{entries:?}") };
    assert_eq!((said.as_str(), entries.len()), ("restart\n\nlnd", 1), "nobody's neighbour is of their side");
}

#[test]
fn tools_make_room_for_what_was_said_last() {
    let words = "how is it? ".repeat(60);
    let asked = |said: &str| request(vec![message(Content::Said(said.to_owned()))]);
    // As much for the reply as is for all the rest.
    let room = Room::new(1400, 4096, None);
    assert!(names(&asked("restart lnd"), room).contains(&"app_restart".to_owned()));
    let told = names(&asked(&words), room);
    assert!(!told.is_empty() && told.len() < names(&asked("restart lnd"), room).len(), "{told:?}");
}

#[test]
fn what_is_refused_as_too_long_is_asked_with_half_three_times() {
    let refused = |class| BackendError { class, detail: "no".to_owned() };
    let messages: Vec<Message> =
        (0..40).flat_map(|_| [said("how is it? "), replied(&"well ".repeat(40), &[], &[])]).collect();
    let request = request(messages.into_iter().chain([said("and now?")]).collect());
    let fitted = |room| fit(&request, room, Some(name_and_about), None);
    let mut now = fitted(Room::new(8192, 2048, None)).expect("it fits");
    let mut prompts = vec![now.prompt];
    let error = loop {
        match now.less(refused(BackendFault::TooLong), fitted) {
            Ok(less) => now = less,
            Err(error) => break error,
        }
        prompts.push(now.prompt);
    };
    assert_eq!(error, refused(BackendFault::TooLong), "the server's own words");
    assert!(prompts.len() == 4 && prompts.windows(2).all(|two| two[1] <= two[0] / 2), "{prompts:?}");
    assert_eq!(
        now.less(refused(BackendFault::Busy(None)), fitted).expect_err("another fault").class,
        BackendFault::Busy(None)
    );
}

#[test]
fn thoughts_count_and_stay_behind_before_anything_else_does() {
    let thought = |bytes: usize| format!(r#"{{"by":"m","reasoning_content":"{}"}}"#, "x".repeat(bytes));
    let turn = |thought: &str| {
        let others = r#"{"by":"another","reasoning_content":"y"}"#;
        vec![
            said("how is lnd?"),
            replied("", &[(0, "app_status", "{}")], &[others, thought]),
            result(0, "app_status", Outcome::NotDone("no".to_owned())),
        ]
    };
    let carried = |fitted: &Fitted<'_>| -> Vec<usize> {
        let opaque = fitted.entries.iter().filter_map(|entry| match entry {
            Entry::Reply { opaque, .. } => Some(opaque.len()),
            _ => None,
        });
        opaque.collect()
    };
    let room = Room::new(16_384, 4096, None);
    let fitted = |request: &Request| {
        let fitted = fit(request, room, Some(name_and_about), Some("m")).expect("it fits");
        assert!(fitted.prompt + room.reply <= room.context, "{}", fitted.prompt);
        (carried(&fitted), fitted.entries.len())
    };
    // Of its own alone; older turns with long thoughts are left out; in the last one they are forgotten.
    assert_eq!(fitted(&request([turn(&thought(99)), turn(&thought(99))].concat())), (vec![1, 1], 4));
    assert_eq!(fitted(&request([turn(&thought(60_000)), turn(&thought(99))].concat())), (vec![1], 2));
    assert_eq!(fitted(&request(turn(&thought(60_000)))), (vec![0], 2));
    let ollama = request(turn(&thought(60_000)));
    let fitted = fit(&ollama, room, Some(name_and_about), None).expect("it fits");
    assert_eq!(carried(&fitted), [0], "carried to nobody");
}
