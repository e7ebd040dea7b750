use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an app could not be listed, started or stopped. `Display` is one sentence that says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum AppsError {
    /// No manifest has this id.
    Unknown {
        /// What was asked for.
        id: String,
    },
    /// The app's manifest, or what is kept about the app, cannot be used.
    Broken {
        /// The app.
        id: String,
        /// What is wrong; it may quote the manifest, which is other people's text.
        reason: String,
    },
    /// Another start or stop of the same app did not finish in time.
    Busy {
        /// The app.
        id: String,
    },
    /// The app did not come up; it does not run.
    StartFailed {
        /// The app.
        id: String,
        /// What happened.
        reason: String,
        /// The last lines of its log, other people's text. `Display` leaves them out.
        log: Vec<String>,
    },
    /// The app runs, but its port did not answer in time.
    NotAnswering {
        /// The app.
        id: String,
        /// Its process.
        pid: u32,
        /// Its port on 127.0.0.1.
        port: u16,
    },
    /// The app's processes outlived SIGKILL.
    StillRunning {
        /// The app.
        id: String,
        /// Its main process.
        pid: u32,
    },
    /// The disk or the operating system refused.
    Storage {
        /// What was tried, as in "write".
        verb: &'static str,
        /// On what.
        path: PathBuf,
        /// Its answer.
        source: io::Error,
    },
}

impl AppsError {
    /// For `map_err`: `verb` was tried on `path`.
    pub(super) fn storage(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Storage { verb, path: path.to_owned(), source }
    }
}

impl fmt::Display for AppsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { id } => write!(f, "there is no app {id:?}; list the apps to see their ids"),
            Self::Broken { id, reason } => write!(f, "{id} cannot be used: {reason}"),
            Self::Busy { id } => {
                write!(f, "{id} is being started or stopped by someone else; try again in a moment")
            }
            Self::StartFailed { id, reason, .. } => {
                write!(f, "{id} did not start: {reason}; its log may say why")
            }
            Self::NotAnswering { id, pid, port } => {
                write!(
                    f,
                    "{id} runs as process {pid} but does not answer on port {port} yet; look at its log"
                )
            }
            Self::StillRunning { id, pid } => {
                write!(
                    f,
                    "{id} (process {pid}) did not end even when killed; its disk may hang, try again later"
                )
            }
            Self::Storage { verb, path, source } => write!(
                f,
                "cannot {verb} {}: {source}; check its rights and the free space, then try again",
                path.display()
            ),
        }
    }
}

impl std::error::Error for AppsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Storage { source, .. } => Some(source),
            _ => None,
        }
    }
}
