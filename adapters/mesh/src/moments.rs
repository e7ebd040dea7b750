//! The time as this door counts it: what has passed, and the time of day.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use archy_assistant::{Clock, Timestamp};
use tokio::time::{Duration, Instant};

/// The clock is followed where it is ahead by more than this.
const AHEAD: u64 = 2_000;

/// A time that never goes back. It follows a clock that is set forward, as that of a node is which was begun before it
/// knew the time, or that slept; where the clock is set back it goes on by what passes.
#[derive(Clone)]
pub(crate) struct Moments {
    clock: Arc<dyn Clock>,
    began: Arc<Mutex<Began>>,
}

#[derive(Clone, Copy)]
struct Began {
    at: Timestamp,
    since: Instant,
}

impl fmt::Debug for Moments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Moments").field(&self.now()).finish()
    }
}

impl Moments {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let began = Began { at: clock.now(), since: Instant::now() };
        Self { clock, began: Arc::new(Mutex::new(began)) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let mut began = self.began.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = u64::try_from(began.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let now = Timestamp(began.at.0.saturating_add(passed));
        let clock = self.clock.now();
        if clock.0 <= now.0.saturating_add(AHEAD) {
            return now;
        }
        *began = Began { at: clock, since: Instant::now() };
        clock
    }

    /// The runtime's name for a moment.
    pub(crate) fn instant(&self, at: Timestamp) -> Instant {
        let began = *self.began.lock().unwrap_or_else(PoisonError::into_inner);
        began.since + Duration::from_millis(at.0.saturating_sub(began.at.0))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[derive(Default)]
    struct Set(AtomicU64);

    impl Clock for Set {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.load(Ordering::Relaxed))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_is_set_forward_is_followed_and_one_that_is_set_back_is_not() {
        let clock = Arc::new(Set::default());
        let moments = Moments::new(clock.clone());
        assert_eq!(moments.now(), Timestamp(0));
        clock.0.store(1_796_126_400_000, Ordering::Relaxed);
        assert_eq!(moments.now(), Timestamp(1_796_126_400_000));
        clock.0.store(5, Ordering::Relaxed);
        tokio::time::advance(Duration::from_secs(3)).await;
        let now = moments.now();
        assert_eq!(now, Timestamp(1_796_126_403_000));
        assert_eq!(moments.instant(Timestamp(now.0 + 1_000)), Instant::now() + Duration::from_secs(1));
    }
}
