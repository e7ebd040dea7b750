//! Who watches notes beside the index how, and holds a lock on that note, so that others know it is true.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use super::Watched;
use crate::LibraryError;

const NOTE: &str = "watched.json";

/// The note, locked while this lives.
#[derive(Debug)]
pub(super) struct Note(File);

impl Note {
    /// Takes the lock.
    pub(super) fn take(directory: &Path) -> Result<Self, LibraryError> {
        let io = |source| LibraryError::System { doing: "noting that the library is watched", source };
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(directory.join(NOTE))
            .map_err(io)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(LibraryError::Scanning),
            Err(error) => Err(io(error.into())),
        }
    }

    pub(super) fn write(&self, watched: &[Watched]) {
        // Nothing depends on it but what a person is told.
        if let Ok(json) = serde_json::to_vec(watched) {
            let _ = self.0.set_len(0).and_then(|()| self.0.write_all_at(&json, 0));
        }
    }
}

pub(super) fn read(directory: &Path) -> Option<Vec<Watched>> {
    let mut file = File::open(directory.join(NOTE)).ok()?;
    if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
        // Whoever wrote it is gone.
        return None;
    }
    let mut json = Vec::new();
    file.read_to_end(&mut json).ok()?;
    serde_json::from_slice(&json).ok()
}
