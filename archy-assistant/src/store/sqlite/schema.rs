//! The file's format: whose it is, its version, and how an older one is brought up to date.

use rusqlite::{Connection, TransactionBehavior};

use super::fault::from_sqlite;
use crate::{StoreError, Table};

/// The format that this version writes.
pub(super) const FORMAT: u32 = 1;

/// "Arch": says whose file it is, in the file's header.
pub(super) const APPLICATION: u32 = 0x4172_6368;

/// The step at `n` leads from format `n` to `n + 1`; format 0 is an empty file. A released step never changes.
const STEPS: [&str; FORMAT as usize] = ["
    CREATE TABLE conversation (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE turn (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE journal (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE place (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE open (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE confirmation (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE audit (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
"];

/// The file's format, 0 if it is empty. Changes nothing.
pub(super) fn format(connection: &Connection) -> Result<u32, StoreError> {
    if number(connection, "page_count")? == 0 {
        return Ok(0);
    }
    if number(connection, "application_id")? != i64::from(APPLICATION) {
        return Err(StoreError::Damaged("a database of another program".into()));
    }
    match u32::try_from(number(connection, "user_version")?) {
        Ok(known @ 1..=FORMAT) => Ok(known),
        Ok(newer @ 1..) => Err(StoreError::Newer(newer)),
        _ => Err(StoreError::Damaged("it has no format".into())),
    }
}

/// Brings a file of this format up to date, each step whole or not at all.
pub(super) fn update(connection: &mut Connection, format: u32) -> Result<(), StoreError> {
    for (step, version) in STEPS.iter().zip(1..).skip(format as usize) {
        let mut run = || {
            let steps = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            steps.execute_batch(step)?;
            steps.pragma_update(None, "application_id", APPLICATION)?;
            steps.pragma_update(None, "user_version", version)?;
            steps.commit()
        };
        run().map_err(from_sqlite)?;
    }
    Ok(())
}

/// Looks whether it holds the tables and nothing else (a trigger would run), and at both ends of each.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    let damaged = |error: rusqlite::Error| match from_sqlite(error) {
        StoreError::Failed(cause) => StoreError::Damaged(cause),
        other => other,
    };
    let mut held = connection
        .prepare("SELECT type || ' ' || name FROM sqlite_schema")
        .and_then(|mut all| all.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>())
        .map_err(damaged)?;
    let mut wanted = Table::ALL.map(|table| format!("table {}", table.name()));
    held.sort_unstable();
    wanted.sort_unstable();
    if held != wanted {
        return Err(StoreError::Damaged(format!("it holds {held:?}").into()));
    }
    for table in Table::ALL {
        for end in ["min", "max"] {
            let sql = format!("SELECT {end}(key) FROM {}", table.name());
            connection.query_row(&sql, [], |row| row.get::<_, Option<Vec<u8>>>(0)).map_err(damaged)?;
        }
    }
    Ok(())
}

/// A number of the file's header.
pub(super) fn number(connection: &Connection, pragma: &str) -> Result<i64, StoreError> {
    connection.pragma_query_value(None, pragma, |row| row.get(0)).map_err(from_sqlite)
}
