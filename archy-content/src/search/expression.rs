//! What was typed becomes one question to the full-text index. Every word is quoted, so none is an operator.

use rusqlite::{Connection, OptionalExtension, params};

use super::slips::Vocabulary;
use super::words::{indexed, typed};
use super::{Search, Slip};
use crate::LibraryError;
use crate::fold::{fold, fold_for_sorting};

/// What a search means, with slips set right.
#[derive(Debug)]
pub(super) struct Meant {
    /// All that was typed, folded, to compare with whole names.
    pub(super) whole: String,
    /// The same without a leading article, to compare with how names sort.
    pub(super) sorting: String,
    /// The words as a question; `None` if none was typed.
    pub(super) words: Option<String>,
    /// Of the filters.
    pub(super) artist: Option<String>,
    pub(super) album: Option<String>,
    /// First and last year.
    pub(super) years: Option<(u16, u16)>,
    /// Folded.
    pub(super) genre: Option<String>,
    pub(super) slips: Vec<Slip>,
    /// Each word: what is looked for, and whether its end may be missing.
    each: Vec<(Vec<String>, bool)>,
}

impl Meant {
    /// With slips set right: if all words together are somewhere, there are none.
    pub(super) fn of(
        database: &Connection,
        search: &Search,
        vocabulary: &Vocabulary,
    ) -> Result<Self, LibraryError> {
        let mut meant = Self::typed(search);
        let texts = [&Some(search.words.clone()), &search.artist, &search.album];
        for (place, text) in texts.into_iter().enumerate() {
            let Some(text) = text else { continue };
            let question = [&mut meant.words, &mut meant.artist, &mut meant.album][place].as_mut();
            let Some(question) = question else { continue };
            if is_somewhere(database, question)? {
                continue;
            }
            let mut words = words_of(text);
            for (word, unfinished) in &mut words {
                let typed = word[0].clone();
                if is_somewhere(database, &quote(&typed, *unfinished))? {
                    continue;
                }
                let nearest = vocabulary.nearest(database, &typed, *unfinished)?;
                meant.slips.push(Slip { typed, meant: nearest.clone() });
                if !nearest.is_empty() {
                    (*word, *unfinished) = (nearest, false);
                }
            }
            if let Some(asked) = asked(&words) {
                *question = asked;
            }
            if place == 0 && words != words_of(text) {
                meant.whole = words.iter().map(|(word, _)| &*word[0]).collect::<Vec<_>>().join(" ");
                meant.sorting = fold_for_sorting(&meant.whole);
                meant.each = words;
            }
        }
        Ok(meant)
    }

    /// As it was typed.
    pub(super) fn typed(search: &Search) -> Self {
        let each = words_of(&search.words);
        let filter = |text: &Option<String>| asked(&words_of(text.as_deref().unwrap_or_default()));
        Self {
            whole: fold(&search.words),
            sorting: fold_for_sorting(&search.words),
            words: asked(&each),
            artist: filter(&search.artist),
            album: filter(&search.album),
            years: search.years.as_ref().map(|years| (*years.start(), *years.end())),
            genre: search.genre.as_deref().map(fold).filter(|genre| !genre.is_empty()),
            slips: Vec::new(),
            each,
        }
    }

    /// Whether a text has all the words.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let text = format!(" {} ", indexed(text));
        let has = |word: &str, unfinished: bool| {
            text.contains(&format!(" {word}{}", if unfinished { "" } else { " " }))
        };
        self.each.iter().all(|(words, unfinished)| words.iter().any(|word| has(word, *unfinished)))
    }

    /// Whether nothing was typed, not even a mark: then everything is listed.
    pub(super) fn is_bare(&self) -> bool {
        self.whole.is_empty()
    }

    /// The words anywhere, and the filter. `None` if there are no words.
    pub(super) fn question(&self, filter: Option<&str>) -> Option<String> {
        let words = self.words.as_deref()?;
        Some(match filter {
            Some(filter) => format!("({words}) AND {filter}"),
            None => words.to_owned(),
        })
    }
}

/// What was typed, each word with whether its end may be missing.
fn words_of(text: &str) -> Vec<(Vec<String>, bool)> {
    let words = typed(text);
    let last = words.len();
    words.into_iter().enumerate().map(|(place, word)| (vec![word], place + 1 == last)).collect()
}

/// All words as one question.
fn asked(words: &[(Vec<String>, bool)]) -> Option<String> {
    let any = |(words, unfinished): &(Vec<String>, bool)| {
        let any: Vec<_> = words.iter().map(|word| quote(word, *unfinished)).collect();
        if any.len() == 1 { any.concat() } else { format!("({})", any.join(" OR ")) }
    };
    (!words.is_empty()).then(|| words.iter().map(any).collect::<Vec<_>>().join(" AND "))
}

/// A question of several columns, each with words that must be in it.
pub(super) fn all_of(columns: &[(&str, Option<&String>)]) -> Option<String> {
    let parts: Vec<_> = columns
        .iter()
        .filter_map(|(column, words)| Some(format!("{{{column}}} : ({})", words.as_ref()?)))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" AND "))
}

/// Words hold no quotation marks: they were folded.
fn quote(word: &str, prefix: bool) -> String {
    format!("\"{}\"{}", word.replace('"', ""), if prefix { "*" } else { "" })
}

fn is_somewhere(database: &Connection, quoted: &str) -> Result<bool, LibraryError> {
    let found: Option<i64> = database
        .prepare_cached("SELECT rowid FROM search WHERE search MATCH ?1 LIMIT 1")?
        .query_row(params![quoted], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}
