//! Opening the index: migrated, or set aside and rebuilt when it is damaged.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::kept::Kept;
use super::migrate::{known, migrate};
use super::pool::{Pool, open_writer};
use super::words;
use crate::{LibraryError, Timestamp};

/// The name of the database in its directory.
pub(crate) const DATABASE: &str = "music.db";
/// Lies beside a database that was found to be damaged while it was open.
const DAMAGED: &str = "music.db.damaged";

/// An open index.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) pool: Pool,
    pub(crate) kept: Kept,
    pub(crate) directory: PathBuf,
    pub(crate) rebuilt: Option<Rebuilt>,
}

/// The index was damaged when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rebuilt {
    /// Where the damaged one was put.
    pub(crate) aside: PathBuf,
    /// How many tracks were taken over from the side file.
    pub(crate) tracks: usize,
}

impl Index {
    pub(crate) fn open(directory: &Path, now: Timestamp) -> Result<Self, LibraryError> {
        fs::create_dir_all(directory)
            .map_err(|source| LibraryError::Place { path: directory.to_path_buf(), source })?;
        let path = directory.join(DATABASE);
        let marked = directory.join(DAMAGED).exists();
        let opened = if marked {
            Err(LibraryError::Corrupt { source: "it was found to be damaged".into() })
        } else {
            open(&path)
        };
        let (mut writer, rebuilt) = match opened {
            Ok(writer) => (writer, None),
            Err(LibraryError::Corrupt { .. }) => {
                let aside = set_aside(directory, &path, now)?;
                (open(&path)?, Some(Rebuilt { aside, tracks: 0 }))
            }
            Err(error) => return Err(error),
        };
        let empty: bool =
            writer.query_row("SELECT NOT EXISTS (SELECT 1 FROM track_user)", [], |row| row.get(0))?;
        let kept = Kept::open(directory)?;
        let mut rebuilt = rebuilt;
        if empty {
            // Also when a rebuild was killed before it had taken them over.
            let tracks = kept.restore(&mut writer, now)?;
            if let Some(rebuilt) = &mut rebuilt {
                rebuilt.tracks = tracks;
            }
        }
        Ok(Self { pool: Pool::new(path, writer), kept, directory: directory.to_path_buf(), rebuilt })
    }

    /// Remembers that the database is damaged, so that the next open sets it aside.
    pub(crate) fn mark_damaged(&self) {
        // Nothing more can be done if this fails too; the next open looks for itself.
        let _ = fs::write(self.directory.join(DAMAGED), b"");
    }
}

fn open(path: &Path) -> Result<Connection, LibraryError> {
    refuse_newer(path)?;
    let mut writer = open_writer(path)?;
    migrate(&mut writer, path)?;
    words::fill_all(&mut writer)?;
    // A page or two of each table: damage there is found now rather than in the middle of something.
    for table in [
        "roots",
        "folders",
        "files",
        "tracks",
        "albums",
        "artists",
        "names",
        "track_user",
        "playlists",
        "search",
    ] {
        writer.query_row(&format!("SELECT EXISTS (SELECT * FROM {table} LIMIT 1)"), [], |_| Ok(()))?;
    }
    Ok(writer)
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
    let io = |source| LibraryError::System { doing: "setting the damaged index aside", source };
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
            fs::rename(&from, aside.with_extension(kept)).map_err(io)?;
        }
    }
    match fs::remove_file(directory.join(DAMAGED)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io(error)),
        _ => Ok(aside),
    }
}
