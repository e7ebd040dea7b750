//! What a library holds, as musicians and collectors mean it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    AlbumId, ArtistId, Audio, Date, Edition, Fingerprint, Gain, MusicBrainz, Name, Oddity, Place, PlaylistId,
    Role, Timestamp, TrackId,
};

/// Whether a track can be heard now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Availability {
    /// Its file is there.
    Present,
    /// Its folder cannot be read, or its root is offline: nobody knows.
    Unknown {
        /// Since when.
        since: Timestamp,
    },
    /// Its file is not where it was, nor recognised elsewhere.
    Missing {
        /// Since when. It is forgotten when the grace period ends.
        since: Timestamp,
    },
}

/// Somebody's part in a track.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credited {
    /// Who.
    pub artist: ArtistId,
    /// By which name here.
    pub name: String,
    /// As what.
    pub role: Role,
}

/// A name that leads somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtistName {
    /// Who.
    pub artist: ArtistId,
    /// By which name here.
    pub name: String,
}

/// A track: one recording in one place of the collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Track {
    /// Its lasting id.
    pub id: TrackId,
    /// Its title; `None` if no tag gives one (then its file's name serves).
    pub title: Option<Name>,
    /// As the sleeve prints its artists.
    pub artist_shown: Option<String>,
    /// Whoever takes part in it, in the tags' order.
    pub credits: Vec<Credited>,
    /// The album that it is on.
    pub album: Option<AlbumId>,
    /// What its tags call that album.
    pub album_title: Option<Name>,
    /// Its place on its disc.
    pub place: Place,
    /// The disc's place in the album.
    pub disc: Place,
    /// The disc's own title.
    pub disc_subtitle: Option<String>,
    /// When the recording came out first.
    pub original_date: Option<Date>,
    /// When this edition came out.
    pub release_date: Option<Date>,
    /// When it was recorded, or the one date of files that know only one.
    pub date: Option<Date>,
    /// Genres by name.
    pub genres: Vec<String>,
    /// What its tags say of the edition.
    pub edition: Edition,
    /// Ids of `MusicBrainz`.
    pub musicbrainz: MusicBrainz,
    /// How it sounds.
    pub audio: Audio,
    /// How loud it is.
    pub gain: Gain,
    /// Whether it is marked as explicit or clean.
    pub explicit: Option<bool>,
    /// Whether it is a podcast or an audio book.
    pub spoken: bool,
    /// A comment that a person wrote.
    pub comment: Option<String>,
    /// Whether words are stored in its file; [`Library::lyrics`](crate::Library::lyrics) gives them, and those beside it.
    pub has_lyrics: bool,
    /// What was strange about its file.
    pub oddities: Vec<Oddity>,
    /// Of its audio bytes.
    pub fingerprint: Option<Fingerprint>,
    /// Where it lies.
    pub file: TrackFile,
    /// Whether it can be heard now.
    pub availability: Availability,
    /// What the owner did with it.
    pub user: UserData,
}

/// Where a track lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackFile {
    /// Its path. While the track is missing, where it was.
    #[serde(skip)]
    pub path: PathBuf,
    /// The path below its root, for people: bytes that are no text are replaced.
    pub shown: String,
    /// Bytes.
    pub size: u64,
    /// When it was changed.
    pub modified: Timestamp,
}

/// What the owner did with a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserData {
    /// When the library first knew it.
    pub added: Timestamp,
    /// How often it was played.
    pub plays: u32,
    /// When it was played last.
    pub played: Option<Timestamp>,
    /// Since when it is a favourite.
    pub favourite: Option<Timestamp>,
}

/// An album: one edition of a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Album {
    /// Its lasting id.
    pub id: AlbumId,
    /// Its title, as most of its tracks have it.
    pub title: Name,
    /// As the sleeve prints its artists.
    pub artist_shown: String,
    /// Its artists.
    pub artists: Vec<ArtistName>,
    /// Whether it is by many artists, or is said to be a compilation.
    pub compilation: bool,
    /// When the recordings came out first.
    pub original_date: Option<Date>,
    /// When this edition came out.
    pub release_date: Option<Date>,
    /// The year that it is listed under: of the original date, else of the release, else of the recording.
    pub year: Option<u16>,
    /// What tells this edition from others.
    pub edition: Edition,
    /// Ids of `MusicBrainz`: of the release and its group.
    pub musicbrainz: MusicBrainz,
    /// `ReplayGain` of the album, in dB, and its peak.
    pub gain: Gain,
    /// How many tracks of it are there.
    pub tracks: u32,
    /// On how many discs.
    pub discs: u32,
    /// How long they are together.
    pub milliseconds: u64,
    /// When the library first knew it.
    pub added: Timestamp,
    /// Since when it is a favourite.
    pub favourite: Option<Timestamp>,
}

