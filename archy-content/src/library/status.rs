//! How the library is, and what its scans did.

use rusqlite::{Connection, Row};

use crate::index::mount;
use crate::page::cut;
use crate::{
    Cursor, Library, LibraryError, Page, Paged, RootState, RootStatus, ScanLine, ScanRecord, Status,
    Timestamp,
};

impl Library {
    /// How the library is.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn status(&self) -> Result<Status, LibraryError> {
        let reader = self.index.pool.read()?;
        let count = |sql: &str| -> Result<u64, LibraryError> {
            Ok(reader.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0))?.cast_unsigned())
        };
        let mut warnings = Vec::new();
        if let Some(kind) = mount::network(&self.index.directory) {
            warnings.push(format!(
                "the index lies on a network share ({kind}), where a database breaks; give it a directory on a disk of this machine"
            ));
        }
        warnings.extend(self.rebuilt());
        Ok(Status {
            roots: roots(&reader)?,
            tracks: count("SELECT count(*) FROM tracks")?,
            missing: count("SELECT count(*) FROM files WHERE state = 2 AND state > 0")?,
            unreadable: count("SELECT count(*) FROM files WHERE why IS NOT NULL AND state < 2")?,
            albums: count("SELECT count(*) FROM albums WHERE gone IS NULL")?,
            artists: count("SELECT count(*) FROM artists WHERE gone IS NULL")?,
            last_scan: scans(&reader, i64::MAX, 1)?.pop().map(|(_, scan)| scan),
            warnings,
        })
    }

    /// That the index was damaged or gone when this was opened, in a sentence for people; `None` if all was well.
    pub fn rebuilt(&self) -> Option<String> {
        let rebuilt = self.index.rebuilt.as_ref()?;
        let begun = format!("begun anew with {} tracks that were kept; a scan fills it", rebuilt.tracks);
        Some(match &rebuilt.aside {
            Some(aside) => {
                format!("the index was damaged, and is {begun}; the damaged one is {}", aside.display())
            }
            None => format!("the index was gone, and is {begun}"),
        })
    }

    /// What scans did, the last one first.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn scan_log(&self, page: &Page) -> Result<Paged<ScanRecord>, LibraryError> {
        let reader = self.index.pool.read()?;
        let before = page.after.as_ref().map_or(i64::MAX, |cursor| cursor.key);
        Ok(cut(scans(&reader, before, page.one_more())?, page.limit))
    }
}

fn roots(database: &Connection) -> Result<Vec<RootStatus>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT r.shown, r.state, r.since, r.why, count(t.key), coalesce(sum(f.state = 2), 0) FROM roots r \
         LEFT JOIN folders d ON d.root = r.key LEFT JOIN files f ON f.folder = d.key AND f.state < 3 \
         LEFT JOIN tracks t ON t.key = f.key GROUP BY r.key ORDER BY r.path",
    )?;
    let rows = statement.query_map([], |row| {
        let why = row.get::<_, Option<String>>(3)?.unwrap_or_default();
        Ok(RootStatus {
            path: row.get(0)?,
            state: match row.get::<_, i64>(1)? {
                0 => RootState::Online,
                1 => RootState::Offline { why },
                2 => RootState::Suspect { why },
                _ => RootState::Removed,
            },
            since: Timestamp(row.get(2)?),
            tracks: number(row, 4)?,
            missing: number(row, 5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn scans(database: &Connection, before: i64, limit: i64) -> Result<Vec<(Cursor, ScanRecord)>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT key, started, ended, outcome, found, read, moved, missing, failed, pending FROM scans \
         WHERE key < ?1 ORDER BY key DESC LIMIT ?2",
    )?;
    let mut lines =
        database.prepare_cached("SELECT place, what, says FROM scan_lines WHERE scan = ?1 ORDER BY key")?;
    let mut rows = statement.query(rusqlite::params![before, limit])?;
    let mut scans = Vec::new();
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        let lines = lines
            .query_map([key], |row| {
                Ok(ScanLine { place: row.get(0)?, what: row.get(1)?, says: row.get(2)? })
            })?
            .collect::<Result<_, _>>()?;
        let scan = ScanRecord {
            number: key,
            started: Timestamp(row.get(1)?),
            ended: row.get::<_, Option<i64>>(2)?.map(Timestamp),
            outcome: row.get(3)?,
            found: number(row, 4)?,
            read: number(row, 5)?,
            moved: number(row, 6)?,
            missing: number(row, 7)?,
            failed: number(row, 8)?,
            unsettled: number(row, 9)?,
            lines,
        };
        scans.push((Cursor { key, sorting: String::new() }, scan));
    }
    Ok(scans)
}

fn number(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at).map(i64::cast_unsigned)
}
