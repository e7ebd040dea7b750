//! A track's or disc's place as people write it: `3`, `03/12`, `3 of 12`, `A1`, `1.05`.

use crate::Place;

/// No row of tracks is longer; a larger number is a date or a catalogue number that went astray.
const MOST: u32 = 9_999;

/// A place, and the disc or side that was written before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) place: Place,
    /// The side of a record from 1 (`B2` → 2), or the disc of `2.05`. A medium's own number goes before it.
    pub(crate) disc: Option<u32>,
}

/// Reads a place. What is no place gives none: never a zero.
pub(crate) fn written(text: &str) -> Written {
    let text = text.trim();
    let (first, total) = match text.split_once(['/', '\\']) {
        Some((first, total)) => (first, Some(total)),
        None => match text.to_ascii_lowercase().find(" of ") {
            Some(at) => (&text[..at], Some(&text[at + 4..])),
            None => (text, None),
        },
    };
    let total = total.and_then(number);
    let first = first.trim().trim_start_matches('#').trim_end_matches('.');
    if let Some(plain) = number(first) {
        return Written { place: Place { number: Some(plain), total }, disc: None };
    }
    if let Some((disc, track)) = first.split_once(['.', '-'])
        && let (Some(disc), Some(track)) = (number(disc), number(track))
    {
        return Written { place: Place { number: Some(track), total }, disc: Some(disc) };
    }
    let mut characters = first.chars();
    if let Some(side @ ('a'..='z' | 'A'..='Z')) = characters.next() {
        let side = u32::from(side.to_ascii_lowercase()) - u32::from('a') + 1;
        // A side with one piece on it is often written without a number.
        let rest = characters.as_str();
        let track = if rest.is_empty() { Some(1) } else { number(rest) };
        if track.is_some() {
            return Written { place: Place { number: track, total }, disc: Some(side) };
        }
    }
    Written { place: Place { number: None, total }, disc: None }
}

/// A whole number from 1.
pub(crate) fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number| (1..=MOST).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_people_write_them() {
        let table = [
            ("3", (Some(3), None, None)),
            ("03/12", (Some(3), Some(12), None)),
            (" 3 / 12 ", (Some(3), Some(12), None)),
            ("3 of 12", (Some(3), Some(12), None)),
            ("3 Of 12", (Some(3), Some(12), None)),
            ("#7", (Some(7), None, None)),
            ("7.", (Some(7), None, None)),
            ("A1", (Some(1), None, Some(1))),
            ("b12", (Some(12), None, Some(2))),
            ("C", (Some(1), None, Some(3))),
            ("1.05", (Some(5), None, Some(1))),
            ("2-11", (Some(11), None, Some(2))),
            ("/12", (None, Some(12), None)),
            ("0/12", (None, Some(12), None)),
            ("0", (None, None, None)),
            ("", (None, None, None)),
            ("-1", (None, None, None)),
            ("three", (None, None, None)),
            ("20240501", (None, None, None)),
            ("99999999999999999999", (None, None, None)),
            ("A1x", (None, None, None)),
        ];
        for (text, (number, total, disc)) in table {
            let wanted = Written { place: Place { number, total }, disc };
            assert_eq!(written(text), wanted, "{text:?}");
        }
    }
}
