//! What outlives a restart.

use archy_assistant::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Budget, Hygiene};

/// What was heard, so that it is not answered again, and what was spent. Kept by the host as JSON; it has an end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remembered {
    version: u8,
    pub(super) hygiene: Hygiene,
    pub(super) budget: Budget,
}

const VERSION: u8 = 1;

impl Remembered {
    pub(super) fn new(hygiene: Hygiene, budget: Budget) -> Self {
        Self { version: VERSION, hygiene, budget }
    }

    /// Of a door that has never been.
    pub fn nothing() -> Self {
        Self::new(Hygiene::default(), Budget::default())
    }

    /// Reads what was kept. What cannot be read is lost, and then nobody's first message may be an old one, and
    /// nothing is sent for an hour. What a clock that was ahead has written counts as of `now`.
    pub fn read(kept: &[u8], now: Timestamp) -> Self {
        let read = serde_json::from_slice::<Self>(kept).ok().filter(|read| read.version == VERSION);
        let mut read = read.unwrap_or_else(|| Self::new(Hygiene::after_a_loss(), Budget::after_a_loss(now)));
        read.hygiene.not_after(now);
        read.budget.not_after(now);
        read
    }

    /// As it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Its keys are text and its numbers whole; nothing at all would be read as a loss.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_796_126_400_000);

    #[test]
    fn what_is_kept_is_read_again_and_anything_else_is_a_loss() {
        let nothing = Remembered::nothing();
        assert_eq!(Remembered::read(&nothing.to_bytes(), NOW), nothing);
        let lost = Remembered::new(Hygiene::after_a_loss(), Budget::after_a_loss(NOW));
        let newer =
            String::from_utf8(nothing.to_bytes()).unwrap().replace(r#""version":1"#, r#""version":2"#);
        for bad in [&b""[..], b"{}", newer.as_bytes()] {
            assert_eq!(Remembered::read(bad, NOW), lost);
        }
    }

    #[test]
    fn the_stored_shape() {
        insta::assert_snapshot!(String::from_utf8(Remembered::nothing().to_bytes()).unwrap(), @r#"{"version":1,"hygiene":{"senders":{},"known":[],"strangers":[],"has_forgotten":false},"budget":{"all":[],"strangers":[],"askers":{}}}"#);
    }
}
