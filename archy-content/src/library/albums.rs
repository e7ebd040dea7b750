//! Reading albums.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::tracks::{date, edition, name};
use crate::index::albums::{Grouped, one};
use crate::page::cut;
use crate::{
    Album, AlbumId, ArtistName, Cursor, Difference, Explanation, Gain, Library, LibraryError, MusicBrainz,
    Name, Page, Paged, Timestamp, TrackId,
};

pub(crate) const COLUMNS: &str = "SELECT a.key, u.id, a.title, a.sort, a.artist_shown, a.compilation, a.original_date, a.release_date, a.year, \
     a.edition, a.label, a.catalogue, a.barcode, a.media, a.kinds, a.mb_release, a.mb_release_group, a.gain, a.peak, a.tracks, \
     a.discs, a.milliseconds, u.added, u.favourite, a.sorting FROM albums a JOIN album_user u ON u.album = a.key";

impl Library {
    /// The album with this id.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is none.
    pub fn album(&self, id: AlbumId) -> Result<Album, LibraryError> {
        let reader = self.index.pool.read()?;
        albums(&reader, &format!("{COLUMNS} WHERE u.id = ?1 AND a.gone IS NULL"), &[&id])?
            .pop()
            .map(|(_, album)| album)
            .ok_or_else(|| LibraryError::Unknown { what: format!("album {id}") })
    }

    /// The albums, as their titles sort.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn albums(&self, page: &Page) -> Result<Paged<Album>, LibraryError> {
        let reader = self.index.pool.read()?;
        let after = page.after.clone().unwrap_or(Cursor { key: i64::MIN, sorting: String::new() });
        let rows = albums(
            &reader,
            &format!(
                "{COLUMNS} WHERE a.gone IS NULL AND (a.sorting, a.key) > (?1, ?2) ORDER BY a.sorting, a.key LIMIT ?3"
            ),
            &[&after.sorting, &after.key, &page.one_more()],
        )?;
        Ok(cut(rows, page.limit))
    }

    /// Why two tracks are on one album, or on two: everything that albums are grouped by, where it differs.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if one of them is not known.
    pub fn explain(&self, a: TrackId, b: TrackId) -> Result<Explanation, LibraryError> {
        let reader = self.index.pool.read()?;
        let (a, b) = (grouped(&reader, a)?, grouped(&reader, b)?);
        let together = a.album.is_some() && a.album == b.album;
        let (x, y) = (&a.member, &b.member);
        let shown = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
        let folder = |of: &(i64, Vec<u8>)| folder_of(&reader, of);
        let fields = [
            ("folder", folder(&x.folder)?, folder(&y.folder)?),
            ("album", x.album.clone(), y.album.clone()),
            ("album-artist", x.declared.clone(), y.declared.clone()),
            ("artist", x.artist.clone(), y.artist.clone()),
            ("edition", x.edition.clone(), y.edition.clone()),
            ("release-id", x.release.clone().unwrap_or_default(), y.release.clone().unwrap_or_default()),
            ("year", shown(x.year.map(u32::from)), shown(y.year.map(u32::from))),
            ("compilation", x.compilation.to_string(), y.compilation.to_string()),
            ("disc", shown(x.disc), shown(y.disc)),
        ];
        let differences = fields
            .into_iter()
            .filter(|(_, a, b)| a != b)
            .map(|(field, a, b)| Difference { field, a, b })
            .collect();
        Ok(Explanation { together, differences })
    }
}

/// A folder with its root, for people.
fn folder_of(database: &Connection, (root, path): &(i64, Vec<u8>)) -> Result<String, LibraryError> {
    let root: String = database
        .prepare_cached("SELECT shown FROM roots WHERE key = ?1")?
        .query_row([root], |row| row.get(0))?;
    let path = String::from_utf8_lossy(path);
    Ok(if path.is_empty() { root } else { format!("{root}/{path}") })
}

fn grouped(database: &Connection, id: TrackId) -> Result<Grouped, LibraryError> {
    let key: Option<i64> = database
        .prepare_cached("SELECT t.key FROM track_user u JOIN tracks t ON t.key = u.file WHERE u.id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let key = key.ok_or_else(|| LibraryError::Unknown { what: format!("track {id}") })?;
    // A track without an album's title is in none, which is all that there is to say of it.
    Ok(one(database, key)?.unwrap_or_default())
}

/// Albums by a query that begins with the columns of this file.
pub(crate) fn albums(
    database: &Connection,
    sql: &str,
    with: &[&dyn rusqlite::ToSql],
) -> Result<Vec<(Cursor, Album)>, LibraryError> {
    let mut statement = database.prepare_cached(sql)?;
    let mut rows = statement.query(with)?;
    let mut albums = Vec::new();
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        let mut album = album(row)?;
        album.artists = artists(database, key)?;
        albums.push((Cursor { key, sorting: row.get(24)? }, album));
    }
    Ok(albums)
}

fn album(row: &Row<'_>) -> rusqlite::Result<Album> {
    Ok(Album {
        id: row.get(1)?,
        title: name(row, 2)?.unwrap_or_else(|| Name { shown: String::new(), sort: None }),
        artist_shown: row.get(4)?,
        artists: Vec::new(),
        compilation: row.get(5)?,
        original_date: date(row, 6)?,
        release_date: date(row, 7)?,
        year: row.get(8)?,
        edition: edition(row, 9)?,
        musicbrainz: MusicBrainz {
            release: row.get(15)?,
            release_group: row.get(16)?,
            recording: None,
            track: None,
        },
        gain: Gain { album: row.get(17)?, album_peak: row.get(18)?, ..Gain::default() },
        tracks: row.get(19)?,
        discs: row.get(20)?,
        milliseconds: row.get::<_, i64>(21)?.cast_unsigned(),
        added: Timestamp(row.get(22)?),
        favourite: row.get::<_, Option<i64>>(23)?.map(Timestamp),
    })
}

fn artists(database: &Connection, album: i64) -> Result<Vec<ArtistName>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT u.id, n.shown FROM album_artists a JOIN names n ON n.key = a.name JOIN artist_user u ON u.artist = n.artist \
         WHERE a.album = ?1 ORDER BY a.place",
    )?;
    let rows = statement
        .query_map(params![album], |row| Ok(ArtistName { artist: row.get(0)?, name: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
