//! Playlists of the folders that changed, and entries of any whose tracks are known now.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::commit::{line, shown};
use super::survey::{Folder, Survey};
use crate::fold::fold_name;
use crate::id::Random;
use crate::index::kept::Line;
use crate::playlists::{Said, parse, paths};
use crate::walk::{Found, below, join, refused};
use crate::{LibraryError, PlaylistId};

/// More than this of a playlist is not read.
const MOST: u64 = 8 * 1024 * 1024;

/// More entries of one are not listed.
const MOST_ENTRIES: usize = 100_000;

/// What is to be done with one playlist.
enum Change {
    /// It is as it was, and there.
    There(i64),
    Gone(i64),
    /// It is new, or has changed: which one it was, and what it says.
    Says(i64, Option<i64>, Found, Said),
    /// It could not be read: its folder is looked at again by the next scan.
    Refused(i64, String, String),
}

/// Playlists of the folders that were looked at, read before anything is written.
pub(super) struct Lists(Vec<Change>);

impl Lists {
    /// Reads those that changed. Called when all files are in the index, and with no transaction open: a disk may let
    /// whoever reads from it wait.
    pub(super) fn read(database: &Connection, survey: &Survey) -> Result<Self, LibraryError> {
        let mut changes = Vec::new();
        for folder in &survey.folders {
            if let Some(key) = folder.key {
                in_folder(database, key, folder, &mut changes)?;
            }
        }
        Ok(Self(changes))
    }

    /// Brings the index up to date. `has_new` says whether a track may be found now that was not before.
    pub(super) fn put(
        &self,
        transaction: &Transaction<'_>,
        scan: i64,
        survey: &Survey,
        has_new: bool,
    ) -> Result<Vec<Line>, LibraryError> {
        let (mut has_new, mut lines) = (has_new, Vec::new());
        for change in &self.0 {
            match change {
                Change::There(list) => {
                    let there = "UPDATE playlists SET state = 0 WHERE key = ?1";
                    transaction.prepare_cached(there)?.execute([list])?;
                }
                Change::Gone(list) => {
                    let gone = "DELETE FROM playlists WHERE key = ?1";
                    transaction.prepare_cached(gone)?.execute([list])?;
                }
                Change::Says(folder, known, found, says) => {
                    has_new = true;
                    let list = put(transaction, *folder, *known, found, says)?;
                    lines.extend(Line::playlist(transaction, list)?);
                }
                Change::Refused(folder, place, why) => {
                    line(transaction, scan, place, "playlist", why)?;
                    let again = "UPDATE folders SET hash = NULL WHERE key = ?1";
                    transaction.prepare_cached(again)?.execute([folder])?;
                }
            }
        }
        for folder in &survey.gone_folders {
            transaction
                .prepare_cached("UPDATE playlists SET state = 2 WHERE folder = ?1")?
                .execute([folder])?;
        }
        if has_new {
            resolve(transaction)?;
        }
        Ok(lines)
    }
}

fn in_folder(
    database: &Connection,
    key: i64,
    folder: &Folder,
    changes: &mut Vec<Change>,
) -> Result<(), LibraryError> {
    let mut known: HashMap<Vec<u8>, (i64, i64, i64)> = database
        .prepare_cached("SELECT name, key, size, modified FROM playlists WHERE folder = ?1")?
        .query_map([key], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
        .collect::<Result<_, _>>()?;
    for found in &folder.listing.playlists {
        let before = known.remove(&found.name);
        if let Some((list, size, modified)) = before
            && (size, modified) == (found.size, found.modified)
        {
            changes.push(Change::There(list));
            continue;
        }
        let path = below(&folder.root.path, &join(&folder.listing.path, &found.name));
        let mut bytes = Vec::new();
        changes.push(match File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes)) {
            Ok(_) => {
                let mut says = parse(&found.name, &bytes);
                says.entries.truncate(MOST_ENTRIES);
                Change::Says(key, before.map(|(list, _, _)| list), found.clone(), says)
            }
            Err(error) => Change::Refused(key, shown(folder, found), refused(&error)),
        });
    }
    changes.extend(known.into_values().map(|(list, _, _)| Change::Gone(list)));
    Ok(())
}

