//! How long a packet is on the air, and how much of an hour may be spent so.

use std::collections::VecDeque;

use archy_assistant::Timestamp;
use serde::{Deserialize, Serialize};

/// How a radio modulates: what its airtime follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modem {
    /// Spreading factor, 5 to 12.
    pub spreading: u8,
    /// Bandwidth in hertz.
    pub bandwidth: u32,
    /// The denominator of the coding rate 4/n, 5 to 8.
    pub coding: u8,
    /// Symbols of the preamble, besides those that the hardware adds.
    pub preamble: u16,
}

/// The settings that whole regions use, for a radio that does not say its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Region {
    /// Europe and the United Kingdom, 869 MHz, narrow: SF 8, 62.5 kHz, 4/8.
    #[default]
    EuropeNarrow,
    /// Europe, as it was before: SF 11, 250 kHz, 4/5.
    EuropeWide,
    /// The United States and Canada: SF 7, 62.5 kHz, 4/5.
    UnitedStates,
    /// Australia and New Zealand, narrow: SF 7, 62.5 kHz, 4/8.
    AustraliaNarrow,
}

impl Region {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::EuropeNarrow, Self::EuropeWide, Self::UnitedStates, Self::AustraliaNarrow];

    /// What radios there are set to.
    pub const fn modem(self) -> Modem {
        let (spreading, bandwidth, coding) = match self {
            Self::EuropeNarrow => (8, 62_500, 8),
            Self::EuropeWide => (11, 250_000, 5),
            Self::UnitedStates => (7, 62_500, 5),
            Self::AustraliaNarrow => (7, 62_500, 8),
        };
        Modem { spreading, bandwidth, coding, preamble: 16 }
    }

    /// As people type it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EuropeNarrow => "europe-narrow",
            Self::EuropeWide => "europe-wide",
            Self::UnitedStates => "united-states",
            Self::AustraliaNarrow => "australia-narrow",
        }
    }
}

impl Modem {
    /// The milliseconds that a packet of `bytes` takes, rounded up: Semtech's formula for LoRa with an explicit header and a
    /// checksum (SX1276 data sheet, 4.1.1.7). Values that no radio has count as the slowest that one has.
    pub fn airtime(self, bytes: usize) -> u32 {
        let spreading = u64::from(self.spreading.clamp(5, 12));
        let bandwidth = u64::from(self.bandwidth.clamp(7_800, 500_000));
        let coding = u64::from(self.coding.clamp(5, 8));
        // A radio whose symbols last 16 ms or more uses the low data rate optimisation.
        let slow = (1_u64 << spreading) * 1000 >= 16 * bandwidth;
        let bits = 8 * bytes as u64 + 44 - 4 * spreading;
        let per_symbol = 4 * (spreading - if slow { 2 } else { 0 });
        let payload = 8 + bits.div_ceil(per_symbol) * coding;
        // In quarters of a symbol, because the preamble ends with four and a quarter.
        let quarters = 4 * (u64::from(self.preamble) + payload) + 17;
        let milliseconds = (quarters * (1 << spreading) * 1000).div_ceil(4 * bandwidth);
        u32::try_from(milliseconds).unwrap_or(u32::MAX)
    }
}

/// What was spent within the last hour. A packet counts for a whole hour after it, rounded up to a minute, also over a
/// restart; so whichever hour is looked at, what was spent in it is within what was allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Spent(
    /// The minute since 1970, and the milliseconds spent in it; at most 62.
    VecDeque<(u64, u64)>,
);

impl Spent {
    const MINUTE: u64 = 60_000;

    /// The milliseconds that still count.
    pub fn within_the_hour(&self, now: Timestamp) -> u64 {
        let oldest = (now.0 / Self::MINUTE).saturating_sub(60);
        self.0.iter().filter(|(minute, _)| *minute >= oldest).map(|(_, spent)| spent).sum()
    }

    /// Counts `milliseconds` as spent now.
    pub fn spend(&mut self, now: Timestamp, milliseconds: u32) {
        let minute = now.0 / Self::MINUTE;
        while self.0.front().is_some_and(|(old, _)| *old + 60 < minute) {
            self.0.pop_front();
        }
        match self.0.back_mut() {
            // A clock that was set back must not make room.
            Some((last, spent)) if *last >= minute => *spent += u64::from(milliseconds),
            _ => self.0.push_back((minute, milliseconds.into())),
        }
    }

