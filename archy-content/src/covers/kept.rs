//! Small copies on the disk: whole or not at all, and not more than fits.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::LibraryError;

/// So many bytes are kept, some 10,000 covers.
const MOST: u64 = 256 << 20;
/// After so many new ones it is looked whether there are too many.
const LOOK: u64 = 64;
/// A copy that is used counts as new again after this.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The folder that they lie in.
#[derive(Debug)]
pub(super) struct Shelf {
    folder: PathBuf,
    most: u64,
}

impl Shelf {
    pub(super) fn of(index: &Path) -> Self {
        Self { folder: index.join("covers"), most: MOST }
    }

    pub(super) fn get(&self, tag: &str) -> Option<PathBuf> {
        let path = self.folder.join(format!("{tag}.jpg"));
        let about = fs::metadata(&path).ok().filter(|about| about.len() > 0)?;
        if about.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD)) {
            // Used ones are removed last; that it fails means only that this one may go earlier.
            let _ = File::options().append(true).open(&path).and_then(|file| touch(&file));
        }
        Some(path)
    }

    /// Keeps one. Killed meanwhile, there is none, and a file without a name that the next look removes.
    pub(super) fn put(&self, tag: &str, jpeg: &[u8]) -> Result<PathBuf, LibraryError> {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let io = |source| LibraryError::System { doing: "keeping a cover", source };
        fs::create_dir_all(&self.folder).map_err(io)?;
        if number.is_multiple_of(LOOK) {
            self.make_room().map_err(io)?;
        }
        let path = self.folder.join(format!("{tag}.jpg"));
        let unfinished = self.folder.join(format!("{tag}.{}-{number}.part", std::process::id()));
        let mut file = File::create(&unfinished).map_err(io)?;
        // Synced before it has its name: what has one is whole after a power cut, too.
        file.write_all(jpeg)
            .and_then(|()| file.sync_data())
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(io)?;
        Ok(path)
    }

    /// Removes what was left half and, if there is too much, what was not used for longest.
    fn make_room(&self) -> io::Result<()> {
        let mut all = Vec::new();
        let mut sum = 0;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(about) = entry.metadata() else { continue };
            let Ok(at) = about.modified() else { continue };
            if entry.path().extension().is_some_and(|end| end == "part") {
                if at.elapsed().is_ok_and(|age| age > Duration::from_secs(60)) {
                    fs::remove_file(entry.path())?;
                }
                continue;
            }
            sum += about.len();
            all.push((at, about.len(), entry.path()));
        }
        all.sort();
        for (_, bytes, path) in all {
            if sum <= self.most / 10 * 9 {
                break;
            }
            fs::remove_file(path)?;
            sum -= bytes;
        }
        Ok(())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a file's own time, which nothing is decided by but which one goes first"
)]
fn touch(file: &File) -> io::Result<()> {
    file.set_modified(std::time::SystemTime::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_goes_the_oldest_first() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf { folder: directory.path().join("covers"), most: 1_000 };
        for (number, name) in ["a", "b", "c", "d"].iter().enumerate() {
            let path = shelf.put(name, &[1; 300]).unwrap();
            let at = std::time::UNIX_EPOCH + Duration::from_secs(number as u64);
            File::options().append(true).open(path).unwrap().set_modified(at).unwrap();
        }
        fs::write(shelf.folder.join("x.1-1.part"), b"half").unwrap();
        File::options()
            .append(true)
            .open(shelf.folder.join("x.1-1.part"))
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        shelf.make_room().unwrap();
        let mut left: Vec<_> = fs::read_dir(&shelf.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["b.jpg", "c.jpg", "d.jpg"]);
        assert_eq!((shelf.get("a"), shelf.get("b").is_some()), (None, true));
    }

    #[test]
    fn an_empty_one_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf { folder: directory.path().to_path_buf(), most: 1_000 };
        fs::write(directory.path().join("a.jpg"), b"").unwrap();
        assert_eq!(shelf.get("a"), None);
    }
}
