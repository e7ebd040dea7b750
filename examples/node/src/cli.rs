//! What can be typed.

mod doctor;
mod mesh;
mod models;
mod music;
mod web;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use archy_assistant::{Category, ConfirmationId, Shown};
use clap::{Args, Parser, Subcommand};

pub(crate) use doctor::{Deployment, DoctorCommand};
pub(crate) use mesh::MeshCommand;
pub(crate) use models::{How, ModelsCommand, SecretsCommand};
pub(crate) use music::{MusicCommand, Scan, Wanted};
pub(crate) use web::WebCommand;

const EXIT_CODES: &str = "Exit codes:
  0 done                      5 no backend, or no node, answers
  1 failed                    6 denied or expired
  2 bad input                 7 outcome unknown
  3 a category is closed      8 still busy     130 cancelled
  4 a person is needed and there is no terminal";

/// Archy answers questions about this node and, after you have said yes, changes it.
///
/// Nothing is open at first: the first question about the disks asks you whether
/// the assistant may see them. No model is needed; where an Ollama server runs on
/// this machine, its model answers. "models" shows and changes who answers.
#[derive(Debug, Parser)]
#[command(name = "archy-node", version, verbatim_doc_comment, subcommand_required = true)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Keep everything below DIR [default: archy in your data directory, as ~/.local/share/archy]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Write JSON to standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How long a question may wait for your yes, 30 to 300 [default: 120]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(30..=300))]
    pub(crate) decide_within: Option<u64>,
    /// How long what you say may wait while the node is busy with other requests
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u16).range(0..=3600))]
    pub(crate) wait_within: u16,
    #[command(flatten)]
    pub(crate) model: ModelChoice,
}

impl Common {
    /// Another command on the same data, to be pasted into a shell.
    pub(crate) fn command(&self, words: &str) -> String {
        let data = self.data.as_ref().map(|path| format!(" --data {}", quoted(path.as_os_str())));
        format!("{} {words}{}", program(), data.unwrap_or_default())
    }
}

/// The program as it was called, for a shell.
static PROGRAM: OnceLock<String> = OnceLock::new();

/// Remembers how the program was called.
pub(crate) fn called_as(word: Option<&OsString>) {
    if let Some(word) = word.filter(|word| !word.is_empty()) {
        // It is called once.
        let _ = PROGRAM.set(quoted(word));
    }
}

/// The program as it was called, to be pasted into a shell.
pub(crate) fn program() -> &'static str {
    PROGRAM.get().map_or("archy-node", String::as_str)
}

/// A word as a shell reads it. What could not be shown as it is, or is no text, is spelled with escapes.
pub(crate) fn quoted(word: &OsStr) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,".contains(byte);
    let shown = word.to_str().filter(|text| Shown::line(text).as_str() == *text);
    match shown {
        Some(text) if !text.is_empty() && text.as_bytes().iter().all(plain) => text.to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        None => {
            let spell = |byte: &u8| {
                if plain(byte) { char::from(*byte).to_string() } else { format!("\\{byte:03o}") }
            };
            format!("$'{}'", word.as_bytes().iter().map(spell).collect::<String>())
        }
    }
}

