//! The database's files: opening it, putting a copy in its place, and deleting it with its keys.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use archy_assistant::{Clock, FileWitness, SqliteStore, SystemClock};

use crate::audit_key;
use crate::cli::Common;
use crate::data::{self, Data, Lock, cannot};
use crate::exit::{Exit, Trouble};
use crate::{backends, cards};

const NAME: &str = "archy.db";
const WITNESS: &str = "audit-head";
/// What `SQLite` and the store keep beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-lock"];

/// What is in the database's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// What was there, or nothing.
    AsLeft,
    /// A copy that was put there on purpose just now.
    Restored,
}

/// Opens the database, and makes one where there is none.
pub(crate) fn open(data: &Data) -> Result<SqliteStore, Trouble> {
    open_at(&data.join(NAME), &data.join(NAME))
}

/// Looks whether the file was emptied. An empty one in a directory that never had another becomes the database.
///
/// # Errors
/// It was; what to do.
pub(crate) fn must_not_be_emptied(data: &Data, common: &Common) -> Result<(), Trouble> {
    let path = data.join(NAME);
    let is_empty = fs::metadata(&path).is_ok_and(|known| known.is_file() && known.len() == 0);
    if is_empty && audit_key::kept(data)?.is_some() {
        let restore = common.command("restore FILE");
        return Err(Trouble::bad_input(format!(
            "{} is empty, but this node has had a database, as secrets/audit-key says; put back a copy with: {restore}; \
             or delete the empty file to begin anew",
            path.display()
        )));
    }
    Ok(())
}

/// Whether there is something in the database's file, or in the log to it.
pub(crate) fn holds_something(data: &Data) -> Result<bool, Trouble> {
    let path = data.join(NAME);
    for file in [beside(&path, "-wal"), path] {
        match fs::metadata(&file) {
            Ok(known) if known.is_file() && known.len() == 0 => {}
            Ok(_) => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(cannot("read", &file, &error)),
        }
    }
    Ok(false)
}

/// Keeps from others what only the owner may read, however it came to be open; what was.
pub(crate) fn keep_private(data: &Data, _lock: &Lock) -> Result<Vec<PathBuf>, Trouble> {
    let read = |error| cannot("read", data.path(), &error);
    let mut files = vec![data.join("secrets")];
    for entry in fs::read_dir(data.join("secrets")).into_iter().flatten().flatten() {
        files.push(entry.path());
    }
    for entry in fs::read_dir(data.path()).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(NAME) || name == WITNESS {
            files.push(entry.path());
        }
    }
    files.sort();
    data::tighten(files)
}

/// What notices that the database alone was put back to an older copy.
pub(crate) fn witness(data: &Data) -> FileWitness {
    FileWitness::new(data.join(WITNESS))
}

/// Puts a copy in place of the database, after a look whether it can be opened. Where the old database is now, if there
/// was one. Nothing has changed after an error.
pub(crate) fn replace(data: &Data, _lock: &Lock, copy: &Path) -> Result<Option<PathBuf>, Trouble> {
    let (path, fresh) = (data.join(NAME), data.join("archy.db.new"));
    remove_with_beside(&fresh)?;
    let put = (|| {
        take(copy, &fresh)?;
        drop(open_at(&fresh, copy)?);
        remove_beside(&fresh)?;
        let aside = set_aside(data, &path)?;
        fs::rename(&fresh, &path).map_err(|error| cannot("replace", &path, &error))?;
        synced(data)?;
        Ok(aside)
    })();
    if put.is_err() {
        // The first error is the one to tell.
        let _ = remove_with_beside(&fresh);
    }
    put
}

/// Deletes the database, what was set aside of earlier ones, all keys, and who may be told what.
pub(crate) fn erase(data: &Data, _lock: &Lock) -> Result<(), Trouble> {
    // In this order: what is left after a power cut is no damaged audit, and no database that seems rolled back.
    data::remove(&data.join(WITNESS))?;
    data::remove(&data.join("audit-head.part"))?;
    let read = |error| cannot("read", data.path(), &error);
    for entry in fs::read_dir(data.path()).map_err(read)? {
        let entry = entry.map_err(read)?;
        if entry.file_name().to_string_lossy().starts_with(NAME) {
            data::remove(&entry.path())?;
        }
    }
    data::remove(&data.join(backends::NAME))?;
    data::remove(&data.join(cards::NAME))?;
    synced(data)?;
    let keys = data.join("secrets");
    match fs::remove_dir_all(&keys) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot("remove", &keys, &error)),
        _ => {}
    }
    synced(data)
}

/// Opens the store at `path`; an error speaks of `named`.
fn open_at(path: &Path, named: &Path) -> Result<SqliteStore, Trouble> {
    SqliteStore::open(path)
        .map_err(|error| Trouble::new(Exit::from(&error), format!("{}: {error}", named.display())))
}

/// Takes a copy of `copy`, which is left as it is: opening a store writes to it.
fn take(copy: &Path, fresh: &Path) -> Result<(), Trouble> {
    let known = fs::metadata(copy).map_err(|error| cannot("read", copy, &error))?;
    if !known.is_file() || known.len() == 0 {
        return Err(Trouble::bad_input(format!("{} is no copy of a database", copy.display())));
    }
    let mut from = File::open(copy).map_err(|error| cannot("read", copy, &error))?;
    data::create(fresh, |to| io::copy(&mut from, to).map(drop).map_err(|error| cannot("copy", copy, &error)))
}

/// Gives the database that is there a second name, with the time in it.
fn set_aside(data: &Data, path: &Path) -> Result<Option<PathBuf>, Trouble> {
    if !path.exists() {
        return Ok(None);
    }
    // Its log is folded into it. What cannot be opened keeps its log.
    drop(SqliteStore::open(path));
    let failed = |error: io::Error| cannot("keep the old database beside", path, &error);
    let aside = second_name(data, path).map_err(failed)?;
    let (log, its_log) = (beside(path, "-wal"), beside(&aside, "-wal"));
    if log.exists() {
        fs::rename(&log, &its_log).map_err(failed)?;
    }
    remove_beside(path)?;
    Ok(Some(aside))
}

/// A name with the time in it, and a number where several are of one second.
fn second_name(data: &Data, path: &Path) -> io::Result<PathBuf> {
    let name = format!("{NAME}.until-{}", now());
    let mut number = 1;
    loop {
        let more = if number == 1 { String::new() } else { format!("-{number}") };
        let aside = data.join(&format!("{name}{more}"));
        match fs::hard_link(path, &aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => number += 1,
            linked => return linked.map(|()| aside),
        }
    }
}

/// The time as a part of a file's name: `30-Nov-2026-200012`, in UTC.
fn now() -> String {
    let now = SystemClock.now().to_string();
    let parts = now.split_whitespace().skip(1).take(4);
    parts.collect::<Vec<_>>().join("-").replace(':', "")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn remove_beside(path: &Path) -> Result<(), Trouble> {
    BESIDE.iter().try_for_each(|ending| data::remove(&beside(path, ending)))
}

fn remove_with_beside(path: &Path) -> Result<(), Trouble> {
    data::remove(path)?;
    remove_beside(path)
}

fn synced(data: &Data) -> Result<(), Trouble> {
    let sync = File::open(data.path()).and_then(|directory| directory.sync_all());
    sync.map_err(|error| cannot("write", data.path(), &error))
}
