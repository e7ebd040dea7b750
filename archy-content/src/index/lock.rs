//! Files that one process at a time may hold.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// So often it is looked whether another has let go.
const GLANCE: Duration = Duration::from_millis(20);

/// A lock that is held. It goes with the process.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock of this name, and waits for whoever holds it.
    pub(crate) fn wait(directory: &Path, name: &str) -> io::Result<Self> {
        let file = open(directory, name)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(Self(file))
    }

    /// Takes it within this time; `None` if somebody else holds it for longer.
    pub(crate) fn within(patience: Duration, directory: &Path, name: &str) -> io::Result<Option<Self>> {
        let until = Instant::now() + patience;
        loop {
            match Self::take(directory, name)? {
                None if Instant::now() < until => thread::sleep(GLANCE),
                taken => return Ok(taken),
            }
        }
    }

    /// Takes it, if nobody holds it.
    pub(crate) fn take(directory: &Path, name: &str) -> io::Result<Option<Self>> {
        let file = open(directory, name)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn open(directory: &Path, name: &str) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(directory.join(name))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that was just started by another thread has it too, until it runs its
        // own program.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}
