//! The page, for a web server that copies files.

use archy_web::{MANIFEST, Manifest};
use serde::Serialize;

use crate::cli::{WebCommand, program, quoted};
use crate::exit::{Exit, Trouble};
use crate::export::export;
use crate::terminal::Terminal;

/// What was written.
#[derive(Serialize)]
struct Document {
    version: u32,
    exit: Exit,
    directory: String,
    base: String,
    commit: String,
    files: Vec<String>,
    removed: Vec<String>,
}

pub(crate) fn web(terminal: Terminal, command: WebCommand) -> Result<Exit, Trouble> {
    let WebCommand::Export { dir, base, commit } = command;
    let (manifest, files) = Manifest::of(&base, &commit)
        .map_err(|bad| Trouble::bad_input(format!("{bad}; nothing was written")))?;
    let removed = export(&dir, &manifest, &files)?;
    terminal.line(&format!(
        "Wrote {} files and {MANIFEST} to {}, to be served below {base} (version {}, commit {commit}).",
        files.len(),
        dir.display(),
        manifest.version(),
    ))?;
    if !removed.is_empty() {
        terminal.line(&format!("Removed what only the earlier export had: {}.", removed.join(", ")))?;
    }
    terminal.line(&format!(
        "Serve each with the headers that stand there for it, then look: {} doctor URL --manifest {}",
        program(),
        quoted(dir.join(MANIFEST).as_os_str())
    ))?;
    let (directory, files) = (dir.display().to_string(), manifest.files().iter());
    let files = files.map(|listed| listed.file.clone()).collect();
    terminal.document(&Document { version: 1, exit: Exit::Done, directory, base, commit, files, removed })?;
    Ok(Exit::Done)
}
