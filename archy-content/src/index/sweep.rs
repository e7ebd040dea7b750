//! What nobody needs any more: names that nobody is credited by, albums and artists that nothing belonged to for the
//! grace period and that are nobody's favourites, folders that hold nothing.

use rusqlite::Connection;

use super::touched::Touched;
use super::words::{Kind, rowid};
use crate::LibraryError;

/// Takes names out. Called when the albums are grouped, before the artists are resolved.
pub(super) fn names(database: &Connection, touched: &mut Touched) -> Result<(), LibraryError> {
    let mut unused = database.prepare_cached(
        "DELETE FROM names WHERE NOT EXISTS (SELECT 1 FROM credits c WHERE c.name = names.key) \
         AND NOT EXISTS (SELECT 1 FROM album_artists a WHERE a.name = names.key) RETURNING fold",
    )?;
    for fold in unused.query_map([], |row| row.get(0))? {
        touched.names.insert(fold?);
    }
    Ok(())
}

/// Takes out what is gone since then.
pub(super) fn gone(database: &Connection, touched: &mut Touched, before: i64) -> Result<(), LibraryError> {
    for (table, kind) in [("album", Kind::Album), ("artist", Kind::Artist)] {
        let mut old = database.prepare_cached(&format!(
            "DELETE FROM {table}s WHERE gone <= ?1 AND NOT EXISTS \
             (SELECT 1 FROM {table}_user u WHERE u.{table} = {table}s.key AND u.favourite IS NOT NULL) RETURNING key"
        ))?;
        for key in old.query_map([before], |row| row.get::<_, i64>(0))? {
            touched.words.insert(rowid(key?, kind));
        }
    }
    database.execute(
        "DELETE FROM folders WHERE state = 2 AND NOT EXISTS (SELECT 1 FROM files f WHERE f.folder = folders.key) \
         AND (since <= ?1 OR NOT EXISTS (SELECT 1 FROM playlists p WHERE p.folder = folders.key))",
        [before],
    )?;
    Ok(())
}
