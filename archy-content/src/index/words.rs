//! Fills the table `search`: the words of tracks, albums and artists. The rowid tells the kind and the entity's key.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::LibraryError;
use crate::fold::fold;
use crate::search::indexed;

/// How words are made; raised when that changes, so that an older index is filled anew.
const VERSION: i64 = 1;
/// Keys are below this.
const KIND: u32 = 48;

/// What a row of `search` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Track = 0,
    Album = 1,
    Artist = 2,
}

/// The rowid of an entity.
pub(crate) fn rowid(key: i64, kind: Kind) -> i64 {
    ((kind as i64) << KIND) | key
}

/// The entity's key of a row.
pub(crate) fn key(row: i64) -> i64 {
    row & ((1 << KIND) - 1)
}

/// Fills all of `search`, once after its form changed. Killed meanwhile, the next open does it.
pub(super) fn fill_all(database: &mut Connection) -> Result<(), LibraryError> {
    let filled = "SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'words' AND value = ?1)";
    if database.query_row(filled, [VERSION], |row| row.get(0))? {
        return Ok(());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut rows = BTreeSet::new();
    for (table, kind) in [("tracks", Kind::Track), ("albums", Kind::Album), ("artists", Kind::Artist)] {
        let mut keys = transaction.prepare(&format!("SELECT key FROM {table}"))?;
        for key in keys.query_map([], |row| row.get(0))? {
            rows.insert(rowid(key?, kind));
        }
    }
    let mut titles = transaction.prepare("UPDATE tracks SET title_fold = ?2 WHERE key = ?1")?;
    let mut tracks = transaction.prepare("SELECT key, title FROM tracks WHERE title IS NOT NULL")?;
    let mut shown = tracks.query([])?;
    while let Some(row) = shown.next()? {
        titles.execute(params![row.get::<_, i64>(0)?, fold(&row.get::<_, String>(1)?)])?;
    }
    drop((titles, shown));
    drop(tracks);
    transaction.execute("INSERT INTO search (search) VALUES ('delete-all')", [])?;
    fill(&transaction, &rows, &rows)?;
    transaction.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('words', ?1)", [VERSION])?;
    Ok(transaction.commit()?)
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
        let key = key(*row);
        let words = match *row >> KIND {
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

/// A title, an album, artists.
type Words = (String, String, String);

fn track(database: &Connection, key: i64) -> Result<Option<Words>, LibraryError> {
    let mut about = database.prepare_cached(
        "SELECT coalesce(t.title, f.shown), t.album_title, t.artist_shown, t.album_artist_shown FROM tracks t \
         JOIN files f ON f.key = t.key WHERE t.key = ?1",
    )?;
    let row = about
        .query_row([key], |row| {
            let text = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
            Ok((text(0)?, text(1)?, text(2)?, text(3)?))
        })
        .optional()?;
    let Some((title, album, by, album_by)) = row else { return Ok(None) };
    let mut artists = vec![indexed(&by)];
    add(&mut artists, indexed(&album_by));
    let mut names = database.prepare_cached(
        "SELECT n.shown FROM credits c JOIN names n ON n.key = c.name WHERE c.track = ?1 ORDER BY c.place",
    )?;
    let mut rows = names.query([key])?;
    while let Some(row) = rows.next()? {
        add(&mut artists, indexed(row.get_ref(0)?.as_str().unwrap_or_default()));
    }
    Ok(Some((indexed(&title), indexed(&album), artists.join(" "))))
}

fn album(database: &Connection, key: i64) -> Result<Option<Words>, LibraryError> {
    let mut about =
        database.prepare_cached("SELECT title, artist_shown FROM albums WHERE key = ?1 AND gone IS NULL")?;
    let row =
        about.query_row([key], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).optional()?;
    Ok(row.map(|(title, by)| (indexed(&title), String::new(), indexed(&by))))
}

fn artist(database: &Connection, key: i64) -> Result<Option<Words>, LibraryError> {
    let mut about = database.prepare_cached("SELECT name FROM artists WHERE key = ?1 AND gone IS NULL")?;
    let row: Option<String> = about.query_row([key], |row| row.get(0)).optional()?;
    Ok(row.map(|name| (String::new(), String::new(), indexed(&name))))
}

fn add(words: &mut Vec<String>, more: String) {
    if !words.iter().any(|there| there.contains(&more)) {
        words.push(more);
    }
}
