//! What is made of an answer for the air: parts within the bytes and the airtime that there are.

use archy_assistant::Timestamp;

use super::{MeshDoor, QuestionId};
use crate::admission::Standing;
use crate::outbox::{Part, Rank};
use crate::{Asker, Promised, render, split};

/// Below the last part of several, where more is kept.
const OFFER: &str = " (more)";
/// What is said in place of an answer.
const WAITS: &str = "That waits for a yes in the node's page.";
const EMPTY: &str = "No answer.";
const SLOW: &str = "Working on it.";
const NO_MORE: &str = "Nothing more is kept.";
/// An answer is not shortened to less, which is more than the line takes that says why there is none.
const LEAST: usize = 60;
/// Nobody is told more often that there is no airtime.
const REFUSED: u64 = 10 * 60 * 1000;

/// What the assistant said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This, in any shape that a model or the node gave it.
    Said(String),
    /// Something was proposed, and waits for a person at the node's page. What a model said about it is not sent.
    Waits,
}

impl MeshDoor {
    /// The answer to a question; one that nobody waits for any more goes nowhere.
    pub fn answered(&mut self, id: QuestionId, answer: &Answer, now: Timestamp) {
        let Some(open) = self.open.remove(&id) else { return };
        let asker = open.asker;
        // The line that it takes long is of no use now.
        self.outbox.forget(&asker);
        if self.may(&asker).is_none() {
            return;
        }
        let text = match answer {
            Answer::Waits => WAITS.to_owned(),
            Answer::Said(text) => render(text),
        };
        let text = if text.is_empty() { EMPTY } else { &text };
        self.post(asker, text, now);
    }

    /// Posts as much of a text as there is airtime for, and keeps the rest.
    fn post(&mut self, asker: Asker, text: &str, now: Timestamp) {
        let bytes = self.bytes(&asker);
        let room = self.room(&asker, now);
        let at_once = usize::from(self.settings.parts.clamp(1, 3));
        let mut parts = split(text, bytes);
        if parts.len() > at_once || self.cost(parts.numbered(0).as_deref().unwrap_or_default()) > room {
            parts = split(text, bytes - OFFER.len());
        }
        let mut all: Vec<String> = (0..parts.len()).filter_map(|place| parts.numbered(place)).collect();
        let mut left = room;
        let affordable = all
            .iter()
            .take(at_once)
            .take_while(|part| {
                let cost = self.cost(&format!("{part}{OFFER}"));
                let fits = cost <= left;
                left = left.saturating_sub(cost);
                fits
            })
            .count();
        if affordable == 0 {
            return self.shortened(asker, text, room, now);
        }
        let rest = all.split_off(affordable);
        self.post_parts(asker, all, rest, now);
    }

    fn post_parts(&mut self, asker: Asker, mut now_parts: Vec<String>, rest: Vec<String>, now: Timestamp) {
        if let Some(last) = now_parts.last_mut()
            && !rest.is_empty()
        {
            last.push_str(OFFER);
        }
        self.more.keep(asker, rest, now);
        let rank = self.rank(&asker);
        self.send(asker, rank, now_parts, now);
    }

    /// One part of what fits, or a line that says why there is none.
    fn shortened(&mut self, asker: Asker, text: &str, room: u64, now: Timestamp) {
        let most = self.bytes(&asker);
        let fits = (LEAST..=most).rev().find(|bytes| self.cost_of(*bytes) <= room);
        let Some(bytes) = fits else {
            self.refuse(asker, now);
            return;
        };
        let ellipsis = "…";
        let parts = split(text, bytes - ellipsis.len());
        let Some(first) = parts.bodies().first() else { return };
        let cut = if parts.len() > 1 { format!("{}{ellipsis}", first.trim_end()) } else { first.clone() };
        let rank = self.rank(&asker);
        self.send(asker, rank, vec![cut], now);
    }

    /// The next parts of what was kept; whether anything is sent.
    pub(super) fn say_more(&mut self, asker: Asker, now: Timestamp) -> bool {
        let at_once = usize::from(self.settings.parts.clamp(1, 3));
        let most = self.cost_of(self.bytes(&asker));
        let fit = usize::try_from(self.room(&asker, now) / most.max(1)).unwrap_or(usize::MAX);
        if fit == 0 {
            return self.refuse(asker, now);
        }
        let Some((mut parts, stay)) = self.more.take(&asker, at_once.min(fit), now) else {
            return self.line(asker, NO_MORE, now);
        };
        if stay > 0
            && let Some(last) = parts.last_mut()
        {
            last.push_str(OFFER);
        }
        let rank = self.rank(&asker);
        self.send(asker, rank, parts, now);
        true
    }

