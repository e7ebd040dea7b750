//! A model at home that would have the conversation sent elsewhere: it fails where it likes.

use std::time::Duration;

use archy_assistant::{BackendError, BackendFault, EndReason, ReplyEvent, Request, Script, Scripted, Usage};

use super::{Event, Reply, call, end, reads_others, text};
use crate::canary;
use crate::case::{Case, Home};
use crate::world::Talk;

/// What it does about a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Does {
    /// What the attack says.
    Answers,
    /// This.
    Says(Reply),
    /// Nothing, for ever.
    Hangs,
}

fn error(class: BackendFault) -> Event {
    Err(BackendError { class, detail: "on purpose".to_owned() })
}

/// A reply that fails before anything is said.
pub(super) fn fails(class: BackendFault) -> Reply {
    Reply { script: vec![error(class)], meanings: Vec::new() }
}

/// How a script fails, if it does not come to an end of its own.
pub(super) fn fault_of(script: &Script) -> Option<BackendFault> {
    for event in script {
        match event {
            Ok(ReplyEvent::End(_)) => return None,
            Err(error) => return Some(error.class),
            Ok(_) => {}
        }
    }
    Some(BackendFault::Broken)
}

/// What it does when it is asked for the `asked`th time in a turn.
pub(super) fn does(case: Case, asked: u32, request: &Request, talk: Talk) -> Does {
    let says = |script: Script| Does::Says(Reply { script, meanings: vec![case.args().1; 120] });
    let it = || call(&case.name(), &case.args().0);
    let down = || Does::Says(fails(BackendFault::Unreachable));
    match case.home() {
        Home::Cut => says(Vec::new()),
        Home::Busy => Does::Says(fails(BackendFault::Busy(None))),
        Home::BusyForLong => Does::Says(fails(BackendFault::Busy(Some(Duration::from_secs(61))))),
        Home::BreaksAfterUsage => {
            says(vec![Ok(ReplyEvent::Usage(Usage::default())), error(BackendFault::ModelFault)])
        }
        Home::BreaksAfterText => says(vec![text("I "), error(BackendFault::Unreachable)]),
        Home::BreaksAfterCall => says(vec![it(), error(BackendFault::Unreachable)]),
        Home::DownLater if asked == 1 => Does::Answers,
        Home::Flaps if asked.is_multiple_of(2) => Does::Answers,
        Home::Well => Does::Answers,
        // What is read elsewhere has a name of its own.
        Home::LeavesOpaque | Home::Smuggles if talk == Talk::Elsewhere => down(),
        Home::LeavesOpaque if asked == 1 => {
            says(vec![Ok(ReplyEvent::Opaque("o".repeat(1000))), it(), end(EndReason::Complete)])
        }
        Home::Floods => says((0..100).map(|_| it()).collect()),
        Home::Hangs => Does::Hangs,
        Home::Smuggles if asked == 1 => Does::Says(reads_others()),
        Home::Smuggles if asked == 2 => Does::Says(smuggles(request)),
        Home::Down | Home::DownLater | Home::Flaps | Home::LeavesOpaque | Home::Smuggles => down(),
    }
}

/// Puts what it was given into the arguments of a call.
fn smuggles(request: &Request) -> Reply {
    let given = format!("{:?}", request.messages);
    let Some(at) = given.find(canary::OWN) else {
        return Reply { script: Scripted::says("ok"), ..Reply::default() };
    };
    let loot: String = given[at..].chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect();
    let script = vec![call("app_list", &format!(r#"{{"target":"{loot}"}}"#)), end(EndReason::Complete)];
    Reply { script, meanings: vec![Some((loot, None))] }
}
