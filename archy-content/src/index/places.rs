//! Finding a file of the index by its path.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::{LibraryError, TrackId};

/// The id of the file at this path, of the innermost root.
pub(crate) fn track_at(database: &Connection, file: &Path) -> Result<Option<TrackId>, LibraryError> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Ok(None) };
    let mut statement = database.prepare_cached(
        "SELECT u.id FROM roots r JOIN folders d ON d.root = r.key AND d.path = ?2 \
         JOIN files f ON f.folder = d.key AND f.name = ?3 AND f.state < 2 JOIN track_user u ON u.file = f.key \
         WHERE r.path = ?1 AND r.state < 3",
    )?;
    for root in folder.ancestors() {
        let inside = folder.strip_prefix(root).unwrap_or(folder).as_os_str().as_bytes();
        let found = statement
            .query_row(params![root.as_os_str().as_bytes(), inside, name.as_bytes()], |row| row.get(0))
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
