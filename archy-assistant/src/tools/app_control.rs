//! Starting, stopping and restarting an app, once a person has agreed.

use std::sync::Arc;

use serde::Serialize;

use super::apps::{AppArgs, Found};
use super::specs;
use crate::host::{App, AppControl, AppId, AppState, AppStatus, Apps, Observed, Running};
use crate::{Approved, Caller, Candidates, ConfirmText, Datum, Plan, Spec, ToolError, Undo, Write};

/// What is done to an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verb {
    Start,
    Stop,
    Restart,
}

/// One of the three writes.
pub(super) struct ControlApp {
    pub(super) verb: Verb,
    pub(super) apps: Arc<dyn Apps>,
    pub(super) control: Arc<dyn AppControl>,
    pub(super) names: Arc<dyn Candidates>,
}

/// What would be done, to which run of which app, and who is touched by it.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct AppChange {
    verb: Verb,
    app: AppId,
    was: &'static str,
    running: Option<Running>,
    /// What a start starts first.
    starts_first: Vec<AppId>,
    /// Who is without it while it is away.
    dependents: Vec<AppId>,
}

impl Write for ControlApp {
    type Args = AppArgs;
    type Change = AppChange;

    fn spec(&self) -> Spec {
        let names = Arc::clone(&self.names);
        match self.verb {
            Verb::Start => specs::app_start(names),
            Verb::Stop => specs::app_stop(names),
            Verb::Restart => specs::app_restart(names),
        }
    }

    async fn plan(&self, caller: &Caller, args: AppArgs) -> Result<Plan<AppChange>, ToolError> {
        let Found { id, all } = args.find(&*self.apps, caller).await?;
        let status = self.apps.status(caller, &id).await?;
        possible(self.verb, &status.app)?;
        let starts = self.verb == Verb::Start;
        let change = AppChange {
            verb: self.verb,
            app: id,
            was: status.app.state.word(),
            running: status.app.state.running().copied(),
            starts_first: if starts { not_running(&status.needs, &all) } else { Vec::new() },
            dependents: if starts { Vec::new() } else { status.dependents.clone() },
        };
        let undo = match self.verb {
            Verb::Start => Undo::By("stop it again"),
            Verb::Stop => Undo::By("start it again"),
            Verb::Restart => Undo::Never,
        };
        Ok(Plan { text: text(&change, &status), change, undo })
    }

    async fn apply(&self, caller: &Caller, change: Approved<AppChange>) -> Result<Datum, ToolError> {
        let AppChange { verb, app, .. } = change.into_change();
        let observed = match verb {
            Verb::Start => self.control.start(caller, &app),
            Verb::Stop => self.control.stop(caller, &app),
            Verb::Restart => self.control.restart(caller, &app),
        }
        .await?;
        outcome(verb, &app, observed)
    }
}

/// Refuses what would do nothing, or cannot be done.
fn possible(verb: Verb, app: &App) -> Result<(), ToolError> {
    let (id, runs) = (&app.id, app.state.running().is_some());
    let says = match (verb, &app.state) {
        (Verb::Start, _) if runs => format!("{id} is already running"),
        (Verb::Start | Verb::Restart, AppState::Broken { .. }) => {
            format!("{id} cannot be started as it is; its status says why")
        }
        (Verb::Stop, _) if !runs => format!("{id} is not running"),
        (Verb::Restart, _) if !runs => format!("{id} is not running; it can be started"),
        _ => return Ok(()),
    };
    Err(ToolError::new(says))
}

fn not_running(needs: &[AppId], all: &[App]) -> Vec<AppId> {
    let runs = |id: &AppId| all.iter().any(|app| app.id == *id && app.state.running().is_some());
    needs.iter().filter(|id| !runs(id)).cloned().collect()
}

fn text(change: &AppChange, status: &AppStatus) -> ConfirmText {
    let text = ConfirmText::new(match change.verb {
        Verb::Start => "Start an app",
        Verb::Stop => "Stop an app",
        Verb::Restart => "Restart an app",
    });
    let text = text.named("App", &status.app.name, change.app.as_str());
    let text = match change.running {
        Some(Running { since: Some(since), .. }) => text.time("Running since", since),
        Some(_) => text.line("Now", "running"),
        None => text.line("Now", format!("not running ({})", change.was)),
    };
    match change.verb {
        Verb::Start => text.line("Starts first", ids(&change.starts_first)),
        Verb::Stop => {
            text.line("Depends on it", ids(&change.dependents)).line("Away", "until it is started again")
        }
        Verb::Restart => {
            let away = status.restart_seconds.map_or(Datum::text("an unknown time"), Datum::Seconds);
            text.line("Depends on it", ids(&change.dependents)).line("Away for about", away)
        }
    }
}

/// All of them: nothing that a person confirms is cut.
fn ids(apps: &[AppId]) -> String {
    let ids: Vec<&str> = apps.iter().map(AppId::as_str).collect();
    if ids.is_empty() { "no other app".to_owned() } else { ids.join(", ") }
}

/// What was observed; a restart that left the same run in place did not happen.
fn outcome(verb: Verb, app: &AppId, observed: Observed) -> Result<Datum, ToolError> {
    let told_apart = |run: Running| run.pid.is_some() || run.since.is_some();
    let same = observed.before == observed.after && observed.after.is_some_and(told_apart);
    if verb == Verb::Restart && same {
        return Err(ToolError::new(format!("{app} was not restarted: it is still the same run")));
    }
    let state = if observed.after.is_some() { "running" } else { "stopped" };
    Ok(Datum::record([
        // The id, not what others call it: a receipt is in the node's own words.
        ("name", Datum::text(app.as_str().to_owned())),
        ("state", Datum::text(state)),
        ("before", run(observed.before)),
        ("after", run(observed.after)),
    ]))
}

fn run(run: Option<Running>) -> Datum {
    run.map_or(Datum::None, |run| {
        Datum::record([
            ("pid", run.pid.map_or(Datum::None, |pid| Datum::Int(pid.into()))),
            ("since", run.since.map_or(Datum::None, Datum::Time)),
        ])
    })
}
