//! `music`: the library of what is heard. It stands by itself; no node needs to run.

mod change;
mod columns;
mod doctor;
mod export;
mod progress;
mod scan;
mod search;
mod show;
mod status;
mod watch;

use std::path::PathBuf;
use std::process::Command;

use archy_content::{ChildReader, DirectReader, Library, LibraryError, LibraryOptions};

use crate::cli::{Common, MusicCommand};
use crate::data::private_dir;
use crate::exit::{Exit, Trouble};
use crate::open::data_of;
use crate::terminal::{Terminal, tell};

pub(crate) async fn music(
    common: &Common,
    terminal: Terminal,
    command: MusicCommand,
) -> Result<Exit, Trouble> {
    if matches!(command, MusicCommand::ReadFiles) {
        return Ok(read_files());
    }
    let library = open(common)?;
    // The status says it itself.
    if let Some(rebuilt) = library.rebuilt().filter(|_| !matches!(command, MusicCommand::Status)) {
        tell(&rebuilt);
    }
    match command {
        MusicCommand::ReadFiles => Ok(Exit::Done),
        MusicCommand::Scan(how) => scan::scan(common, terminal, &library, how).await,
        MusicCommand::Watch => watch::watch(terminal, &library).await,
        MusicCommand::Status => status::status(common, terminal, &library),
        MusicCommand::Search(wanted) => search::search(terminal, &library, wanted),
        MusicCommand::Album { words } => show::album(terminal, &library, &words.join(" ")),
        MusicCommand::Artist { words } => show::artist(terminal, &library, &words.join(" ")),
        MusicCommand::Doctor => doctor::doctor(terminal, &library),
        MusicCommand::Export { file } => export::export(terminal, &library, file.as_deref()),
        MusicCommand::Remove { folder } => change::remove(terminal, &library, &folder),
        MusicCommand::Trust { folder } => change::trust(terminal, &library, &folder),
        MusicCommand::Forget { folder } => change::forget(terminal, &library, folder.as_deref()).await,
    }
}

/// All that the process does which reads files.
pub(crate) fn read_files() -> Exit {
    // Where it fails, who asked is gone and hears nothing.
    archy_content::serve_reader(&mut DirectReader).map_or(Exit::Failed, |()| Exit::Done)
}

/// The library of this data directory. One that is new has the node's own folder.
fn open(common: &Common) -> Result<Library, Trouble> {
    let data = data_of(common)?;
    let program = std::env::current_exe()
        .map_err(|error| Trouble::failed(format!("cannot find the program that reads files: {error}")))?;
    let options = LibraryOptions::new(move || {
        let mut command = Command::new(&program);
        command.args(["music", "read-files"]);
        Box::new(ChildReader::new(command))
    });
    let index = data.join("music");
    private_dir(&index)?;
    let library = Library::open(&index, options)?;
    if library.roots()?.is_empty() {
        let own: PathBuf = data.join("files/music");
        private_dir(&own)?;
        library.set_roots(&[own])?;
    }
    Ok(library)
}

impl From<LibraryError> for Trouble {
    fn from(error: LibraryError) -> Self {
        let exit = match &error {
            LibraryError::Unknown { .. } | LibraryError::Newer { .. } | LibraryError::Place { .. } => {
                Exit::BadInput
            }
            LibraryError::Scanning => Exit::Busy,
            LibraryError::Cancelled => Exit::Cancelled,
            _ => Exit::Failed,
        };
        Self::new(exit, error.to_string())
    }
}
