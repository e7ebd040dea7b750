//! The time as this door counts it: the clock's when it began, and from then on what has passed.

use archy_assistant::{Clock, Timestamp};
use tokio::time::{Duration, Instant};

/// A clock that nobody sets back, and that says the time of day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    began: Timestamp,
    since: Instant,
}

impl Moments {
    pub(crate) fn new(clock: &dyn Clock) -> Self {
        Self { began: clock.now(), since: Instant::now() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let passed = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        Timestamp(self.began.0.saturating_add(passed))
    }

    /// The runtime's name for a moment.
    pub(crate) fn instant(&self, at: Timestamp) -> Instant {
        self.since + Duration::from_millis(at.0.saturating_sub(self.began.0))
    }
}
