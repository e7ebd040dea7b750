//! What can be typed about who answers, and about keys.

use std::ffi::OsString;

use archy_assistant::{Category, Locality, WhenLocalIsDown};
use clap::Subcommand;

use crate::backends::{Kind, is_name};

const ADD: &str = "Examples:
  archy-node models add claude
  archy-node models add ollama http://192.168.1.5:11434 --name big --locality own-network
  archy-node models add openai http://127.0.0.1:1234/v1 --name studio --model qwen2.5-7b-instruct
  archy-node models add openai https://openrouter.ai/api/v1 --name openrouter --model openai/gpt-4o-mini

Then, where it needs a key: archy-node secrets set claude";

const ALLOW: &str = "A model on your own machines needs no leave: it may see whatever is open.

Example:
  archy-node models allow claude system apps";

const SET: &str = "Examples:
  archy-node models set ollama --model qwen3:8b
  archy-node models set big --locality own-network";

const SET_KEY: &str = "The key is asked for and not shown; from a script it is one line of standard input. It is never taken from the
command line or the environment, where others can see it.

Examples:
  archy-node secrets set claude
  archy-node secrets set openrouter < key.txt";

const SERVER: &str =
    "Its server [default: http://127.0.0.1:11434 for ollama, https://api.anthropic.com for claude]";

const PROXY: &str =
    "Reach it through this proxy, which also looks up its name: socks5h://127.0.0.1:9050 is Tor's";

/// A change to the list of who answers.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Show who is asked, in which order, whether it answers now, and what may go there
    List,
    /// Add one at the end of the list; --model says which model
    #[command(after_help = ADD)]
    Add {
        /// Which language its server speaks
        kind: Kind,
        #[arg(help = SERVER)]
        url: Option<String>,
        /// What you call it [default: the kind]
        #[arg(long, value_name = "NAME", value_parser = name)]
        name: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Change one; --model says which model
    #[command(after_help = SET)]
    Set {
        /// What you call it
        name: String,
        /// Its server
        #[arg(long)]
        url: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Remove one from the list; its key stays until "secrets remove"
    Remove {
        /// What you call it
        name: String,
    },
    /// Let one answer
    Enable {
        /// What you call it
        name: String,
    },
    /// Let one answer no more, and leave it in the list
    Disable {
        /// What you call it
        name: String,
    },
    /// Put one at the front of the list
    First {
        /// What you call it
        name: String,
    },
    /// Let data of the node go to a remote one, by category; what you say goes to whoever answers
    #[command(after_help = ALLOW)]
    Allow {
        /// What you call it
        name: String,
        /// apps, system, network, wallet, files, media, search, ai-local, notes or bitcoin
        #[arg(required = true, value_name = "CATEGORY")]
        categories: Vec<Category>,
    },
    /// Let no more data of these categories go to a remote one
    Deny {
        /// What you call it
        name: String,
        /// Of no category
        #[arg(long, conflicts_with = "categories")]
        all: bool,
        /// The categories
        #[arg(required_unless_present = "all", value_name = "CATEGORY")]
        categories: Vec<Category>,
    },
    /// Say what is done when a model at home is listed and none answers: ask, fail or use-remote
    WhenLocalIsDown {
        /// ask: you are asked each time; fail: nothing leaves; use-remote: the remote ones are asked without a question
        #[arg(value_parser = when)]
        what: WhenLocalIsDown,
    },
}

/// How a backend is reached.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct How {
    /// Where it runs: on-node, own-network or remote [default: on-node for an address of this machine, else remote]
    #[arg(long, value_name = "WHERE", value_parser = locality)]
    pub(crate) locality: Option<Locality>,
    #[arg(long, value_name = "URL", help = PROXY)]
    pub(crate) socks: Option<String>,
    /// The name of its key among the secrets [default: claude for claude, the backend's name for openai]
    #[arg(long, value_name = "NAME")]
    pub(crate) key: Option<String>,
    /// How many tokens a request and its reply may take together, at least 2048; older turns are left out first
    /// [default: 16384 for ollama, 32768 for claude, and for openai what its server says, or 32768]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<u32>,
}

/// Something about the keys of backends.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Keep a key, in place of an older one
    #[command(after_help = SET_KEY)]
    Set {
        /// claude, or what you call an openai server
        name: String,
        /// Only there to be refused without being said back.
        #[arg(hide = true)]
        typed: Vec<OsString>,
    },
    /// List the names of the keys and when each was set, never a key
    List,
    /// Remove a key
    Remove {
        /// Its name
        name: String,
    },
}

fn name(text: &str) -> Result<String, String> {
    let wrong = "a name has up to 32 of a to z, 0 to 9 and -, and begins with a letter";
    if is_name(text) { Ok(text.to_owned()) } else { Err(wrong.to_owned()) }
}

fn locality(text: &str) -> Result<Locality, String> {
    word(text, "there are: on-node, own-network, remote")
}

fn when(text: &str) -> Result<WhenLocalIsDown, String> {
    word(text, "there are: ask, fail, use-remote")
}

fn word<T: serde::de::DeserializeOwned>(text: &str, wrong: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|_| wrong.to_owned())
}
