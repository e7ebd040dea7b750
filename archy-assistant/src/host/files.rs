//! The files below the shared folder.

use std::fmt;

use super::Answer;
use crate::{Caller, Timestamp, Untrusted};

/// A path below the shared folder: relative, with `/` between its parts, no part of it `.` or `..`, no control
/// character, at most 1024 bytes. The shared folder itself is the empty path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SharedPath(String);

/// The path leads out of the shared folder, or is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPath;

impl SharedPath {
    /// Takes a path as it was said. A slash at its beginning or end is dropped: `/photos/` is `photos`.
    ///
    /// # Errors
    /// [`BadPath`].
    pub fn new(path: &str) -> Result<Self, BadPath> {
        let path = path.trim().trim_start_matches("./").trim_matches('/');
        let path = if path == "." { "" } else { path };
        let bad = |part: &str| matches!(part, "" | "." | "..");
        let strange = |letter: char| letter.is_control() || letter == '\\';
        if path.len() > 1024 || path.contains(strange) || (!path.is_empty() && path.split('/').any(bad)) {
            return Err(BadPath);
        }
        Ok(Self(path.to_owned()))
    }

    /// The path; empty for the shared folder itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("that is no path below the shared folder")
    }
}

impl std::error::Error for BadPath {}

/// A file or folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where it is: below the folder that was listed, or for a search below the shared folder.
    pub path: Untrusted,
    /// What it is.
    pub kind: EntryKind,
    /// When it was last changed.
    pub changed: Option<Timestamp>,
}

/// What an [`Entry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A file.
    File {
        /// Its size.
        bytes: u64,
    },
}

/// What was found, and whether there is more.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entries {
    /// At most as many as were asked for, in a stable order.
    pub entries: Vec<Entry>,
    /// Whether some were left out.
    pub more: bool,
}

/// The beginning of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStart {
    /// Its first bytes, at most as many as were asked for.
    pub bytes: Vec<u8>,
    /// The size of the whole file in bytes.
    pub size: u64,
}

/// Reads files. Called by the tools `files_list`, `files_search`, `file_read` and `node_search`, and once per request for
/// the folders that people may name.
///
/// A [`SharedPath`] cannot lead out by itself, but a link on the disk can: the host opens every path beneath the shared
/// folder and follows no link out of it (`cap-std`, or `openat2` with `RESOLVE_BENEATH`). Only plain files are read.
pub trait Files: Send + Sync + 'static {
    /// What is directly in `folder`, at most `at_most`.
    ///
    /// # Errors
    /// When there is no such folder, or it cannot be read.
    fn list<'a>(&'a self, caller: &'a Caller, folder: &'a SharedPath, at_most: usize) -> Answer<'a, Entries>;

    /// The files and folders whose name holds all words of `query`, at most `at_most`. May stop early and say there is more.
    ///
    /// # Errors
    /// When the shared folder cannot be read; a folder that cannot is left out.
    fn search<'a>(&'a self, caller: &'a Caller, query: &'a str, at_most: usize) -> Answer<'a, Entries>;

    /// The first `at_most` bytes of a file.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    fn read<'a>(&'a self, caller: &'a Caller, path: &'a SharedPath, at_most: usize) -> Answer<'a, FileStart>;

    /// The folders that people may name, with their path, at most a hundred.
    ///
    /// # Errors
    /// When they cannot be read; then none can be named without a model.
    fn folders<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<SharedPath>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        for (said, path) in
            [("photos", "photos"), ("/photos/2024/", "photos/2024"), ("", ""), (".", ""), ("./a b", "a b")]
        {
            assert_eq!(SharedPath::new(said).map(|path| path.0), Ok(path.to_owned()), "{said}");
        }
        for said in
            ["..", "a/../b", "a/./b", "a//b", "a\\b", "a\0", "a\nb", "../../etc/passwd", &"x".repeat(1025)]
        {
            assert_eq!(SharedPath::new(said), Err(BadPath), "{said}");
        }
    }
}