/// An artist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artist {
    /// Its lasting id.
    pub id: ArtistId,
    /// The name that most tracks credit, and how it sorts.
    pub name: Name,
    /// The id at `MusicBrainz`.
    pub musicbrainz: Option<String>,
    /// How many albums are theirs.
    pub albums: u32,
    /// On how many tracks they are credited, in whatever role.
    pub tracks: u32,
    /// When the library first knew them.
    pub added: Timestamp,
    /// Since when they are a favourite.
    pub favourite: Option<Timestamp>,
}

/// A playlist that lies in a root as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Playlist {
    /// Its id; it lasts as long as its file has this name.
    pub id: PlaylistId,
    /// Its title: what it says, else its file's name.
    pub title: String,
    /// Where it lies, below its root.
    pub shown: String,
    /// How many entries it has.
    pub entries: u32,
    /// How many of them are tracks of this library.
    pub known: u32,
}

/// One entry of a playlist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaylistEntry {
    /// What the file says.
    pub said: String,
    /// The title that the file gives it.
    pub title: Option<String>,
    /// The track, if it is known. It stays known when it moves.
    pub track: Option<TrackId>,
}

/// A folder whose music the library lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootStatus {
    /// Its path, for people.
    pub path: String,
    /// How it is.
    pub state: RootState,
    /// Since when.
    pub since: Timestamp,
    /// Tracks in it, missing ones too.
    pub tracks: u64,
    /// Those of them that are missing.
    pub missing: u64,
}

/// Whether what a root shows is believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum RootState {
    /// It is.
    Online,
    /// It is not there, cannot be read, is empty, or another device is in its place. Nothing of it is changed.
    Offline {
        /// Which of these.
        why: String,
    },
    /// Much of it vanished at once. What is missing stays missing until it comes back or the owner forgets it.
    Suspect {
        /// What was seen.
        why: String,
    },
    /// The owner took it out of the library. Its tracks are missing.
    Removed,
}

/// How the library is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Status {
    /// Its roots.
    pub roots: Vec<RootStatus>,
    /// Tracks that are there, missing and in folders that cannot be read.
    pub tracks: u64,
    /// Those that are missing.
    pub missing: u64,
    /// Files that cannot be read.
    pub unreadable: u64,
    /// Albums.
    pub albums: u64,
    /// Artists.
    pub artists: u64,
    /// The last scan.
    pub last_scan: Option<ScanRecord>,
    /// What should be changed, in words: the index lies on a network share, it had been damaged.
    pub warnings: Vec<String>,
}

/// One scan of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScanRecord {
    /// Counts up.
    pub number: i64,
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` if it runs, or was killed.
    pub ended: Option<Timestamp>,
    /// `done`, `cancelled` or `failed`.
    pub outcome: Option<String>,
    /// Audio files that it found.
    pub found: u64,
    /// Files that it opened.
    pub read: u64,
    /// Tracks that it found elsewhere.
    pub moved: u64,
    /// Tracks that it missed.
    pub missing: u64,
    /// Files that it could not read.
    pub failed: u64,
    /// Files that were still being written.
    pub unsettled: u64,
    /// What was strange: one line each.
    pub lines: Vec<ScanLine>,
}

/// One line of the scan log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanLine {
    /// The file or folder, below its root.
    pub place: String,
    /// What, as a word that does not change: `damaged`, `unreadable-folder`, ….
    pub what: String,
    /// What, for people.
    pub says: String,
}

/// A file that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadableFile {
    /// The file, below its root.
    pub place: String,
    /// Why, as a word that does not change.
    pub why: String,
    /// Why, for people.
    pub says: String,
}

/// Why two tracks are on one album or on two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Whether they are on one album.
    pub together: bool,
    /// What the albums are grouped by, where it differs.
    pub differences: Vec<Difference>,
}

/// Something by which albums are grouped, that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What: `folder`, `album`, `album-artist`, `artist`, `edition`, `release-id`, `year`,
    /// `compilation`, `disc`.
    pub field: &'static str,
    /// Of the first track.
    pub a: String,
    /// Of the second one.
    pub b: String,
}
