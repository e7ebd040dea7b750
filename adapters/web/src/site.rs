//! Where the page lives.

use std::fmt;

use crate::files::{self, File};
use crate::manifest::ORIGIN;

/// The base path of the page where a host says no other.
pub const BASE: &str = "/aiui/";

/// One place at which the page is served: an origin and a base path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    origin: String,
    base: String,
}

/// Why a place cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadSite {
    /// An origin is `http://` or `https://`, a host, and a port where it is not the usual one; nothing after it.
    Origin,
    /// A base begins and ends with a slash and holds only letters, digits, `-`, `_`, `.` and slashes.
    Base,
}

impl fmt::Display for BadSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Origin => {
                "an origin looks like https://node.local or http://127.0.0.1:8080, with nothing after it"
            }
            Self::Base => {
                "a base path begins and ends with a slash and holds only letters, digits, - _ . and slashes"
            }
        })
    }
}

impl std::error::Error for BadSite {}

impl Site {
    /// The page at `base` of `origin`, both as a browser would write them.
    ///
    /// # Errors
    ///
    /// [`BadSite`] for what could not stand in a header: nothing is escaped there.
    pub fn new(origin: &str, base: &str) -> Result<Self, BadSite> {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
        if !host.is_some_and(|host| !host.is_empty() && host.bytes().all(plain)) {
            return Err(BadSite::Origin);
        }
        Self::below(origin, base)
    }

    /// The page at `base` of an origin that is not known yet; [`ORIGIN`] stands for it.
    pub(crate) fn anywhere(base: &str) -> Result<Self, BadSite> {
        Self::below(ORIGIN, base)
    }

    fn below(origin: &str, base: &str) -> Result<Self, BadSite> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
        let whole = base.starts_with('/') && base.ends_with('/') && base.bytes().all(plain);
        // A browser would resolve these away, and the headers would name another place.
        if !whole || base.contains("//") || base.split('/').any(|part| part == "." || part == "..") {
            return Err(BadSite::Base);
        }
        Ok(Self { origin: origin.to_owned(), base: base.to_owned() })
    }

    /// The origin.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The base path, with both slashes.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Everything that is served below the base path.
    pub fn files(&self) -> Vec<File> {
        files::all(self)
    }

    /// What is served at `path` below the base path: `""` is the page, `"frame/"` the frame.
    pub fn file(&self, path: &str) -> Option<File> {
        self.files().into_iter().find(|file| file.path == path)
    }
}
