//! Text as it is compared: what people type without thinking equals what a sleeve prints. Pure; grouping, identity and
//! search share it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The text in lower case without accents, punctuation and width: `Größe!` is `grosse`, `AC/DC` is `acdc`, `ＡＢＢＡ` is
/// `abba`. Words stay apart by one space. Marks that make another letter of it (of kana, Indic and Thai) stay. A text
/// of nothing but punctuation, like “!!!”, stays as it is, so that it still is a name.
pub fn fold(text: &str) -> String {
    let folded = if text.is_ascii() { fold_ascii(text) } else { fold_any(text) };
    if folded.is_empty() { text.trim().to_lowercase() } else { folded }
}

/// How it sorts: folded, and a leading “the”, “a” or “an” of more than one word goes to the end of the mind.
pub fn fold_for_sorting(text: &str) -> String {
    let folded = fold(text);
    for article in ["the ", "a ", "an "] {
        if let Some(rest) = folded.strip_prefix(article)
            && !rest.is_empty()
        {
            return rest.to_owned();
        }
    }
    folded
}

/// A file's name as two systems may spell it: composed, in lower case. Names that are not UTF-8 stay bytes.
pub(crate) fn fold_name(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(text) if text.is_ascii() => name.to_ascii_lowercase(),
        Ok(text) => text.chars().nfc().flat_map(char::to_lowercase).nfc().collect::<String>().into_bytes(),
        Err(_) => name.to_vec(),
    }
}

fn fold_ascii(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            if gap && !folded.is_empty() {
                folded.push(' ');
            }
            gap = false;
            folded.push(byte.to_ascii_lowercase() as char);
        } else if byte.is_ascii_whitespace() || byte == b'_' {
            gap = true;
        }
    }
    folded
}

fn fold_any(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    for letter in text.nfkd().flat_map(char::to_lowercase) {
        if is_accent(letter) {
            continue;
        }
        let written: Cow<'static, str> = match letter {
            'ß' => "ss".into(),
            'ø' => "o".into(),
            'æ' => "ae".into(),
            'œ' => "oe".into(),
            'ł' => "l".into(),
            'đ' | 'ð' => "d".into(),
            'þ' => "th".into(),
            'ı' => "i".into(),
            'ħ' => "h".into(),
            'ς' => "σ".into(),
            other if other.is_alphanumeric() || canonical_combining_class(other) != 0 => {
                other.to_string().into()
            }
            other if other.is_whitespace() || other == '_' => {
                gap = true;
                continue;
            }
            other if stays(other) => other.to_string().into(),
            _ => continue,
        };
        if gap && !folded.is_empty() {
            folded.push(' ');
        }
        gap = false;
        folded.push_str(&written);
    }
    // Hangul and kana were taken apart above; a prefix that a person types is whole syllables.
    folded.nfc().collect()
}

/// A mark whose letter is the same letter without it: accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic.
fn is_accent(letter: char) -> bool {
    matches!(canonical_combining_class(letter), 1 | 10..=36 | 200..)
}

/// Neither a letter nor a number, and yet part of a word: vowel signs, and symbols that are whole names (`♥`, `𝄞`).
fn stays(letter: char) -> bool {
    !letter.is_ascii()
        && !matches!(letter, '\u{80}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_people_type_equals_what_is_printed() {
        for (printed, typed) in [
            ("Größe", "grosse"),
            ("Høyem", "hoyem"),
            ("Łódź", "lodz"),
            ("Björk", "bjork"),
            ("Dvořák", "dvorak"),
            ("Motörhead", "motorhead"),
            ("Æther & Œuvre", "aether oeuvre"),
            ("Þórr, Ðað", "thorr dad"),
            ("IŞIK ılık", "isik ilik"),
            ("R.E.M.", "rem"),
            ("AC/DC", "acdc"),
            ("a-ha", "aha"),
            ("“Heroes”", "heroes"),
            ("Don’t", "dont"),
            ("ＡＢＢＡ", "abba"),
            ("МОСКВА", "москва"),
            ("Ёлка", "елка"),
            ("  two\t words_here ", "two words here"),
            ("東京", "東京"),
            ("ｶﾞ", "ガ"),
            ("が", "が"),
            ("한글", "한글"),
            ("Ὀδυσσεύς", "οδυσσευσ"),
            ("!!!", "!!!"),
            ("…", "…"),
            ("", ""),
        ] {
            assert_eq!(fold(printed), typed, "{printed}");
        }
    }

    #[test]
    fn brackets_are_dropped_and_what_they_hold_stays() {
        assert_eq!(fold("Title (Single)"), "title single");
        assert_ne!(fold("Title (Single)"), fold("Title (Album)"));
    }

    #[test]
    fn an_article_does_not_sort() {
        assert_eq!(fold_for_sorting("The Beatles"), "beatles");
        assert_eq!(fold_for_sorting("The"), "the");
        assert_eq!(fold_for_sorting("Therapy?"), "therapy");
    }

    #[test]
    fn two_spellings_of_a_file_name_are_one() {
        assert_eq!(fold_name("Bjo\u{308}rk.MP3".as_bytes()), fold_name("björk.mp3".as_bytes()));
        assert_ne!(fold_name("Bjork.mp3".as_bytes()), fold_name("Björk.mp3".as_bytes()));
        assert_eq!(fold_name(b"\xff\xfeA"), b"\xff\xfeA");
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,24}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
