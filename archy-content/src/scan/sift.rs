//! The part of a scan that opens files: batches are read ahead, and of each file it is decided which track it is.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::Instant;

use super::commit::{Commit, Finished, settled};
use super::pace::Pace;
use super::read::{Job, Outcome, Readers};
use super::run::{GLANCE, Means};
use super::survey::{Own, Survey};
use super::{ScanEvent, ScanOptions, ScanReport};
use crate::grouping::album_folder;
use crate::identity::{Aways, Content};
use crate::index::rows::content;
use crate::walk::below;
use crate::{LibraryError, Reading, Unreadable};

/// So many batches are read ahead of the one that is written.
const AHEAD: usize = 3;
/// So many files are asked of a reader at once.
const TOGETHER: usize = 16;
/// So many files that only weak evidence knows wait for the others at most.
const WAITING: usize = 2_000;
/// What is found out by reading, and where it goes.
pub(super) struct Sift<'a> {
    pub(super) means: &'a Means<'a>,
    pub(super) options: &'a ScanOptions,
    pub(super) survey: Survey,
    pub(super) aways: Aways,
    pub(super) commit: Commit<'a>,
    pub(super) report: ScanReport,
    /// Files that the walk alone knew.
    pub(super) read_as: HashMap<usize, i64>,
    /// Files that lie where tracks were, and may be them.
    pub(super) perhaps: HashMap<usize, i64>,
    /// Files that were read and that only weak evidence may know.
    pub(super) waiting: Vec<(usize, Box<Reading>)>,
}

/// Files that are written in one transaction, and the folders that are complete with them.
struct Batch {
    files: Vec<usize>,
    folders: std::ops::Range<usize>,
}

