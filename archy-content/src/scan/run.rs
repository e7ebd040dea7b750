//! The scan from its beginning to its end.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use super::aways::{collect, settle};
use super::commit::{Commit, Finished, line, settled};
use super::finish::finish;
use super::guard::{Check, check, suspect};
use super::pace::Pace;
use super::read::{Job, Outcome, Readers};
use super::survey::{Asked, Own, Root, Survey, survey};
use super::{Factory, ScanEvent, ScanOptions, ScanReport, Stop, Unsettled};
use crate::grouping::album_folder;
use crate::identity::{Aways, Content};
use crate::index::Index;
use crate::index::rows::{Remembered, content};
use crate::walk::{Go, below};
use crate::{Clock, LibraryError, Reading, Timestamp, Unreadable};

/// So many batches are read ahead of the one that is written.
const AHEAD: usize = 3;
/// So many files are asked of a reader at once.
const TOGETHER: usize = 16;
/// So many files that only weak evidence knows wait for the others at most.
const WAITING: usize = 2_000;
/// So often a scan that waits looks whether it was stopped.
const GLANCE: Duration = Duration::from_millis(20);

/// What a scan works with.
pub(crate) struct Means<'a> {
    pub(crate) index: &'a Index,
    pub(crate) factory: &'a Factory,
    pub(crate) clock: &'a dyn Clock,
    /// How long what is missing is kept, in seconds.
    pub(crate) grace: i64,
    pub(crate) stop: &'a Stop,
}

/// A root, whether it is believed, and what it holds.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) root: Root,
    pub(super) check: Check,
    pub(super) was_suspect: bool,
    pub(super) suspect: bool,
}

/// Scans once; a second time if it is to wait for files that are still being written.
pub(crate) fn run(
    means: &Means<'_>,
    options: &ScanOptions,
    each: &mut dyn FnMut(ScanEvent),
) -> Result<ScanReport, LibraryError> {
    let _lock = lock(&means.index.directory)?;
    let (mut report, mut youngest) = once(means, options, each)?;
    if options.unsettled == Unsettled::Awaited && report.unsettled > 0 {
        let settle = i64::try_from(options.settle.as_nanos()).unwrap_or(i64::MAX);
        // What was moved in the clock's future is not waited for.
        youngest = youngest.min(means.clock.now_nanos());
        while means.clock.now_nanos() <= youngest.saturating_add(settle) {
            if means.stop.is_set() {
                return Err(LibraryError::Cancelled);
            }
            thread::sleep(GLANCE);
        }
        let (second, _) = once(means, options, each)?;
        report = ScanReport {
            read: report.read + second.read,
            added: report.added + second.added,
            moved: report.moved + second.moved,
            missing: report.missing + second.missing,
            failed: report.failed + second.failed,
            forgotten: report.forgotten + second.forgotten,
            ..second
        };
    }
    Ok(report)
}

/// One scan at a time, of all processes. The lock goes with the process.
fn lock(directory: &Path) -> Result<File, LibraryError> {
    let io = |source| LibraryError::System { doing: "locking the index for a scan", source };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join("music.lock"))
        .map_err(io)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(LibraryError::Scanning),
        Err(error) => Err(io(error.into())),
    }
}

fn once(
    means: &Means<'_>,
    options: &ScanOptions,
    each: &mut dyn FnMut(ScanEvent),
) -> Result<(ScanReport, i64), LibraryError> {
    let now = means.clock.now();
    let scan = begin(means.index, now)?;
    let done = scan_in(means, options, each, scan, now);
    let outcome = match &done {
        Ok(_) => "done",
        Err(LibraryError::Cancelled) => "cancelled",
        Err(_) => "failed",
    };
    let writer = means.index.pool.write();
    let told = writer.execute(
        "UPDATE scans SET ended = ?2, outcome = ?3 WHERE key = ?1",
        rusqlite::params![scan, means.clock.now().0, outcome],
    );
    match done {
        Ok(done) => told.map(|_| done).map_err(LibraryError::from),
        Err(error) => Err(error),
    }
}

fn begin(index: &Index, now: Timestamp) -> Result<i64, LibraryError> {
    let writer = index.pool.write();
    writer.execute("INSERT INTO scans (started) VALUES (?1)", [now.0])?;
    Ok(writer.last_insert_rowid())
}

