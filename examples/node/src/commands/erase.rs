//! `erase`: the factory reset of what the assistant keeps.

use serde_json::json;

use crate::cli::Common;
use crate::database;
use crate::exit::{Exit, Trouble};
use crate::open::{alone, data_of, session};
use crate::terminal::{Terminal, tell};
use crate::wire::Ask;

pub(crate) async fn erase(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let data = data_of(common)?;
    tell(&format!("In {}:", data.path().display()));
    tell(
        "  goes:   everything that was said, what is open, the audit, all keys, who answers (backends.toml), and \
         databases that a restore kept",
    );
    tell("  stays:  apps and their logs, files, settings, and copies that are elsewhere");
    terminal.must_agree("Type yes to erase it for ever, anything else to leave it: ").await?;
    let session = session(common).await?;
    let erased = session.client.ask(&Ask::Erase).await;
    session.end().await;
    erased?;
    // The node has ended, or does so now. What it wrote after it had erased everything goes with the files.
    let lock = alone(&data).await?;
    database::erase(&data, &lock)?;
    terminal.document(&json!({"version": 1, "erased": data.path()}))?;
    terminal.line("Everything is erased. The next start begins anew, with everything closed.")?;
    Ok(Exit::Done)
}
