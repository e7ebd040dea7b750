//! The transactions of a scan. Each is tried again when another process holds the lock.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::read::Outcome;
use super::survey::{Folder, Own, Survey};
use crate::index::Index;
use crate::index::credits::Remembered;
use crate::index::rows;
use crate::index::touched::Touched;
use crate::walk::Found;
use crate::{LibraryError, Reading, ScanReport, Timestamp, Unreadable};

/// So often a transaction is tried, after the database's own waiting.
const TRIES: u32 = 3;

/// What the writing side of a scan holds.
pub(super) struct Commit<'a> {
    pub(super) index: &'a Index,
    pub(super) scan: i64,
    pub(super) now: Timestamp,
    pub(super) remembered: Remembered,
}

/// One file that was read, and the track that it is; `None` for a new one.
pub(super) struct Finished {
    pub(super) at: usize,
    pub(super) track: Option<i64>,
    pub(super) outcome: Result<Box<Reading>, Unreadable>,
}

impl Commit<'_> {
    /// Runs a transaction and draws the consequences of what it touched.
    pub(super) fn transaction<T>(
        &mut self,
        work: &mut dyn FnMut(&Transaction<'_>, &mut Remembered, &mut Touched) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        let mut tries = 1;
        loop {
            match self.attempt(work) {
                Err(error) if tries < TRIES && is_busy(&error) => {
                    self.remembered = Remembered::default();
                    tries += 1;
                }
                Err(error) => {
                    self.remembered = Remembered::default();
                    return Err(error);
                }
                done => return done,
            }
        }
    }

    fn attempt<T>(
        &mut self,
        work: &mut dyn FnMut(&Transaction<'_>, &mut Remembered, &mut Touched) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        let mut writer = self.index.pool.write();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut touched = Touched::default();
        let done = work(&transaction, &mut self.remembered, &mut touched)?;
        touched.settle(self.index, &transaction, self.scan, self.now)?;
        transaction.commit()?;
        Ok(done)
    }

    /// What the walk alone decided: files that moved, or that are as they were on a new mount.
    pub(super) fn moves(&mut self, survey: &mut Survey, moved: &[(usize, i64)]) -> Result<(), LibraryError> {
        let unknown = survey.unknown_folders.len() + survey.unknown_files.len();
        if moved.is_empty() && survey.seen_anew.is_empty() && unknown == 0 {
            return Ok(());
        }
        let now = self.now;
        let keys = self.transaction(&mut |transaction, _, touched| {
            for folder in &survey.unknown_folders {
                for sql in [
                    "UPDATE folders SET state = 1, since = ?2 WHERE key = ?1 AND state = 0",
                    "UPDATE files SET state = 1, since = ?2 WHERE folder = ?1 AND state = 0",
                ] {
                    transaction.prepare_cached(sql)?.execute([*folder, now.0])?;
                }
            }
            for file in &survey.unknown_files {
                transaction
                    .prepare_cached("UPDATE files SET state = 1, since = ?2 WHERE key = ?1 AND state = 0")?
                    .execute([*file, now.0])?;
            }
            for (key, found) in &survey.seen_anew {
                transaction
                    .prepare_cached("UPDATE files SET device = ?2, inode = ?3, since = iif(state = 1, ?4, since), state = 0 WHERE key = ?1")?
                    .execute([*key, found.device, found.inode, now.0])?;
            }
            // All leave their places before any takes a new one: some change places with each other.
            for (at, key) in moved {
                touched.track(transaction, *key)?;
                rows::lift_file(transaction, *key, now)?;
                if let Own::Track(other) = survey.new[*at].own {
                    touched.track(transaction, other)?;
                    rows::lift_file(transaction, other, now)?;
                }
            }
            let mut folders = HashMap::new();
            for (at, key) in moved {
                let new = &survey.new[*at];
                let folder = folder_key(transaction, &survey.folders[new.folder], now)?;
                folders.insert(new.folder, folder);
                rows::place_file(transaction, *key, folder, &new.found, now)?;
                touched.track(transaction, *key)?;
                touched.tracks.insert(*key);
            }
            Ok(folders)
        })?;
        for (at, key) in keys {
            survey.folders[at].key = Some(key);
        }
        Ok(())
    }

    /// Files that were read, and folders all of whose files are in the index with them.
    pub(super) fn files(
        &mut self,
        survey: &mut Survey,
        finished: &[Finished],
        folders: &[usize],
        report: &mut ScanReport,
    ) -> Result<(), LibraryError> {
        let (now, scan) = (self.now, self.scan);
        let (keys, added, failed) = self.transaction(&mut |transaction, remembered, touched| {
            let mut keys: HashMap<usize, i64> = HashMap::new();
            let (mut added, mut failed) = (0, 0);
            for done in finished {
                // Whoever was here before and is not this track makes room; so does the track, elsewhere.
                for leaving in [displaced(survey.new[done.at].own), done.track].into_iter().flatten() {
                    let stays = Some(leaving) == done.track;
                    if is_here(transaction, survey, done, leaving)?.is_some_and(|here| here != stays) {
                        touched.track(transaction, leaving)?;
                        rows::lift_file(transaction, leaving, now)?;
                    }
                }
            }
            for done in finished {
                let new = &survey.new[done.at];
                let folder = if let Some(key) = keys.get(&new.folder) {
                    *key
                } else {
                    let key = folder_key(transaction, &survey.folders[new.folder], now)?;
                    keys.insert(new.folder, key);
                    key
                };
                let key = if let Some(key) = done.track {
                    rows::place_file(transaction, key, folder, &new.found, now)?;
                    key
                } else {
                    added += 1;
                    let content =
                        done.outcome.as_ref().map(|reading| rows::content(reading)).unwrap_or_default();
                    rows::add_file(transaction, folder, &new.found, &content, now)?
                };
                match &done.outcome {
                    Ok(reading) => {
                        rows::put_reading(
                            transaction,
                            remembered,
                            touched,
                            key,
                            reading,
                            done.track.is_none(),
                        )?;
                    }
                    Err(why) => {
                        failed += 1;
                        rows::put_failure(transaction, touched, key, why)?;
                        let (what, says) = rows::words_for(why);
                        line(transaction, scan, &shown(&survey.folders[new.folder], &new.found), what, says)?;
                    }
                }
            }
            for at in folders {
                let folder = &survey.folders[*at];
                let key = match keys.get(at) {
                    Some(key) => *key,
                    None => folder_key(transaction, folder, now)?,
                };
                keys.insert(*at, key);
                put_folder(transaction, key, folder, now)?;
            }
            Ok((keys, added, failed))
        })?;
        report.added += added;
        report.failed += failed;
        for (at, key) in keys {
            survey.folders[at].key = Some(key);
        }
        Ok(())
    }
}

fn displaced(own: Own) -> Option<i64> {
    match own {
        Own::Track(key) | Own::Again(key) => Some(key),
        Own::Nobody => None,
    }
}

/// Whether the track lies where this file does, or elsewhere; `None` if it lies nowhere.
fn is_here(
    transaction: &Transaction<'_>,
    survey: &Survey,
    done: &Finished,
    track: i64,
) -> Result<Option<bool>, LibraryError> {
    let new = &survey.new[done.at];
    let place: Option<(i64, Vec<u8>)> = transaction
        .prepare_cached("SELECT folder, name FROM files WHERE key = ?1 AND state < 2")?
        .query_row([track], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(place.map(|(folder, name)| survey.folders[new.folder].key == Some(folder) && name == new.found.name))
}

/// The folder's key in the index.
pub(super) fn folder_key(
    transaction: &Transaction<'_>,
    folder: &Folder,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    if let Some(key) = folder.key {
        return Ok(key);
    }
    let path = &folder.listing.path;
    Ok(transaction
        .prepare_cached(
            "INSERT INTO folders (root, path, shown, device, since) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (root, path) DO UPDATE SET state = 0, device = ?4, since = iif(state = 0, since, ?5) RETURNING key",
        )?
        .query_row(
            params![folder.root.key, path, String::from_utf8_lossy(path), folder.listing.device, now.0],
            |row| row.get(0),
        )?)
}

/// What lies in the folder beside audio, and that all of it is known.
pub(super) fn put_folder(
    transaction: &Transaction<'_>,
    key: i64,
    folder: &Folder,
    now: Timestamp,
) -> Result<(), LibraryError> {
    transaction
        .prepare_cached(
            "UPDATE folders SET hash = ?2, device = ?3, since = iif(state = 0, since, ?4), state = 0 WHERE key = ?1",
        )?
        .execute(params![key, folder.complete.then_some(folder.hash), folder.listing.device, now.0])?;
    transaction.prepare_cached("DELETE FROM sidecars WHERE folder = ?1")?.execute([key])?;
    for (kind, found) in &folder.listing.sidecars {
        transaction
            .prepare_cached(
                "INSERT INTO sidecars (folder, name, kind, size, modified) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![key, found.name, *kind as i64, found.size, found.modified])?;
    }
    Ok(())
}

/// A line of the scan log.
pub(super) fn line(
    database: &Connection,
    scan: i64,
    place: &str,
    what: &str,
    says: &str,
) -> Result<(), LibraryError> {
    database
        .prepare_cached("INSERT INTO scan_lines (scan, place, what, says) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![scan, place, what, says])?;
    Ok(())
}

/// A file below its root, for people.
pub(super) fn shown(folder: &Folder, found: &Found) -> String {
    String::from_utf8_lossy(&crate::walk::join(&folder.listing.path, &found.name)).into_owned()
}

fn is_busy(error: &LibraryError) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    let LibraryError::Index { source } = error else { return false };
    let code = source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(DatabaseBusy | DatabaseLocked))
}

/// Outcome of a file as it is committed; `None` when it is looked at again later.
pub(super) fn settled(outcome: Outcome) -> Option<Result<Box<Reading>, Unreadable>> {
    match outcome {
        Outcome::Read(reading) => Some(Ok(reading)),
        Outcome::Unreadable(why) => Some(Err(why)),
        Outcome::Unsettled => None,
    }
}