    /// What was spent after now counts as spent now: it was written by a clock that was ahead.
    pub(crate) fn not_after(&mut self, now: Timestamp) {
        let minute = now.0 / Self::MINUTE;
        let ahead: u64 = self.0.iter().filter(|(at, _)| *at > minute).map(|(_, spent)| spent).sum();
        self.0.retain(|(at, _)| *at <= minute);
        if ahead > 0 {
            self.spend(now, u32::try_from(ahead).unwrap_or(u32::MAX));
        }
    }

    /// When `milliseconds` more would fit into `allowed` an hour; `None` where they never do.
    pub fn room_at(&self, now: Timestamp, milliseconds: u32, allowed: u64) -> Option<Timestamp> {
        let needed = u64::from(milliseconds);
        if needed > allowed {
            return None;
        }
        let mut spent = self.within_the_hour(now);
        let oldest = (now.0 / Self::MINUTE).saturating_sub(60);
        let mut counted = self.0.iter().filter(|(minute, _)| *minute >= oldest);
        let mut at = now;
        while spent + needed > allowed {
            let (minute, freed) = counted.next()?;
            spent -= freed;
            at = Timestamp((minute + 61) * Self::MINUTE);
        }
        Some(at.max(now))
    }

    /// Whether nothing of it counts any more.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.within_the_hour(now) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn airtimes_are_those_that_were_measured() {
        let of = |modem: Modem| [60, 120, 180, 255].map(|bytes| modem.airtime(bytes));
        assert_eq!(of(Region::EuropeWide.modem()), [682, 1133, 1584, 2157]);
        assert_eq!(of(Region::EuropeNarrow.modem()), [640, 1132, 1624, 2246]);
        assert_eq!(of(Region::UnitedStates.modem()), [243, 417, 591, 816]);
    }

    #[test]
    fn a_radio_that_says_nonsense_has_an_airtime() {
        let absurd = Modem { spreading: 255, bandwidth: 0, coding: 0, preamble: u16::MAX };
        assert!(absurd.airtime(usize::from(u16::MAX)) > 1_000_000);
        assert_eq!(Modem { spreading: 0, bandwidth: u32::MAX, coding: 255, preamble: 0 }.airtime(0), 2);
    }

    #[test]
    fn what_was_spent_counts_for_an_hour_and_no_more_fits_before() {
        let at = |seconds: u64| Timestamp(1_796_068_800_000 + seconds * 1000);
        let mut spent = Spent::default();
        spent.spend(at(30), 20_000);
        spent.spend(at(90), 10_000);
        assert_eq!(spent.within_the_hour(at(3_600)), 30_000);
        assert_eq!(spent.room_at(at(100), 6_000, 36_000), Some(at(100)));
        assert_eq!(spent.room_at(at(100), 6_001, 36_000), Some(at(3_660)));
        assert_eq!(spent.room_at(at(100), 30_000, 36_000), Some(at(3_720)));
        assert_eq!(spent.room_at(at(100), 36_001, 36_000), None);
        assert_eq!(spent.within_the_hour(at(3_660)), 10_000);
        assert!(spent.is_over(at(3_720)));
    }

    #[test]
    fn what_a_clock_that_was_ahead_wrote_counts_for_an_hour_from_now() {
        let (now, year) = (Timestamp(7_200_000), 31_536_000_000);
        let mut spent = Spent::default();
        spent.spend(now, 500);
        spent.spend(Timestamp(now.0 + 120_000), 700);
        spent.spend(Timestamp(now.0 + 180_000), 1_000);
        spent.not_after(now);
        assert_eq!(spent.within_the_hour(now), 2_200);
        spent.spend(Timestamp(now.0 + year), 1_000);
        spent.not_after(now);
        assert_eq!(spent.within_the_hour(now), 1_000);
        assert!(spent.is_over(Timestamp(now.0 + 3_660_000)));
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_room() {
        let mut spent = Spent::default();
        spent.spend(Timestamp(7_200_000), 1_000);
        spent.spend(Timestamp(3_600_000), 1_000);
        assert_eq!(spent.within_the_hour(Timestamp(3_600_000)), 2_000);
    }
}
