//! Reading tracks.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::index::credits::role;
use crate::walk::{below, join};
use crate::{
    AlbumId, Audio, Availability, Credited, Date, Edition, Fingerprint, Gain, Library, LibraryError,
    MusicBrainz, Name, Oddity, Place, Timestamp, Track, TrackFile, TrackId, UnreadableFile, UserData,
};

pub(crate) const COLUMNS: &str = "SELECT t.key, u.id, t.title, t.title_sort, t.artist_shown, a.id, t.album_title, t.album_sort, t.number, t.numbers, \
     t.disc, t.discs, t.disc_subtitle, t.original_date, t.release_date, t.date, t.edition, t.label, t.catalogue, t.barcode, \
     t.media, t.kinds, t.mb_release, t.mb_release_group, f.mb_recording, f.mb_track, t.codec, f.milliseconds, t.rate, \
     t.channels, t.depth, t.bitrate, t.gain, t.peak, t.album_gain, t.album_peak, t.r128, t.r128_album, t.explicit, t.spoken, \
     t.comment, EXISTS (SELECT 1 FROM lyrics l WHERE l.track = t.key), f.fingerprint, r.path, d.path, f.name, f.size, \
     f.modified, f.state, f.since, r.state, r.since, u.added, u.plays, u.played, u.favourite \
     FROM tracks t JOIN files f ON f.key = t.key JOIN track_user u ON u.file = t.key JOIN folders d ON d.key = f.folder \
     JOIN roots r ON r.key = d.root LEFT JOIN album_user a ON a.album = t.album";

impl Library {
    /// The track with this id.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is none.
    pub fn track(&self, id: TrackId) -> Result<Track, LibraryError> {
        let reader = self.index.pool.read()?;
        tracks(&reader, &format!("{COLUMNS} WHERE u.id = ?1"), &[&id])?
            .pop()
            .ok_or_else(|| LibraryError::Unknown { what: format!("track {id}") })
    }

    /// The tracks of an album, by disc and number; those without a number by title, at the end.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such album.
    pub fn album_tracks(&self, album: AlbumId) -> Result<Vec<Track>, LibraryError> {
        let reader = self.index.pool.read()?;
        let key: Option<i64> = reader
            .prepare_cached("SELECT album FROM album_user WHERE id = ?1")?
            .query_row([album], |row| row.get(0))
            .optional()?;
        let key = key.ok_or_else(|| LibraryError::Unknown { what: format!("album {album}") })?;
        let order = "ORDER BY coalesce(t.disc, 1), t.number IS NULL, t.number, t.title, d.path, f.name";
        tracks(&reader, &format!("{COLUMNS} WHERE t.album = ?1 {order}"), &[&key])
    }

