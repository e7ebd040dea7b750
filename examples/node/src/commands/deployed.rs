//! `doctor URL`: what is wrong with a node that is served somewhere, and what to do about it.

use std::fs;

use archy_web::Manifest;
use serde::Serialize;

use crate::cli::Deployment;
use crate::data::cannot;
use crate::doctor::{Check, State, Target, Wanted, look};
use crate::exit::{Exit, Trouble};
use crate::terminal::Terminal;

/// This program's own files are of no commit that it knows.
const NO_COMMIT: &str = "0000000";

/// All that was looked at.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    exit: Exit,
    origin: &'a str,
    base: &'a str,
    checks: Vec<Check>,
}

pub(crate) async fn deployed(terminal: Terminal, at: &Deployment) -> Result<Exit, Trouble> {
    let url = at.url.as_deref().unwrap_or_default();
    let target = Target::new(url, at.base.as_deref(), &at.rpc)?;
    let wanted = wanted(&target, at)?;
    if let Some(root) = at.root.as_deref().filter(|root| !root.is_dir()) {
        return Err(Trouble::bad_input(format!("{} is no directory", root.display())));
    }
    let checks = look(&target, &wanted, at.root.as_deref()).await?;
    for Check { state, says, remedy, .. } in &checks {
        let todo = remedy.as_ref().map(|remedy| format!(". To do: {remedy}")).unwrap_or_default();
        terminal.quoting(&format!("{state:<4} {says}{todo}"))?;
    }
    let failed = checks.iter().any(|check| check.state == State::Fail);
    let exit = if failed { Exit::Failed } else { Exit::Done };
    let (origin, base) = (target.origin(), target.base());
    terminal.document(&Document { version: 1, exit, origin, base, checks })?;
    Ok(exit)
}

fn wanted(target: &Target, at: &Deployment) -> Result<Wanted, Trouble> {
    let Some(path) = &at.manifest else {
        let own =
            Manifest::of(target.base(), NO_COMMIT).map_err(|bad| Trouble::bad_input(bad.to_string()))?;
        return Ok(Wanted::Own(own.0));
    };
    let text = fs::read_to_string(path).map_err(|error| cannot("read", path, &error))?;
    let bad = |bad| Trouble::bad_input(format!("{}: {bad}", path.display()));
    Manifest::read(&text).map(Wanted::Exported).map_err(bad)
}
