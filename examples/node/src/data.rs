//! The data directory: everything that the node keeps lies below it, for its owner's eyes only, and one process at a
//! time has it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::exit::Trouble;

/// A data directory that is there.
#[derive(Debug)]
pub(crate) struct Data {
    path: PathBuf,
    /// Held open, so that a path through it stays short enough for a socket's address and means this directory.
    directory: File,
}

/// While it lives, this process has the data directory.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Data {
    /// Opens the directory, and makes it (mode 0700) where there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, Trouble> {
        let path = std::path::absolute(path).map_err(|error| cannot("find", path, &error))?;
        private_dir(&path)?;
        let directory = File::open(&path).map_err(|error| cannot("open", &path, &error))?;
        let known = directory.metadata().map_err(|error| cannot("open", &path, &error))?;
        if known.uid() != rustix::process::geteuid().as_raw() {
            let says = format!("{} belongs to somebody else; use a directory of your own", path.display());
            return Err(Trouble::bad_input(says));
        }
        if known.permissions().mode() & 0o077 != 0 {
            // One that its owner had made, for example with mkdir.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700))
                .map_err(|error| cannot("keep to yourself", &path, &error))?;
        }
        Ok(Self { path, directory })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Below the directory.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The running node's socket, by a path that is always short enough for one.
    pub(crate) fn socket(&self) -> PathBuf {
        format!("/proc/self/fd/{}/node.sock", self.directory.as_raw_fd()).into()
    }

    /// While this lives, no other command changes a file that an owner may also write by hand. A running node does not
    /// stand in the way: it reads such a file when it starts.
    pub(crate) fn editing(&self) -> Result<Lock, Trouble> {
        let locked = File::open(&self.path).and_then(|directory| directory.lock().map(|()| directory));
        let file = locked.map_err(|error| cannot("lock", &self.path, &error))?;
        Ok(Lock { _file: file })
    }

    /// Takes the directory for this process; `None` where another one has it.
    pub(crate) fn try_lock(&self) -> Result<Option<Lock>, Trouble> {
        let path = self.join("lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|error| cannot("write", &path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(cannot("lock", &path, &error)),
        }
    }
}

/// The platform's own data directory.
pub(crate) fn usual() -> Result<PathBuf, Trouble> {
    let directory = |name: &str| {
        #[expect(clippy::disallowed_methods, reason = "the one place where the environment is read")]
        let value = std::env::var_os(name);
        value.map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let below = directory("XDG_DATA_HOME").or_else(|| Some(directory("HOME")?.join(".local/share")));
    let none = || Trouble::bad_input("there is no home directory; say where to keep the data: --data DIR");
    Ok(below.ok_or_else(none)?.join("archy"))
}

/// Makes a directory and its parents, mode 0700; one that exists is left as it is.
pub(crate) fn private_dir(path: &Path) -> Result<(), Trouble> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| cannot("create", path, &error))
}

/// Takes from others the right to read or write what is the owner's alone. The names of those that had it are returned.
pub(crate) fn tighten(files: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>, Trouble> {
    let mut open = Vec::new();
    for path in files {
        let mode = match fs::metadata(&path) {
            Ok(known) => known.permissions().mode(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(cannot("read", &path, &error)),
        };
        if mode & 0o077 != 0 {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o700))
                .map_err(|error| cannot("keep to yourself", &path, &error))?;
            open.push(path);
        }
    }
    Ok(open)
}

/// Replaces a file, mode 0600; after an error or a power cut the old content is there. One writer at a time.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), Trouble> {
    let fresh = path.with_extension("new");
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&fresh, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    })();
    written.map_err(|error| {
        // What is left of the new one is of no use; the first error is the one to tell.
        let _ = fs::remove_file(&fresh);
        cannot("write", path, &error)
    })
}

/// Writes a new file, mode 0600, that survives a power cut; after an error there is none.
pub(crate) fn create(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| cannot("write", path, &error))?;
    let written =
        write(&mut file).and_then(|()| file.sync_all().map_err(|error| cannot("write", path, &error)));
    if written.is_err() {
        // Half of it is of no use; the first error is the one to tell.
        let _ = fs::remove_file(path);
    }
    written
}

/// Removes a file, if there is one.
pub(crate) fn remove(path: &Path) -> Result<(), Trouble> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(cannot("remove", path, &error)),
        _ => Ok(()),
    }
}

/// "Cannot `verb` this", because of that.
pub(crate) fn cannot(verb: &str, path: &Path, error: &io::Error) -> Trouble {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => "you have no right to".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "it is on a read-only disk".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => "a file is in the way".to_owned(),
        _ => error.to_string(),
    };
    Trouble::bad_input(format!("cannot {verb} {}: {why}", path.display()))
}
