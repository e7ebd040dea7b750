//! Who is asked, how many wait, and that each question is about a call that was really made.

use super::Violation;
use super::table::{CALLERS, look_up, within_reach};
use super::text::{hides, texts};
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
    if seen.closed {
        faults.push("a question waits in what was closed".to_owned());
    }
    if text.len() > 4096 || text.chars().any(|c| c != '\n' && hides(c)) {
        faults.push("a question's text cannot be shown whole".to_owned());
    }
    let about = |call: &&Emitted| {
        let Some(meaning) = call.meaning.as_ref().filter(|_| call.counts) else { return false };
        let tainted = relayed || call.tainted;
        let asks = look_up(&call.name).1 == "w" || (look_up(&call.name).1 == "e" && tainted);
        asks && within_reach(case, &call.name)
            && texts(case, seen, &call.name, meaning, seen.version).contains(&text.to_owned())
    };
    if !seen.closed && !played.emitted.iter().any(|call| about(&call)) {
        faults.push(format!("a question says {text:?}"));
    }
    faults
}
