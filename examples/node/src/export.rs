//! Writes page and frame to a directory, for a host that copies files: each of them whole or not at all, the manifest last.

use std::collections::BTreeSet;
use std::fs::{self, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;

use archy_web::{File, MANIFEST, Manifest};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::data::cannot;
use crate::exit::Trouble;

/// A file until it is whole.
const PART: &str = ".archy-part";

/// Writes the files of a manifest to `place`, which is new, empty, or has an earlier export for the same base path. The
/// names of the files that were removed, because only the earlier one had them.
///
/// When it is cut off, the directory has no manifest or the earlier one, and the same export can be run again.
pub(crate) fn export(place: &Path, manifest: &Manifest, files: &[File]) -> Result<Vec<String>, Trouble> {
    let cannot = |what: &str, error: &io::Error| cannot(what, place, error);
    fs::create_dir_all(place).map_err(|error| cannot("make", &error))?;
    let dir = Dir::open_ambient_dir(place, ambient_authority()).map_err(|error| cannot("open", &error))?;
    let lock = fs::File::open(place).map_err(|error| cannot("open", &error))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let says = format!("another process is writing to {}; nothing was written", place.display());
            return Err(Trouble::failed(says));
        }
        Err(TryLockError::Error(error)) => return Err(cannot("lock", &error)),
    }
    let all = || std::iter::zip(manifest.files(), files);
    let former = match dir.read_to_string(MANIFEST) {
        Ok(text) => Some(former(&text, place, manifest)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let own = |name: &str| {
                let file = all().find(|(listed, _)| listed.file == name);
                file.is_some_and(|(_, file)| dir.read(name).is_ok_and(|there| there == file.body.as_bytes()))
            };
            match foreign(&dir, "", &own).map_err(|error| cannot("look into", &error))? {
                Some(name) => return Err(not_ours(place, &name)),
                None => None,
            }
        }
        Err(error) => return Err(cannot("read the manifest in", &error)),
    };
    let put = |name: &str, bytes: &[u8]| {
        put(&dir, name, bytes).map_err(|error| cannot(&format!("write {name} in"), &error))
    };
    // The page comes last: whoever gets a new one finds its parts.
    for (listed, file) in all().rev() {
        put(&listed.file, file.body.as_bytes())?;
    }
    let kept: BTreeSet<&str> = manifest.files().iter().map(|listed| listed.file.as_str()).collect();
    let mut removed = Vec::new();
    for listed in former.iter().flat_map(Manifest::files).filter(|listed| !kept.contains(&*listed.file)) {
        match dir.remove_file(&listed.file) {
            Ok(()) => removed.push(listed.file.clone()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(cannot(&format!("remove {} in", listed.file), &error)),
        }
        if let Some((folder, _)) = listed.file.rsplit_once('/') {
            // One that is not empty stays.
            let _ = dir.remove_dir(folder);
        }
    }
    put(MANIFEST, manifest.text().as_bytes())?;
    Ok(removed)
}

/// The earlier export that is there.
fn former(text: &str, place: &Path, now: &Manifest) -> Result<Manifest, Trouble> {
    let former = Manifest::read(text).map_err(|bad| {
        Trouble::bad_input(format!("{}: {bad}; choose another directory", place.join(MANIFEST).display()))
    })?;
    if former.base() != now.base() {
        return Err(Trouble::bad_input(format!(
            "{} has the page for {}, not for {}; choose another directory",
            place.display(),
            former.base(),
            now.base()
        )));
    }
    Ok(former)
}

/// The first file that no export has written, below `folder`.
fn foreign(dir: &Dir, folder: &str, own: &dyn Fn(&str) -> bool) -> io::Result<Option<String>> {
    let mut names: Vec<_> = dir.entries()?.collect::<io::Result<_>>()?;
    names.sort_by_key(cap_std::fs::DirEntry::file_name);
    for entry in names {
        let name = format!("{folder}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            if let Some(name) = foreign(&entry.open_dir()?, &format!("{name}/"), own)? {
                return Ok(Some(name));
            }
        } else if name != PART && !own(&name) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn not_ours(place: &Path, name: &str) -> Trouble {
    Trouble::bad_input(format!(
        "{} has files that no export wrote ({name}), and is left alone; choose a new or an empty directory",
        place.display()
    ))
}

fn put(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    if let Some((folder, _)) = name.rsplit_once('/') {
        dir.create_dir_all(folder)?;
    }
    let mut part = dir.open_with(PART, OpenOptions::new().write(true).create(true).truncate(true))?;
    part.write_all(bytes)?;
    part.sync_all()?;
    dir.rename(PART, dir, name)
}
