//! Where a door keeps what must outlive a restart.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Keeps what a door remembers: a few kilobytes, 400 at most, where thousands of keys ask. Called on the door's task before a message is answered and before each packet: it may wait for
/// the disk, and no longer. An error means that nothing is answered.
pub trait Memory: Send + Sync + 'static {
    /// What was kept last; `None` where nothing ever was.
    ///
    /// # Errors
    /// Where that cannot be said; the door then counts everything as lost.
    fn load(&self) -> io::Result<Option<Vec<u8>>>;

    /// Keeps this in place of what was kept. After a crash one of both is there.
    ///
    /// # Errors
    /// Where it is not sure that it is kept.
    fn keep(&self, bytes: &[u8]) -> io::Result<()>;
}

/// A file, replaced as a whole.
#[derive(Debug, Clone)]
pub struct FileMemory(
    /// The file. Another of the same name with `.new` behind it is written first.
    pub PathBuf,
);

impl Memory for FileMemory {
    fn load(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(&self.0) {
            Ok(kept) => Ok(Some(kept)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn keep(&self, bytes: &[u8]) -> io::Result<()> {
        let mut new = self.0.clone().into_os_string();
        new.push(".new");
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&new, &self.0)?;
        // After a power cut, too, it has its new name.
        self.0.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    }
}

/// The process's own memory: for tests, and for hosts to which a replay after a restart does not matter.
#[derive(Default)]
pub struct InProcess(Mutex<Option<Vec<u8>>>);

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}

impl Memory for InProcess {
    fn load(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn keep(&self, bytes: &[u8]) -> io::Result<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes.to_vec());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let directory = tempfile::tempdir().unwrap();
        let memory = FileMemory(directory.path().join("radio.json"));
        assert_eq!(memory.load().unwrap(), None);
        memory.keep(b"one").unwrap();
        memory.keep(b"2").unwrap();
        assert_eq!(memory.load().unwrap(), Some(b"2".to_vec()));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
