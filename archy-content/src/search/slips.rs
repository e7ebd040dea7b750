//! Slips of the hand: for a word that is nowhere, the nearest ones that are somewhere.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension};
use strsim::damerau_levenshtein;

use crate::LibraryError;

/// So many words are looked for in the place of one.
const MOST: usize = 4;
/// From so many letters on one slip is forgiven, and two.
const ONE_FROM: usize = 4;
const TWO_FROM: usize = 8;

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
            let slips = if unfinished {
                begun(typed, text, long, most)
            } else if text.len() > typed.len() + most * 4 {
                continue;
            } else {
                damerau_levenshtein(typed, text)
            };
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

/// Slips between what was typed and the beginning of a word.
fn begun(typed: &str, word: &str, long: usize, most: usize) -> usize {
    let ends = word.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let near = ends.enumerate().filter(|(place, _)| (place + 1).abs_diff(long) <= most);
    near.map(|(_, end)| damerau_levenshtein(typed, &word[..end])).min().unwrap_or(usize::MAX)
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
    fn a_word_that_is_half_typed_may_have_a_slip_too() {
        let words = words(&[("metallica", 5), ("metal", 9)]);
        assert_eq!(nearest(&words, "metalic", 1, true), ["metallica"]);
    }
}
