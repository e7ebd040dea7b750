//! The loop of whoever watches.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::marks::{Due, Marks};
use super::noted::Note;
use super::{How, WatchEvent, WatchOptions, Watched};
use crate::index::mount::without_events;
use crate::{Library, LibraryError, ScanOptions, Stop};

/// So often it is looked whether `stop` was set.
const GLANCE: Duration = Duration::from_millis(100);
/// So many events wait at most.
const WAITING: usize = 4_096;
/// So often it is looked whether the roots are the same ones.
const ROOTS: Duration = Duration::from_secs(5);
/// A scan that could not begin because another one runs is tried again after this.
const RETRY: Duration = Duration::from_secs(2);

/// A root, which file it was, and how it is watched.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    file: Option<(u64, u64)>,
    how: How,
}

struct Running<'a> {
    library: &'a Library,
    options: &'a WatchOptions,
    stop: &'a Stop,
    note: Note,
    roots: Vec<Root>,
    watcher: Option<RecommendedWatcher>,
    events: Option<Receiver<notify::Result<Event>>>,
    /// Whether more was told than could wait.
    lost: Arc<AtomicBool>,
    marks: Marks,
    /// When everything was walked last.
    walked: Option<Instant>,
}

pub(super) fn run(
    library: &Library,
    options: &WatchOptions,
    stop: &Stop,
    each: &mut dyn FnMut(WatchEvent),
) -> Result<(), LibraryError> {
    let mut running = Running {
        library,
        options,
        stop,
        note: Note::take(&library.index.directory)?,
        roots: Vec::new(),
        watcher: None,
        events: None,
        lost: Arc::default(),
        marks: Marks::new(options.quiet, options.longest),
        walked: None,
    };
    let mut looked: Option<Instant> = None;
    while !stop.is_set() {
        let now = Instant::now();
        if looked.is_none_or(|looked| now >= looked + ROOTS) {
            running.look(each)?;
            looked = Some(now);
        }
        if running.walked.is_none_or(|walked| now >= walked + running.period()) {
            running.marks.lost();
        }
        if let Some(due) = running.marks.due(now) {
            running.scan(due, each)?;
        }
        running.wait(each);
    }
    Ok(())
}

