//! Where the library's roots lie.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::{Library, LibraryError};

impl Library {
    /// The roots, as [`set_roots`](Library::set_roots) was told them, by path.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn roots(&self) -> Result<Vec<PathBuf>, LibraryError> {
        let reader = self.index.pool.read()?;
        let mut statement = reader.prepare_cached("SELECT path FROM roots WHERE state < 3 ORDER BY path")?;
        let rows = statement.query_map([], |row| row.get(0).map(OsString::from_vec).map(PathBuf::from))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
