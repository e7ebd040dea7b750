//! A store that counts what passes through it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use archy_assistant::{Batch, Durability, Op, Rows, Scan, Store, StoreError, Table};

/// Counts, and hands everything on.
pub(crate) struct Counted {
    store: Arc<dyn Store>,
    kept: AtomicU32,
    synced: AtomicU32,
    inputs: AtomicU32,
    bytes: AtomicU32,
    reads: AtomicU32,
}

/// What was counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Commits that do not wait for the disk.
    pub(crate) kept: u32,
    /// Commits that do.
    pub(crate) synced: u32,
    /// Entries of the journal.
    pub(crate) inputs: u32,
    /// Bytes of all values.
    pub(crate) bytes: u32,
    /// Gets and scans.
    pub(crate) reads: u32,
}

impl Counted {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            kept: AtomicU32::default(),
            synced: AtomicU32::default(),
            inputs: AtomicU32::default(),
            bytes: AtomicU32::default(),
            reads: AtomicU32::default(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |counter: &AtomicU32| counter.load(Ordering::SeqCst);
        Counts {
            kept: read(&self.kept),
            synced: read(&self.synced),
            inputs: read(&self.inputs),
            bytes: read(&self.bytes),
            reads: read(&self.reads),
        }
    }
}

impl Counts {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            kept: self.kept - before.kept,
            synced: self.synced - before.synced,
            inputs: self.inputs - before.inputs,
            bytes: self.bytes - before.bytes,
            reads: self.reads - before.reads,
        }
    }
}

impl Store for Counted {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        self.store.commit(batch, durability)?;
        let counter = if durability == Durability::Kept { &self.kept } else { &self.synced };
        counter.fetch_add(1, Ordering::SeqCst);
        for op in &batch.ops {
            if let Op::Put(table, _, value) = op {
                self.bytes.fetch_add(u32::try_from(value.len()).unwrap_or(u32::MAX), Ordering::SeqCst);
                self.inputs.fetch_add(u32::from(*table == Table::Journal), Ordering::SeqCst);
            }
        }
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.store.get(table, key)
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.store.scan(scan)
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        self.store.copy_to(file)
    }
}
