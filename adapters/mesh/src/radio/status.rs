//! What a radio does, for its owner.

use std::collections::BTreeMap;

use archy_assistant::Timestamp;

use crate::meshcore::Contact;
use crate::{Counts, Down, Facts, MeshDoor, Silence};

/// Whether the radio is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Nothing was heard of it yet.
    Unknown,
    /// It is.
    Up,
    /// It is not, for this reason.
    Down(Down),
}

/// What a radio does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Whether it is there.
    pub link: LinkState,
    /// Whether what must outlive a restart could be kept the last time; where not, nothing is answered.
    pub is_kept: bool,
    /// What is known of it, as of when it was there.
    pub facts: Option<Facts>,
    /// Whom it knows.
    pub contacts: Vec<Contact>,
    /// The milliseconds of airtime that were spent within the hour, and that may be.
    pub airtime: (u64, u64),
    /// What was sent.
    pub counts: Counts,
    /// How many messages were answered with silence, by reason.
    pub silences: BTreeMap<Silence, u64>,
}

impl Status {
    pub(super) fn of(
        door: &MeshDoor,
        (link, is_kept): (LinkState, bool),
        contacts: Vec<Contact>,
        now: Timestamp,
    ) -> Self {
        Self {
            link,
            is_kept,
            facts: door.facts().cloned(),
            contacts,
            airtime: (door.spent(now), door.settings().airtime.for_all()),
            counts: door.counts(),
            silences: door.silences().clone(),
        }
    }
}
