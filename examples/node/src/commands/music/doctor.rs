//! `music doctor`.

use archy_content::{Finding, Library, Odd};
use serde_json::json;

use super::columns::count;
use crate::exit::{Exit, Trouble};
use crate::terminal::Terminal;

/// So many of a kind are shown.
const MOST: usize = 50;
/// So many places of one finding are shown.
const PLACES: usize = 4;

pub(super) fn doctor(terminal: Terminal, library: &Library) -> Result<Exit, Trouble> {
    let mut findings: Vec<Finding> = Vec::new();
    library.doctor(&mut |finding| findings.push(finding))?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "findings": findings}))?;
    for kind in findings.chunk_by(|a, b| a.what == b.what) {
        terminal.line(&format!("{} ({})", heading(kind[0].what), kind.len()))?;
        for finding in kind.iter().take(MOST) {
            terminal.quoting(&format!("  {}: {}", finding.about, finding.why))?;
            for place in finding.places.iter().take(PLACES).filter(|place| **place != finding.about) {
                terminal.quoting(&format!("      {place}"))?;
            }
        }
        if kind.len() > MOST {
            terminal.line(&format!("  and {} more; --json has them all", kind.len() - MOST))?;
        }
    }
    match findings.len() {
        0 => terminal.line("Nothing is odd.")?,
        many => terminal.line(&format!("{} found; nothing was changed.", count(many as u64, "odd thing")))?,
    }
    Ok(Exit::Done)
}

fn heading(what: Odd) -> &'static str {
    match what {
        Odd::SplitAlbum => "Albums that are listed twice",
        Odd::MissingAlbumArtist => "Albums of several artists without an artist of the album",
        Odd::Duplicate => "The same recording several times",
        Odd::Mojibake => "Text in another encoding than it says",
        Odd::OddTags => "Odd tags",
        Odd::Untitled => "Tracks without a title",
        Odd::Unreadable => "Files that cannot be read",
        _ => "Other odd things",
    }
}
