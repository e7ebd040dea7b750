//! An app's log: two files of bounded size, the older of which is overwritten.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{AppsError, folder};

/// Bytes per file; both together never hold more than twice that.
const FILE_CAP: u64 = 256 * 1024;
/// Characters of a line that are handed out.
const LINE_CAP: usize = 1000;

const NEW: &str = "log";
const OLD: &str = "log.1";

/// Writes an app's output. When the disk refuses, output is dropped: the app neither waits nor ends for it.
pub(super) struct Ring {
    folder: PathBuf,
    open: Option<(File, u64)>,
}

impl Ring {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: None }
    }

    /// Takes all that comes, until the writing ends are closed.
    pub(super) fn copy_from(&mut self, mut output: impl Read) {
        let mut piece = [0; 8192];
        loop {
            match output.read(&mut piece) {
                Ok(0) => return,
                Ok(length) => {
                    if self.write(&piece[..length]).is_err() {
                        self.open = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        let (mut file, size) = self.open.take().map_or_else(|| self.append(), Ok)?;
        let mut size = size + piece.len() as u64;
        if size > FILE_CAP {
            fs::rename(self.folder.join(NEW), self.folder.join(OLD))?;
            (file, size) = self.append()?;
            size += piece.len() as u64;
        }
        file.write_all(piece)?;
        self.open = Some((file, size));
        Ok(())
    }

    fn append(&self) -> io::Result<(File, u64)> {
        let file = folder::private().append(true).open(self.folder.join(NEW))?;
        let size = file.metadata()?.len();
        Ok((file, size))
    }
}

/// The last `lines` lines, oldest first; what is not UTF-8 is replaced and what is long is cut, with `…` for it.
pub(super) fn tail(folder: &Path, lines: usize) -> Result<Vec<String>, AppsError> {
    let mut content = folder::read(&folder.join(OLD))?.unwrap_or_default();
    content.extend(folder::read(&folder.join(NEW))?.unwrap_or_default());
    let text = String::from_utf8_lossy(&content);
    let mut last: Vec<String> = text.lines().rev().take(lines).map(cut).collect();
    last.reverse();
    Ok(last)
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CAP) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_stays_capped_and_its_end_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let flood: Vec<u8> = (0..200_000).flat_map(|line| format!("line {line}\n").into_bytes()).collect();
        Ring::new(folder.path()).copy_from(&*flood);
        Ring::new(folder.path()).copy_from(&b"later"[..]);
        for file in [NEW, OLD] {
            let size = fs::metadata(folder.path().join(file)).unwrap().len();
            assert!(size <= FILE_CAP, "{file} holds {size}");
        }
        assert_eq!(tail(folder.path(), 2).unwrap(), ["line 199999", "later"]);
        // More lines than the newer file holds: the reading goes on into the older one.
        assert_eq!(tail(folder.path(), 25_000).unwrap().len(), 25_000);
    }

    #[test]
    fn odd_output_is_read_as_text() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(tail(folder.path(), 3).unwrap(), Vec::<String>::new());
        let long = [b"\xff\n".as_slice(), &b"x".repeat(5000)].concat();
        Ring::new(folder.path()).copy_from(&*long);
        assert_eq!(
            tail(folder.path(), 3).unwrap(),
            ["\u{fffd}".to_owned(), format!("{}…", "x".repeat(LINE_CAP))]
        );
    }
}
