//! Reads files on several threads. Each has a reader of its own; one that panics is replaced.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

use super::pace::{Pace, be_nice};
use super::run::GLANCE;
use super::{ScanOptions, Stop};
use crate::walk::{Found, look};
use crate::{FileReader, Reading, Unreadable};

/// Makes a reader for a thread.
pub(crate) type Factory = dyn Fn() -> Box<dyn FileReader> + Send + Sync;

/// A file to be read.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) at: usize,
    pub(crate) path: PathBuf,
    pub(crate) found: Found,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    Read(Box<Reading>),
    Unreadable(Unreadable),
    /// It changed while it was read, or went: it is looked at again later.
    Unsettled,
}

/// The threads of one scan. Dropping the sender ends them.
pub(crate) struct Readers {
    /// Files that are asked for together.
    pub(crate) jobs: Sender<Vec<Job>>,
    pub(crate) done: Receiver<(usize, Outcome)>,
}

impl Readers {
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        factory: &'scope Factory,
        options: &ScanOptions,
        pace: &'scope Pace,
        stop: &'scope Stop,
        queue: &'scope Mutex<Option<Receiver<Vec<Job>>>>,
    ) -> Self {
        let (jobs, waiting) = channel();
        let (results, done) = channel();
        *queue.lock().unwrap_or_else(PoisonError::into_inner) = Some(waiting);
        for _ in 0..options.workers.max(1) {
            let results = results.clone();
            let nice = options.nice;
            scope.spawn(move || {
                be_nice(nice);
                let mut reader = None;
                loop {
                    let jobs = {
                        let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                        queue.as_ref().and_then(|waiting| waiting.recv().ok())
                    };
                    let Some(jobs) = jobs else { return };
                    if wait(pace.wait(jobs.len()), stop).is_break()
                        || read(&mut reader, factory, &jobs, stop, &results).is_break()
                    {
                        return;
                    }
                }
            });
        }
        Self { jobs, done }
    }
}

/// Waits for so long, or until it is stopped.
fn wait(mut left: Duration, stop: &Stop) -> ControlFlow<()> {
    while !left.is_zero() && !stop.is_set() {
        let some = left.min(GLANCE);
        thread::sleep(some);
        left -= some;
    }
    if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Reads these files, and goes on behind one whose reader panics. `Break` where nobody wants the results any more.
fn read(
    reader: &mut Option<Box<dyn FileReader>>,
    factory: &Factory,
    jobs: &[Job],
    stop: &Stop,
    results: &Sender<(usize, Outcome)>,
) -> ControlFlow<()> {
    let mut done = 0;
    while done < jobs.len() && !stop.is_set() {
        let rest = &jobs[done..];
        let files: Vec<&Path> = rest.iter().map(|job| &*job.path).collect();
        let whole = catch_unwind(AssertUnwindSafe(|| {
            let reader = reader.get_or_insert_with(factory);
            reader.read_all(&files, &mut |place, outcome| {
                done += 1;
                let told = results.send((rest[place].at, outcome_of(&rest[place], outcome)));
                if told.is_err() || stop.is_set() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        }));
        // One that panicked may be in any state; and where there was none, it could not be made.
        let lost = if whole.is_err() { reader.take() } else { None };
        // One that panicked, or that an odd reader passed over.
        if let Some(job) = jobs.get(done)
            && !stop.is_set()
        {
            let why = match (whole, lost) {
                (Err(_), None) => Unreadable::NotGiven { says: "the reader could not be made".to_owned() },
                _ => Unreadable::Hostile { says: "reading it panicked".to_owned() },
            };
            done += 1;
            if results.send((job.at, outcome_of(job, Err(why)))).is_err() {
                return ControlFlow::Break(());
            }
        }
    }
    if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn outcome_of(job: &Job, outcome: Result<Reading, Unreadable>) -> Outcome {
    let settled = look(&job.path).is_ok_and(|now| {
        (now.size, now.modified, now.inode) == (job.found.size, job.found.modified, job.found.inode)
    });
    match outcome {
        _ if !settled => Outcome::Unsettled,
        Ok(reading) => Outcome::Read(Box::new(reading)),
        Err(why) => Outcome::Unreadable(why),
    }
}
