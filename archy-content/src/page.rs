//! Long lists come in pages. A page goes on after an entry, not after a number of entries: what a scan adds or removes
//! meanwhile neither repeats nor skips anything else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where the last page ended; `None` for the beginning.
    pub after: Option<Cursor>,
    /// At most so many entries.
    pub limit: usize,
}

impl Page {
    /// The first page.
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// So many rows tell whether there is another page.
    pub(crate) fn one_more(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(i64::MAX).saturating_add(1)
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::first(100)
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paged<T> {
    /// Its entries.
    pub items: Vec<T>,
    /// Where the next page begins; `None` if this is the last one.
    pub next: Option<Cursor>,
}

/// A place in a list, to be handed back and not to be looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub(crate) key: i64,
    pub(crate) sorting: String,
}

/// The text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadCursor;

impl fmt::Display for BadCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no place in a list")
    }
}

impl std::error::Error for BadCursor {}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.key, self.sorting)
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (key, sorting) = text.split_once(':').ok_or(BadCursor)?;
        Ok(Self { key: key.parse().map_err(|_| BadCursor)?, sorting: sorting.to_owned() })
    }
}

/// Makes a page of one entry more than was asked for.
pub(crate) fn cut<T>(mut rows: Vec<(Cursor, T)>, limit: usize) -> Paged<T> {
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = if more { rows.last().map(|(cursor, _)| cursor.clone()) } else { None };
    Paged { items: rows.into_iter().map(|(_, item)| item).collect(), next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_text_both_ways() {
        let cursor = Cursor { key: 7, sorting: "a:b".to_owned() };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        assert_eq!("x".parse::<Cursor>(), Err(BadCursor));
    }

    #[test]
    fn the_last_page_says_that_it_is() {
        let row = |key| (Cursor { key, sorting: String::new() }, key);
        assert_eq!(cut(vec![row(1), row(2)], 2), Paged { items: vec![1, 2], next: None });
        let next = Some(Cursor { key: 2, sorting: String::new() });
        assert_eq!(cut(vec![row(1), row(2), row(3)], 2), Paged { items: vec![1, 2], next });
    }
}
