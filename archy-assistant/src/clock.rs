//! The wall clock, for times that people read. What must not be fooled by a clock that is set counts with the monotonic
//! one of the runtime instead.

use std::time::SystemTime;

use crate::Timestamp;

/// Tells the time of day.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the wall clock is read")]
    fn now(&self) -> Timestamp {
        Timestamp::from_system(SystemTime::now())
    }
}
