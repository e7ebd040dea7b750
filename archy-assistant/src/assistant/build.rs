//! Making an assistant, and what is set right when it opens.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Assistant, Inner, receives};
use crate::audit::{Audit, HeadWitness, Opening};
use crate::clock::{Clock, SystemClock};
use crate::confirmation::Queue;
use crate::{
    Backend, ConfirmationSink, GrantSource, Limits, MemoryStore, Order, Scan, Secret, Shown, Store,
    StoreError, Table, Toolbox, ToolboxError, TurnId, WhenLocalIsDown, id,
};

/// Makes an [`Assistant`]. It takes what is indispensable; what is left out means the closed answer.
pub struct Builder {
    backends: Vec<Arc<dyn Backend>>,
    when_local_is_down: WhenLocalIsDown,
    toolbox: Toolbox,
    grants: Arc<dyn GrantSource>,
    store: Arc<dyn Store>,
    audit_key: Secret,
    witness: Option<Arc<dyn HeadWitness>>,
    restored: bool,
    sink: Option<Arc<dyn ConfirmationSink>>,
    clock: Arc<dyn Clock>,
    limits: Limits,
}

/// Why an assistant cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The tools do not fit together.
    Toolbox(ToolboxError),
    /// Two backends have this name: a person who is asked whether one of them may be sent to could not tell which.
    SameName(Shown),
    /// The store cannot be read or written.
    Store(StoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toolbox(error) => error.fmt(f),
            Self::SameName(name) => write!(f, "two backends are called {name}"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Toolbox(error) => Some(error),
            Self::SameName(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Assistant {
    /// Starts with the backends in the order in which they are asked, what can be done, and what the owner has opened.
    pub fn builder(
        backends: impl IntoIterator<Item = Arc<dyn Backend>>,
        toolbox: Toolbox,
        grants: Arc<dyn GrantSource>,
    ) -> Builder {
        Builder {
            backends: backends.into_iter().collect(),
            when_local_is_down: WhenLocalIsDown::Ask,
            toolbox,
            grants,
            store: Arc::new(MemoryStore::new()),
            audit_key: Secret::random(),
            witness: None,
            restored: false,
            sink: None,
            clock: Arc::new(SystemClock),
            limits: Limits::default(),
        }
    }
}

impl Builder {
    /// Keeps everything in `store` instead of in memory. Grants that live in a store must live in the same one.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = store;
        self
    }

    /// Seals the audit with the host's key instead of one that is gone with the process. A store that outlives the
    /// process needs the same key each time: with another one its audit counts as damaged.
    #[must_use]
    pub fn with_audit_key(mut self, key: Secret) -> Self {
        self.audit_key = key;
        self
    }

    /// Tells `witness` how far the audit has come. Without one it is not noticed when the store is put back to an older
    /// copy of itself.
    #[must_use]
    pub fn with_head_witness(mut self, witness: Arc<dyn HeadWitness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// Says that the store is a copy which was put in place on purpose, so that it is not taken for one that was rolled
    /// back. Say it once, when it was; a store that comes back by itself is what the witness is for. What waited in
    /// the copy is voided, as at every start, and the grants are those of the copy.
    #[must_use]
    pub fn with_restored_copy(mut self) -> Self {
        self.restored = true;
        self
    }

    /// What is done when a model at home is listed and none answers; otherwise a person is asked.
    #[must_use]
    pub fn with_when_local_is_down(mut self, when: WhenLocalIsDown) -> Self {
        self.when_local_is_down = when;
        self
    }

    /// Tells `sink` when a person is asked. Without one nobody can be asked, so nothing that needs a person runs.
    #[must_use]
    pub fn with_sink(mut self, sink: Arc<dyn ConfirmationSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Reads the time of day from `clock`.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With these limits. The time to decide is held within 30 and 300 seconds.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Opens the assistant: closes what an earlier run left unfinished and voids what waited. Blocks while it reads
    /// the store. Ask [`Assistant::opened`] how the audit was found.
    ///
    /// # Errors
    /// When the tools do not fit together, two backends have the same name, or the store cannot be read or written.
    pub fn open(mut self) -> Result<Assistant, OpenError> {
        self.toolbox.check().map_err(OpenError::Toolbox)?;
        let mut names = BTreeSet::new();
        for backend in &self.backends {
            let name = Shown::line(&backend.facts().name);
            if !names.insert(name.as_str().to_owned()) {
                return Err(OpenError::SameName(name));
            }
        }
        let (least, most) = (Duration::from_secs(30), Duration::from_secs(300));
        self.limits.decide_within = self.limits.decide_within.clamp(least, most);
        let ids = id::Sequence::after(newest(&*self.store)?);
        let opening = Opening {
            key: self.audit_key,
            witness: self.witness,
            restored: self.restored,
            now: self.clock.now(),
        };
        let (audit, opened) = Audit::open(Arc::clone(&self.store), opening)?;
        receives::note(&*self.store, &audit, &self.backends, self.clock.now())?;
        let inner = Inner {
            audit: Arc::new(audit),
            elsewhere: self.toolbox.told_elsewhere(),
            toolbox: self.toolbox,
            grants: self.grants,
            backends: self.backends,
            when_local_is_down: self.when_local_is_down,
            circuits: Mutex::default(),
            sink: self.sink,
            clock: self.clock,
            limits: self.limits,
            store: self.store,
            boot: id::random(),
            ids,
            queue: Mutex::new(Queue::default()),
            rates: Mutex::default(),
            asking: Arc::default(),
            live: Mutex::new(HashMap::new()),
            effects: Mutex::new(HashMap::new()),
            opened,
            unknown: Vec::new(),
            recent: Mutex::default(),
            stopping: AtomicBool::new(false),
            erasing: AtomicBool::new(false),
        };
        let unknown = inner.recover()?;
        Ok(Assistant(Arc::new(Inner { unknown, ..inner })))
    }
}

/// The newest id of a conversation or turn.
fn newest(store: &dyn Store) -> Result<u128, StoreError> {
    let mut newest = 0;
    for table in [Table::Conversation, Table::Place] {
        let scan = Scan { order: Order::Down, limit: 1, ..all(table) };
        let last = store.scan(&scan)?.first().and_then(|(key, _)| TurnId::from_slice(key));
        newest = newest.max(last.map_or(0, |id| id.0));
    }
    Ok(newest)
}

fn all(table: Table) -> Scan {
    Scan { table, prefix: Vec::new(), beyond: None, order: Order::Up, limit: usize::MAX }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("toolbox", &self.toolbox)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
