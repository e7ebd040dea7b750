//! Which folders belong to the library.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::index::kept::Line;
use crate::index::touched::Touched;
use crate::scan::delete;
use crate::{Library, LibraryError};

/// So long a scan that runs is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

impl Library {
    /// Says which roots there are, all of them. One that is not among them any more is taken out: its tracks are missing,
    /// and known again wherever they turn up, until the grace period ends. One that comes back is as it was.
    ///
    /// # Errors
    ///
    /// When the index cannot be written; [`LibraryError::Scanning`] if one is taken out and a scan runs for longer than a
    /// few seconds.
    pub fn set_roots(&self, roots: &[PathBuf]) -> Result<(), LibraryError> {
        let now = self.now();
        let stay = self.roots()?.iter().all(|root| roots.contains(root));
        let _alone = if stay { None } else { Some(self.index.alone(PATIENCE)?) };
        let mut writer = self.index.pool.write();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let wanted: BTreeSet<&[u8]> = roots.iter().map(|root| root.as_os_str().as_bytes()).collect();
        let known: Vec<(i64, Vec<u8>)> = transaction
            .prepare("SELECT key, path FROM roots WHERE state < 3")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        if known.len() == wanted.len() && known.iter().all(|(_, path)| wanted.contains(&path[..])) {
            return Ok(());
        }
        for path in &wanted {
            transaction.execute(
                "INSERT INTO roots (path, shown, since) VALUES (?1, ?2, ?3) \
                 ON CONFLICT (path) DO UPDATE SET state = 0, since = ?3 WHERE state = 3",
                params![path, String::from_utf8_lossy(path), now.0],
            )?;
        }
        let mut touched = Touched::default();
        for (key, _) in known.into_iter().filter(|(_, path)| !wanted.contains(&path[..])) {
            transaction.execute("UPDATE roots SET state = 3, since = ?2 WHERE key = ?1", [key, now.0])?;
            let files: Vec<i64> = transaction
                .prepare("SELECT f.key FROM files f JOIN folders d ON d.key = f.folder WHERE d.root = ?1 AND f.state < 2")?
                .query_map([key], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            for file in files {
                touched.track(&transaction, file)?;
                crate::index::rows::lift_file(&transaction, file, now)?;
            }
            transaction.execute(
                "UPDATE folders SET hash = NULL, state = 2, since = ?2 WHERE root = ?1",
                [key, now.0],
            )?;
        }
        touched.settle(&self.index, &transaction, 0, now)?;
        self.keep_roots(transaction)?;
        self.index.kept.settle(&writer)
    }

    /// Commits, and keeps which roots there are besides.
    fn keep_roots(&self, transaction: Transaction<'_>) -> Result<(), LibraryError> {
        self.index.kept.add(&[Line::roots(&transaction)?])?;
        transaction.commit()?;
        Ok(())
    }

    /// Says that a root lies elsewhere now, with everything as it was.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such root; [`LibraryError::Scanning`] if a scan runs for longer than a few
    /// seconds.
    pub fn move_root(&self, from: &Path, to: &Path) -> Result<(), LibraryError> {
        let _alone = self.index.alone(PATIENCE)?;
        let mut writer = self.index.pool.write();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let to = to.as_os_str().as_bytes();
        let changed = transaction.execute(
            "UPDATE roots SET path = ?2, shown = ?3, device = NULL WHERE path = ?1 AND state < 3",
            params![from.as_os_str().as_bytes(), to, String::from_utf8_lossy(to)],
        )?;
        if changed == 0 {
            return Err(unknown(from));
        }
        self.keep_roots(transaction)?;
        self.index.kept.settle(&writer)
    }

    /// Says that what a root shows now is right, also if another device is in its place. The next scan believes it.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such root; [`LibraryError::Scanning`] if a scan runs for longer than a few
    /// seconds.
    pub fn trust_root(&self, root: &Path) -> Result<(), LibraryError> {
        let _alone = self.index.alone(PATIENCE)?;
        let changed = self.index.pool.write().execute(
            "UPDATE roots SET device = NULL, state = 0, since = ?2 WHERE path = ?1 AND state < 3",
            params![root.as_os_str().as_bytes(), self.now().0],
        )?;
        if changed == 0 { Err(unknown(root)) } else { Ok(()) }
    }

    /// Forgets the tracks that are missing, of this root or of all, with what the owner did with them. Tells how many.
    /// What is only offline or unknown is not missing.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such root; [`LibraryError::Scanning`] if a scan runs for longer than a few
    /// seconds.
    pub fn forget_missing(&self, root: Option<&Path>) -> Result<u64, LibraryError> {
        let _alone = self.index.alone(PATIENCE)?;
        let now = self.now();
        let mut writer = self.index.pool.write();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let key: Option<i64> = match root {
            None => None,
            Some(root) => Some(
                transaction
                    .query_row(
                        "SELECT key FROM roots WHERE path = ?1",
                        [root.as_os_str().as_bytes()],
                        |row| row.get(0),
                    )
                    .optional()?
                    .ok_or_else(|| unknown(root))?,
            ),
        };
        let missing: Vec<(i64, crate::TrackId)> = transaction
            .prepare(
                "SELECT f.key, u.id FROM files f JOIN track_user u ON u.file = f.key JOIN folders d ON d.key = f.folder \
                 WHERE f.state >= 2 AND f.state > 0 AND (?1 IS NULL OR d.root = ?1)",
            )?
            .query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let mut touched = Touched::default();
        for (file, _) in &missing {
            touched.track(&transaction, *file)?;
            delete(&transaction, *file)?;
            touched.words_of(*file, crate::index::words::Kind::Track, false);
        }
        touched.sweep = Some(i64::MIN);
        transaction.execute(
            "UPDATE roots SET state = 0, since = ?2 WHERE state = 2 AND (?1 IS NULL OR key = ?1)",
            params![key, now.0],
        )?;
        touched.settle(&self.index, &transaction, 0, now)?;
        let lines: Vec<_> = missing.iter().map(|(_, id)| Line::Forgotten { id: *id }).collect();
        self.index.kept.add(&lines)?;
        transaction.commit()?;
        Ok(missing.len() as u64)
    }
}

fn unknown(root: &Path) -> LibraryError {
    LibraryError::Unknown { what: format!("root {}", root.display()) }
}
