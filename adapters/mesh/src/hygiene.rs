//! What is answered once and no more: duplicates, replays, echoes, bots that answer bots, and whoever asks too much.

use std::collections::{BTreeMap, VecDeque};

use archy_assistant::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Asker;
use crate::admission::Standing;
use crate::more::is_more;
use crate::render::looks_numbered;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// So much older than the newest from the same sender may a message be.
const LATE: u64 = 15 * MINUTE;
/// So far ahead of the node's clock may a sender's be.
const AHEAD: u64 = 10 * MINUTE;
/// So many messages of one sender are remembered; of older ones it is known that they are older.
const SEEN: usize = 16;
/// So many of the last parts that went to somebody are known again when they come back.
const SAID: usize = 6;
/// So many senders are remembered: those the owner or the host knows, and strangers.
const KNOWN: usize = 512;
const STRANGERS: usize = 256;
/// Over so long messages are counted.
const RATE: u64 = 10 * MINUTE;
/// So many in that time: of one sender, of all whom somebody knows, of all strangers.
const PER_SENDER: usize = 10;
const ALL_KNOWN: usize = 120;
const ALL_STRANGERS: usize = 20;
/// Nobody reads and types within this; who does so `QUICK` times in a row is a machine, and hears nothing for an hour.
const TYPING: u64 = 4 * SECOND;
const QUICK: u8 = 4;

/// Why a message is not answered. The sender is told nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Silence {
    /// Whoever sent it may not ask, or is not known, or the door is off.
    NotAdmitted,
    /// It has been heard: a repetition whose acknowledgement was lost.
    Duplicate,
    /// It is older than what the same sender has sent since, or than a stranger's may be.
    Replayed,
    /// The sender's clock is ahead.
    FromTheFuture,
    /// It is what this node has sent, or looks like a part of such an answer.
    Echo,
    /// The same was asked twice within ten minutes.
    Repeated,
    /// The sender answers faster than a person.
    Bot,
    /// Too much was asked, by the sender or by all.
    TooMany,
    /// No more senders can be remembered.
    Full,
    /// It is empty, or longer than a radio carries.
    NoRequest,
    /// No airtime is left even for saying so.
    NoAirtime,
}

/// Everything that is remembered of senders. It is bounded, and survives a restart as what serde makes of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hygiene {
    senders: BTreeMap<Asker, Sender>,
    known: Asked,
    strangers: Asked,
    /// Whether something was forgotten that was heard from somebody known: then a first message must be a fresh one.
    has_forgotten: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sender {
    is_stranger: bool,
    heard: Timestamp,
    /// By the sender's clock, in seconds: the newest, and the one up to which all were heard or are not wanted any more.
    newest: u32,
    floor: u32,
    seen: VecDeque<(u32, u64)>,
    asked: Asked,
    asked_what: VecDeque<(Timestamp, u64)>,
    said: VecDeque<u64>,
    said_at: Timestamp,
    quick: u8,
    muted_until: Timestamp,
}

/// When messages came, within [`RATE`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Asked(VecDeque<Timestamp>);

impl Asked {
    fn has_room(&mut self, now: Timestamp, most: usize) -> bool {
        while self.0.front().is_some_and(|at| at.0 + RATE <= now.0) {
            self.0.pop_front();
        }
        self.0.len() < most
    }

    fn not_after(&mut self, now: Timestamp) {
        self.0.iter_mut().for_each(|at| *at = (*at).min(now));
    }
}

fn hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

impl Hygiene {
    /// After a state was lost or could not be read: nobody's first message may be an old one.
    pub fn after_a_loss() -> Self {
        Self { has_forgotten: true, ..Self::default() }
    }

    /// Judges a message of somebody who may ask, and remembers it if it is to be answered. `at` is the sender's clock.
    ///
    /// # Errors
    /// Why it is not answered; then nothing of it is remembered, and a repetition may be answered later.
    pub fn judge(
        &mut self,
        asker: Asker,
        standing: Standing,
        at: u32,
        text: &str,
        now: Timestamp,
    ) -> Result<(), Silence> {
        let sent = u64::from(at) * SECOND;
        if sent > now.0 + AHEAD {
            return Err(Silence::FromTheFuture);
        }
        let is_stranger = standing == Standing::Stranger;
        let what = hash(text);
        if let Some(sender) = self.senders.get_mut(&asker) {
            // Whoever wants to read on says the same each time.
            sender.judge(at, what, is_more(text), now)?;
        } else {
            let must_be_fresh = is_stranger || self.has_forgotten;
            if must_be_fresh && sent + LATE < now.0 {
                return Err(Silence::Replayed);
            }
            self.make_room(is_stranger, now)?;
        }
        if looks_numbered(text) {
            return Err(Silence::Echo);
        }
        let (all, most) =
            if is_stranger { (&mut self.strangers, ALL_STRANGERS) } else { (&mut self.known, ALL_KNOWN) };
        if !all.has_room(now, most) {
            return Err(Silence::TooMany);
        }
        all.0.push_back(now);
        let sender = self.senders.entry(asker).or_insert_with(Sender::new);
        sender.is_stranger = is_stranger;
        sender.remember(at, what, now);
        Ok(())
    }

