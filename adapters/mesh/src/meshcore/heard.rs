//! What a radio says.

use std::time::Duration;

use archy_assistant::{Sentence, Shown, Source, Untrusted};

use crate::airtime::Modem;
use crate::{ContactKey, KeyPrefix};

/// One frame from a radio. What is not needed here is [`FromRadio::Other`], and so is what is too short for its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromRadio {
    /// A command was done.
    Done,
    /// A command was refused, for this reason: 2 no such contact, 3 too long or no room, 6 a bad value.
    Refused(u8),
    /// Contacts follow.
    ContactsBegin,
    /// One of them.
    Contact(Contact),
    /// That were all.
    ContactsEnd,
    /// The radio itself.
    Myself(Myself),
    /// A direct message is on its way.
    Sent {
        /// What its acknowledgement will carry.
        ack: u32,
        /// How long to wait for that, before it counts as lost.
        within: Duration,
    },
    /// A message of somebody to this radio alone. Only a plain one: a signed one is a room's, relayed for others.
    Direct {
        /// Whose, as far as the radio says.
        from: KeyPrefix,
        /// By the sender's clock, in seconds since 1970.
        at: u32,
        /// The text; bytes that are none are replaced.
        text: String,
    },
    /// A message in a channel. Who wrote it is a word in the text, which anybody can write.
    InChannel {
        /// The channel's place in the radio.
        channel: u8,
        /// By the sender's clock, in seconds since 1970.
        at: u32,
        /// The text with a name in front.
        text: String,
    },
    /// The queue is empty.
    NoMore,
    /// Messages wait in the queue.
    Waiting,
    /// A direct message has arrived.
    Acknowledged(u32),
    /// A contact is new or has changed.
    ContactsChanged,
    /// What the radio is made of.
    Device,
    /// A message that is none for this door: a command line's, a room's, data, or a broken one.
    NotForUs,
    /// Something else.
    Other,
}

/// A contact as the radio keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// Its whole key.
    pub key: ContactKey,
    /// What it calls itself.
    pub name: Untrusted,
    /// Whether it is a person's radio, not a repeater, a room or a sensor.
    pub is_person: bool,
}

impl Contact {
    /// What it calls itself, as it may be put on a screen.
    pub fn shown_name(&self) -> Shown {
        Sentence::others(self.name.clone()).shown()
    }
}

/// The radio itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Myself {
    /// Its whole key.
    pub key: ContactKey,
    /// What its owner calls it.
    pub name: String,
    /// How it modulates.
    pub modem: Modem,
}

/// Takes fields off the front of a frame.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    /// The rest as text. A zero ends it, as in the firmware; what follows one is no text that somebody sent.
    fn text(self) -> Option<String> {
        let length = self.0.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let text: &'a [u8] = &self.0[..length];
        (!text.contains(&0)).then(|| String::from_utf8_lossy(text).into_owned())
    }
}

impl FromRadio {
    /// Reads the payload of a frame.
    pub fn read(payload: &[u8]) -> Self {
        Self::fields(payload).unwrap_or(Self::Other)
    }

    /// Whether it came out of the queue of messages.
    pub(super) fn is_from_queue(&self) -> bool {
        matches!(self, Self::Direct { .. } | Self::InChannel { .. } | Self::NotForUs)
    }

    fn fields(payload: &[u8]) -> Option<Self> {
        let mut fields = Fields(payload);
        Some(match fields.byte()? {
            0x00 => Self::Done,
            0x01 => Self::Refused(fields.byte().unwrap_or(0)),
            0x02 => Self::ContactsBegin,
            0x03 => Self::Contact(contact(fields)?),
            0x04 => Self::ContactsEnd,
            0x05 => Self::Myself(myself(fields)?),
            0x06 => {
                let _flood = fields.byte()?;
                let ack = fields.number()?;
                Self::Sent { ack, within: Duration::from_millis(fields.number()?.into()) }
            }
            0x07 => direct(fields).unwrap_or(Self::NotForUs),
            0x08 => in_channel(fields).unwrap_or(Self::NotForUs),
            0x0a => Self::NoMore,
            0x0d => Self::Device,
            0x1b => Self::NotForUs,
            0x10 => {
                let skipped: Option<[u8; 3]> = fields.bytes();
                skipped.and_then(|_| direct(fields)).unwrap_or(Self::NotForUs)
            }
            0x11 => {
                let skipped: Option<[u8; 3]> = fields.bytes();
                skipped.and_then(|_| in_channel(fields)).unwrap_or(Self::NotForUs)
            }
            0x80 | 0x8a | 0x8f => Self::ContactsChanged,
            0x82 => Self::Acknowledged(fields.number()?),
            0x83 => Self::Waiting,
            _ => Self::Other,
        })
    }
}

fn contact(mut fields: Fields<'_>) -> Option<Contact> {
    let key = ContactKey(fields.bytes()?);
    let [kind, _flags, _path_length]: [u8; 3] = fields.bytes()?;
    let _path: [u8; 64] = fields.bytes()?;
    let name: [u8; 32] = fields.bytes()?;
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = Untrusted::new(String::from_utf8_lossy(name), Source::PeerName);
    Some(Contact { key, name, is_person: kind == 1 })
}

