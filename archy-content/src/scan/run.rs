//! The scan from its beginning to its end.

use std::collections::HashSet;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::aways::{collect, settle};
use super::commit::{Commit, line};
use super::finish::finish;
use super::guard::{Check, check, suspect};
use super::sift::Sift;
use super::survey::{Asked, Own, Root, Survey, survey};
use super::{Factory, ScanEvent, ScanOptions, ScanReport, Stop, Unsettled};
use crate::identity::Aways;
use crate::index::Index;
use crate::index::credits::Remembered;
use crate::walk::{Go, is_below};
use crate::{Clock, LibraryError, Timestamp};

/// So often a scan that waits looks whether it was stopped.
pub(super) const GLANCE: Duration = Duration::from_millis(20);

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
    let _alone = means.index.alone(Duration::ZERO)?;
    let first = once(means, options, each)?;
    if options.unsettled == Unsettled::Awaited && first.report.unsettled > 0 {
        let settle = i64::try_from(options.settle.as_nanos()).unwrap_or(i64::MAX);
        // What was moved in the clock's future is not waited for.
        let youngest = first.youngest.min(means.clock.now_nanos());
        while means.clock.now_nanos() <= youngest.saturating_add(settle) {
            if means.stop.is_set() {
                return Err(LibraryError::Cancelled);
            }
            thread::sleep(GLANCE);
        }
        let second = once(means, options, each)?;
        let (before, after) = (first.report, second.report);
        return Ok(ScanReport {
            read: before.read + after.read,
            added: before.added + after.added,
            moved: before.moved + after.moved,
            missing: still_missing(means.index, &first.missing)? + after.missing,
            failed: before.failed + after.failed,
            forgotten: before.forgotten + after.forgotten,
            ..after
        });
    }
    Ok(first.report)
}

/// What one look at everything led to.
struct Once {
    report: ScanReport,
    /// When the last of the files changed that are still being written, in nanoseconds.
    youngest: i64,
    missing: Vec<i64>,
}

/// How many of these have not turned up: a file that was still being written may have been one of them.
fn still_missing(index: &Index, tracks: &[i64]) -> Result<u64, LibraryError> {
    let reader = index.pool.read()?;
    let mut is_missing =
        reader.prepare("SELECT EXISTS (SELECT 1 FROM files WHERE key = ?1 AND state = 2)")?;
    let mut still = 0;
    for track in tracks {
        still += u64::from(is_missing.query_row([track], |row| row.get::<_, bool>(0))?);
    }
    Ok(still)
}

fn once(
    means: &Means<'_>,
    options: &ScanOptions,
    each: &mut dyn FnMut(ScanEvent),
) -> Result<Once, LibraryError> {
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
) -> Result<Once, LibraryError> {
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
    let mut sift = Sift {
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
    sift.read(todo, each)?;
    let Sift { survey, aways, mut commit, mut report, .. } = sift;
    report.unsettled_in = survey.unsettled_in();
    let missing = finish(&mut commit, &survey, &aways, &seen, means.grace, &mut report)?;
    Ok(Once { report, youngest: survey.youngest, missing })
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
        let inside = outermost.iter().any(|(other, above)| other.key == root.key && is_below(&path, above));
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
