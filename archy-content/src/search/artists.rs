//! Finding artists.

use rusqlite::Connection;
use rusqlite::types::Value;

use super::expression::{Meant, all_of};
use super::rank::{Tier, beyond, page};
use crate::library::artists::{COLUMNS, artists};
use crate::{Artist, LibraryError, Page, Paged};

/// Artists whose name begins with what was typed, as it sorts and as it is shown (first those that are called so), and
/// those whose name has the words.
pub(super) fn find(
    database: &Connection,
    meant: &Meant,
    wanted: &Page,
) -> Result<Paged<Artist>, LibraryError> {
    if meant.album.is_some() || meant.years.is_some() || meant.genre.is_some() {
        return Ok(Paged { items: Vec::new(), next: None });
    }
    let filter = all_of(&[("artist", meant.artist.as_ref())]);
    let (sorting, whole) = (&meant.sorting, &meant.whole);
    let mut tiers = vec![begins("sorting", sorting, filter.as_ref(), Vec::new())];
    if !meant.is_bare() {
        tiers.push(begins("fold", whole, filter.as_ref(), vec![(2, sorting.clone())]));
    }
    if let Some(question) = meant.question(filter.as_deref()) {
        let sql = "SELECT a.key, '', a.sorting, a.fold FROM search s CROSS JOIN artists a \
                   ON a.key = s.rowid - (2 << 48) WHERE s.search MATCH ?3 AND s.rowid > (2 << 48) + max(?2, -1) \
                   AND s.rowid < 3 << 48 AND a.gone IS NULL AND ?1 = '' ORDER BY s.rowid";
        let earlier = vec![(2, sorting.clone()), (3, whole.clone())];
        tiers.push(Tier {
            sql: sql.to_owned(),
            with: vec![question.into()],
            from: String::new(),
            earlier,
            ranked: None,
        });
    }
    let keys = page(database, &tiers, meant, wanted)?;
    let one = format!("{COLUMNS} WHERE a.key = ?1");
    let mut items = Vec::with_capacity(keys.items.len());
    for key in keys.items {
        items.extend(artists(database, &one, &[&key])?.into_iter().map(|(_, artist)| artist));
    }
    Ok(Paged { items, next: keys.next })
}

/// Those in whose column the text stands at the beginning.
fn begins(column: &str, text: &str, filter: Option<&String>, earlier: Vec<(usize, String)>) -> Tier {
    let mut with: Vec<Value> = vec![beyond(text).into()];
    let mut sql = format!(
        "SELECT a.key, a.{column}, a.sorting FROM artists a WHERE a.gone IS NULL \
         AND (a.{column}, a.key) > (?1, ?2) AND a.{column} < ?3"
    );
    if let Some(filter) = filter {
        sql.push_str(
            " AND EXISTS (SELECT 1 FROM search WHERE search MATCH ?4 AND rowid = (2 << 48) + a.key)",
        );
        with.push(filter.clone().into());
    }
    Tier {
        sql: format!("{sql} ORDER BY a.{column}, a.key"),
        with,
        from: text.to_owned(),
        earlier,
        ranked: None,
    }
}
