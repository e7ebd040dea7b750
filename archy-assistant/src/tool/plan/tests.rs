use std::collections::HashSet;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory as Is};
use icu_properties::{CodePointMapData, CodePointSetData};

use super::*;
use crate::Source;

/// Whether a character may stand in a confirmation's line, from tables that this crate does not use.
fn may_stand(c: char) -> bool {
    let no_ink = match CodePointMapData::<Is>::new().get(c) {
        Is::Control
        | Is::Format
        | Is::LineSeparator
        | Is::ParagraphSeparator
        | Is::PrivateUse
        | Is::Surrogate
        | Is::Unassigned => true,
        Is::SpaceSeparator => c != ' ',
        _ => matches!(c, '\u{2800}' | '\u{fffc}'),
    };
    !no_ink && !CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

fn finished(text: &ConfirmText, args: &str, by: &str) -> String {
    text.finish(&Undo::Never, "tool", args, &[("Asked by", by.to_owned())]).as_str().to_owned()
}

/// The kinds of slots, the exact call and who asked among them.
const SLOTS: usize = 7;

/// A text in which `odd` stands in one slot.
fn in_slot(slot: usize, odd: &str) -> String {
    let text = ConfirmText::new("Do it");
    let others = || Untrusted::new(odd, Source::AppName);
    let datum = || Datum::others(odd, Source::FileText);
    let text = match slot {
        0 => text.line("Slot", Sentence::plain(odd)),
        1 => text.line("Slot", Sentence::others(others())),
        2 => text.id("Slot", odd),
        3 => text.named("Slot", &others(), "id"),
        4 => text.before_after("Slot", &datum(), &Datum::text("after")),
        _ => text.id("Slot", "plain"),
    };
    finished(&text, if slot == 5 { odd } else { "{}" }, if slot == 6 { odd } else { "owner" })
}

#[test]
fn every_character_in_every_slot_leaves_each_slot_on_one_line_of_the_closed_alphabet() {
    let standing: Vec<bool> =
        (0..=u32::from(char::MAX)).map(|c| char::from_u32(c).is_some_and(may_stand)).collect();
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for slot in 0..SLOTS {
        for some in all.chunks(512) {
            let text = in_slot(slot, &some.iter().collect::<String>());
            assert_eq!(text.lines().count(), 5, "slot {slot}: {text:?}");
            let stands = |c: char| c == '\n' || standing[c as usize];
            assert!(text.chars().all(stands), "slot {slot}: {text:?}");
            let begin = text.starts_with("Do it\n  Slot: ");
            assert!(begin && text.contains("\n  Can be undone: no\n  Exact call: tool "));
        }
    }
}

/// The call number `n`: each number another one, made of what could make two texts read alike.
fn call(mut n: usize) -> (&'static str, String) {
    const PIECES: [&str; 14] = [
        "a",
        " ",
        "  ",
        "é",
        "e\u{301}",
        "⟨",
        "⟩",
        "␠",
        "\u{202e}",
        "U+202E",
        "\u{200b}",
        "\\\\u0301",
        "\u{301}",
        "×2",
    ];
    let tool = ["one", "two"][n % 2];
    n /= 2;
    let mut target = String::new();
    while n > 0 {
        target.push_str(PIECES[n % 14]);
        // A mark between the pieces, so that no two lists of pieces are the same text.
        target.push('.');
        n /= 14;
    }
    (tool, format!(r#"{{"target":"{target}"}}"#))
}

fn all_differ(count: usize) {
    let text = ConfirmText::new("Do it");
    let (mut calls, mut texts) = (HashSet::new(), HashSet::new());
    for (tool, args) in (0..count).map(call) {
        texts.insert(text.finish(&Undo::Never, tool, &args, &[]));
        calls.insert((tool, args));
    }
    assert_eq!(texts.len(), calls.len());
    assert!(calls.len() > count * 9 / 10, "{}", calls.len());
}

/// `ARCHY_FULL=1` takes a million of them.
#[test]
#[expect(clippy::disallowed_methods, reason = "the one switch of this crate's tests")]
fn different_calls_read_differently() {
    all_differ(if std::env::var_os("ARCHY_FULL").is_some() { 1_200_000 } else { 20_000 });
}

#[test]
fn the_same_letter_composed_and_in_parts_is_told_apart_in_the_exact_call() {
    let line = |args: &str| {
        let text = finished(&ConfirmText::new("Do it"), args, "owner");
        text.lines().find_map(|line| line.strip_prefix("  Exact call: ").map(str::to_owned)).unwrap()
    };
    assert_eq!(line("{\"app\":\"é\"}"), "tool {\"app\":\"é\"}");
    assert_eq!(line("{\"app\":\"e\u{301}\"}"), r#"tool {"app":"e\u0301"}"#);
    assert_eq!(line(r#"{"app":"e\\u0301"}"#), r#"tool {"app":"e\\u0301"}"#);
}
