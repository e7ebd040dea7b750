//! Connections: one that writes, some that read and go on while it writes.

use std::fs::File;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::LibraryError;

/// So many idle readers are kept open.
const IDLE: usize = 4;
/// So long a lock of another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 128;

/// Opens the index for writing.
pub(super) fn open_writer(path: &Path) -> Result<Connection, LibraryError> {
    let database = Connection::open(path)?;
    database.busy_timeout(PATIENCE)?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.pragma_update(None, "foreign_keys", true)?;
    // 16 MB: each time the journal is written into the database costs a wait for the disk.
    database.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    database.pragma_update(None, "cache_size", -8_000)?;
    database.pragma_update(None, "temp_store", "MEMORY")?;
    keep_plans(&database)?;
    Ok(database)
}

/// Statements are planned once. Else a value that is bound may change a plan, and each new value costs planning anew: four
/// tenths of a scan's time.
fn keep_plans(database: &Connection) -> Result<(), LibraryError> {
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    database.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// The connections of one index.
#[derive(Debug)]
pub(crate) struct Pool {
    path: PathBuf,
    // Dropped first: the last connection to be closed writes the journal into the database, which a reader cannot.
    idle: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
}

impl Pool {
    pub(super) fn new(path: PathBuf, writer: Connection) -> Self {
        Self { path, writer: Mutex::new(writer), idle: Mutex::new(Vec::new()) }
    }

    /// The one connection that writes. Held for one transaction at a time, never while a file is read.
    pub(crate) fn write(&self) -> Writer<'_> {
        // A panic of a holder rolled its transaction back; the connection is good.
        Writer { pool: self, connection: self.writer.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// A connection that reads what was committed last.
    pub(crate) fn read(&self) -> Result<Reader<'_>, LibraryError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open_reader()?,
        };
        Ok(Reader { pool: self, connection: Some(connection) })
    }

    /// Remembers that the database is damaged, if that was found, so that the next opening sets it aside.
    fn look_for_damage(&self) {
        if LibraryError::found_damage() {
            // If this fails too nothing more can be done; whatever finds the damage next tries again.
            let _ = File::create(damaged(&self.path));
        }
    }

    fn open_reader(&self) -> Result<Connection, LibraryError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(&self.path, flags)?;
        database.busy_timeout(PATIENCE)?;
        database.pragma_update(None, "cache_size", -4_000)?;
        database.pragma_update(None, "temp_store", "MEMORY")?;
        keep_plans(&database)?;
        Ok(database)
    }
}

/// Lies beside a database that was found to be damaged.
pub(super) fn damaged(database: &Path) -> PathBuf {
    database.with_extension("db.damaged")
}

/// The connection that writes, until it is dropped.
#[derive(Debug)]
pub(crate) struct Writer<'pool> {
    pool: &'pool Pool,
    connection: MutexGuard<'pool, Connection>,
}

impl Deref for Writer<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Writer<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        self.pool.look_for_damage();
    }
}

/// A borrowed connection; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Reader<'pool> {
    pool: &'pool Pool,
    connection: Option<Connection>,
}

impl Deref for Reader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("it is taken only by drop")
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("it is taken only by drop")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.pool.look_for_damage();
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = self.connection.take()
            && idle.len() < IDLE
        {
            idle.push(connection);
        }
    }
}
