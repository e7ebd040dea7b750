//! The apps, through the supervisor.

use archy_assistant::host::{App, AppControl, AppId, AppState, AppStatus, Apps, Observed, Running};
use archy_assistant::{Answer, Caller, HostError, Source, Timestamp, Untrusted};

use super::blocking;
use crate::apps::{self as supervised, AppsError, Status, Supervisor};

/// The apps of one data directory.
pub(crate) struct MachineApps(pub(crate) Supervisor);

impl MachineApps {
    /// What `look` sees with the supervisor.
    fn with<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Supervisor) -> Result<T, HostError> + Send + 'static,
    ) -> Answer<'static, T> {
        let supervisor = self.0.clone();
        Box::pin(blocking(move || look(&supervisor)))
    }
}

impl Apps for MachineApps {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<App>> {
        self.with(|supervisor| Ok(supervisor.apps().map_err(says)?.into_iter().filter_map(app).collect()))
    }

    fn status<'a>(&'a self, _: &'a Caller, id: &'a AppId) -> Answer<'a, AppStatus> {
        let id = id.clone();
        self.with(move |supervisor| {
            let all = supervisor.apps().map_err(says)?;
            let unknown = || HostError::new("there is no such app");
            let found = all.into_iter().find(|app| app.id == id.as_str()).ok_or_else(unknown)?;
            let needs = found.depends_on.iter().filter_map(|id| AppId::new(id).ok()).collect();
            // An app whose manifest broke has none that could be known.
            let dependents = supervisor.dependents(id.as_str()).unwrap_or_default();
            Ok(AppStatus {
                needs,
                dependents: dependents.into_iter().filter_map(|id| AppId::new(id).ok()).collect(),
                restart_seconds: supervisor.typical_restart_seconds(id.as_str()).ok(),
                app: app(found).ok_or_else(unknown)?,
            })
        })
    }

    fn logs<'a>(&'a self, _: &'a Caller, id: &'a AppId, lines: usize) -> Answer<'a, Vec<Untrusted>> {
        let id = id.clone();
        self.with(move |supervisor| {
            let lines = supervisor.logs(id.as_str(), lines).map_err(says)?;
            Ok(lines.into_iter().map(|line| Untrusted::new(line, Source::Log(id.to_string()))).collect())
        })
    }
}

impl AppControl for MachineApps {
    fn start<'a>(&'a self, _: &'a Caller, id: &'a AppId) -> Answer<'a, Observed> {
        let id = id.clone();
        self.with(move |supervisor| {
            let before = now(supervisor, &id)?;
            let running = supervisor.start(id.as_str()).map_err(says)?;
            Ok(Observed { before, after: Some(run(&running)) })
        })
    }

    fn stop<'a>(&'a self, _: &'a Caller, id: &'a AppId) -> Answer<'a, Observed> {
        let id = id.clone();
        self.with(move |supervisor| {
            let before = now(supervisor, &id)?;
            supervisor.stop(id.as_str()).map_err(says)?;
            Ok(Observed { before, after: now(supervisor, &id)? })
        })
    }

    fn restart<'a>(&'a self, _: &'a Caller, id: &'a AppId) -> Answer<'a, Observed> {
        let id = id.clone();
        self.with(move |supervisor| {
            let before = now(supervisor, &id)?;
            let restarted = supervisor.restart(id.as_str()).map_err(says)?;
            // What was stopped may be a later run than the one that was looked at.
            let before = restarted.stopped.map(|pid| Running {
                pid: Some(pid),
                since: before.filter(|before| before.pid == Some(pid)).and_then(|before| before.since),
            });
            Ok(Observed { before, after: Some(run(&restarted.running)) })
        })
    }
}

/// What runs of the app now.
fn now(supervisor: &Supervisor, id: &AppId) -> Result<Option<Running>, HostError> {
    let app = supervisor.apps().map_err(says)?.into_iter().find(|app| app.id == id.as_str());
    Ok(app.and_then(|app| state(app.status).running().copied()))
}

/// An app whose file name is no id cannot be spoken about.
fn app(app: supervised::App) -> Option<App> {
    Some(App {
        id: AppId::new(app.id).ok()?,
        name: Untrusted::new(app.name, Source::AppName),
        aliases: app.aliases.into_iter().map(|alias| Untrusted::new(alias, Source::AppName)).collect(),
        state: state(app.status),
    })
}

fn state(status: Status) -> AppState {
    match status {
        Status::Running(running) => AppState::Running(run(&running)),
        Status::Stopped => AppState::Stopped,
        Status::Exited { code } => AppState::Ended { code },
        Status::Broken { reason, running } => AppState::Broken {
            why: Untrusted::new(reason, Source::AppText),
            running: running.as_ref().map(run),
        },
    }
}

fn run(running: &supervised::Running) -> Running {
    let since = Timestamp(running.since.saturating_mul(1000));
    Running { since: Some(since), pid: Some(running.pid) }
}

/// The supervisor's words, without those that may be others'.
fn says(error: AppsError) -> HostError {
    let says = match &error {
        AppsError::Broken { id, .. } => format!("{id} cannot be used as it is; its manifest is broken"),
        AppsError::StartFailed { id, .. } => format!("{id} did not start; its log may say why"),
        AppsError::Storage { .. } => {
            "the node could not read or write what it keeps about its apps".to_owned()
        }
        error => error.to_string(),
    };
    HostError::new(says).caused_by(error)
}
