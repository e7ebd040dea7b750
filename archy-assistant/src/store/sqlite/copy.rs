//! A consistent copy while others write.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::OpenFlags;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::fault::{from_io, from_sqlite};
use super::open::{beside, connect, create, place};
use crate::StoreError;

/// Writes a copy under another name first, so that what has the right name is whole.
pub(super) fn copy(store: &Path, to: &Path) -> Result<(), StoreError> {
    if to.symlink_metadata().is_ok() {
        return Err(from_io(io::ErrorKind::AlreadyExists.into()));
    }
    let to = place(to).map_err(from_io)?;
    let part = beside(&to, ".part");
    let done = write(store, &part).and_then(|()| publish(&part, &to).map_err(from_io));
    if done.is_err() {
        // What is left of it cannot be read as a copy; that it stays is no reason to report another error.
        let _ = fs::remove_file(&part);
        let _ = fs::remove_file(beside(&part, "-journal"));
    }
    done
}

fn write(store: &Path, part: &Path) -> Result<(), StoreError> {
    // Left by a process that ended in the middle.
    match fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(from_io(error)),
        _ => {}
    }
    // SQLite takes an empty file, and leaves its rights as they are.
    drop(create(part).map_err(from_io)?);
    let connection = connect(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let name = ToSqlOutput::Borrowed(ValueRef::Text(part.as_os_str().as_bytes()));
    connection.execute("VACUUM INTO ?1", [name]).map_err(from_sqlite)?;
    Ok(())
}

fn publish(part: &Path, to: &Path) -> io::Result<()> {
    File::open(part)?.sync_all()?;
    // Claims the name: a file that somebody else put there meanwhile is not written over.
    drop(create(to)?);
    let renamed = fs::rename(part, to);
    if renamed.is_err() {
        fs::remove_file(to)?;
        return renamed;
    }
    let directory = to.parent().unwrap_or(Path::new("/"));
    File::open(directory)?.sync_all()
}
