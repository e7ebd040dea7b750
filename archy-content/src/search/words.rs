//! Words, as the index has them and as a person types them.

use crate::fold::fold;

/// The words of a text for the index: folded; characters of scripts that know no space between words are words of
/// their own; a name with a mark inside, like `AC/DC` or `Jay-Z`, is there whole and in its parts.
pub(crate) fn indexed(text: &str) -> String {
    let mut words = separate(&fold(text));
    if text.char_indices().any(|(at, letter)| is_inner_mark(text, at, letter)) {
        let parts: String = text.chars().map(|letter| if is_mark(letter) { ' ' } else { letter }).collect();
        for part in separate(&fold(&parts)).split(' ') {
            if !words.split(' ').any(|word| word == part) {
                words.push(' ');
                words.push_str(part);
            }
        }
    }
    words
}

/// What was typed, word by word. A run of characters without spaces between words is one “word” of several, which stand
/// beside each other.
pub(super) fn typed(text: &str) -> Vec<String> {
    // Words without a letter, like a lone dash, stand for nothing unless there is nothing else.
    fold(text).split(' ').filter(|word| word.chars().any(char::is_alphanumeric)).map(separate).collect()
}

fn separate(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.to_owned();
    }
    let mut words = String::with_capacity(folded.len() * 2);
    let mut before = None;
    for letter in folded.chars() {
        let lone = is_lone(letter);
        if before.is_some_and(|before| lone || before) && !words.ends_with(' ') && letter != ' ' {
            words.push(' ');
        }
        words.push(letter);
        before = Some(lone);
    }
    words
}

/// Han, kana and Bopomofo: a person types any part of a run of them.
fn is_lone(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{312f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '々' | '〆')
}

fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric()
        && !matches!(letter, '\'' | '’' | '`')
        && unicode_normalization::char::canonical_combining_class(letter) == 0
}

/// A mark between two letters or figures.
fn is_inner_mark(text: &str, at: usize, letter: char) -> bool {
    let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    let after = text[at + letter.len_utf8()..].chars().next().is_some_and(char::is_alphanumeric);
    before && after && is_mark(letter) && !letter.is_whitespace() && letter != '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_there_whole_and_in_its_parts() {
        for (text, words) in [
            ("Größe", "grosse"),
            ("AC/DC", "acdc ac dc"),
            ("Jay-Z", "jayz jay z"),
            ("Guns N’ Roses", "guns n roses"),
            ("Don't Stop", "dont stop"),
            ("Blink-182", "blink182 blink 182"),
            ("東京事変", "東 京 事 変"),
            ("宇多田ヒカル feat. J", "宇 多 田 ヒ カ ル feat j"),
            ("X東京Y", "x 東 京 y"),
            ("!!!", "!!!"),
            ("", ""),
        ] {
            assert_eq!(indexed(text), words, "{text}");
        }
    }

    #[test]
    fn what_is_typed_is_words_without_marks() {
        assert_eq!(typed("  Ac/Dc - \"back* OR \" "), ["acdc", "back", "or"]);
        assert_eq!(typed("京 Tokyo"), ["京", "tokyo"]);
        assert_eq!(typed("東京"), ["東 京"]);
        assert_eq!(typed("!!!"), Vec::<String>::new());
        assert_eq!(typed(" - "), Vec::<String>::new());
    }
}
