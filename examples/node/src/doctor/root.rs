//! A machine's files, at the root or in a copy of them. Links lead within it.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// More of a file is not read, in bytes.
const MOST: u64 = 1 << 20;
/// So many links in a row are followed.
const LINKS: usize = 16;

/// A machine's files.
#[derive(Debug)]
pub(super) struct Root<'a>(&'a Path);

/// A file or a folder below another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// From the machine's root on.
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
}

impl<'a> Root<'a> {
    pub(super) fn new(root: &'a Path) -> Self {
        Self(root)
    }

    /// The text of a file, of an absolute path; what is no UTF-8 in it is replaced. A device or a pipe has none.
    pub(super) fn read(&self, path: &Path) -> io::Result<String> {
        let place = self.place(path)?;
        let mut bytes = Vec::new();
        let kind = fs::metadata(&place)?.file_type();
        // Nothing waits for what a pipe may say.
        if !kind.is_file() && !kind.is_dir() {
            return Ok(String::new());
        }
        fs::File::open(place)?.take(MOST).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What is in a folder, by name; nothing where there is none. Names that are no text, and links to nothing, are left
    /// out.
    pub(super) fn list(&self, path: &Path) -> Vec<Entry> {
        let place = self.place(path);
        let names = place.and_then(fs::read_dir).into_iter().flatten().flatten();
        let mut entries: Vec<_> = names
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let path = path.join(&name);
                let is_folder = fs::metadata(self.place(&path).ok()?).ok()?.is_dir();
                Some(Entry { name, path, is_folder })
            })
            .collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    /// Where a path is, with all links in it followed within the root.
    fn place(&self, path: &Path) -> io::Result<PathBuf> {
        let mut links = 0;
        let mut left: Vec<PathBuf> = parts(path);
        let mut place = PathBuf::new();
        while let Some(part) = left.pop() {
            if part.as_os_str() == ".." {
                place.pop();
                continue;
            }
            let next = place.join(part);
            match fs::read_link(self.0.join(&next)) {
                Ok(to) => {
                    links += 1;
                    if links > LINKS {
                        return Err(io::Error::other("too many links"));
                    }
                    if to.is_absolute() {
                        place = PathBuf::new();
                    }
                    left.extend(parts(&to));
                }
                Err(_) => place = next,
            }
        }
        Ok(self.0.join(place))
    }
}

/// The parts of a path, the first one last.
fn parts(path: &Path) -> Vec<PathBuf> {
    let part = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.into()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().rev().filter_map(part).collect()
}
