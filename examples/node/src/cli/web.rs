//! What can be typed about the page.

use std::path::PathBuf;

use clap::Subcommand;

const EXPORT: &str = "Each file is written whole or not at all, the manifest last: manifest.json names each file, its hash and the
headers under which it must be served. What an earlier export wrote and this one does not is removed.

Example:
  archy-node web export /var/www/aiui --base /aiui/ --commit 28a693a";

/// Something about the page and its chat frame.
#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Write the page, its chat frame and a manifest of them to a directory, for a web server that copies files
    #[command(after_help = EXPORT)]
    Export {
        /// A new or empty directory, or one of an earlier export
        dir: PathBuf,
        /// The path below which they will be served, as /aiui/
        #[arg(long, value_name = "PATH")]
        base: String,
        /// The commit that this program was built from, for the manifest
        #[arg(long, value_name = "SHA")]
        commit: String,
    },
}
