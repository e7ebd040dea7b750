//! Watching: the library is scanned again where something changed, soon after it did.
//!
//! What the system tells of changes is a hint and no more: of many files that are copied at once some are told by nobody,
//! and of a folder that is moved its files are not. So an event only marks the nearest folder; when the folder was quiet
//! for a while, all below it is walked. Where events were lost, where the kernel watches no more folders, and every few
//! minutes in any case, everything is walked, which opens no file that did not change. Where the file system tells nothing
//! (network shares) that is all that is done, more often.

mod marks;
mod noted;
mod running;

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Library, LibraryError, ScanEvent, ScanOptions, ScanReport, Stop};

/// How the library is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchOptions {
    /// A folder is scanned when nothing was told of it for so long. Two seconds.
    pub quiet: Duration,
    /// It does not wait for longer than this in all. A minute.
    pub longest: Duration,
    /// Everything is walked this often. Five minutes.
    pub everything: Duration,
    /// Where nothing is told, everything is walked this often. A minute.
    pub polled: Duration,
    /// How it scans. `only` is not looked at.
    pub scan: ScanOptions,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            longest: Duration::from_secs(60),
            everything: Duration::from_secs(5 * 60),
            polled: Duration::from_secs(60),
            scan: ScanOptions::default(),
        }
    }
}

/// How a root is watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// Its path, for people.
    pub root: String,
    /// How.
    pub how: How,
}

/// Whether a root tells what changes in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum How {
    /// It does.
    Events,
    /// It does not, or not all of it: everything is walked again and again.
    Polls {
        /// Why.
        why: String,
    },
}

/// What happens while the library is watched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WatchEvent {
    /// How the roots are watched from now on. Told at the beginning and whenever it changes.
    Watching(Vec<Watched>),
    /// These folders are scanned now; none for everything.
    Begins(Vec<PathBuf>),
    /// How far the scan is.
    Scan(ScanEvent),
    /// What it did.
    Done(ScanReport),
    /// It did nothing, and why; it is tried again later.
    Failed(String),
}

impl Library {
    /// Scans everything, then watches and scans what changes until `stop` is set. Blocks; `each` is told what happens.
    /// Roots that are added or taken out meanwhile, here or by another process, are noticed within seconds.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Scanning`] if another process watches; what the index says when it is damaged.
    pub fn watch(
        &self,
        options: &WatchOptions,
        stop: &Stop,
        each: &mut dyn FnMut(WatchEvent),
    ) -> Result<(), LibraryError> {
        running::run(self, options, stop, each)
    }

    /// How the library is watched now, by this process or another one; `None` if nobody watches.
    pub fn watched(&self) -> Option<Vec<Watched>> {
        noted::read(&self.index.directory)
    }
}
