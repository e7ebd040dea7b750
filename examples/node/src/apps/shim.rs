//! The process between the node and an app: it outlives the node, and an app never outlives it by much.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getppid, set_parent_process_death_signal, setsid, waitid,
};
use serde::{Deserialize, Serialize};

use super::log::Ring;
use super::process::{self, Identity, KILL_PATIENCE};
use super::record::{Ended, Record};
use super::{AppsError, folder};

/// Held by a shim for its life, in the app's folder.
pub(super) const APP_LOCK: &str = "app.lock";

const EXEC: &str = "--exec";
const DRAIN_PATIENCE: Duration = Duration::from_secs(1);

/// What a shim tells whoever started it, as one line on its standard output.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The app's command runs.
    Running(Identity),
    /// Another shim kept the app's lock.
    Locked,
    /// Nothing runs.
    Failed(String),
}

/// How long a shim waits for an earlier one of the same app to finish.
pub(super) fn lock_patience(stop: Duration) -> Duration {
    stop + KILL_PATIENCE + DRAIN_PATIENCE
}

/// `app-shim STOP_SECONDS PORT COMMAND…`, with the app's folder as the working directory and port 0 for none; runs until
/// the app has ended. Only the supervisor calls it.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.peekable();
    if arguments.next_if(|word| word == EXEC).is_some() {
        // The shim listens on this standard input, see `spawn`. Kept aside, because a command that cannot be run has
        // replaced it by then; a copy closes with the rest when the command takes over.
        let shim = io::stdin().as_fd().try_clone_to_owned();
        let refusal = become_app(arguments);
        let _ = shim.and_then(|shim| std::fs::File::from(shim).write_all(refusal.as_bytes()));
        return ExitCode::from(127);
    }
    match supervise(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            tell(&report);
            ExitCode::FAILURE
        }
    }
}

fn tell(report: &Report) {
    if let Ok(line) = serde_json::to_string(report) {
        // Nobody may be there any more to read it.
        let _ = writeln!(io::stdout(), "{line}");
    }
}

fn number<T: std::str::FromStr>(word: Option<OsString>) -> Result<T, String> {
    word.and_then(|word| word.to_str()?.parse().ok())
        .ok_or_else(|| "app-shim is for the supervisor alone".to_owned())
}

/// The app's, whole, so that errors name it.
fn own_folder() -> Result<PathBuf, String> {
    std::env::current_dir().map_err(|error| format!("its folder is gone: {error}"))
}

fn supervise(mut arguments: impl Iterator<Item = OsString>) -> Result<(), Report> {
    let stop = Duration::from_secs(number(arguments.next()).map_err(Report::Failed)?);
    let folder = &own_folder().map_err(Report::Failed)?;
    // Away from the terminal's and the node's signals.
    setsid().map_err(|error| Report::Failed(format!("no session of its own: {error}")))?;
    let lock = folder::lock(&folder.join(APP_LOCK), lock_patience(stop))
        .map_err(|error| Report::Failed(error.to_string()))?;
    let _lock = lock.ok_or(Report::Locked)?;
    let mut app = spawn(arguments, Ring::new(folder)).map_err(|error| Report::Failed(error.to_string()))?;
    let report = match Identity::of(app.child.id()) {
        _ if !app.refusal.is_empty() => Report::Failed(app.refusal.clone()),
        Ok(identity) => Report::Running(identity),
        Err(error) => {
            // One that nobody can watch must not run.
            let _ = app.child.kill();
            Report::Failed(format!("cannot read /proc: {error}"))
        }
    };
    if matches!(report, Report::Running(_)) {
        tell(&report);
        app.wait(stop, folder);
        return Ok(());
    }
    // Even when refused, the process may have a record, which has to say that it ended.
    app.wait(stop, folder);
    Err(report)
}

struct Spawned {
    child: Child,
    /// Why the command could not be run; empty if it runs.
    refusal: String,
    /// Disconnected when the log has taken all output.
    log_done: mpsc::Receiver<()>,
}

/// Starts this program once more, which becomes the app. Its standard input is a pipe to us that closes when the command
/// takes over (whose input is the null device), so that the end of the pipe tells that the command runs.
fn spawn(arguments: impl Iterator<Item = OsString>, mut ring: Ring) -> io::Result<Spawned> {
    let (mut refusals, refuse) = io::pipe()?;
    let (output, write) = io::pipe()?;
    let child = Command::new(std::env::current_exe()?)
        .args(["app-shim", EXEC, &std::process::id().to_string()])
        .args(arguments)
        .stdin(refuse)
        .stdout(write.try_clone()?)
        .stderr(write)
        .spawn()?;
    let (done, log_done) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        ring.copy_from(output);
        drop(done);
    });
    let mut refusal = String::new();
    refusals.read_to_string(&mut refusal)?;
    Ok(Spawned { child, refusal, log_done })
}

impl Spawned {
    fn wait(mut self, stop: Duration, folder: &Path) {
        // As long as the child is not waited for, its number, which is the session's, is not used again.
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(Pid::from_child(&self.child)), exited).err() == Some(Errno::INTR) {}
        if let Ok(left) = process::session(self.child.id()) {
            process::end(&left, stop);
        }
        let Ok(status) = self.child.wait() else { return };
        // What moved to another session may hold the pipe for ever.
        let _ = self.log_done.recv_timeout(DRAIN_PATIENCE);
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        if let Ok(Some(record)) = Record::read(folder)
            && record.identity.pid == self.child.id()
        {
            // On a full disk the record stays open; the supervisor sees that the process is gone.
            let _ = Record { ended: Some(Ended::Exited(code)), ..record }.write(folder);
        }
    }
}

/// Turns this process into the app; what comes back is why not.
fn become_app(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut prepare = || -> Result<Command, String> {
        let shim: i32 = number(arguments.next())?;
        let port: u16 = number(arguments.next())?;
        let os = |error: Errno| error.to_string();
        // Without its shim an app has no log and no lock: it is asked to end too.
        set_parent_process_death_signal(Some(Signal::TERM)).map_err(os)?;
        if getppid().is_none_or(|parent| parent.as_raw_nonzero().get() != shim) {
            return Err("its supervisor is gone".to_owned());
        }
        setsid().map_err(os)?;
        let identity =
            Identity::of(std::process::id()).map_err(|error| format!("cannot read /proc: {error}"))?;
        // Written before the command runs: there is no moment at which it runs and nobody could find it.
        Record { identity, since: process::unix_seconds(), port: (port != 0).then_some(port), ended: None }
            .write(&own_folder()?)
            .map_err(|error: AppsError| error.to_string())?;
        let mut command = Command::new(arguments.next().unwrap_or_default());
        command.args(&mut arguments).stdin(Stdio::null());
        Ok(command)
    };
    match prepare() {
        Ok(mut command) => {
            let error = command.exec();
            format!("cannot run {}: {error}", command.get_program().to_string_lossy())
        }
        Err(wrong) => wrong,
    }
}
