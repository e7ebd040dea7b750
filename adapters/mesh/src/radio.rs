//! A radio that is listened to: the handle that a host keeps, and the task that drives the door.

mod ask;
mod drive;
mod status;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use archy_assistant::{Assistant, Clock, Effect, OwnerRole, Role};
use tokio::sync::Notify;

pub(crate) use ask::ask;
pub use status::{LinkState, Status};

use crate::moments::Moments;
use crate::{Memory, MeshDoor, MeshLink, Remembered, Settings, Trust};

/// A door with its radio. Cloning it gives another handle to the same one; [`Radio::serve`] is its task.
#[derive(Clone)]
pub struct Radio(Arc<Inner>);

struct Inner {
    assistant: Assistant,
    door: Mutex<MeshDoor>,
    link: Mutex<LinkState>,
    /// Whether what must outlive a restart could be kept the last time.
    is_kept: AtomicBool,
    contacts: Mutex<Vec<crate::meshcore::Contact>>,
    memory: Box<dyn Memory>,
    role: Mutex<Arc<dyn Role>>,
    /// Held by whoever reads the settings to change them.
    changing: Mutex<()>,
    moments: Moments,
    changed: Notify,
}

impl fmt::Debug for Radio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Radio").field("door", &*self.door()).finish_non_exhaustive()
    }
}

impl Radio {
    /// A door to `assistant`. Call it on the host's runtime; nothing is opened before [`Radio::serve`].
    pub fn new(
        assistant: Assistant,
        settings: Settings,
        trust: Arc<dyn Trust>,
        memory: impl Memory,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let moments = Moments::new(clock);
        let remembered = match memory.load() {
            Ok(None) => Remembered::nothing(),
            Ok(Some(kept)) => Remembered::read(&kept, moments.now()),
            Err(_) => Remembered::read(&[], moments.now()),
        };
        Self(Arc::new(Inner {
            assistant,
            door: Mutex::new(MeshDoor::new(settings, trust, remembered)),
            link: Mutex::new(LinkState::Unknown),
            is_kept: AtomicBool::new(true),
            contacts: Mutex::default(),
            memory: Box::new(memory),
            role: Mutex::new(Arc::new(OwnerRole)),
            changing: Mutex::default(),
            moments,
            changed: Notify::new(),
        }))
    }

    /// The same with the host's own role of those who ask over a radio, for every handle: it can only take away.
    #[must_use]
    pub fn with_role(self, role: impl Role) -> Self {
        *self.0.role.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(role);
        self
    }

    /// Listens to `link` and answers, until the future is dropped: then turns that run are left to end by themselves, and
    /// nothing more is sent.
    pub async fn serve(&self, link: impl MeshLink) {
        drive::Driver::new(self.clone(), link).run().await;
    }

    /// Changes the owner's settings, at once: what waits for those who may not hear it any more is not sent.
    pub fn configure(&self, settings: Settings) {
        self.door().configure(settings);
        self.0.changed.notify_one();
    }

    /// The settings.
    pub fn settings(&self) -> Settings {
        self.door().settings().clone()
    }

    /// What the radio does.
    pub fn status(&self) -> Status {
        let link = self.0.link.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let contacts = self.0.contacts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_kept = self.0.is_kept.load(Ordering::Relaxed);
        Status::of(&self.door(), (link, is_kept), contacts, self.0.moments.now())
    }

    pub(crate) fn door(&self) -> MutexGuard<'_, MeshDoor> {
        self.0.door.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held while the settings are read, changed and kept, so that two changes do not undo each other.
    pub(crate) fn changing(&self) -> MutexGuard<'_, ()> {
        self.0.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn may(&self, tool: &str, effect: Effect) -> bool {
        let role = Arc::clone(&*self.0.role.lock().unwrap_or_else(PoisonError::into_inner));
        role.may(tool, effect)
    }

    fn link_is(&self, state: LinkState) {
        *self.0.link.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}
