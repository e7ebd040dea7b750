//! The node, put together: its store, its tools over this machine, and the assistant.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use archy_assistant::{
    Assistant, BackendFacts, ConfirmationId, ConfirmationSink, Effect, FirstTools, GrantSource, Limits,
    Principal, Settled, Store, StoredGrants, Toolbox,
};
use tokio::sync::{Mutex, watch};

use crate::apps::{Status, Supervisor};
use crate::audit_key;
use crate::cli::Common;
use crate::data::{Data, Lock};
use crate::database::{self, Place};
use crate::exit::Trouble;
use crate::found;
use crate::hosts::{Machine, MachineApps, MachineNetwork, SettingsFile, SharedFolder};
use crate::model;
use crate::server::Desk;
use crate::terminal::tell;
use crate::wire::ToolLine;

/// How long the node waits for its apps before it answers; they may go on starting.
const APPS: Duration = Duration::from_secs(10);

/// Opens the node in its directory.
pub(crate) async fn open(data: &Data, lock: &Lock, common: &Common, place: Place) -> Result<Desk, Trouble> {
    let model::Chain { backends, when } = model::chain(data, common).await?;
    let facts: Vec<BackendFacts> = backends.iter().map(|backend| backend.facts()).collect();
    let key = audit_key::take(data, lock, common)?;
    database::must_not_be_emptied(data, common)?;
    found::tell_open(&database::keep_private(data, lock)?);
    let store: Arc<dyn Store> = Arc::new(database::open(data)?);
    let supervisor = Supervisor::open(data.path())?;
    let grants: Arc<dyn GrantSource> = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let settings = Arc::new(SettingsFile::open(data.join("settings.toml"))?);
    let toolbox = toolbox(data, supervisor.clone(), Arc::clone(&settings), Arc::clone(&grants), facts)?;
    let tools = lines(&toolbox);
    let closing = Arc::downgrade(&store);
    let limits = limits(common);
    let at_once = limits.turns.min(limits.turns_per_principal);
    let mut builder = Assistant::builder(backends, toolbox, grants)
        .with_store(store)
        .with_audit_key(key)
        .with_head_witness(Arc::new(database::witness(data)))
        .with_limits(limits)
        .with_when_local_is_down(when)
        .with_sink(Arc::new(Terminals));
    if place == Place::Restored {
        builder = builder.with_restored_copy();
    }
    let assistant = builder.open()?;
    audit_key::keep(data, lock)?;
    found::tell_owner(&assistant, common);
    start_apps(supervisor, common.command("down")).await;
    Ok(Desk {
        assistant,
        tools,
        store: closing,
        at_once,
        next: Mutex::default(),
        connected: AtomicUsize::new(0),
        busy: AtomicUsize::new(0),
        erased: watch::Sender::new(false),
        settings,
        links: OnceLock::new(),
    })
}

fn limits(common: &Common) -> Limits {
    let mut limits = Limits::default();
    if let Some(seconds) = common.decide_within {
        limits.decide_within = Duration::from_secs(seconds);
    }
    limits
}

fn toolbox(
    data: &Data,
    supervisor: Supervisor,
    settings: Arc<SettingsFile>,
    grants: Arc<dyn GrantSource>,
    facts: Vec<BackendFacts>,
) -> Result<Toolbox, Trouble> {
    let apps = Arc::new(MachineApps(supervisor));
    let files = Arc::new(SharedFolder::open(&data.join("files"))?);
    Ok(FirstTools::new()
        .system(Arc::new(Machine::new(data.path())))
        .apps(apps.clone())
        .app_control(apps)
        .settings(settings.clone())
        .setting_control(settings)
        .network(Arc::new(MachineNetwork))
        .files(files)
        .search(grants)
        .minds(Arc::new(move || facts.clone()))
        .into_toolbox())
}

fn lines(toolbox: &Toolbox) -> Vec<ToolLine> {
    let line = |(spec, effect): (&archy_assistant::Spec, Effect)| {
        Some(ToolLine {
            name: spec.name().to_owned(),
            category: spec.category()?,
            writes: effect == Effect::Write,
            open: false,
            about: spec.about().to_owned(),
            said_as: spec.said_with_gaps().take(3).collect(),
        })
    };
    toolbox.specs().filter_map(line).collect()
}

/// Starts the apps that want to run, and says which were started and which could not be.
async fn start_apps(supervisor: Supervisor, stop: String) {
    let starting = tokio::task::spawn_blocking(move || {
        let before = pids(&supervisor);
        let failed = match supervisor.autostart() {
            Ok(failed) => failed.into_iter().map(|(_, error)| error.to_string()).collect(),
            Err(error) => vec![error.to_string()],
        };
        let started = supervisor.apps().unwrap_or_default().into_iter().filter_map(|app| match app.status {
            Status::Running(running) if before.get(&app.id) != Some(&running.pid) => {
                let at = running.url().map(|url| format!(" at {url}")).unwrap_or_default();
                Some(format!("{} runs{at} (pid {}); stop it with: {stop}", app.id, running.pid))
            }
            _ => None,
        });
        started.chain(failed).collect::<Vec<_>>()
    });
    match tokio::time::timeout(APPS, starting).await {
        Ok(says) => says.unwrap_or_default().iter().for_each(|line| tell(line)),
        Err(_) => tell("Some apps are still starting."),
    }
}

fn pids(supervisor: &Supervisor) -> HashMap<String, u32> {
    let running = |app: crate::apps::App| match app.status {
        Status::Running(running) => Some((app.id, running.pid)),
        _ => None,
    };
    supervisor.apps().unwrap_or_default().into_iter().filter_map(running).collect()
}

/// Where questions are asked: whoever listens to a turn hears of them, and `pending` lists them for the others.
pub(crate) struct Terminals;

impl ConfirmationSink for Terminals {
    fn asked(&self, _: &Principal, _: ConfirmationId) {}
    fn settled(&self, _: &Principal, _: ConfirmationId, _: Settled) {}
}
