//! Ten thousand hours of a bad mesh: packets are lost, repeated and played again, senders are forged, thousands of keys
//! flood the node, and it is restarted. What is promised is watched by books that are kept apart from the door's own.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Categories, Category, Timestamp};
use archy_mesh::{
    Admission, Allowance, Answer, Asker, Handled, MeshDoor, Next, Packet, QuestionId, Received, Remembered,
    Sender, Sent, Settings, Strangers,
};

use crate::world::{Dice, NOON, Trusted, facts, key, said};

const HOUR: u64 = 3_600_000;
/// Keys of those who may ask (the first is the owner's, the second trusted by the host), and of those who are denied.
const HONEST: std::ops::Range<u32> = 1..7;
const DENIED: std::ops::Range<u32> = 20..24;

enum Happens {
    /// An honest contact says something, to be repeated so often.
    Says(u32),
    Heard(Received),
    Answers(QuestionId),
    Acknowledged(u32),
    /// Something hostile, once an hour.
    Hostile,
    Flood,
    Restart,
    Look,
}

struct World {
    dice: Dice,
    now: u64,
    events: BTreeMap<u64, Happens>,
    order: BinaryHeap<Reverse<(u64, u64)>>,
    number: u64,
    door: MeshDoor,
    settings: Settings,
    /// Packets of the last hour: when, how long, to whom.
    air: VecDeque<(u64, u64, Asker)>,
    overheard: Vec<Received>,
    /// Key, time and text of what was answered.
    answered: BTreeSet<(String, u32, String)>,
    acks: u32,
    figures: Figures,
    /// Questions of honest contacts that wait for a first part.
    honest: BTreeMap<Asker, u64>,
    busiest_hour: u64,
    most_held: [usize; 6],
    most_kept: usize,
}

#[derive(Debug, Default)]
struct Figures {
    heard: u64,
    hostile: u64,
    asked_by_honest: u64,
    taken_of_honest: u64,
    served: u64,
    packets: u64,
    lost: u64,
    restarts: u64,
}

fn settings(strangers: Strangers) -> Settings {
    Settings {
        admission: Admission {
            enabled: true,
            allowed_contacts: HONEST.skip(2).map(key).collect(),
            denied_askers: DENIED.map(key).collect(),
            owner_keys: [key(1)].into(),
            strangers,
            categories: Categories::only(Category::Bitcoin),
            ..Admission::default()
        },
        airtime: Allowance::default(),
        ..Settings::default()
    }
}

fn trusted() -> Arc<Trusted> {
    // The host trusts one who is denied here, too: deny wins.
    Arc::new(Trusted([key(2), key(20)].into()))
}

impl World {
    fn new(seed: u64, strangers: Strangers) -> Self {
        let settings = settings(strangers);
        let mut door = MeshDoor::new(settings.clone(), trusted(), Remembered::nothing());
        door.up(facts());
        Self {
            dice: Dice(seed),
            now: NOON,
            events: BTreeMap::new(),
            order: BinaryHeap::new(),
            number: 0,
            door,
            settings,
            air: VecDeque::new(),
            overheard: Vec::new(),
            answered: BTreeSet::new(),
            acks: 0,
            figures: Figures::default(),
            honest: BTreeMap::new(),
            busiest_hour: 0,
            most_held: [0; 6],
            most_kept: 0,
        }
    }

    fn later(&mut self, by: u64, what: Happens) {
        self.number += 1;
        self.events.insert(self.number, what);
        self.order.push(Reverse((self.now + by, self.number)));
    }

    fn time(&self) -> Timestamp {
        Timestamp(self.now)
    }

    fn may_hear(&self, asker: &Asker) -> bool {
        let Asker::Contact(contact) = asker else { return false };
        let everyone = self.settings.admission.strangers == Strangers::AnswerEveryoneInReach;
        let is = |mut keys: std::ops::Range<u32>| keys.any(|number| key(number) == *contact);
        !is(DENIED) && (everyone || is(HONEST))
    }

    fn run(&mut self, hours: u64) {
        for who in HONEST {
            self.later(u64::from(who) * 1000, Happens::Says(who));
        }
        self.later(HOUR / 2, Happens::Hostile);
        self.later(7 * HOUR, Happens::Flood);
        self.later(40 * HOUR, Happens::Restart);
        while let Some(Reverse((at, number))) = self.order.pop() {
            if at > NOON + hours * HOUR {
                break;
            }
            self.now = at;
            let what = self.events.remove(&number).expect("each is taken once");
            self.happens(what);
            self.look();
        }
    }

