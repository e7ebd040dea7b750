//! The key that seals the audit. It is made once, at the first start, and never again by itself: a new one beside an
//! audit that another one has sealed reads as damage.
//!
//! Until the first line that it seals is durable it has another name, so that a first start which was cut off is told
//! from a node that has lost its key.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use archy_assistant::Secret;

use crate::cli::Common;
use crate::data::{self, Data, Lock, cannot};
use crate::database;
use crate::exit::Trouble;

const NAME: &str = "secrets/audit-key";
const FIRST: &str = "secrets/audit-key.first";
const LENGTH: usize = 32;

/// The key of this directory. Makes one where there is neither a key nor a database.
///
/// # Errors
/// The key cannot be used, or is missing beside a database: what to do. Nothing was written.
pub(crate) fn take(data: &Data, _lock: &Lock, common: &Common) -> Result<Secret, Trouble> {
    if let Some(key) = kept(data).map_err(|trouble| lost(&trouble.says, common))? {
        return Ok(key);
    }
    if let Some(key) = read(&data.join(FIRST)).map_err(|trouble| lost(&trouble.says, common))? {
        return Ok(key);
    }
    if database::holds_something(data)? {
        let says = format!("{} is missing, which seals the audit in archy.db", data.join(NAME).display());
        return Err(lost(&says, common));
    }
    data::private_dir(&data.join("secrets"))?;
    let key = Secret::random();
    data::replace(&data.join(FIRST), key.expose())?;
    Ok(key)
}

/// The key, where there is one: then this directory has had a database.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn kept(data: &Data) -> Result<Option<Secret>, Trouble> {
    read(&data.join(NAME))
}

/// Gives a new key its name: what it has sealed is durable now.
pub(crate) fn keep(data: &Data, _lock: &Lock) -> Result<(), Trouble> {
    let (first, name) = (data.join(FIRST), data.join(NAME));
    match fs::rename(&first, &name) {
        Ok(()) => synced(&name).map_err(|error| cannot("write", &name, &error)),
        // The usual case: it has it already.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot("write", &name, &error)),
    }
}

/// Whether a restored database would find a key.
///
/// # Errors
/// There is none, or it cannot be used: what to do.
pub(crate) fn must_be_there(data: &Data, _lock: &Lock, common: &Common) -> Result<(), Trouble> {
    if kept(data).map_err(|trouble| lost(&trouble.says, common))?.is_some() {
        return Ok(());
    }
    let says = format!("{} is missing, which seals the audit in the copy", data.join(NAME).display());
    Err(lost(&says, common))
}

/// Puts a new key in the place of one that is lost.
pub(crate) fn renew(data: &Data, _lock: &Lock) -> Result<PathBuf, Trouble> {
    let path = data.join(NAME);
    data::private_dir(&data.join("secrets"))?;
    data::replace(&path, Secret::random().expose())?;
    data::remove(&data.join(FIRST))?;
    Ok(path)
}

fn read(path: &Path) -> Result<Option<Secret>, Trouble> {
    match fs::read(path) {
        Ok(key) if key.len() == LENGTH => Ok(Some(Secret::new(key))),
        Ok(key) => {
            let says = format!("{} is damaged: it has {} bytes, not {LENGTH}", path.display(), key.len());
            Err(Trouble::bad_input(says))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", path, &error)),
    }
}

fn lost(says: &str, common: &Common) -> Trouble {
    let renew = common.command("audit new-key");
    Trouble::bad_input(format!(
        "{says}; put it back from your backup, or, if it is lost for ever, go on with a new one: {renew}"
    ))
}

fn synced(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
