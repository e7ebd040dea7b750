//! What a process took: time, processor time, memory.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a process took.
#[derive(Debug)]
pub(crate) struct Used {
    /// What it says itself took, else all of its time.
    pub(crate) took: Duration,
    /// Of it and of its children.
    pub(crate) cpu: Duration,
    /// The most memory that it had at once.
    pub(crate) peak: u64,
    /// The most that one child of it had at once.
    pub(crate) child_peak: u64,
}

/// Runs a program to its end.
pub(crate) fn used(mut command: Command) -> Used {
    let before = children();
    let begun = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (mut peak, mut child_peak) = (0, 0);
    let pid = child.id();
    let mut out = String::new();
    let mut from = child.stdout.take().unwrap();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| from.read_to_string(&mut out));
        while !reading.is_finished() {
            peak = peak.max(status(pid, "VmHWM:").unwrap_or(0));
            for child in below(pid) {
                child_peak = child_peak.max(status(child, "VmHWM:").unwrap_or(0));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        reading.join().unwrap().unwrap();
    });
    child.wait().unwrap();
    let whole = begun.elapsed();
    let said = out.split_whitespace().next().and_then(|word| word.parse().ok()).map(Duration::from_micros);
    Used { took: said.unwrap_or(whole), cpu: children().saturating_sub(before), peak, child_peak }
}

/// Processor time of the children that have ended, and of theirs.
fn children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[13].parse::<u64>().unwrap() + fields[14].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

fn below(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    children
        .flat_map(|all| all.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn status(pid: u32, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilo| kilo << 10)
}

/// The most memory that a process has had so far.
pub(crate) fn peak(pid: u32) -> u64 {
    status(pid, "VmHWM:").unwrap_or(0)
}

/// Bytes of the files of a folder.
pub(crate) fn size(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
