//! Reads files on several threads. Each has a reader of its own; one that panics is replaced.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use super::pace::{Pace, be_nice};
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
    pub(crate) jobs: Sender<Job>,
    pub(crate) done: Receiver<(usize, Outcome)>,
}

impl Readers {
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        factory: &'scope Factory,
        options: &ScanOptions,
        pace: &'scope Pace,
        stop: &'scope Stop,
        queue: &'scope Mutex<Option<Receiver<Job>>>,
    ) -> Self {
        let (jobs, waiting) = channel();
        let (results, done) = channel();
        *queue.lock().unwrap_or_else(PoisonError::into_inner) = Some(waiting);
        for _ in 0..options.workers.max(1) {
            let results = results.clone();
            let nice = options.nice;
            scope.spawn(move || {
                be_nice(nice);
                let mut reader = factory();
                loop {
                    let job = {
                        let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                        queue.as_ref().and_then(|waiting| waiting.recv().ok())
                    };
                    let Some(job) = job else { return };
                    if stop.is_set() {
                        return;
                    }
                    thread::sleep(pace.wait());
                    let outcome = read(&mut reader, factory, &job);
                    if results.send((job.at, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        Self { jobs, done }
    }
}

fn read(reader: &mut Box<dyn FileReader>, factory: &Factory, job: &Job) -> Outcome {
    let outcome = catch_unwind(AssertUnwindSafe(|| reader.read(&job.path))).unwrap_or_else(|_| {
        *reader = factory();
        Err(Unreadable::Hostile { says: "reading it panicked".to_owned() })
    });
    let settled = look(&job.path).is_ok_and(|now| {
        (now.size, now.modified, now.inode) == (job.found.size, job.found.modified, job.found.inode)
    });
    match outcome {
        _ if !settled => Outcome::Unsettled,
        Ok(reading) => Outcome::Read(Box::new(reading)),
        Err(why) => Outcome::Unreadable(why),
    }
}
