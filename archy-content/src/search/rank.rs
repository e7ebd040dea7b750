//! Lists in tiers: what is in an earlier one is not in a later one, and each has an order of its own that a page can go
//! on in.

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use crate::page::Cursor;
use crate::{LibraryError, Page, Paged};

/// One tier: keys, and the texts that they are ordered by.
#[derive(Debug)]
pub(super) struct Tier {
    /// Columns `key, order`, and those that `earlier` names. `?1` is the text and `?2` the key of the place after which it
    /// begins; from `?3` on it is `with`.
    pub(super) sql: String,
    pub(super) with: Vec<Value>,
    /// A row is in an earlier tier if this column begins with this text.
    pub(super) earlier: Vec<(usize, String)>,
}

/// A page of keys over these tiers.
pub(super) fn page(database: &Connection, tiers: &[Tier], page: &Page) -> Result<Paged<i64>, LibraryError> {
    let (mut first, mut order, mut key) = (0, String::new(), i64::MIN);
    if let Some(after) = &page.after {
        let (tier, text) = after.sorting.split_once(':').unwrap_or(("0", ""));
        first = tier.parse().unwrap_or(0);
        (order, key) = (text.to_owned(), after.key);
    }
    let mut keys = Vec::new();
    let mut last: Option<Cursor> = None;
    for (place, tier) in tiers.iter().enumerate().skip(first) {
        let mut statement = database.prepare_cached(&tier.sql)?;
        let mut with: Vec<&dyn ToSql> = vec![&order, &key];
        with.extend(tier.with.iter().map(|value| value as &dyn ToSql));
        let mut rows = statement.query(&with[..])?;
        while let Some(row) = rows.next()? {
            let mut known = false;
            for (column, text) in &tier.earlier {
                known |= row.get_ref(*column)?.as_str().unwrap_or_default().starts_with(text);
            }
            if known {
                continue;
            }
            if keys.len() == page.limit {
                return Ok(Paged { items: keys, next: last });
            }
            let key = row.get(0)?;
            keys.push(key);
            last = Some(Cursor { key, sorting: format!("{place}:{}", row.get::<_, String>(1)?) });
        }
        drop(rows);
        (order, key) = (String::new(), i64::MIN);
    }
    Ok(Paged { items: keys, next: None })
}

/// The end of the texts that begin with this one.
pub(super) fn beyond(prefix: &str) -> String {
    format!("{prefix}\u{10ffff}")
}