fn scan_in(
    means: &Means<'_>,
    options: &ScanOptions,
    each: &mut dyn FnMut(ScanEvent),
    scan: i64,
    now: Timestamp,
) -> Result<(ScanReport, i64), LibraryError> {
    let mut seen = look(means.index, each)?;
    let settle_nanos = i64::try_from(options.settle.as_nanos()).unwrap_or(i64::MAX);
    let now_nanos = means.clock.now_nanos();
    let asked = |found: &mut dyn FnMut(ScanEvent), from: &[(Root, Vec<u8>)]| {
        let mut all = Survey::default();
        let reader = means.index.pool.read()?;
        for (root, path) in from {
            let mut asked = Asked {
                walk: options.walk,
                // What seems to come from the future is not waited for: its clock is wrong, not its end open.
                settled: &|modified| {
                    modified <= now_nanos.saturating_sub(settle_nanos)
                        || modified > now_nanos.saturating_add(settle_nanos)
                },
                each: &mut |_, folder, count| {
                    found(ScanEvent::Walking {
                        folder: String::from_utf8_lossy(folder).into_owned(),
                        found: count,
                    });
                    if means.stop.is_set() { Go::Stop } else { Go::On }
                },
            };
            survey(&reader, root, path, &mut asked, &mut all)?;
            if all.stopped {
                return Err(LibraryError::Cancelled);
            }
        }
        Ok(all)
    };
    let whole: Vec<(Root, Vec<u8>)> = online(&seen).map(|root| (root.clone(), Vec::new())).collect();
    let some = only(&options.only, &seen);
    let mut survey = asked(each, if options.only.is_empty() { &whole } else { &some })?;
    if !options.only.is_empty() && survey.new.iter().any(|new| new.own == Own::Nobody) {
        survey = asked(each, &whole)?;
    }
    let mut report = ScanReport {
        found: survey.found,
        unchanged: survey.unchanged,
        unsettled: survey.unsettled,
        ..ScanReport::default()
    };
    report.roots_away = seen.iter().filter(|seen| matches!(seen.check, Check::Offline(_))).count() as u64;
    let offline = seen
        .iter()
        .filter(|seen| matches!(seen.check, Check::Offline(_)))
        .map(|seen| seen.root.key)
        .collect();
    let mut aways = collect(&*means.index.pool.read()?, &survey, &offline)?;
    let settled = settle(&survey, &mut aways);
    suspects(means.index, &mut seen, &survey, &mut aways, settled.moved.len())?;
    let mut commit = Commit { index: means.index, scan, now, remembered: Remembered::default() };
    commit.moves(&mut survey, &settled.moved)?;
    report.moved += settled.moved.len() as u64;
    let matched: HashSet<usize> = settled.moved.iter().map(|(at, _)| *at).collect();
    let todo: Vec<usize> = (0..survey.new.len()).filter(|at| !matched.contains(at)).collect();
    let mut reading = Reader {
        means,
        options,
        survey,
        aways,
        commit,
        report,
        read_as: settled.read_as,
        perhaps: settled.perhaps,
        waiting: Vec::new(),
    };
    reading.read(todo, each)?;
    let Reader { survey, aways, mut commit, mut report, .. } = reading;
    finish(&mut commit, &survey, &aways, &seen, means.grace, &mut report)?;
    Ok((report, survey.youngest))
}

/// Looks at every root.
fn look(index: &Index, each: &mut dyn FnMut(ScanEvent)) -> Result<Vec<Seen>, LibraryError> {
    use std::os::unix::ffi::OsStringExt;
    let reader = index.pool.read()?;
    let mut statement =
        reader.prepare("SELECT key, path, device, state FROM roots WHERE state < 3 ORDER BY key")?;
    let mut rows = statement.query([])?;
    let mut seen = Vec::new();
    while let Some(row) = rows.next()? {
        let root = Root { key: row.get(0)?, path: PathBuf::from(std::ffi::OsString::from_vec(row.get(1)?)) };
        let check = check(&reader, root.key, &root.path, row.get(2)?)?;
        if let Check::Offline(why) = &check {
            each(ScanEvent::RootAway { root: root.path.to_string_lossy().into_owned(), why: why.clone() });
        }
        seen.push(Seen { root, check, was_suspect: row.get::<_, i64>(3)? == 2, suspect: false });
    }
    Ok(seen)
}

fn online(seen: &[Seen]) -> impl Iterator<Item = &Root> {
    seen.iter().filter(|seen| matches!(seen.check, Check::Online(_))).map(|seen| &seen.root)
}

