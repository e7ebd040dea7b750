//! What is kept on the disk: private (0600, directories 0700) and replaced whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use super::AppsError;

const LOCK_POLL: Duration = Duration::from_millis(10);

/// Creates a directory and its parents, mode 0700; one that exists is left as it is.
pub(super) fn create_private_dir(path: &Path) -> Result<(), AppsError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(AppsError::storage("create", path))
}

/// For writing, mode 0600 when it has to be created.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

/// Replaces `path`; after an error or a power cut the old content is there. One writer at a time.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), AppsError> {
    let fresh = path.with_extension("new");
    let written = (|| {
        let mut file = private().write(true).truncate(true).open(&fresh)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&fresh, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    })();
    written.map_err(|source| {
        // Whatever is left of the new one is of no use; the first error is the one to tell.
        let _ = fs::remove_file(&fresh);
        AppsError::storage("write", path)(source)
    })
}

/// The content, or `None` if there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, AppsError> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AppsError::storage("read", path)(error)),
    }
}

/// An exclusive lock until the file is dropped or the process ends; `None` if others kept it all through `patience`.
pub(super) fn lock(path: &Path, patience: Duration) -> Result<Option<File>, AppsError> {
    let file = private().write(true).truncate(false).open(path).map_err(AppsError::storage("open", path))?;
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(LOCK_POLL),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(AppsError::storage("lock", path)(error)),
        }
    }
}