/// Who answers, in place of the owner's list.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Who answers, in place of your list (see models)")]
pub(crate) struct ModelChoice {
    /// Ask the Ollama server at URL [default: port 11434 of this machine]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) ollama: Option<String>,
    /// Ask this model [default: the first one there that can call tools]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The URL's machine is your own: what you keep on this node may go there
    #[arg(long, global = true, requires = "ollama")]
    pub(crate) own_network: bool,
    /// Answer without a model
    #[arg(long, global = true, conflicts_with_all = ["ollama", "model", "own_network"])]
    pub(crate) no_model: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask one thing: archy-node ask how much space is left?
    Ask {
        /// Say it in the last conversation instead of a new one
        #[arg(long = "continue")]
        go_on: bool,
        /// What you want to know or have done
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    /// Talk with the assistant; /help there says what else can be typed
    Chat {
        /// Go on with the last conversation
        #[arg(long = "continue")]
        go_on: bool,
    },
    /// See, open and close what the assistant may see and propose
    Grants {
        #[command(subcommand)]
        change: Option<GrantsCommand>,
    },
    /// List earlier conversations, show one, or search them
    History {
        /// A conversation's id, or "last"
        id: Option<String>,
        /// Show where these words were said or answered
        #[arg(long, value_name = "WORDS", conflicts_with_all = ["id", "export"])]
        search: Option<String>,
        /// Write a whole conversation as JSON
        #[arg(long, value_name = "ID", conflicts_with = "id")]
        export: Option<String>,
    },
    /// Remove a conversation so that it cannot be found again
    Forget {
        /// Its id, or "last"
        id: String,
    },
    /// See and change who answers, where it runs, and what may go there
    #[command(args_conflicts_with_subcommands = true)]
    Models {
        /// Measure the models at home with a few tiny requests, and keep what came of it; a slow one takes minutes
        #[arg(long)]
        probe: bool,
        #[command(subcommand)]
        change: Option<ModelsCommand>,
    },
    /// Set, list and remove the keys of models that are paid for
    Secrets {
        #[command(subcommand)]
        change: SecretsCommand,
    },
    /// Look what is wrong with a node that is served at URL, or with who answers (doctor models), and say what to do
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = doctor::DEPLOYED)]
    Doctor {
        #[command(subcommand)]
        what: Option<DoctorCommand>,
        #[command(flatten)]
        deployed: Deployment,
    },
    /// The music library: scan folders, search, see what is odd
    #[command(after_help = music::ABOUT)]
    Music {
        #[command(subcommand)]
        command: MusicCommand,
    },
    /// Write the page to a directory, for a web server that copies files
    Web {
        #[command(subcommand)]
        command: WebCommand,
    },
    /// Say who may ask over a radio, and see what they would hear
    Mesh {
        #[command(subcommand)]
        command: MeshCommand,
    },
    /// List what the assistant can do
    Tools,
    /// Keep the node running until Ctrl-C, with the page for your browser; other commands then use it
    Serve {
        /// Serve the page at this port of this machine; 0 takes a free one
        #[arg(long, value_name = "N", default_value_t = 3180)]
        port: u16,
        /// Serve no page
        #[arg(long, conflicts_with = "port")]
        no_page: bool,
        /// Answer over the MeshCore radio at HOST:PORT those who may ask (see mesh)
        #[arg(long, value_name = "HOST:PORT")]
        radio: Option<String>,
        /// Say each request
        #[arg(long, short)]
        verbose: bool,
    },
    /// Print a link that logs a browser in at the page of the running node; it works once, for ten minutes
    Link,
    /// List the apps
    Apps,
    /// Stop all apps; they stay stopped until you have them started
    Down,
    /// List the questions that wait for your yes
    Pending,
    /// Answer a question that waits
    Confirm {
        /// Its id, from "pending"
        id: ConfirmationId,
    },
    /// See what was asked, agreed to, opened and closed, newest first
    #[command(args_conflicts_with_subcommands = true)]
    Audit {
        #[command(subcommand)]
        command: Option<AuditCommand>,
        /// Only lines before line N
        #[arg(long, value_name = "N")]
        before: Option<u64>,
        /// At most N lines
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        most: u16,
    },
    /// Copy what was said, what is open and the audit to a new file; the node may be running
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Put such a copy in place; what it replaces is kept beside it
    Restore {
        /// The copy
        file: PathBuf,
    },
    /// Delete what was said, what is open, the audit, the keys and who answers; apps, files and settings stay
    Erase,
    /// Run a set of requests against a described node, and count what is understood
    Cases {
        /// One case per line: {"id", "say", "expect"}
        file: PathBuf,
        /// The node that they speak about
        #[arg(long, value_name = "FILE")]
        node: PathBuf,
        /// Ask this model of an OpenAI-compatible server alone, as its card says it is best asked
        #[arg(long, num_args = 2, value_names = ["URL", "MODEL"], conflicts_with_all = ["ollama", "model", "no_model"])]
        openai: Vec<String>,
        /// Only cases whose id begins so
        #[arg(long, value_name = "ID")]
        only: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// Show what is open and what is closed
    List,
    /// Open categories
    Open {
        /// apps, system, network, wallet, files, media, search, ai-local, notes or bitcoin
        #[arg(required = true, value_name = "CATEGORY")]
        categories: Vec<Category>,
    },
    /// Close categories; what waits in them is taken back
    Close {
        /// Close everything
        #[arg(long, conflicts_with = "categories")]
        all: bool,
        /// The categories
        #[arg(required_unless_present = "all", value_name = "CATEGORY")]
        categories: Vec<Category>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Look whether every line is what was written
    Verify,
    /// Write the whole audit to a new file, one JSON document per line, so that it can be verified elsewhere
    Export {
        /// The new file
        file: PathBuf,
    },
    /// Go on after the audit was found damaged or the database rolled back; until then everything counts as closed
    Acknowledge,
    /// Make a new key for the audit, where the old one is lost for ever: what it has sealed counts as damaged then
    NewKey,
}
