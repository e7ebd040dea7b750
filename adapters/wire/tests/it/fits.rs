//! Whether the schemas say what the types take: each request and answer here is tried against both.

use archy_wire::*;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// As much of JSON Schema as the derived ones use.
fn fits(schema: &Value, root: &Value, value: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema.as_bool().expect("a schema") };
    schema.iter().all(|(word, rule)| match word.as_str() {
        "$ref" => {
            let name = rule.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a definition");
            fits(&root["$defs"][name], root, value)
        }
        "oneOf" => all(rule).filter(|rule| fits(rule, root, value)).count() == 1,
        "anyOf" => all(rule).any(|rule| fits(rule, root, value)),
        "const" => rule == value,
        "enum" => all(rule).any(|one| one == value),
        "type" if rule.is_array() => all(rule).any(|kind| is(kind, value)),
        "type" => is(rule, value),
        "minimum" => value.as_f64().is_none_or(|number| Some(number) >= rule.as_f64()),
        "maximum" => value.as_f64().is_none_or(|number| Some(number) <= rule.as_f64()),
        "required" => all(rule).all(|name| value.get(name.as_str().expect("a name")).is_some()),
        "properties" => rule
            .as_object()
            .expect("rules")
            .iter()
            .all(|(name, rule)| value.get(name).is_none_or(|value| fits(rule, root, value))),
        "additionalProperties" => value.as_object().is_none_or(|value| {
            assert_eq!(rule, &json!(false), "the derived ones have no other");
            let known = schema.get("properties");
            value.keys().all(|name| known.is_some_and(|known| known.get(name).is_some()))
        }),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| fits(rule, root, item))),
        "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
        word => panic!("the schemas use {word}"),
    })
}

fn all(rule: &Value) -> impl Iterator<Item = &Value> {
    rule.as_array().expect("a list").iter()
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a kind") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        kind => panic!("the schemas use {kind}"),
    }
}

/// What both say of it.
fn agree<T: JsonSchema + DeserializeOwned>(value: &Value, taken: bool) {
    let schema = schema_for!(T).to_value();
    let name = T::schema_name();
    assert_eq!(serde_json::from_value::<T>(value.clone()).is_ok(), taken, "{name} takes {value}");
    assert_eq!(fits(&schema, &schema, value), taken, "the schema of {name} takes {value}");
}

#[test]
fn the_schemas_take_the_requests_that_are_taken_and_no_others() {
    agree::<Nothing>(&json!({}), true);
    agree::<Nothing>(&json!({ "x": 1 }), false);
    for (value, taken) in [
        (json!({ "text": "hi" }), true),
        (json!({ "text": "hi", "conversation": null }), true),
        (json!({ "text": "hi", "conversation": "00" }), true),
        (json!({ "text": "hi", "conversation": 3 }), false),
        (json!({ "text": null }), false),
        (json!({ "text": "hi", "approved": true }), false),
        (json!({}), false),
    ] {
        agree::<Chat>(&value, taken);
    }
    for (value, taken) in [
        (json!({ "turn": "00" }), true),
        (json!({ "turn": "00", "after": null, "wait_ms": 4_294_967_295_u32, "most": 0 }), true),
        (json!({ "turn": "00", "wait_ms": null }), false),
        (json!({ "turn": "00", "wait_ms": "5" }), false),
        (json!({ "turn": "00", "wait_ms": -1 }), false),
        (json!({ "turn": "00", "after": 1.5 }), false),
    ] {
        agree::<ReadEvents>(&value, taken);
    }
    for (value, taken) in [
        (json!({ "id": "a", "digest": "b", "decision": "confirm" }), true),
        (json!({ "id": "a", "digest": "b", "decision": "other" }), false),
        (json!({ "id": "a", "digest": ["b"], "decision": "deny" }), false),
        (json!({ "id": "a", "decision": "deny" }), false),
    ] {
        agree::<Confirm>(&value, taken);
    }
    for (value, taken) in [
        (json!({ "do": "list" }), true),
        (json!({ "do": "page", "conversation": "00", "before": null, "most": 3 }), true),
        (json!({ "do": "search", "words": "x" }), true),
        (json!({ "do": "export", "conversation": "00", "most": 3 }), false),
        (json!({ "do": "forget" }), false),
        (json!({ "conversation": "00" }), false),
    ] {
        agree::<History>(&value, taken);
    }
    for (value, taken) in [
        (json!({ "do": "read" }), true),
        (json!({ "do": "open", "category": "ai-local" }), true),
        (json!({ "do": "open" }), false),
        (json!({ "do": "read", "category": "apps" }), false),
        (json!({ "do": "close-all", "x": null }), false),
    ] {
        agree::<Grants>(&value, taken);
    }
    agree::<Audit>(&json!({ "do": "page", "before": 18_446_744_073_709_551_615_u64 }), true);
    agree::<Audit>(&json!({ "do": "verify", "before": 1 }), false);
}

#[test]
fn the_schemas_take_the_answers_that_are_given() {
    fn given<T: JsonSchema + Serialize + DeserializeOwned>(answer: &T) {
        agree::<T>(&serde_json::to_value(answer).expect("JSON"), true);
    }
    let (id, says) = ("00".to_owned(), "done".to_owned());
    let receipt =
        || Receipt { tool: id.clone(), args: id.clone(), outcome: Settled::Done, says: says.clone() };
    let event = |seq, event| Numbered { seq, at: u64::MAX, event };
    let events = || {
        let (backend, from, to) = (id.clone(), id.clone(), id.clone());
        let usage = Usage { input: Some(1), output: None };
        let end = End::AsksBack { choices: vec![id.clone()] };
        vec![
            event(0, Event::Started { backend, locality: Locality::OnNode, mind: Mind::Rules }),
            event(1, Event::ToolFinished { call: 1, tool: id.clone(), not_done: None }),
            event(2, Event::ConfirmationRequired { id: id.clone(), call: None }),
            event(3, Event::BackendSwitched { from, to, why: says.clone(), leaves: vec![Category::Apps] }),
            event(u32::MAX, Event::Finished { end, usage, receipts: vec![receipt()] }),
        ]
    };
    given(&EventsRead { events: events(), over: true });
    given(&Began { turn: id.clone(), conversation: id.clone() });
    given(&Resolution { outcome: Settled::OutcomeUnknown, says: says.clone() });
    given(&GrantsRead { open: vec![Category::Wallet], held: false });
    given(&Verified::Sound { first: 1, last: u64::MAX });
    given(&Verified::Broken { line: 1, says: says.clone() });
    given(&Fault::new(Code::TooSoon, "wait"));
    given(&Tools {
        tools: vec![Tool { name: id.clone(), about: id.clone(), effect: Effect::Write, category: None }],
    });
    let (said, answer, receipts) = (id.clone(), id.clone(), vec![receipt()]);
    let turn = Turned { turn: id.clone(), at: 1, said, answer, receipts, events: events() };
    given(&Turns { turns: vec![turn], older: None });
    given(&AuditPage {
        lines: vec![AuditLine {
            seq: 1,
            at: 1,
            fact: id.clone(),
            about: id.clone(),
            principal: None,
            turn: Some(id.clone()),
            confirmation: None,
        }],
        older: Some(1),
    });
}
