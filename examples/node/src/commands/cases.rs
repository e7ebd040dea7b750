//! `cases`: a set of requests, run against a described home, and how well they were understood.

use std::fs;
use std::path::Path;

use crate::cases::{self, Report};
use crate::cli::{Common, ModelChoice};
use crate::data::cannot;
use crate::exit::{Exit, Trouble};
use crate::model;
use crate::terminal::Terminal;

pub(crate) async fn cases(
    common: &Common,
    terminal: Terminal,
    file: &Path,
    node: &Path,
) -> Result<Exit, Trouble> {
    let set = fs::read(file).map_err(|error| cannot("read", file, &error))?;
    let set = cases::read(&file.display().to_string(), &set)?;
    let home = fs::read_to_string(node).map_err(|error| cannot("read", node, &error))?;
    // A set measures the same on every machine, unless a model was asked for.
    let no_model = !common.model.is_said();
    let choice = ModelChoice { no_model: no_model || common.model.no_model, ..common.model.clone() };
    let report = cases::run(set, &home, model::backends(&choice).await?).await?;
    terminal.document(&report)?;
    print(terminal, &report)?;
    Ok(Exit::Done)
}

/// The misses, then the figures.
fn print(terminal: Terminal, report: &Report) -> Result<(), Trouble> {
    for row in report.rows.iter().filter(|row| !row.exact) {
        let mark = if row.wrong_write { "WRONG WRITE" } else { "missed" };
        terminal.line(&format!("{mark} {}: {}", row.id, row.say.join(" / ")))?;
        terminal.line(&format!("  expected {}", text(&row.expect)))?;
        terminal.line(&format!("  got      {} ({})", text(&row.got), row.end))?;
    }
    for (name, count) in
        report.groups.iter().map(|(name, count)| (&**name, count)).chain([("all", &report.all)])
    {
        terminal.line(&format!(
            "{name:8} {} of {} exact, {} wrong writes",
            count.exact, count.cases, count.wrong_writes
        ))?;
    }
    Ok(())
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
