//! A library in a temporary directory, with what a test does to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use archy_content::*;
use tempfile::TempDir;

use crate::text_reader::options;

/// A library and its root.
pub(crate) struct Shelf {
    pub(crate) library: Library,
    pub(crate) music: PathBuf,
    pub(crate) index: PathBuf,
    _directory: TempDir,
}

impl Shelf {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self::with(options())
    }

    /// With these options.
    pub(crate) fn with(options: LibraryOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (music, index) = (directory.path().join("music"), directory.path().join("index"));
        fs::create_dir(&music).unwrap();
        let library = Library::open(&index, options).unwrap();
        library.set_roots(std::slice::from_ref(&music)).unwrap();
        Self { library, music, index, _directory: directory }
    }

    /// Puts a file below the root.
    pub(crate) fn put(&self, path: &str, text: &str) -> &Self {
        let file = self.music.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    /// Renames a file or folder.
    pub(crate) fn rename(&self, from: &str, to: &str) -> &Self {
        let to = self.music.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.music.join(from), to).unwrap();
        self
    }

    /// Removes a file or folder.
    pub(crate) fn remove(&self, path: &str) -> &Self {
        let path = self.music.join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
        self
    }

    /// Scans.
    pub(crate) fn scan(&self) -> ScanReport {
        self.library.scan(&at_once(), &Stop::default(), &mut |_| ()).unwrap()
    }

    /// The id of the track at this place.
    pub(crate) fn id(&self, path: &str) -> TrackId {
        self.library.track_at(&self.music.join(path)).unwrap().unwrap_or_else(|| panic!("no track at {path}"))
    }

    /// The track at this place.
    pub(crate) fn track(&self, path: &str) -> Track {
        self.library.track(self.id(path)).unwrap()
    }

    /// Albums by title, with their artist and the titles of their tracks that are there.
    pub(crate) fn albums(&self) -> Vec<(String, String, Vec<String>)> {
        let albums = self.library.albums(&Page::first(1_000)).unwrap().items;
        let mut shown: Vec<_> = albums
            .into_iter()
            .map(|album| {
                let tracks = self.library.album_tracks(album.id).unwrap().into_iter();
                let there = tracks.filter(|track| track.availability == Availability::Present);
                let titles =
                    there.map(|track| track.title.map_or(String::new(), |title| title.shown)).collect();
                (album.title.shown, album.artist_shown, titles)
            })
            .collect();
        shown.sort();
        shown
    }

    /// Every track that the library knows, by id: where it lies, and whether it is there.
    pub(crate) fn tracks(&self) -> BTreeMap<TrackId, (String, bool)> {
        tracks(&self.index)
    }
}

/// Scans without waiting for files to settle.
pub(crate) fn at_once() -> ScanOptions {
    let mut options = ScanOptions::default();
    options.settle = Duration::ZERO;
    options
}

/// Every track of an index.
pub(crate) fn tracks(index: &Path) -> BTreeMap<TrackId, (String, bool)> {
    let database = rusqlite::Connection::open(index.join("music.db")).unwrap();
    let mut statement = database
        .prepare(
            "SELECT printf('%016x', u.id), d.shown, f.shown, f.state = 0 FROM track_user u JOIN files f ON f.key = u.file \
             JOIN folders d ON d.key = f.folder",
        )
        .unwrap();
    let rows = statement
        .query_map([], |row| {
            let folder: String = row.get(1)?;
            let place = if folder.is_empty() {
                row.get(2)?
            } else {
                format!("{folder}/{}", row.get::<_, String>(2)?)
            };
            Ok((row.get::<_, String>(0)?.parse().unwrap(), (place, row.get(3)?)))
        })
        .unwrap();
    rows.map(Result::unwrap).collect()
}
