//! The installed apps: what there is, how one is doing, and starting, stopping or restarting one.

use std::sync::Arc;

use super::{all, part};
use crate::{Candidates, Category, Datum, Sentence, Slot, Spec};

/// The result is a list of records `{name: Others, id: Text, state: Text}`, `state` one of `running`, `stopped`,
/// `starting`, `stopping`, `failed`.
pub(crate) fn apps_list() -> Spec {
    Spec::new("apps_list", Category::Apps, "All installed apps and whether each is running.")
        .phrases([
            "which apps are running",
            "list my apps",
            "which apps are stopped",
            "what is running",
            "what apps do i have installed",
            "how many apps are installed",
            "which services are up",
            "state of all apps",
            "status of all apps",
            "are all apps running",
            "is anything down",
            "which apps are off",
            "overview of my apps",
            "is everything running",
            "which apps failed",
            "did any app crash",
            "is every app healthy",
            "any apps not working",
            "what is installed",
            "which apps are active",
            "what is down",
            "what is stopped",
            "any services offline",
            "which applications are there",
            "what applications does it have",
            "docker ps",
            "docker ps -a",
            "docker container ls",
            "podman ps",
            "systemctl list-units",
            "systemctl --failed",
        ])
        .answer(|apps| {
            all(
                apps,
                |app| Sentence::from(app.get("name")).and(part(" is ", app.get("state"), "")),
                "No app is installed",
            )
            .and(".")
        })
}

/// The result is a record `{name: Others, state: Text, version: Others?, health: Others?, since: Time?}`.
pub(crate) fn app_status(apps: Arc<dyn Candidates>) -> Spec {
    Spec::new(
        "app_status",
        Category::Apps,
        "How one app is doing: running or stopped, its version and health.",
    )
    .slot(Slot::live("app", apps))
    .phrases([
        "how is {app}",
        "check on {app}",
        "status of {app}",
        "is {app} running",
        "is {app} up",
        "is {app} down",
        "is {app} on",
        "is {app} off",
        "is {app} stopped",
        "is {app} started",
        "did {app} restart",
        "did {app} crash",
        "has {app} come back up",
        "did {app} come back up",
        "did {app} come up",
        "is {app} alive",
        "is {app} working",
        "is {app} online",
        "is {app} offline",
        "is {app} healthy",
        "is {app} ok",
        "is {app} broken",
        "is {app} ready",
        "is {app} responding",
        "is {app} reachable",
        "is {app} accessible",
        "is {app} loading",
        "is {app} active",
        "is {app} dead",
        "is {app} stuck",
        "is {app} installed",
        "is {app} available",
        "is {app} still going",
        "is {app} still there",
        "is {app} having trouble",
        "what is wrong with {app}",
        "what is happening with {app}",
        "what is up with {app}",
        "problem with {app}",
        "state of {app}",
        "health of {app}",
        "version of {app}",
        "how long has {app} been running",
        "uptime of {app}",
        "did {app} boot",
        "did {app} finish starting",
        "did {app} fail",
        "is {app} behaving",
        "is {app} doing well",
        "is {app} back",
        "did {app} come back",
        "{app} doing ok",
        "info about {app}",
        "details of {app}",
        "what is the condition of {app}",
        "is {app} in good shape",
        "systemctl status {app}",
        "systemctl is-active {app}",
        "docker inspect {app}",
        "docker stats {app}",
    ])
    .answer(|app| {
        Sentence::from(app.get("name"))
            .and(part(" is ", app.get("state"), ""))
            .and(part(" since ", app.get("since"), ""))
            .and(part(", version ", app.get("version"), ""))
            .and(part(". It says: ", app.get("health"), ""))
            .and(".")
    })
}

/// The result is a record `{name: Others, lines: List(Others)}`, the oldest line first.
pub(crate) fn app_logs(apps: Arc<dyn Candidates>) -> Spec {
    Spec::new("app_logs", Category::Apps, "The last lines of one app's log.")
        .slot(Slot::live("app", apps))
        .slot(Slot::number("lines").optional())
        .phrases([
            "show me the logs of {app}",
            "last {lines} lines of the {app} log",
            "{lines} log lines of {app}",
            "last {lines} log entries of {app}",
            "what has {app} been writing in its log",
            "what does the log of {app} say",
            "errors of {app}",
            "what does {app} output",
            "tail {app}",
            "tail the {app} log",
            "output of {app}",
            "what has {app} been logging",
            "log file of {app}",
            "log output from {app}",
            "anything in the {app} log",
            "any errors in the {app} logs",
            "recent log messages of {app}",
            "latest log entries for {app}",
            "read the log of {app}",
            "open the log of {app}",
            "get the logs of {app}",
            "journalctl -u {app}",
            "journalctl -u {app} -n {lines}",
            "journalctl -fu {app}",
            "docker logs {app}",
            "docker logs -f --tail {lines} {app}",
            "tail -n {lines} {app}",
            "tail -f {app}",
        ])
        .answer(|log| {
            let lines = log.get("lines").items();
            if lines.is_empty() {
                return Sentence::plain("The log of ").and(log.get("name")).and(" is empty.");
            }
            Sentence::plain("The log of ")
                .and(log.get("name"))
                .and(":\n")
                .and(Sentence::join(lines.iter().map(Sentence::from), "\n"))
        })
}

/// The result is a record `{name: Text, state: Text, before: {pid, since}, after: {pid, since}}`.
pub(crate) fn app_start(apps: Arc<dyn Candidates>) -> Spec {
    Spec::new("app_start", Category::Apps, "Starts an app that is stopped. A person confirms first.")
        .slot(Slot::live("app", apps))
        .phrases(["start {app}", "docker start {app}", "systemctl start {app}", "podman start {app}"])
        .answer(became)
}

/// The result is a record `{name: Text, state: Text, before: {pid, since}, after: {pid, since}}`.
pub(crate) fn app_stop(apps: Arc<dyn Candidates>) -> Spec {
    Spec::new("app_stop", Category::Apps, "Stops a running app. A person confirms first.")
        .slot(Slot::live("app", apps))
        .phrases([
            "stop {app}",
            "docker stop {app}",
            "systemctl stop {app}",
            "podman stop {app}",
            "pkill {app}",
        ])
        .answer(became)
}

/// The result is a record `{name: Text, state: Text, before: {pid, since}, after: {pid, since}}`.
pub(crate) fn app_restart(apps: Arc<dyn Candidates>) -> Spec {
    Spec::new("app_restart", Category::Apps, "Restarts an app. A person confirms first.")
        .slot(Slot::live("app", apps))
        .phrases(["restart {app}", "docker restart {app}", "systemctl restart {app}", "podman restart {app}"])
        .answer(became)
}

/// What was observed, with the process before and after where the host tells them apart.
fn became(app: &Datum) -> Sentence {
    let pid = |run: &str| app.get(run).get("pid").clone();
    let now = Sentence::from(app.get("name")).and(part(" is now ", app.get("state"), ""));
    match (pid("before"), pid("after")) {
        (Datum::None, Datum::None) => now.and("."),
        (Datum::None, after) => now.and(" (pid ").and(after).and(")."),
        (before, Datum::None) => now.and(" (pid ").and(before).and(" has ended)."),
        (before, after) => now.and(" (pid ").and(before).and(" before, pid ").and(after).and(" now)."),
    }
}
