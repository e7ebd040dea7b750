//! Why the library did not do something.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// Why the library did not do something. What one file or folder did wrong is no error but a line in the scan log.
#[derive(Debug)]
#[non_exhaustive]
pub enum LibraryError {
    /// A newer Archy wrote this index. It was not touched; use that version, or give another directory.
    Newer {
        /// The version of its schema.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// The index is damaged. Opening the library again sets it aside, keeps it, and rebuilds it.
    Corrupt {
        /// What the database said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Another scan runs, here or in another process.
    Scanning,
    /// The caller stopped it. What was done until then stays.
    Cancelled,
    /// There is no such root, track, album, artist or playlist.
    Unknown {
        /// What was asked for.
        what: String,
    },
    /// The database did not do its work: a full disk, a lock that was held too long.
    Index {
        /// What the database said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The operating system refused something in the library's own directory.
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The directory cannot hold an index.
    Place {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { found, known } => {
                write!(
                    f,
                    "a newer version wrote this music index (schema {found}, this program knows {known}); it was not touched"
                )
            }
            Self::Corrupt { .. } => {
                f.write_str("the music index is damaged; it is set aside and rebuilt when it is opened again")
            }
            Self::Scanning => f.write_str("another scan is running"),
            Self::Cancelled => f.write_str("stopped"),
            Self::Unknown { what } => write!(f, "there is no {what}"),
            Self::Index { source } => write!(f, "the music index did not do its work: {source}"),
            Self::System { doing, source } => write!(f, "{doing} failed: {source}"),
            Self::Place { path, source } => {
                write!(f, "{} cannot hold the music index: {source}", path.display())
            }
        }
    }
}

impl Error for LibraryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Corrupt { source } | Self::Index { source } => Some(&**source),
            Self::System { source, .. } | Self::Place { source, .. } => Some(source),
            Self::Newer { .. } | Self::Scanning | Self::Cancelled | Self::Unknown { .. } => None,
        }
    }
}

impl From<rusqlite::Error> for LibraryError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        // All that is asked stands in this crate, so that a table or column that is not there is damage.
        let lacks = || error.to_string().starts_with("no such ");
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::corrupt(error),
            _ if lacks() => Self::corrupt(error),
            _ => Self::Index { source: Box::new(error) },
        }
    }
}

thread_local! {
    /// Whether damage was told on this thread since somebody looked.
    static DAMAGE: Cell<bool> = const { Cell::new(false) };
}

impl LibraryError {
    pub(crate) fn corrupt(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        DAMAGE.set(true);
        Self::Corrupt { source: source.into() }
    }

    /// Whether damage was found on this thread since the last look. A connection looks when it is given back, so that no
    /// method can forget to remember what it found.
    pub(crate) fn found_damage() -> bool {
        DAMAGE.take()
    }
}
