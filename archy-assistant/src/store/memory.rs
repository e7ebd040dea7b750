//! A store that is gone with the process: for tests, and for hosts that keep nothing.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Batch, Durability, Expect, Op, Order, Rows, Scan, Store, StoreError, Table};

/// Keeps everything in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
}

type Tables = BTreeMap<Table, BTreeMap<Vec<u8>, Vec<u8>>>;

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    // A commit checks everything before it changes anything, so a poisoned lock still guards whole batches.
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn commit(&self, batch: &Batch, _: Durability) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let holds = |expect: &Expect| match expect {
            Expect::Absent(table, key) => tables.get(table).is_none_or(|rows| !rows.contains_key(key)),
            Expect::Value(table, key, value) => {
                tables.get(table).and_then(|rows| rows.get(key)) == Some(value)
            }
        };
        if !batch.expects.iter().all(holds) {
            return Err(StoreError::Conflict);
        }
        for op in &batch.ops {
            match op {
                Op::Put(table, key, value) => {
                    tables.entry(*table).or_default().insert(key.clone(), value.clone());
                }
                Op::Remove(table, key) => {
                    tables.entry(*table).or_default().remove(key);
                }
                Op::RemoveAll(table, prefix) => {
                    tables.entry(*table).or_default().retain(|key, _| !key.starts_with(prefix));
                }
            }
        }
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.tables().get(&table).and_then(|rows| rows.get(key)).cloned())
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        let tables = self.tables();
        let Some(rows) = tables.get(&scan.table) else { return Ok(Rows::new()) };
        let own = |row: (&Vec<u8>, &Vec<u8>)| (row.0.clone(), row.1.clone());
        let within = |row: &(&Vec<u8>, &Vec<u8>)| row.0.starts_with(&scan.prefix);
        Ok(match scan.order {
            Order::Up => {
                let from = match &scan.beyond {
                    Some(beyond) if *beyond >= scan.prefix => Bound::Excluded(beyond.as_slice()),
                    _ => Bound::Included(scan.prefix.as_slice()),
                };
                rows.range::<[u8], _>((from, Bound::Unbounded))
                    .take_while(within)
                    .take(scan.limit)
                    .map(own)
                    .collect()
            }
            Order::Down => {
                let to = scan.beyond.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
                rows.range::<[u8], _>((Bound::Unbounded, to))
                    .rev()
                    .skip_while(|row| !within(row) && row.0.as_slice() > scan.prefix.as_slice())
                    .take_while(within)
                    .take(scan.limit)
                    .map(own)
                    .collect()
            }
        })
    }

    fn copy_to(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Denied("a store in memory has no file to copy".into()))
    }
}
