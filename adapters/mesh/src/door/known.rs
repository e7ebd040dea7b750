//! What a door knows of itself, for its owner.

use std::collections::BTreeMap;

use archy_assistant::Timestamp;

use super::{MeshDoor, Remembered, Settings};
use crate::{Counts, Facts, Silence};

impl MeshDoor {
    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is known of the radio.
    pub fn facts(&self) -> Option<&Facts> {
        self.facts.as_ref()
    }

    /// What must outlive a restart.
    pub fn remembered(&self) -> Remembered {
        Remembered::new(self.hygiene.clone(), self.budget.clone())
    }

    /// What was sent, and what became of it.
    pub fn counts(&self) -> Counts {
        self.outbox.counts
    }

    /// How many messages were answered with silence, by reason.
    pub fn silences(&self) -> &BTreeMap<Silence, u64> {
        &self.silences
    }

    /// The milliseconds of airtime that were spent within the hour.
    pub fn spent(&self, now: Timestamp) -> u64 {
        self.budget.spent(now)
    }

    /// How much is held: senders, letters, open questions, rests, and who was refused.
    pub fn held(&self) -> [usize; 6] {
        let senders = self.hygiene.senders();
        [
            senders,
            self.outbox.len(),
            self.open.len(),
            self.more.len(),
            self.refused.len(),
            self.budget.askers(),
        ]
    }
}
