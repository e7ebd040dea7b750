//! The store in one `SQLite` file, beside it while it is open `-wal`, `-shm` and `-lock`.
//!
//! One connection writes and two read, so that a read waits for no disk. The file belongs to one process at a time.
//!
//! # Durability
//! The log is written before a commit returns, so the system has it whatever becomes of the process: that is
//! [`Durability::Kept`], without waiting for the disk. [`Durability::Synced`] waits for it once. It also makes what was
//! only kept before it survive a power cut, even when it changes nothing itself.
//!
//! # The log
//! A thread folds it into the file whenever 1,000 pages (4 MB) have gathered, while others go on writing. `SQLite` begins
//! the log anew when all of it is in the file and nobody reads from it. Under constant writing there is no such moment, so
//! at the end those who write wait while the thread folds what came meanwhile, which is little. If it cannot keep up, the
//! commit that finds 4,000 pages folds them itself before it writes. So the log holds no more than that and one batch,
//! unless somebody reads for long: while a copy is made, or a program from outside reads, it grows by what is written
//! meanwhile. When the log begins anew, the first commit waits for the disk once, also if it is only kept.
//!
//! What cannot be folded is safe in the log. When the thread meets an error, as on a full disk, the next synced commit
//! tries it before it writes anything, and fails with what it meets; one that is only kept does so with 4,000 pages.
//!
//! # Scrubbing
//! [`Durability::Scrubbed`] rewrites the whole file, in time and memory that grow with it: `secure_delete` blanks what
//! is removed, but not the copies of it that stay behind where a page was rearranged earlier.

mod copy;
mod fault;
mod folder;
mod log;
mod open;
mod rows;
mod schema;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::Connection;

use super::{Batch, Durability, Rows, Scan, Store, StoreError, Table};
use fault::from_sqlite;
use folder::Folder;
use log::Log;
use writer::Writer;

/// Keeps everything in one file.
#[derive(Debug)]
pub struct SqliteStore {
    // Dropped in this order: the thread, then all connections, and the lock when nothing is open any more.
    folder: Folder,
    connections: Arc<Connections>,
    copying: Mutex<()>,
    file: PathBuf,
    _lock: open::Lock,
}

/// What the thread that folds has too. Locked in this order: copying, the writer, readers, the log.
#[derive(Debug)]
struct Connections {
    // Dropped in this order: the last connection to close folds the log into the file, which a reader may not.
    readers: [Mutex<Connection>; 2],
    writer: Mutex<Writer>,
    log: Log,
}

impl SqliteStore {
    /// Opens the store, or begins one if there is no file; its directory must be there. New files can be read by
    /// their owner only. An older format is brought up to date. How long it takes does not depend on how much is kept.
    ///
    /// # Errors
    /// The file stays as it is on each of them.
    /// - [`StoreError::Denied`]: no directory, no rights, or not a file.
    /// - [`StoreError::InUse`]: it is open already, here or in another process.
    /// - [`StoreError::Newer`]: a newer version of Archy wrote it.
    /// - [`StoreError::Damaged`]: it is no store, or a part of it is missing. Only a few pages are looked at, so damage
    ///   may also come to light while reading.
    /// - [`StoreError::Full`]: there is no room to begin.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        open::open(path.as_ref())
    }
}

impl Connections {
    fn reader(&self) -> MutexGuard<'_, Connection> {
        for reader in &self.readers {
            match reader.try_lock() {
                Ok(free) => return free,
                Err(TryLockError::Poisoned(free)) => return free.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        locked(&self.readers[0])
    }

    /// Folds the whole log, so that the next commit begins it anew, while nobody writes.
    fn fold_all(&self, writer: &mut Writer) -> Result<(), StoreError> {
        // A read that began before the last commit keeps what came after it from being folded.
        self.let_reads_end();
        self.log.fold()?;
        // One that began before the fold still reads from the log; now they read from the file alone.
        self.let_reads_end();
        writer.gathered.folded();
        Ok(())
    }

    /// Waits for the reads that run now, not for those that begin meanwhile.
    fn let_reads_end(&self) {
        for reader in &self.readers {
            drop(locked(reader));
        }
    }
}

// A transaction that is dropped is rolled back, so what a poisoned lock guards is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for SqliteStore {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        // A copy reads for long; waiting for it must not keep others from writing, so this comes first.
        let _no_copy = (durability == Durability::Scrubbed).then(|| locked(&self.copying));
        let Connections { readers, writer, log } = &*self.connections;
        let mut writer = locked(writer);
        if writer.gathered.are_most() || (durability != Durability::Kept && log.failed()) {
            self.connections.fold_all(&mut writer)?;
        }
        writer.commit(batch, durability)?;
        if durability == Durability::Scrubbed {
            let _no_read = readers.each_ref().map(locked);
            let _no_fold = log.rest();
            writer.scrub()?;
        }
        if writer.gathered.wakes() {
            self.folder.wake();
        }
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        rows::get(&self.connections.reader(), table, key).map_err(from_sqlite)
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        rows::scan(&self.connections.reader(), scan).map_err(from_sqlite)
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        let _one_at_a_time = locked(&self.copying);
        copy::copy(&self.file, file)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::Order;

    #[test]
    fn a_read_waits_for_no_write_and_no_other_read() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("store")).unwrap();
        let batch = Batch::new().put(Table::Meta, "key", "value");
        store.commit(&batch, Durability::Kept).unwrap();

        let _writing = locked(&store.connections.writer);
        let _reading = store.connections.reader();
        let (tell, told) = mpsc::channel();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                let scan =
                    Scan { table: Table::Meta, prefix: vec![], beyond: None, order: Order::Up, limit: 9 };
                let read = (store.get(Table::Meta, b"key").unwrap(), store.scan(&scan).unwrap());
                tell.send(read).unwrap();
            });
            let read = told.recv_timeout(Duration::from_secs(20)).expect("it does not wait");
            assert_eq!(read, (Some(b"value".to_vec()), vec![(b"key".to_vec(), b"value".to_vec())]));
        });
    }
    #[test]
    fn scrubbing_waits_for_a_fold_instead_of_failing() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("store")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    store.connections.log.fold().unwrap();
                }
            });
            let scrub = |number: u8| {
                store.commit(&Batch::new().put(Table::Meta, "key", [number]), Durability::Scrubbed)
            };
            let scrubbed: Vec<_> = (0..30).map(scrub).collect();
            done.store(true, Ordering::Relaxed);
            assert!(scrubbed.iter().all(Result::is_ok), "{scrubbed:?}");
        });
    }
}
