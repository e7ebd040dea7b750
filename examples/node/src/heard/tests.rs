use archy_assistant::{BackendFault, Finished};
use serde_json::json;

use super::*;

fn started(backend: &str, locality: Locality, mind: Mind) -> Event {
    Event::Started { backend: backend.to_owned(), locality, mind }
}

fn rules() -> Event {
    started("phrases", Locality::OnNode, Mind::Rules)
}

fn finished(end: End, outcomes: &[Settled]) -> Event {
    let receipt = |outcome: &Settled| Receipt {
        tool: Shown::line("app_restart"),
        args: Shown::line("{}"),
        outcome: *outcome,
        says: Shown::line(outcome.says()),
    };
    let receipts = outcomes.iter().map(receipt).collect();
    Event::Finished(Finished { end, usage: Usage::default(), receipts })
}

#[test]
fn each_end_has_its_code() {
    let failed = |failure| Event::Failed { failure, receipts: Vec::new() };
    for (event, exit) in [
        (finished(End::Answered, &[]), Exit::Done),
        (finished(End::AsksBack { choices: Vec::new() }, &[]), Exit::Done),
        (finished(End::Answered, &[Settled::Done, Settled::Done]), Exit::Done),
        (finished(End::Answered, &[Settled::Done, Settled::Denied]), Exit::NotAgreed),
        (finished(End::Answered, &[Settled::Expired]), Exit::NotAgreed),
        (finished(End::Answered, &[Settled::Revoked]), Exit::NotAgreed),
        (finished(End::Answered, &[Settled::TargetChanged]), Exit::Failed),
        (finished(End::Answered, &[Settled::Failed, Settled::Denied]), Exit::Failed),
        (finished(End::Answered, &[Settled::OutcomeUnknown, Settled::Failed]), Exit::OutcomeUnknown),
        (finished(End::Cancelled, &[Settled::Cancelled]), Exit::Cancelled),
        (finished(End::Cancelled, &[Settled::OutcomeUnknown]), Exit::OutcomeUnknown),
        (finished(End::Interrupted, &[]), Exit::Failed),
        (failed(Failure::Backend(BackendFault::Unreachable)), Exit::NoAnswer),
        (failed(Failure::Empty), Exit::NoAnswer),
        (failed(Failure::Declined), Exit::NoAnswer),
        (failed(Failure::Store), Exit::Failed),
    ] {
        assert_eq!(Heard::of([&rules(), &event]).exit(), exit, "{event:?}");
    }
    let closed = [Event::Closed(Category::Apps), finished(End::Answered, &[])];
    assert_eq!(Heard::of(&closed).exit(), Exit::Closed);
    assert_eq!(Heard::of(&closed[..1]).exit(), Exit::Failed, "its end was not heard");
}

#[test]
fn who_answered_and_what_left_is_told() {
    let own = started("ollama big", Locality::OwnNetwork, Mind::Model);
    let here = started("ollama tiny", Locality::OnNode, Mind::Model);
    let remote = started("claude", Locality::Remote, Mind::Model);
    let switched = Event::BackendSwitched {
        from: "ollama big".to_owned(),
        to: "phrases".to_owned(),
        why: BackendFault::Unreachable,
        leaves: archy_assistant::Categories::NONE,
    };
    let withheld = Event::Withheld { category: Category::System, backend: "claude".to_owned() };
    let broken = Event::BackendSwitched {
        from: "ollama big".to_owned(),
        to: "phrases".to_owned(),
        why: BackendFault::Broken,
        leaves: archy_assistant::Categories::NONE,
    };
    let text = Event::Text(Shown::line("Yes."));
    let failed = |failure| Event::Failed { failure, receipts: Vec::new() };
    let unreachable = failed(Failure::Backend(BackendFault::Unreachable));
    let busy = failed(Failure::Backend(BackendFault::Busy(None)));
    let cancelled = finished(End::Cancelled, &[]);
    for (events, says) in [
        (vec![], "Answered by the node itself; no model was used; nothing left the node."),
        (
            vec![&rules(), &text],
            "Answered by phrases on this node; no model was used; nothing left the node.",
        ),
        (vec![&here, &here, &text], "Answered by ollama tiny on this node; nothing left the node."),
        (
            vec![&own, &text],
            "Answered by ollama big on your own network; the conversation went to ollama big on your own \
             network and no further.",
        ),
        (
            vec![&own, &switched, &rules(), &text],
            "Answered by phrases on this node; ollama big on your own network could not be reached; nothing left \
             the node.",
        ),
        (
            vec![&own, &broken, &rules(), &text],
            "Answered by phrases on this node; ollama big on your own network did not answer; what you said may \
             have gone to ollama big.",
        ),
        (
            vec![&here, &unreachable],
            "Nobody answered; ollama tiny on this node could not be reached; nothing left the node.",
        ),
        (
            vec![&remote, &unreachable],
            "Nobody answered; claude elsewhere could not be reached; nothing left the node.",
        ),
        (
            vec![&remote, &busy],
            "Nobody answered; claude elsewhere did not answer; what you said may have gone to claude.",
        ),
        (
            vec![&remote, &text, &unreachable],
            "Answered in part by claude elsewhere; what you said went to claude.",
        ),
        (
            vec![&remote, &cancelled],
            "Nobody answered; claude elsewhere was asked; what you said may have gone to claude.",
        ),
        (vec![&remote, &text], "Answered by claude elsewhere; what you said went to claude."),
        (
            vec![&remote, &withheld, &text],
            "Answered by claude elsewhere; what you said went to claude, but nothing of: system.",
        ),
    ] {
        assert_eq!(Heard::of(events.iter().copied()).provenance(), says);
    }
}

#[test]
fn a_call_has_one_end() {
    let [tool, args] = ["file_read", "{}"].map(Shown::line);
    let (call, why) = (CallId(0), Shown::line("there is no such file"));
    let heard = Heard::of(&[
        Event::ToolStarted { call, tool: tool.clone(), args },
        Event::ToolFinished { call, tool, not_done: Some(why) },
    ]);
    let calls = serde_json::to_value(&heard.calls).unwrap();
    let expected =
        json!([{"call": 0, "tool": "file_read", "args": "{}", "not_done": "there is no such file"}]);
    assert_eq!(calls, expected);
    assert_eq!(heard.why()[0], "It rests on file_read {}, which was not done: there is no such file");
}
