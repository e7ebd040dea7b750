//! What a scan is told, and what it tells.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::WalkOptions;

/// How a scan goes about its work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanOptions {
    /// Threads that read files, each with its own reader. Two.
    pub workers: usize,
    /// So much nicer than the process they are (0 to 19). 0.
    pub nice: i32,
    /// At most so many files a second are opened; `None` for no limit.
    pub files_per_second: Option<u32>,
    /// A file that changed less than this ago is still being written and is read later. Two seconds.
    pub settle: Duration,
    /// What happens with such files.
    pub unsettled: Unsettled,
    /// Only these folders are walked, each with what is below it; empty for everything. If new files turn up in them, all
    /// is walked, because they may have moved from elsewhere.
    pub only: Vec<PathBuf>,
    /// About so many files are written in one transaction; readers see them then.
    pub batch: usize,
    /// What is walked.
    pub walk: WalkOptions,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            workers: 2,
            nice: 0,
            files_per_second: None,
            settle: Duration::from_secs(2),
            unsettled: Unsettled::Left,
            only: Vec::new(),
            batch: 500,
            walk: WalkOptions::default(),
        }
    }
}

/// What happens with files that are still being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// They are left for another scan; [`ScanReport::unsettled`] counts them.
    Left,
    /// The scan waits for them once, and looks again.
    Awaited,
}

/// Stops a scan from elsewhere. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the scan at the next file. What was committed stays; the next scan goes on from there.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a scan is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "scan")]
#[non_exhaustive]
pub enum ScanEvent {
    /// It walks: this folder, so many audio files until now. Told for every folder.
    Walking {
        /// The folder, below its root.
        folder: String,
        /// Audio files that were found.
        found: u64,
    },
    /// A root cannot be believed; nothing of it is changed.
    RootAway {
        /// The root.
        root: String,
        /// Why.
        why: String,
    },
    /// Files were read. Told as it goes, often of several at once.
    Reading {
        /// The folder of the last one, below its root.
        folder: String,
        /// Files that were read.
        read: u64,
        /// Files that have to be.
        of: u64,
        /// Files a second until now.
        per_second: f64,
    },
    /// What was read until now can be found, and stays whatever happens next. Told for every batch.
    Written {
        /// Files that were read.
        read: u64,
    },
}

/// What a scan did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScanReport {
    /// Audio files that lie in the roots.
    pub found: u64,
    /// Those that are as they were, and were not opened.
    pub unchanged: u64,
    /// Those that were opened.
    pub read: u64,
    /// Those that the index had not known.
    pub added: u64,
    /// Tracks that are elsewhere than before, or back.
    pub moved: u64,
    /// Tracks whose file is not there any more.
    pub missing: u64,
    /// Files that cannot be read.
    pub failed: u64,
    /// Files that are still being written.
    pub unsettled: u64,
    /// The folders that they lie in; the roots, if there are many.
    #[serde(skip)]
    pub unsettled_in: Vec<PathBuf>,
    /// Tracks that were forgotten because their grace period ended.
    pub forgotten: u64,
    /// Roots that were not walked, or are suspect.
    pub roots_away: u64,
}
