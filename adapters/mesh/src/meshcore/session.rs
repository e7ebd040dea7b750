//! One conversation with a radio, without the line: what came in, what goes out, and until when.

use std::collections::VecDeque;

use archy_assistant::Timestamp;

use super::{Broken, Command, Contact, FromRadio, Myself};
use crate::{Asker, NotSent, Packet, Received, Sender, Sent, resolve};

/// A radio that has not answered a command within this has lost its thread.
const ANSWER: u64 = 10_000;
/// A radio that has said nothing for this long is asked whether anything waits.
const QUIET: u64 = 30_000;
/// So many contacts are read; firmware keeps far fewer.
const MOST_CONTACTS: usize = 4_096;
/// So many messages wait for the contacts to be read anew.
const MOST_HELD: usize = 32;

/// What a session tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The radio is ready.
    Up(Myself),
    /// Its contacts, all of them.
    Contacts(Vec<Contact>),
    /// Somebody said something.
    Message(Received),
    /// A packet has arrived.
    Acknowledged(u32),
    /// What became of the packet of [`Session::say`].
    Sent(Result<Sent, NotSent>),
}

/// A session with a radio. Commands go out one at a time; what they are answered with has no number, only an order.
#[derive(Debug)]
pub struct Session {
    todo: VecDeque<Command>,
    asked: Option<(Command, Timestamp)>,
    me: Option<Myself>,
    is_up: bool,
    contacts: Vec<Contact>,
    coming: Vec<Contact>,
    /// Whether the radio knows other contacts than are known here.
    is_stale: bool,
    held: VecDeque<FromRadio>,
    /// What is to be said when the contacts have been read anew.
    unsaid: Option<Packet>,
    last: Timestamp,
}

impl Session {
    /// Begins one, at the node's time.
    pub fn new(now: Timestamp) -> Self {
        let seconds = u32::try_from(now.0 / 1000).unwrap_or(u32::MAX);
        let todo = [
            Command::Hello,
            Command::Start,
            Command::SetTime(seconds),
            Command::Contacts,
            Command::NextMessage,
        ];
        Self {
            todo: todo.into(),
            asked: None,
            me: None,
            is_up: false,
            contacts: Vec::new(),
            coming: Vec::new(),
            is_stale: false,
            held: VecDeque::new(),
            unsaid: None,
            last: now,
        }
    }

    /// The next frame to be written, if there is one now.
    pub fn write(&mut self, now: Timestamp) -> Option<Vec<u8>> {
        if self.asked.is_some() {
            return None;
        }
        let command = self.todo.pop_front()?;
        let frame = command.encode()?;
        self.asked = Some((command, now));
        Some(frame)
    }

    /// When [`Session::tick`] is to be called at the latest.
    pub fn deadline(&self) -> Timestamp {
        match &self.asked {
            Some((_, since)) => Timestamp(since.0 + ANSWER),
            None => Timestamp(self.last.0 + QUIET),
        }
    }

    /// Time has passed.
    ///
    /// # Errors
    /// [`Broken`] where the radio has not answered.
    pub fn tick(&mut self, now: Timestamp) -> Result<(), Broken> {
        if now < self.deadline() {
            return Ok(());
        }
        if self.asked.is_some() {
            return Err(Broken);
        }
        self.last = now;
        self.want(Command::NextMessage);
        Ok(())
    }

    /// Asks the radio to send a packet.
    ///
    /// # Errors
    /// Where it is not ready, does not know exactly one contact that begins like this key, or the text is too long.
    pub fn say(&mut self, packet: &Packet) -> Result<(), NotSent> {
        if !self.is_up {
            return Err(NotSent::Down);
        }
        if self.is_stale && matches!(packet.to, Asker::Contact(_)) {
            // Whom the radio would find by six bytes may be another by now.
            self.todo.retain(|command| *command != Command::Contacts);
            self.todo.push_front(Command::Contacts);
            self.unsaid = Some(packet.clone());
            return Ok(());
        }
        let (at, text) = (packet.at, packet.text.clone());
        let command = match packet.to {
            Asker::Channel(channel) => Command::SayInChannel { channel, at, text },
            Asker::Contact(key) => {
                // The radio looks for the six bytes, and takes the first that has them.
                if self.resolve(&FromRadio::Direct { from: key.prefix(), at, text: String::new() })
                    != Some(Sender::Contact(key))
                {
                    return Err(NotSent::Refused);
                }
                Command::Say { to: key.prefix(), attempt: packet.attempt, at, text }
            }
        };
        if command.encode().is_none() {
            return Err(NotSent::Refused);
        }
        self.todo.push_front(command);
        Ok(())
    }