    fn happens(&mut self, what: Happens) {
        let now = self.time();
        match what {
            Happens::Says(who) => {
                let words = [
                    "which block?",
                    "more",
                    "how full is the disk?",
                    "more",
                    "what does a fee cost?",
                    "Привет 👋",
                ];
                let which = usize::try_from(self.dice.below(words.len() as u64)).expect("it is small");
                let text = format!("{} {}", words[which], if which % 2 == 1 { "" } else { "please" });
                let message = said(key(who), text.trim(), now);
                self.figures.asked_by_honest += 1;
                // Repetitions, as of a radio whose acknowledgements are lost.
                for _ in 0..=self.dice.below(3) {
                    let by = 1_000 + self.dice.below(40_000);
                    self.later(by, Happens::Heard(message.clone()));
                }
                let by = HOUR / 2 + self.dice.below(2 * HOUR);
                self.later(by, Happens::Says(who));
            }
            Happens::Heard(message) => self.heard(message),
            Happens::Answers(id) => {
                let length = usize::try_from(self.dice.below(700)).expect("it is small");
                let text: String = "It is as it should be, more or less. Блок готов 👍. "
                    .chars()
                    .cycle()
                    .take(length)
                    .collect();
                let answer = if self.dice.chance(5) { Answer::Waits } else { Answer::Said(text) };
                self.door.answered(id, &answer, now);
            }
            Happens::Acknowledged(ack) => self.door.acknowledged(ack, now),
            Happens::Hostile => self.hostile(),
            Happens::Flood => {
                for n in 0..2_000 {
                    let from = key(1_000_000 + u32::try_from(self.dice.below(1 << 30)).expect("it is small"));
                    self.figures.hostile += 1;
                    self.later(
                        n * 100,
                        Happens::Heard(said(from, "which block?", Timestamp(self.now + n * 100))),
                    );
                }
                self.later(97 * HOUR, Happens::Flood);
            }
            Happens::Restart => {
                let kept = self.door.remembered().to_bytes();
                self.most_kept = self.most_kept.max(kept.len());
                let remembered = Remembered::read(&kept, now);
                self.door = MeshDoor::new(self.settings.clone(), trusted(), remembered);
                self.door.up(facts());
                self.honest.clear();
                self.figures.restarts += 1;
                self.later(40 * HOUR, Happens::Restart);
            }
            Happens::Look => {}
        }
    }

    fn hostile(&mut self) {
        let now = self.time();
        for _ in 0..6 {
            let by = self.dice.below(HOUR);
            let text = format!("which block? {}", self.dice.below(1 << 20));
            let message = match self.dice.below(5) {
                // What was heard before, again: of today or of long ago.
                0 | 1 if !self.overheard.is_empty() => {
                    let which = self.dice.below(self.overheard.len() as u64);
                    self.overheard[usize::try_from(which).expect("it is small")].clone()
                }
                2 => said(key(20 + u32::try_from(self.dice.below(4)).expect("it is small")), &text, now),
                3 => Received { from: Sender::Unknown, at: 0, text },
                _ => said(key(500), &text, Timestamp(now.0 + self.dice.below(40) * HOUR)),
            };
            self.figures.hostile += 1;
            self.later(by, Happens::Heard(message));
        }
        self.later(HOUR, Happens::Hostile);
    }

    fn heard(&mut self, message: Received) {
        self.figures.heard += 1;
        let handled = self.door.handle(&message, self.time());
        let Sender::Contact(from) = message.from else {
            assert!(matches!(handled, Handled::Silence(_)), "nobody was answered");
            return;
        };
        let asker = Asker::Contact(from);
        if let Handled::Ask(question) = &handled {
            assert!(self.may_hear(&asker), "{asker} may not ask");
            assert_eq!(question.scope.propose.is_empty(), from != key(1));
            assert_eq!(question.asker, asker);
        }
        if !matches!(handled, Handled::Silence(_)) {
            let is_first = self.answered.insert((from.to_string(), message.at, message.text.clone()));
            assert!(is_first, "{message:?} was answered twice");
            if HONEST.map(key).any(|honest| honest == from) {
                self.figures.taken_of_honest += 1;
                self.honest.insert(asker, self.now);
            }
            if self.overheard.len() < 3_000 {
                self.overheard.push(message);
            } else {
                let place = usize::try_from(self.dice.below(3_000)).expect("it is small");
                self.overheard[place] = message;
            }
        }
        if let Handled::Ask(question) = handled
            && !self.dice.chance(3)
        {
            let by = 500 + self.dice.below(45_000);
            self.later(by, Happens::Answers(question.id));
        }
    }

