//! What only the index knows (its folders, ids, when things were added, plays, favourites), a second time: a file of JSON lines beside
//! it, from which a rebuild takes it over. A line is written before the transaction that it belongs to is committed;
//! later lines about the same thing win. It is rewritten whole, atomically, when most of it is outdated.

mod line;
mod restore;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};

pub(crate) use line::{AlbumLine, ArtistLine, Line, PlaylistLine, TrackLine};

use crate::LibraryError;

const NAME: &str = "music.kept.jsonl";

/// The side file.
#[derive(Debug)]
pub(crate) struct Kept {
    path: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Lines that were added since it was written whole; at opening, all of them.
    added: usize,
    /// Whether there are lines that may not be on the disk yet.
    unsure: bool,
}

impl Kept {
    pub(super) fn open(directory: &Path) -> Result<Self, LibraryError> {
        let path = directory.join(NAME);
        let file = append(&path).map_err(broken)?;
        // A line that was cut by a power failure ends here, so that the next one is whole.
        let size = file.metadata().map_err(broken)?.len();
        let mut open = Open { file, added: 0, unsure: false };
        if size > 0 {
            open.file.write_all(b"\n").map_err(broken)?;
        }
        // About 250 bytes each.
        open.added = usize::try_from(size / 250).unwrap_or(usize::MAX);
        Ok(Self { path, open: Mutex::new(open) })
    }

    /// Adds lines. Called in a transaction that writes, before its commit: so nobody writes the file anew meanwhile.
    pub(crate) fn add(&self, lines: &[Line]) -> Result<(), LibraryError> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = Vec::with_capacity(lines.len() * 256);
        for line in lines {
            line.write(&mut text).map_err(broken)?;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_at(&open.file, &self.path).map_err(broken)? {
            // Another process wrote it anew, or somebody removed it.
            open.file = append(&self.path).map_err(broken)?;
        }
        open.file.write_all(&text).map_err(broken)?;
        open.added += lines.len();
        open.unsure = true;
        Ok(())
    }

    /// Sees to it that the file is on the disk, and writes it anew if most of it is outdated. Called with the writing
    /// connection, outside a transaction.
    pub(crate) fn settle(&self, database: &Connection) -> Result<(), LibraryError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if !open.unsure {
            return Ok(());
        }
        let live: usize = database.query_row(
            "SELECT (SELECT count(*) FROM track_user) + (SELECT count(*) FROM album_user) + (SELECT count(*) FROM artist_user)",
            [],
            |row| row.get::<_, i64>(0).map(|n| usize::try_from(n).unwrap_or_default()),
        )?;
        if open.added <= live * 2 + 1_000 {
            open.file.sync_data().map_err(broken)?;
            open.unsure = false;
            return Ok(());
        }
        // No process adds a line until the new file is in its place.
        let alone = Transaction::new_unchecked(database, TransactionBehavior::Immediate)?;
        let unfinished = self.path.with_extension("part");
        let mut out = BufWriter::new(File::create(&unfinished).map_err(broken)?);
        Line::each(&alone, &mut |line| line.write(&mut out).map_err(broken))?;
        let file = out.into_inner().map_err(|error| broken(error.into_error()))?;
        file.sync_all().map_err(broken)?;
        fs::rename(&unfinished, &self.path).and_then(|()| sync_folder(&self.path)).map_err(broken)?;
        open.file = append(&self.path).map_err(broken)?;
        (open.added, open.unsure) = (live, false);
        Ok(())
    }
}

/// Whether this open file is the one that has the name.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let here = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((here.dev(), here.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// After a power cut, too, a renamed file has its new name.
pub(super) fn sync_folder(of: &Path) -> io::Result<()> {
    of.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn broken(source: io::Error) -> LibraryError {
    LibraryError::System { doing: "writing what the index alone knows", source }
}
