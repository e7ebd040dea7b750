//! `backup` and `restore`: a copy of the database, and the way back.

use std::path::Path;

use serde_json::json;

use crate::cli::Common;
use crate::data::cannot;
use crate::exit::{Exit, Trouble};
use crate::open::{self, session};
use crate::terminal::{Terminal, tell};
use crate::wire::Ask;

pub(crate) async fn backup(common: &Common, terminal: Terminal, file: &Path) -> Result<Exit, Trouble> {
    let file = new_file(file)?;
    let session = session(common).await?;
    let copied = session.client.ask(&Ask::Backup { file: file.clone() }).await;
    session.end().await;
    copied?;
    terminal.document(&json!({"version": 1, "copy": file}))?;
    terminal.line(&format!(
        "The copy is {file}. It holds what was said and what is open; keep it to yourself."
    ))?;
    tell(
        "Not in it: secrets/audit-key, without which its audit cannot be verified, apps, files and settings.",
    );
    Ok(Exit::Done)
}

pub(crate) async fn restore(common: &Common, terminal: Terminal, file: &Path) -> Result<Exit, Trouble> {
    let (session, aside) = open::restore(common, file).await?;
    session.end().await;
    terminal.document(&json!({"version": 1, "restored": file, "old": aside}))?;
    terminal.line(&format!("{} is in place.", file.display()))?;
    if let Some(aside) = aside {
        terminal.line(&format!("The old database is kept as {}.", aside.display()))?;
    }
    Ok(Exit::Done)
}

/// The whole path of a file that the node is to write, which may have another working directory.
pub(crate) fn new_file(file: &Path) -> Result<String, Trouble> {
    let whole = std::path::absolute(file).map_err(|error| cannot("write", file, &error))?;
    let odd = |_| Trouble::bad_input(format!("{} is not valid UTF-8; use another name", file.display()));
    // The node looks again when it writes.
    if whole.symlink_metadata().is_ok() {
        return Err(Trouble::bad_input(format!("{} is there already; name a new file", whole.display())));
    }
    whole.into_os_string().into_string().map_err(odd)
}