fn myself(mut fields: Fields<'_>) -> Option<Myself> {
    let _kind_and_power: [u8; 3] = fields.bytes()?;
    let key = ContactKey(fields.bytes()?);
    let _place_and_preferences: [u8; 12] = fields.bytes()?;
    let (_frequency, bandwidth) = (fields.number()?, fields.number()?);
    let [spreading, coding]: [u8; 2] = fields.bytes()?;
    let name = fields.text()?;
    Some(Myself { key, name, modem: Modem { spreading, bandwidth, coding, preamble: 16 } })
}

fn direct(mut fields: Fields<'_>) -> Option<FromRadio> {
    let from = KeyPrefix(fields.bytes()?);
    let [_path_length, kind]: [u8; 2] = fields.bytes()?;
    let at = fields.number()?;
    let text = fields.text()?;
    (kind == 0).then_some(FromRadio::Direct { from, at, text })
}

fn in_channel(mut fields: Fields<'_>) -> Option<FromRadio> {
    let [channel, _path_length, kind]: [u8; 3] = fields.bytes()?;
    let at = fields.number()?;
    let text = fields.text()?;
    (kind == 0).then_some(FromRadio::InChannel { channel, at, text })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FROM: KeyPrefix = KeyPrefix([1, 2, 3, 4, 5, 6]);

    #[test]
    fn messages_are_read_in_both_versions() {
        let direct = FromRadio::Direct { from: FROM, at: 0x0102, text: "да 👍".to_owned() };
        let body = [&FROM.0[..], &[0xff, 0, 2, 1, 0, 0], "да 👍".as_bytes()].concat();
        assert_eq!(FromRadio::read(&[&[0x07][..], &body].concat()), direct);
        assert_eq!(FromRadio::read(&[&[0x10, 38, 0, 0][..], &body].concat()), direct);
        assert_eq!(FromRadio::read(&[&[0x10, 38, 0, 0][..], &body, &[0, 0]].concat()), direct);
        let body = [&[1, 0, 0, 2, 1, 0, 0][..], b"Ann: hi"].concat();
        let in_channel = FromRadio::InChannel { channel: 1, at: 0x0102, text: "Ann: hi".to_owned() };
        assert_eq!(FromRadio::read(&[&[0x11, 38, 0, 0][..], &body].concat()), in_channel);
    }

    #[test]
    fn what_nobody_said_to_this_radio_is_no_message() {
        let direct = |kind: u8, text: &[u8]| {
            FromRadio::read(&[&[0x10, 38, 0, 0][..], &FROM.0, &[0, kind, 2, 1, 0, 0], text].concat())
        };
        assert_eq!(direct(1, b"reboot"), FromRadio::NotForUs, "a command line's");
        assert_eq!(direct(2, b"abcdhello"), FromRadio::NotForUs, "a room's");
        assert_eq!(direct(0, b"hello\0>\x10"), FromRadio::NotForUs, "no text has a zero in it");
        assert_eq!(FromRadio::read(&[]), FromRadio::Other);
    }

    #[test]
    fn the_radio_and_its_contacts_are_read() {
        let key = ContactKey([7; 32]);
        let modem = Modem { spreading: 8, bandwidth: 62_500, coding: 8, preamble: 16 };
        let settings = [&869_618_u32.to_le_bytes()[..], &62_500_u32.to_le_bytes(), &[8, 8]].concat();
        let payload = [&[0x05, 1, 22, 22][..], &key.0, &[0; 12], &settings, b"home"].concat();
        let myself = Myself { key, name: "home".to_owned(), modem };
        assert_eq!(FromRadio::read(&payload), FromRadio::Myself(myself));
        let mut name = [0; 32];
        name[..3].copy_from_slice(b"Ann");
        let payload = [&[0x03][..], &key.0, &[1, 0, 255], &[0; 64], &name, &[0; 16]].concat();
        let name = Untrusted::new("Ann", Source::PeerName);
        assert_eq!(FromRadio::read(&payload), FromRadio::Contact(Contact { key, name, is_person: true }));
        assert_eq!(FromRadio::read(&payload[..100]), FromRadio::Other);
    }

    #[test]
    fn what_became_of_a_message_is_read() {
        let sent = FromRadio::Sent { ack: 0x0403_0201, within: Duration::from_secs(27) };
        assert_eq!(FromRadio::read(&[6, 1, 1, 2, 3, 4, 0x78, 0x69, 0, 0]), sent);
        assert_eq!(FromRadio::read(&[0x82, 1, 2, 3, 4, 9, 0, 0, 0]), FromRadio::Acknowledged(0x0403_0201));
        assert_eq!(FromRadio::read(&[0x82, 1, 2, 3]), FromRadio::Other);
        assert_eq!(FromRadio::read(&[1, 3]), FromRadio::Refused(3));
    }

    proptest! {
        #[test]
        fn any_payload_is_read(payload in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = match FromRadio::read(&payload) {
                FromRadio::Direct { text, .. } | FromRadio::InChannel { text, .. } => text,
                _ => String::new(),
            };
            prop_assert!(!text.contains('\0'));
            prop_assert!(text.len() <= 3 * payload.len());
        }
    }
}
