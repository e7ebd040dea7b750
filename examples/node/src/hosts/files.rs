//! The files below the shared folder, which no path and no link leads out of.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use archy_assistant::host::{Entries, Entry, EntryKind, FileStart, Files, SharedPath};
use archy_assistant::{Answer, Caller, HostError, Source, Timestamp, Untrusted};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, Metadata, OpenOptions, OpenOptionsExt};

use super::blocking;
use crate::data;
use crate::exit::Trouble;

/// So many files and folders are looked at by one search, and so deep.
const LOOKED_AT: usize = 50_000;
const DEEPEST: usize = 24;
/// People may name so many folders.
const FOLDERS: usize = 100;
const README: &str = "The assistant can list, search and read what you put into this folder, once you have opened the \
                      category files. It cannot change anything here.\n";

/// The shared folder.
pub(crate) struct SharedFolder(Arc<Dir>);

impl SharedFolder {
    /// Opens the folder; one that was not there gets a README.
    pub(crate) fn open(path: &Path) -> Result<Self, Trouble> {
        if !path.exists() {
            data::private_dir(path)?;
            data::replace(&path.join("README.md"), README.as_bytes())?;
        }
        let open = Dir::open_ambient_dir(path, ambient_authority());
        Ok(Self(Arc::new(open.map_err(|error| data::cannot("open", path, &error))?)))
    }

    fn with<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Dir) -> Result<T, HostError> + Send + 'static,
    ) -> Answer<'static, T> {
        let folder = Arc::clone(&self.0);
        Box::pin(blocking(move || look(&folder)))
    }
}

impl Files for SharedFolder {
    fn list<'a>(&'a self, _: &'a Caller, folder: &'a SharedPath, at_most: usize) -> Answer<'a, Entries> {
        let folder = folder.clone();
        self.with(move |root| {
            let opened =
                if folder.as_str().is_empty() { root.try_clone() } else { root.open_dir(folder.as_str()) };
            let opened = opened.map_err(|error| {
                HostError::new("there is no such folder, or it cannot be read").caused_by(error)
            })?;
            let mut entries: Vec<Entry> =
                sorted(&opened).iter().filter_map(|found| entry(found, Path::new(""))).collect();
            let more = entries.len() > at_most;
            entries.truncate(at_most);
            Ok(Entries { entries, more })
        })
    }

    fn search<'a>(&'a self, _: &'a Caller, query: &'a str, at_most: usize) -> Answer<'a, Entries> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        self.with(move |root| {
            let mut found = Entries::default();
            let complete = walk(root, &mut |seen, below| {
                let name = seen.file_name().to_string_lossy().to_lowercase();
                if words.iter().all(|word| name.contains(word)) {
                    if found.entries.len() == at_most {
                        found.more = true;
                        return false;
                    }
                    found.entries.extend(entry(seen, below));
                }
                true
            });
            found.more |= !complete;
            Ok(found)
        })
    }

    fn read<'a>(&'a self, _: &'a Caller, path: &'a SharedPath, at_most: usize) -> Answer<'a, FileStart> {
        let path = path.clone();
        self.with(move |root| {
            let none = || HostError::new("there is no such file, or it cannot be read");
            let mut options = OpenOptions::new();
            // A pipe without a writer would otherwise be waited for.
            options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
            let file = root.open_with(path.as_str(), &options).map_err(|error| none().caused_by(error))?;
            let known = file.metadata().map_err(|error| none().caused_by(error))?;
            if !known.is_file() {
                return Err(HostError::new("that is no file"));
            }
            let mut bytes = Vec::new();
            file.take(at_most as u64).read_to_end(&mut bytes).map_err(|error| none().caused_by(error))?;
            Ok(FileStart { bytes, size: known.len() })
        })
    }

    fn folders<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<SharedPath>> {
        self.with(|root| {
            let mut folders = Vec::new();
            walk(root, &mut |seen, below| {
                let is_folder = seen.file_type().is_ok_and(|kind| kind.is_dir());
                let path = below.join(seen.file_name());
                folders
                    .extend(path.to_str().filter(|_| is_folder).and_then(|path| SharedPath::new(path).ok()));
                folders.len() < FOLDERS
            });
            Ok(folders)
        })
    }
}

