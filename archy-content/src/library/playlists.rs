//! Reading playlists.

use rusqlite::OptionalExtension;

use crate::page::cut;
use crate::walk::join;
use crate::{Cursor, Library, LibraryError, Page, Paged, Playlist, PlaylistEntry, PlaylistId};

impl Library {
    /// The playlists that lie in the roots, by title.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn playlists(&self, page: &Page) -> Result<Paged<Playlist>, LibraryError> {
        let reader = self.index.pool.read()?;
        let after = page.after.clone().unwrap_or(Cursor { key: i64::MIN, sorting: String::new() });
        let mut statement = reader.prepare_cached(
            "SELECT p.key, p.id, p.title, d.path, p.name, \
             (SELECT count(*) FROM playlist_entries e WHERE e.playlist = p.key), \
             (SELECT count(e.file) FROM playlist_entries e WHERE e.playlist = p.key) \
             FROM playlists p JOIN folders d ON d.key = p.folder \
             WHERE p.state = 0 AND (p.title, p.key) > (?1, ?2) ORDER BY p.title, p.key LIMIT ?3",
        )?;
        let rows =
            statement.query_map(rusqlite::params![after.sorting, after.key, page.one_more()], |row| {
                let place = join(&row.get::<_, Vec<u8>>(3)?, &row.get::<_, Vec<u8>>(4)?);
                let list = Playlist {
                    id: row.get(1)?,
                    title: row.get(2)?,
                    shown: String::from_utf8_lossy(&place).into_owned(),
                    entries: row.get(5)?,
                    known: row.get(6)?,
                };
                Ok((Cursor { key: row.get(0)?, sorting: list.title.clone() }, list))
            })?;
        Ok(cut(rows.collect::<Result<_, _>>()?, page.limit))
    }

    /// What is on a playlist, in its order.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such playlist.
    pub fn playlist(&self, id: PlaylistId) -> Result<Vec<PlaylistEntry>, LibraryError> {
        let reader = self.index.pool.read()?;
        let key: Option<i64> = reader
            .prepare_cached("SELECT key FROM playlists WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let key = key.ok_or_else(|| LibraryError::Unknown { what: format!("playlist {id}") })?;
        let mut statement = reader.prepare_cached(
            "SELECT e.said, e.title, u.id FROM playlist_entries e LEFT JOIN track_user u ON u.file = e.file \
             WHERE e.playlist = ?1 ORDER BY e.place",
        )?;
        let rows = statement.query_map([key], |row| {
            Ok(PlaylistEntry { said: row.get(0)?, title: row.get(1)?, track: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
