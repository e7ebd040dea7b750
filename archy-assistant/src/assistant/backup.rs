//! A copy of everything, and the end of everything.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::driver::spawn;
use super::recent::Recent;
use super::{Assistant, Inner, Refused, waiting};
use crate::audit::{Fact, Line};
use crate::confirmation::Queue;
use crate::{Batch, Caller, Durability, StoreError};

/// Turns that are told to stop have this long.
const STOP_WITHIN: Duration = Duration::from_secs(10);

impl Assistant {
    /// Writes a consistent copy of the store to a new file while turns run. What a person had forgotten before is not in
    /// it. The keys are not either: the copy can be verified only with the audit's key, which is the host's to back up.
    ///
    /// Open a copy that was put in place with [`Builder::with_restored_copy`](crate::Builder::with_restored_copy).
    ///
    /// # Errors
    /// [`Refused::NotHere`] unless the owner sits at the chrome; when the file exists or cannot be written.
    pub async fn backup(&self, caller: &Caller, file: impl AsRef<Path>) -> Result<(), Refused> {
        Inner::owner_here(caller)?;
        let inner = &self.0;
        let line = Line::new(inner.clock.now(), Fact::CopiedOut).by(caller.principal());
        inner.commit(Batch::new(), vec![line], Durability::Synced).await?;
        let (store, file) = (Arc::clone(&inner.store), file.as_ref().to_owned());
        Ok(waiting(move || store.copy_to(&file)).await?)
    }

    /// Removes everything from the store so that it cannot be found in its file any more: conversations, confirmations,
    /// grants and the audit, which begins anew with a line that says so. Turns are stopped first. Afterwards the assistant
    /// is as on a fresh node, with everything closed.
    ///
    /// This is the host's part of a factory reset and no tool. What the host keeps is the host's to delete: the audit's
    /// key (make a new one for the next start), keys of backends, copies, and grants that it keeps elsewhere.
    ///
    /// Once begun it is brought to its end, also when the future is dropped. If the power goes between the store and the
    /// witness, the next start says that the store was rolled back.
    ///
    /// # Errors
    /// [`Refused::NotHere`] unless the owner sits at the chrome. [`Refused::Executing`] while an effect is carried out or
    /// a turn does not stop, [`Refused::Stopping`] when it is being erased already; nothing was removed then. When the
    /// store fails, as much as it says was removed; erase again.
    pub async fn erase(&self, caller: &Caller) -> Result<(), Refused> {
        Inner::owner_here(caller)?;
        let inner = Arc::clone(&self.0);
        let line = Line::new(inner.clock.now(), Fact::Erased).by(caller.principal());
        let erased = spawn(async move {
            inner.close_for_erasing()?;
            let erased = inner.erase(line).await;
            inner.erasing.store(false, Ordering::Release);
            erased
        });
        erased.await.map_err(|error| StoreError::Failed(error.into()))?
    }
}

impl Inner {
    /// From here on no turn begins and no effect is claimed: both look at this under the lock under which they begin.
    fn close_for_erasing(&self) -> Result<(), Refused> {
        let queue = self.queue();
        if queue.is_executing() {
            return Err(Refused::Executing);
        }
        if self.erasing.swap(true, Ordering::AcqRel) { Err(Refused::Stopping) } else { Ok(()) }
    }

    async fn erase(self: &Arc<Self>, line: Line) -> Result<(), Refused> {
        if !self.stop_turns(STOP_WITHIN).await {
            return Err(Refused::Executing);
        }
        let audit = Arc::clone(&self.audit);
        let erased = waiting(move || audit.erase(line)).await;
        *self.queue() = Queue::default();
        *self.recent() = Recent::default();
        Ok(erased?)
    }
}
