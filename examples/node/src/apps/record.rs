use std::path::Path;

use serde::{Deserialize, Serialize};

use super::process::{Identity, Process};
use super::{AppsError, folder};

const FILE: &str = "state.json";

/// The last run of an app, as kept in `run/ID/state.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Its main process.
    pub(super) identity: Identity,
    /// When it started, in seconds since 1970.
    pub(super) since: u64,
    /// The port on 127.0.0.1 that stood in for `{port}`.
    pub(super) port: Option<u16>,
    /// How it ended, once that is known.
    pub(super) ended: Option<Ended>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ended {
    /// Somebody stopped it.
    Stopped,
    /// It ended by itself with this code: 128 and the signal's number if a signal ended it.
    Exited(i32),
}

impl Record {
    /// What the app's folder holds; `None` if the app never ran.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, AppsError> {
        let path = folder.join(FILE);
        let Some(content) = folder::read(&path)? else { return Ok(None) };
        let record = serde_json::from_slice(&content).map_err(|error| AppsError::Broken {
            id: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            reason: format!(
                "{} is damaged ({error}); end the app by hand, then delete that file",
                path.display()
            ),
        })?;
        Ok(Some(record))
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), AppsError> {
        let path = folder.join(FILE);
        let content =
            serde_json::to_vec(self).map_err(|error| AppsError::storage("write", &path)(error.into()))?;
        folder::replace(&path, &content)
    }

    /// The running process; `None` if it has ended, whatever the record says.
    pub(super) fn process(&self) -> Result<Option<Process>, AppsError> {
        self.identity.open().map_err(AppsError::storage("look for a process in", Path::new("/proc")))
    }
}
