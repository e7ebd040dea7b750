//! How long restarts took. A convenience: what cannot be read counts as none, what cannot be written is let go.

use std::path::Path;
use std::time::Duration;

use super::folder;

const FILE: &str = "restarts.json";
const KEPT: usize = 5;
const DEFAULT_SECONDS: u64 = 5;

/// The median of those kept, at least 1.
pub(super) fn typical_seconds(folder: &Path) -> u64 {
    let mut milliseconds = read(folder);
    milliseconds.sort_unstable();
    milliseconds.get(milliseconds.len() / 2).map_or(DEFAULT_SECONDS, |median| median.div_ceil(1000).max(1))
}

pub(super) fn remember(folder: &Path, took: Duration) {
    let mut milliseconds = read(folder);
    milliseconds.push(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let kept = milliseconds.split_off(milliseconds.len().saturating_sub(KEPT));
    if let Ok(content) = serde_json::to_vec(&kept) {
        let _ = folder::replace(&folder.join(FILE), &content);
    }
}

/// In milliseconds, oldest first.
fn read(folder: &Path) -> Vec<u64> {
    let content = folder::read(&folder.join(FILE)).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&content).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_last_five_counts() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(typical_seconds(folder.path()), DEFAULT_SECONDS);
        for seconds in [100, 100, 100, 2, 3, 4] {
            remember(folder.path(), Duration::from_secs(seconds));
        }
        assert_eq!(read(folder.path()), [100_000, 100_000, 2000, 3000, 4000]);
        assert_eq!(typical_seconds(folder.path()), 4);
        std::fs::write(folder.path().join(FILE), "nonsense").unwrap();
        assert_eq!(typical_seconds(folder.path()), DEFAULT_SECONDS);
    }
}
