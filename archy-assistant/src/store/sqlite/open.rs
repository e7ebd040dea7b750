//! Opening: nothing is changed before it is sure that the file is ours, whole and not in use.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::fault::{from_io, from_sqlite};
use super::folder::Folder;
use super::log::Log;
use super::writer::Writer;
use super::{Connections, SqliteStore, rows, schema};
use crate::StoreError;

/// How long to wait for a program that looks into the file from outside.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    let file = place(path).map_err(from_io)?;
    let lock = Lock::take(&beside(&file, "-lock"))?;
    begin(&file)?;

    let mut writer = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Until all is well, closing leaves the log as it is.
    keep_log(&writer, true)?;
    // Rights to read only are not an error for SQLite.
    if writer.is_readonly("main").map_err(from_sqlite)? {
        return Err(StoreError::Denied("it can only be read".into()));
    }
    let format = schema::format(&writer)?;
    whole(&file, schema::number(&writer, "page_size")?)?;
    schema::update(&mut writer, format)?;
    schema::check(&writer)?;
    let mode: String =
        writer.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(from_sqlite)?;
    if mode != "wal" {
        return Err(StoreError::Denied("this file system cannot share memory".into()));
    }
    // What is sorted or rewritten stays in memory: a temporary file would leave the data directory. The last two
    // matter on Apple's systems only.
    writer
        .execute_batch(
            "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 4194304;
             PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON",
        )
        .map_err(from_sqlite)?;
    keep_log(&writer, false)?;

    let reader = || connect(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).map(Mutex::new);
    let connections = Arc::new(Connections {
        readers: [reader()?, reader()?],
        writer: Mutex::new(Writer::new(writer)?),
        log: Log::open(&file)?,
    });
    Ok(SqliteStore {
        folder: Folder::start(Arc::clone(&connections))?,
        connections,
        copying: Mutex::default(),
        file,
        _lock: lock,
    })
}

/// A connection to a file that exists.
pub(super) fn connect(file: &Path, rights: OpenFlags) -> Result<Connection, StoreError> {
    let connect = || {
        let connection = Connection::open_with_flags(file, rights | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(rows::STATEMENTS);
        connection.execute_batch("PRAGMA cell_size_check = ON")?;
        // Otherwise a statement is planned anew whenever another key is bound to it, and there is only one way to look
        // up a key anyway.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(connection)
    };
    connect().map_err(from_sqlite)
}

/// Makes a new, empty file that only its owner may read.
pub(super) fn create(file: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)
}

/// The path of a file, without links on the way, whether it exists or not.
pub(super) fn place(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_name().ok_or(error)?;
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            Ok(fs::canonicalize(parent.unwrap_or(Path::new(".")))?.join(name))
        }
        found => found,
    }
}

pub(super) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

/// Held as long as the store is open. It is a file of its own: a process that closes a second handle to a database
/// thereby gives up the locks that `SQLite` has on it.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    fn take(file: &Path) -> Result<Self, StoreError> {
        let open = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(file);
        let lock = open.map_err(from_io)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self(lock)),
            Err(fs::TryLockError::WouldBlock) => Err(StoreError::InUse),
            Err(fs::TryLockError::Error(error)) => Err(from_io(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started has the handle too. If it fails, the lock
        // goes when that one is closed.
        let _ = self.0.unlock();
    }
}

/// Sees to it that there is a file. One that is missing or empty begins a store, unless there is a log to it, which
/// `SQLite` would throw away.
fn begin(file: &Path) -> Result<(), StoreError> {
    match fs::metadata(file) {
        Ok(found) if !found.is_file() => return Err(StoreError::Denied("it is no file".into())),
        Ok(found) if found.len() > 0 => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(from_io(error)),
    }
    if length(&beside(file, "-wal"))? > 0 {
        return Err(StoreError::Damaged("it is gone, but its log (-wal) is still there".into()));
    }
    match create(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(from_io(error)),
        _ => Ok(()),
    }
}

/// Looks whether the file ends within a page. While there is a log, the log may have the rest.
fn whole(file: &Path, page_size: i64) -> Result<(), StoreError> {
    let page_size = u64::try_from(page_size).map_err(|error| StoreError::Damaged(error.into()))?;
    let ends_within = !length(file)?.is_multiple_of(page_size);
    if ends_within && length(&beside(file, "-wal"))? == 0 {
        return Err(StoreError::Damaged("its end is missing".into()));
    }
    Ok(())
}

/// Bytes, none if it is not there.
fn length(file: &Path) -> Result<u64, StoreError> {
    match fs::metadata(file) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(from_io(error)),
    }
}

fn keep_log(connection: &Connection, keep: bool) -> Result<(), StoreError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep).map(drop).map_err(from_sqlite)
}
