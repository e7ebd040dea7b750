//! Lists in tiers: what is in an earlier one is not in a later one, and each has an order of its own that a page can go
//! on in.

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use super::expression::Meant;
use crate::page::Cursor;
use crate::{LibraryError, Page, Paged};

/// So many rows that have the words are ranked among each other. More than that have only common words, which rank
/// nothing.
const WINDOW: usize = 200;

/// One tier: keys in an order.
#[derive(Debug)]
pub(super) struct Tier {
    /// Columns `key, order`, and those that `earlier` and `ranked` name. `?1` is the text and `?2` the key of the place
    /// after which it begins; from `?3` on it is `with`.
    pub(super) sql: String,
    pub(super) with: Vec<Value>,
    /// The text that its order begins with: without it the index would be read from its beginning.
    pub(super) from: String,
    /// A row is in an earlier tier if this column begins with this text.
    pub(super) earlier: Vec<(usize, String)>,
    /// Columns of title and artist. Rows come by key then, and of each window those go first that have all words in the
    /// title, then those that have them in the artist.
    pub(super) ranked: Option<(usize, usize)>,
}

/// A row that was found: its rank, its key, its order.
type Found = (u8, i64, String);

/// A page of keys over these tiers.
pub(super) fn page(
    database: &Connection,
    tiers: &[Tier],
    meant: &Meant,
    page: &Page,
) -> Result<Paged<i64>, LibraryError> {
    let mut after = page.after.as_ref().and_then(place);
    let first = after.as_ref().map_or(0, |after| after.tier);
    let mut keys = Vec::new();
    let mut last: Option<Cursor> = None;
    for (number, tier) in tiers.iter().enumerate().skip(first) {
        let mut begin = match (after.take(), tier.ranked) {
            (Some(place), Some(_)) => (String::new(), place.window, Some((place.rank, place.key))),
            (Some(place), None) => (place.order, place.key, None),
            (None, _) => (tier.from.clone(), i64::MIN, None),
        };
        loop {
            // One more than is wanted tells whether there is another page.
            let most = if tier.ranked.is_some() { WINDOW } else { page.limit.saturating_add(1) - keys.len() };
            let window = begin.1;
            let (mut found, end) = rows(database, tier, meant, (&begin.0, window), most)?;
            let whole = found.len() < most;
            if tier.ranked.is_some() {
                found.sort();
            }
            for (rank, key, order) in found {
                if begin.2.is_some_and(|after| (rank, key) <= after) {
                    continue;
                }
                if keys.len() == page.limit {
                    return Ok(Paged { items: keys, next: last });
                }
                keys.push(key);
                last = Some(Cursor { key, sorting: format!("{number}:{window}:{rank}:{order}") });
            }
            if whole || tier.ranked.is_none() {
                break;
            }
            begin = (String::new(), end, None);
        }
    }
    Ok(Paged { items: keys, next: None })
}

/// Rows of a tier, and the key of the last one.
fn rows(
    database: &Connection,
    tier: &Tier,
    meant: &Meant,
    (order, key): (&str, i64),
    most: usize,
) -> Result<(Vec<Found>, i64), LibraryError> {
    let mut statement = database.prepare_cached(&tier.sql)?;
    let mut with: Vec<&dyn ToSql> = vec![&order, &key];
    with.extend(tier.with.iter().map(|value| value as &dyn ToSql));
    let mut rows = statement.query(&with[..])?;
    let (mut found, mut end) = (Vec::new(), key);
    while found.len() < most
        && let Some(row) = rows.next()?
    {
        let text = |at| row.get_ref(at).map(|text| text.as_str().unwrap_or_default());
        let mut known = false;
        for (column, begins) in &tier.earlier {
            known |= text(*column)?.starts_with(begins);
        }
        if known {
            continue;
        }
        let rank = match tier.ranked {
            Some((title, _)) if meant.is_in(text(title)?) => 0,
            Some((_, artist)) if meant.is_in(text(artist)?) => 1,
            Some(_) => 2,
            None => 0,
        };
        end = row.get(0)?;
        found.push((rank, end, row.get(1)?));
    }
    Ok((found, end))
}

/// Where a page ended.
#[derive(Debug)]
struct Place {
    tier: usize,
    window: i64,
    rank: u8,
    order: String,
    key: i64,
}

/// One that is none begins anew.
fn place(cursor: &Cursor) -> Option<Place> {
    let mut parts = cursor.sorting.splitn(4, ':');
    Some(Place {
        tier: parts.next()?.parse().ok()?,
        window: parts.next()?.parse().ok()?,
        rank: parts.next()?.parse().ok()?,
        order: parts.next()?.to_owned(),
        key: cursor.key,
    })
}

/// The end of the texts that begin with this one.
pub(super) fn beyond(prefix: &str) -> String {
    format!("{prefix}\u{10ffff}")
}
