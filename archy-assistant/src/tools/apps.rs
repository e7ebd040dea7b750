//! Reading the apps: what there is, how one is, what it wrote.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::meant::{self, Called};
use super::specs;
use crate::host::{App, AppId, AppState, Apps};
use crate::{Caller, Candidates, Datum, NoArgs, Read, Spec, ToolError, Untrusted};

/// At most so many lines of a log are read, and so many where nobody said how many.
const MOST_LINES: u32 = 200;
const LINES: u32 = 20;
/// At most so many bytes of a log: the newest lines that fit.
const MOST_LOG: usize = 16 * 1024;

/// An app, as it was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AppArgs {
    /// The app's id, or its name.
    app: String,
}

/// The app that was meant, among all apps.
pub(super) struct Found {
    pub(super) id: AppId,
    pub(super) all: Vec<App>,
}

impl AppArgs {
    pub(super) async fn find(&self, apps: &dyn Apps, caller: &Caller) -> Result<Found, ToolError> {
        find(apps, caller, &self.app).await
    }
}

async fn find(apps: &dyn Apps, caller: &Caller, said: &str) -> Result<Found, ToolError> {
    let all = apps.list(caller).await?;
    let known: Vec<Called<'_>> = all
        .iter()
        .map(|app| app.aliases.iter().fold(Called::new(app.id.as_str()).others(&app.name), Called::others))
        .collect();
    let id = all[meant::one("app", said, &known)?].id.clone();
    Ok(Found { id, all })
}

fn text(id: &AppId) -> Datum {
    Datum::text(id.as_str().to_owned())
}

/// What both reads tell of an app.
fn told(app: App) -> [(&'static str, Datum); 6] {
    let state = Datum::text(app.state.word());
    let since = app.state.running().and_then(|running| running.since).map_or(Datum::None, Datum::Time);
    let (code, health) = match app.state {
        AppState::Ended { code: Some(code) } => (Datum::Int(code.into()), Datum::None),
        AppState::Broken { why, .. } => (Datum::None, Datum::Others(why)),
        _ => (Datum::None, Datum::None),
    };
    [
        ("id", text(&app.id)),
        ("name", Datum::Others(app.name)),
        ("state", state),
        ("since", since),
        ("code", code),
        ("health", health),
    ]
}

/// All apps.
pub(super) struct AppsList(pub(super) Arc<dyn Apps>);

impl Read for AppsList {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::apps_list()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let apps = self.0.list(caller).await?;
        Ok(Datum::List(apps.into_iter().map(|app| Datum::record(told(app))).collect()))
    }
}

/// One app, and what hangs on it.
pub(super) struct AppStatus {
    pub(super) apps: Arc<dyn Apps>,
    pub(super) names: Arc<dyn Candidates>,
}

impl Read for AppStatus {
    type Args = AppArgs;

    fn spec(&self) -> Spec {
        specs::app_status(Arc::clone(&self.names))
    }

    async fn read(&self, caller: &Caller, args: AppArgs) -> Result<Datum, ToolError> {
        let id = args.find(&*self.apps, caller).await?.id;
        let status = self.apps.status(caller, &id).await?;
        let [id, name, state, since, code, health] = told(status.app);
        let ids = |ids: &[AppId]| Datum::List(ids.iter().map(text).collect());
        let (needs, dependents) = (("needs", ids(&status.needs)), ("dependents", ids(&status.dependents)));
        Ok(Datum::record([id, name, state, since, code, health, needs, dependents]))
    }
}

/// A log's app, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LogArgs {
    /// The app's id, or its name.
    app: String,
    /// How many of the last lines; 20 if it was not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 200))]
    lines: Option<u32>,
}

/// What an app wrote.
pub(super) struct AppLogs {
    pub(super) apps: Arc<dyn Apps>,
    pub(super) names: Arc<dyn Candidates>,
}

impl Read for AppLogs {
    type Args = LogArgs;

    fn spec(&self) -> Spec {
        specs::app_logs(Arc::clone(&self.names))
    }

    async fn read(&self, caller: &Caller, args: LogArgs) -> Result<Datum, ToolError> {
        let Found { id, all } = find(&*self.apps, caller, &args.app).await?;
        let name =
            all.into_iter().find(|app| app.id == id).map_or(Datum::None, |app| Datum::Others(app.name));
        let wanted = args.lines.unwrap_or(LINES).clamp(1, MOST_LINES) as usize;
        let lines = self.apps.logs(caller, &id, wanted).await?;
        Ok(Datum::record([("id", text(&id)), ("name", name), ("lines", Datum::List(newest(lines, wanted)))]))
    }
}

/// The newest of `lines`, at most `wanted` of them and [`MOST_LOG`] bytes, whatever the host gave.
fn newest(lines: Vec<Untrusted>, wanted: usize) -> Vec<Datum> {
    let mut left = MOST_LOG;
    let fitting = lines.into_iter().rev().take(wanted).map_while(|line| {
        left = left.checked_sub(line.len() + 1)?;
        Some(Datum::Others(line))
    });
    let mut newest: Vec<Datum> = fitting.collect();
    newest.reverse();
    newest
}
