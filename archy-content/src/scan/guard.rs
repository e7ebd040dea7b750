//! Is it safe to believe what a root shows? A share that is not mounted looks like an empty folder, and nothing may be
//! lost by that.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rusqlite::Connection;

use crate::LibraryError;
use crate::walk::{below, join, refused};

/// So many known files are looked for where a root may be another one than before.
const SAMPLE: i64 = 64;
/// From so many files on a root can be suspect: of three files two may well be deleted.
pub(crate) const SUSPECT_FROM: u64 = 5;

/// Whether a root is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// It is, and lies on this device.
    Online(i64),
    /// It is not, and why.
    Offline(String),
}

/// Looks at a root before it is walked.
pub(crate) fn check(
    database: &Connection,
    key: i64,
    path: &Path,
    device: Option<i64>,
) -> Result<Check, LibraryError> {
    let about = match fs::metadata(path) {
        Ok(about) if about.is_dir() => about,
        Ok(_) => return Ok(Check::Offline("it is no folder".to_owned())),
        Err(error) => return Ok(Check::Offline(refused(&error))),
    };
    let bare = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => return Ok(Check::Offline(refused(&error))),
    };
    let known: bool = database
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM files f JOIN folders d ON d.key = f.folder WHERE d.root = ?1 AND f.state < 2)",
        )?
        .query_row([key], |row| row.get(0))?;
    if bare && known {
        return Ok(Check::Offline("it is empty, and was not".to_owned()));
    }
    let now = about.dev().cast_signed();
    if known && device.is_some_and(|before| before != now) && !shows_what_is_known(database, key, path)? {
        return Ok(Check::Offline("another device is in its place".to_owned()));
    }
    Ok(Check::Online(now))
}

/// Whether at least half of a sample of the known files is there. Numbers of devices change at a restart too.
fn shows_what_is_known(database: &Connection, key: i64, path: &Path) -> Result<bool, LibraryError> {
    let sample = sample(database, key)?;
    let there = sample.iter().filter(|(file, _)| fs::symlink_metadata(below(path, file)).is_ok()).count();
    Ok(there * 2 >= sample.len())
}

/// Some files of a root, from all over it, each with its path below the root and its size.
pub(crate) fn sample(database: &Connection, root: i64) -> Result<Vec<(Vec<u8>, i64)>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT d.path, f.name, f.size FROM files f JOIN folders d ON d.key = f.folder WHERE d.root = ?1 AND f.state < 2 \
         ORDER BY f.key * 2654435761 % 4294967296 LIMIT ?2",
    )?;
    let rows = statement.query_map([root, SAMPLE], |row| {
        Ok((join(&row.get::<_, Vec<u8>>(0)?, &row.get::<_, Vec<u8>>(1)?), row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether too much of a root vanished at once to be an owner who tidied up: more than 30 of 100 files, without as many
/// new ones in their place.
pub(crate) fn suspect(known: u64, vanished: u64, new: u64) -> bool {
    let lost = vanished.saturating_sub(new);
    known >= SUSPECT_FROM && lost * 10 > known * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_is_suspect_unless_as_much_came() {
        assert!(suspect(10, 4, 0));
        assert!(!suspect(10, 3, 0));
        assert!(!suspect(10, 9, 9));
        assert!(!suspect(4, 4, 0));
    }
}
