//! Collects the tracks that are away before anything new is looked at.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row};

use super::survey::{Own, Survey};
use crate::identity::{Away, Aways, Belief, Content};
use crate::walk::join;
use crate::{Fingerprint, LibraryError};

const COLUMNS: &str = "SELECT f.key, d.root, d.path, f.name, f.size, f.modified, f.device, f.inode, f.fingerprint, f.mb_track, \
     f.mb_recording, f.likeness, f.milliseconds, EXISTS (SELECT 1 FROM tracks t WHERE t.key = f.key) OR f.why IS NOT NULL \
     FROM files f JOIN folders d ON d.key = f.folder";

/// Those that were missing already (unless their root is offline), those that are gone, and those whose file changed.
pub(super) fn collect(
    database: &Connection,
    survey: &Survey,
    offline: &HashSet<i64>,
) -> Result<Aways, LibraryError> {
    let mut aways = Aways::default();
    let mut missing =
        database.prepare_cached(&format!("{COLUMNS} WHERE f.state >= 2 AND f.state > 0 ORDER BY f.key"))?;
    let mut rows = missing.query([])?;
    while let Some(row) = rows.next()? {
        let away = away(row)?;
        if !offline.contains(&away.place.0) {
            aways.add(away);
        }
    }
    let changed = survey.new.iter().filter_map(|new| match new.own {
        Own::Track(key) => Some(key),
        Own::Nobody | Own::Again(_) => None,
    });
    let mut keys: Vec<i64> = survey.gone.keys().copied().chain(changed).collect();
    keys.sort_unstable();
    let mut one = database.prepare_cached(&format!("{COLUMNS} WHERE f.key = ?1"))?;
    for key in keys {
        let mut rows = one.query([key])?;
        if let Some(row) = rows.next()? {
            aways.add(away(row)?);
        }
    }
    Ok(aways)
}

fn away(row: &Row<'_>) -> rusqlite::Result<Away> {
    let folder: Vec<u8> = row.get(2)?;
    Ok(Away {
        key: row.get(0)?,
        place: (row.get(1)?, join(&folder, &row.get::<_, Vec<u8>>(3)?)),
        size: row.get(4)?,
        modified: row.get(5)?,
        device: row.get(6)?,
        inode: row.get(7)?,
        content: Content {
            fingerprint: row
                .get::<_, Option<[u8; 16]>>(8)?
                .map(|bytes| Fingerprint(u128::from_be_bytes(bytes))),
            mb_track: row.get(9)?,
            mb_recording: row.get(10)?,
            likeness: row.get(11)?,
            milliseconds: row.get(12)?,
        },
        read: row.get(13)?,
        belief: Belief::Gone,
    })
}

/// What the walk alone decides.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Files (indexes into [`Survey::new`]) that are these tracks, unchanged: nothing needs to be read.
    pub(super) moved: Vec<(usize, i64)>,
    /// Files that are these tracks and have to be read.
    pub(super) read_as: HashMap<usize, i64>,
    /// Files that lie where these tracks were, and may be them.
    pub(super) perhaps: HashMap<usize, i64>,
}

/// Rungs 1 and 2 of `identity`, for every new file at once, so that no weaker match takes what a stronger one needs.
pub(super) fn settle(survey: &Survey, aways: &mut Aways) -> Settled {
    let mut settled = Settled::default();
    if aways.is_empty() {
        return settled;
    }
    let mut done = HashSet::new();
    let taken: HashSet<i64> = survey
        .new
        .iter()
        .filter_map(|new| match new.own {
            Own::Track(key) => Some(key),
            Own::Nobody | Own::Again(_) => None,
        })
        .collect();
    // A file in a place where another was is known by itself first; else a row of renamed files would shift its ids.
    for (at, new) in survey.new.iter().enumerate() {
        if let Own::Track(_) = new.own
            && let Some(key) = aways.by_file(&new.found)
        {
            take(&mut settled, aways, at, key, &new.found);
            done.insert(at);
        }
    }
    for (at, new) in survey.new.iter().enumerate() {
        if new.own != Own::Nobody || done.contains(&at) {
            continue;
        }
        let folder = &survey.folders[new.folder];
        let place = (folder.root.key, join(&folder.listing.path, &new.found.name));
        let key = match aways.by_file(&new.found) {
            // One that was pushed from its place lies here now.
            Some(key) if !survey.gone.contains_key(&key) => Some(key),
            by_file => aways.by_place(&place, &new.found).filter(|key| !taken.contains(key)).or(by_file),
        };
        let Some(key) = key else { continue };
        if aways.is_as(key, &new.found) {
            take(&mut settled, aways, at, key, &new.found);
        } else {
            settled.perhaps.insert(at, key);
        }
    }
    settled
}

fn take(settled: &mut Settled, aways: &mut Aways, at: usize, key: i64, found: &crate::walk::Found) {
    let Some(away) = aways.take(key) else { return };
    if away.read && away.is_as(found) {
        settled.moved.push((at, key));
    } else {
        settled.read_as.insert(at, key);
    }
}
