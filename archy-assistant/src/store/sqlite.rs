//! The store in one `SQLite` file, beside it while it is open `-wal`, `-shm` and `-lock`.
//!
//! One connection writes and two read, so that a read waits for no disk. The file belongs to one process at a time.
//!
//! # Durability
//! The log is written before a commit returns, so the system has it whatever becomes of the process: that is
//! [`Durability::Kept`], without waiting for the disk. [`Durability::Synced`] waits for it once. It also makes what was
//! only kept before it survive a power cut, even when it changes nothing itself. The log is folded into the file by
//! synced commits; one that is only kept does it when 4,000 pages have gathered.
//!
//! [`Durability::Scrubbed`] rewrites the whole file, in time and memory that grow with it: `secure_delete` blanks what
//! is removed, but not the copies of it that stay behind where a page was rearranged earlier.

mod copy;
mod fault;
mod open;
mod rows;
mod schema;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::Connection;

use super::{Batch, Durability, Rows, Scan, Store, StoreError, Table};
use fault::from_sqlite;
use writer::Writer;

/// Keeps everything in one file.
#[derive(Debug)]
pub struct SqliteStore {
    // Dropped in this order: the last connection to close folds the log into the file, which only the writer may;
    // and the lock goes when nothing is open any more.
    readers: [Mutex<Connection>; 2],
    writer: Mutex<Writer>,
    copying: Mutex<()>,
    file: PathBuf,
    _lock: open::Lock,
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
}

// A transaction that is dropped is rolled back, so what a poisoned lock guards is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for SqliteStore {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        // A copy reads for long; waiting for it must not keep others from writing, so this comes first.
        let _no_copy = (durability == Durability::Scrubbed).then(|| locked(&self.copying));
        let mut writer = locked(&self.writer);
        writer.commit(batch, durability)?;
        if durability == Durability::Scrubbed {
            let _no_read = self.readers.each_ref().map(locked);
            writer.scrub()?;
        }
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        rows::get(&self.reader(), table, key).map_err(from_sqlite)
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        rows::scan(&self.reader(), scan).map_err(from_sqlite)
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        let _one_at_a_time = locked(&self.copying);
        copy::copy(&self.file, file)
    }
}

#[cfg(test)]
mod tests {
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

        let _writing = locked(&store.writer);
        let _reading = store.reader();
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
}
