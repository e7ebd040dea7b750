//! The questions to the index.

use rusqlite::{Connection, Row};

use super::{Finding, Odd};
use crate::walk::join;
use crate::{LibraryError, TrackId};

/// So many places are named at most.
const PLACES: usize = 10;
/// Parts of a list that one row holds; no name has this character.
const APART: char = '\u{1}';

/// Title, a track of each of two albums, and where they lie.
type Pair = (String, TrackId, TrackId, Vec<String>);

pub(super) fn alike_albums(database: &Connection) -> Result<Vec<Pair>, LibraryError> {
    let mut statement = database.prepare(
        "WITH one AS (SELECT a.key, a.title, a.sorting, a.artist_shown, a.edition, min(t.key) track FROM albums a \
         JOIN tracks t ON t.album = a.key WHERE a.gone IS NULL GROUP BY a.key) \
         SELECT x.title, ux.id, uy.id, dx.path, fx.name, dy.path, fy.name FROM one x JOIN one y ON y.sorting = x.sorting \
         AND y.key > x.key AND x.edition IS y.edition \
         JOIN files fx ON fx.key = x.track JOIN files fy ON fy.key = y.track \
         JOIN folders dx ON dx.key = fx.folder JOIN folders dy ON dy.key = fy.folder \
         JOIN track_user ux ON ux.file = x.track JOIN track_user uy ON uy.file = y.track \
         WHERE x.artist_shown = y.artist_shown COLLATE NOCASE OR fx.folder = fy.folder ORDER BY x.sorting, x.key, y.key",
    )?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, vec![path(row, 3)?, path(row, 5)?]))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn missing_album_artists(
    database: &Connection,
    each: &mut dyn FnMut(Finding),
) -> Result<(), LibraryError> {
    let mut statement = database.prepare(
        "SELECT a.title, a.artist_shown, count(*), count(DISTINCT t.artist_fold), min(d.shown) FROM albums a \
         JOIN tracks t ON t.album = a.key JOIN files f ON f.key = t.key JOIN folders d ON d.key = f.folder \
         WHERE a.gone IS NULL AND t.declared_fold IS NULL AND coalesce(t.compilation, 0) = 0 \
         GROUP BY a.key HAVING count(DISTINCT t.artist_fold) > 1 ORDER BY a.sorting, a.key",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (tracks, artists): (i64, i64) = (row.get(2)?, row.get(3)?);
        let why = format!(
            "{tracks} tracks by {artists} artists name no artist of the album; it is listed under “{}”",
            row.get::<_, String>(1)?
        );
        each(Finding { what: Odd::MissingAlbumArtist, about: row.get(0)?, why, places: vec![row.get(4)?] });
    }
    Ok(())
}

pub(super) fn duplicates(database: &Connection, each: &mut dyn FnMut(Finding)) -> Result<(), LibraryError> {
    let mut members = database.prepare(
        "SELECT f.fingerprint, coalesce(t.title, f.shown), d.path, f.name FROM files f JOIN folders d ON d.key = f.folder \
         LEFT JOIN tracks t ON t.key = f.key WHERE f.state = 0 AND f.fingerprint IN \
         (SELECT fingerprint FROM files WHERE state = 0 AND fingerprint IS NOT NULL GROUP BY fingerprint HAVING count(*) > 1) \
         ORDER BY f.fingerprint, d.path, f.name",
    )?;
    let mut rows = members.query([])?;
    let mut group: Option<(Vec<u8>, String, Vec<String>)> = None;
    let mut tell = |group: Option<(Vec<u8>, String, Vec<String>)>| {
        if let Some((_, about, places)) = group {
            let why = format!("the same audio lies in {} files", places.len());
            each(Finding {
                what: Odd::Duplicate,
                about,
                why,
                places: places.into_iter().take(PLACES).collect(),
            });
        }
    };
    while let Some(row) = rows.next()? {
        let fingerprint: Vec<u8> = row.get(0)?;
        if group.as_ref().is_none_or(|(known, ..)| *known != fingerprint) {
            tell(group.replace((fingerprint, row.get(1)?, Vec::new())));
        }
        if let Some((_, _, places)) = &mut group {
            places.push(path(row, 2)?);
        }
    }
    tell(group);
    Ok(())
}

pub(super) fn odd_texts(database: &Connection, each: &mut dyn FnMut(Finding)) -> Result<(), LibraryError> {
    let mut statement = database.prepare(
        "SELECT o.what, o.says, coalesce(t.title, f.shown), d.path, f.name FROM oddities o JOIN tracks t ON t.key = o.track \
         JOIN files f ON f.key = t.key JOIN folders d ON d.key = f.folder WHERE f.state < 2 \
         ORDER BY o.what NOT LIKE '%mojibake', d.path, f.name, o.place",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let says = row.get::<_, Option<String>>(1)?.unwrap_or_default();
        let (what, why) = match &*row.get::<_, String>(0)? {
            "mojibake" => {
                (Odd::Mojibake, format!("its tags were written in {says} and say otherwise; repaired here"))
            }
            "perhaps-mojibake" => {
                (Odd::Mojibake, "its tags look wrong and could not be repaired with certainty".to_owned())
            }
            "damaged-tag" => (Odd::OddTags, "a part of its tags is damaged and was left out".to_owned()),
            "impossible-audio" => {
                (Odd::OddTags, "its length, rate or channels cannot be, and were left out".to_owned())
            }
            "contradiction" => (Odd::OddTags, format!("its tags contradict each other: {says}")),
            _ => continue,
        };
        each(Finding { what, about: row.get(2)?, why, places: vec![path(row, 3)?] });
    }
    Ok(())
}

/// One finding for each folder: a folder of recordings without tags is one thing to look at.
pub(super) fn untitled(database: &Connection, each: &mut dyn FnMut(Finding)) -> Result<(), LibraryError> {
    let mut statement = database.prepare(
        "SELECT d.shown, count(*), group_concat(f.shown, char(1)), r.path FROM tracks t JOIN files f ON f.key = t.key \
         JOIN folders d ON d.key = f.folder JOIN roots r ON r.key = d.root WHERE t.title IS NULL AND f.state < 2 GROUP BY d.key ORDER BY d.path",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (folder, count): (String, i64) = (row.get(0)?, row.get(1)?);
        let names: String = row.get(2)?;
        let beside =
            |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let places = names.split(APART).take(PLACES).map(beside).collect();
        let why = match count {
            1 => "a track has no title; it is listed by its file's name".to_owned(),
            _ => format!("{count} tracks have no title; they are listed by their files' names"),
        };
        // A root's own files lie in no folder below it.
        let about = if folder.is_empty() {
            String::from_utf8_lossy(&row.get::<_, Vec<u8>>(3)?).into_owned()
        } else {
            folder
        };
        each(Finding { what: Odd::Untitled, about, why, places });
    }
    Ok(())
}

/// Of a folder's path and a file's name, for people.
fn path(row: &Row<'_>, from: usize) -> rusqlite::Result<String> {
    let path = join(&row.get::<_, Vec<u8>>(from)?, &row.get::<_, Vec<u8>>(from + 1)?);
    Ok(String::from_utf8_lossy(&path).into_owned())
}
