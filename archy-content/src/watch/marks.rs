//! Folders in which something changed, until they are quiet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folders that are marked.
#[derive(Debug)]
pub(super) struct Marks {
    quiet: Duration,
    longest: Duration,
    folders: BTreeMap<PathBuf, Since>,
    everything: bool,
}

#[derive(Clone, Copy, Debug)]
struct Since {
    first: Instant,
    last: Instant,
}

/// What is to be scanned.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Everything.
    Everything,
    /// These folders.
    Folders(Vec<PathBuf>),
}

impl Marks {
    pub(super) fn new(quiet: Duration, longest: Duration) -> Self {
        Self { quiet, longest, folders: BTreeMap::new(), everything: false }
    }

    /// Something changed at `path`: marks it if it is a folder, else the one that holds it.
    pub(super) fn changed(&mut self, path: &Path, is_folder: bool, now: Instant) {
        let folder = if is_folder { Some(path) } else { path.parent() };
        if let Some(folder) = folder {
            self.mark(folder.to_path_buf(), now);
        }
    }

    pub(super) fn mark(&mut self, folder: PathBuf, now: Instant) {
        self.folders
            .entry(folder)
            .and_modify(|since| since.last = now)
            .or_insert(Since { first: now, last: now });
    }

    /// Nobody knows what changed.
    pub(super) fn lost(&mut self) {
        self.everything = true;
    }

    /// What is to be scanned now, and is marked no longer.
    pub(super) fn due(&mut self, now: Instant) -> Option<Due> {
        if std::mem::take(&mut self.everything) {
            self.folders.clear();
            return Some(Due::Everything);
        }
        let (quiet, longest) = (self.quiet, self.longest);
        let ripe = |since: &Since| now >= (since.last + quiet).min(since.first + longest);
        let due: Vec<PathBuf> =
            self.folders.iter().filter(|(_, since)| ripe(since)).map(|(folder, _)| folder.clone()).collect();
        for folder in &due {
            self.folders.remove(folder);
        }
        (!due.is_empty()).then_some(Due::Folders(due))
    }

    /// When the next folder is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.folders.values().map(|since| (since.last + self.quiet).min(since.first + self.longest)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn folder(name: &str) -> Due {
        Due::Folders(vec![PathBuf::from(name)])
    }

    #[test]
    fn a_folder_is_due_when_it_was_quiet_and_at_the_latest_after_a_minute() {
        let mut marks = Marks::new(2 * SECOND, 60 * SECOND);
        let start = Instant::now();
        marks.changed(Path::new("/m/a/1.mp3"), false, start);
        marks.changed(Path::new("/m/b"), true, start + SECOND);
        assert_eq!(marks.next(), Some(start + 2 * SECOND));
        assert_eq!(marks.due(start + SECOND), None);
        assert_eq!(marks.due(start + 2 * SECOND), Some(folder("/m/a")));
        assert_eq!(marks.due(start + 3 * SECOND), Some(folder("/m/b")));
        assert_eq!(marks.due(start + 99 * SECOND), None);
        for second in 0..=59 {
            marks.changed(Path::new("/m/c/2.mp3"), false, start + second * SECOND);
            assert_eq!(marks.due(start + second * SECOND), None);
        }
        marks.changed(Path::new("/m/c/2.mp3"), false, start + 60 * SECOND);
        assert_eq!(marks.due(start + 60 * SECOND), Some(folder("/m/c")));
    }

    #[test]
    fn what_was_lost_is_looked_for_everywhere_at_once() {
        let mut marks = Marks::new(2 * SECOND, 60 * SECOND);
        let start = Instant::now();
        marks.changed(Path::new("/m/a/1.mp3"), false, start);
        marks.lost();
        assert_eq!(marks.due(start), Some(Due::Everything));
        assert_eq!((marks.due(start + 9 * SECOND), marks.next()), (None, None));
    }
}