    /// The track whose file this is. The path is compared as it is listed in the index.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn track_at(&self, file: &std::path::Path) -> Result<Option<TrackId>, LibraryError> {
        let reader = self.index.pool.read()?;
        crate::index::places::track_at(&reader, file)
    }

    /// The files that cannot be read, by place.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn unreadable(&self) -> Result<Vec<UnreadableFile>, LibraryError> {
        let reader = self.index.pool.read()?;
        let mut statement = reader.prepare_cached(
            "SELECT d.path, f.name, f.why, f.says FROM files f JOIN folders d ON d.key = f.folder \
             WHERE f.why IS NOT NULL AND f.state < 2 ORDER BY d.root, d.path, f.name",
        )?;
        let rows = statement.query_map([], |row| {
            let place = join(&row.get::<_, Vec<u8>>(0)?, &row.get::<_, Vec<u8>>(1)?);
            let says = row.get::<_, Option<String>>(3)?.unwrap_or_default();
            Ok(UnreadableFile { place: String::from_utf8_lossy(&place).into_owned(), why: row.get(2)?, says })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

pub(crate) fn tracks(
    database: &Connection,
    sql: &str,
    with: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Track>, LibraryError> {
    let mut statement = database.prepare_cached(sql)?;
    let mut rows = statement.query(with)?;
    let mut tracks = Vec::new();
    while let Some(row) = rows.next()? {
        let key = row.get(0)?;
        let mut track = track(row)?;
        fill(database, key, &mut track)?;
        tracks.push(track);
    }
    Ok(tracks)
}

pub(super) fn name(row: &Row<'_>, shown: usize) -> rusqlite::Result<Option<Name>> {
    let sort = row.get(shown + 1)?;
    Ok(row.get::<_, Option<String>>(shown)?.map(|shown| Name { shown, sort }))
}

pub(super) fn date(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Date>> {
    let part = |number: i64| u8::try_from(number % 100).ok().filter(|part| *part > 0);
    Ok(row.get::<_, Option<i64>>(at)?.and_then(|number| {
        Some(Date {
            year: u16::try_from(number / 10_000).ok()?,
            month: part(number / 100),
            day: part(number),
        })
    }))
}

pub(super) fn edition(row: &Row<'_>, from: usize) -> rusqlite::Result<Edition> {
    let kinds: Option<String> = row.get(from + 5)?;
    Ok(Edition {
        version: row.get(from)?,
        label: row.get(from + 1)?,
        catalogue: row.get(from + 2)?,
        barcode: row.get(from + 3)?,
        media: row.get(from + 4)?,
        kinds: kinds.map(|kinds| kinds.split("; ").map(str::to_owned).collect()).unwrap_or_default(),
    })
}

fn track(row: &Row<'_>) -> rusqlite::Result<Track> {
    let folder: Vec<u8> = row.get(44)?;
    let inside = join(&folder, &row.get::<_, Vec<u8>>(45)?);
    let root = PathBuf::from(OsString::from_vec(row.get(43)?));
    Ok(Track {
        id: row.get(1)?,
        title: name(row, 2)?,
        artist_shown: row.get(4)?,
        credits: Vec::new(),
        album: row.get(5)?,
        album_title: name(row, 6)?,
        place: Place { number: row.get(8)?, total: row.get(9)? },
        disc: Place { number: row.get(10)?, total: row.get(11)? },
        disc_subtitle: row.get(12)?,
        original_date: date(row, 13)?,
        release_date: date(row, 14)?,
        date: date(row, 15)?,
        genres: Vec::new(),
        edition: edition(row, 16)?,
        musicbrainz: MusicBrainz {
            release: row.get(22)?,
            release_group: row.get(23)?,
            recording: row.get(24)?,
            track: row.get(25)?,
        },
        audio: Audio {
            codec: row.get(26)?,
            milliseconds: row.get(27)?,
            rate: row.get(28)?,
            channels: row.get(29)?,
            depth: row.get(30)?,
            bitrate: row.get(31)?,
        },
        gain: Gain {
            track: row.get(32)?,
            track_peak: row.get(33)?,
            album: row.get(34)?,
            album_peak: row.get(35)?,
            r128_track: row.get(36)?,
            r128_album: row.get(37)?,
        },
        explicit: row.get(38)?,
        spoken: row.get(39)?,
        comment: row.get(40)?,
        has_lyrics: row.get(41)?,
        oddities: Vec::new(),
        fingerprint: row.get::<_, Option<[u8; 16]>>(42)?.map(|bytes| Fingerprint(u128::from_be_bytes(bytes))),
        file: TrackFile {
            path: below(&root, &inside),
            shown: String::from_utf8_lossy(&inside).into_owned(),
            size: row.get::<_, i64>(46)?.cast_unsigned(),
            modified: Timestamp(row.get::<_, i64>(47)?.div_euclid(1_000_000_000)),
        },
        availability: availability(row, 48)?,
        user: UserData {
            added: Timestamp(row.get(52)?),
            plays: row.get(53)?,
            played: row.get::<_, Option<i64>>(54)?.map(Timestamp),
            favourite: row.get::<_, Option<i64>>(55)?.map(Timestamp),
        },
    })
}

/// Of the columns `f.state, f.since, r.state, r.since`.
pub(crate) fn availability(row: &Row<'_>, from: usize) -> rusqlite::Result<Availability> {
    let since = |at| row.get(at).map(Timestamp);
    Ok(match (row.get::<_, i64>(from)?, row.get::<_, i64>(from + 2)?) {
        (2.., _) => Availability::Missing { since: since(from + 1)? },
        (_, 1) => Availability::Unknown { since: since(from + 3)? },
        (1, _) => Availability::Unknown { since: since(from + 1)? },
        _ => Availability::Present,
    })
}

/// What lies in other tables.
fn fill(database: &Connection, key: i64, track: &mut Track) -> Result<(), LibraryError> {
    let mut credits = database.prepare_cached(
        "SELECT u.id, n.shown, c.role, c.detail FROM credits c JOIN names n ON n.key = c.name \
         JOIN artist_user u ON u.artist = n.artist WHERE c.track = ?1 ORDER BY c.place",
    )?;
    let mut rows = credits.query([key])?;
    while let Some(row) = rows.next()? {
        if let Some(role) = role(row.get(2)?, row.get(3)?) {
            track.credits.push(Credited { artist: row.get(0)?, name: row.get(1)?, role });
        }
    }
    let mut genres = database.prepare_cached(
        "SELECT g.name FROM track_genres t JOIN genres g ON g.key = t.genre WHERE t.track = ?1 ORDER BY t.place",
    )?;
    track.genres = genres.query_map([key], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut odd =
        database.prepare_cached("SELECT what, says FROM oddities WHERE track = ?1 ORDER BY place")?;
    let mut rows = odd.query([key])?;
    while let Some(row) = rows.next()? {
        let says = row.get::<_, Option<String>>(1)?.unwrap_or_default();
        track.oddities.extend(match &*row.get::<_, String>(0)? {
            "mojibake" => Some(Oddity::Mojibake(says)),
            "perhaps-mojibake" => Some(Oddity::PerhapsMojibake),
            "damaged-tag" => Some(Oddity::DamagedTag),
            "impossible-audio" => Some(Oddity::ImpossibleAudio),
            "contradiction" => Some(Oddity::Contradiction(says)),
            _ => None,
        });
    }
    Ok(())
}
