//! The door: what is done with each message, and what is sent when. It awaits nothing and knows no clock: whoever calls it
//! tells the time, which must not go back.

mod answer;
mod known;
mod remembered;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Principal, Scope, Timestamp};
use serde::{Deserialize, Serialize};

pub use answer::Answer;
pub use remembered::Remembered;

use crate::admission::{Admitted, Standing, Trust};
use crate::more::is_more;
use crate::outbox::{Due, Letter, Outbox, Rank};
use crate::{
    Admission, Allowance, Asker, Budget, Facts, Hygiene, Modem, More, NotSent, Packet, Received, Region,
    Sender, Sent, Silence,
};

/// The most bytes of a request.
const MOST_SAID: usize = 1024;
/// After so long whoever asked is told that the answer takes longer.
const SLOW: u64 = 20 * 1000;
/// After so long nothing is said any more: who asked has gone.
const LOST: u64 = 10 * 60 * 1000;

/// What the owner has decided about the radio.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Who may ask, and for what.
    pub admission: Admission,
    /// How much airtime that may cost.
    pub airtime: Allowance,
    /// Which settings count for a radio that does not say its own.
    pub region: Region,
    /// In how many parts an answer is sent at once, 1 to 3; the rest after `more`.
    pub parts: u8,
}

impl Default for Settings {
    fn default() -> Self {
        let (admission, airtime) = (Admission::default(), Allowance::default());
        Self { admission, airtime, region: Region::default(), parts: 2 }
    }
}

/// What a message led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handled {
    /// Nothing, and nothing is sent.
    Silence(Silence),
    /// The assistant is to be asked; what it says is told with [`MeshDoor::answered`].
    Ask(Question),
    /// The node itself has something to send: see [`MeshDoor::due`].
    Said,
}

/// The number of a question, once in the life of a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(u64);

/// What somebody asks the assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its number.
    pub id: QuestionId,
    /// Who asks.
    pub asker: Asker,
    /// Under which name.
    pub principal: Principal,
    /// What they may read, and, with the owner's own key, propose.
    pub scope: Scope,
    /// Their words.
    pub text: String,
    /// The question of the same asker that this one takes the place of: nobody waits for its answer any more.
    pub instead_of: Option<QuestionId>,
}

/// What is to be done for the radio now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Give this to the radio, and tell [`MeshDoor::sent`] what became of it. Its airtime is spent already: keep
    /// [`MeshDoor::remembered`] first.
    Send(Packet),
    /// Ask again then, or when something else has happened.
    At(Timestamp),
    /// Ask again when something has happened.
    Nothing,
}

#[derive(Debug)]
struct Open {
    asker: Asker,
    asked: Timestamp,
    was_told: bool,
}

/// The radio door of one radio. [The module's page](crate) shows how a daemon calls it.
pub struct MeshDoor {
    settings: Settings,
    trust: Arc<dyn Trust>,
    facts: Option<Facts>,
    hygiene: Hygiene,
    budget: Budget,
    outbox: Outbox,
    more: More,
    open: BTreeMap<QuestionId, Open>,
    /// Who was told within ten minutes that there is no airtime.
    refused: BTreeMap<Asker, Timestamp>,
    asked: u64,
    silences: BTreeMap<Silence, u64>,
}

impl fmt::Debug for MeshDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeshDoor")
            .field("open", &self.open)
            .field("waiting", &self.outbox.len())
            .finish_non_exhaustive()
    }
}

impl MeshDoor {
    /// A door with the owner's settings and what an earlier one has remembered.
    pub fn new(settings: Settings, trust: Arc<dyn Trust>, remembered: Remembered) -> Self {
        Self {
            settings,
            trust,
            facts: None,
            hygiene: remembered.hygiene,
            budget: remembered.budget,
            outbox: Outbox::default(),
            more: More::default(),
            open: BTreeMap::new(),
            refused: BTreeMap::new(),
            asked: 0,
            silences: BTreeMap::new(),
        }
    }

    /// What is done with a message at `now`. Where it is not [`Handled::Silence`], keep [`MeshDoor::remembered`] before
    /// anything else, so that the message cannot be played again after a restart.
    pub fn handle(&mut self, message: &Received, now: Timestamp) -> Handled {
        match self.judged(message, now) {
            Ok(handled) => handled,
            Err(silence) => {
                *self.silences.entry(silence).or_default() += 1;
                Handled::Silence(silence)
            }
        }
    }