    /// Does what is due, and watches.
    fn look(&mut self) {
        for _ in 0..64 {
            match self.door.due(self.time()) {
                Next::Send(packet) => self.transmit(&packet),
                Next::At(at) => {
                    assert!(at.0 > self.now, "it is due at once, and nothing is done");
                    // One look is enough; another comes with whatever happens before.
                    self.later(at.0 - self.now, Happens::Look);
                    break;
                }
                Next::Nothing => break,
            }
        }
        let held = self.door.held();
        for (most, held) in self.most_held.iter_mut().zip(held) {
            *most = held.max(*most);
        }
    }

    fn transmit(&mut self, packet: &Packet) {
        assert!(self.may_hear(&packet.to), "{packet:?} goes to somebody who may hear nothing");
        assert!(packet.text.len() <= 150, "{packet:?}");
        // Semtech's formula with the settings of this radio filled in: SF 8, 62.5 kHz, 4/8, 4.096 ms a symbol.
        let on_air = 9 + (5 + packet.text.len()).div_ceil(16) * 16;
        let symbols = 8 + (8 * on_air as u64 + 44 - 32).div_ceil(32) * 8;
        let milliseconds = ((20 + symbols) * 4096 + 1024).div_ceil(1000);
        self.air.push_back((self.now, milliseconds, packet.to));
        while self.air.front().is_some_and(|(at, ..)| at + HOUR <= self.now) {
            self.air.pop_front();
        }
        let all: u64 = self.air.iter().map(|(_, spent, _)| spent).sum();
        let one: u64 = self.air.iter().filter(|(.., to)| *to == packet.to).map(|(_, spent, _)| spent).sum();
        self.busiest_hour = self.busiest_hour.max(all);
        assert!(all <= 36_000, "{all} ms within an hour");
        assert!(one <= 11_880, "{one} ms within an hour on {}", packet.to);
        self.figures.packets += 1;
        self.acks += 1;
        let ack = self.acks;
        self.door.sent(Ok(Sent::Awaiting { ack, within: Duration::from_secs(12) }), self.time());
        if self.dice.chance(20) {
            self.figures.lost += 1;
            return;
        }
        if self.honest.remove(&packet.to).is_some() {
            self.figures.served += 1;
        }
        // One acknowledgement in eight is lost, some come late, some twice.
        if !self.dice.chance(12) {
            let by = 1_500 + self.dice.below(14_000);
            self.later(by, Happens::Acknowledged(ack));
            if self.dice.chance(5) {
                self.later(by + 20, Happens::Acknowledged(ack));
            }
        }
    }
}

fn simulate(name: &str, seed: u64, strangers: Strangers, hours: u64) {
    let mut world = World::new(seed, strangers);
    world.run(hours);
    let figures = &world.figures;
    println!(
        "{name}: {hours} hours, seed {seed}: {figures:?}; busiest hour {} ms of 36000; most held {:?}, kept {} bytes",
        world.busiest_hour, world.most_held, world.most_kept
    );
    println!("  {:?} {:?}", world.door.counts(), world.door.silences());
    let [senders, letters, open, more, refused, askers] = world.most_held;
    assert!(senders <= 768 && letters <= 33 && more <= 64, "{:?}", world.most_held);
    assert!(open <= 140 && refused <= 140 && askers <= 200, "{:?}", world.most_held);
    assert!(world.most_kept < 400_000, "{} bytes are kept", world.most_kept);
    // Repetitions, refusals for want of airtime and a new question before the answer are not answers.
    assert!(figures.taken_of_honest * 100 >= figures.asked_by_honest * 95, "{figures:?}");
    assert!(figures.served * 100 >= figures.taken_of_honest * 90, "{figures:?}");
}

const HOURS: u64 = 10_000;

#[test]
fn a_bad_mesh_where_strangers_are_refused() {
    simulate("refused", 7, Strangers::Refused, HOURS);
}

#[test]
fn a_bad_mesh_where_everyone_may_ask() {
    simulate("everyone", 11, Strangers::AnswerEveryoneInReach, HOURS);
}
