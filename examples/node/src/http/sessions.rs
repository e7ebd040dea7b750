//! Who is logged in: links that work once, and sessions of two halves.
//!
//! Cookies go to every port of a host, and on a home node other programs listen there. So a session's cookie is worth
//! nothing without the value of a header that a browser keeps for this page alone; each half is given once, at the login.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
/// Requests of one session: at once, and after each while one more.
const REQUESTS: (u32, Duration) = (90, Duration::from_millis(25));
/// Attempts to log in, of everybody together.
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
    requests: Bucket,
}

impl Session {
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
        if !inner.logins.take() {
            return Err(Refused::TooMany);
        }
        let now = Instant::now();
        let made = inner.links.remove(&Kept::of(once)).ok_or(Refused::Link)?;
        if now >= made + LINK_LIVES {
            return Err(Refused::Link);
        }
        let halves = Halves { cookie: Token::random(), header: Token::random() };
        inner.sessions.retain(|_, session| session.lives(now));
        if inner.sessions.len() >= MOST {
            let oldest = inner.sessions.iter().min_by_key(|(_, session)| session.used).map(|(id, _)| *id);
            oldest.map(|oldest| inner.sessions.remove(&oldest));
        }
        let id = SessionId(inner.next);
        inner.next += 1;
        let session = Session {
            cookie: halves.cookie.kept(),
            header: halves.header.kept(),
            began: now,
            used: now,
            requests: Bucket::new(REQUESTS.0, REQUESTS.1),
        };
        inner.sessions.insert(id, session);
        Ok(halves)
    }

    /// Whose request this is, by both halves; it keeps the session from falling asleep.
    pub(super) fn find(&self, cookies: &[&str], header: &str) -> Option<SessionId> {
        let now = Instant::now();
        let header = Kept::of(header);
        // A browser may hold cookies of this name that another port has set beside it.
        let cookies: Vec<Kept> = cookies.iter().map(|cookie| Kept::of(cookie)).collect();
        let mut inner = self.lock();
        let found = inner.sessions.iter_mut().find(|(_, session)| {
            session.header == header && cookies.contains(&session.cookie) && session.lives(now)
        });
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

    /// Whether it may ask for one thing more now.
    pub(super) fn may_ask(&self, id: SessionId) -> bool {
        self.lock().sessions.get_mut(&id).is_some_and(|session| session.requests.take())
    }

    /// Logs it out.
    pub(super) fn end(&self, id: SessionId) {
        self.lock().sessions.remove(&id);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_with(sessions: &Sessions) -> (String, String) {
        let halves = sessions.log_in(&sessions.link().text()).unwrap_or_else(|_| panic!("it is fresh"));
        (halves.cookie.text(), halves.header.text())
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_works_once_and_for_ten_minutes() {
        let sessions = Sessions::new();
        let (first, second) = (sessions.link().text(), sessions.link().text());
        assert!(sessions.log_in(&first).is_ok());
        assert_eq!(sessions.log_in(&first).err(), Some(Refused::Link));
        tokio::time::advance(LINK_LIVES).await;
        assert_eq!(sessions.log_in(&second).err(), Some(Refused::Link));
        assert_eq!(sessions.log_in("").err(), Some(Refused::Link));
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_needs_both_of_its_halves() {
        let sessions = Sessions::new();
        let ((cookie, header), (other_cookie, other_header)) = (in_with(&sessions), in_with(&sessions));
        let id = sessions.find(&[&cookie], &header).expect("both halves");
        assert_eq!(sessions.find(&["of another port", &cookie], &header), Some(id));
        for (cookies, header) in [
            (vec![], header.as_str()),
            (vec![cookie.as_str()], ""),
            (vec![&cookie], &other_header),
            (vec![&other_cookie], &header),
            (vec![&header], &cookie),
            (vec![&cookie], &cookie),
        ] {
            assert_eq!(sessions.find(&cookies, header), None);
        }
        sessions.end(id);
        assert_eq!((sessions.find(&[&cookie], &header), sessions.is_alive(id)), (None, false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_falls_asleep_and_does_not_live_for_ever() {
        let sessions = Sessions::new();
        let (cookie, header) = in_with(&sessions);
        for _ in 0..13 {
            tokio::time::advance(IDLE.saturating_sub(Duration::from_secs(1))).await;
            assert!(sessions.find(&[&cookie], &header).is_some());
        }
        tokio::time::advance(IDLE).await;
        assert!(sessions.find(&[&cookie], &header).is_none());
        let (cookie, header) = in_with(&sessions);
        for _ in 0..14 {
            sessions.find(&[&cookie], &header);
            tokio::time::advance(IDLE.saturating_sub(Duration::from_millis(1))).await;
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(sessions.find(&[&cookie], &header).is_none(), "seven days are over");
    }

    #[tokio::test(start_paused = true)]
    async fn logins_and_sessions_are_few() {
        let sessions = Sessions::new();
        let (cookie, header) = in_with(&sessions);
        for _ in 0..40 {
            tokio::time::advance(Duration::from_secs(6)).await;
            in_with(&sessions);
        }
        assert!(sessions.find(&[&cookie], &header).is_none(), "the oldest has gone");
        tokio::time::advance(Duration::from_secs(3600)).await;
        let refused: Vec<_> = (0..12).filter_map(|_| sessions.log_in("guess").err()).collect();
        assert_eq!(refused[..10], [Refused::Link; 10]);
        assert_eq!(refused[10..], [Refused::TooMany; 2]);
    }
}
