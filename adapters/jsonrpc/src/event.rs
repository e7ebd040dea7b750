//! The events of a turn, as the wire calls them.

use archy_assistant::{BackendError, End, Event, Locality, Mind, Numbered, Receipt, Settled, Usage};
use archy_wire as wire;

use crate::to_wire::{categories, category};

pub(crate) fn numbered(numbered: Numbered) -> wire::Numbered {
    wire::Numbered { seq: numbered.seq, at: numbered.at.0, event: event(numbered.event) }
}

fn event(event: Event) -> wire::Event {
    match event {
        Event::Started { backend, locality, mind } => {
            wire::Event::Started { backend, locality: place(locality), mind: who(mind) }
        }
        Event::Text(text) => wire::Event::Text { text: text.to_string() },
        Event::ToolStarted { call, tool, args } => {
            wire::Event::ToolStarted { call: call.0, tool: tool.to_string(), args: args.to_string() }
        }
        Event::ToolFinished { call, tool, not_done } => {
            let not_done = not_done.map(|why| why.to_string());
            wire::Event::ToolFinished { call: call.0, tool: tool.to_string(), not_done }
        }
        Event::ConfirmationRequired { id, call } => {
            wire::Event::ConfirmationRequired { id: id.to_string(), call: call.map(|call| call.0) }
        }
        Event::ConfirmationResolved { id, outcome } => {
            wire::Event::ConfirmationResolved { id: id.to_string(), outcome: settled(outcome) }
        }
        Event::Closed(closed) => wire::Event::Closed { category: category(closed) },
        Event::BrowserAction { call, action } => wire::Event::BrowserAction {
            call: call.0,
            verb: action.verb.name().to_owned(),
            target: action.target,
        },
        Event::BackendSwitched { from, to, why, leaves } => {
            let why = BackendError { class: why, detail: String::new() }.to_string();
            wire::Event::BackendSwitched { from, to, why, leaves: categories(leaves) }
        }
        Event::Crossed { backend, holds, messages, bytes } => {
            wire::Event::Crossed { backend, holds: categories(holds), messages, bytes }
        }
        Event::Withheld { category: held, backend } => {
            wire::Event::Withheld { category: category(held), backend }
        }
        Event::Finished(finished) => wire::Event::Finished {
            end: end(finished.end),
            usage: used(finished.usage),
            receipts: finished.receipts.iter().map(receipt).collect(),
        },
        Event::Failed { failure, receipts } => wire::Event::Failed {
            says: failure.to_string(),
            receipts: receipts.iter().map(receipt).collect(),
        },
        _ => wire::Event::Other,
    }
}

fn place(locality: Locality) -> wire::Locality {
    match locality {
        Locality::OnNode => wire::Locality::OnNode,
        Locality::OwnNetwork => wire::Locality::OwnNetwork,
        Locality::Remote => wire::Locality::Remote,
    }
}

fn who(mind: Mind) -> wire::Mind {
    match mind {
        Mind::Model => wire::Mind::Model,
        Mind::Rules => wire::Mind::Rules,
    }
}

fn end(end: End) -> wire::End {
    match end {
        End::Answered => wire::End::Answered,
        End::AnsweredInPart => wire::End::AnsweredInPart,
        End::AsksBack { choices } => {
            wire::End::AsksBack { choices: choices.iter().map(ToString::to_string).collect() }
        }
        End::Waiting => wire::End::Waiting,
        End::StepLimit => wire::End::StepLimit,
        End::Cancelled => wire::End::Cancelled,
        End::Interrupted => wire::End::Interrupted,
        _ => wire::End::Other,
    }
}

fn used(usage: Usage) -> wire::Usage {
    wire::Usage { input: usage.input, output: usage.output }
}

pub(crate) fn receipt(receipt: &Receipt) -> wire::Receipt {
    wire::Receipt {
        tool: receipt.tool.to_string(),
        args: receipt.args.to_string(),
        outcome: settled(receipt.outcome),
        says: receipt.says.to_string(),
    }
}

pub(crate) fn settled(settled: Settled) -> wire::Settled {
    match settled {
        Settled::Done => wire::Settled::Done,
        Settled::Failed => wire::Settled::Failed,
        Settled::NotAsked => wire::Settled::NotAsked,
        Settled::Denied => wire::Settled::Denied,
        Settled::Expired => wire::Settled::Expired,
        Settled::Revoked => wire::Settled::Revoked,
        Settled::TargetChanged => wire::Settled::TargetChanged,
        Settled::Superseded => wire::Settled::Superseded,
        Settled::Cancelled => wire::Settled::Cancelled,
        Settled::Voided => wire::Settled::Voided,
        Settled::OutcomeUnknown => wire::Settled::OutcomeUnknown,
    }
}

#[cfg(test)]
mod tests {
    use archy_assistant::{
        BackendFault, BrowserAction, BrowserVerb, CallId, Categories, Category, ConfirmationId, Failure,
        Finished, Limited, Shown, Timestamp,
    };
    use serde_json::{Value, json};

    use super::*;

    const SETTLED: [Settled; 11] = [
        Settled::Done,
        Settled::Failed,
        Settled::NotAsked,
        Settled::Denied,
        Settled::Expired,
        Settled::Revoked,
        Settled::TargetChanged,
        Settled::Superseded,
        Settled::Cancelled,
        Settled::Voided,
        Settled::OutcomeUnknown,
    ];

    fn shown(text: &str) -> Shown {
        Shown::line(text)
    }

