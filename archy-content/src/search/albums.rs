//! Finding albums.

use rusqlite::Connection;
use rusqlite::types::Value;

use super::expression::{Meant, all_of};
use super::rank::{Tier, beyond, page};
use crate::library::albums::{COLUMNS, albums};
use crate::{Album, LibraryError, Page, Paged};

/// Albums whose title begins with what was typed (first those that are called so), whose title has the words, whose
/// artist has them, that have them in both.
pub(super) fn find(
    database: &Connection,
    meant: &Meant,
    wanted: &Page,
) -> Result<Paged<Album>, LibraryError> {
    let filter = all_of(&[("artist", meant.artist.as_ref()), ("title", meant.album.as_ref())]);
    let mut fits = String::new();
    if meant.years.is_some() {
        fits.push_str(" AND a.year BETWEEN ?3 AND ?4");
    }
    if meant.genre.is_some() {
        fits.push_str(
            " AND EXISTS (SELECT 1 FROM tracks t JOIN track_genres tg ON tg.track = t.key \
             JOIN genres g ON g.key = tg.genre WHERE t.album = a.key AND g.fold = ?5)",
        );
    }
    let (from, to) = meant.years.unzip();
    let with = |more: Vec<Value>| [vec![from.into(), to.into(), meant.genre.clone().into()], more].concat();
    let mut titles = vec![beyond(&meant.sorting).into()];
    let mut by_title = format!(
        "SELECT a.key, a.sorting FROM albums a WHERE a.gone IS NULL AND (a.sorting, a.key) > (?1, ?2) \
         AND a.sorting < ?6{fits}"
    );
    if let Some(filter) = &filter {
        by_title.push_str(
            " AND EXISTS (SELECT 1 FROM search WHERE search MATCH ?7 AND rowid = (1 << 48) + a.key)",
        );
        titles.push(filter.clone().into());
    }
    by_title.push_str(" ORDER BY a.sorting, a.key");
    let mut tiers = vec![Tier {
        sql: by_title,
        with: with(titles),
        from: meant.sorting.clone(),
        earlier: Vec::new(),
        ranked: None,
    }];
    let by_words = format!(
        "SELECT a.key, '', a.sorting, a.title, a.artist_shown FROM search s CROSS JOIN albums a ON a.key = s.rowid - (1 << 48) \
         WHERE s.search MATCH ?6 AND s.rowid > (1 << 48) + max(?2, -1) AND s.rowid < 2 << 48 AND a.gone IS NULL \
         AND ?1 = ''{fits} ORDER BY s.rowid"
    );
    if let Some(question) = meant.question(filter.as_deref()) {
        let earlier = vec![(2, meant.sorting.clone())];
        tiers.push(Tier {
            sql: by_words,
            with: with(vec![question.into()]),
            from: String::new(),
            earlier,
            ranked: Some((3, 4)),
        });
    }
    let keys = page(database, &tiers, meant, wanted)?;
    let one = format!("{COLUMNS} WHERE a.key = ?1");
    let mut items = Vec::with_capacity(keys.items.len());
    for key in keys.items {
        items.extend(albums(database, &one, &[&key])?.into_iter().map(|(_, album)| album));
    }
    Ok(Paged { items, next: keys.next })
}
