//! Reading artists.

use rusqlite::{Connection, OptionalExtension};

use super::albums::{self, albums};
use super::tracks::name;
use crate::page::cut;
use crate::{Album, Artist, ArtistId, Cursor, Library, LibraryError, Name, Page, Paged, Timestamp};

pub(crate) const COLUMNS: &str = "SELECT a.key, u.id, a.name, a.sort, a.musicbrainz, \
     (SELECT count(DISTINCT x.album) FROM names n JOIN album_artists x ON x.name = n.key WHERE n.artist = a.key), \
     (SELECT count(DISTINCT c.track) FROM names n JOIN credits c ON c.name = n.key WHERE n.artist = a.key), \
     u.added, u.favourite, a.sorting FROM artists a JOIN artist_user u ON u.artist = a.key";

impl Library {
    /// The artist with this id.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is none.
    pub fn artist(&self, id: ArtistId) -> Result<Artist, LibraryError> {
        let reader = self.index.pool.read()?;
        artists(&reader, &format!("{COLUMNS} WHERE u.id = ?1 AND a.gone IS NULL"), &[&id])?
            .pop()
            .map(|(_, artist)| artist)
            .ok_or_else(|| LibraryError::Unknown { what: format!("artist {id}") })
    }

    /// The artists, as their names sort.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn artists(&self, page: &Page) -> Result<Paged<Artist>, LibraryError> {
        let reader = self.index.pool.read()?;
        let after = page.after.clone().unwrap_or(Cursor { key: i64::MIN, sorting: String::new() });
        let rows = artists(
            &reader,
            &format!(
                "{COLUMNS} WHERE a.gone IS NULL AND (a.sorting, a.key) > (?1, ?2) ORDER BY a.sorting, a.key LIMIT ?3"
            ),
            &[&after.sorting, &after.key, &page.one_more()],
        )?;
        Ok(cut(rows, page.limit))
    }

    /// The albums of an artist, the oldest first.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such artist.
    pub fn artist_albums(&self, artist: ArtistId) -> Result<Vec<Album>, LibraryError> {
        let reader = self.index.pool.read()?;
        let key: Option<i64> = reader
            .prepare_cached("SELECT artist FROM artist_user WHERE id = ?1")?
            .query_row([artist], |row| row.get(0))
            .optional()?;
        let key = key.ok_or_else(|| LibraryError::Unknown { what: format!("artist {artist}") })?;
        let sql = format!(
            "{} WHERE a.gone IS NULL AND a.key IN (SELECT x.album FROM names n JOIN album_artists x ON x.name = n.key \
             WHERE n.artist = ?1) ORDER BY a.year IS NULL, a.year, a.sorting, a.key",
            albums::COLUMNS
        );
        Ok(albums(&reader, &sql, &[&key])?.into_iter().map(|(_, album)| album).collect())
    }
}

pub(crate) fn artists(
    database: &Connection,
    sql: &str,
    with: &[&dyn rusqlite::ToSql],
) -> Result<Vec<(Cursor, Artist)>, LibraryError> {
    let mut statement = database.prepare_cached(sql)?;
    let rows = statement.query_map(with, |row| {
        let artist = Artist {
            id: row.get(1)?,
            name: name(row, 2)?.unwrap_or_else(|| Name { shown: String::new(), sort: None }),
            musicbrainz: row.get(4)?,
            albums: row.get(5)?,
            tracks: row.get(6)?,
            added: Timestamp(row.get(7)?),
            favourite: row.get::<_, Option<i64>>(8)?.map(Timestamp),
        };
        Ok((Cursor { key: row.get(0)?, sorting: row.get(9)? }, artist))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
