//! Processes, told apart for good: a pid alone is reused, and a signal by pid may hit a stranger.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

/// How long a process may take to vanish after SIGKILL.
pub(super) const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// Names one process of one boot of this machine; no other ever has the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// Its process id.
    pub(super) pid: u32,
    /// Clock ticks from the boot to its start: field 22 of `/proc/PID/stat`.
    pub(super) start_ticks: u64,
    /// `/proc/sys/kernel/random/boot_id` at that time.
    pub(super) boot_id: String,
}

impl Identity {
    /// The identity of a process that runs, or of a child that has not been waited for.
    pub(super) fn of(pid: u32) -> io::Result<Self> {
        let stat = Stat::read(pid)?.ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { pid, start_ticks: stat.start_ticks, boot_id: boot_id()? })
    }

    /// Whether it was recorded since the machine last booted.
    pub(super) fn is_of_this_boot(&self) -> io::Result<bool> {
        Ok(self.boot_id == boot_id()?)
    }

    /// The process itself, `None` if it has ended. An error means that nobody can tell.
    pub(super) fn open(&self) -> io::Result<Option<Process>> {
        let is_it = || {
            Ok::<_, io::Error>(
                Stat::read(self.pid)?.is_some_and(|stat| stat.lives && stat.start_ticks == self.start_ticks),
            )
        };
        if !self.is_of_this_boot()? || !is_it()? {
            return Ok(None);
        }
        // Asked again with the handle open: between the two questions the pid had one owner, so the handle is the app's.
        let process = Process::open(self.pid)?;
        Ok(if is_it()? { process } else { None })
    }
}

/// A handle that stays with its process, whatever becomes of the pid.
#[derive(Debug)]
pub(super) struct Process(OwnedFd);

impl Process {
    fn open(pid: u32) -> io::Result<Option<Self>> {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(None) };
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => Ok(Some(Self(handle))),
            Err(Errno::SRCH) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The handle of a child that has not been waited for.
    pub(super) fn of_child(child: &std::process::Child) -> io::Result<Self> {
        Ok(Self(pidfd_open(Pid::from_child(child), PidfdFlags::empty())?))
    }

    /// Whether it has ended; waits for that, `None` without bound.
    pub(super) fn ended(&self, patience: Option<Duration>) -> bool {
        let deadline = patience.map(|patience| Instant::now() + patience);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], left.as_ref()) {
                Ok(ready) => return ready > 0,
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }
}

/// Every living process of a session. The caller keeps the session's number from being reused: its leader lives, or is
/// the caller's child that was not waited for.
pub(super) fn session(leader: u32) -> io::Result<Vec<Process>> {
    let belongs =
        |pid| Ok::<_, io::Error>(Stat::read(pid)?.is_some_and(|stat| stat.lives && stat.session == leader));
    let mut members = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if belongs(pid)?
            && let Some(process) = Process::open(pid)?
            && belongs(pid)?
        {
            members.push(process);
        }
    }
    Ok(members)
}

/// Sends SIGTERM to all, waits up to `grace`, kills who is left; whether all are gone.
pub(super) fn end(processes: &[Process], grace: Duration) -> bool {
    [(Signal::TERM, grace), (Signal::KILL, KILL_PATIENCE)].into_iter().any(|(signal, patience)| {
        for process in processes {
            // One that has ended cannot be signalled, and one that we may not signal shows in the wait.
            let _ = pidfd_send_signal(&process.0, signal);
        }
        let deadline = Instant::now() + patience;
        processes
            .iter()
            .all(|process| process.ended(Some(deadline.saturating_duration_since(Instant::now()))))
    })
}

/// Seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where the supervisor reads the clock of the day"
)]
pub(super) fn unix_seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn boot_id() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

#[derive(Debug, PartialEq)]
struct Stat {
    /// Neither a zombie nor dead.
    lives: bool,
    session: u32,
    start_ticks: u64,
}

impl Stat {
    fn read(pid: u32) -> io::Result<Option<Self>> {
        match fs::read(format!("/proc/{pid}/stat")) {
            Ok(line) => match Self::parse(&String::from_utf8_lossy(&line)) {
                Some(stat) => Ok(Some(stat)),
                None => Err(io::ErrorKind::InvalidData.into()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // What reading says when the process ends between opening and reading.
            Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// `proc_pid_stat(5)`. The second field is the command in parentheses, which may itself hold spaces and parentheses.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.rsplit_once(')')?.1.split_ascii_whitespace();
        let lives = !matches!(fields.next()?, "Z" | "X");
        let session = fields.nth(2)?.parse().ok()?;
        let start_ticks = fields.nth(15)?.parse().ok()?;
        Some(Self { lives, session, start_ticks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_past_a_hostile_command_name() {
        let tail = "S 1 2 42 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        let expected = Stat { lives: true, session: 42, start_ticks: 777 };
        assert_eq!(Stat::parse(&format!("9 (a) Z 1 1 (b)) {tail}")), Some(expected));
        assert_eq!(Stat::parse("9 (a) S 1"), None);
    }

    #[test]
    fn a_recycled_pid_is_somebody_else() {
        let me = Identity::of(std::process::id()).unwrap();
        assert!(me.open().unwrap().is_some());
        let earlier = Identity { start_ticks: me.start_ticks - 1, ..me.clone() };
        assert!(earlier.open().unwrap().is_none());
        let other_boot = Identity { boot_id: "another".to_owned(), ..me };
        assert!(other_boot.open().unwrap().is_none());
    }
}
