//! Airtime as money: what an hour may cost, for all, for strangers and for each asker.

use std::collections::BTreeMap;

use archy_assistant::Timestamp;
use serde::{Deserialize, Serialize};

use crate::admission::Standing;
use crate::{Asker, Spent};

/// How much airtime the door may spend. The default is one hundredth of each hour, a third of that for one asker and half
/// of it for all strangers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Allowance {
    /// Thousandths of an hour, up to what the law of the place allows: 10 is 1 %.
    pub permille: u16,
    /// Hundredths of that for one asker.
    pub one_asker_percent: u8,
    /// Hundredths of that for all strangers.
    pub strangers_percent: u8,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { permille: 10, one_asker_percent: 33, strangers_percent: 50 }
    }
}

impl Allowance {
    /// Milliseconds of an hour for all.
    pub fn for_all(self) -> u64 {
        u64::from(self.permille.min(1000)) * 3_600
    }

    /// Milliseconds of an hour for one asker.
    pub fn for_one(self) -> u64 {
        self.for_all() * u64::from(self.one_asker_percent.min(100)) / 100
    }

    /// Milliseconds of an hour for all strangers.
    pub fn for_strangers(self) -> u64 {
        self.for_all() * u64::from(self.strangers_percent.min(100)) / 100
    }
}

/// Milliseconds of airtime that wait to be spent already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Promised {
    /// On all.
    pub all: u64,
    /// On all strangers.
    pub strangers: u64,
    /// On the asker in question.
    pub one: u64,
}

/// What was spent. Everything that is sent, a repetition too, is written here before it goes out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    all: Spent,
    strangers: Spent,
    /// Only of those who cost something within the hour.
    askers: BTreeMap<Asker, Spent>,
}

impl Budget {
    /// After what was spent is not known any more: nothing is left of this hour.
    pub fn after_a_loss(now: Timestamp) -> Self {
        let mut lost = Self::default();
        lost.all.spend(now, u32::MAX);
        lost
    }

    /// See [`Spent::not_after`].
    pub(crate) fn not_after(&mut self, now: Timestamp) {
        let Self { all, strangers, askers } = self;
        [all, strangers].into_iter().chain(askers.values_mut()).for_each(|spent| spent.not_after(now));
    }

    /// The milliseconds that may still be spent on this asker now, besides what is `promised`.
    pub fn room(
        &self,
        allowance: Allowance,
        promised: Promised,
        asker: &Asker,
        standing: Standing,
        now: Timestamp,
    ) -> u64 {
        let left =
            |allowed: u64, spent: u64, promised: u64| allowed.saturating_sub(spent).saturating_sub(promised);
        let one = self.askers.get(asker).map_or(0, |spent| spent.within_the_hour(now));
        let one = left(allowance.for_one(), one, promised.one);
        let all = left(allowance.for_all(), self.all.within_the_hour(now), promised.all).min(one);
        match standing {
            Standing::Known => all,
            Standing::Stranger => {
                let strangers = self.strangers.within_the_hour(now);
                all.min(left(allowance.for_strangers(), strangers, promised.strangers))
            }
        }
    }

    /// Spends, where there is room; says whether there was.
    pub fn spend(
        &mut self,
        allowance: Allowance,
        asker: &Asker,
        standing: Standing,
        now: Timestamp,
        milliseconds: u32,
    ) -> bool {
        if self.room(allowance, Promised::default(), asker, standing, now) < u64::from(milliseconds) {
            return false;
        }
        self.askers.retain(|_, spent| !spent.is_over(now));
        self.all.spend(now, milliseconds);
        if standing == Standing::Stranger {
            self.strangers.spend(now, milliseconds);
        }
        self.askers.entry(*asker).or_default().spend(now, milliseconds);
        true
    }

    /// When so much may be spent on this asker; `None` where it never may.
    pub fn room_at(
        &self,
        allowance: Allowance,
        asker: &Asker,
        standing: Standing,
        now: Timestamp,
        milliseconds: u32,
    ) -> Option<Timestamp> {
        let mut at = self.all.room_at(now, milliseconds, allowance.for_all())?;
        let nothing = Spent::default();
        let one = self.askers.get(asker).unwrap_or(&nothing);
        at = at.max(one.room_at(now, milliseconds, allowance.for_one())?);
        if standing == Standing::Stranger {
            at = at.max(self.strangers.room_at(now, milliseconds, allowance.for_strangers())?);
        }
        Some(at)
    }

    /// The milliseconds of the last hour that were spent on all.
    pub fn spent(&self, now: Timestamp) -> u64 {
        self.all.within_the_hour(now)
    }

    /// How many askers cost something within the hour, and perhaps some before.
    pub fn askers(&self) -> usize {
        self.askers.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_796_126_400_000);
    const ANN: Asker = Asker::Channel(1);
    const BEN: Asker = Asker::Channel(2);
    const CY: Asker = Asker::Channel(3);

    #[test]
    fn one_in_a_hundred_is_36_seconds_of_an_hour() {
        let allowance = Allowance::default();
        assert_eq!(
            (allowance.for_all(), allowance.for_one(), allowance.for_strangers()),
            (36_000, 11_880, 18_000)
        );
        let absurd = Allowance { permille: u16::MAX, one_asker_percent: 255, strangers_percent: 255 };
        assert_eq!(
            (absurd.for_all(), absurd.for_one(), absurd.for_strangers()),
            (3_600_000, 3_600_000, 3_600_000)
        );
    }

    #[test]
    fn nobody_spends_more_than_theirs_and_strangers_leave_half() {
        let allowance = Allowance::default();
        let mut budget = Budget::default();
        let mut spend =
            |who, standing, milliseconds| budget.spend(allowance, &who, standing, NOW, milliseconds);
        assert!(spend(ANN, Standing::Stranger, 11_000));
        assert!(!spend(ANN, Standing::Stranger, 1_000), "its own is spent");
        assert!(!spend(BEN, Standing::Stranger, 7_001), "that of all strangers is");
        assert!(spend(BEN, Standing::Known, 11_000) && spend(CY, Standing::Known, 11_000));
        assert!(!spend(Asker::Channel(4), Standing::Known, 3_001), "that of all is");
        assert_eq!(budget.spent(NOW), 33_000);
        let promised = Promised { all: 2_000, strangers: 0, one: 100 };
        assert_eq!(budget.room(allowance, promised, &BEN, Standing::Known, NOW), 780);
        assert_eq!(budget.room(allowance, promised, &Asker::Channel(4), Standing::Known, NOW), 1_000);
        let at = budget.room_at(allowance, &ANN, Standing::Known, NOW, 3_001);
        assert_eq!(at, Some(Timestamp(NOW.0 + 61 * 60_000)));
        assert_eq!(budget.room_at(allowance, &ANN, Standing::Known, NOW, 11_881), None);
    }
}
