//! What can be typed about a node that is looked at.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(super) const DEPLOYED: &str = "At URL it is looked whether every method refuses without a session, foreign hosts and origins are refused, no
model can be asked past the node, and page and frame are this program's under their strict headers. For an address
of this machine also what lies about on it. No credential is sent, and nothing is changed.

Examples:
  archy-node doctor http://127.0.0.1:3180
  archy-node doctor https://node.local --base /assistant/ --manifest /var/www/assistant/manifest.json
  archy-node doctor models";

/// A node that is served somewhere.
#[derive(Debug, Args)]
pub(crate) struct Deployment {
    /// Where the node is served, with http:// or https://
    #[arg(required = true)]
    pub(crate) url: Option<String>,
    /// The path below which its page is [default: the path of the URL, or /aiui/]
    #[arg(long, value_name = "PATH")]
    pub(crate) base: Option<String>,
    /// Where its methods are called
    #[arg(long, value_name = "PATH", default_value = "/rpc")]
    pub(crate) rpc: String,
    /// Compare the page with what "web export" wrote, in place of what this program carries
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Look below DIR for what lies about on this machine, in place of / [default: only for an address of this machine]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

/// What else can be looked at.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum DoctorCommand {
    /// Look why no model answers, or not as it should, and what to do about it
    Models,
}
