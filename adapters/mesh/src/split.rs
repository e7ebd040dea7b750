//! A text cut into parts that a radio can carry: bytes of UTF-8, never half a character that a person sees.

use unicode_segmentation::{GraphemeIndices, UnicodeSegmentation};

/// The least that a part must be able to hold: a number and a few letters.
pub const LEAST_BUDGET: usize = 20;

/// How far behind the last place that fits it is looked for the end of a sentence, a word: so many characters.
const AHEAD: usize = 24;

/// A text in parts, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts(Vec<String>);

impl Parts {
    /// The parts without their numbers. Joined they are the text, but for a character that no part could hold, which is `?`.
    pub fn bodies(&self) -> &[String] {
        &self.0
    }

    /// Part `place`, from 0, as it is sent: with `i/n ` in front where there are several.
    pub fn numbered(&self, place: usize) -> Option<String> {
        let body = self.0.get(place)?;
        match self.0.len() {
            1 => Some(body.clone()),
            all => Some(format!("{}/{all} {body}", place + 1)),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none: an empty text has no part.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Cuts `text` so that each numbered part has at most `budget` bytes (taken as [`LEAST_BUDGET`] where it is less), at the
/// end of a sentence, else of a word, else of a character as people see it. A single such character that is larger than a
/// part becomes `?`.
pub fn split(text: &str, budget: usize) -> Parts {
    let budget = budget.max(LEAST_BUDGET);
    if text.is_empty() {
        return Parts::default();
    }
    if text.len() <= budget {
        return Parts(vec![text.to_owned()]);
    }
    let mut digits = 1;
    loop {
        // "12/34 " has the digits twice.
        let parts = cut(text, budget - (2 * digits + 2));
        if parts.len() < 10_usize.pow(u32::try_from(digits).unwrap_or(u32::MAX)) || digits == 6 {
            return Parts(parts);
        }
        digits += 1;
    }
}

fn cut(text: &str, room: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (taken, sent) = next(rest, room - part.len(), room);
        match sent {
            Sent::AsItIs => part.push_str(&rest[..taken]),
            Sent::AsQuestionMark => part.push('?'),
            Sent::InTheNextPart => {}
        }
        rest = &rest[taken..];
        // After a mark the part goes on while it has room.
        if sent != Sent::AsQuestionMark || part.len() == room {
            parts.push(std::mem::take(&mut part));
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

#[derive(PartialEq)]
enum Sent {
    AsItIs,
    AsQuestionMark,
    InTheNextPart,
}

/// How many bytes of the beginning go into `room`, which is what is left of a `whole` part, and how.
fn next(text: &str, room: usize, whole: usize) -> (usize, Sent) {
    if text.len() <= room {
        return (text.len(), Sent::AsItIs);
    }
    let mut characters: GraphemeIndices<'_> = text.grapheme_indices(true);
    let mut fits = Vec::new();
    for (start, character) in characters.by_ref() {
        let end = start + character.len();
        if end > room {
            // This one is the first that does not fit.
            if start == 0 && end > whole {
                return (end, Sent::AsQuestionMark);
            }
            break;
        }
        fits.push(end);
    }
    let Some(most) = fits.last().copied() else { return (0, Sent::InTheNextPart) };
    let window =
        characters.take(AHEAD).last().map_or(text.len(), |(start, character)| start + character.len());
    let window = &text[..window];
    let is_fine = |end: usize| end > 0 && end <= most && fits.binary_search(&end).is_ok();
    let sentence = window
        .split_sentence_bound_indices()
        .map(|(start, _)| start)
        .take_while(|start| *start <= most)
        .filter(|end| is_fine(*end) && end * 2 > room)
        .last();
    let words =
        || window.split_word_bound_indices().map(|(start, _)| start).take_while(|start| *start <= most);
    let spaced = || {
        let after_space = |end: &usize| window[..*end].ends_with(char::is_whitespace);
        words().filter(|end| is_fine(*end) && after_space(end) && end * 3 > room).last()
    };
    // Scripts without spaces have words too; what stands after a word (a comma, a bracket) stays with it.
    let unspaced = || {
        let before_word = |end: &usize| window[*end..].starts_with(char::is_alphanumeric);
        let after_word =
            |end: &usize| window[..*end].ends_with(|last: char| last.is_alphanumeric() && !last.is_ascii());
        words().filter(|end| is_fine(*end) && before_word(end) && after_word(end) && end * 3 > room).last()
    };
    (sentence.or_else(spaced).or_else(unspaced).unwrap_or(most), Sent::AsItIs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, budget: usize) -> Vec<String> {
        let parts = split(text, budget);
        (0..parts.len()).map(|place| parts.numbered(place).unwrap()).collect()
    }

    #[test]
    fn what_fits_has_no_number() {
        assert_eq!(shown("", 20), [""; 0]);
        assert_eq!(shown("Привет, 42 GB.", 24), ["Привет, 42 GB."]);
    }

    #[test]
    fn a_sentence_is_cut_after_its_end_and_no_number_in_half() {
        let text = "Bitcoin 28.1 runs. It is at block 912,345. Nothing else is wrong with the node today.";
        assert_eq!(
            shown(text, 50),
            [
                "1/2 Bitcoin 28.1 runs. It is at block 912,345. ",
                "2/2 Nothing else is wrong with the node today."
            ]
        );
        assert_eq!(shown("aaaa bbbb cccc dddd eeee", 20), ["1/2 aaaa bbbb cccc ", "2/2 dddd eeee"]);
    }

    #[test]
    fn what_people_see_as_one_character_is_never_cut() {
        // Nine flags of eight bytes, and families of 25.
        assert_eq!(shown(&"🇩🇪".repeat(9), 36), ["1/3 🇩🇪🇩🇪🇩🇪🇩🇪", "2/3 🇩🇪🇩🇪🇩🇪🇩🇪", "3/3 🇩🇪"]);
        assert_eq!(shown(&"👨‍👩‍👧‍👦".repeat(2), 30), ["1/2 👨‍👩‍👧‍👦", "2/2 👨‍👩‍👧‍👦"]);
    }

    #[test]
    fn a_character_that_no_part_holds_is_a_question_mark() {
        assert_eq!(shown("ok 👨‍👩‍👧‍👦 and more of it", 20), ["1/2 ok ", "2/2 ? and more of it"]);
    }

    #[test]
    fn a_script_without_spaces_is_cut_between_its_words() {
        let parts = shown("ラジオとコンピューターとネットワーク", 36);
        assert_eq!(parts, ["1/3 ラジオと", "2/3 コンピューターと", "3/3 ネットワーク"]);
    }

    #[test]
    fn ten_parts_and_more_have_room_for_their_numbers() {
        let parts = shown(&"word ".repeat(40), 20);
        assert_eq!(parts.len(), 20);
        assert_eq!((&*parts[0], &*parts[19]), ("1/20 word word ", "20/20 word word "));
    }

    fn character() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => prop::char::range('a', 'z').prop_map(String::from),
            3 => Just(" ".to_owned()),
            1 => prop::sample::select(vec![". ", "! ", "\n", "3.5", "1/2 ", ", ", "。", "-"]).prop_map(str::to_owned),
            2 => prop::char::range('а', 'я').prop_map(String::from),
            1 => prop::char::range('一', '龥').prop_map(String::from),
            1 => prop::char::range('א', 'ת').prop_map(String::from),
            1 => prop::char::range('ก', 'ฮ').prop_map(|c| format!("{c}\u{e33}")),
            1 => prop::sample::select(vec!["👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇺", "👍🏽", "e\u{301}", "क्षि", "각", "🧑‍🚀", "\u{200d}", "\u{301}"])
                .prop_map(str::to_owned),
            1 => (1_usize..30).prop_map(|marks| format!("o{}", "\u{323}".repeat(marks))),
            1 => any::<char>().prop_map(String::from),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn parts_rejoin_fit_and_are_numbered(
            text in prop::collection::vec(character(), 0..300).prop_map(|all| all.concat()),
            budget in 20_usize..260,
        ) {
            let parts = split(&text, budget);
            let all = parts.len();
            let width = if all > 1 { 2 * all.to_string().len().max(1) + 2 } else { 0 };
            for place in 0..all {
                let sent = parts.numbered(place).unwrap();
                prop_assert!(sent.len() <= budget, "{} > {budget}: {sent:?}", sent.len());
                let number = if all > 1 { format!("{}/{all} ", place + 1) } else { String::new() };
                prop_assert_eq!(&sent, &format!("{number}{}", parts.bodies()[place]));
                prop_assert!(!parts.bodies()[place].is_empty());
            }
            prop_assert_eq!(parts.numbered(all), None);
            // Whole characters, in order; one is a question mark only where no part can hold it.
            let mut ends = Vec::new();
            let mut joined = parts.bodies().concat();
            let body_ends: Vec<usize> = parts.bodies().iter().scan(0, |sum, body| { *sum += body.len(); Some(*sum) }).collect();
            let mut rest = std::mem::take(&mut joined);
            let mut at = 0;
            for character in text.graphemes(true) {
                let taken = if rest.starts_with(character) { character.len() } else {
                    prop_assert!(rest.starts_with('?'), "{character:?} is lost before {rest:?}");
                    prop_assert!(character.len() + width > budget.min(text.len()) || character.len() + 4 > budget - 2);
                    1
                };
                at += taken;
                ends.push(at);
                rest.drain(..taken);
            }
            prop_assert!(rest.is_empty());
            for end in body_ends {
                prop_assert!(ends.contains(&end), "a character is cut at {end}");
            }
        }
    }
}
