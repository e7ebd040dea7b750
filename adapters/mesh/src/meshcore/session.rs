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
mod tests {
    use super::*;
    use crate::ContactKey;

    const ANN: ContactKey = ContactKey([1; 32]);
    const NOW: Timestamp = Timestamp(1_796_126_400_000);

    fn contact(key: ContactKey) -> Vec<u8> {
        [&[0x03][..], &key.0, &[1, 0, 255], &[0; 64], &[0; 32], &[0; 16]].concat()
    }

    fn direct(key: ContactKey, text: &str) -> Vec<u8> {
        [&[0x10, 38, 0, 0][..], &key.0[..6], &[0, 0, 7, 0, 0, 0], text.as_bytes()].concat()
    }

    /// Answers commands until none is left; gives what was told and what was asked, by the first byte.
    fn serve(
        session: &mut Session,
        contacts: &[ContactKey],
        queue: &mut Vec<Vec<u8>>,
    ) -> (Vec<Told>, Vec<u8>) {
        let (mut told, mut asked) = (Vec::new(), Vec::new());
        while let Some(frame) = session.write(NOW) {
            asked.push(frame[3]);
            let answers = match frame[3] {
                0x16 => vec![vec![0x0d, 13]],
                0x01 => vec![[&[0x05, 1, 22, 22][..], &[7; 32], &[0; 20], &[8, 8], b"home"].concat()],
                0x06 => vec![vec![0x01, 6]],
                0x04 => {
                    let all = contacts.iter().map(|key| contact(*key));
                    [vec![vec![2, 0, 0, 0, 0]], all.collect(), vec![vec![4, 0, 0, 0, 0]]].concat()
                }
                0x0a => vec![if queue.is_empty() { vec![0x0a] } else { queue.remove(0) }],
                0x02 => vec![vec![6, 1, 5, 0, 0, 0, 0x10, 0x27, 0, 0]],
                other => panic!("{other}"),
            };
            for answer in answers {
                // A clock's beat between question and answer disturbs nothing.
                told.extend(session.read(&[9, 0, 0, 0, 0], NOW));
                told.extend(session.read(&answer, NOW));
            }
        }
        (told, asked)
    }

    fn texts(told: &[Told]) -> Vec<(Sender, String)> {
        let message = |told: &Told| match told {
            Told::Message(received) => Some((received.from, received.text.clone())),
            _ => None,
        };
        told.iter().filter_map(message).collect()
    }

    #[test]
    fn contacts_are_known_before_the_first_message_is_taken() {
        let mut session = Session::new(NOW);
        let mut queue = vec![direct(ANN, "hi"), direct(ContactKey([9; 32]), "ho")];
        let (told, asked) = serve(&mut session, &[ANN], &mut queue);
        assert_eq!(asked, [0x16, 0x01, 0x06, 0x04, 0x0a, 0x0a, 0x0a]);
        assert!(matches!(&told[0], Told::Up(me) if me.name == "home"));
        assert_eq!(
            texts(&told),
            [(Sender::Contact(ANN), "hi".to_owned()), (Sender::Unknown, "ho".to_owned())]
        );
    }

    #[test]
    fn when_contacts_have_changed_they_are_read_before_anybody_is_named() {
        let mut session = Session::new(NOW);
        serve(&mut session, &[ANN], &mut Vec::new());
        // Somebody has made a key that begins like Ann's.
        let mut twin = ANN;
        twin.0[31] = 2;
        session.read(&[&[0x80][..], &twin.0].concat(), NOW);
        session.read(&[0x83], NOW);
        let (told, asked) = serve(&mut session, &[ANN, twin], &mut vec![direct(ANN, "hi")]);
        assert_eq!(asked, [0x0a, 0x04, 0x0a]);
        assert_eq!(texts(&told), [(Sender::Unknown, "hi".to_owned())]);
        let packet = Packet { to: Asker::Contact(ANN), at: 7, attempt: 0, text: "x".to_owned() };
        assert_eq!(
            session.say(&packet),
            Err(NotSent::Refused),
            "nor is anything sent to whoever comes first"
        );
    }

    #[test]
    fn a_packet_is_sent_and_acknowledged() {
        let mut session = Session::new(NOW);
        let packet = Packet { to: Asker::Contact(ANN), at: 7, attempt: 0, text: "x".to_owned() };
        assert_eq!(session.say(&packet), Err(NotSent::Down));
        serve(&mut session, &[ANN], &mut Vec::new());
        assert_eq!(session.say(&packet), Ok(()));
        let (told, _) = serve(&mut session, &[ANN], &mut Vec::new());
        let within = std::time::Duration::from_secs(10);
        assert_eq!(told, [Told::Sent(Ok(Sent::Awaiting { ack: 5, within }))]);
        assert_eq!(session.read(&[0x82, 5, 0, 0, 0, 1, 0, 0, 0], NOW), [Told::Acknowledged(5)]);
    }

    #[test]
    fn a_radio_that_does_not_answer_is_given_up_and_a_quiet_one_is_asked() {
        let mut session = Session::new(NOW);
        session.write(NOW).unwrap();
        assert_eq!(session.tick(Timestamp(NOW.0 + ANSWER - 1)), Ok(()));
        assert_eq!(session.tick(Timestamp(NOW.0 + ANSWER)), Err(Broken));
        let mut session = Session::new(NOW);
        serve(&mut session, &[ANN], &mut Vec::new());
        assert_eq!(session.tick(Timestamp(NOW.0 + QUIET)), Ok(()));
        assert_eq!(session.write(NOW).map(|frame| frame[3]), Some(0x0a));
    }
}
