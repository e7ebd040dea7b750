//! Writes who is credited on a track, and its genres. Keys of names and genres that were looked up are remembered for the
//! next file.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::touched::Touched;
use crate::fold::fold;
use crate::{Credit, LibraryError, Role, Tags};

/// The role of an album's artists in `credits`.
const ALBUM_ARTIST: i64 = 20;

/// Keys that are known. Thrown away when a transaction is rolled back.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    names: HashMap<(String, String), (i64, String)>,
    genres: HashMap<String, i64>,
}

pub(super) fn put_credits(
    database: &Connection,
    remembered: &mut Remembered,
    touched: &mut Touched,
    key: i64,
    tags: &Tags,
) -> Result<(), LibraryError> {
    let mut place = 0;
    let mut put = |credit: &Credit, role: i64, detail: Option<&str>| -> Result<(), LibraryError> {
        let name = name(database, remembered, touched, credit)?;
        database
            .prepare_cached(
                "INSERT INTO credits (track, place, role, detail, name) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![key, place, role, detail, name])?;
        place += 1;
        Ok(())
    };
    for credit in &tags.credits {
        let (role, detail) = role_number(&credit.role);
        put(credit, role, detail)?;
    }
    let nobody = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let alone =
        |text: &str| Credit { name: text.to_owned(), sort: None, musicbrainz: None, role: Role::Main };
    // Whoever gives no list of artists still shows one.
    if !tags.credits.iter().any(|credit| credit.role == Role::Main)
        && let (false, Some(shown)) = (nobody(&tags.artist_shown), &tags.artist_shown)
    {
        put(&alone(shown), 0, None)?;
    }
    for credit in &tags.album_artists {
        put(credit, ALBUM_ARTIST, None)?;
    }
    if tags.album_artists.is_empty()
        && let (false, Some(shown)) = (nobody(&tags.album_artist_shown), &tags.album_artist_shown)
    {
        put(&alone(shown), ALBUM_ARTIST, None)?;
    }
    Ok(())
}

/// The number of a role in `credits`.
pub(crate) fn role_number(role: &Role) -> (i64, Option<&str>) {
    match role {
        Role::Main => (0, None),
        Role::Featured => (1, None),
        Role::Composer => (2, None),
        Role::Lyricist => (3, None),
        Role::Conductor => (4, None),
        Role::Arranger => (5, None),
        Role::Producer => (6, None),
        Role::Engineer => (7, None),
        Role::Mixer => (8, None),
        Role::Remixer => (9, None),
        Role::DjMixer => (10, None),
        Role::Performer(instrument) => (11, (!instrument.is_empty()).then_some(instrument)),
    }
}

/// The role of a number; `None` for an album's artist.
pub(crate) fn role(number: i64, detail: Option<String>) -> Option<Role> {
    Some(match number {
        0 => Role::Main,
        1 => Role::Featured,
        2 => Role::Composer,
        3 => Role::Lyricist,
        4 => Role::Conductor,
        5 => Role::Arranger,
        6 => Role::Producer,
        7 => Role::Engineer,
        8 => Role::Mixer,
        9 => Role::Remixer,
        10 => Role::DjMixer,
        11 => Role::Performer(detail.unwrap_or_default()),
        _ => return None,
    })
}

fn name(
    database: &Connection,
    remembered: &mut Remembered,
    touched: &mut Touched,
    credit: &Credit,
) -> Result<i64, LibraryError> {
    let at = (credit.name.clone(), credit.musicbrainz.clone().unwrap_or_default());
    if let Some((key, folded)) = remembered.names.get(&at) {
        if !touched.names.contains(folded) {
            touched.names.insert(folded.clone());
        }
        return Ok(*key);
    }
    let known = database
        .prepare_cached("SELECT key, fold, sort IS NULL FROM names WHERE shown = ?1 AND musicbrainz = ?2")?
        .query_row([&at.0, &at.1], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?)))
        .optional()?;
    let (key, folded) = if let Some((key, folded, unsorted)) = known {
        if unsorted && credit.sort.is_some() {
            database
                .prepare_cached("UPDATE names SET sort = ?2 WHERE key = ?1")?
                .execute(params![key, credit.sort])?;
        }
        (key, folded)
    } else {
        let folded = fold(&credit.name);
        database
            .prepare_cached("INSERT INTO names (shown, sort, fold, musicbrainz) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![at.0, credit.sort, folded, at.1])?;
        (database.last_insert_rowid(), folded)
    };
    touched.names.insert(folded.clone());
    remembered.names.insert(at, (key, folded));
    Ok(key)
}

pub(super) fn put_genres(
    database: &Connection,
    remembered: &mut Remembered,
    key: i64,
    genres: &[String],
) -> Result<(), LibraryError> {
    for (place, genre) in (0_i64..).zip(genres) {
        let folded = fold(genre);
        let known = if let Some(known) = remembered.genres.get(&folded) {
            *known
        } else {
            database
                .prepare_cached("INSERT OR IGNORE INTO genres (name, fold) VALUES (?1, ?2)")?
                .execute([genre, &folded])?;
            let known = database
                .prepare_cached("SELECT key FROM genres WHERE fold = ?1")?
                .query_row([&folded], |row| row.get(0))?;
            remembered.genres.insert(folded, known);
            known
        };
        database
            .prepare_cached("INSERT INTO track_genres (track, place, genre) VALUES (?1, ?2, ?3)")?
            .execute(params![key, place, known])?;
    }
    Ok(())
}
