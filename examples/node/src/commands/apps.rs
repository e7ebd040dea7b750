//! `apps` and `down`: the apps as they are, without a node in between; and all of them stopped.

use serde::Serialize;
use serde_json::json;

use crate::apps::{App, Status, Supervisor};
use crate::cli::Common;
use crate::exit::{Exit, Trouble};
use crate::open::data_of;
use crate::terminal::Terminal;

/// An app as JSON tells it.
#[derive(Serialize)]
struct AppLine {
    id: String,
    name: String,
    state: &'static str,
    /// What is wrong with its manifest.
    why: Option<String>,
    pid: Option<u32>,
    since: Option<u64>,
    url: Option<String>,
    depends_on: Vec<String>,
}

pub(crate) async fn apps(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let supervisor = Supervisor::open(data_of(common)?.path())?;
    let apps: Vec<AppLine> = blocking(move || Ok(supervisor.apps()?)).await?.into_iter().map(line).collect();
    for app in &apps {
        let pid = app.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        let url = app.url.as_deref().map(|url| format!(" at {url}")).unwrap_or_default();
        let why = app.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        terminal.quoting(&format!("{} {}{url}{pid}{why}", app.id, app.state))?;
    }
    if apps.is_empty() {
        terminal.line("There are no apps.")?;
    }
    terminal.document(&json!({"version": 1, "apps": apps}))?;
    // A manifest that cannot be read is bad input, though every other app goes on.
    Ok(if apps.iter().any(|app| app.why.is_some()) { Exit::BadInput } else { Exit::Done })
}

/// Stops the apps, those first that others do not need.
pub(crate) async fn down(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let supervisor = Supervisor::open(data_of(common)?.path())?;
    let (stopped, failed) = blocking(move || stop_all(&supervisor)).await?;
    terminal.document(&json!({"version": 1, "stopped": stopped.clone()}))?;
    for id in &stopped {
        let start = common.command(&format!("ask start {id}"));
        terminal.line(&format!("{id} is stopped and stays so until you start it: {start}"))?;
    }
    if stopped.is_empty() && failed.is_none() {
        terminal.line("No app was running.")?;
    }
    failed.map_or(Ok(Exit::Done), Err)
}

fn stop_all(supervisor: &Supervisor) -> Result<(Vec<String>, Option<Trouble>), Trouble> {
    let mut running: Vec<(usize, String)> = supervisor
        .apps()?
        .into_iter()
        .filter(|app| matches!(app.status, Status::Running(_) | Status::Broken { running: Some(_), .. }))
        .map(|app| (supervisor.dependents(&app.id).map_or(0, |all| all.len()), app.id))
        .collect();
    running.sort();
    let (mut stopped, mut failed) = (Vec::new(), None);
    for (_, id) in running {
        match supervisor.stop(&id) {
            Ok(Some(_)) => stopped.push(id),
            Ok(None) => {}
            Err(error) => failed = Some(error.into()),
        }
    }
    Ok((stopped, failed))
}

fn line(app: App) -> AppLine {
    let (state, running, why) = match app.status {
        Status::Running(running) => ("running", Some(running), None),
        Status::Stopped => ("stopped", None, None),
        Status::Exited { .. } => ("ended", None, None),
        Status::Broken { running, reason } => {
            ("broken", running, Some(archy_assistant::Shown::line(&reason).to_string()))
        }
    };
    AppLine {
        name: archy_assistant::Shown::line(&app.name).to_string(),
        id: archy_assistant::Shown::line(&app.id).to_string(),
        state,
        why,
        pid: running.as_ref().map(|running| running.pid),
        since: running.as_ref().map(|running| running.since),
        url: running.as_ref().and_then(crate::apps::Running::url),
        depends_on: app.depends_on,
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Trouble::failed(error.to_string()))?
}
