//! The keys of backends: one file each below `secrets/`, for their owner's eyes and for the one backend alone. A key is
//! never shown, and never a part of an error.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;

use archy_assistant::{Secret, Timestamp};

use crate::data::{self, Data, cannot};
use crate::exit::Trouble;

const FOLDER: &str = "secrets";
const ENDING: &str = "-api-key";

/// A key is no longer than this, in bytes.
pub(crate) const LONGEST: usize = 4096;

/// A key that is kept.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Kept {
    pub(crate) name: String,
    /// When it was set.
    pub(crate) set: Timestamp,
}

/// The key of that name, where there is one.
///
/// # Errors
/// It is none that a server could be given.
pub(crate) fn read(data: &Data, name: &str) -> Result<Option<Secret>, Trouble> {
    let path = path(data, name);
    match fs::metadata(&path) {
        Ok(known) if known.is_file() => {}
        Ok(_) => return Err(Trouble::bad_input(format!("{} is no file; move it away", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot("read", &path, &error)),
    }
    let mut bytes = Vec::with_capacity(LONGEST + 1);
    let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX) + 1;
    File::open(&path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| cannot("read", &path, &error))?;
    checked(&Secret::new(bytes))
        .map(Some)
        .map_err(|why| Trouble::bad_input(format!("{} {why}", path.display())))
}

/// Keeps a key under that name, in place of an older one.
pub(crate) fn set(data: &Data, name: &str, key: &Secret) -> Result<(), Trouble> {
    let _alone = data.editing()?;
    data::private_dir(&data.join(FOLDER))?;
    data::tighten([data.join(FOLDER)])?;
    data::replace(&path(data, name), key.expose())
}

/// The names of the keys, and when each was set.
pub(crate) fn list(data: &Data) -> Result<Vec<Kept>, Trouble> {
    let folder = data.join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot("read", &folder, &error)),
    };
    let mut kept = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| cannot("read", &folder, &error))?;
        let file = entry.file_name();
        let Some(name) = file.to_str().and_then(|file| file.strip_suffix(ENDING)) else { continue };
        let changed = entry.metadata().and_then(|known| known.modified());
        let set = changed.map_err(|error| cannot("read", &entry.path(), &error))?;
        kept.push(Kept { name: name.to_owned(), set: Timestamp::from_system(set) });
    }
    kept.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kept)
}

/// Removes the key of that name; whether there was one.
pub(crate) fn remove(data: &Data, name: &str) -> Result<bool, Trouble> {
    let _alone = data.editing()?;
    let path = path(data, name);
    let found = fs::symlink_metadata(&path).is_ok();
    data::remove(&path)?;
    Ok(found)
}

/// What was typed or read, if it can be a key, without the space around it.
pub(crate) fn checked(text: &Secret) -> Result<Secret, &'static str> {
    let key = text.expose().trim_ascii();
    if text.expose().len() > LONGEST {
        Err("is too long for a key")
    } else if key.is_empty() {
        Err("is empty")
    } else if !key.iter().all(u8::is_ascii_graphic) {
        Err("is no key: it has spaces, line breaks or characters that no key has")
    } else {
        Ok(Secret::new(key))
    }
}

fn path(data: &Data, name: &str) -> PathBuf {
    data.join(&format!("{FOLDER}/{name}{ENDING}"))
}
