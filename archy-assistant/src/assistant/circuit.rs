//! A backend that keeps failing is left alone for a while, so that nobody waits for it each time.

use std::time::Duration;

use tokio::time::Instant;

use crate::BackendFault;

/// After so many failures in a row.
const FAILURES: u32 = 3;
/// For this long at first, twice as long each time it fails again, and at most [`LONGEST`].
const FIRST: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(300);

/// What is known of one backend's health.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Circuit {
    failures: u32,
    until: Option<(Instant, BackendFault)>,
}

impl Circuit {
    /// Why it is left alone now, if it is.
    pub(super) fn is_open(&self, now: Instant) -> Option<BackendFault> {
        self.until.filter(|(until, _)| now < *until).map(|(_, why)| why)
    }

    /// It has failed. What is the request's fault says nothing of the backend.
    pub(super) fn failed(&mut self, why: BackendFault, now: Instant) {
        if matches!(why, BackendFault::TooLong) {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if let Some(again) = self.failures.checked_sub(FAILURES) {
            let wait = FIRST.saturating_mul(1 << again.min(8)).min(LONGEST);
            self.until = Some((now + wait, why));
        }
    }

    /// It has answered.
    pub(super) fn answered(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_opens_after_three_and_for_longer_each_time() {
        let mut circuit = Circuit::default();
        let down = BackendFault::Unreachable;
        for (failures, seconds) in [(1, 0), (2, 0), (3, 30), (4, 60), (5, 120), (6, 240), (7, 300), (8, 300)]
        {
            let now = Instant::now();
            circuit.failed(down, now);
            circuit.failed(BackendFault::TooLong, now);
            let closes = now + Duration::from_secs(seconds);
            let before = closes.checked_sub(Duration::from_millis(1)).filter(|_| seconds > 0);
            assert_eq!(before.and_then(|before| circuit.is_open(before)), before.map(|_| down), "{failures}");
            assert_eq!(circuit.is_open(closes), None, "{failures}");
            tokio::time::advance(Duration::from_secs(seconds)).await;
        }
        circuit.answered();
        circuit.failed(down, Instant::now());
        assert_eq!(circuit.is_open(Instant::now()), None);
    }
}
