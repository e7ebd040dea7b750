//! The assistant: what doors call. It drives turns, asks people, and keeps everything.

mod audit;
mod backup;
mod build;
mod chat;
mod choose;
mod circuit;
mod confirm;
mod conversation;
mod driver;
mod events;
mod grants;
mod history;
mod live;
mod propose;
mod rate;
mod receives;
mod recent;
mod recover;
mod reply;
mod request;
mod settle;
mod stop;
#[cfg(archy_weak)]
mod weakened;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use build::{Builder, OpenError};
pub use chat::{Began, Target};
pub use confirm::ConfirmRefused;
pub use events::Events;
pub use history::{Exported, Page, Said, Summary, Turned};
pub use stop::Stats;

use crate::audit::Audit;
use crate::clock::Clock;
use crate::confirmation::Queue;
use crate::{
    Backend, Batch, Caller, Categories, ConfirmationSink, Durability, GrantSource, Grants, Limits, Principal,
    Store, StoreError, Toolbox, TurnId,
};

/// The assistant of a node. Cloning it is cheap and gives another handle to the same one.
///
/// Made by [`Assistant::builder`]; runs on the host's tokio runtime. Every method takes the [`Caller`] that a door made
/// from an authenticated transport.
#[derive(Clone)]
pub struct Assistant(Arc<Inner>);

pub(crate) struct Inner {
    store: Arc<dyn Store>,
    audit: Arc<Audit>,
    toolbox: Toolbox,
    elsewhere: Arc<[crate::Elsewhere]>,
    grants: Arc<dyn GrantSource>,
    backends: Vec<Arc<dyn Backend>>,
    when_local_is_down: crate::WhenLocalIsDown,
    /// By the place of the backend.
    circuits: Mutex<HashMap<usize, circuit::Circuit>>,
    sink: Option<Arc<dyn ConfirmationSink>>,
    clock: Arc<dyn Clock>,
    limits: Limits,
    /// The texts of effects of an earlier run whose outcome nobody knows.
    unknown: Vec<crate::Shown>,
    /// The number of this run: what waited in an earlier one cannot be answered in this one.
    boot: u128,
    ids: crate::id::Sequence,
    queue: Mutex<Queue>,
    rates: Mutex<rate::Rates>,
    /// One proposal at a time looks at the queue and joins it.
    asking: Arc<tokio::sync::Mutex<()>>,
    live: Mutex<HashMap<TurnId, Arc<live::Live>>>,
    effects: Mutex<HashMap<crate::ConfirmationId, confirm::Outcome>>,
    /// How the audit was found.
    opened: crate::Opened,
    recent: Mutex<recent::Recent>,
    stopping: AtomicBool,
    erasing: AtomicBool,
}

/// Why the assistant did not do it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// There is no such conversation or turn for this caller.
    Unknown,
    /// The conversation has a turn running.
    Busy,
    /// Too many turns run at once, or too much was said within a minute; try again in a moment.
    TooMany,
    /// The message is longer than so many bytes, or empty.
    Length(usize),
    /// Only a caller at the chrome may do this.
    NotHere,
    /// The assistant is being shut down or erased.
    Stopping,
    /// An effect is being carried out on the node.
    Executing,
    /// The store could not be read or written.
    Store(StoreError),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("there is no such conversation"),
            Self::Busy => f.write_str("the conversation is still busy with the last message"),
            Self::TooMany => f.write_str("too much is going on at once; try again in a moment"),
            Self::Length(most) => write!(f, "a message is 1 to {most} bytes long"),
            Self::NotHere => f.write_str("only the node's own page or terminal may do this"),
            Self::Stopping => f.write_str("the node is shutting down"),
            Self::Executing => {
                f.write_str("something is being done on the node; try again when it has ended")
            }
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Inner {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rates(&self) -> MutexGuard<'_, rate::Rates> {
        self.rates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> MutexGuard<'_, HashMap<TurnId, Arc<live::Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, recent::Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is open now; what cannot be known counts as closed, and so does everything while the owner has to look at the
    /// audit first.
    fn granted(&self) -> Grants {
        if self.audit.is_held() {
            return Grants::default();
        }
        weak!(GrantsAtListOnly, return Grants { open: Categories::ALL, witness: Vec::new() });
        self.grants.read().unwrap_or_default()
    }

    fn open(&self) -> Categories {
        self.granted().open
    }

    /// Commits a batch together with the audit's lines about it, on a thread that may wait for the disk.
    async fn commit(
        self: &Arc<Self>,
        batch: Batch,
        lines: Vec<crate::Line>,
        durability: Durability,
    ) -> Result<(), StoreError> {
        if lines.is_empty() && durability == Durability::Kept {
            return self.store.commit(&batch, durability);
        }
        let inner = Arc::clone(self);
        waiting(move || match lines.as_slice() {
            [] => inner.store.commit(&batch, durability),
            _ => inner.audit.commit_all(batch, lines, durability),
        })
        .await
    }

    /// Whether nothing new may begin.
    fn is_closing(&self) -> bool {
        self.stopping.load(Ordering::Acquire) || self.erasing.load(Ordering::Acquire)
    }

    /// Refuses whoever is not the owner at the chrome.
    fn owner_here(caller: &Caller) -> Result<(), Refused> {
        let owner = caller.is_chrome() && *caller.principal() == Principal::owner();
        if owner { Ok(()) } else { Err(Refused::NotHere) }
    }

    /// Whether `caller` may read what `owner` began.
    fn may_read(caller: &Caller, owner: &Principal) -> bool {
        caller.principal() == owner || (caller.is_chrome() && *caller.principal() == Principal::owner())
    }
}

/// Runs something that blocks where it may.
async fn waiting<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| StoreError::Failed(error.into()))?
}

impl fmt::Debug for Assistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assistant").field("toolbox", &self.0.toolbox).finish_non_exhaustive()
    }
}