/// The folders that alone are asked for, each as its root and a path below it; the nearest one above that is there.
fn only(folders: &[PathBuf], seen: &[Seen]) -> Vec<(Root, Vec<u8>)> {
    use std::os::unix::ffi::OsStrExt;
    let mut asked: Vec<(Root, Vec<u8>)> = Vec::new();
    for folder in folders {
        let Some(root) = online(seen).find(|root| folder.starts_with(&root.path)) else { continue };
        let there = folder.ancestors().take_while(|up| up.starts_with(&root.path)).find(|up| up.is_dir());
        let Some(inside) = there.and_then(|there| there.strip_prefix(&root.path).ok()) else { continue };
        asked.push((root.clone(), inside.as_os_str().as_bytes().to_vec()));
    }
    asked.sort_by(|a, b| (a.0.key, &a.1).cmp(&(b.0.key, &b.1)));
    // Sorted by bytes, `a b` comes between `a` and `a/c`: so all that were taken are compared.
    let mut outermost: Vec<(Root, Vec<u8>)> = Vec::new();
    for (root, path) in asked {
        let inside = outermost.iter().any(|(other, above)| {
            other.key == root.key
                && (above.is_empty()
                    || path.strip_prefix(&above[..]).is_some_and(|rest| rest.is_empty() || rest[0] == b'/'))
        });
        if !inside {
            outermost.push((root, path));
        }
    }
    outermost
}

/// Marks the roots of which too much vanished at once.
fn suspects(
    index: &Index,
    seen: &mut [Seen],
    survey: &Survey,
    aways: &mut Aways,
    moved: usize,
) -> Result<(), LibraryError> {
    let reader = index.pool.read()?;
    for seen in seen {
        let gone: Vec<i64> = survey
            .gone
            .iter()
            .filter(|(key, root)| **root == seen.root.key && aways.contains(**key))
            .map(|(key, _)| *key)
            .collect();
        if gone.is_empty() {
            continue;
        }
        let known: u64 = reader
            .prepare_cached("SELECT count(*) FROM files f JOIN folders d ON d.key = f.folder WHERE d.root = ?1 AND f.state < 2")?
            .query_row([seen.root.key], |row| row.get::<_, i64>(0))?
            .cast_unsigned();
        let new = survey.new.iter().filter(|new| new.own == Own::Nobody).count().saturating_sub(moved) as u64;
        seen.suspect = suspect(known, gone.len() as u64, new);
        if seen.suspect {
            aways.doubt(gone);
        }
    }
    Ok(())
}

/// The part of a scan that opens files.
struct Reader<'a> {
    means: &'a Means<'a>,
    options: &'a ScanOptions,
    survey: Survey,
    aways: Aways,
    commit: Commit<'a>,
    report: ScanReport,
    /// Files that the walk alone knew.
    read_as: HashMap<usize, i64>,
    /// Files that lie where tracks were, and may be them.
    perhaps: HashMap<usize, i64>,
    /// Files that were read and that only weak evidence may know.
    waiting: Vec<(usize, Box<Reading>)>,
}

/// Files that are written in one transaction, and the folders that are complete with them.
struct Batch {
    files: Vec<usize>,
    folders: std::ops::Range<usize>,
}

impl Reader<'_> {
    fn read(&mut self, todo: Vec<usize>, each: &mut dyn FnMut(ScanEvent)) -> Result<(), LibraryError> {
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
                while !batch.files.iter().all(|file| here.contains_key(file)) {
                    if stop.is_set() {
                        return Err(LibraryError::Cancelled);
                    }
                    let Some(readers) = &readers else { break };
                    if let Ok((file, outcome)) = readers.done.recv_timeout(GLANCE) {
                        here.insert(file, outcome);
                        here.extend(readers.done.try_iter());
                    }
                }
                self.report.read += batch.files.len() as u64;
                let outcomes =
                    batch.files.iter().filter_map(|file| Some((*file, here.remove(file)?))).collect();
                self.write(outcomes, batch.folders.clone())?;
                if let Some(last) = batch.files.last() {
                    let read = self.report.read;
                    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
                    let per_second = read as f64 / started.elapsed().as_secs_f64().max(1e-6);
                    let folder = &self.survey.folders[self.survey.new[*last].folder].listing.path;
                    let folder = String::from_utf8_lossy(folder).into_owned();
                    each(ScanEvent::Reading { folder, read, of, per_second });
                }
            }
            self.weak()
        })
    }

    fn send(&self, readers: Option<&Readers>, files: &[usize]) {
        let job = |at: &usize| {
            let new = &self.survey.new[*at];
            let folder = &self.survey.folders[new.folder];
            let path = below(&folder.root.path, &crate::walk::join(&folder.listing.path, &new.found.name));
            Job { at: *at, path, found: new.found.clone() }
        };
        if let Some(readers) = readers {
            // It fails only when all readers ended, which the waiting for their results sees.
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

/// Lines of the log that the walk wrote.
pub(super) fn log(commit: &mut Commit<'_>, survey: &Survey) -> Result<(), LibraryError> {
    let scan = commit.scan;
    if survey.lines.is_empty() {
        return Ok(());
    }
    commit.transaction(&mut |transaction, _, _| {
        for (place, what, says) in &survey.lines {
            line(transaction, scan, place, what, says)?;
        }
        Ok(())
    })
}
