//! Who is logged in: links that work once, and sessions of two halves.
//!
//! Cookies go to every port of a host, and on a home node other programs listen there. So a session's cookie is worth
//! nothing without the value of a header that a browser keeps for this page alone; each half is given once, at the login.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use archy_wire::{Code, Fault};
use jsonrpsee::server::{ServerHandle, StopHandle, stop_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Duration, Instant};

use super::pace::Bucket;
use super::token::{Kept, Token};

/// How long a link that was not used yet works.
const LINK_LIVES: Duration = Duration::from_secs(10 * 60);
/// How long a session lives that is used, and one that is not.
const LIVES: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// So many sessions and links there are at most: the oldest goes.
const MOST: usize = 16;
/// Calls of one session: in a burst, and after each while one more.
const CALLS: (u32, Duration) = (90, Duration::from_millis(25));
/// Calls of one session that are under way, those included that wait for an event.
const UNDER_WAY: usize = 24;
/// Attempts to log in with no link that works, of everybody together.
const LOGINS: (u32, Duration) = (10, Duration::from_secs(6));

/// Which session a request is of; it says nothing by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SessionId(u64);

/// What a browser is given when it logs in: for the cookie, and for the header.
pub(super) struct Halves {
    pub(super) cookie: Token,
    pub(super) header: Token,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The link was used, or is too old, or never was.
    Link,
    /// Too many attempts.
    TooMany,
}

pub(super) struct Sessions(Mutex<Inner>);

struct Inner {
    links: HashMap<Kept, Instant>,
    sessions: HashMap<SessionId, Session>,
    logins: Bucket,
    next: u64,
}

struct Session {
    cookie: Kept,
    header: Kept,
    began: Instant,
    used: Instant,
    calls: Bucket,
    places: Arc<Semaphore>,
    /// Goes with the session: what waits in its name hears that.
    alive: watch::Sender<()>,
    /// Closes its `WebSockets`; they are closed as well when the session goes.
    closing: ServerHandle,
    /// What they listen to; none where nothing may begin any more.
    until: Option<StopHandle>,
}

/// A call that is under way, as long as this lives.
pub(super) struct UnderWay {
    alive: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
}

impl UnderWay {
    /// Until the session is logged out.
    pub(super) async fn logged_out(&mut self) {
        // Nothing is ever sent.
        while self.alive.changed().await.is_ok() {}
    }
}

/// What is said to whoever is not logged in.
pub(super) fn log_in_first() -> Fault {
    Fault::new(Code::Unauthenticated, "log in first: archy-node link, on the node, prints a link")
}

impl Session {
    fn new(halves: &Halves, now: Instant) -> Self {
        let (until, closing) = stop_channel();
        Self {
            cookie: halves.cookie.kept(),
            header: halves.header.kept(),
            began: now,
            used: now,
            calls: Bucket::new(CALLS.0, CALLS.1),
            places: Arc::new(Semaphore::new(UNDER_WAY)),
            alive: watch::Sender::new(()),
            closing,
            until: Some(until),
        }
    }

    fn close(&mut self) -> ServerHandle {
        // Where nobody listens there is nothing to close.
        let _ = self.closing.stop();
        self.until = None;
        self.closing.clone()
    }

    fn lives(&self, now: Instant) -> bool {
        now < self.began + LIVES && now < self.used + IDLE
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        let logins = Bucket::new(LOGINS.0, LOGINS.1);
        Self(Mutex::new(Inner { links: HashMap::new(), sessions: HashMap::new(), logins, next: 0 }))
    }

    /// A new link's secret.
    pub(super) fn link(&self) -> Token {
        let secret = Token::random();
        let mut inner = self.lock();
        let now = Instant::now();
        inner.links.retain(|_, made| now < *made + LINK_LIVES);
        if inner.links.len() >= MOST {
            let oldest = inner.links.iter().min_by_key(|(_, made)| **made).map(|(kept, _)| *kept);
            oldest.map(|oldest| inner.links.remove(&oldest));
        }
        inner.links.insert(secret.kept(), now);
        secret
    }

    /// Lets in whoever has a link's secret, and forgets the link.
    pub(super) fn log_in(&self, once: &str) -> Result<Halves, Refused> {
        let mut inner = self.lock();
        let now = Instant::now();
        let made = inner.links.remove(&Kept::of(once));
        if made.is_none_or(|made| now >= made + LINK_LIVES) {
            // Only those that are wrong count: whoever tries out links keeps nobody out who has one.
            return Err(if inner.logins.take() { Refused::Link } else { Refused::TooMany });
        }
        let halves = Halves { cookie: Token::random(), header: Token::random() };
        inner.sessions.retain(|_, session| session.lives(now));
        if inner.sessions.len() >= MOST {
            let oldest = inner.sessions.iter().min_by_key(|(_, session)| session.used).map(|(id, _)| *id);
            oldest.map(|oldest| inner.sessions.remove(&oldest));
        }
        let id = SessionId(inner.next);
        inner.next += 1;
        inner.sessions.insert(id, Session::new(&halves, now));
        Ok(halves)
    }

    /// Whose request this is, by both halves; it keeps the session from falling asleep.
    pub(super) fn find(&self, cookies: &[&str], header: &str) -> Option<SessionId> {
        let now = Instant::now();
        let header = Kept::of(header);
        // A browser may hold cookies of this name that another port has set beside it.
        let cookies: Vec<Kept> = cookies.iter().map(|cookie| Kept::of(cookie)).collect();
        let mut inner = self.lock();
        inner.sessions.retain(|_, session| session.lives(now));
        let found = inner
            .sessions
            .iter_mut()
            .find(|(_, session)| session.header == header && cookies.contains(&session.cookie));
        found.map(|(id, session)| {
            session.used = now;
            *id
        })
    }

    /// Whether it is still logged in.
    pub(super) fn is_alive(&self, id: SessionId) -> bool {
        let now = Instant::now();
        self.lock().sessions.get(&id).is_some_and(|session| session.lives(now))
    }

    /// What ends its `WebSockets`.
    pub(super) fn until(&self, id: SessionId) -> Option<StopHandle> {
        self.lock().sessions.get(&id)?.until.clone()
    }

    /// Begins a call in its name, where it is alive and has not asked for too much; it keeps the session from falling asleep.
    pub(super) fn begin(&self, id: SessionId) -> Result<UnderWay, Fault> {
        let now = Instant::now();
        let mut inner = self.lock();
        let session = inner.sessions.get_mut(&id).filter(|session| session.lives(now));
        let session = session.ok_or_else(log_in_first)?;
        session.used = now;
        let place =
            if session.calls.take() { Arc::clone(&session.places).try_acquire_owned().ok() } else { None };
        let too_much = || Fault::new(Code::RateLimited, "too much at once; try again in a moment");
        Ok(UnderWay { alive: session.alive.subscribe(), _place: place.ok_or_else(too_much)? })
    }

    /// Logs it out.
    pub(super) fn end(&self, id: SessionId) {
        self.lock().sessions.remove(&id);
    }

    /// Lets nobody begin anything, and closes every `WebSocket` as soon as what was asked there has its answer: until then.
    pub(super) async fn closed(&self) {
        let closing: Vec<ServerHandle> = {
            let mut inner = self.lock();
            inner.sessions.values_mut().map(Session::close).collect()
        };
        for closing in closing {
            closing.stopped().await;
        }
    }

    /// Logs everybody out.
    pub(super) fn end_all(&self) {
        self.lock().sessions.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
