//! `music remove`, `trust` and `forget`: what only the owner decides.

use std::path::{Path, PathBuf};

use archy_content::{Library, LibraryError};
use serde_json::json;

use super::columns::count;
use crate::exit::{Exit, Trouble};
use crate::terminal::Terminal;

pub(super) fn remove(terminal: Terminal, library: &Library, folder: &Path) -> Result<Exit, Trouble> {
    let mut roots = library.roots()?;
    let root = named(&roots, folder)?;
    roots.retain(|known| *known != root);
    library.set_roots(&roots)?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "removed": root.to_string_lossy()}))?;
    terminal.line(&format!("{} is out of the library; its files are as they were.", root.display()))?;
    Ok(Exit::Done)
}

pub(super) fn trust(terminal: Terminal, library: &Library, folder: &Path) -> Result<Exit, Trouble> {
    let root = named(&library.roots()?, folder)?;
    library.trust_root(&root)?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "trusted": root.to_string_lossy()}))?;
    terminal.line(&format!("The next scan believes what {} shows.", root.display()))?;
    Ok(Exit::Done)
}

/// A person is asked first; a script has said what it wants.
pub(super) async fn forget(
    terminal: Terminal,
    library: &Library,
    folder: Option<&Path>,
) -> Result<Exit, Trouble> {
    let root = folder.map(|folder| named(&library.roots()?, folder)).transpose()?;
    if terminal.has_person() {
        terminal.must_agree("Type yes to forget what is missing, with its plays and favourites: ").await?;
    }
    let forgotten = library.forget_missing(root.as_deref())?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "forgotten": forgotten}))?;
    terminal.line(&format!("{} forgotten.", count(forgotten, "track")))?;
    Ok(Exit::Done)
}

/// The root that a folder is, also where it is not there any more.
fn named(roots: &[PathBuf], folder: &Path) -> Result<PathBuf, Trouble> {
    let whole =
        folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.to_owned());
    let known = roots.iter().find(|root| **root == whole);
    known.cloned().ok_or_else(|| {
        LibraryError::Unknown { what: format!("folder {} in the library", whole.display()) }.into()
    })
}
