//! Whose a credited name is. A name with an id of `MusicBrainz` is that artist's, however it is spelled. A name without one is
//! the artist's who alone has an id under an equal folded name; if several have one, or none, it is an artist of its
//! own. Only what is there now counts, so that the order of scans changes nothing.

use rusqlite::{Connection, OptionalExtension, params};

use super::touched::Touched;
use super::words::Kind;
use crate::fold::fold_for_sorting;
use crate::id::Random;
use crate::{ArtistId, LibraryError, Timestamp};

#[derive(Debug)]
struct Spelling {
    key: i64,
    musicbrainz: String,
    artist: Option<i64>,
    /// Whether a track that is there credits it.
    live: bool,
}

/// A spelling, and whether an artist without an id may get the one of this spelling.
#[derive(Clone, Copy)]
struct Whose<'a> {
    spelling: &'a Spelling,
    free: bool,
}

/// Resolves the touched names.
pub(super) fn resolve(
    database: &Connection,
    touched: &mut Touched,
    now: Timestamp,
) -> Result<(), LibraryError> {
    for fold in std::mem::take(&mut touched.names) {
        let spellings = spellings(database, &fold)?;
        let mut ids: Vec<&str> = spellings
            .iter()
            .filter(|s| s.live && !s.musicbrainz.is_empty())
            .map(|s| &*s.musicbrainz)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let only = if let [only] = ids[..] { Some(only.to_owned()) } else { None };
        for spelling in &spellings {
            let id =
                if spelling.musicbrainz.is_empty() { only.as_deref() } else { Some(&*spelling.musicbrainz) };
            // An artist without an id gets this one, unless names without one stay with it.
            let free = only.is_some() || !spellings.iter().any(|other| other.musicbrainz.is_empty());
            let artist = artist(database, touched, &fold, id, Whose { spelling, free }, now)?;
            if spelling.artist != Some(artist) {
                database
                    .prepare_cached("UPDATE names SET artist = ?2 WHERE key = ?1")?
                    .execute([spelling.key, artist])?;
            }
        }
        let mut artists: Vec<i64> = spellings.iter().filter_map(|s| s.artist).collect();
        let mut now_theirs = database
            .prepare_cached("SELECT DISTINCT artist FROM names WHERE fold = ?1 AND artist IS NOT NULL")?;
        for artist in now_theirs.query_map([&fold], |row| row.get(0))? {
            artists.push(artist?);
        }
        // Also whoever had the name when nobody is credited by it any more.
        let mut by_fold = database.prepare_cached("SELECT key FROM artists WHERE fold = ?1")?;
        for artist in by_fold.query_map([&fold], |row| row.get(0))? {
            artists.push(artist?);
        }
        artists.sort_unstable();
        artists.dedup();
        for artist in artists {
            describe(database, touched, artist, now)?;
        }
    }
    Ok(())
}

