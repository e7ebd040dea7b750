//! `cases`: a set of requests, run against a described home, and how well they were understood.

use std::fs;
use std::path::Path;

use crate::cases::{self, Report};
use crate::cli::{Common, ModelChoice};
use crate::data::cannot;
use crate::exit::{Exit, Trouble};
use crate::model;
use crate::terminal::Terminal;

/// What is run, and who answers.
pub(crate) struct Asked<'a> {
    pub(crate) file: &'a Path,
    pub(crate) node: &'a Path,
    /// The address and the name of a model, or nothing.
    pub(crate) openai: &'a [String],
    /// How the ids of the cases begin.
    pub(crate) only: Option<&'a str>,
}

pub(crate) async fn cases(common: &Common, terminal: Terminal, asked: &Asked<'_>) -> Result<Exit, Trouble> {
    let set = fs::read(asked.file).map_err(|error| cannot("read", asked.file, &error))?;
    let mut set = cases::read(&asked.file.display().to_string(), &set)?;
    set.retain(|case| asked.only.is_none_or(|begins| case.id.starts_with(begins)));
    let home = fs::read_to_string(asked.node).map_err(|error| cannot("read", asked.node, &error))?;
    let backends = if let [url, name] = asked.openai {
        let (model, card) = cases::measured(url, name, common.model.own_network).await?;
        terminal.line(&cases::about(&card))?;
        vec![model]
    } else {
        // A set measures the same on every machine, unless a model was asked for.
        let no_model = !common.model.is_said() || common.model.no_model;
        model::backends(&ModelChoice { no_model, ..common.model.clone() }).await?
    };
    let report = cases::run(set, &home, backends).await?;
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
    if let Some(used) = &report.used {
        terminal.line(&format!(
            "{} s in all, {} tokens read and {} written",
            used.seconds,
            known(used.input),
            known(used.output)
        ))?;
    }
    Ok(())
}

fn known(tokens: Option<u64>) -> String {
    tokens.map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string())
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