    fn judged(&mut self, message: &Received, now: Timestamp) -> Result<Handled, Silence> {
        let (asker, admitted, text) = self.admitted(message).ok_or(Silence::NotAdmitted)?;
        if text.is_empty() || text.len() > MOST_SAID {
            return Err(Silence::NoRequest);
        }
        let text = text.to_owned();
        self.hygiene.judge(asker, admitted.standing, message.at, &text, now)?;
        if is_more(&text) {
            return self.say_more(asker, now).then_some(Handled::Said).ok_or(Silence::NoAirtime);
        }
        if !self.could_answer(&asker, now) {
            return self.refuse(asker, now).then_some(Handled::Said).ok_or(Silence::NoAirtime);
        }
        // Who asks anew has no use for what is left of the answer before.
        self.outbox.forget(&asker);
        let instead_of = self.open.iter().find(|(_, open)| open.asker == asker).map(|(id, _)| *id);
        if let Some(id) = instead_of {
            self.open.remove(&id);
        }
        self.asked += 1;
        let id = QuestionId(self.asked);
        self.open.insert(id, Open { asker, asked: now, was_told: false });
        let (principal, scope) = (asker.principal(), admitted.scope);
        Ok(Handled::Ask(Question { id, asker, principal, scope, text, instead_of }))
    }

    fn admitted<'a>(&self, message: &'a Received) -> Option<(Asker, Admitted, &'a str)> {
        match message.from {
            Sender::Unknown => None,
            Sender::Contact(key) => {
                let admitted = self.settings.admission.admit(&key, &*self.trust)?;
                Some((Asker::Contact(key), admitted, message.text.trim()))
            }
            Sender::Channel(index) => {
                let (text, scope) = self.settings.admission.in_channel(index, &message.text)?;
                Some((Asker::Channel(index), Admitted { scope, standing: Standing::Stranger }, text))
            }
        }
    }

    /// What an asker may do now, whatever it was when they asked; `None` where they may not ask any more.
    pub fn scope(&self, asker: &Asker) -> Option<Scope> {
        self.may(asker).map(|admitted| admitted.scope)
    }

    fn may(&self, asker: &Asker) -> Option<Admitted> {
        self.settings.admission.may(asker, &*self.trust)
    }

    /// What is to be done for the radio now: a packet, or when to ask again.
    pub fn due(&mut self, now: Timestamp) -> Next {
        self.open.retain(|_, open| open.asked.0 + LOST > now.0);
        let slow: Vec<Asker> = self
            .open
            .values_mut()
            .filter(|open| !open.was_told && open.asked.0 + SLOW <= now.0)
            .map(|open| {
                open.was_told = true;
                open.asker
            })
            .collect();
        for asker in slow {
            self.say_slow(asker, now);
        }
        let Some(gap) = self.facts.as_ref().map(|facts| facts.gap) else { return Next::Nothing };
        let (admission, trust) = (&self.settings.admission, &*self.trust);
        let (budget, airtime) = (&mut self.budget, self.settings.airtime);
        let may = |asker: &Asker| admission.may(asker, trust).is_some();
        let standing = |letter: &Letter| {
            admission.may(&letter.to, trust).map_or(Standing::Stranger, |admitted| admitted.standing)
        };
        let pays = |letter: &Letter, cost| budget.spend(airtime, &letter.to, standing(letter), now, cost);
        match self.outbox.due(now, gap, pays, may) {
            Due::Send(packet) => Next::Send(packet),
            due => {
                let slow =
                    self.open.values().filter(|open| !open.was_told).map(|open| open.asked.0 + SLOW).min();
                let due = if let Due::At(at) = due { Some(at.0) } else { None };
                due.into_iter().chain(slow).min().map_or(Next::Nothing, |at| Next::At(Timestamp(at)))
            }
        }
    }

    /// What became of the packet of [`Next::Send`].
    pub fn sent(&mut self, sent: Result<Sent, NotSent>, now: Timestamp) {
        let gap = self.gap();
        if let Some((to, text)) = self.outbox.sent(sent, now, gap) {
            self.hygiene.said(&to, &text, now);
        }
    }

    /// A packet was acknowledged.
    pub fn acknowledged(&mut self, ack: u32, now: Timestamp) {
        let gap = self.gap();
        self.outbox.acknowledged(ack, now, gap);
    }

    fn gap(&self) -> Duration {
        self.facts.as_ref().map_or(Duration::ZERO, |facts| facts.gap)
    }

    /// The radio is there, and this is known of it. Until then nothing is sent.
    pub fn up(&mut self, facts: Facts) {
        self.facts = Some(facts);
    }

    /// The owner has decided otherwise. What waits for those who may not hear any more is never sent.
    pub fn configure(&mut self, settings: Settings) {
        self.settings = settings;
    }

    fn modem(&self) -> Modem {
        self.facts.as_ref().and_then(|facts| facts.modem).unwrap_or(self.settings.region.modem())
    }

    fn rank(&self, asker: &Asker) -> Rank {
        match (asker, self.may(asker)) {
            (Asker::Contact(key), _) if self.settings.admission.owner_keys.contains(key) => Rank::Owner,
            (_, Some(Admitted { standing: Standing::Known, .. })) => Rank::Known,
            _ => Rank::Stranger,
        }
    }
}
