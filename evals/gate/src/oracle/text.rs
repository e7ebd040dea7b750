//! What a question must say, to the letter.

use std::fmt::Write as _;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory as Is};
use icu_properties::{CodePointMapData, CodePointSetData};

use super::table::{CALLERS, look_up};
use crate::case::{Case, Dim, Meaning};
use crate::play::Seen;

/// Whether the question's text about a call is what it must be: with all that had been read before, of which there may
/// lack only what was lost with the process.
pub(super) fn reads_so(case: Case, seen: &Seen, tool: &str, what: &Meaning, version: u64) -> bool {
    let shown = seen.question.text.as_str();
    let all =
        seen.read.iter().filter(|source| seen.surely_read.contains(source) || names_source(shown, source));
    text(case, &all.cloned().collect::<Vec<_>>(), tool, what, version) == shown
}

/// What the text about a call must be after so much was read.
fn text(case: Case, read: &[String], tool: &str, (target, amount): &Meaning, version: u64) -> String {
    let (_, asked, ..) = CALLERS[case.of(Dim::Caller)];
    let mut json = format!("{tool} {{\"target\":\"{}\"", escaped(target));
    let _ = amount.map(|amount| write!(json, ",\"amount\":{amount}"));
    json.push('}');
    let mut text = if look_up(tool).1 == "w" {
        let amount = amount.map_or_else(|| "none".to_owned(), |amount| amount.to_string());
        let (target, next) = (one_line(target), version + 1);
        format!("Change the node\n  Target: {target}\n  Amount: {amount}\n  Version: {version} → {next}")
    } else {
        "Let this reach someone outside the node".to_owned()
    };
    let _ = write!(text, "\n  Can be undone: no\n  Exact call: {}", one_line(&json));
    if !asked.is_empty() {
        let _ = write!(text, "\n  Asked by: {asked}");
    }
    let from_others = (!asked.is_empty()).then(|| "a message from someone else".to_owned());
    let read: Vec<_> = read.iter().cloned().chain(from_others).collect();
    if !read.is_empty() {
        let _ = write!(text, "\n  Suggested after reading: {}", one_line(&read.join(", ")));
    }
    text
}

/// The tool that a question is about, as it says itself.
pub(super) fn tool_of(text: &str) -> &str {
    let exact = text.lines().find_map(|line| line.strip_prefix("  Exact call: "));
    exact.and_then(|call| call.split(' ').next()).unwrap_or_default()
}

/// Whether the text says that this was read before it.
pub(super) fn names_source(text: &str, source: &str) -> bool {
    let read = text.lines().find_map(|line| line.strip_prefix("  Suggested after reading: "));
    read.is_some_and(|read| read.contains(&one_line(source)))
}

/// Whether a screen would not show it.
pub(super) fn hides(c: char) -> bool {
    let no_ink = match CodePointMapData::<Is>::new().get(c) {
        Is::Control
        | Is::Format
        | Is::LineSeparator
        | Is::ParagraphSeparator
        | Is::PrivateUse
        | Is::Unassigned => true,
        Is::SpaceSeparator => c != ' ',
        _ => matches!(c, '\u{2800}' | '\u{fffc}'),
    };
    no_ink || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

fn one_line(text: &str) -> String {
    let (mut line, mut spaces) = (String::new(), 0);
    for c in text.chars().map(Some).chain([None]) {
        if c == Some(' ') {
            spaces += 1;
            continue;
        }
        let _ = match std::mem::take(&mut spaces) {
            0 => Ok(()),
            1 => write!(line, " "),
            run => write!(line, "⟨␠×{run}⟩"),
        };
        let _ = match c {
            Some(c) if hides(c) || "⟨⟩␠".contains(c) => write!(line, "⟨U+{:04X}⟩", u32::from(c)),
            Some(c) => write!(line, "{c}"),
            None => Ok(()),
        };
    }
    line
}

/// As JSON writes a string.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |json, c| match c {
        '"' | '\\' => json + "\\" + &c.to_string(),
        '\n' => json + "\\n",
        '\r' => json + "\\r",
        '\t' => json + "\\t",
        '\0'..='\u{1f}' => json + &format!("\\u{:04x}", u32::from(c)),
        _ => json + &c.to_string(),
    })
}
