//! Who is asked, how many wait, and that each question is about a call that was really made.

use std::collections::BTreeSet;

use archy_assistant::Settled;

use super::Violation;
use super::crossing;
use super::table::{CALLERS, look_up, within_reach};
use super::text::{self, hides};
use crate::case::{Case, Dim};
use crate::model::Emitted;
use crate::play::{Played, Seen};

/// What is wrong with a question as it was seen.
pub(super) fn question(case: Case, played: &Played, seen: &Seen) -> Vec<Violation> {
    let (text, mut faults) = (seen.question.text.as_str(), Vec::new());
    let relayed = !CALLERS[case.of(Dim::Caller)].1.is_empty();
    if seen.audience != CALLERS[case.of(Dim::Caller)].0 {
        faults.push("somebody else is asked".to_owned());
    }
    if seen.waiting > if relayed { 1 } else { 3 } {
        faults.push(format!("{} questions wait", seen.waiting));
    }
    let crossing = seen.question.call.is_none();
    if seen.closed && (!crossing || crossing::names(text, case.tool().category.name())) {
        faults.push("a question waits in what was closed".to_owned());
    }
    if text.len() > 4096 || text.chars().any(|c| c != '\n' && hides(c)) {
        faults.push("a question's text cannot be shown whole".to_owned());
    }
    // Of two conversations one may have changed what the other had planned for, before anybody looked.
    let oldest = if case.elsewhere().is_some() { 1 } else { seen.version };
    let versions = || oldest..=seen.version;
    let about = |call: &&Emitted| {
        let Some(meaning) = call.meaning.as_ref().filter(|_| call.counts) else { return false };
        let tainted = relayed || call.tainted;
        let of_it = call.talk == seen.talk;
        let asks = look_up(&call.name).1 == "w" || (look_up(&call.name).1 == "e" && tainted);
        asks && of_it
            && within_reach(case, &call.name)
            && versions().any(|version| text::reads_so(case, seen, &call.name, meaning, version))
    };
    if crossing {
        faults.extend(crossing::question(case, seen));
    } else if !seen.closed && !played.emitted.iter().any(|call| about(&call)) {
        faults.push(format!("a question says {text:?}"));
    }
    // Whoever confirms must have been shown what moved each of those who wait for it.
    let waits = played.waits.iter().filter(|waits| waits.id == seen.question.id && !crossing);
    for waits in waits {
        let unsaid = waits.read.iter().filter(|source| !text::names_source(text, source));
        faults.extend(
            unsaid.map(|source| format!("a question does not say that a waiting turn had read {source}")),
        );
    }
    if was_denied_twice(played, seen) {
        faults.push("what was denied twice is asked again".to_owned());
    }
    faults
}

/// Whether people had said no twice to this tool in this conversation before the question came up. A no counts once it
/// was told that it does, and from then on, whatever becomes of the process.
fn was_denied_twice(played: &Played, seen: &Seen) -> bool {
    let first = played.questions.iter().find(|first| first.question.id == seen.question.id).unwrap_or(seen);
    let about_the_same = |id| {
        played.questions.iter().any(|other| {
            other.question.id == id
                && other.question.conversation == seen.question.conversation
                && text::tool_of(other.question.text.as_str()) == text::tool_of(seen.question.text.as_str())
        })
    };
    let answers = played.attempts.iter().take(first.answers);
    let denied = answers.filter(|answer| answer.outcome == Some(Settled::Denied)).map(|answer| answer.id);
    denied.filter(|id| about_the_same(*id)).collect::<BTreeSet<_>>().len() >= 2
}
