//! Forward-only migrations by `user_version`. Each is one transaction, and a copy of the index is kept before it.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::kept::sync_folder;
use crate::LibraryError;

/// One step each, in order; `user_version` counts those that were taken. A step that was released is never edited.
pub(crate) const STEPS: &[&str] = &[include_str!("v1.sql"), include_str!("v2.sql"), include_str!("v3.sql")];

/// The version that this program writes.
pub(crate) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// Brings the index at `path` to the version of this program. Killed anywhere, it goes on at the next start: a copy
/// appears whole under its name or not at all, a step is taken whole or not at all.
pub(super) fn migrate(database: &mut Connection, path: &Path) -> Result<(), LibraryError> {
    let fresh = version(database)? == 0;
    loop {
        let version = version(database)?;
        if version > known() {
            return Err(LibraryError::Newer { found: version, known: known() });
        }
        let Some(step) = usize::try_from(version).ok().and_then(|taken| STEPS.get(taken)) else {
            return Ok(());
        };
        if !fresh {
            keep_copy(database, path, version)?;
        }
        let step_in = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have taken it while this one waited for the lock.
        if self::version(&step_in)? == version {
            step_in.execute_batch(step)?;
            step_in.pragma_update(None, "user_version", version + 1)?;
            step_in.commit()?;
        }
    }
}

/// The version of the index; 0 for a fresh one.
pub(super) fn version(database: &Connection) -> Result<i64, LibraryError> {
    Ok(database.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Where the copy of the index lies that was made before it left `version`.
pub(crate) fn copy_path(path: &Path, version: i64) -> PathBuf {
    path.with_extension(format!("v{version}.db"))
}

fn keep_copy(database: &Connection, path: &Path, version: i64) -> Result<(), LibraryError> {
    let copy = copy_path(path, version);
    let unfinished = copy.with_extension("part");
    let io = |source| LibraryError::System { doing: "keeping a copy of the index", source };
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(error)),
        _ => {}
    }
    database.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()])?;
    fs::File::open(&unfinished).and_then(|file| file.sync_all()).map_err(io)?;
    fs::rename(&unfinished, &copy).and_then(|()| sync_folder(&copy)).map_err(io)
}
