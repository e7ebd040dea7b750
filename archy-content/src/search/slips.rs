//! Slips of the hand: for a word that is nowhere, the nearest ones that are somewhere.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension};

use crate::LibraryError;

/// So many words are looked for in the place of one.
const MOST: usize = 4;
/// From so many letters on one slip is forgiven, and two.
const ONE_FROM: usize = 4;
const TWO_FROM: usize = 8;
/// Longer words are taken as they are.
const LONGEST: usize = 40;

/// The words of the index. Read from it when a word is first found nowhere, and again after the index changed.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary(Mutex<Words>);

#[derive(Debug, Default)]
struct Words {
    /// Of the index when they were read.
    state: Option<(i64, i64)>,
    /// All words, one after the other.
    text: String,
    each: Vec<Word>,
}

/// Where a word ends in the text, in how many rows it is, and which letters it has.
#[derive(Clone, Copy, Debug)]
struct Word {
    end: u32,
    rows: u32,
    letters: u32,
}

impl Vocabulary {
    /// The words nearest to this one; of the last word that was typed the end may be missing.
    pub(super) fn nearest(
        &self,
        database: &Connection,
        typed: &str,
        unfinished: bool,
    ) -> Result<Vec<String>, LibraryError> {
        let long = typed.chars().count();
        let most = if long >= TWO_FROM { 2 } else { usize::from(long >= ONE_FROM) };
        if most == 0 || typed.contains(' ') {
            return Ok(Vec::new());
        }
        let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        words.refresh(database)?;
        let mut near = words.near(typed, long, most, unfinished);
        near.sort();
        near.truncate(MOST);
        Ok(near.into_iter().map(|near| near.3.to_owned()).collect())
    }
}

/// Ordered by: slips, whether the first letter differs, how rare it is, the word.
type Near<'a> = (usize, bool, std::cmp::Reverse<u32>, &'a str);

impl Words {
    fn near<'a>(&'a self, typed: &str, long: usize, most: usize, unfinished: bool) -> Vec<Near<'a>> {
        let letters = letters(typed);
        let first = typed.chars().next();
        let typed_letters: Vec<char> = typed.chars().collect();
        let mut near = Vec::new();
        let mut start = 0;
        for word in &self.each {
            let end = word.end as usize;
            let text = &self.text[start..end];
            start = end;
            // A slip takes away one letter and brings one at most.
            if (letters & !word.letters).count_ones() as usize > most || text.len() + most < long {
                continue;
            }
            let slips = slips(&typed_letters, text, most, unfinished);
            if slips <= most {
                near.push((slips, text.chars().next() != first, std::cmp::Reverse(word.rows), text));
            }
        }
        near
    }

    fn refresh(&mut self, database: &Connection) -> Result<(), LibraryError> {
        // A scan that runs adds words; else it is enough to know which one was the last.
        let state = database
            .prepare_cached(
                "SELECT key, coalesce(ended, -(SELECT count(*) FROM search_docsize)) FROM scans ORDER BY key DESC LIMIT 1",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
            .unwrap_or_default();
        if self.state == Some(state) {
            return Ok(());
        }
        database.execute_batch(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, search, 'row')",
        )?;
        let mut statement = database.prepare_cached("SELECT term, doc FROM temp.vocabulary")?;
        let mut rows = statement.query([])?;
        let (mut text, mut each) = (String::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let term = row.get_ref(0)?.as_str().unwrap_or_default();
            if term.len() < ONE_FROM - 1 {
                continue;
            }
            text.push_str(term);
            let (Ok(end), rows) = (u32::try_from(text.len()), row.get::<_, i64>(1)?) else { break };
            each.push(Word { end, rows: u32::try_from(rows).unwrap_or(u32::MAX), letters: letters(term) });
        }
        text.shrink_to_fit();
        each.shrink_to_fit();
        *self = Self { state: Some(state), text, each };
        Ok(())
    }
}

