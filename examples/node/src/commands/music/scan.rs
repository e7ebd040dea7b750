//! `music scan`.

use std::path::{Path, PathBuf};

use archy_content::{Library, LibraryError, ScanOptions, ScanReport, Stop, Unsettled};
use serde_json::json;

use super::columns::count;
use super::progress::Progress;
use crate::cli::{Common, Scan};
use crate::data::cannot;
use crate::exit::{Exit, Trouble};
use crate::terminal::{Interrupts, Terminal, tell};

/// What is said of a scan that was stopped.
const STOPPED: &str = "stopped; what was read stays, and the next scan goes on from there";

pub(crate) async fn scan(
    common: &Common,
    terminal: Terminal,
    library: &Library,
    how: Scan,
) -> Result<Exit, Trouble> {
    let mut options = ScanOptions::default();
    options.workers = how.workers.into();
    options.files_per_second = how.rate;
    options.unsettled = Unsettled::Awaited;
    options.only = join(library, how.folders)?;
    let report = run(library, options).await?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "report": report}))?;
    for line in said(&report) {
        terminal.line(&line)?;
    }
    if report.roots_away > 0 || report.failed > 0 || report.missing > 0 {
        terminal.line(&format!("See more: {}", common.command("music status")))?;
    }
    Ok(Exit::Done)
}

/// Scans with a line that says how far it is; Ctrl-C stops it.
async fn run(library: &Library, options: ScanOptions) -> Result<ScanReport, Trouble> {
    let stop = Stop::default();
    let mut scanning = {
        let (library, stop) = (library.clone(), stop.clone());
        tokio::task::spawn_blocking(move || {
            let mut progress = Progress::new();
            let done = library.scan(&options, &stop, &mut |event| progress.tell(&event));
            progress.clear();
            done
        })
    };
    let mut interrupts = Interrupts::new()?;
    let done = loop {
        tokio::select! {
            done = &mut scanning => break done,
            _ = interrupts.next() => stop.set(),
        }
    };
    match done.map_err(|error| Trouble::failed(error.to_string()))? {
        Err(LibraryError::Cancelled) => Err(Trouble::new(Exit::Cancelled, STOPPED)),
        done => Ok(done?),
    }
}

/// New folders become the library's; what is scanned then: these folders, or everything.
fn join(library: &Library, folders: Vec<PathBuf>) -> Result<Vec<PathBuf>, Trouble> {
    let mut roots = library.roots()?;
    let (mut only, before) = (Vec::new(), roots.len());
    for folder in folders {
        if let Some(moved) = moved_here(library, &folder, &roots)? {
            roots.retain(|root| *root != moved);
            let folder = folder.canonicalize().map_err(|error| cannot("read", &folder, &error))?;
            library.move_root(&moved, &folder)?;
            tell(&format!("{} is what was {}: its tracks are the same.", shown(&folder), shown(&moved)));
            roots.insert(0, folder);
        }
        let folder = folder.canonicalize().map_err(|error| cannot("read", &folder, &error))?;
        if !folder.is_dir() {
            return Err(Trouble::bad_input(format!("{} is no folder", folder.display())));
        }
        if let Some(inside) = roots.iter().find(|root| root.starts_with(&folder) && **root != folder) {
            return Err(Trouble::bad_input(format!(
                "{} holds {}, which is in the library already; take that out first (music remove)",
                folder.display(),
                inside.display()
            )));
        }
        if !roots.iter().any(|root| folder.starts_with(root)) {
            roots.push(folder.clone());
        }
        only.push(folder);
    }
    if roots.len() > before {
        library.set_roots(&roots)?;
        for root in &roots[before..] {
            tell(&format!("{} is in the library from now on.", shown(root)));
        }
    }
    Ok(only)
}

/// The root that this folder was, where it is none by now.
fn moved_here(library: &Library, folder: &Path, roots: &[PathBuf]) -> Result<Option<PathBuf>, Trouble> {
    match folder.canonicalize() {
        Ok(folder) if !roots.iter().any(|root| folder.starts_with(root)) => Ok(library.root_before(&folder)?),
        _ => Ok(None),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// What a scan did, in sentences.
pub(super) fn said(report: &ScanReport) -> Vec<String> {
    let mut said = vec![format!(
        "{} found: {} as before, {} read, {} of them new.",
        count(report.found, "file"),
        report.unchanged,
        report.read,
        report.added
    )];
    let mut also = |number: u64, says: String| {
        if number > 0 {
            said.push(says);
        }
    };
    also(report.moved, format!("{} found elsewhere than before.", were(report.moved, "track")));
    also(report.missing, format!("{} not where they were any more.", are(report.missing, "track")));
    also(report.failed, format!("{} cannot be read.", count(report.failed, "file")));
    also(report.unsettled, format!("{} still being written.", are(report.unsettled, "file")));
    also(
        report.forgotten,
        format!("{} forgotten after being missing for long.", were(report.forgotten, "track")),
    );
    also(report.roots_away, format!("{} away or doubtful.", are(report.roots_away, "folder")));
    said
}

fn were(number: u64, what: &str) -> String {
    format!("{} {}", count(number, what), if number == 1 { "was" } else { "were" })
}

fn are(number: u64, what: &str) -> String {
    format!("{} {}", count(number, what), if number == 1 { "is" } else { "are" })
}