    fn sent(event: Event) -> Value {
        let whole = numbered(Numbered { seq: 7, at: Timestamp(9), event });
        let mut whole = serde_json::to_value(whole).unwrap();
        assert_eq!((&whole["seq"], &whole["at"]), (&json!(7), &json!(9)));
        whole["event"].take()
    }

    /// The words on the wire are those under which it is kept.
    #[test]
    fn every_word_is_the_nodes_own() {
        let word = |value: Value| value.as_str().unwrap().to_owned();
        for outcome in SETTLED {
            let kept = word(serde_json::to_value(outcome).unwrap());
            assert_eq!(word(serde_json::to_value(settled(outcome)).unwrap()), kept);
        }
        for category in Category::ALL {
            let there = word(serde_json::to_value(self::category(category)).unwrap());
            assert_eq!(there, category.name());
        }
        for locality in [Locality::OnNode, Locality::OwnNetwork, Locality::Remote] {
            let kept = serde_json::to_value(locality).unwrap();
            assert_eq!(serde_json::to_value(place(locality)).unwrap(), kept);
        }
        for mind in [Mind::Model, Mind::Rules] {
            assert_eq!(serde_json::to_value(who(mind)).unwrap(), serde_json::to_value(mind).unwrap());
        }
    }

    #[test]
    fn every_end_is_told_as_what_it_is() {
        for (end, told) in [
            (End::Answered, json!({ "type": "answered" })),
            (End::AnsweredInPart, json!({ "type": "answered-in-part" })),
            (
                End::AsksBack { choices: vec![shown("a"), shown("b")] },
                json!({ "type": "asks-back", "choices": ["a", "b"] }),
            ),
            (End::Waiting, json!({ "type": "waiting" })),
            (End::StepLimit, json!({ "type": "step-limit" })),
            (End::Cancelled, json!({ "type": "cancelled" })),
            (End::Interrupted, json!({ "type": "interrupted" })),
        ] {
            assert_eq!(serde_json::to_value(super::end(end)).unwrap(), told);
        }
    }

    #[test]
    fn every_event_is_told_whole() {
        let id: ConfirmationId = "0123456789abcdef0123456789abcdef".parse().unwrap();
        let (call, both) = (CallId(3), Categories::NONE.with(Category::Apps).with(Category::Notes));
        let receipts: Vec<Receipt> = SETTLED
            .map(|outcome| Receipt { tool: shown("t"), args: shown("{}"), outcome, says: shown("s") })
            .into();
        let told_receipts: Vec<Value> = SETTLED
            .map(|outcome| json!({ "tool": "t", "args": "{}", "outcome": outcome, "says": "s" }))
            .into();
        for (event, told) in [
            (
                Event::Started { backend: "b".into(), locality: Locality::Remote, mind: Mind::Model },
                json!({ "type": "started", "backend": "b", "locality": "remote", "mind": "model" }),
            ),
            (Event::Text(Shown::prose("x\ny")), json!({ "type": "text", "text": "x\ny" })),
            (
                Event::ToolStarted { call, tool: shown("t"), args: shown("{}") },
                json!({ "type": "tool-started", "call": 3, "tool": "t", "args": "{}" }),
            ),
            (
                Event::ToolFinished { call, tool: shown("t"), not_done: Some(shown("why")) },
                json!({ "type": "tool-finished", "call": 3, "tool": "t", "not_done": "why" }),
            ),
            (
                Event::ToolFinished { call, tool: shown("t"), not_done: None },
                json!({ "type": "tool-finished", "call": 3, "tool": "t" }),
            ),
            (
                Event::ConfirmationRequired { id, call: Some(call) },
                json!({ "type": "confirmation-required", "id": id.to_string(), "call": 3 }),
            ),
            (
                Event::ConfirmationResolved { id, outcome: Settled::Voided },
                json!({ "type": "confirmation-resolved", "id": id.to_string(), "outcome": "voided" }),
            ),
            (Event::Closed(Category::AiLocal), json!({ "type": "closed", "category": "ai-local" })),
            (
                Event::BrowserAction {
                    call: CallId(2),
                    action: BrowserAction { verb: BrowserVerb::OpenApp, target: "files".into() },
                },
                json!({ "type": "browser-action", "call": 2, "verb": "open-app", "target": "files" }),
            ),
            (
                Event::BackendSwitched {
                    from: "a".into(),
                    to: "b".into(),
                    why: BackendFault::Refused,
                    leaves: both,
                },
                json!({
                    "type": "backend-switched", "from": "a", "to": "b", "why": "the backend refused",
                    "leaves": ["apps", "notes"],
                }),
            ),
            (
                Event::Crossed { backend: "b".into(), holds: both, messages: 4, bytes: 1 << 40 },
                json!({
                    "type": "crossed", "backend": "b", "holds": ["apps", "notes"], "messages": 4,
                    "bytes": 1_u64 << 40,
                }),
            ),
            (
                Event::Withheld { category: Category::Wallet, backend: "b".into() },
                json!({ "type": "withheld", "category": "wallet", "backend": "b" }),
            ),
            (
                Event::Finished(Finished {
                    end: End::Answered,
                    usage: Usage { input: Some(5), output: None },
                    receipts: receipts.clone(),
                }),
                json!({
                    "type": "finished", "end": { "type": "answered" }, "usage": { "input": 5 },
                    "receipts": told_receipts,
                }),
            ),
            (
                Event::Failed { failure: Failure::Limit(Limited::Time), receipts },
                json!({
                    "type": "failed", "says": Failure::Limit(Limited::Time).to_string(),
                    "receipts": told_receipts,
                }),
            ),
        ] {
            assert_eq!(sent(event), told);
        }
    }
}
