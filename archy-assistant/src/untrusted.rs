//! Text that others wrote. It has no `Display`, no `AsRef<str>` and no `Serialize`; the only ways out are the files
//! below: the [`fence`] (prompts), the [`isolate`] (screens, confirmations), the [`codec`] (the store) and the
//! [`words`] (comparing what a person said with a name; words are never shown or sent). The [`alphabet`] says which
//! characters hide.

mod alphabet;
pub(crate) mod codec;
// Only what sends to a model reads it.
#[cfg(any(feature = "http", test))]
pub(crate) mod fence;
pub(crate) mod isolate;
pub(crate) mod words;

use std::fmt;

/// Text that others wrote, and where it was read.
///
/// ```compile_fail
/// use archy_assistant::{Source, Untrusted};
/// println!("{}", Untrusted::new("anything", Source::AppName));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Untrusted {
    text: String,
    source: Source,
}

/// Where text from others was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// The name or alias of an app, from its manifest.
    AppName,
    /// What an app says about itself: version, state, error.
    AppText,
    /// The log of the app with this id.
    Log(String),
    /// The name of a file or folder.
    FileName,
    /// What is in a file.
    FileText,
    /// The name of a peer.
    PeerName,
    /// A note.
    Note,
    /// The name of a disk, a network or another device.
    DeviceName,
    /// The name of a setting, or a value that its rule does not know.
    Setting,
    /// What someone said through a relayed door.
    Said,
    /// A result of a search.
    Found,
    /// The words of a backend's error.
    Backend,
}

impl Source {
    /// Whether whole sentences can stand in it, rather than a name: a proposal made after such text says so.
    pub const fn is_free_text(&self) -> bool {
        matches!(self, Self::Log(_) | Self::FileText | Self::Note | Self::Said | Self::Found | Self::AppText)
    }

    /// How a person reads it, for "suggested after reading: …".
    pub fn describe(&self) -> String {
        match self {
            Self::AppName => "an app's name".to_owned(),
            Self::AppText => "what an app says about itself".to_owned(),
            Self::Log(app) => format!("the log of {app}"),
            Self::FileName => "a file's name".to_owned(),
            Self::FileText => "a file".to_owned(),
            Self::PeerName => "a peer's name".to_owned(),
            Self::Note => "a note".to_owned(),
            Self::DeviceName => "a device's name".to_owned(),
            Self::Setting => "a setting".to_owned(),
            Self::Said => "a message from someone else".to_owned(),
            Self::Found => "a search result".to_owned(),
            Self::Backend => "a server's error".to_owned(),
        }
    }
}

impl Untrusted {
    /// Marks `text` as written by others, at the edge where it enters.
    pub fn new(text: impl Into<String>, source: Source) -> Self {
        Self { text: text.into(), source }
    }

    /// Where it was read.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// Shows how long the text is, never the text.
impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Untrusted({} bytes, {:?})", self.text.len(), self.source)
    }
}