impl Sift<'_> {
    pub(super) fn read(
        &mut self,
        todo: Vec<usize>,
        each: &mut dyn FnMut(ScanEvent),
    ) -> Result<(), LibraryError> {
        let of = todo.len() as u64;
        let batches = self.batches(todo);
        let started = Instant::now();
        let pace = Pace::new(self.options.files_per_second);
        let queue = Mutex::new(None);
        let (factory, stop, options) = (self.means.factory, self.means.stop, self.options);
        thread::scope(|scope| {
            let readers = if of == 0 {
                None
            } else {
                Some(Readers::start(scope, factory, options, &pace, stop, &queue))
            };
            let mut sent = 0;
            let mut here: BTreeMap<usize, Outcome> = BTreeMap::new();
            for at in 0..batches.len() {
                while let Some(ahead) = batches.get(sent).filter(|_| sent < at + AHEAD) {
                    let together = if options.files_per_second.is_some() { 1 } else { TOGETHER };
                    for files in ahead.files.chunks(together) {
                        self.send(readers.as_ref(), files);
                    }
                    sent += 1;
                }
                let batch = &batches[at];
                while !batch.files.iter().all(|file| here.contains_key(file)) && !stop.is_set() {
                    let Some(readers) = &readers else { break };
                    match readers.done.recv_timeout(GLANCE) {
                        Ok((file, outcome)) => {
                            here.insert(file, outcome);
                            here.extend(readers.done.try_iter());
                            each(self.reading(file, here.len() as u64, of, started));
                        }
                        Err(RecvTimeoutError::Timeout) => {}
                        // They end before their work does only where it is stopped.
                        Err(RecvTimeoutError::Disconnected) if stop.is_set() => {}
                        Err(RecvTimeoutError::Disconnected) => {
                            let source = std::io::ErrorKind::BrokenPipe.into();
                            return Err(LibraryError::System { doing: "reading files", source });
                        }
                    }
                }
                if stop.is_set() {
                    return Err(LibraryError::Cancelled);
                }
                self.report.read += batch.files.len() as u64;
                let outcomes =
                    batch.files.iter().filter_map(|file| Some((*file, here.remove(file)?))).collect();
                self.write(outcomes, batch.folders.clone())?;
                if !batch.files.is_empty() {
                    each(ScanEvent::Written { read: self.report.read });
                }
            }
            self.weak()
        })
    }

    /// How far it is when this file was read, and so many are not written yet.
    fn reading(&self, file: usize, unwritten: u64, of: u64, started: Instant) -> ScanEvent {
        let read = self.report.read + unwritten;
        let folder = &self.survey.folders[self.survey.new[file].folder].listing.path;
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let per_second = read as f64 / started.elapsed().as_secs_f64().max(1e-6);
        ScanEvent::Reading { folder: String::from_utf8_lossy(folder).into_owned(), read, of, per_second }
    }

    fn send(&self, readers: Option<&Readers>, files: &[usize]) {
        let job = |at: &usize| {
            let new = &self.survey.new[*at];
            let folder = &self.survey.folders[new.folder];
            let path = below(&folder.root.path, &crate::walk::join(&folder.listing.path, &new.found.name));
            Job { at: *at, path, found: new.found.clone() }
        };
        if let Some(readers) = readers {
            // It fails only when all readers ended, which whoever waits for their results sees.
            let _ = readers.jobs.send(files.iter().map(job).collect());
        }
    }

    /// Whole albums together, so that an album that changed is seen changing as one.
    fn batches(&self, todo: Vec<usize>) -> Vec<Batch> {
        let most = self.options.batch.max(1);
        let album = |at: usize| {
            let folder = &self.survey.folders[self.survey.new[at].folder];
            (folder.root.key, album_folder(&folder.listing.path).0)
        };
        let mut batches = Vec::new();
        let mut files: Vec<usize> = Vec::new();
        let mut folders = 0;
        for at in todo {
            let full = files.len() >= most;
            if let Some(last) = files.last().copied()
                && full
                && (album(last) != album(at) || files.len() >= most * 4)
            {
                let end = self.survey.new[at].folder;
                batches.push(Batch { files: std::mem::take(&mut files), folders: folders..end });
                folders = end;
            }
            files.push(at);
        }
        batches.push(Batch { files, folders: folders..self.survey.folders.len() });
        batches
    }

    fn write(
        &mut self,
        outcomes: Vec<(usize, Outcome)>,
        folders: std::ops::Range<usize>,
    ) -> Result<(), LibraryError> {
        let mut finished = Vec::with_capacity(outcomes.len());
        for (at, outcome) in outcomes {
            let folder = self.survey.new[at].folder;
            let Some(outcome) = settled(outcome) else {
                self.report.unsettled += 1;
                self.survey.youngest = self.survey.youngest.max(self.survey.new[at].found.modified);
                self.survey.folders[folder].complete = false;
                self.survey.folders[folder].unsettled = true;
                // Its track is where it was, as far as is known.
                if let Own::Track(key) = self.survey.new[at].own {
                    self.aways.take(key);
                }
                continue;
            };
            if let Err(Unreadable::NotGiven { .. }) = outcome {
                self.survey.folders[folder].complete = false;
            }
            match self.known_as(at, &outcome) {
                Known::As(track) => finished.push(Finished { at, track, outcome }),
                Known::Perhaps => {
                    if let Ok(reading) = outcome {
                        self.waiting.push((at, reading));
                    }
                    self.survey.folders[folder].lost = true;
                }
            }
        }
        let complete: Vec<usize> = folders.filter(|at| !self.survey.folders[*at].lost).collect();
        self.commit.files(&mut self.survey, &finished, &complete, &mut self.report)?;
        if self.waiting.len() >= WAITING { self.weak() } else { Ok(()) }
    }

    /// Which track a file is, by strong evidence.
    fn known_as(&mut self, at: usize, outcome: &Result<Box<Reading>, Unreadable>) -> Known {
        let own = match self.survey.new[at].own {
            Own::Again(key) => return Known::As(Some(key)),
            Own::Track(key) => Some(key),
            Own::Nobody => self.perhaps.get(&at).copied(),
        };
        if let Some(key) = self.read_as.get(&at) {
            return Known::As(Some(*key));
        }
        if self.aways.is_empty() {
            return Known::As(None);
        }
        let Ok(reading) = outcome else {
            return Known::As(own.filter(|key| self.aways.take(*key).is_some()));
        };
        let content = content(reading);
        if let Some(key) = self.aways.by_audio(&content, own) {
            self.aways.take(key);
            self.report.moved += u64::from(self.survey.new[at].own != Own::Track(key));
            return Known::As(Some(key));
        }
        if own.is_some() || self.aways.by_tags(&content).is_some() { Known::Perhaps } else { Known::As(None) }
    }

    /// The files that weak evidence alone may know, when all others have what is theirs.
    fn weak(&mut self) -> Result<(), LibraryError> {
        let mut waiting: Vec<(usize, Content, Box<Reading>)> = std::mem::take(&mut self.waiting)
            .into_iter()
            .map(|(at, reading)| (at, content(&reading), reading))
            .collect();
        let mut finished = Vec::with_capacity(waiting.len());
        // From a file that changed in place, over what its tags say, to where it lies.
        let rungs: [Rung<Self>; 3] = [Self::same_file, Self::by_tags, Self::in_place];
        for rung in rungs {
            for (at, content, reading) in std::mem::take(&mut waiting) {
                match rung(self, at, &content) {
                    Some(key) => {
                        self.aways.take(key);
                        self.report.moved += u64::from(self.survey.new[at].own == Own::Nobody);
                        finished.push(Finished { at, track: Some(key), outcome: Ok(reading) });
                    }
                    None => waiting.push((at, content, reading)),
                }
            }
        }
        let new =
            waiting.into_iter().map(|(at, _, reading)| Finished { at, track: None, outcome: Ok(reading) });
        finished.extend(new);
        if finished.is_empty() {
            return Ok(());
        }
        self.commit.files(&mut self.survey, &finished, &[], &mut self.report)
    }

    /// The track in whose place a file lies.
    fn own(&self, at: usize) -> Option<i64> {
        match self.survey.new[at].own {
            Own::Track(key) | Own::Again(key) => Some(key),
            Own::Nobody => self.perhaps.get(&at).copied(),
        }
    }

    fn same_file(&self, at: usize, content: &Content) -> Option<i64> {
        self.own(at).filter(|key| self.aways.is_same_file(*key, &self.survey.new[at].found, content))
    }

    fn by_tags(&self, _: usize, content: &Content) -> Option<i64> {
        self.aways.by_tags(content)
    }

    fn in_place(&self, at: usize, content: &Content) -> Option<i64> {
        self.own(at).filter(|key| !self.aways.is_another(*key, content))
    }
}

/// Which track a file is that waited, by one kind of evidence.
type Rung<R> = fn(&R, usize, &Content) -> Option<i64>;

/// What strong evidence says of a file.
enum Known {
    /// It is this track, or a new one.
    As(Option<i64>),
    /// Weak evidence may know it.
    Perhaps,
}
