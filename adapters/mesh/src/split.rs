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
mod tests;
