//! Words that are sung: those that a file holds, else those that lie beside it.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use encoding_rs::{UTF_8, WINDOWS_1252};
use rusqlite::{Connection, OptionalExtension};

use crate::walk::{below, join};
use crate::{Library, LibraryError, TrackId};

/// More of a file of words is not read.
const MOST: u64 = 256 << 10;

impl Library {
    /// The words of a track: those in its file, else those of a file beside it that has its name and ends in `.lrc`, with
    /// the times that stand in it. A file beside it is read now, 256 KiB of it at most; one that cannot be read is none.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn lyrics(&self, id: TrackId) -> Result<Option<String>, LibraryError> {
        let place = {
            let reader = self.index.pool.read()?;
            let held: Option<String> = reader
                .prepare_cached(
                    "SELECT l.words FROM lyrics l JOIN track_user u ON u.file = l.track WHERE u.id = ?1",
                )?
                .query_row([id], |row| row.get(0))
                .optional()?;
            if held.is_some() {
                return Ok(held);
            }
            beside(&reader, id)?
        };
        let Some(place) = place else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = File::open(place).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
        Ok(read.ok().map(|_| words(&bytes)).filter(|words| !words.is_empty()))
    }
}

/// The file of words that lies beside a track.
fn beside(database: &Connection, id: TrackId) -> Result<Option<PathBuf>, LibraryError> {
    type Place = (i64, Vec<u8>, Vec<u8>, Vec<u8>);
    let track: Option<Place> = database
        .prepare_cached(
            "SELECT d.key, r.path, d.path, f.name FROM track_user u JOIN files f ON f.key = u.file AND f.state = 0 \
             JOIN folders d ON d.key = f.folder JOIN roots r ON r.key = d.root WHERE u.id = ?1",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((key, root, folder, name)) = track else { return Ok(None) };
    let stem = |name: &[u8]| {
        name.iter().rposition(|byte| *byte == b'.').map_or_else(|| name.to_vec(), |dot| name[..dot].to_vec())
    };
    let names: Vec<Vec<u8>> = database
        .prepare_cached("SELECT name FROM sidecars WHERE folder = ?1 AND kind = 1 ORDER BY name")?
        .query_map([key], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let found = names.into_iter().find(|words| stem(words).eq_ignore_ascii_case(&stem(&name)));
    let root = PathBuf::from(OsString::from_vec(root));
    Ok(found.map(|words| below(&root, &join(&folder, &words))))
}

/// As UTF-8 or UTF-16 where it is that, else as what old programs wrote.
fn words(bytes: &[u8]) -> String {
    let (text, _, is_damaged) = UTF_8.decode(bytes);
    let text = if is_damaged { WINDOWS_1252.decode(bytes).0 } else { text };
    text.trim().to_owned()
}
