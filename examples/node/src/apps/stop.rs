use std::path::Path;
use std::time::Duration;

use super::process::{self, KILL_PATIENCE};
use super::record::{Ended, Record};
use super::shim::{APP_LOCK, lock_patience};
use super::{AppsError, folder};

/// The longest that [`stop`] takes.
pub(super) fn patience(grace: Duration) -> Duration {
    grace + KILL_PATIENCE + lock_patience(grace)
}

/// Ends an app with all of its session; its pid, or `None` if it did not run. The caller holds the app's change lock.
pub(super) fn stop(id: &str, folder: &Path, grace: Duration) -> Result<Option<u32>, AppsError> {
    let Some(record) = Record::read(folder)? else { return Ok(None) };
    let Some(leader) = record.process()? else { return Ok(None) };
    let pid = record.identity.pid;
    let still = || AppsError::StillRunning { id: id.to_owned(), pid };
    let mut processes = process::session(pid).map_err(AppsError::storage("read", Path::new("/proc")))?;
    if leader.ended(Some(Duration::ZERO)) {
        // The session's number may be another's by now; what is left of the app is its shim's to end.
        processes.clear();
    }
    processes.push(leader);
    if !process::end(&processes, grace) {
        return Err(still());
    }
    // Held by the shim until it has written its last and nothing of the session is left.
    let _finished = folder::lock(&folder.join(APP_LOCK), lock_patience(grace))?.ok_or_else(still)?;
    // It is stopped, whether or not that can be written; without it the record says how the process ended.
    let _ = Record { ended: Some(Ended::Stopped), ..record }.write(folder);
    Ok(Some(pid))
}
