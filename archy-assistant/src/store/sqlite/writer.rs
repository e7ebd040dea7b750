//! The one connection that writes, and how long it waits for the disk.

use rusqlite::{Connection, TransactionBehavior};

use super::fault::from_sqlite;
use super::log::Gathered;
use super::rows;
use super::schema::FORMAT;
use crate::{Batch, Durability, StoreError};

#[derive(Debug)]
pub(super) struct Writer {
    connection: Connection,
    /// What it has written into the log.
    pub(super) gathered: Gathered,
    /// Whether a commit waits for the disk as it is set now.
    syncs: bool,
    /// Whether something was kept since the last sync.
    owes: bool,
}

impl Writer {
    /// Takes a connection whose log may hold what nobody synced.
    pub(super) fn new(mut connection: Connection) -> Result<Self, StoreError> {
        let gathered = Gathered::count(&mut connection).map_err(from_sqlite)?;
        let mut writer = Self { connection, gathered, syncs: true, owes: true };
        writer.set_syncs(false).map_err(from_sqlite)?;
        Ok(writer)
    }

    pub(super) fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        let synced = durability != Durability::Kept;
        self.set_syncs(synced).map_err(from_sqlite)?;
        if self.write(batch, synced && self.owes).map_err(from_sqlite)? == Expected::Otherwise {
            return Err(StoreError::Conflict);
        }
        self.owes = !synced;
        Ok(())
    }

    fn write(&mut self, batch: &Batch, pays: bool) -> rusqlite::Result<Expected> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for expect in &batch.expects {
            if !rows::holds(&transaction, expect)? {
                return Ok(Expected::Otherwise);
            }
        }
        for op in &batch.ops {
            rows::apply(&transaction, op)?;
        }
        if pays {
            // SQLite waits for no disk when a transaction changed no page, as when it puts what is there already;
            // this changes one.
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()?;
        Ok(Expected::Held)
    }

    /// Leaves no trace of what was removed, while nobody reads or folds.
    pub(super) fn scrub(&mut self) -> Result<(), StoreError> {
        let busy = || {
            self.connection.execute_batch("VACUUM")?;
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
        };
        if busy().map_err(from_sqlite)? {
            return Err(StoreError::InUse);
        }
        self.gathered.clear();
        Ok(())
    }

    fn set_syncs(&mut self, syncs: bool) -> rusqlite::Result<()> {
        if self.syncs != syncs {
            let synchronous = if syncs { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", synchronous)?;
            self.syncs = syncs;
        }
        Ok(())
    }
}

#[derive(PartialEq, Eq)]
enum Expected {
    Held,
    Otherwise,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use crate::store::sqlite::schema;

    #[test]
    fn a_full_disk_writes_nothing_of_a_batch() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::update(&mut connection, 0).unwrap();
        connection.execute_batch("PRAGMA max_page_count = 20").unwrap();
        let mut writer = Writer::new(connection).unwrap();

        let small = Batch::new().put(Table::Meta, "small", "fits");
        writer.commit(&small, Durability::Kept).unwrap();
        let large = Batch::new().remove(Table::Meta, "small").put(Table::Meta, "large", vec![1; 100_000]);
        let full = writer.commit(&large, Durability::Synced).unwrap_err();
        assert!(matches!(full, StoreError::Full(_)), "{full:?}");

        let held = |key: &str| rows::get(&writer.connection, Table::Meta, key.as_bytes()).unwrap();
        assert_eq!((held("small"), held("large")), (Some(b"fits".to_vec()), None));
        writer.commit(&Batch::new().put(Table::Meta, "more", "fits"), Durability::Kept).unwrap();
    }
}
