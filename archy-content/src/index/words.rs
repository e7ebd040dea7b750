//! Fills the table `search`: folded words of tracks, albums and artists. The rowid is the entity's key times four, plus
//! its kind.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use crate::LibraryError;
use crate::fold::fold;

/// What a row of `search` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Track = 0,
    Album = 1,
    Artist = 2,
}

/// The rowid of an entity.
pub(crate) fn rowid(key: i64, kind: Kind) -> i64 {
    key * 4 + kind as i64
}

/// Writes what is searched of these rows anew, in their order, which is how the full-text index takes them fastest.
/// Entities that are no more, or that nothing belongs to, are taken out.
pub(crate) fn fill(
    database: &Connection,
    touched: &BTreeSet<i64>,
    fresh: &BTreeSet<i64>,
) -> Result<(), LibraryError> {
    let mut delete = database.prepare_cached("DELETE FROM search WHERE rowid = ?1")?;
    let mut insert = database
        .prepare_cached("INSERT INTO search (rowid, title, album, artist) VALUES (?1, ?2, ?3, ?4)")?;
    for row in touched {
        if !fresh.contains(row) {
            delete.execute([row])?;
        }
        let key = row >> 2;
        let words = match row & 3 {
            0 => track(database, key)?,
            1 => album(database, key)?,
            _ => artist(database, key)?,
        };
        if let Some((title, of_album, by)) = words {
            insert.execute(params![row, title, of_album, by])?;
        }
    }
    Ok(())
}

/// A title, an album, artists; folded.
type Words = (String, String, String);

fn track(database: &Connection, key: i64) -> Result<Option<Words>, LibraryError> {
    let mut about = database.prepare_cached(
        "SELECT title, album_title, artist_shown, album_artist_shown FROM tracks WHERE key = ?1",
    )?;
    let row = about
        .query_row([key], |row| {
            let text = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
            Ok((text(0)?, text(1)?, text(2)?, text(3)?))
        })
        .optional()?;
    let Some((title, album, by, album_by)) = row else { return Ok(None) };
    let mut artists = vec![fold(&by)];
    add(&mut artists, fold(&album_by));
    let mut names = database
        .prepare_cached("SELECT names.fold FROM credits JOIN names ON names.key = credits.name WHERE credits.track = ?1 ORDER BY place")?;
    let mut rows = names.query([key])?;
    while let Some(row) = rows.next()? {
        add(&mut artists, row.get(0)?);
    }
    Ok(Some((fold(&title), fold(&album), artists.join(" "))))
}

fn album(database: &Connection, key: i64) -> Result<Option<Words>, LibraryError> {
    let mut about =
        database.prepare_cached("SELECT title, artist_shown FROM albums WHERE key = ?1 AND gone IS NULL")?;
    let row =
        about.query_row([key], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).optional()?;
    Ok(row.map(|(title, by)| (fold(&title), String::new(), fold(&by))))
}

fn artist(database: &Connection, key: i64) -> Result<Option<Words>, LibraryError> {
    let mut about = database.prepare_cached("SELECT fold FROM artists WHERE key = ?1 AND gone IS NULL")?;
    let row: Option<String> = about.query_row([key], |row| row.get(0)).optional()?;
    Ok(row.map(|name| (String::new(), String::new(), name)))
}

fn add(words: &mut Vec<String>, more: String) {
    if !words.iter().any(|there| there.contains(&more)) {
        words.push(more);
    }
}
