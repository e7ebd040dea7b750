//! Something outside of the store that remembers how far the audit had come, so that an older copy of the store is
//! noticed.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::Sealed;

/// Remembers the audit's end outside of the store: in a file beside it, which shows that a copy was put back, or on
/// another device, which shows it also when somebody puts the whole directory back.
///
/// It is asked once when the assistant is opened and told after every commit that survives a power cut, so it may be
/// behind the store and is never ahead of it, unless the store has gone back. What it is told may also be lower than
/// before: after an older copy was put in place, or everything was erased.
///
/// It guards against who can write the store and not the witness. Who can write both puts both back.
///
/// ```
/// use std::sync::Mutex;
/// use archy_assistant::{HeadWitness, Sealed};
/// #[derive(Default)]
/// struct Remote(Mutex<Option<Sealed>>);
/// impl HeadWitness for Remote {
///     fn remember(&self, head: &Sealed) -> std::io::Result<()> {
///         *self.0.lock().unwrap() = Some(head.clone());
///         Ok(())
///     }
///     fn recall(&self) -> std::io::Result<Option<Sealed>> {
///         Ok(self.0.lock().unwrap().clone())
///     }
/// }
/// ```
// What is spent will be remembered the same way: the greater of what the witness and the store know counts, so that a
// copy never gives money back.
pub trait HeadWitness: Send + Sync + 'static {
    /// Keeps this instead of what it kept before. Called on a thread that may wait, in the order of the commits; the
    /// commit waits for it.
    ///
    /// # Errors
    /// When it could not; the commit stands, and [`Stats::unwitnessed`](crate::Stats::unwitnessed) says so.
    fn remember(&self, head: &Sealed) -> io::Result<()>;

    /// What it was last told, if it was ever told anything.
    ///
    /// # Errors
    /// When it cannot be asked now. The assistant opens all the same and says so.
    fn recall(&self) -> io::Result<Option<Sealed>>;
}

/// Remembers it in a small file that only its owner may read. Each time the file is replaced whole.
#[derive(Debug, Clone)]
pub struct FileWitness {
    file: PathBuf,
    part: PathBuf,
}

impl FileWitness {
    /// Keeps it in this file; its directory must be there.
    pub fn new(file: impl AsRef<Path>) -> Self {
        let file = file.as_ref().to_owned();
        let mut part = OsString::from(&file);
        part.push(".part");
        Self { file, part: part.into() }
    }
}

impl HeadWitness for FileWitness {
    fn remember(&self, head: &Sealed) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut part = options.open(&self.part)?;
        part.write_all(head.as_bytes())?;
        // Not the directory: a power cut may leave the file as it was before, which is only behind.
        part.sync_data()?;
        fs::rename(&self.part, &self.file)
    }

    fn recall(&self) -> io::Result<Option<Sealed>> {
        match fs::read(&self.file) {
            Ok(bytes) => Ok(Some(Sealed::from_bytes(bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}