fn spellings(database: &Connection, fold: &str) -> Result<Vec<Spelling>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT key, musicbrainz, artist, \
         EXISTS (SELECT 1 FROM credits c JOIN files f ON f.key = c.track WHERE c.name = names.key AND f.state < 2) \
         OR EXISTS (SELECT 1 FROM album_artists a WHERE a.name = names.key) \
         FROM names WHERE fold = ?1 ORDER BY key",
    )?;
    let rows = statement.query_map([fold], |row| {
        Ok(Spelling { key: row.get(0)?, musicbrainz: row.get(1)?, artist: row.get(2)?, live: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The artist of this id, or of this name without one. An artist that got or lost an id stays the same one.
fn artist(
    database: &Connection,
    touched: &mut Touched,
    fold: &str,
    id: Option<&str>,
    Whose { spelling, free }: Whose<'_>,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    let mut by_name =
        database.prepare_cached("SELECT key FROM artists WHERE fold = ?1 AND musicbrainz IS NULL")?;
    let nameless = by_name.query_row([fold], |row| row.get::<_, i64>(0)).optional()?;
    let Some(id) = id else {
        if let Some(key) = nameless {
            return Ok(key);
        }
        // The id that it had is nobody's any more: it goes on without.
        if let Some(before) = spelling.artist {
            let lost: bool = database
                .prepare_cached(
                    "SELECT NOT EXISTS (SELECT 1 FROM names n JOIN artists a ON a.musicbrainz = n.musicbrainz WHERE a.key = ?1)",
                )?
                .query_row([before], |row| row.get(0))?;
            if lost {
                database
                    .prepare_cached("UPDATE artists SET musicbrainz = NULL, fold = ?2 WHERE key = ?1")?
                    .execute(params![before, fold])?;
                touched.kept_artists.insert(before);
                return Ok(before);
            }
        }
        return make(database, touched, fold, None, spelling.key, now);
    };
    let known = database
        .prepare_cached("SELECT key FROM artists WHERE musicbrainz = ?1")?
        .query_row([id], |row| row.get::<_, i64>(0))
        .optional()?;
    match (known, nameless) {
        (Some(key), _) => Ok(key),
        (None, Some(key)) if free => {
            database
                .prepare_cached("UPDATE artists SET musicbrainz = ?2 WHERE key = ?1")?
                .execute(params![key, id])?;
            touched.kept_artists.insert(key);
            Ok(key)
        }
        (None, _) => make(database, touched, fold, Some(id), spelling.key, now),
    }
}

fn make(
    database: &Connection,
    touched: &mut Touched,
    fold: &str,
    id: Option<&str>,
    name: i64,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    database
        .prepare_cached(
            "INSERT INTO artists (name, sort, sorting, fold, musicbrainz) SELECT shown, sort, '', ?2, ?3 FROM names WHERE key = ?1",
        )?
        .execute(params![name, fold, id])?;
    let key = database.last_insert_rowid();
    database
        .prepare_cached("INSERT INTO artist_user (artist, id, added) VALUES (?1, ?2, ?3)")?
        .execute(params![key, ArtistId::random()?, now.0])?;
    touched.words_of(key, Kind::Artist, true);
    touched.kept_artists.insert(key);
    Ok(key)
}

/// Gives the artist the name that most tracks credit, and notes whether any does.
fn describe(
    database: &Connection,
    touched: &mut Touched,
    artist: i64,
    now: Timestamp,
) -> Result<(), LibraryError> {
    let mut names = database.prepare_cached(
        "SELECT key, shown, sort FROM names WHERE artist = ?1 AND (EXISTS (SELECT 1 FROM credits c WHERE c.name = names.key) \
         OR EXISTS (SELECT 1 FROM album_artists a WHERE a.name = names.key)) ORDER BY shown, sort, key",
    )?;
    let names: Vec<(i64, String, Option<String>)> = names
        .query_map([artist], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let mut best: Option<(i64, &str)> = None;
    if let [(_, shown, _)] = &names[..] {
        best = Some((0, shown));
    } else {
        let mut count = database.prepare_cached(
            "SELECT count(*) FROM credits c JOIN files f ON f.key = c.track WHERE c.name = ?1 AND f.state < 2",
        )?;
        for (key, shown, _) in &names {
            let credits: i64 = count.query_row([key], |row| row.get(0))?;
            if best.is_none_or(|(most, _)| credits > most) {
                best = Some((credits, shown));
            }
        }
    }
    let sort = names
        .iter()
        .find_map(|(_, shown, sort)| sort.as_deref().filter(|_| best.is_some_and(|(_, b)| b == shown)));
    let sort = sort.or_else(|| names.iter().find_map(|(_, _, sort)| sort.as_deref()));
    let before: (String, Option<String>, String, bool) = database
        .prepare_cached("SELECT name, sort, sorting, gone IS NULL FROM artists WHERE key = ?1")?
        .query_row([artist], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let Some((_, shown)) = best else {
        if before.3 {
            database
                .prepare_cached("UPDATE artists SET gone = ?2 WHERE key = ?1")?
                .execute([artist, now.0])?;
            touched.words_of(artist, Kind::Artist, false);
        }
        return Ok(());
    };
    let sorting = fold_for_sorting(sort.unwrap_or(shown));
    if (&*before.0, before.1.as_deref(), &*before.2, before.3) != (shown, sort, &*sorting, true) {
        database
            .prepare_cached(
                "UPDATE artists SET name = ?2, sort = ?3, sorting = ?4, gone = NULL WHERE key = ?1",
            )?
            .execute(params![artist, shown, sort, sorting])?;
        touched.words_of(artist, Kind::Artist, false);
    }
    Ok(())
}
