//! How often somebody may say something, and a conversation may ask a person. Counted with the clock that cannot be
//! set, in tables that do not grow with what strangers make up.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::{Caller, ConversationId, Limits, Principal, Seat};

const MINUTE: Duration = Duration::from_secs(60);
/// The time in which a conversation's proposals are counted.
const PROPOSING: Duration = Duration::from_secs(300);
/// So many keys are told apart; those beyond share one measure.
const MOST_KEYS: usize = 256;

/// What was said and asked lately.
#[derive(Debug, Default)]
pub(super) struct Rates {
    each: HashMap<(Principal, bool), Measure>,
    /// Relayed callers who may do nothing, and those who do not fit into the table.
    strangers: Measure,
    relayed: Measure,
    proposals: HashMap<ConversationId, VecDeque<Instant>>,
}

/// A bucket that drains evenly: the moment at which it will be empty.
#[derive(Debug, Clone, Copy, Default)]
struct Measure(Option<Instant>);

impl Measure {
    /// The same with one more, if a minute's measure of `most` holds it.
    fn with_one(self, most: u32, now: Instant) -> Option<Self> {
        let empty = self.0.map_or(now, |empty| empty.max(now)) + MINUTE / most.max(1);
        (most > 0 && empty - now <= MINUTE).then_some(Self(Some(empty)))
    }

    fn is_empty(self, now: Instant) -> bool {
        self.0.is_none_or(|empty| empty <= now)
    }
}

impl Rates {
    /// Counts one message of this caller. `false` when it is one too many; then nothing is counted.
    pub(super) fn may_say(&mut self, caller: &Caller, limits: &Limits, now: Instant) -> bool {
        let relayed = caller.seat() != Seat::Chrome;
        let key = (caller.principal().clone(), relayed);
        if self.each.len() >= MOST_KEYS && !self.each.contains_key(&key) {
            self.each.retain(|_, measure| !measure.is_empty(now));
        }
        let full = self.each.len() >= MOST_KEYS && !self.each.contains_key(&key);
        let shares = relayed && (full || caller.may_nothing());
        let own = if shares { self.strangers } else { self.each.get(&key).copied().unwrap_or_default() };
        let Some(own) = own.with_one(limits.said_per_minute, now) else { return false };
        if relayed {
            let Some(all) = self.relayed.with_one(limits.relayed_per_minute, now) else { return false };
            self.relayed = all;
        }
        if shares {
            self.strangers = own;
        } else {
            self.each.insert(key, own);
        }
        true
    }

    /// Counts one question of this conversation to a person. `false` when it is one too many; then it is not counted.
    pub(super) fn may_propose(
        &mut self,
        conversation: ConversationId,
        limits: &Limits,
        now: Instant,
    ) -> bool {
        let old = |asked: &Instant| now.duration_since(*asked) >= PROPOSING;
        if self.proposals.len() >= MOST_KEYS {
            self.proposals.retain(|_, asked| asked.back().is_some_and(|last| !old(last)));
        }
        let asked = self.proposals.entry(conversation).or_default();
        while asked.front().is_some_and(old) {
            asked.pop_front();
        }
        let fits = asked.len() < limits.proposals;
        if fits {
            asked.push_back(now);
        }
        fits
    }

    /// Forgets a conversation that is gone.
    pub(super) fn forget(&mut self, conversation: ConversationId) {
        self.proposals.remove(&conversation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Door, OwnerRole, Scope};

    fn limits() -> Limits {
        Limits { said_per_minute: 3, relayed_per_minute: 5, proposals: 2, ..Limits::default() }
    }

    fn contact(name: &str, scope: Scope) -> Caller {
        let principal = Principal::new(name).unwrap();
        Caller::relayed(principal, scope, Door::Radio, Principal::owner(), OwnerRole)
    }

    #[tokio::test(start_paused = true)]
    async fn a_minutes_measure_at_once_then_one_by_one() {
        let (mut rates, owner, limits) = (Rates::default(), Caller::owner(), limits());
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let said: Vec<_> =
            [0, 0, 0, 0, 19, 20, 20, 40, 3600].map(|s| rates.may_say(&owner, &limits, at(s))).into();
        assert_eq!(said, [true, true, true, false, false, true, false, true, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn one_caller_takes_nothing_from_another_and_all_relayed_ones_nothing_from_the_owner() {
        let (mut rates, limits, now) = (Rates::default(), limits(), Instant::now());
        let mut say = |caller: &Caller| rates.may_say(caller, &limits, now);
        let (a, b) = (contact("radio:a", Scope::EVERYTHING), contact("radio:b", Scope::EVERYTHING));
        assert_eq!([&a, &a, &a, &a].map(&mut say), [true, true, true, false]);
        assert_eq!([&b, &b, &b].map(&mut say), [true, true, false], "five of all relayed ones");
        let owner = Caller::owner();
        assert_eq!([&owner, &owner, &owner, &owner].map(&mut say), [true, true, true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_share_one_measure_and_do_not_grow_the_table() {
        let limits = Limits { relayed_per_minute: u32::MAX, ..limits() };
        let (mut rates, now) = (Rates::default(), Instant::now());
        let said = (0..10_000)
            .filter(|n| rates.may_say(&contact(&format!("radio:{n}"), Scope::NOTHING), &limits, now))
            .count();
        assert_eq!((said, rates.each.len()), (3, 0));
        for n in 0..10_000 {
            rates.may_say(&contact(&format!("radio:{n}"), Scope::EVERYTHING), &limits, now);
        }
        assert_eq!(rates.each.len(), MOST_KEYS);
        assert!(rates.may_say(&Caller::owner(), &limits, now), "a full table keeps nobody at the chrome out");
    }

    #[tokio::test(start_paused = true)]
    async fn a_conversation_asks_a_person_so_often_within_five_minutes() {
        let (mut rates, limits, begin) = (Rates::default(), limits(), Instant::now());
        let mut ask = |conversation, seconds| {
            rates.may_propose(ConversationId(conversation), &limits, begin + Duration::from_secs(seconds))
        };
        assert_eq!([ask(1, 0), ask(1, 10), ask(1, 20), ask(2, 20)], [true, true, false, true]);
        assert_eq!([ask(1, 299), ask(1, 300), ask(1, 301), ask(1, 310)], [false, true, false, true]);
    }
}