    /// Remembers what was sent to somebody, so that it is known when it comes back.
    pub fn said(&mut self, asker: &Asker, text: &str, now: Timestamp) {
        if let Some(sender) = self.senders.get_mut(asker) {
            if sender.said.len() == SAID {
                sender.said.pop_front();
            }
            sender.said.push_back(hash(text));
            sender.said_at = now;
        }
    }

    /// What is remembered of a time after now, by a clock that was ahead, is of now.
    pub(crate) fn not_after(&mut self, now: Timestamp) {
        self.known.not_after(now);
        self.strangers.not_after(now);
        for sender in self.senders.values_mut() {
            sender.heard = sender.heard.min(now);
            sender.said_at = sender.said_at.min(now);
            sender.muted_until = sender.muted_until.min(Timestamp(now.0 + HOUR));
            sender.asked.not_after(now);
            sender.asked_what.iter_mut().for_each(|(at, _)| *at = (*at).min(now));
        }
    }

    /// How many senders are remembered.
    pub fn senders(&self) -> usize {
        self.senders.len()
    }

    /// Makes a place for one more, if there is one that has not been heard for long enough that nothing of it matters.
    fn make_room(&mut self, is_stranger: bool, now: Timestamp) -> Result<(), Silence> {
        let (most, idle) = if is_stranger { (STRANGERS, HOUR) } else { (KNOWN, 24 * HOUR) };
        let alike = || self.senders.iter().filter(|(_, sender)| sender.is_stranger == is_stranger);
        if alike().count() < most {
            return Ok(());
        }
        let oldest =
            alike().min_by_key(|(_, sender)| sender.heard).map(|(asker, sender)| (*asker, sender.heard));
        let (asker, heard) = oldest.ok_or(Silence::Full)?;
        if heard.0 + idle > now.0 {
            return Err(Silence::Full);
        }
        self.senders.remove(&asker);
        self.has_forgotten |= !is_stranger;
        Ok(())
    }
}

impl Sender {
    fn new() -> Self {
        Self {
            is_stranger: false,
            heard: Timestamp(0),
            newest: 0,
            floor: 0,
            seen: VecDeque::new(),
            asked: Asked::default(),
            asked_what: VecDeque::new(),
            said: VecDeque::new(),
            said_at: Timestamp(0),
            quick: 0,
            muted_until: Timestamp(0),
        }
    }

    fn judge(&mut self, at: u32, what: u64, may_repeat: bool, now: Timestamp) -> Result<(), Silence> {
        if self.seen.contains(&(at, what)) {
            return Err(Silence::Duplicate);
        }
        if at <= self.floor || u64::from(at) * SECOND + LATE < u64::from(self.newest) * SECOND {
            return Err(Silence::Replayed);
        }
        if self.muted_until > now {
            return Err(Silence::Bot);
        }
        if self.said.contains(&what) {
            return Err(Silence::Echo);
        }
        self.asked_what.retain(|(then, _)| then.0 + RATE > now.0);
        if !may_repeat && self.asked_what.iter().filter(|(_, asked)| *asked == what).count() >= 2 {
            return Err(Silence::Repeated);
        }
        if !self.asked.has_room(now, PER_SENDER) {
            return Err(Silence::TooMany);
        }
        let is_quick = self.said_at.0 > 0 && now.0 < self.said_at.0 + TYPING;
        self.quick = if is_quick { self.quick + 1 } else { 0 };
        if self.quick >= QUICK {
            self.quick = 0;
            self.muted_until = Timestamp(now.0 + HOUR);
            return Err(Silence::Bot);
        }
        Ok(())
    }

    fn remember(&mut self, at: u32, what: u64, now: Timestamp) {
        self.heard = now;
        self.newest = self.newest.max(at);
        self.seen.push_back((at, what));
        if self.seen.len() > SEEN {
            // The oldest by the sender's clock goes, and with it all that is not newer.
            let oldest = self.seen.iter().map(|(at, _)| *at).min().unwrap_or(0);
            self.floor = self.floor.max(oldest);
            self.seen.retain(|(at, _)| *at > oldest);
        }
        self.asked.0.push_back(now);
        self.asked_what.push_back((now, what));
    }
}

#[cfg(test)]
mod tests;
