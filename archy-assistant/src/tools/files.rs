//! Reading the files of the shared folder.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::meant::Query;
use super::specs;
use crate::host::{BadPath, Entries, Entry, EntryKind, FileStart, Files, SharedPath};
use crate::{Caller, Candidates, Datum, Read, Source, Spec, ToolError};

/// At most so many files and folders are listed or found.
const MOST_ENTRIES: usize = 100;
/// At most so many bytes of a file are read.
const MOST_TEXT: usize = 64 * 1024;

impl From<BadPath> for ToolError {
    fn from(error: BadPath) -> Self {
        Self::new(error.to_string())
    }
}

/// The entries with their path called `name`, and whether there are more.
fn told(name: &'static str, found: Entries) -> [(&'static str, Datum); 2] {
    let more = found.more || found.entries.len() > MOST_ENTRIES;
    let entries = found.entries.into_iter().take(MOST_ENTRIES).map(|entry| entry_told(name, entry));
    [("entries", Datum::List(entries.collect())), ("more", Datum::Bool(more))]
}

fn entry_told(name: &'static str, entry: Entry) -> Datum {
    let (kind, size) = match entry.kind {
        EntryKind::Folder => ("folder", Datum::None),
        EntryKind::File { bytes } => ("file", Datum::Bytes(bytes)),
    };
    Datum::record([
        (name, Datum::Others(entry.path)),
        ("kind", Datum::text(kind)),
        ("size", size),
        ("changed", entry.changed.map_or(Datum::None, Datum::Time)),
    ])
}

/// A folder, as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FolderArgs {
    /// The folder's path below the shared folder; the shared folder itself if it was not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    folder: Option<String>,
}

/// What is in a folder.
pub(super) struct FilesList {
    pub(super) files: Arc<dyn Files>,
    pub(super) folders: Arc<dyn Candidates>,
}

impl Read for FilesList {
    type Args = FolderArgs;

    fn spec(&self) -> Spec {
        specs::files_list(Arc::clone(&self.folders))
    }

    async fn read(&self, caller: &Caller, args: FolderArgs) -> Result<Datum, ToolError> {
        let folder = SharedPath::new(args.folder.as_deref().unwrap_or_default())?;
        let [entries, more] = told("name", self.files.list(caller, &folder, MOST_ENTRIES).await?);
        let folder = match folder.as_str() {
            "" => Datum::None,
            path => Datum::others(path, Source::FileName),
        };
        Ok(Datum::record([("folder", folder), entries, more]))
    }
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryArgs {
    /// The words to search for.
    pub(super) query: String,
}

/// Files and folders by their names.
pub(super) struct FilesSearch(pub(super) Arc<dyn Files>);

impl Read for FilesSearch {
    type Args = QueryArgs;

    fn spec(&self) -> Spec {
        specs::files_search()
    }

    async fn read(&self, caller: &Caller, args: QueryArgs) -> Result<Datum, ToolError> {
        Query::new(&args.query)?;
        Ok(Datum::record(told("path", self.0.search(caller, &args.query, MOST_ENTRIES).await?)))
    }
}

/// A file, as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PathArgs {
    /// The file's path below the shared folder.
    path: String,
}

/// What is in a file.
pub(super) struct FileRead(pub(super) Arc<dyn Files>);

impl Read for FileRead {
    type Args = PathArgs;

    fn spec(&self) -> Spec {
        specs::file_read()
    }

    async fn read(&self, caller: &Caller, args: PathArgs) -> Result<Datum, ToolError> {
        let path = SharedPath::new(&args.path)?;
        if path.as_str().is_empty() {
            return Err(ToolError::new("say which file to read"));
        }
        let start = self.0.read(caller, &path, MOST_TEXT).await?;
        let (text, cut) =
            text(start).ok_or_else(|| ToolError::new("this file is no text, so it cannot be read out"))?;
        Ok(Datum::record([
            ("path", Datum::others(path.as_str(), Source::FileName)),
            ("text", Datum::others(text, Source::FileText)),
            ("cut", Datum::Bool(cut)),
        ]))
    }
}

/// The text of a file's start, and whether the file goes on; nothing where it is no text.
fn text(FileStart { mut bytes, size }: FileStart) -> Option<(String, bool)> {
    bytes.truncate(MOST_TEXT);
    let cut = size > bytes.len() as u64;
    if bytes.contains(&0) {
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some((text, cut)),
        // The cut may go through a character, which is then left out; anything else is no text.
        Err(error) if cut && error.utf8_error().error_len().is_none() => {
            let end = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(end);
            String::from_utf8(bytes).ok().map(|text| (text, cut))
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(bytes: impl Into<Vec<u8>>, size: u64) -> Option<(String, bool)> {
        text(FileStart { bytes: bytes.into(), size })
    }

    #[test]
    fn text_is_cut_between_characters_and_anything_else_is_refused() {
        assert_eq!(start("größe", 7), Some(("größe".to_owned(), false)));
        assert_eq!(start("", 0), Some((String::new(), false)));
        assert_eq!(start(&b"gr\xc3"[..], 900), Some(("gr".to_owned(), true)));
        assert_eq!(start(&b"gr\xc3"[..], 3), None, "a whole file that ends in half a character");
        assert_eq!(start(&b"\x89PNG\r\n"[..], 900), None);
        assert_eq!(start(&b"a\0b"[..], 3), None);
        let (text, cut) = start("é".repeat(MOST_TEXT), 2 * MOST_TEXT as u64).unwrap();
        assert_eq!((text.len(), cut), (MOST_TEXT, true), "a host that gives more than was asked for");
    }
}
