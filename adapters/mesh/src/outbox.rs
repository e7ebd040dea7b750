//! What waits to be sent: one packet in the air at a time, the next part after the acknowledgement of the one before.

use std::collections::VecDeque;
use std::time::Duration;

use archy_assistant::Timestamp;

use crate::{Asker, NotSent, Packet, Sent};

/// How often one part is sent at most.
pub(crate) const TRIES: u8 = 3;
/// So many letters wait at once.
const MOST: usize = 32;
/// An answer that could not begin within this is of no use any more.
const STALE: u64 = 10 * 60 * 1000;
/// Acknowledgements are waited for within these, whatever a radio says.
const LEAST_WAIT: Duration = Duration::from_secs(1);
const MOST_WAIT: Duration = Duration::from_secs(120);
/// What a radio is given to take a packet, and to come back.
const RADIO: u64 = 30 * 1000;

/// Whose letter goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Owner,
    Known,
    Stranger,
    /// That an answer takes long: only while nothing else waits.
    Notice,
}

/// A part and the milliseconds that it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) cost: u32,
}

/// The parts of one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: Asker,
    pub(crate) rank: Rank,
    pub(crate) parts: VecDeque<Part>,
    pub(crate) posted: Timestamp,
    /// In which order they were posted.
    number: u64,
    has_begun: bool,
}

#[derive(Debug)]
struct Flying {
    letter: Letter,
    part: Part,
    at: u32,
    attempt: u8,
    /// Of all tries: the acknowledgement of an earlier one may come late.
    acks: Vec<u32>,
    /// Whether the radio has yet to say that it took it.
    is_with_the_radio: bool,
    until: Timestamp,
}

/// What is to be done now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Due {
    /// Send this, and say what became of it.
    Send(Packet),
    /// Nothing before then.
    At(Timestamp),
    /// Nothing.
    Nothing,
}

/// What was sent and what became of it, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Packets, repetitions too.
    pub packets: u64,
    /// Parts that were acknowledged.
    pub acknowledged: u64,
    /// Answers of which a part was lost in every try; the rest was not sent.
    pub given_up: u64,
    /// Answers that were not sent because the airtime ran out, or they had waited too long.
    pub dropped: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Vec<Letter>,
    flying: Option<Flying>,
    not_before: Timestamp,
    posted: u64,
    pub(crate) counts: Counts,
}

impl Outbox {
    pub(crate) fn post(&mut self, to: Asker, rank: Rank, parts: Vec<Part>, now: Timestamp) {
        self.posted += 1;
        let letter =
            Letter { to, rank, parts: parts.into(), posted: now, number: self.posted, has_begun: false };
        self.waiting.push(letter);
        if self.waiting.len() > MOST {
            let last = (0..self.waiting.len()).max_by_key(|place| self.waiting[*place].order());
            last.map(|place| self.waiting.remove(place));
            self.counts.dropped += 1;
        }
    }

    /// Sends no more of what was meant for somebody; what is in the air is not called back.
    pub(crate) fn forget(&mut self, to: &Asker) {
        self.waiting.retain(|letter| letter.to != *to);
        if let Some(flying) = self.flying.as_mut().filter(|flying| flying.letter.to == *to) {
            flying.letter.parts.clear();
        }
    }

