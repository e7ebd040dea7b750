//! Walks the roots and compares what lies there with the index: which files are new, changed, or gone. Nothing is opened
//! and nothing is written.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use rusqlite::Connection;

use crate::LibraryError;
use crate::walk::{Found, Go, Listing, WalkOptions, below, is_below, join, walk};

/// A root that is walked.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) key: i64,
    pub(crate) path: PathBuf,
}

/// A folder whose listing is not the one of the last scan.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) root: Root,
    /// In the index, once it is there.
    pub(crate) key: Option<i64>,
    pub(crate) hash: i64,
    pub(crate) listing: Listing,
    /// Whether files of the index are gone from it.
    pub(crate) lost: bool,
    /// Whether all that was listed is in the index when what was found new in it is. Else it is compared again next time.
    pub(crate) complete: bool,
    /// Whether a file in it is still being written.
    pub(crate) unsettled: bool,
}

/// Whose place a file lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// Nobody's: the index has no file here.
    Nobody,
    /// This track's, whose file was another one or like something else.
    Track(i64),
    /// This track's: the file is as it was, and only has to be read again.
    Again(i64),
}

/// A file that the index does not know like this.
#[derive(Debug)]
pub(crate) struct New {
    /// An index into [`Survey::folders`].
    pub(crate) folder: usize,
    pub(crate) found: Found,
    pub(crate) own: Own,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) folders: Vec<Folder>,
    pub(crate) new: Vec<New>,
    /// Files that are not where they were, and the root of each.
    pub(crate) gone: HashMap<i64, i64>,
    /// Files whose device or inode alone changed, as after a new mount, and those that were unknown.
    pub(crate) seen_anew: Vec<(i64, Found)>,
    /// Folders of the index that were not found, that could not be read (or lie below such).
    pub(crate) gone_folders: Vec<i64>,
    pub(crate) unknown_folders: Vec<i64>,
    /// Files that are there and could not be looked at.
    pub(crate) unknown_files: Vec<i64>,
    /// Files that are as the index knows them.
    pub(crate) unchanged: u64,
    pub(crate) found: u64,
    /// Files that are still being written, and when (nanoseconds) the youngest of them changed.
    pub(crate) unsettled: u64,
    pub(crate) youngest: i64,
    /// Place, what, in words.
    pub(crate) lines: Vec<(String, &'static str, String)>,
    pub(crate) stopped: bool,
}

/// More folders are not told one by one.
const MOST_UNSETTLED: usize = 64;

impl Survey {
    /// The folders in which a file is still being written; their roots, if there are many.
    pub(crate) fn unsettled_in(&self) -> Vec<PathBuf> {
        let folders = || self.folders.iter().filter(|folder| folder.unsettled);
        if folders().count() <= MOST_UNSETTLED {
            return folders().map(|folder| below(&folder.root.path, &folder.listing.path)).collect();
        }
        let roots: BTreeSet<&PathBuf> = folders().map(|folder| &folder.root.path).collect();
        roots.into_iter().cloned().collect()
    }
}

/// What the survey is told.
pub(crate) struct Asked<'a> {
    pub(crate) walk: WalkOptions,
    /// Whether a file that changed then (nanoseconds) is written to its end.
    pub(crate) settled: &'a dyn Fn(i64) -> bool,
    /// Told after every folder how many files were found; says whether to go on.
    pub(crate) each: &'a mut dyn FnMut(&Root, &[u8], u64) -> Go,
}

#[derive(Debug)]
struct KnownFolder {
    key: i64,
    hash: Option<i64>,
    device: i64,
    present: bool,
}

#[derive(Debug)]
struct KnownFile {
    key: i64,
    size: i64,
    modified: i64,
    device: i64,
    inode: i64,
    unknown: bool,
    /// The system did not give it the last time.
    try_again: bool,
}