impl Running<'_> {
    /// How long everything may go without a walk.
    fn period(&self) -> Duration {
        let polls = self.roots.iter().any(|root| matches!(root.how, How::Polls { .. }));
        if polls { self.options.polled.min(self.options.everything) } else { self.options.everything }
    }

    /// Looks whether the roots are the same ones, and watches them anew if not.
    fn look(&mut self, each: &mut dyn FnMut(WatchEvent)) -> Result<(), LibraryError> {
        let now: Vec<(PathBuf, Option<(u64, u64)>)> = self
            .library
            .roots()?
            .into_iter()
            .map(|path| {
                let file = fs::metadata(&path).ok().map(|about| (about.dev(), about.ino()));
                (path, file)
            })
            .collect();
        let same = now
            .iter()
            .map(|(path, file)| (path, file))
            .eq(self.roots.iter().map(|root| (&root.path, &root.file)));
        if same && self.walked.is_some() {
            return Ok(());
        }
        self.watch(now);
        self.marks.lost();
        self.tell(each);
        Ok(())
    }

    /// Watches these roots and nothing else.
    fn watch(&mut self, roots: Vec<(PathBuf, Option<(u64, u64)>)>) {
        let (to, events) = sync_channel(WAITING);
        let lost = Arc::clone(&self.lost);
        let hear = move |event: notify::Result<Event>| {
            // Where too many wait, as while a scan runs, everything is walked.
            if !is_only_looked_at(&event) && to.try_send(event).is_err() {
                lost.store(true, Ordering::Relaxed);
            }
        };
        let watcher = RecommendedWatcher::new(hear, Config::default().with_follow_symlinks(false));
        let (mut watcher, refused) = match watcher {
            Ok(watcher) => (Some(watcher), None),
            Err(error) => (None, Some(error.to_string())),
        };
        self.events = Some(events);
        self.roots = roots
            .into_iter()
            .map(|(path, file)| {
                let how = match (&mut watcher, &refused) {
                    _ if file.is_none() => How::Polls { why: "it is away".to_owned() },
                    (Some(watcher), _) => how(watcher, &path),
                    (None, why) => How::Polls { why: why.clone().unwrap_or_default() },
                };
                Root { path, file, how }
            })
            .collect();
        self.watcher = watcher;
    }

    fn tell(&self, each: &mut dyn FnMut(WatchEvent)) {
        let watched: Vec<Watched> = self
            .roots
            .iter()
            .map(|root| Watched { root: root.path.to_string_lossy().into_owned(), how: root.how.clone() })
            .collect();
        self.note.write(&watched);
        each(WatchEvent::Watching(watched));
    }

    /// Waits for events, for the next folder that is due, or for the next glance, whatever comes first.
    fn wait(&mut self, each: &mut dyn FnMut(WatchEvent)) {
        let now = Instant::now();
        let due = self.marks.next().map_or(GLANCE, |next| next.saturating_duration_since(now));
        let Some(events) = self.events.take() else { return };
        if self.lost.swap(false, Ordering::Relaxed) {
            self.marks.lost();
        }
        match events.recv_timeout(due.min(GLANCE)) {
            Ok(event) => {
                self.take(event, each);
                let more: Vec<_> = events.try_iter().collect();
                for event in more {
                    self.take(event, each);
                }
            }
            // The watcher is gone: what it would have told is found by walking.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(GLANCE),
            Err(RecvTimeoutError::Timeout) => {}
        }
        self.events = Some(events);
    }

    fn take(&mut self, event: notify::Result<Event>, each: &mut dyn FnMut(WatchEvent)) {
        match event {
            Ok(event) if event.need_rescan() => self.marks.lost(),
            Ok(event) => {
                let now = Instant::now();
                for path in &event.paths {
                    let is_folder = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
                    self.marks.changed(path, is_folder, now);
                }
            }
            Err(error) => {
                self.marks.lost();
                let why = said(&error);
                let mut changed = false;
                for root in &mut self.roots {
                    if root.how == How::Events && matches!(error.kind, ErrorKind::MaxFilesWatch) {
                        root.how = How::Polls { why: why.clone() };
                        changed = true;
                    }
                }
                if changed {
                    self.tell(each);
                }
            }
        }
    }

    fn scan(&mut self, due: Due, each: &mut dyn FnMut(WatchEvent)) -> Result<(), LibraryError> {
        let only = match due {
            Due::Everything => Vec::new(),
            Due::Folders(folders) => folders,
        };
        each(WatchEvent::Begins(only.clone()));
        let everything = only.is_empty();
        let options = ScanOptions { only: only.clone(), ..self.options.scan.clone() };
        let done = self.library.scan(&options, self.stop, &mut |event| each(WatchEvent::Scan(event)));
        let now = Instant::now();
        match done {
            Ok(report) => {
                if everything {
                    self.walked = Some(now);
                }
                for folder in &report.unsettled_in {
                    self.marks.mark(folder.clone(), now);
                }
                each(WatchEvent::Done(report));
            }
            Err(LibraryError::Cancelled) => {}
            Err(error @ (LibraryError::Corrupt { .. } | LibraryError::Newer { .. })) => return Err(error),
            Err(error) => {
                if everything {
                    // Not at once: what is in the way is there for a while.
                    self.walked = Some((now + RETRY).checked_sub(self.period()).unwrap_or(now));
                } else {
                    for folder in only {
                        self.marks.mark(folder, now + RETRY);
                    }
                }
                each(WatchEvent::Failed(error.to_string()));
            }
        }
        Ok(())
    }
}

/// Looking at a file or folder, as every scan does, changes nothing.
fn is_only_looked_at(event: &notify::Result<Event>) -> bool {
    let Ok(Event { kind: EventKind::Access(kind), .. }) = event else { return false };
    *kind != AccessKind::Close(AccessMode::Write)
}

/// Begins to watch a root.
fn how(watcher: &mut RecommendedWatcher, root: &Path) -> How {
    let begun = watcher.watch(root, RecursiveMode::Recursive);
    match (without_events(root), begun) {
        (Some(kind), _) => How::Polls { why: format!("{kind} does not tell what changes on it") },
        (None, Err(error)) => How::Polls { why: said(&error) },
        (None, Ok(())) => How::Events,
    }
}

fn said(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the kernel watches no more folders (raise fs.inotify.max_user_watches)".to_owned()
        }
        ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}