/// Slips between what was typed and a word, or the beginning of a word: letters that are wrong, missing, too many, or
/// swapped with the next one. More than `most` are not counted, so only a band of that width is looked at.
fn slips(typed: &[char], word: &str, most: usize, beginning: bool) -> usize {
    let far = most + 1;
    let long = typed.len();
    // Of each row of the table (how much of the word was read) the distance for each length of what was typed.
    let mut above = [far; LONGEST + 1];
    let mut row = [far; LONGEST + 1];
    let mut next = [far; LONGEST + 1];
    if long > LONGEST {
        return far;
    }
    for (place, cell) in row.iter_mut().enumerate().take(far) {
        *cell = place;
    }
    let mut best = if beginning { row[long] } else { far };
    let mut before = None;
    for (read, letter) in word.chars().enumerate() {
        next.fill(far);
        if read < most {
            next[0] = read + 1;
        }
        let band = (read + 1).saturating_sub(most).max(1)..=(read + 1 + most).min(long);
        let mut least = next[0];
        for place in band {
            let wrong = row[place - 1] + usize::from(typed[place - 1] != letter);
            let mut cell = wrong.min(row[place] + 1).min(next[place - 1] + 1);
            if place > 1 && Some(typed[place - 1]) == before && typed[place - 2] == letter {
                cell = cell.min(above[place - 2] + 1);
            }
            next[place] = cell.min(far);
            least = least.min(next[place]);
        }
        (above, row) = (row, next);
        if beginning {
            best = best.min(row[long]);
        }
        if least > most {
            return best;
        }
        before = Some(letter);
    }
    if beginning { best } else { row[long] }
}

/// A bit for each letter, some letters sharing one.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) % 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[(&str, u32)]) -> Words {
        let mut words = Words::default();
        for (word, rows) in all {
            words.text.push_str(word);
            let end = u32::try_from(words.text.len()).unwrap();
            words.each.push(Word { end, rows: *rows, letters: letters(word) });
        }
        words
    }

    fn nearest<'a>(words: &'a Words, typed: &str, most: usize, unfinished: bool) -> Vec<&'a str> {
        let mut near = words.near(typed, typed.chars().count(), most, unfinished);
        near.sort();
        near.into_iter().map(|near| near.3).collect()
    }

    #[test]
    fn letters_swapped_left_out_doubled_or_wrong_are_one_slip_each() {
        let words = words(&[("beatles", 9), ("beetles", 1), ("metallica", 5), ("мумий", 2)]);
        assert_eq!(nearest(&words, "beatels", 1, false), ["beatles"]);
        assert_eq!(nearest(&words, "beatles", 1, false), ["beatles", "beetles"]);
        assert_eq!(nearest(&words, "metalica", 2, false), ["metallica"]);
        assert_eq!(nearest(&words, "mettalica", 2, false), ["metallica"]);
        assert_eq!(nearest(&words, "мумии", 1, false), ["мумий"]);
        assert_eq!(nearest(&words, "beat", 1, false), Vec::<&str>::new());
    }

    #[test]
    fn slips_are_counted_as_the_slow_way_counts_them() {
        let words = [
            "beatles",
            "beatels",
            "beetle",
            "metallica",
            "abba",
            "aabb",
            "a",
            "",
            "größe",
            "grosse",
            "eltasbe",
        ];
        for (one, other) in words.iter().flat_map(|one| words.iter().map(move |other| (one, other))) {
            let letters: Vec<char> = one.chars().collect();
            for most in 1..=2 {
                let whole = strsim::osa_distance(one, other).min(most + 1);
                assert_eq!(slips(&letters, other, most, false), whole, "{one} {other} {most}");
                let ends = (0..=other.len()).filter(|end| other.is_char_boundary(*end));
                let begun =
                    ends.map(|end| strsim::osa_distance(one, &other[..end])).min().unwrap().min(most + 1);
                assert_eq!(slips(&letters, other, most, true), begun, "beginning of {other}: {one} {most}");
            }
        }
    }

    #[test]
    fn a_word_that_is_half_typed_may_have_a_slip_too() {
        let words = words(&[("metallica", 5), ("metal", 9)]);
        assert_eq!(nearest(&words, "metalic", 1, true), ["metallica"]);
    }
}
