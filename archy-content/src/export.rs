//! All that the library knows, one line after the other, for other programs and for keeping.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use serde::Serialize;

use crate::{
    Album, Artist, Library, LibraryError, Page, Paged, Playlist, PlaylistEntry, ScanRecord, Search, Status,
    Track, UnreadableFile,
};

/// So many are read at once.
const AT_ONCE: usize = 500;
/// Raised when a line means something else.
const VERSION: u32 = 1;

/// One line.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Exported {
    /// The first one.
    Library {
        /// Of this form.
        version: u32,
        /// How the library is.
        status: Box<Status>,
    },
    /// An artist.
    Artist(Box<Artist>),
    /// An album.
    Album(Box<Album>),
    /// A track, missing ones too.
    Track {
        /// It.
        #[serde(flatten)]
        track: Box<Track>,
        /// Its whole path, where that is text.
        path: Option<String>,
        /// Its whole path in hexadecimal digits, where it is no text.
        path_bytes: Option<String>,
        /// Words that are stored in it or beside it.
        lyrics: Option<String>,
    },
    /// A playlist.
    Playlist {
        /// It.
        #[serde(flatten)]
        playlist: Playlist,
        /// What it lists.
        list: Vec<PlaylistEntry>,
    },
    /// A file that cannot be read.
    Unreadable(UnreadableFile),
    /// A scan, the last one first.
    Scan(Box<ScanRecord>),
}

impl Library {
    /// Tells `each` of everything. What a scan changes meanwhile is told as it was or as it is.
    ///
    /// # Errors
    ///
    /// When the index cannot be read; what `each` says.
    pub fn export<E: From<LibraryError>>(
        &self,
        each: &mut dyn FnMut(Exported) -> Result<(), E>,
    ) -> Result<(), E> {
        each(Exported::Library { version: VERSION, status: Box::new(self.status()?) })?;
        all(|page| self.artists(page), &mut |artist: Artist| each(Exported::Artist(Box::new(artist))))?;
        all(|page| self.albums(page), &mut |album: Album| each(Exported::Album(Box::new(album))))?;
        let everything = Search::default();
        all(|page| self.search_tracks(&everything, page), &mut |track: Track| {
            let path = track.file.path.to_str().map(str::to_owned);
            let bytes = track.file.path.as_os_str().as_bytes();
            let path_bytes = path.is_none().then(|| digits(bytes));
            let lyrics = self.lyrics(track.id)?;
            each(Exported::Track { track: Box::new(track), path, path_bytes, lyrics })
        })?;
        all(|page| self.playlists(page), &mut |playlist: Playlist| {
            let list = self.playlist(playlist.id)?;
            each(Exported::Playlist { playlist, list })
        })?;
        for file in self.unreadable()? {
            each(Exported::Unreadable(file))?;
        }
        all(|page| self.scan_log(page), &mut |scan: ScanRecord| each(Exported::Scan(Box::new(scan))))
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn all<T, E: From<LibraryError>>(
    read: impl Fn(&Page) -> Result<Paged<T>, LibraryError>,
    each: &mut dyn FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut page = Page::first(AT_ONCE);
    loop {
        let Paged { items, next } = read(&page)?;
        items.into_iter().try_for_each(&mut *each)?;
        match next {
            Some(next) => page.after = Some(next),
            None => return Ok(()),
        }
    }
}