    /// The milliseconds on the air of a text of so many bytes.
    pub(crate) fn airtime(&self, bytes: usize) -> u32 {
        u32::try_from(self.cost_of(bytes)).unwrap_or(u32::MAX)
    }

    /// Whether somebody has said less than there is.
    pub(crate) fn keeps_more(&self) -> bool {
        !self.more.is_empty()
    }

    /// Says once that the answer takes long, if that takes nothing away from the answer.
    pub(super) fn say_slow(&mut self, asker: Asker, now: Timestamp) {
        let answer = self.cost_of(self.bytes(&asker)) * u64::from(self.settings.parts.clamp(1, 3));
        if self.may(&asker).is_some() && self.room(&asker, now) >= answer + self.cost(SLOW) {
            self.send(asker, Rank::Notice, vec![SLOW.to_owned()], now);
        }
    }

    /// Whether an answer of some words could be sent now.
    pub(super) fn could_answer(&self, asker: &Asker, now: Timestamp) -> bool {
        self.facts.is_none() || self.room(asker, now) >= self.cost_of(LEAST)
    }

    /// Says in one line that there is no airtime, if there is airtime for that and it was not just said.
    pub(super) fn refuse(&mut self, asker: Asker, now: Timestamp) -> bool {
        self.refused.retain(|_, told| told.0 + REFUSED > now.0);
        if self.refused.contains_key(&asker) {
            return false;
        }
        let needed = u32::try_from(self.cost_of(self.bytes(&asker))).unwrap_or(u32::MAX);
        let at = self.budget.room_at(self.settings.airtime, &asker, self.standing(&asker), now, needed);
        let minutes = at.map(|at| (at.0 - now.0).div_ceil(60_000).max(1));
        let line = minutes
            .map_or("No airtime.".to_owned(), |minutes| format!("No airtime left. Ask in {minutes} min."));
        let said = self.line(asker, &line, now);
        if said {
            self.refused.insert(asker, now);
        }
        said
    }

    fn line(&mut self, asker: Asker, line: &str, now: Timestamp) -> bool {
        let fits = self.cost(line) <= self.room(&asker, now);
        if fits {
            let rank = self.rank(&asker);
            self.send(asker, rank, vec![line.to_owned()], now);
        }
        fits
    }

    fn send(&mut self, asker: Asker, rank: Rank, parts: Vec<String>, now: Timestamp) {
        let parts = parts.into_iter().map(|text| Part { cost: self.airtime(text.len()), text }).collect();
        self.outbox.post(asker, rank, parts, now);
    }

    fn standing(&self, asker: &Asker) -> Standing {
        self.may(asker).map_or(Standing::Stranger, |admitted| admitted.standing)
    }

    /// The airtime that may be spent on somebody, besides what waits.
    fn room(&self, asker: &Asker, now: Timestamp) -> u64 {
        let strangers = |asker: &Asker| self.standing(asker) == Standing::Stranger;
        let promised = Promised {
            all: self.outbox.waits(|_| true),
            strangers: self.outbox.waits(|letter| strangers(&letter.to)),
            one: self.outbox.waits(|letter| letter.to == *asker),
        };
        self.budget.room(self.settings.airtime, promised, asker, self.standing(asker), now)
    }

    /// The bytes of one part.
    fn bytes(&self, asker: &Asker) -> usize {
        let facts = self.facts.as_ref();
        let most = match asker {
            Asker::Contact(_) => facts.map(|facts| facts.direct_text),
            Asker::Channel(_) => facts.map(|facts| facts.channel_text),
        };
        most.unwrap_or(crate::meshcore::CHANNEL_TEXT).max(LEAST + OFFER.len())
    }

    fn cost_of(&self, bytes: usize) -> u64 {
        let framing = self.facts.as_ref().map_or(crate::meshcore::FRAMING, |facts| facts.framing);
        self.modem().airtime(framing.on_air(bytes)).into()
    }

    fn cost(&self, text: &str) -> u64 {
        self.cost_of(text.len())
    }
}
