//! Whether a folder is one of the library's roots that lies elsewhere now.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::scan::sample;
use crate::walk::below;
use crate::{Library, LibraryError};

impl Library {
    /// The root that this folder was before it was moved, renamed or mounted elsewhere: one in whose place nothing is any
    /// more, and of whose files at least half of a sample lie here, under the same names below it and of the same sizes.
    /// Give both to [`move_root`](Library::move_root), and everything keeps its id.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn root_before(&self, folder: &Path) -> Result<Option<PathBuf>, LibraryError> {
        let reader = self.index.pool.read()?;
        let roots: Vec<(i64, PathBuf)> = reader
            .prepare_cached("SELECT key, path FROM roots WHERE state < 3 ORDER BY key")?
            .query_map([], |row| Ok((row.get(0)?, PathBuf::from(OsString::from_vec(row.get(1)?)))))?
            .collect::<Result<_, _>>()?;
        for (key, path) in roots {
            if path != folder && is_gone(&path) && holds(&reader, key, folder)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

/// Whether nothing is there, or only the empty folder that a disk was mounted on.
fn is_gone(root: &Path) -> bool {
    match fs::read_dir(root) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn holds(reader: &Connection, root: i64, folder: &Path) -> Result<bool, LibraryError> {
    let sample = sample(reader, root)?;
    let is_there = |(path, size): &&(Vec<u8>, i64)| {
        fs::metadata(below(folder, path)).is_ok_and(|about| i64::try_from(about.len()) == Ok(*size))
    };
    let there = sample.iter().filter(is_there).count();
    Ok(there > 0 && there * 2 >= sample.len())
}
