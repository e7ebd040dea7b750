//! What the tests share: keys, a radio's facts, a clock, a dice.

use std::collections::BTreeSet;
use std::time::Duration;

use archy_assistant::Timestamp;
use archy_mesh::{ContactKey, Facts, Received, Region, Sender, Trust, meshcore};

/// A fixed day.
pub(crate) const NOON: u64 = 1_796_126_400_000;

pub(crate) fn key(number: u32) -> ContactKey {
    let mut key = [0x5a; 32];
    key[..4].copy_from_slice(&number.to_be_bytes());
    ContactKey(key)
}

pub(crate) fn facts() -> Facts {
    Facts {
        key: Some(key(0)),
        name: "home".to_owned(),
        modem: Some(Region::EuropeNarrow.modem()),
        direct_text: meshcore::DIRECT_TEXT,
        channel_text: meshcore::CHANNEL_TEXT,
        framing: meshcore::FRAMING,
        gap: Duration::from_millis(500),
    }
}

pub(crate) fn after(milliseconds: u64) -> Timestamp {
    Timestamp(NOON + milliseconds)
}

pub(crate) fn said(from: ContactKey, text: &str, now: Timestamp) -> Received {
    let at = u32::try_from(now.0 / 1000).expect("before 2106");
    Received { from: Sender::Contact(from), at, text: text.to_owned() }
}

pub(crate) struct Trusted(pub(crate) BTreeSet<ContactKey>);

impl Trust for Trusted {
    fn trusts(&self, key: &ContactKey) -> bool {
        self.0.contains(key)
    }
}

/// The same numbers for the same seed, on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
