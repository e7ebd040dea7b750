//! The lines of the side file.

use std::io::{self, Write};

use rusqlite::{Connection, OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use crate::percent::escape;
use crate::{AlbumId, ArtistId, LibraryError, PlaylistId, TrackId};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(crate) enum Line {
    Track(TrackLine),
    Album(AlbumLine),
    Artist(ArtistLine),
    Playlist(PlaylistLine),
    /// The folders of the library, all of them.
    Roots {
        paths: Vec<String>,
    },
    /// The owner wants nothing kept of it.
    Forgotten {
        id: TrackId,
    },
}

/// A track, and by what it is known again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TrackLine {
    pub(crate) id: String,
    pub(crate) added: i64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) plays: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) played: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) favourite: Option<i64>,
    pub(crate) root: String,
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) size: i64,
    pub(crate) modified: i64,
    pub(crate) device: i64,
    pub(crate) inode: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fingerprint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mb_track: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mb_recording: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) likeness: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) milliseconds: Option<i64>,
}

/// An album, by its grouping key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AlbumLine {
    pub(crate) id: AlbumId,
    pub(crate) added: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) favourite: Option<i64>,
    pub(crate) grouping: String,
}

/// An artist, by name or id of `MusicBrainz`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArtistLine {
    pub(crate) id: ArtistId,
    pub(crate) added: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) favourite: Option<i64>,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) musicbrainz: Option<String>,
}

/// A playlist, by its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlaylistLine {
    pub(crate) id: PlaylistId,
    pub(crate) root: String,
    pub(crate) folder: String,
    pub(crate) name: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this shape")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

const TRACKS: &str = "SELECT u.id, u.added, u.plays, u.played, u.favourite, r.path, d.path, f.name, f.size, f.modified, f.device, \
     f.inode, f.fingerprint, f.mb_track, f.mb_recording, f.likeness, f.milliseconds \
     FROM track_user u JOIN files f ON f.key = u.file JOIN folders d ON d.key = f.folder JOIN roots r ON r.key = d.root";
const ALBUMS: &str = "SELECT u.id, u.added, u.favourite, a.grouping FROM album_user u JOIN albums a ON a.key = u.album \
     WHERE a.grouping IS NOT NULL";
const PLAYLISTS: &str = "SELECT p.id, r.path, d.path, p.name FROM playlists p JOIN folders d ON d.key = p.folder \
     JOIN roots r ON r.key = d.root WHERE TRUE";
const ARTISTS: &str = "SELECT u.id, u.added, u.favourite, a.name, a.musicbrainz FROM artist_user u JOIN artists a ON a.key = u.artist WHERE TRUE";

impl Line {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// The line of the track with this key.
    pub(crate) fn track(database: &Connection, key: i64) -> Result<Option<Self>, LibraryError> {
        Ok(database
            .prepare_cached(&format!("{TRACKS} WHERE u.file = ?1"))?
            .query_row([key], track)
            .optional()?)
    }

    /// The line of the album with this key.
    pub(crate) fn album(database: &Connection, key: i64) -> Result<Option<Self>, LibraryError> {
        Ok(database
            .prepare_cached(&format!("{ALBUMS} AND u.album = ?1"))?
            .query_row([key], album)
            .optional()?)
    }

    /// The line of the artist with this key.
    pub(crate) fn artist(database: &Connection, key: i64) -> Result<Option<Self>, LibraryError> {
        Ok(database
            .prepare_cached(&format!("{ARTISTS} AND u.artist = ?1"))?
            .query_row([key], artist)
            .optional()?)
    }

    /// The line of the playlist with this key.
    pub(crate) fn playlist(database: &Connection, key: i64) -> Result<Option<Self>, LibraryError> {
        Ok(database
            .prepare_cached(&format!("{PLAYLISTS} AND p.key = ?1"))?
            .query_row([key], playlist)
            .optional()?)
    }

    /// The line of the folders.
    pub(crate) fn roots(database: &Connection) -> Result<Self, LibraryError> {
        let mut statement = database.prepare("SELECT path FROM roots WHERE state < 3 ORDER BY path")?;
        let paths = statement.query_map([], |row| Ok(escape(row.get_ref(0)?.as_bytes()?)))?;
        Ok(Self::Roots { paths: paths.collect::<Result<_, _>>()? })
    }

    /// Every line of the index.
    pub(super) fn each(
        database: &Connection,
        take: &mut dyn FnMut(Self) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        type Reading = fn(&Row<'_>) -> rusqlite::Result<Line>;
        take(Self::roots(database)?)?;
        for (text, reading) in
            [(TRACKS, track as Reading), (ALBUMS, album), (ARTISTS, artist), (PLAYLISTS, playlist)]
        {
            let mut statement = database.prepare(text)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                take(reading(row)?)?;
            }
        }
        Ok(())
    }
}

fn track(row: &Row<'_>) -> rusqlite::Result<Line> {
    let bytes = |at| row.get_ref(at).and_then(|value| Ok(escape(value.as_bytes()?)));
    Ok(Line::Track(TrackLine {
        id: row.get::<_, TrackId>(0)?.to_string(),
        added: row.get(1)?,
        plays: row.get(2)?,
        played: row.get(3)?,
        favourite: row.get(4)?,
        root: bytes(5)?,
        folder: bytes(6)?,
        name: bytes(7)?,
        size: row.get(8)?,
        modified: row.get(9)?,
        device: row.get(10)?,
        inode: row.get(11)?,
        fingerprint: row
            .get::<_, Option<[u8; 16]>>(12)?
            .map(|bytes| format!("{:032x}", u128::from_be_bytes(bytes))),
        mb_track: row.get(13)?,
        mb_recording: row.get(14)?,
        likeness: row.get(15)?,
        milliseconds: row.get(16)?,
    }))
}

fn album(row: &Row<'_>) -> rusqlite::Result<Line> {
    Ok(Line::Album(AlbumLine {
        id: row.get(0)?,
        added: row.get(1)?,
        favourite: row.get(2)?,
        grouping: row.get(3)?,
    }))
}

fn artist(row: &Row<'_>) -> rusqlite::Result<Line> {
    Ok(Line::Artist(ArtistLine {
        id: row.get(0)?,
        added: row.get(1)?,
        favourite: row.get(2)?,
        name: row.get(3)?,
        musicbrainz: row.get(4)?,
    }))
}

fn playlist(row: &Row<'_>) -> rusqlite::Result<Line> {
    let bytes = |at| row.get_ref(at).and_then(|value| Ok(escape(value.as_bytes()?)));
    Ok(Line::Playlist(PlaylistLine { id: row.get(0)?, root: bytes(1)?, folder: bytes(2)?, name: bytes(3)? }))
}