    /// Whether the radio is ready.
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// Takes the payload of a frame.
    pub fn read(&mut self, payload: &[u8], now: Timestamp) -> Vec<Told> {
        self.last = now;
        let heard = FromRadio::read(payload);
        match &heard {
            FromRadio::Acknowledged(ack) => return vec![Told::Acknowledged(*ack)],
            FromRadio::Waiting => self.want(Command::NextMessage),
            FromRadio::ContactsChanged => self.is_stale = true,
            FromRadio::Contact(contact) if self.coming.len() < MOST_CONTACTS => {
                self.coming.push(contact.clone());
            }
            _ => {}
        }
        let Some((asked, since)) = self.asked.take() else { return Vec::new() };
        match (asked, heard) {
            (Command::Hello, FromRadio::Device)
            | (Command::SetTime(_), FromRadio::Done | FromRadio::Refused(_))
            | (Command::NextMessage, FromRadio::NoMore | FromRadio::Refused(_)) => Vec::new(),
            (Command::Start, FromRadio::Myself(me)) => {
                self.me = Some(me);
                Vec::new()
            }
            (Command::Contacts, FromRadio::ContactsEnd) => self.contacts_are_read(),
            (Command::Contacts, FromRadio::Refused(_)) => {
                self.want(Command::Contacts);
                Vec::new()
            }
            (Command::NextMessage, heard) if heard.is_from_queue() => {
                self.want(Command::NextMessage);
                self.message(heard)
            }
            (Command::Say { .. }, FromRadio::Sent { ack, within }) => {
                vec![Told::Sent(Ok(Sent::Awaiting { ack, within }))]
            }
            (Command::SayInChannel { .. }, FromRadio::Done | FromRadio::Sent { .. }) => {
                vec![Told::Sent(Ok(Sent::Unacknowledged))]
            }
            (Command::Say { .. } | Command::SayInChannel { .. }, FromRadio::Refused(_)) => {
                vec![Told::Sent(Err(NotSent::Refused))]
            }
            // The answer is still to come.
            (asked, heard) => {
                if asked == Command::Contacts && heard == FromRadio::ContactsBegin {
                    self.coming.clear();
                    self.is_stale = false;
                }
                let is_coming = asked == Command::Contacts && matches!(heard, FromRadio::Contact(_));
                self.asked = Some((asked, if is_coming { now } else { since }));
                Vec::new()
            }
        }
    }

    fn want(&mut self, command: Command) {
        if !self.todo.contains(&command) {
            self.todo.push_back(command);
        }
    }

    fn contacts_are_read(&mut self) -> Vec<Told> {
        self.contacts = std::mem::take(&mut self.coming);
        let mut told = vec![Told::Contacts(self.contacts.clone())];
        if let Some(me) = self.me.clone().filter(|_| !self.is_up) {
            self.is_up = true;
            told.insert(0, Told::Up(me));
        }
        if let Some(packet) = self.unsaid.take()
            && let Err(not_sent) = self.say(&packet)
        {
            told.push(Told::Sent(Err(not_sent)));
        }
        for held in std::mem::take(&mut self.held) {
            told.extend(self.message(held));
        }
        told
    }

    /// A message out of the queue. Where the contacts have changed they are read first: who it is from may be another.
    fn message(&mut self, heard: FromRadio) -> Vec<Told> {
        if self.is_stale && matches!(heard, FromRadio::Direct { .. }) {
            self.todo.retain(|command| *command != Command::Contacts);
            self.todo.push_front(Command::Contacts);
            if self.held.len() < MOST_HELD {
                self.held.push_back(heard);
            }
            return Vec::new();
        }
        let from = self.resolve(&heard);
        match (heard, from) {
            (FromRadio::Direct { at, text, .. } | FromRadio::InChannel { at, text, .. }, Some(from)) => {
                vec![Told::Message(Received { from, at, text })]
            }
            _ => Vec::new(),
        }
    }

    fn resolve(&self, heard: &FromRadio) -> Option<Sender> {
        match heard {
            FromRadio::Direct { from, .. } => {
                let keys = self.contacts.iter().map(|contact| &contact.key);
                Some(resolve(*from, keys).map_or(Sender::Unknown, Sender::Contact))
            }
            FromRadio::InChannel { channel, .. } => Some(Sender::Channel(*channel)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