/// Shows every file and folder to `each`, level by level, until it says no. `false` where something was not shown.
fn walk(root: &Dir, each: &mut dyn FnMut(&DirEntry, &Path) -> bool) -> bool {
    let (mut level, mut looked, mut complete) = (vec![PathBuf::new()], 0, true);
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for below in level {
            let opened = if below.as_os_str().is_empty() { root.try_clone() } else { root.open_dir(&below) };
            let Ok(folder) = opened else {
                complete = false;
                continue;
            };
            for seen in sorted(&folder) {
                looked += 1;
                if looked > LOOKED_AT || !each(&seen, &below) {
                    return false;
                }
                // A link is no folder here, so there are no circles.
                if seen.file_type().is_ok_and(|kind| kind.is_dir()) {
                    next.push(below.join(seen.file_name()));
                }
            }
        }
        level = next;
    }
    complete && level.is_empty()
}

/// What is in a folder, by name; nothing where it cannot be read.
fn sorted(folder: &Dir) -> Vec<DirEntry> {
    let Ok(entries) = folder.entries() else { return Vec::new() };
    let mut entries: Vec<DirEntry> = entries.filter_map(Result::ok).take(LOOKED_AT).collect();
    entries.sort_by_key(DirEntry::file_name);
    entries
}

/// What is neither a file nor a folder is not shown.
fn entry(seen: &DirEntry, below: &Path) -> Option<Entry> {
    let known = seen.metadata().ok()?;
    let kind = if known.is_dir() {
        EntryKind::Folder
    } else if known.is_file() {
        EntryKind::File { bytes: known.len() }
    } else {
        return None;
    };
    let path = below.join(seen.file_name());
    Some(Entry {
        path: Untrusted::new(path.to_string_lossy(), Source::FileName),
        kind,
        changed: changed(&known),
    })
}

fn changed(known: &Metadata) -> Option<Timestamp> {
    known.modified().ok().map(|time| Timestamp::from_system(time.into_std()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[tokio::test]
    async fn nothing_leads_out() {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("secret"), "x").unwrap();
        let root = data.path().join("files");
        let shared = SharedFolder::open(&root).unwrap();
        symlink("../secret", root.join("link")).unwrap();
        symlink("..", root.join("up")).unwrap();
        fs::create_dir_all(root.join("photos/2024")).unwrap();
        fs::write(root.join("photos/2024/Beach day.jpg"), "jpeg").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
        let caller = Caller::owner();
        let path = |path: &str| SharedPath::new(path).unwrap();
        for out in ["link", "up/secret", "pipe", "photos"] {
            assert!(shared.read(&caller, &path(out), 9).await.is_err(), "{out}");
        }
        let names =
            |entries: Entries| entries.entries.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>();
        let all_named =
            |all: &[&str]| all.iter().map(|name| Untrusted::new(*name, Source::FileName)).collect::<Vec<_>>();
        let listed = shared.list(&caller, &path(""), 9).await.unwrap();
        assert!(!listed.more);
        assert_eq!(names(listed), all_named(&["README.md", "photos"]));
        let found = shared.search(&caller, "DAY beach", 9).await.unwrap();
        assert_eq!(names(found), all_named(&["photos/2024/Beach day.jpg"]));
        let folders = shared.folders(&caller).await.unwrap();
        assert_eq!(folders, [path("photos"), path("photos/2024")]);
        let start = shared.read(&caller, &path("photos/2024/Beach day.jpg"), 2).await.unwrap();
        assert_eq!(start, FileStart { bytes: b"jp".to_vec(), size: 4 });
    }
}
