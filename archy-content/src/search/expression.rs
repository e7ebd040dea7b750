//! What was typed becomes one question to the full-text index. Every word is quoted, so none is an operator.

use rusqlite::{Connection, OptionalExtension, params};

use super::slips::Vocabulary;
use super::words::typed;
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
}

impl Meant {
    pub(super) fn of(
        database: &Connection,
        search: &Search,
        vocabulary: &Vocabulary,
    ) -> Result<Self, LibraryError> {
        let mut slips = Vec::new();
        let mut whole = fold(&search.words);
        let mut question = |text: &str, whole: Option<&mut String>| -> Result<Option<String>, LibraryError> {
            let words = typed(text);
            let mut parts = Vec::with_capacity(words.len());
            let mut right = Vec::with_capacity(words.len());
            for (place, word) in words.iter().enumerate() {
                let last = place + 1 == words.len();
                let quoted = quote(word, last);
                if is_somewhere(database, &quoted)? {
                    right.push(word.clone());
                    parts.push(quoted);
                    continue;
                }
                let meant = vocabulary.nearest(database, word, last)?;
                right.push(meant.first().unwrap_or(word).clone());
                parts.push(match &meant[..] {
                    [] => quoted,
                    many => {
                        let many: Vec<_> = many.iter().map(|word| quote(word, false)).collect();
                        format!("({})", many.join(" OR "))
                    }
                });
                slips.push(Slip { typed: word.clone(), meant });
            }
            if let Some(whole) = whole
                && right != words
            {
                *whole = right.join(" ");
            }
            Ok((!parts.is_empty()).then(|| parts.join(" AND ")))
        };
        let words = question(&search.words, Some(&mut whole))?;
        let artist = question(search.artist.as_deref().unwrap_or_default(), None)?;
        let album = question(search.album.as_deref().unwrap_or_default(), None)?;
        Ok(Self {
            sorting: fold_for_sorting(&whole),
            whole,
            words,
            artist,
            album,
            years: search.years.as_ref().map(|years| (*years.start(), *years.end())),
            genre: search.genre.as_deref().map(fold).filter(|genre| !genre.is_empty()),
            slips,
        })
    }

    /// Whether nothing was typed, not even a mark: then everything is listed.
    pub(super) fn is_bare(&self) -> bool {
        self.whole.is_empty()
    }

    /// Questions that together find all that has the words: in the title, in the artists, else anywhere.
    pub(super) fn questions(&self, filter: Option<&str>) -> Vec<String> {
        let tiers = [(Some("title"), &[][..]), (Some("artist"), &["title"]), (None, &["title", "artist"])];
        tiers.into_iter().filter_map(|(column, without)| self.question(column, without, filter)).collect()
    }

    /// The words in this column, and not all of them in one of those; with `filter`. `None` if there are no words.
    pub(super) fn question(
        &self,
        column: Option<&str>,
        without: &[&str],
        filter: Option<&str>,
    ) -> Option<String> {
        let words = self.words.as_deref()?;
        let mut question = match column {
            Some(column) => format!("{{{column}}} : ({words})"),
            None => format!("({words})"),
        };
        if let Some(filter) = filter {
            question = format!("({question} AND {filter})");
        }
        for column in without {
            question = format!("({question} NOT {{{column}}} : ({words}))");
        }
        Some(question)
    }
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
