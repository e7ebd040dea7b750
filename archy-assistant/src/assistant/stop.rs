//! How much is going on, and how it comes to an end.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::live::Nudge;
use super::{Assistant, Inner};

/// What is going on now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Stats {
    /// Turns that run.
    pub turns: usize,
    /// Questions that wait for a person.
    pub waiting: usize,
    /// Whether there is a [`HeadWitness`](crate::HeadWitness) that does not know how far the audit has come: until it
    /// does, it may not be noticed that the store was rolled back.
    pub unwitnessed: bool,
}

impl Assistant {
    /// What is going on now.
    pub fn stats(&self) -> Stats {
        Stats {
            turns: self.0.live().len(),
            waiting: self.0.queue().len(),
            unwitnessed: self.0.audit.is_unwitnessed(),
        }
    }

    /// Takes nothing new, stops the turns (an effect that has begun is brought to its end) and waits for them, at most
    /// this long. What does not end in time is closed as interrupted at the next start. `true` when all have ended.
    pub async fn shutdown(&self, within: Duration) -> bool {
        self.0.stopping.store(true, Ordering::Release);
        self.0.stop_turns(within).await
    }
}

impl Inner {
    /// Stops all turns and waits for them, at most this long: `true` when all have ended. Nothing new may begin.
    pub(super) async fn stop_turns(&self, within: Duration) -> bool {
        let until = Instant::now() + within;
        let running: Vec<_> = self.live().values().cloned().collect();
        for live in &running {
            let _ = live.driver.send(Nudge::Stop);
        }
        for live in running {
            if timeout_at(until, live.ended()).await.is_err() {
                return false;
            }
        }
        true
    }
}
