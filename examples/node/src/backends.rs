//! The owner's list of who answers, in order: `backends.toml` of a data directory. Where there is none, a list of two
//! stands for it: an Ollama server on this machine, and Claude, disabled.

mod edit;
mod parse;

use std::path::PathBuf;
use std::{fs, io};

use archy_assistant::{Categories, Locality, Ollama, WhenLocalIsDown};
use serde::{Deserialize, Serialize};

use crate::data::{self, Data};
use crate::exit::Trouble;

pub(crate) use edit::{Fields, add, apply, remove, to_the_front, when_local_is_down};
pub(crate) use parse::is_name;

/// The file's name below the data directory.
pub(crate) const NAME: &str = "backends.toml";

/// Where an Ollama server listens when nobody has said otherwise.
pub(crate) const USUAL_OLLAMA: &str = "http://127.0.0.1:11434";

/// What a file that is written for the first time begins with, and what a missing one means.
const FRESH: &str = r#"# Who answers, in this order. A model at home comes before a remote one wherever it stands. A remote one gets what you
# say, and of what the node knows only what may-receive names. Change it here or with "archy-node models", which keeps
# your comments; the node reads it when it starts. Keys are not in here: archy-node secrets set claude
when-local-is-down = "ask" # or "fail", or "use-remote"

[[backend]]
kind = "ollama"
url = "http://127.0.0.1:11434"
# model = "qwen3:8b" # otherwise the first one there that can call tools

[[backend]]
kind = "claude"
model = "claude-sonnet-4-5"
enabled = false
may-receive = [] # apps, system, network, wallet, files, media, search, ai-local, notes, bitcoin
"#;

/// A file is no longer than this, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Which language a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// An Ollama server
    Ollama,
    /// Anthropic's models
    Claude,
    /// A server that speaks OpenAI's chat completions
    Openai,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::Claude => "claude",
            Self::Openai => "openai",
        }
    }

    /// Where such a server is when nobody has said otherwise.
    pub(crate) fn usual_url(self) -> Option<&'static str> {
        match self {
            Self::Ollama => Some(USUAL_OLLAMA),
            Self::Claude => Some("https://api.anthropic.com"),
            Self::Openai => None,
        }
    }
}

/// One backend of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// What its owner calls it; no other one is called so.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) url: String,
    /// Only an Ollama server may leave it out: then the first one there that can call tools.
    pub(crate) model: Option<String>,
    /// As declared; where nothing is, this machine for an address of it, and anywhere for all others.
    pub(crate) locality: Locality,
    pub(crate) enabled: bool,
    /// Whose data may go there; matters only where it is remote.
    pub(crate) may_receive: Categories,
    pub(crate) socks: Option<String>,
    /// The name of its key among the secrets; none for what takes no key.
    pub(crate) key: Option<String>,
    /// Tokens that a request and its reply may take together, where its owner says it.
    pub(crate) context: Option<u32>,
}

impl Entry {
    /// Where its bytes go. A model that is in a cloud by its name is remote, whatever was declared of its server.
    pub(crate) fn place(&self) -> Locality {
        let cloud = self.kind == Kind::Ollama && self.model.as_deref().is_some_and(Ollama::is_cloud_name);
        if cloud { Locality::Remote } else { self.locality }
    }

    pub(crate) fn is_home(&self) -> bool {
        self.place().is_home()
    }
}

/// The list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backends {
    pub(crate) when: WhenLocalIsDown,
    pub(crate) entries: Vec<Entry>,
    /// Whether its owner has written or changed it.
    pub(crate) is_own: bool,
}

impl Backends {
    /// The list of this directory.
    ///
    /// # Errors
    /// The file cannot be used: which line, and what to do. It stays as it was.
    pub(crate) fn read(data: &Data) -> Result<Self, Trouble> {
        let found = text(data)?;
        let is_own = found.is_some();
        Ok(Self { is_own, ..parsed(data, found.as_deref().unwrap_or(FRESH))? })
    }

    /// The one that is called so.
    ///
    /// # Errors
    /// None is; which there are.
    pub(crate) fn named(&self, name: &str) -> Result<(usize, &Entry), Trouble> {
        let found = self.entries.iter().enumerate().find(|(_, entry)| entry.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
            let names = if names.is_empty() { "the list is empty".to_owned() } else { names.join(", ") };
            Trouble::bad_input(format!("{name:?} is none of your backends: {names}"))
        })
    }

    /// Whether a model at home is listed, healthy or not.
    pub(crate) fn has_home(&self) -> bool {
        self.entries.iter().any(|entry| entry.enabled && entry.is_home())
    }
}

pub(crate) fn path(data: &Data) -> PathBuf {
    data.join(NAME)
}

/// The file's text, where there is one.
fn text(data: &Data) -> Result<Option<String>, Trouble> {
    let path = path(data);
    match fs::metadata(&path) {
        // Opening what is no file may wait for ever.
        Ok(known) if !known.is_file() => {
            return Err(Trouble::bad_input(format!("{} is no file; move it away", path.display())));
        }
        Ok(known) if known.len() > LONGEST => {
            let says = format!("{} is longer than {LONGEST} bytes; shorten it", path.display());
            return Err(Trouble::bad_input(says));
        }
        _ => {}
    }
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(data::cannot("read", &path, &error)),
    }
}

fn parsed(data: &Data, text: &str) -> Result<Backends, Trouble> {
    Backends::parse(text).map_err(|wrong| {
        let path = path(data);
        Trouble::bad_input(format!("{}{wrong}; correct it or move the file away", path.display()))
    })
}
