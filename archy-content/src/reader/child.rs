//! The asker's side of the process that reads.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::frames::{picture_request, read_request, thumbnail_request, whole};
use crate::{FileReader, PictureAt, Reading, Unreadable};

/// Files that are asked for ahead.
const AHEAD: usize = 64;
/// So long a process that was ended is waited for.
const ENDING: Duration = Duration::from_secs(1);
/// Bytes of requests on their way: less than any pipe holds, so that asking never waits.
const AHEAD_BYTES: usize = 32 << 10;

/// How long an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the work on one file. After this a process that works and does not answer is ended.
    pub work: Duration,
    /// For storage that gives nothing, like a disk that has to spin up, while the process works on nothing.
    pub storage: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { work: Duration::from_secs(2), storage: Duration::from_secs(60) }
    }
}

/// Reads files in a process of its own, which it starts, asks for many files ahead, and starts again when a file has
/// ended it. A file that does so alone, or takes too long alone, is [`Unreadable::Hostile`]; the others that were
/// asked with it are asked again and lose nothing.
///
/// The process is given no environment and no place for messages. It ends when this is dropped.
///
/// ```no_run
/// use std::process::Command;
/// let mut program = Command::new("/usr/bin/a-program-that-calls-serve_reader");
/// program.arg("read-files");
/// let reader = archy_content::ChildReader::new(program);
/// ```
#[derive(Debug)]
pub struct ChildReader {
    program: Command,
    patience: Patience,
    /// Files in a row for which the storage gave nothing.
    stalls: u32,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    buffer: Vec<u8>,
    /// How much of the buffer was taken.
    taken: usize,
}

/// Why there is no answer.
#[derive(Debug)]
enum Lost {
    NotStarted(io::Error),
    Died(String),
    Working,
    Waiting,
}

impl ChildReader {
    /// A reader whose process is this program, which must do nothing but call [`crate::serve_reader`]. It is started
    /// when it is first needed.
    #[must_use]
    pub fn new(mut program: Command) -> Self {
        program.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self { program, patience: Patience::default(), stalls: 0, running: None }
    }

    /// With other limits of time.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// The most memory that the process has had at one time, in bytes; None where none runs or the system keeps that
    /// to itself.
    pub fn peak_memory(&self) -> Option<u64> {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.running.as_ref()?.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilo| kilo << 10)
    }

    /// A disk that gave nothing for one file after the other is waited for less and less: a dead one has thousands.
    fn patience_now(&self) -> Patience {
        Patience { storage: self.patience.storage / (1 << self.stalls.min(5)), ..self.patience }
    }

    fn running(&mut self) -> io::Result<&mut Running> {
        let running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&mut self.program)?,
        };
        Ok(self.running.insert(running))
    }

    fn send(&mut self, request: &[u8]) -> Result<(), Lost> {
        let running = self.running().map_err(Lost::NotStarted)?;
        running.to.write_all(request).map_err(|error| Lost::Died(error.to_string()))
    }

    /// The next answer, and what `read` makes of it.
    fn next<T>(&mut self, read: impl FnOnce(&[u8]) -> Option<T>) -> Result<T, Lost> {
        let patience = self.patience_now();
        let none = || Lost::Died("the reader answered nothing that makes sense".to_owned());
        let running = self.running.as_mut().ok_or_else(none)?;
        let result = running.next(patience).and_then(|answer| read(answer).ok_or_else(none));
        self.stalls = if matches!(result, Err(Lost::Waiting)) { self.stalls + 1 } else { 0 };
        result.map_err(|lost| match (self.end(), lost) {
            (Some(how), Lost::Died(_)) => Lost::Died(how),
            (_, lost) => lost,
        })
    }

    /// Ends the process. How it had ended, if a signal did that before.
    fn end(&mut self) -> Option<String> {
        let signal = self.running.take()?.end()?.signal()?;
        Some(format!("it ended the reader (signal {signal})"))
    }

    fn ask<T>(&mut self, request: &[u8], read: impl FnOnce(&[u8]) -> Option<T>) -> Result<T, Unreadable> {
        let patience = self.patience_now();
        self.send(request).and_then(|()| self.next(read)).map_err(|lost| lost.says(patience))
    }
}

