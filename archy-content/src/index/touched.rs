//! What a transaction changed, and everything that follows from it: albums are grouped anew, artists resolved, words
//! searched, lines kept. Called once before each commit, so that every commit is whole.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};

use super::kept::Line;
use super::words::{Kind, rowid};
use super::{Index, albums, artists, sweep, words};
use crate::{LibraryError, Timestamp};

/// What was changed until now.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Folded titles and release ids whose tracks may group otherwise now.
    pub(crate) titles: BTreeSet<String>,
    pub(crate) releases: BTreeSet<String>,
    /// Albums that may have lost a track.
    pub(crate) albums: BTreeSet<i64>,
    /// Folded names whose artists may be others now.
    pub(crate) names: BTreeSet<String>,
    /// Tracks whose line in the side file is outdated.
    pub(crate) tracks: BTreeSet<i64>,
    /// Albums and artists likewise.
    pub(crate) kept_albums: BTreeSet<i64>,
    pub(crate) kept_artists: BTreeSet<i64>,
    /// Rows of `search` to be written anew, and those of them that cannot be there yet.
    pub(crate) words: BTreeSet<i64>,
    pub(crate) fresh: BTreeSet<i64>,
    /// What was gone before this time is swept out; `None` for no sweeping.
    pub(crate) sweep: Option<i64>,
}

impl Touched {
    /// Notes all that depends on this track as it is in the index now. Called before and after it is changed.
    pub(crate) fn track(&mut self, database: &Connection, key: i64) -> Result<(), LibraryError> {
        let about = database
            .prepare_cached("SELECT album_fold, mb_release, album FROM tracks WHERE key = ?1")?
            .query_row([key], |row| {
                Ok((
                    row.get::<_, Option<String>>(0)?,
                    row.get::<_, Option<String>>(1)?,
                    row.get::<_, Option<i64>>(2)?,
                ))
            })
            .optional()?;
        let Some((title, release, album)) = about else { return Ok(()) };
        self.titles.extend(title);
        self.releases.extend(release);
        self.albums.extend(album);
        let mut names = database.prepare_cached(
            "SELECT n.fold FROM credits c JOIN names n ON n.key = c.name WHERE c.track = ?1",
        )?;
        let mut rows = names.query([key])?;
        while let Some(row) = rows.next()? {
            self.names.insert(row.get(0)?);
        }
        Ok(())
    }

    /// Draws the consequences.
    pub(crate) fn settle(
        mut self,
        index: &Index,
        database: &Connection,
        scan: i64,
        now: Timestamp,
    ) -> Result<(), LibraryError> {
        albums::regroup(database, &mut self, scan, now)?;
        if self.sweep.is_some() {
            sweep::names(database, &mut self)?;
        }
        artists::resolve(database, &mut self, now)?;
        if let Some(before) = self.sweep {
            sweep::gone(database, &mut self, before)?;
        }
        words::fill(database, &self.words, &self.fresh)?;
        let mut lines: Vec<Line> = Vec::new();
        for key in &self.tracks {
            lines.extend(Line::track(database, *key)?);
        }
        for key in &self.kept_albums {
            lines.extend(Line::album(database, *key)?);
        }
        for key in &self.kept_artists {
            lines.extend(Line::artist(database, *key)?);
        }
        index.kept.add(&lines)
    }

    pub(crate) fn words_of(&mut self, key: i64, kind: Kind, fresh: bool) {
        let row = rowid(key, kind);
        self.words.insert(row);
        if fresh {
            self.fresh.insert(row);
        }
    }
}
