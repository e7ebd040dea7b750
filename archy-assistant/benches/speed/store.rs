//! A store that counts what passes through it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use archy_assistant::{Batch, Durability, Op, Rows, Scan, Store, StoreError, Table};

/// Counts, and hands everything on.
pub(crate) struct Counted {
    store: Arc<dyn Store>,
    kept: AtomicUsize,
    synced: AtomicUsize,
    inputs: AtomicUsize,
    bytes: AtomicUsize,
    reads: AtomicUsize,
}

/// What was counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Commits that do not wait for the disk.
    pub(crate) kept: usize,
    /// Commits that do.
    pub(crate) synced: usize,
    /// Entries of the journal.
    pub(crate) inputs: usize,
    /// Bytes of all values.
    pub(crate) bytes: usize,
    /// Gets and scans.
    pub(crate) reads: usize,
}

impl Counted {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            kept: AtomicUsize::default(),
            synced: AtomicUsize::default(),
            inputs: AtomicUsize::default(),
            bytes: AtomicUsize::default(),
            reads: AtomicUsize::default(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
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
                self.bytes.fetch_add(value.len(), Ordering::SeqCst);
                self.inputs.fetch_add(usize::from(*table == Table::Journal), Ordering::SeqCst);
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
