//! Finding tracks.

use rusqlite::Connection;
use rusqlite::types::Value;

use super::expression::{Meant, all_of};
use super::rank::{Tier, beyond, page};
use crate::library::tracks::{COLUMNS, tracks};
use crate::{LibraryError, Page, Paged, Track};

/// Tracks whose title begins with what was typed (first those that are called so), whose title has the words, whose
/// artists have them, that have them somewhere.
pub(super) fn find(
    database: &Connection,
    meant: &Meant,
    wanted: &Page,
) -> Result<Paged<Track>, LibraryError> {
    let filter = all_of(&[("artist", meant.artist.as_ref()), ("album", meant.album.as_ref())]);
    let mut fits = String::new();
    if meant.years.is_some() {
        fits.push_str(" AND coalesce(t.original_date, t.release_date, t.date) BETWEEN ?3 AND ?4");
    }
    if meant.genre.is_some() {
        fits.push_str(
            " AND EXISTS (SELECT 1 FROM track_genres tg JOIN genres g ON g.key = tg.genre \
             WHERE tg.track = t.key AND g.fold = ?5)",
        );
    }
    let (from, to) =
        meant.years.map(|(from, to)| (i64::from(from) * 10_000, i64::from(to) * 10_000 + 9_999)).unzip();
    let with = |more: Vec<Value>| [vec![from.into(), to.into(), meant.genre.clone().into()], more].concat();
    let mut titles = vec![beyond(&meant.whole).into()];
    let mut by_title = format!(
        "SELECT t.key, t.title_fold FROM tracks t WHERE (t.title_fold, t.key) > (?1, ?2) \
         AND t.title_fold < ?6{fits}"
    );
    if let Some(filter) = &filter {
        by_title.push_str(" AND EXISTS (SELECT 1 FROM search WHERE search MATCH ?7 AND rowid = t.key)");
        titles.push(filter.clone().into());
    }
    by_title.push_str(" ORDER BY t.title_fold, t.key");
    let mut tiers = vec![Tier {
        sql: by_title,
        with: with(titles),
        from: meant.whole.clone(),
        earlier: Vec::new(),
        ranked: None,
    }];
    let by_words = format!(
        "SELECT t.key, '', t.title_fold, t.title, t.artist_shown FROM search s CROSS JOIN tracks t ON t.key = s.rowid WHERE s.search MATCH ?6 \
         AND s.rowid > max(?2, -1) AND s.rowid < 1 << 48 AND ?1 = ''{fits} ORDER BY s.rowid"
    );
    if let Some(question) = meant.question(filter.as_deref()) {
        let earlier = vec![(2, meant.whole.clone())];
        tiers.push(Tier {
            sql: by_words,
            with: with(vec![question.into()]),
            from: String::new(),
            earlier,
            ranked: Some((3, 4)),
        });
    }
    let keys = page(database, &tiers, meant, wanted)?;
    let one = format!("{COLUMNS} WHERE t.key = ?1");
    let mut items = Vec::with_capacity(keys.items.len());
    for key in keys.items {
        items.extend(tracks(database, &one, &[&key])?);
    }
    Ok(Paged { items, next: keys.next })
}
