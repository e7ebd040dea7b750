use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::manifest::Manifest;
use super::process::{self, Identity, Process};
use super::record::{Ended, Record};
use super::shim::{APP_LOCK, Report, lock_patience};
use super::{AppsError, Running, folder, log};

/// A command that ends within this time did not start.
const SETTLE: Duration = Duration::from_millis(300);
/// How long a port may take to answer.
const READY_PATIENCE: Duration = Duration::from_secs(10);
const READY_POLL: Duration = Duration::from_millis(30);
/// How long the shim and the app may take to come up under load.
const SPAWN_PATIENCE: Duration = Duration::from_secs(15);
/// Lines of the log that come with a failure.
const FAILURE_LINES: usize = 5;
/// What an app gets of the node's environment: nothing that may be a secret.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ"];

/// The longest that [`start`] takes.
pub(super) fn patience(grace: Duration) -> Duration {
    SPAWN_PATIENCE + READY_PATIENCE + 2 * lock_patience(grace)
}

/// Starts an app unless it runs, and waits until it does. The caller holds the app's change lock.
pub(super) fn start(program: &Path, app: &Manifest, folder: &Path) -> Result<Running, AppsError> {
    let earlier = Record::read(folder)?;
    if let Some(record) = &earlier
        && record.process()?.is_some()
    {
        return Ok(Running::of(record));
    }
    let wants_port = app.command.iter().any(|argument| argument.contains("{port}"));
    let port = if wants_port { Some(free_port(earlier.and_then(|record| record.port))?) } else { None };
    let failed = |reason| {
        let log = log::tail(folder, FAILURE_LINES).unwrap_or_default();
        AppsError::StartFailed { id: app.id.clone(), reason, log }
    };
    match run_shim(program, app, folder, port)? {
        Report::Running(identity) => settle(app, folder, port, &identity)?.map_err(failed),
        Report::Locked => Err(AppsError::Busy { id: app.id.clone() }),
        Report::Failed(reason) => Err(failed(reason)),
    }
}

/// Waits until a process that was just started can be called running; the inner error is why it cannot.
fn settle(
    app: &Manifest,
    folder: &Path,
    port: Option<u16>,
    identity: &Identity,
) -> Result<Result<Running, String>, AppsError> {
    let process = identity.open().map_err(AppsError::storage("look for a process in", Path::new("/proc")))?;
    let answers = process.as_ref().is_some_and(|process| match port {
        Some(port) => port_answers(process, port),
        None => !process.ended(Some(SETTLE)),
    });
    let ended = process.is_none_or(|process| process.ended(Some(Duration::ZERO)));
    if ended {
        // The shim writes down how the app ended before it lets go.
        folder::lock(&folder.join(APP_LOCK), lock_patience(app.stop()))?;
    }
    let record = Record::read(folder)?.filter(|record| record.identity == *identity);
    Ok(match (ended, record) {
        (false, Some(record)) if answers => Ok(Running::of(&record)),
        (false, _) => {
            let port = port.unwrap_or_default();
            return Err(AppsError::NotAnswering { id: app.id.clone(), pid: identity.pid, port });
        }
        (true, Some(Record { ended: Some(Ended::Exited(code)), .. })) => {
            Err(format!("its command ended at once with code {code}"))
        }
        (true, _) => Err("its command ended at once".to_owned()),
    })
}

/// Starts a shim and waits for what it has to say.
fn run_shim(program: &Path, app: &Manifest, folder: &Path, port: Option<u16>) -> Result<Report, AppsError> {
    let port = port.unwrap_or_default().to_string();
    let command = app.command.iter().map(|argument| match argument.as_str() {
        "{self}" => program.to_owned().into_os_string(),
        other => OsString::from(other.replace("{port}", &port)),
    });
    let could_not = || AppsError::storage("run", program);
    let mut shim = Command::new(program)
        .args(["app-shim", &app.stop_seconds.to_string(), &port])
        .args(command)
        .current_dir(folder)
        .env_clear()
        .envs(environment())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(could_not())?;
    let handle = Process::of_child(&shim).map_err(could_not())?;
    let (send, report) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        // Nobody listens any more when the wait below was given up.
        let _ = send.send(shim.stdout.take().and_then(first_line));
        // Somebody has to, as long as this process lives, or the shim stays in the process table.
        let _ = shim.wait();
    });
    let line = report.recv_timeout(lock_patience(app.stop()) + SPAWN_PATIENCE).ok().flatten();
    Ok(line.and_then(|line| serde_json::from_str(&line).ok()).unwrap_or_else(|| {
        // The app goes with its shim: what is reported as failed must not come up later.
        process::end(&[handle], Duration::ZERO);
        Report::Failed("its shim did not answer".to_owned())
    }))
}

fn first_line(output: ChildStdout) -> Option<String> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).ok()?;
    Some(line)
}

#[expect(clippy::disallowed_methods, reason = "the one place where an app's environment is made")]
fn environment() -> impl Iterator<Item = (&'static str, OsString)> {
    ENVIRONMENT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// The earlier port if nobody took it, so that a bookmark stays good; else any.
fn free_port(earlier: Option<u16>) -> Result<u16, AppsError> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = earlier.and_then(|port| bind(port).ok()).map_or_else(|| bind(0), Ok);
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(AppsError::storage("find a free port on", Path::new("127.0.0.1")))?.port())
}

fn port_answers(process: &Process, port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let deadline = Instant::now() + READY_PATIENCE;
    while Instant::now() < deadline {
        if TcpStream::connect_timeout(&address, READY_PATIENCE).is_ok() {
            return true;
        }
        if process.ended(Some(READY_POLL)) {
            return false;
        }
    }
    false
}
