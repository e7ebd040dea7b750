//! Taking over what a side file kept: as tracks that are missing, albums and artists that nothing belongs to. The next
//! scan finds their files and knows them again by the same evidence as after any move.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{AlbumLine, ArtistLine, Kept, Line, PlaylistLine, TrackLine, broken};
use crate::fold::{fold, fold_for_sorting};
use crate::percent::unescape;
use crate::{LibraryError, Timestamp, TrackId};

impl Kept {
    /// Fills a new index from the file, once; tells how many tracks there were. Lines that cannot be read are passed over:
    /// one of them costs what it said, not the rest.
    pub(in crate::index) fn restore(
        &self,
        database: &mut Connection,
        now: Timestamp,
    ) -> Result<usize, LibraryError> {
        let mut tracks: HashMap<TrackId, (usize, TrackLine)> = HashMap::new();
        let mut number = 0;
        let mut roots = Vec::new();
        let mut playlists: HashMap<(String, String, String), PlaylistLine> = HashMap::new();
        let mut albums: HashMap<String, AlbumLine> = HashMap::new();
        let mut artists: HashMap<(String, Option<String>), ArtistLine> = HashMap::new();
        let mut reader = BufReader::new(File::open(&self.path).map_err(broken)?);
        let mut text = Vec::new();
        loop {
            text.clear();
            number += 1;
            if reader.read_until(b'\n', &mut text).map_err(broken)? == 0 {
                break;
            }
            match serde_json::from_slice(&text) {
                Ok(Line::Track(line)) => {
                    if let Ok(id) = line.id.parse() {
                        tracks.insert(id, (number, line));
                    }
                }
                Ok(Line::Album(line)) => {
                    albums.insert(line.grouping.clone(), line);
                }
                Ok(Line::Artist(line)) => {
                    artists.insert((fold(&line.name), line.musicbrainz.clone()), line);
                }
                Ok(Line::Playlist(line)) => {
                    playlists.insert((line.root.clone(), line.folder.clone(), line.name.clone()), line);
                }
                Ok(Line::Roots { paths }) => roots = paths,
                Ok(Line::Forgotten { id }) => {
                    tracks.remove(&id);
                }
                Err(_) => {}
            }
        }
        let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for root in &roots {
            restore_root(&transaction, root, 0, now)?;
        }
        let count = tracks.len();
        let mut tracks: Vec<_> = tracks.into_iter().collect();
        // Of two that were in one place, the later one is known by it first.
        tracks.sort_by_key(|(_, (number, _))| std::cmp::Reverse(*number));
        let mut places = HashMap::new();
        for (id, (_, line)) in &tracks {
            restore_track(&transaction, &mut places, *id, line, now)?;
        }
        for line in playlists.into_values() {
            let folder = restore_folder(&transaction, &mut places, &line.root, &line.folder, now)?;
            let name = unescape(line.name.as_bytes());
            // Without a size, so that the next scan reads it.
            transaction.execute(
                "INSERT OR IGNORE INTO playlists (id, folder, name, shown, title, size, modified, state) \
                 VALUES (?1, ?2, ?3, ?4, '', -1, 0, 2)",
                params![line.id, folder, name, String::from_utf8_lossy(&name)],
            )?;
        }
        for line in albums.into_values() {
            transaction.execute(
                "INSERT OR IGNORE INTO albums (grouping, title, sorting, artist_shown, compilation, tracks, discs, milliseconds, made, gone) \
                 VALUES (?1, '', '', '', 0, 0, 0, 0, 0, ?2)",
                params![line.grouping, now.0],
            )?;
            if transaction.changes() > 0 {
                transaction.execute(
                    "INSERT OR IGNORE INTO album_user (album, id, added, favourite) VALUES (last_insert_rowid(), ?1, ?2, ?3)",
                    params![line.id, line.added, line.favourite],
                )?;
            }
        }
        for ((folded, _), line) in artists {
            transaction.execute(
                "INSERT OR IGNORE INTO artists (name, sorting, fold, musicbrainz, gone) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![line.name, fold_for_sorting(&line.name), folded, line.musicbrainz, now.0],
            )?;
            if transaction.changes() > 0 {
                transaction.execute(
                    "INSERT OR IGNORE INTO artist_user (artist, id, added, favourite) VALUES (last_insert_rowid(), ?1, ?2, ?3)",
                    params![line.id, line.added, line.favourite],
                )?;
            }
        }
        // From now on the index knows better, also when it comes to know nothing.
        transaction.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('kept', 1)", [])?;
        transaction.commit()?;
        Ok(count)
    }
}

fn restore_track(
    transaction: &Transaction<'_>,
    places: &mut HashMap<(String, String), i64>,
    id: TrackId,
    line: &TrackLine,
    now: Timestamp,
) -> Result<(), LibraryError> {
    let folder = restore_folder(transaction, places, &line.root, &line.folder, now)?;
    let name = unescape(line.name.as_bytes());
    let fingerprint = line.fingerprint.as_ref().and_then(|text| u128::from_str_radix(text, 16).ok());
    transaction
        .prepare_cached(
            "INSERT INTO files (folder, name, shown, size, modified, device, inode, state, since, fingerprint, mb_track, \
             mb_recording, likeness, milliseconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 2, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            folder,
            name,
            String::from_utf8_lossy(&name),
            line.size,
            line.modified,
            line.device,
            line.inode,
            now.0,
            fingerprint.map(u128::to_be_bytes),
            line.mb_track,
            line.mb_recording,
            line.likeness,
            line.milliseconds,
        ])?;
    transaction
        .prepare_cached(
            "INSERT INTO track_user (file, id, added, plays, played, favourite) VALUES (last_insert_rowid(), ?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![id, line.added, line.plays, line.played, line.favourite])?;
    Ok(())
}

/// The key of a folder; `places` are those that are known already.
fn restore_folder(
    transaction: &Transaction<'_>,
    places: &mut HashMap<(String, String), i64>,
    root: &str,
    folder: &str,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    let place = (root.to_owned(), folder.to_owned());
    if let Some(key) = places.get(&place) {
        return Ok(*key);
    }
    // One that is not in the library any more is kept for what its tracks are known by.
    let root_key = restore_root(transaction, root, 3, now)?;
    let path = unescape(folder.as_bytes());
    let key = transaction.query_row(
        "INSERT INTO folders (root, path, shown, state, since) VALUES (?1, ?2, ?3, 2, ?4) \
         ON CONFLICT (root, path) DO UPDATE SET path = excluded.path RETURNING key",
        params![root_key, path, String::from_utf8_lossy(&path), now.0],
        |row| row.get(0),
    )?;
    places.insert(place, key);
    Ok(key)
}

/// The key of a root, which is there in this state if it was not there before.
fn restore_root(
    transaction: &Transaction<'_>,
    path: &str,
    state: i64,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    let path = unescape(path.as_bytes());
    let known = transaction
        .query_row("SELECT key FROM roots WHERE path = ?1", [&path], |row| row.get(0))
        .optional()?;
    match known {
        Some(key) => Ok(key),
        None => Ok(transaction.query_row(
            "INSERT INTO roots (path, shown, state, since) VALUES (?1, ?2, ?3, ?4) RETURNING key",
            params![path, String::from_utf8_lossy(&path), state, now.0],
            |row| row.get(0),
        )?),
    }
}