    /// The milliseconds of airtime that wait for those of whom `whose` is true.
    pub(crate) fn waits(&self, whose: impl Fn(&Letter) -> bool) -> u64 {
        let letters = self.waiting.iter().chain(self.flying.as_ref().map(|flying| &flying.letter));
        letters
            .filter(|letter| whose(letter))
            .flat_map(|letter| &letter.parts)
            .map(|part| u64::from(part.cost))
            .sum()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.flying.is_some())
    }

    /// What is to be done at `now`. `pays` is asked before each packet for its airtime, and takes it; `may` whether its
    /// receiver may still hear anything.
    pub(crate) fn due(
        &mut self,
        now: Timestamp,
        gap: Duration,
        mut pays: impl FnMut(&Letter, u32) -> bool,
        may: impl Fn(&Asker) -> bool,
    ) -> Due {
        if let Some(flying) = &mut self.flying {
            if now < flying.until {
                return Due::At(flying.until);
            }
            // The radio said nothing, or nobody acknowledged it.
            let again = flying.attempt + 1 < TRIES && may(&flying.letter.to);
            if again && pays(&flying.letter, flying.part.cost) {
                flying.attempt += 1;
                self.counts.packets += 1;
                return Due::Send(flying.packet(now));
            }
            self.flying = None;
            self.counts.given_up += 1;
            self.rest(now, gap);
        }
        if now < self.not_before {
            return if self.waiting.is_empty() { Due::Nothing } else { Due::At(self.not_before) };
        }
        while let Some(place) = (0..self.waiting.len()).min_by_key(|place| self.waiting[*place].order()) {
            let mut letter = self.waiting.remove(place);
            let is_stale = !letter.has_begun && letter.posted.0 + STALE < now.0;
            let Some(part) = letter.parts.pop_front().filter(|_| !is_stale && may(&letter.to)) else {
                self.counts.dropped += 1;
                continue;
            };
            if !pays(&letter, part.cost) {
                self.counts.dropped += 1;
                continue;
            }
            letter.has_begun = true;
            let at = u32::try_from(now.0 / 1000).unwrap_or(u32::MAX);
            let flying = Flying {
                letter,
                part,
                at,
                attempt: 0,
                acks: Vec::new(),
                is_with_the_radio: false,
                until: now,
            };
            self.counts.packets += 1;
            return Due::Send(self.flying.insert(flying).packet(now));
        }
        Due::Nothing
    }

    /// The radio has taken the packet, or not. The text is given back that is now with it.
    pub(crate) fn sent(
        &mut self,
        sent: Result<Sent, NotSent>,
        now: Timestamp,
        gap: Duration,
    ) -> Option<(Asker, String)> {
        let flying = self.flying.as_mut().filter(|flying| flying.is_with_the_radio)?;
        flying.is_with_the_radio = false;
        let said = (flying.letter.to, flying.part.text.clone());
        match sent {
            Ok(Sent::Awaiting { ack, within }) => {
                flying.acks.push(ack);
                flying.until = later(now, within.clamp(LEAST_WAIT, MOST_WAIT));
            }
            Ok(Sent::Unacknowledged) => {
                let cost = Duration::from_millis(flying.part.cost.into());
                self.goes_on(now, gap + cost);
            }
            Err(NotSent::Down) => {
                flying.until = Timestamp(now.0 + RADIO);
                return None;
            }
            Err(NotSent::Refused) => {
                self.flying = None;
                self.counts.given_up += 1;
                self.rest(now, gap);
                return None;
            }
        }
        Some(said)
    }

    /// A packet was acknowledged.
    pub(crate) fn acknowledged(&mut self, ack: u32, now: Timestamp, gap: Duration) {
        if self.flying.as_ref().is_some_and(|flying| flying.acks.contains(&ack)) {
            self.counts.acknowledged += 1;
            self.goes_on(now, gap);
        }
    }

    /// The part in the air is done with; the rest of its letter waits again, in its place.
    fn goes_on(&mut self, now: Timestamp, gap: Duration) {
        if let Some(flying) = self.flying.take()
            && !flying.letter.parts.is_empty()
        {
            self.waiting.push(flying.letter);
        }
        self.rest(now, gap);
    }

    fn rest(&mut self, now: Timestamp, gap: Duration) {
        self.not_before = later(now, gap);
    }
}

impl Letter {
    fn order(&self) -> (Rank, u64) {
        (self.rank, self.number)
    }
}

impl Flying {
    fn packet(&mut self, now: Timestamp) -> Packet {
        self.is_with_the_radio = true;
        self.until = Timestamp(now.0 + RADIO);
        Packet { to: self.letter.to, at: self.at, attempt: self.attempt, text: self.part.text.clone() }
    }
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    Timestamp(now.0.saturating_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests;
