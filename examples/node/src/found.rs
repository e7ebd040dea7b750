//! What the owner is told of the audit and of the database, in sentences.

use std::path::PathBuf;

use archy_assistant::{Assistant, Categories, Fact, Line, Opened, Shown, Verified};

use crate::cli::Common;
use crate::terminal::tell;

/// At the opening: which files others could have read until now.
pub(crate) fn tell_open(files: &[PathBuf]) {
    for path in files {
        tell(&format!("{} was open to others on this machine; it is for you alone now.", path.display()));
    }
}

/// At the opening: how the audit was found, and what was begun and never heard of again.
pub(crate) fn tell_owner(assistant: &Assistant, common: &Common) {
    let found = opened(assistant.opened());
    match (found, assistant.is_held()) {
        (found, true) => tell(&format!("{} {}", found.unwrap_or_default(), held(common))),
        (Some(found), false) => tell(&found),
        (None, false) => {}
    }
    for text in assistant.unknown_outcomes() {
        tell(&unknown(text));
    }
}

/// How the audit was found, where that is worth a sentence.
pub(crate) fn opened(opened: Opened) -> Option<String> {
    Some(match opened {
        Opened::Fresh | Opened::Sound => return None,
        Opened::Unwitnessed => "The file audit-head is missing or cannot be read, so it cannot be told this time \
                                whether the database is an older copy of itself."
            .to_owned(),
        Opened::Restored => {
            "The database is a copy that was put in place on purpose: what was open when it was made is open now."
                .to_owned()
        }
        Opened::RolledBack { remembered, found } if found < remembered => {
            format!("The database is an older copy: its audit ends at line {found} and had come to line {remembered}.")
        }
        Opened::RolledBack { remembered, .. } => format!(
            "The database is another one than the last time: line {remembered} of its audit is not the one that was written."
        ),
        Opened::Damaged(broken) => format!("The audit is damaged: {broken}."),
        _ => "The audit was found in a state that this program does not know.".to_owned(),
    })
}

/// What follows from it, and the way out.
pub(crate) fn held(common: &Common) -> String {
    let acknowledge = common.command("audit acknowledge");
    format!("Everything counts as closed until you have looked at it and say so: {acknowledge}")
}

/// A question that somebody agreed to in an earlier run, and of which nothing was heard since.
fn unknown(text: &Shown) -> String {
    let lines: Vec<&str> = text.as_str().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("Begun before the node stopped, and nobody knows whether it happened: {}.", lines.join("; "))
}

/// What a look at every line came to.
pub(crate) fn verified(verified: &Verified) -> String {
    match verified {
        Verified::Sound { first: 1, last } => {
            format!("The audit is sound: each of its {last} lines is what was written.")
        }
        Verified::Sound { first, last } => format!(
            "Lines {first} to {last} of the audit are sound. Those before were found damaged, as line {first} says, \
             and have not changed since."
        ),
        Verified::Broken(broken) => format!("The audit is broken: {broken}."),
    }
}

/// What a line of the audit says.
pub(crate) fn said(line: &Line) -> String {
    let question = || line.confirmation.map(|id| format!(" (question {id})")).unwrap_or_default();
    let by = || {
        line.principal.as_ref().map(|who| format!(" by {}", Shown::line(who.as_str()))).unwrap_or_default()
    };
    match &line.fact {
        Fact::Opened => "the node was started".to_owned(),
        Fact::Asked => format!("a person was asked for what was proposed{}{}", by(), question()),
        Fact::Executing => format!("a person said yes, and it began{}", question()),
        Fact::Settled(settled) => format!("it ended: {}{}", settled.says(), question()),
        Fact::GrantOpened(category) => format!("{category} was opened{}", by()),
        Fact::GrantClosed(category) => format!("{category} was closed{}", by()),
        Fact::Crossed { backend, classes, messages, .. } => {
            let backend = Shown::line(backend);
            let rests = if classes.is_empty() { String::new() } else { format!(", which rest on {classes}") };
            // Written before it goes: whether anything arrived is said where it was asked.
            let messages =
                if *messages == 1 { "1 message".to_owned() } else { format!("{messages} messages") };
            format!("{messages} on the way to {backend}{rests}")
        }
        Fact::MayReceive { backend, categories } => {
            let backend = Shown::line(backend);
            match categories {
                Some(Categories::NONE) => format!("nothing that the node knows may go to {backend} any more"),
                Some(categories) => format!("data of these may go to {backend} from now on: {categories}"),
                None => format!("{backend} counts as your own from now on: whatever is open may go to it"),
            }
        }
        Fact::Forgotten(conversation) => format!("the conversation {conversation} was forgotten{}", by()),
        Fact::CopiedOut => format!("a copy of the database was made{}", by()),
        Fact::RolledBack { remembered, found } => {
            let (remembered, found) = (*remembered, *found);
            opened(Opened::RolledBack { remembered, found }).unwrap_or_default()
        }
        Fact::Restored => "a copy of the database was put in place".to_owned(),
        Fact::Unwitnessed => "audit-head was missing or could not be read".to_owned(),
        Fact::Damaged(broken) => format!("found damaged: {broken}; a new chain begins here"),
        Fact::Acknowledged => format!("the state of the audit was acknowledged{}", by()),
        Fact::Erased => format!("everything was erased{}", by()),
        _ => "something that this program does not know".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use archy_assistant::{Broken, Flaw};

    use super::*;

    #[test]
    fn each_way_of_opening_has_one_sentence() {
        let broken = Broken { line: 3, flaw: Flaw::Edited };
        for (found, says) in [
            (Opened::Fresh, None),
            (Opened::Sound, None),
            (
                Opened::RolledBack { remembered: 9, found: 4 },
                Some("The database is an older copy: its audit ends at line 4 and had come to line 9."),
            ),
            (
                Opened::RolledBack { remembered: 4, found: 9 },
                Some(
                    "The database is another one than the last time: line 4 of its audit is not the one that was written.",
                ),
            ),
            (Opened::Damaged(broken), Some("The audit is damaged: line 3 is not what was written.")),
        ] {
            assert_eq!(opened(found).as_deref(), says);
        }
    }

    #[test]
    fn what_is_unknown_is_told_on_one_line() {
        let text = Shown::prose("Restart an app\nApp: “Hello” (hello)\n\nCan be undone: no\n");
        let says = "Begun before the node stopped, and nobody knows whether it happened: \
                    Restart an app; App: “Hello” (hello); Can be undone: no.";
        assert_eq!(unknown(&text), says);
    }
}
