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
        Event::BrowserAction(action) => {
            wire::Event::BrowserAction { verb: action.verb.name().to_owned(), target: action.target }
        }
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