/// Surveys one root below `from`.
pub(crate) fn survey(
    database: &Connection,
    root: &Root,
    from: &[u8],
    asked: &mut Asked<'_>,
    survey: &mut Survey,
) -> Result<(), LibraryError> {
    let mut known = known_folders(database, root.key, from)?;
    let mut unreadable: Vec<Vec<u8>> = Vec::new();
    let mut failed = None;
    walk(&root.path, from, asked.walk, &mut |listing| {
        let files = listing.audio.len() as u64;
        let path = listing.path.clone();
        if let Err(error) =
            compare(database, root, listing, &mut known, &mut unreadable, asked.settled, survey)
        {
            failed = Some(error);
            return Go::Stop;
        }
        survey.found += files;
        let go = (asked.each)(root, &path, survey.found);
        survey.stopped |= go == Go::Stop;
        go
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if survey.stopped {
        return Ok(());
    }
    for (path, folder) in known {
        if unreadable.iter().any(|bad| is_below(&path, bad)) {
            survey.unknown_folders.push(folder.key);
        } else {
            survey.gone_folders.push(folder.key);
            for (_, file) in known_files(database, folder.key)? {
                survey.gone.insert(file.key, root.key);
            }
        }
    }
    Ok(())
}

fn compare(
    database: &Connection,
    root: &Root,
    listing: Listing,
    known: &mut HashMap<Vec<u8>, KnownFolder>,
    unreadable: &mut Vec<Vec<u8>>,
    settled: &dyn Fn(i64) -> bool,
    survey: &mut Survey,
) -> Result<(), LibraryError> {
    let shown = |name: &[u8]| String::from_utf8_lossy(&join(&listing.path, name)).into_owned();
    for (name, says) in &listing.odd {
        survey.lines.push((shown(name), "odd", says.clone()));
        // If it was a folder, all below it is unknown.
        unreadable.push(join(&listing.path, name));
    }
    if let Some(says) = &listing.unreadable {
        survey.lines.push((shown(b""), "unreadable-folder", says.clone()));
        // It stays among the known, where all below an unreadable one is unknown.
        unreadable.push(listing.path);
        return Ok(());
    }
    if listing.twice {
        survey.lines.push((shown(b""), "listed-already", "the same folder under another name".to_owned()));
        return Ok(());
    }
    // A folder without audio of its own is not among the known, but what lay in it is.
    let was_elsewhere = |(path, folder): (&Vec<u8>, &KnownFolder)| {
        folder.present && folder.device != listing.device && is_below(path, &listing.path)
    };
    if listing.bare && known.iter().any(was_elsewhere) {
        // The place of a mount without its mount.
        survey.lines.push((
            shown(b""),
            "mount-gone",
            "it is empty and on another device than before".to_owned(),
        ));
        unreadable.push(listing.path);
        return Ok(());
    }
    let there = known.remove(&listing.path);
    let hash = listing.hash();
    if there.as_ref().is_some_and(|folder| folder.present && folder.hash == Some(hash)) {
        survey.unchanged += listing.audio.len() as u64;
        return Ok(());
    }
    let nothing = listing.audio.is_empty() && listing.sidecars.is_empty() && listing.playlists.is_empty();
    if there.is_none() && nothing {
        return Ok(());
    }
    let mut files = match &there {
        Some(folder) => known_files(database, folder.key)?,
        None => HashMap::new(),
    };
    let (mut complete, mut unsettled) = (true, false);
    let at = survey.folders.len();
    for found in &listing.audio {
        let file = files.remove(&found.name);
        let same =
            file.as_ref().is_some_and(|file| file.size == found.size && file.modified == found.modified);
        if !same && !settled(found.modified) {
            survey.unsettled += 1;
            survey.youngest = survey.youngest.max(found.modified);
            (complete, unsettled) = (false, true);
            continue;
        }
        let own = match file {
            None => Own::Nobody,
            Some(file) if same && !file.try_again => {
                survey.unchanged += 1;
                if file.unknown || (file.device, file.inode) != (found.device, found.inode) {
                    survey.seen_anew.push((file.key, found.clone()));
                }
                continue;
            }
            Some(file) if same => Own::Again(file.key),
            Some(file) => Own::Track(file.key),
        };
        survey.new.push(New { folder: at, found: found.clone(), own });
    }
    for (name, _) in &listing.odd {
        if let Some(file) = files.remove(name) {
            survey.unknown_files.push(file.key);
            complete = false;
        }
    }
    let lost = !files.is_empty();
    survey.gone.extend(files.into_values().map(|file| (file.key, root.key)));
    survey.folders.push(Folder {
        root: root.clone(),
        key: there.map(|folder| folder.key),
        hash,
        listing: Listing { audio: Vec::new(), ..listing },
        lost,
        complete,
        unsettled,
    });
    Ok(())
}

fn known_folders(
    database: &Connection,
    root: i64,
    from: &[u8],
) -> Result<HashMap<Vec<u8>, KnownFolder>, LibraryError> {
    let mut statement = database
        .prepare_cached("SELECT path, key, hash, device, state FROM folders WHERE root = ?1 AND state < 2")?;
    let rows = statement.query_map([root], |row| {
        let folder = KnownFolder {
            key: row.get(1)?,
            hash: row.get(2)?,
            device: row.get(3)?,
            present: row.get::<_, i64>(4)? == 0,
        };
        Ok((row.get::<_, Vec<u8>>(0)?, folder))
    })?;
    let mut folders = HashMap::new();
    for row in rows {
        let (path, folder) = row?;
        if is_below(&path, from) {
            folders.insert(path, folder);
        }
    }
    Ok(folders)
}

fn known_files(database: &Connection, folder: i64) -> Result<HashMap<Vec<u8>, KnownFile>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT name, key, size, modified, device, inode, state, why IS 'not-given' FROM files WHERE folder = ?1 AND state < 2",
    )?;
    let rows = statement.query_map([folder], |row| {
        let file = KnownFile {
            key: row.get(1)?,
            size: row.get(2)?,
            modified: row.get(3)?,
            device: row.get(4)?,
            inode: row.get(5)?,
            unknown: row.get::<_, i64>(6)? == 1,
            try_again: row.get(7)?,
        };
        Ok((row.get::<_, Vec<u8>>(0)?, file))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
