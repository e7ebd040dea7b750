//! The time of day, in the one place that reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Nanoseconds in a second.
const NANOS: i64 = 1_000_000_000;

/// A moment: whole seconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// Tells the time of day to the library. A test sets its own.
pub trait Clock: Send + Sync + 'static {
    /// Nanoseconds since 1970, UTC.
    fn now_nanos(&self) -> i64;

    /// The same in whole seconds.
    fn now(&self) -> Timestamp {
        Timestamp(self.now_nanos().div_euclid(NANOS))
    }
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the wall clock is read")]
    fn now_nanos(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }
}
