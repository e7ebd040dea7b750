//! The library: opened in a directory of its own, told which roots there are, scanned, and read.

pub(crate) mod albums;
pub(crate) mod artists;
mod lyrics;
mod moved_root;
mod owner;
mod playlists;
mod root_paths;
mod roots;
mod status;
pub(crate) mod tracks;

pub use owner::{Favourable, Favourite};

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::covers::Maker;
use crate::index::Index;
use crate::scan::{self, Factory, Means};
use crate::search::Vocabulary;
use crate::{Clock, FileReader, LibraryError, ScanEvent, ScanOptions, ScanReport, Stop, SystemClock};

/// What a library is opened with.
#[derive(Clone)]
pub struct LibraryOptions {
    readers: Arc<Factory>,
    clock: Arc<dyn Clock>,
    grace: Duration,
}

impl LibraryOptions {
    /// With what makes a reader of files for every thread that reads.
    pub fn new(readers: impl Fn() -> Box<dyn FileReader> + Send + Sync + 'static) -> Self {
        Self {
            readers: Arc::new(readers),
            clock: Arc::new(SystemClock),
            grace: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }

    /// With another clock than the system's.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// How long a track may be missing before it is forgotten. 30 days.
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}

impl fmt::Debug for LibraryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LibraryOptions").field("grace", &self.grace).finish_non_exhaustive()
    }
}

/// A music library. Cheap to clone; clones are the same library. Its methods block, and may be called from any thread:
/// reading goes on while a scan writes and sees what was committed last.
#[derive(Clone, Debug)]
pub struct Library {
    pub(crate) index: Arc<Index>,
    pub(crate) options: LibraryOptions,
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) maker: Arc<Maker>,
}

impl Library {
    /// Opens the library whose index lies in this directory, which is made if it is not there. An index of an older
    /// version is brought up to date, and a copy kept; a damaged one is set aside, kept, and begun anew with what only it
    /// knew: [`Library::status`] says so, and the next scan fills it.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Newer`] if a newer version wrote it; [`LibraryError::Place`] if the directory cannot be made.
    pub fn open(directory: &Path, options: LibraryOptions) -> Result<Self, LibraryError> {
        let index = Index::open(directory, options.clock.now())?;
        Ok(Self { index: Arc::new(index), options, vocabulary: Arc::default(), maker: Arc::default() })
    }

    /// Scans the roots: see [`ScanOptions`]. Blocks until it is done; `each` is told how far it is.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Scanning`] if one runs already, [`LibraryError::Cancelled`] if `stop` was set. What was done until
    /// then stays, and the next scan goes on from there.
    pub fn scan(
        &self,
        options: &ScanOptions,
        stop: &Stop,
        each: &mut dyn FnMut(ScanEvent),
    ) -> Result<ScanReport, LibraryError> {
        let grace = i64::try_from(self.options.grace.as_secs()).unwrap_or(i64::MAX);
        let means = Means {
            index: &self.index,
            factory: &*self.options.readers,
            clock: &*self.options.clock,
            grace,
            stop,
        };
        scan::run(&means, options, each)
    }

    /// A reader of files, as scans use them.
    pub fn reader(&self) -> Box<dyn FileReader> {
        (self.options.readers)()
    }

    pub(crate) fn now(&self) -> crate::Timestamp {
        self.options.clock.now()
    }
}
