//! The shapes as other languages are told them, and what older and newer sides make of each other.

mod fits;

use archy_wire::*;
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

fn schema<T: JsonSchema>() -> (String, Value) {
    (T::schema_name().into_owned(), schema_for!(T).to_value())
}

/// A change here is a change for every page, voice app and script: it may add, and takes nothing away.
#[test]
fn the_schemas_of_requests_and_answers() {
    let requests = [
        schema::<Nothing>(),
        schema::<Chat>(),
        schema::<ReadEvents>(),
        schema::<Cancel>(),
        schema::<ReportBrowsed>(),
        schema::<ConfirmShown>(),
        schema::<Confirm>(),
        schema::<History>(),
        schema::<Grants>(),
        schema::<Audit>(),
        schema::<MeshConfigure>(),
    ];
    insta::assert_json_snapshot!("requests", requests.into_iter().collect::<serde_json::Map<_, _>>());
    let answers = [
        schema::<Began>(),
        schema::<EventsRead>(),
        schema::<Pending>(),
        schema::<Resolution>(),
        schema::<Tools>(),
        schema::<Conversations>(),
        schema::<Turns>(),
        schema::<Found>(),
        schema::<Exported>(),
        schema::<GrantsRead>(),
        schema::<AuditPage>(),
        schema::<Verified>(),
        schema::<MeshStatus>(),
        schema::<Fault>(),
    ];
    insta::assert_json_snapshot!("answers", answers.into_iter().collect::<serde_json::Map<_, _>>());
}

#[test]
fn an_older_client_passes_over_what_a_newer_node_tells() {
    let newer = json!({ "seq": 3, "at": 5, "event": { "type": "sang", "song": "x" }, "more": 1 });
    let read: Numbered = serde_json::from_value(newer).expect("it is read");
    assert_eq!(read, Numbered { seq: 3, at: 5, event: Event::Other });
    let newer = json!({ "type": "slept", "hours": 8 });
    assert_eq!(serde_json::from_value::<End>(newer).expect("it is read"), End::Other);
}

#[test]
fn an_older_client_passes_over_a_word_that_a_newer_node_has() {
    fn other<T: serde::de::DeserializeOwned>() -> T {
        serde_json::from_value(json!("quantum")).expect("it is read")
    }
    assert_eq!(other::<Locality>(), Locality::Other);
    assert_eq!(other::<Mind>(), Mind::Other);
    assert_eq!(other::<Effect>(), Effect::Other);
    assert_eq!(other::<Settled>(), Settled::Other);
    assert_eq!(other::<Category>(), Category::Other);
    assert_eq!(other::<Code>(), Code::Other);
    let newer = json!({ "type": "unsure", "line": 3 });
    assert_eq!(serde_json::from_value::<Verified>(newer).expect("it is read"), Verified::Other);
}

#[test]
fn a_request_with_a_field_that_nobody_knows_is_none() {
    for text in [r#"{"text":"hi","approved":true}"#, r#"{"text":"hi","text":"ho"}"#, r#"{"txt":"hi"}"#] {
        serde_json::from_str::<Chat>(text).expect_err(text);
    }
    for text in
        [r#"{"do":"open"}"#, r#"{"do":"open","category":"apps","for":"all"}"#, r#"{"do":"read","x":1}"#]
    {
        serde_json::from_str::<Grants>(text).expect_err(text);
    }
    serde_json::from_str::<Decision>(r#""yes""#).expect_err("an answer is one of two");
}

#[test]
fn no_two_refusals_have_one_number() {
    let mut numbers = Code::ALL.map(Code::number);
    numbers.sort_unstable();
    assert!(numbers.windows(2).all(|two| two[0] != two[1]), "{numbers:?}");
}