fn put(
    transaction: &Transaction<'_>,
    folder: i64,
    known: Option<i64>,
    found: &Found,
    says: &Said,
) -> Result<i64, LibraryError> {
    let shown = String::from_utf8_lossy(&found.name);
    let stem = || shown.rsplit_once('.').map_or(&*shown, |(stem, _)| stem);
    let title = says.title.as_deref().unwrap_or_else(stem);
    let list: i64 = match known {
        Some(list) => {
            transaction
                .prepare_cached("UPDATE playlists SET title = ?2, size = ?3, modified = ?4, state = 0 WHERE key = ?1")?
                .execute(params![list, title, found.size, found.modified])?;
            list
        }
        None => transaction
            .prepare_cached(
                "INSERT INTO playlists (id, folder, name, shown, title, size, modified) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING key",
            )?
            .query_row(
                params![PlaylistId::random()?, folder, found.name, shown, title, found.size, found.modified],
                |row| row.get(0),
            )?,
    };
    transaction.prepare_cached("DELETE FROM playlist_entries WHERE playlist = ?1")?.execute([list])?;
    let place = Place::of(transaction, folder)?;
    for (at, entry) in (0_i64..).zip(&says.entries) {
        let raw = entry.raw.as_deref().map(|raw| place.find(transaction, raw)).transpose()?.flatten();
        let file = match raw {
            Some(file) => Some(file),
            None => place.find(transaction, entry.said.as_bytes())?,
        };
        transaction
            .prepare_cached(
                "INSERT INTO playlist_entries (playlist, place, said, title, milliseconds, file) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![list, at, entry.said, entry.title, entry.milliseconds, file])?;
    }
    Ok(list)
}

/// Where a playlist lies, and every root that it may lead into.
struct Place {
    folder: Vec<u8>,
    root: i64,
    roots: Vec<(i64, Vec<u8>)>,
}

impl Place {
    fn of(database: &Connection, folder: i64) -> Result<Self, LibraryError> {
        let (root, folder) = database
            .prepare_cached("SELECT root, path FROM folders WHERE key = ?1")?
            .query_row([folder], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let roots = database
            .prepare_cached("SELECT key, path FROM roots WHERE state < 3 ORDER BY key")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        Ok(Self { folder, root, roots })
    }

    /// The places that an entry may mean.
    fn places(&self, said: &[u8]) -> Vec<(i64, Vec<u8>)> {
        let mut places = Vec::new();
        let absolute = said.first() == Some(&b'/') || said.starts_with(b"file://");
        for (root, path) in &self.roots {
            if absolute || *root == self.root {
                places.extend(paths(said, path, &self.folder).into_iter().map(|path| (*root, path)));
            }
        }
        places
    }

    fn find(&self, database: &Connection, said: &[u8]) -> Result<Option<i64>, LibraryError> {
        let mut exact = database.prepare_cached(
            "SELECT f.key FROM folders d JOIN files f ON f.folder = d.key AND f.state < 2 \
             WHERE d.root = ?1 AND d.path = ?2 AND f.name = ?3",
        )?;
        for (root, path) in self.places(said) {
            let slash = path.iter().rposition(|byte| *byte == b'/');
            let (folder, name) = slash.map_or((&b""[..], &path[..]), |at| (&path[..at], &path[at + 1..]));
            let found = exact.query_row(params![root, folder, name], |row| row.get(0)).optional()?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Entries that no track was known by: once more, and then as another system would spell them.
fn resolve(transaction: &Transaction<'_>) -> Result<(), LibraryError> {
    let open: Vec<(i64, i64, i64, String)> = transaction
        .prepare_cached(
            "SELECT e.playlist, e.place, p.folder, e.said FROM playlist_entries e JOIN playlists p ON p.key = e.playlist \
             WHERE e.file IS NULL AND p.state = 0",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    if open.is_empty() {
        return Ok(());
    }
    let mut places: HashMap<i64, Place> = HashMap::new();
    let mut rest = Vec::new();
    for (list, at, folder, said) in open {
        if let std::collections::hash_map::Entry::Vacant(free) = places.entry(folder) {
            free.insert(Place::of(transaction, folder)?);
        }
        if let Some(file) = places[&folder].find(transaction, said.as_bytes())? {
            set(transaction, list, at, file)?;
        } else {
            let spelled = places[&folder].places(said.as_bytes());
            rest.extend(spelled.into_iter().map(|(root, path)| ((root, fold_name(&path)), list, at)));
        }
    }
    let wanted: HashSet<&(i64, Vec<u8>)> = rest.iter().map(|(place, _, _)| place).collect();
    let mut found: HashMap<(i64, Vec<u8>), i64> = HashMap::new();
    if !wanted.is_empty() {
        let mut files = transaction.prepare_cached(
            "SELECT d.root, d.path, f.name, f.key FROM files f JOIN folders d ON d.key = f.folder WHERE f.state < 2",
        )?;
        let mut rows = files.query([])?;
        while let Some(row) = rows.next()? {
            let path = join(&row.get::<_, Vec<u8>>(1)?, &row.get::<_, Vec<u8>>(2)?);
            let place = (row.get(0)?, fold_name(&path));
            if wanted.contains(&place) {
                found.insert(place, row.get(3)?);
            }
        }
    }
    for (place, list, at) in &rest {
        if let Some(file) = found.get(place) {
            set(transaction, *list, *at, *file)?;
        }
    }
    Ok(())
}

fn set(transaction: &Transaction<'_>, list: i64, at: i64, file: i64) -> Result<(), LibraryError> {
    transaction
        .prepare_cached(
            "UPDATE playlist_entries SET file = ?3 WHERE playlist = ?1 AND place = ?2 AND file IS NULL",
        )?
        .execute([list, at, file])?;
    Ok(())
}