impl FileReader for ChildReader {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        self.ask(&read_request(file), reading)?
    }

    fn read_all(
        &mut self,
        files: &[&Path],
        each: &mut dyn FnMut(usize, Result<Reading, Unreadable>) -> ControlFlow<()>,
    ) {
        // `done..asked` are on their way. Before `alone` files are asked one by one: one of them ended the process.
        let (mut done, mut asked, mut bytes, mut alone) = (0, 0, 0, 0);
        while done < files.len() {
            let ahead = if done < alone { 1 } else { AHEAD };
            let mut sent = Ok(());
            while sent.is_ok()
                && asked < files.len()
                && asked - done < ahead
                && (bytes < AHEAD_BYTES || asked == done)
            {
                let request = read_request(files[asked]);
                bytes += request.len();
                asked += 1;
                sent = self.send(&request);
            }
            let patience = self.patience_now();
            let answer = match sent.and_then(|()| self.next(reading)) {
                Ok(answer) => answer,
                Err(lost) if asked - done == 1 => Err(lost.says(patience)),
                Err(_) => {
                    self.end();
                    (alone, asked, bytes) = (asked, done, 0);
                    continue;
                }
            };
            bytes -= read_request(files[done]).len();
            done += 1;
            if each(done - 1, answer).is_break() {
                if asked > done {
                    self.end();
                }
                return;
            }
        }
    }

    fn picture(&mut self, file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        self.ask(&picture_request(file, index, most), bytes)?
    }

    fn thumbnail(&mut self, of: PictureAt<'_>, side: u32) -> Result<Vec<u8>, Unreadable> {
        let index = of.index.map(|index| u64::try_from(index).unwrap_or(u64::MAX));
        self.ask(&thumbnail_request(of.file, index, side), bytes)?
    }
}

fn bytes(answer: &[u8]) -> Option<Result<Vec<u8>, Unreadable>> {
    match answer.split_first() {
        Some((b'+', bytes)) => Some(Ok(bytes.to_vec())),
        Some((b'-', error)) => serde_json::from_slice(error).ok().map(Err),
        _ => None,
    }
}

impl Drop for ChildReader {
    fn drop(&mut self) {
        self.end();
    }
}

fn reading(answer: &[u8]) -> Option<Result<Reading, Unreadable>> {
    serde_json::from_slice(answer).ok()
}

impl Lost {
    fn says(self, patience: Patience) -> Unreadable {
        match self {
            Self::NotStarted(error) => {
                Unreadable::NotGiven { says: format!("the reader could not be started: {error}") }
            }
            Self::Died(says) => Unreadable::Hostile { says },
            Self::Working => Unreadable::Hostile {
                says: format!("reading it took more than {} s", patience.work.as_secs_f32()),
            },
            Self::Waiting => Unreadable::NotGiven {
                says: format!("the storage gave nothing for {} s", patience.storage.as_secs_f32()),
            },
        }
    }
}

impl Running {
    fn start(program: &mut Command) -> io::Result<Self> {
        let mut child = program.spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self { child, to, from, buffer: Vec::new(), taken: 0 })
    }

    fn next(&mut self, patience: Patience) -> Result<&[u8], Lost> {
        let nonsense = || Lost::Died("the reader answered nothing that makes sense".to_owned());
        let begun = Instant::now();
        // Almost every answer comes before the first look at the clock of the process.
        let (mut long, mut before) = (patience.work / 4, None);
        loop {
            if let Some((start, end)) = whole(&self.buffer[self.taken..]).map_err(|()| nonsense())? {
                let answer = self.taken + start..self.taken + end;
                self.taken = answer.end;
                return Ok(&self.buffer[answer]);
            }
            self.buffer.drain(..self.taken);
            self.taken = 0;
            let left = long.saturating_sub(begun.elapsed());
            if !left.is_zero() {
                self.fill(left)?;
                continue;
            }
            match (before, self.worked()) {
                (None, now) => {
                    before = Some(now.unwrap_or_default());
                    long = patience.work;
                }
                // A process that has not worked waits for its disk, or for its turn.
                (Some(before), Some(now)) if now.saturating_sub(before) * 2 < patience.work => {
                    if begun.elapsed() >= patience.storage {
                        return Err(Lost::Waiting);
                    }
                    long += patience.work / 4;
                }
                _ => return Err(Lost::Working),
            }
        }
    }

    /// Takes what is there, or waits for it for at most so long.
    fn fill(&mut self, most: Duration) -> Result<(), Lost> {
        let timeout = Timespec::try_from(most).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        match poll(&mut [PollFd::new(&self.from, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(Lost::Died(error.to_string())),
        }
        let old = self.buffer.len();
        self.buffer.resize(old + (64 << 10), 0);
        let got = self.from.read(&mut self.buffer[old..]);
        self.buffer.truncate(old + *got.as_ref().unwrap_or(&0));
        match got {
            Ok(0) => Err(Lost::Died("it ended the reader".to_owned())),
            Ok(_) => Ok(()),
            Err(error) => Err(Lost::Died(error.to_string())),
        }
    }

    /// Processor time that the process has had.
    fn worked(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name before may hold anything; the 12th and 13th numbers after it are hundredths of seconds.
        let mut numbers = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
        let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Duration::from_millis((user + system) * 10))
    }

    /// Ends it. One that was ending already keeps its own way of doing so; one that its disk holds fast is left to end
    /// when that lets go of it.
    fn end(mut self) -> Option<std::process::ExitStatus> {
        let _ = self.child.kill();
        let begun = Instant::now();
        while begun.elapsed() < ENDING {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(1)),
                ended => return ended.ok().flatten(),
            }
        }
        thread::spawn(move || self.child.wait());
        None
    }
}
