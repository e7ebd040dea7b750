//! The end of a scan: what is missing is marked, what nobody needs any more goes, and what was done is written down.

use rusqlite::{Transaction, params};

use super::ScanReport;
use super::commit::{Commit, line};
use super::guard::{Check, SUSPECT_FROM};
use super::lists::Lists;
use super::run::{Seen, log};
use super::survey::Survey;
use crate::identity::Aways;
use crate::index::kept::Line;
use crate::index::touched::Touched;
use crate::index::words::Kind;
use crate::index::{Index, rows};
use crate::{LibraryError, TrackId};

/// So many scans are remembered.
const SCANS: i64 = 100;

/// Ends a scan, and gives back the tracks that are missing since it.
pub(super) fn finish(
    commit: &mut Commit<'_>,
    survey: &Survey,
    aways: &Aways,
    seen: &[Seen],
    grace: i64,
    report: &mut ScanReport,
) -> Result<Vec<i64>, LibraryError> {
    log(commit, survey)?;
    let (now, scan) = (commit.now, commit.scan);
    let before = now.0.saturating_sub(grace);
    let lists = Lists::read(&*commit.index.pool.read()?, survey)?;
    let missing: Vec<i64> = survey.gone.keys().copied().filter(|key| aways.contains(*key)).collect();
    let index = commit.index;
    let (forgotten, suspect) = commit.transaction(&mut |transaction, _, touched| {
        for key in &missing {
            touched.track(transaction, *key)?;
            rows::lift_file(transaction, *key, now)?;
        }
        for folder in &survey.gone_folders {
            transaction
                .prepare_cached("UPDATE folders SET state = 2, since = ?2, hash = NULL WHERE key = ?1 AND state < 2")?
                .execute([*folder, now.0])?;
        }
        // These were open as long as something of them was not in the index.
        for folder in survey.folders.iter().filter(|folder| folder.lost) {
            let key = super::commit::folder_key(transaction, folder, now)?;
            super::commit::put_folder(transaction, key, folder, now)?;
        }
        let lines = lists.put(transaction, scan, survey, report.added + report.moved > 0)?;
        index.kept.add(&lines)?;
        let mut suspects = 0;
        for seen in seen {
            suspects += u64::from(put_root(transaction, seen, scan, now.0)?);
        }
        let forgotten = forget(index, transaction, touched, before)?;
        let changed = report.read + report.moved + forgotten > 0 || !missing.is_empty() || !survey.gone_folders.is_empty();
        if changed {
            touched.sweep = Some(before);
        }
        transaction.execute(
            "UPDATE scans SET found = ?2, read = ?3, moved = ?4, missing = ?5, failed = ?6, pending = ?7 WHERE key = ?1",
            params![
                scan,
                report.found.cast_signed(),
                report.read.cast_signed(),
                report.moved.cast_signed(),
                i64::try_from(missing.len()).unwrap_or(i64::MAX),
                report.failed.cast_signed(),
                report.unsettled.cast_signed()
            ],
        )?;
        // Of those that found nothing to do the last one is enough: whoever watches makes one a minute.
        transaction.execute(
            "DELETE FROM scans WHERE key < ?1 AND outcome = 'done' AND read + moved + missing + failed = 0",
            [scan],
        )?;
        transaction.execute(
            "DELETE FROM scans WHERE key <= (SELECT key FROM scans ORDER BY key DESC LIMIT 1 OFFSET ?1)",
            [SCANS],
        )?;
        Ok((forgotten, suspects))
    })?;
    report.missing = missing.len() as u64;
    report.forgotten = forgotten;
    report.roots_away += suspect;
    commit.index.kept.settle(&commit.index.pool.write())?;
    Ok(missing)
}

/// Writes how a root was; tells whether it is suspect.
fn put_root(transaction: &Transaction<'_>, seen: &Seen, scan: i64, now: i64) -> Result<bool, LibraryError> {
    let mut put = transaction.prepare_cached(
        "UPDATE roots SET since = iif(state = ?2, since, ?3), state = ?2, why = ?4, device = coalesce(?5, device) WHERE key = ?1 AND state < 3",
    )?;
    let shown = seen.root.path.to_string_lossy();
    let device = match &seen.check {
        Check::Offline(why) => {
            put.execute(params![seen.root.key, 1, now, why, None::<i64>])?;
            line(transaction, scan, &shown, "root-offline", why)?;
            return Ok(false);
        }
        Check::Online(device) => *device,
    };
    let mut suspect = seen.suspect;
    if seen.was_suspect && !suspect {
        let (missing, all): (i64, i64) = transaction
            .prepare_cached(
                "SELECT coalesce(sum(f.state = 2), 0), count(*) FROM files f JOIN folders d ON d.key = f.folder \
                 WHERE d.root = ?1 AND f.state < 3",
            )?
            .query_row([seen.root.key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        suspect = all.cast_unsigned() >= SUSPECT_FROM && missing * 10 > all * 3;
    }
    let why = "much of it vanished at once";
    put.execute(params![seen.root.key, if suspect { 2 } else { 0 }, now, suspect.then_some(why), device])?;
    if suspect {
        line(transaction, scan, &shown, "root-suspect", why)?;
    }
    Ok(suspect)
}

/// Forgets what is missing for longer than the grace period, in roots that are believed. What the owner would miss of it
/// (plays, favourites) stays, and its id with it.
fn forget(
    index: &Index,
    transaction: &Transaction<'_>,
    touched: &mut Touched,
    before: i64,
) -> Result<u64, LibraryError> {
    let mut overdue = transaction.prepare_cached(
        "SELECT f.key, u.plays > 0 OR u.favourite IS NOT NULL, u.id FROM files f JOIN track_user u ON u.file = f.key \
         JOIN folders d ON d.key = f.folder JOIN roots r ON r.key = d.root \
         WHERE f.state = 2 AND f.state > 0 AND f.since <= ?1 AND r.state IN (0, 3)",
    )?;
    let overdue: Vec<(i64, bool, TrackId)> = overdue
        .query_map([before], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let mut lines = Vec::new();
    for (key, missed, id) in &overdue {
        touched.track(transaction, *key)?;
        if *missed {
            transaction.prepare_cached("DELETE FROM tracks WHERE key = ?1")?.execute([key])?;
            transaction.prepare_cached("UPDATE files SET state = 3 WHERE key = ?1")?.execute([key])?;
        } else {
            delete(transaction, *key)?;
            lines.push(Line::Forgotten { id: *id });
        }
        touched.words_of(*key, Kind::Track, false);
    }
    index.kept.add(&lines)?;
    Ok(overdue.len() as u64)
}

/// Deletes a file with all that was known of it.
pub(crate) fn delete(transaction: &Transaction<'_>, key: i64) -> Result<(), LibraryError> {
    transaction.prepare_cached("DELETE FROM files WHERE key = ?1")?.execute([key])?;
    Ok(())
}
