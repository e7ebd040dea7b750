//! `music status`.

use archy_content::{Library, RootState, ScanRecord};
use serde_json::json;

use super::columns::{Columns, count};
use super::watch::how;
use crate::cli::Common;
use crate::exit::{Exit, Trouble};
use crate::terminal::{Terminal, tell};

/// So many lines of the last scan's log are shown.
const LINES: usize = 20;

pub(super) fn status(common: &Common, terminal: Terminal, library: &Library) -> Result<Exit, Trouble> {
    let status = library.status()?;
    terminal.document(
        &json!({"version": 1, "exit": Exit::Done, "status": status, "watched": library.watched()}),
    )?;
    terminal.line(&format!(
        "{} on {} by {}; {} missing, {} unreadable.",
        count(status.tracks, "track"),
        count(status.albums, "album"),
        count(status.artists, "artist"),
        status.missing,
        status.unreadable
    ))?;
    terminal.line("Folders")?;
    let mut columns = Columns::default();
    for root in &status.roots {
        let missing = if root.missing > 0 { format!("{} missing", root.missing) } else { String::new() };
        let (state, why) = match &root.state {
            RootState::Online => ("there", ""),
            RootState::Offline { why } => ("away", &**why),
            RootState::Suspect { why } => ("doubtful", &**why),
            RootState::Removed => ("taken out", ""),
        };
        columns.row([
            root.path.clone(),
            state.to_owned(),
            count(root.tracks, "track"),
            missing,
            why.to_owned(),
        ]);
    }
    columns.print(terminal)?;
    if status.roots.iter().any(|root| matches!(root.state, RootState::Suspect { .. })) {
        let trust = common.command("music trust FOLDER");
        tell(&format!("A doubtful folder lost much at once; if that is right, say so: {trust}"));
    }
    match library.watched() {
        Some(watched) => {
            watched.iter().try_for_each(|root| terminal.quoting(&format!("Watched: {}", how(root))))?;
        }
        None => terminal.line("Nobody watches it; it changes when it is scanned.")?,
    }
    match &status.last_scan {
        Some(scan) => last(terminal, scan)?,
        None => terminal.line(&format!("It was never scanned: {}", common.command("music scan")))?,
    }
    for warning in &status.warnings {
        tell(&format!("Attention: {warning}."));
    }
    Ok(Exit::Done)
}

fn last(terminal: Terminal, scan: &ScanRecord) -> Result<(), Trouble> {
    let ended = scan.outcome.as_deref().unwrap_or("running, or killed");
    terminal.line(&format!(
        "Last scan ({ended}): {} found, {} read, {} moved, {} missing, {} unreadable.",
        scan.found, scan.read, scan.moved, scan.missing, scan.failed
    ))?;
    for line in scan.lines.iter().take(LINES) {
        terminal.quoting(&format!("  {}: {} ({})", line.place, line.says, line.what))?;
    }
    if scan.lines.len() > LINES {
        terminal.line(&format!("  and {} more; --json has them all", scan.lines.len() - LINES))?;
    }
    Ok(())
}
