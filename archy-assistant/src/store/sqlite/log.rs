//! The log: how much has gathered in it, and folding it into the file.

use std::ffi::c_int;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::fault::{from_io, from_sqlite};
use super::open::connect;
use super::{locked, schema};
use crate::StoreError;

/// As many pages gather before the thread folds them, and again after as many more.
const MANY: u32 = 1000;
/// With as many a commit folds them itself before it writes.
const MOST: u32 = 4000;

/// The connection that folds.
#[derive(Debug)]
pub(super) struct Log {
    connection: Mutex<Connection>,
    /// Whether the last fold met an error.
    failed: AtomicBool,
    /// To be closed when no connection is open any more, as `SQLite` loses its locks by that.
    file: File,
}

impl Log {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // It waits for the disk twice: the log is there before the file is changed, and the file before the log is
        // written over. The last two matter on Apple's systems only.
        connection
            .execute_batch(
                "PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON",
            )
            .map_err(from_sqlite)?;
        // A connection that has not read yet does not know that there is a log.
        schema::number(&connection, "user_version")?;
        let file = File::open(path).map_err(from_io)?;
        Ok(Self { connection: Mutex::new(connection), failed: AtomicBool::new(false), file })
    }

    /// Folds what no read holds on to. Nothing is to be done about an error but to look at [`Log::failed`] before
    /// the next synced commit: what was not folded is safe in the log.
    pub(super) fn fold(&self) -> Result<(), StoreError> {
        let connection = locked(&self.connection);
        let folded = match connection.wal_checkpoint_v2(Some(c"main"), CheckpointMode::PASSIVE) {
            // SQLite did not wait for the disk, as there is more in the log. Done here, those who write need not wait
            // for these pages when the rest is folded.
            Ok((all, folded)) if folded < all => self.file.sync_data().map_err(from_io),
            Ok(_) => Ok(()),
            // A program from outside is folding.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
            Err(error) => Err(from_sqlite(error)),
        };
        self.failed.store(folded.is_err(), Ordering::Release);
        folded
    }

    /// Nobody folds as long as this is held.
    pub(super) fn rest(&self) -> MutexGuard<'_, impl Sized> {
        locked(&self.connection)
    }

    /// Whether the last fold met an error.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

/// How many pages are in the log, as its writer knows.
#[derive(Debug)]
pub(super) struct Gathered {
    pages: Arc<AtomicU32>,
    /// How many there were when the thread was woken last.
    woken: u32,
    /// How many there were when a commit folded last.
    folded: u32,
}

impl Gathered {
    /// Counts what this connection writes, which folds nothing by itself any more.
    pub(super) fn count(connection: &mut Connection) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut Wal, pages: c_int| {
            counted.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { pages, woken: 0, folded: 0 })
    }

    fn pages(&self) -> u32 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Whether it is time to wake the thread. It is woken when this says so.
    pub(super) fn wakes(&mut self) -> bool {
        let pages = self.pages();
        if pages < self.woken {
            self.woken = 0;
        }
        let wakes = pages - self.woken >= MANY;
        if wakes {
            self.woken = pages;
        }
        wakes
    }

    /// Whether the log has not begun anew since the thread was woken, which then folds the rest while nobody writes.
    pub(super) fn are_many(&self) -> bool {
        self.pages() >= MANY
    }

    /// Whether a commit must fold before it writes.
    pub(super) fn are_most(&mut self) -> bool {
        let pages = self.pages();
        if pages < self.folded {
            self.folded = 0;
        }
        pages >= MOST && pages - self.folded >= MANY
    }

    /// A commit has folded what it could. If somebody holds on to the log, trying again is for later.
    pub(super) fn folded(&mut self) {
        self.folded = self.pages();
    }

    /// The log is empty.
    pub(super) fn clear(&mut self) {
        self.pages.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_has_gathered_says_who_folds() {
        let mut gathered = Gathered { pages: Arc::default(), woken: 0, folded: 0 };
        // Pages in the log; whether the thread is woken, folds the rest while nobody writes, and a commit folds.
        for (pages, expected) in [
            (999, (false, false, false)),
            (1000, (true, true, false)),
            (1001, (false, true, false)),
            (2500, (true, true, false)),
            (3499, (false, true, false)),
            (3500, (true, true, false)),
            (4100, (false, true, true)),
            // Held on to by somebody who reads.
            (4600, (true, true, false)),
            (5100, (false, true, true)),
            // Begun anew.
            (3, (false, false, false)),
            (1003, (true, true, false)),
            (4000, (true, true, true)),
        ] {
            gathered.pages.store(pages, Ordering::Relaxed);
            let most = gathered.are_most();
            if most {
                gathered.folded();
            }
            assert_eq!((gathered.wakes(), gathered.are_many(), most), expected, "{pages}");
        }
    }
}
