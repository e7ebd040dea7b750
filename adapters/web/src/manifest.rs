//! What a host that copies the files is given with them: where each belongs, what it must be, and its headers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::files::{File, Kind};
use crate::site::{BASE, BadSite, Site};

/// The name of the manifest beside the files.
pub const MANIFEST: &str = "manifest.json";
/// What stands in a manifest for the origin of the node that will serve the files.
pub const ORIGIN: &str = "{origin}";
/// The form of the manifests that are written here.
const FORMAT: u32 = 1;

/// All files of one version below one base path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    version: String,
    commit: String,
    base: String,
    files: Vec<Listed>,
}

/// One file of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Where it is served below the base path: `""` is the page, `"frame/"` the frame.
    pub path: String,
    /// Its name below the directory of the manifest, with slashes.
    pub file: String,
    /// What it is, and so to which requests it may be answered.
    pub kind: Kind,
    /// Of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// All headers but its length, names in lower case; [`ORIGIN`] stands for the origin.
    pub headers: BTreeMap<String, String>,
}

impl Listed {
    /// Whether these are the bytes of the file.
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.sha256 == hex(bytes)
    }
}

/// Why something is no manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadManifest {
    /// A commit has 7 to 64 hexadecimal digits.
    Commit,
    /// The base path cannot be one.
    Base,
    /// A file of the page speaks of another base path than its own.
    AnotherBase {
        /// Its name on the disk.
        file: String,
    },
    /// A text is no manifest of this program.
    Unreadable(String),
    /// A newer program wrote it.
    Newer,
}

impl fmt::Display for BadManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit => f.write_str("a commit has 7 to 64 of 0 to 9 and a to f"),
            Self::Base => BadSite::Base.fmt(f),
            Self::AnotherBase { file } => write!(f, "{file} names another base path than the one it is for"),
            Self::Unreadable(why) => write!(f, "not a manifest of the page: {why}"),
            Self::Newer => f.write_str("a newer version wrote this manifest"),
        }
    }
}

impl std::error::Error for BadManifest {}

impl Manifest {
    /// Of what this program serves below `base`, which was built from `commit`, with the bytes of each file in the
    /// manifest's order.
    ///
    /// ```
    /// let (manifest, files) = archy_web::Manifest::of("/assistant/", "28a693a")?;
    /// assert_eq!(manifest.files()[1].file, "frame/index.html");
    /// assert_eq!(manifest.files().len(), files.len());
    /// # Ok::<(), archy_web::BadManifest>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BadManifest::Commit`], [`BadManifest::Base`], and [`BadManifest::AnotherBase`] where a file could not be moved.
    pub fn of(base: &str, commit: &str) -> Result<(Self, Vec<File>), BadManifest> {
        let site = Site::anywhere(base).map_err(|_| BadManifest::Base)?;
        if !is_hex(commit, 7..=64) {
            return Err(BadManifest::Commit);
        }
        let files = site.files();
        let listed: Vec<Listed> = files.iter().map(listed).collect();
        if let Some((listed, _)) = std::iter::zip(&listed, &files).find(|(_, file)| strays(&file.body, base))
        {
            return Err(BadManifest::AnotherBase { file: listed.file.clone() });
        }
        let manifest = Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit.to_owned(),
            base: base.to_owned(),
            files: listed,
        };
        Ok((manifest, files))
    }

    /// Reads what [`Manifest::text`] wrote. No name in it leads out of its directory, and none is there twice.
    ///
    /// # Errors
    ///
    /// [`BadManifest::Unreadable`], and [`BadManifest::Newer`].
    pub fn read(text: &str) -> Result<Self, BadManifest> {
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let unreadable = |error: serde_json::Error| BadManifest::Unreadable(error.to_string());
        let Form { format } = serde_json::from_str(text).map_err(unreadable)?;
        if format > FORMAT {
            return Err(BadManifest::Newer);
        }
        let read: Self = serde_json::from_str(text).map_err(unreadable)?;
        let says = |why: &str| Err(BadManifest::Unreadable(why.to_owned()));
        let mut names = BTreeSet::new();
        if Site::anywhere(&read.base).is_err() {
            return says("its base path cannot be one");
        }
        if !is_hex(&read.commit, 7..=64) || !read.files.iter().all(|file| is_hex(&file.sha256, 64..=64)) {
            return says("a commit or a hash is none");
        }
        if !read.files.iter().all(|listed| is_name(&listed.file) && names.insert(&listed.file)) {
            return says("a file has a name that none of its files has");
        }
        Ok(read)
    }

    /// The manifest as the file beside the others has it.
    pub fn text(&self) -> String {
        // Strings, numbers and maps with strings for keys can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The version of the program that wrote it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The commit that the program was built from, as whoever exported it said.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The base path for which the files are.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The files, the page first.
    pub fn files(&self) -> &[Listed] {
        &self.files
    }
}

fn listed(file: &File) -> Listed {
    let whole = if file.path.is_empty() || file.path.ends_with('/') { "index.html" } else { "" };
    let headers = file.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Listed {
        path: file.path.to_owned(),
        file: format!("{}{whole}", file.path),
        kind: file.kind,
        sha256: hex(file.body.as_bytes()),
        headers,
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Whether a text speaks of the usual base path or of any other than `base`.
fn strays(text: &str, base: &str) -> bool {
    // A base may hold the usual one.
    let rest = if base == "/" { text.to_owned() } else { text.replace(base, "\n") };
    let named = text.split("data-base=\"").skip(1).filter_map(|rest| rest.split('"').next());
    (base != BASE && rest.contains(BASE)) || named.into_iter().any(|named| named != base)
}

fn is_hex(text: &str, long: std::ops::RangeInclusive<usize>) -> bool {
    long.contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether this can be the name of a file that was exported: nothing that leads elsewhere, nothing hidden.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name != MANIFEST
        && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_another_base_is_noticed() {
        for (text, base, strays_from_it) in [
            ("<html data-base=\"/aiui/\">", "/aiui/", false),
            ("<html data-base=\"/aiui/\">", "/", true),
            ("<html data-base=\"/a/\">", "/a/", false),
            ("<html data-base=\"/b/\">", "/a/", true),
            ("<html data-base=\"/a/\"><p data-base=\"/b/\">", "/a/", true),
            ("fetch('/aiui/main.js')", "/a/", true),
            ("fetch('/x/aiui/main.js')", "/x/aiui/", false),
            ("fetch('/x/aiui/main.js', '/aiui/')", "/x/aiui/", true),
            ("fetch('main.js')", "/a/", false),
        ] {
            assert_eq!(strays(text, base), strays_from_it, "{text} for {base}");
        }
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        for name in ["index.html", "frame/index.html", "page.css", "a-b_c.2.js"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "/etc/passwd", "../x", "a/../b", "a//b", ".hidden", "a/.b", "a\\b", "a b", MANIFEST]
        {
            assert!(!is_name(name), "{name}");
        }
    }
}
