//! Politeness: how many files a second are read, and with which priority.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lets through so many a second, for all threads together.
#[derive(Debug)]
pub(crate) struct Pace {
    gap: Option<Duration>,
    next: Mutex<Instant>,
}

impl Pace {
    pub(crate) fn new(files_per_second: Option<u32>) -> Self {
        let gap = files_per_second.filter(|rate| *rate > 0).map(|rate| Duration::from_secs(1) / rate);
        Self { gap, next: Mutex::new(Instant::now()) }
    }

    /// How long the caller waits before so many files.
    pub(crate) fn wait(&self, files: usize) -> Duration {
        let Some(gap) = self.gap else { return Duration::ZERO };
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = (*next).max(now);
        *next = turn + gap * u32::try_from(files).unwrap_or(u32::MAX);
        turn - now
    }
}

/// Gives this thread, and the processes that it starts, a lower priority. Where that is not allowed nothing happens.
pub(crate) fn be_nice(by: i32) {
    if by > 0 {
        let _ = rustix::process::nice(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_file_waits_for_two_gaps() {
        let pace = Pace::new(Some(10));
        pace.wait(1);
        pace.wait(1);
        let third = pace.wait(1);
        assert!(third > Duration::from_millis(100) && third <= Duration::from_millis(200), "{third:?}");
        assert_eq!(Pace::new(None).wait(1), Duration::ZERO);
    }
}
