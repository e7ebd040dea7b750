//! How much somebody may ask for: a bucket that fills again.

use tokio::time::{Duration, Instant};

/// So many at once, and one more after each while.
#[derive(Debug)]
pub(super) struct Bucket {
    most: u32,
    left: u32,
    each: Duration,
    filled: Instant,
}

impl Bucket {
    pub(super) fn new(most: u32, each: Duration) -> Self {
        Self { most, left: most, each, filled: Instant::now() }
    }

    /// Takes one, if there is one.
    pub(super) fn take(&mut self) -> bool {
        let now = Instant::now();
        let more = now.duration_since(self.filled).as_nanos() / self.each.as_nanos().max(1);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        self.filled = if more >= self.most - self.left { now } else { self.filled + self.each * more };
        self.left = self.left.saturating_add(more).min(self.most);
        let some = self.left > 0;
        self.left -= u32::from(some);
        some
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_gives_what_it_holds_and_then_one_at_a_time() {
        let mut bucket = Bucket::new(3, Duration::from_secs(1));
        let mut take = |times: usize| (0..times).filter(|_| bucket.take()).count();
        assert_eq!(take(5), 3);
        tokio::time::advance(Duration::from_millis(1500)).await;
        assert_eq!(take(5), 1);
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(take(5), 1);
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(take(5), 3);
    }
}
