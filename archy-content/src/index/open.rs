//! Opening the index: migrated, or set aside and rebuilt when it is damaged.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::kept::Kept;
use super::lock::Lock;
use super::migrate::{known, migrate};
use super::pool::{Pool, damaged, open_writer};
use super::words;
use crate::{LibraryError, Timestamp};

/// The name of the database in its directory.
pub(crate) const DATABASE: &str = "music.db";
/// An open index.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) pool: Pool,
    pub(crate) kept: Kept,
    pub(crate) directory: PathBuf,
    pub(crate) rebuilt: Option<Rebuilt>,
}

/// The index was damaged, or gone, when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rebuilt {
    /// Where the damaged one was put.
    pub(crate) aside: Option<PathBuf>,
    /// How many tracks were taken over from the side file.
    pub(crate) tracks: usize,
}

impl Index {
    pub(crate) fn open(directory: &Path, now: Timestamp) -> Result<Self, LibraryError> {
        let place = |source| LibraryError::Place { path: directory.to_path_buf(), source };
        fs::create_dir_all(directory).map_err(place)?;
        let path = directory.join(DATABASE);
        if path.is_dir() {
            let source = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(LibraryError::Place { path, source });
        }
        let (Opened { mut writer, is_new }, aside) = match open(&path) {
            Err(LibraryError::Corrupt { .. }) => {
                // Of two processes one sets it aside, and the other finds a good one then.
                let _lock = Lock::wait(directory, "music.rebuild.lock").map_err(place)?;
                match open(&path) {
                    Err(LibraryError::Corrupt { .. }) => {
                        let aside = set_aside(directory, &path, now)?;
                        (open(&path)?, Some(aside))
                    }
                    opened => (opened?, None),
                }
            }
            opened => (opened?, None),
        };
        // What was found is dealt with.
        LibraryError::found_damage();
        let kept = Kept::open(directory)?;
        // Also when a rebuild was killed before it had taken them over.
        let tracks = if is_new { kept.restore(&mut writer, now)? } else { 0 };
        let rebuilt = (aside.is_some() || tracks > 0).then_some(Rebuilt { aside, tracks });
        Ok(Self { pool: Pool::new(path, writer), kept, directory: directory.to_path_buf(), rebuilt })
    }
}

/// A database that is whole, as far as a first look tells.
struct Opened {
    writer: Connection,
    /// Whether it has yet to take over what was kept of the one before it.
    is_new: bool,
}

impl Index {
    /// Held by a scan, and by what takes away what a scan has in its hands: one at a time, of all processes.
    pub(crate) fn alone(&self, patience: Duration) -> Result<Lock, LibraryError> {
        let io = |source| LibraryError::System { doing: "locking the index for a scan", source };
        Lock::within(patience, &self.directory, "music.lock").map_err(io)?.ok_or(LibraryError::Scanning)
    }
}

fn open(path: &Path) -> Result<Opened, LibraryError> {
    refuse_newer(path)?;
    let mut writer = open_writer(path)?;
    let mark = damaged(path);
    if mark.exists() {
        // Whoever left the mark may have been wrong about which library it was. This reads everything.
        let says: String = writer.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if says != "ok" {
            return Err(LibraryError::corrupt(says));
        }
        fs::remove_file(mark).map_err(|source| LibraryError::System { doing: "removing a mark", source })?;
    }
    migrate(&mut writer, path)?;
    words::fill_all(&mut writer)?;
    // A page or two of each table: damage there is found now rather than in the middle of something.
    for table in ["roots", "folders", "files", "tracks", "albums", "artists", "names", "playlists", "search"]
    {
        writer.query_row(&format!("SELECT EXISTS (SELECT * FROM {table} LIMIT 1)"), [], |_| Ok(()))?;
    }
    let is_new = writer.query_row(
        "SELECT NOT EXISTS (SELECT * FROM meta WHERE name = 'kept') AND NOT EXISTS (SELECT * FROM track_user)",
        [],
        |row| row.get(0),
    )?;
    Ok(Opened { writer, is_new })
}

/// Looks at the version before anything is written, be it the mode of its journal.
fn refuse_newer(path: &Path) -> Result<(), LibraryError> {
    if !path.exists() {
        return Ok(());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found =
        match Connection::open_with_flags(path, flags)?
            .pragma_query_value(None, "user_version", |row| row.get(0))
        {
            Ok(found) => found,
            // It was killed while it wrote: opening it for writing repairs that, and looks again.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
    if found > known() { Err(LibraryError::Newer { found, known: known() }) } else { Ok(()) }
}

/// Renames the database and what belongs to it. Nothing is deleted.
fn set_aside(directory: &Path, path: &Path, now: Timestamp) -> Result<PathBuf, LibraryError> {
    let failed = |source| LibraryError::System { doing: "setting the damaged index aside", source };
    let mut aside = directory.join(format!("music.damaged-{}.db", now.0));
    let mut count = 1;
    while aside.exists() {
        count += 1;
        aside = directory.join(format!("music.damaged-{}-{count}.db", now.0));
    }
    // The database goes last: killed in between, the next open finds it damaged again.
    for (end, kept) in [("db-wal", "db-wal"), ("db-shm", "db-shm"), ("db", "db")] {
        let from = path.with_extension(end);
        if from.exists() {
            fs::rename(&from, aside.with_extension(kept)).map_err(failed)?;
        }
    }
    match fs::remove_file(damaged(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(aside),
    }
}
