//! What every store promises, and what the one in a file promises beyond that.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(feature = "sqlite")]
mod child;
mod conformance;
#[cfg(feature = "sqlite")]
mod copy;
#[cfg(feature = "sqlite")]
mod durability;
#[cfg(feature = "sqlite")]
mod folding;
#[cfg(feature = "sqlite")]
mod model;
#[cfg(feature = "sqlite")]
mod opening;

use archy_assistant::{MemoryStore, Order, Rows, Scan, Store, Table};

/// Everything that starts so, in order.
pub(crate) fn all(store: &(impl Store + ?Sized), table: Table, prefix: &[u8]) -> Rows {
    let scan = Scan { table, prefix: prefix.to_vec(), beyond: None, order: Order::Up, limit: usize::MAX };
    store.scan(&scan).unwrap()
}

fn pair(key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> (Vec<u8>, Vec<u8>) {
    (key.as_ref().to_vec(), value.as_ref().to_vec())
}

#[test]
fn the_store_in_memory_conforms() {
    conformance::conformance(MemoryStore::new);
}

#[cfg(feature = "sqlite")]
#[test]
fn the_store_in_a_file_conforms() {
    let dir = tempfile::tempdir().unwrap();
    let made = std::cell::Cell::new(0);
    conformance::conformance(|| {
        made.set(made.get() + 1);
        archy_assistant::SqliteStore::open(dir.path().join(made.get().to_string())).unwrap()
    });
}
