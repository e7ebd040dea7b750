//! A radio, as the door sees one: it says what was heard, and sends one packet at a time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::meshcore::Contact;
use crate::{Asker, ContactKey, Modem};

/// A radio and the network behind it.
///
/// One task calls both methods in turn, so neither is called while the other runs. What a text may hold is told by
/// [`Facts`], which a link gives with [`Heard::Up`]; nothing is assumed of its size before.
///
/// ```
/// use archy_mesh::{Facts, Heard, MeshLink, NotSent, Packet, Sent};
/// use std::{future::{Future, pending, ready}, pin::Pin, time::Duration};
///
/// /// Hears nothing, and loses what it is given.
/// struct Silent;
/// impl MeshLink for Silent {
///     fn next(&mut self) -> Pin<Box<dyn Future<Output = Heard> + Send + '_>> {
///         Box::pin(pending())
///     }
///     fn send(&mut self, _: &Packet) -> Pin<Box<dyn Future<Output = Result<Sent, NotSent>> + Send + '_>> {
///         Box::pin(ready(Ok(Sent::Awaiting { ack: 1, within: Duration::from_secs(1) })))
///     }
/// }
/// ```
pub trait MeshLink: Send {
    /// Waits for what happens next. A link that has lost its radio says so once, and looks for it again by itself.
    ///
    /// Dropping the future loses nothing.
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Heard> + Send + '_>>;

    /// Gives a packet to the radio. It is not repeated by the link: whoever sends counts the tries, and the airtime.
    ///
    /// What is heard meanwhile is told by the next calls of [`MeshLink::next`]. It must end, with an error if need be.
    fn send(&mut self, packet: &Packet) -> Pin<Box<dyn Future<Output = Result<Sent, NotSent>> + Send + '_>>;
}

/// What a link tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The radio is there, or has other settings now.
    Up(Facts),
    /// It is not there any more.
    Down(Down),
    /// Its contacts, all of them: they are there now, or have changed.
    Contacts(Vec<Contact>),
    /// Somebody said something.
    Message(Received),
    /// A packet has arrived, the one whose [`Sent::Awaiting`] had this number.
    Acknowledged(u32),
}

/// Why a radio is gone. Each has a sentence for its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Down {
    /// It cannot be reached: the words of the system.
    Unreachable(String),
    /// It ended the connection. It serves one program at a time, and the last one to come gets it.
    TakenByAnother,
    /// It sent what is no frame of the protocol, or gave no answer.
    Unintelligible,
}

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(words) => write!(f, "the radio cannot be reached: {words}"),
            Self::TakenByAnother => f.write_str(
                "the radio ended the connection: it serves one program at a time, and another one, such as a phone's \
                 app, has taken it; the node waits before it takes it back",
            ),
            Self::Unintelligible => {
                f.write_str("what answers there does not speak MeshCore's companion protocol, or has lost its thread")
            }
        }
    }
}

/// What is known of a radio.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its own key, where it has one.
    pub key: Option<ContactKey>,
    /// What its owner calls it.
    pub name: String,
    /// How it modulates; where it does not say, the region's settings count.
    pub modem: Option<Modem>,
    /// The most bytes of text in a message to one contact.
    pub direct_text: usize,
    /// The most bytes of text in a message to a channel.
    pub channel_text: usize,
    /// How a text grows on its way to the air.
    pub framing: Framing,
    /// The least time between two packets.
    pub gap: Duration,
}

/// How many bytes a text of some bytes has on the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Framing {
    /// Bytes outside of what is encrypted.
    pub outside: usize,
    /// Bytes that are encrypted with the text.
    pub inside: usize,
    /// What is encrypted is filled up to a multiple of this.
    pub block: usize,
}

impl Framing {
    /// The bytes on the air for a text of `bytes`.
    pub const fn on_air(self, bytes: usize) -> usize {
        let block = if self.block == 0 { 1 } else { self.block };
        self.outside + (self.inside + bytes).div_ceil(block) * block
    }
}

/// Something that somebody said. Its text is what that contact asks: it has no more weight than they have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Who.
    pub from: Sender,
    /// By the sender's clock, in seconds since 1970.
    pub at: u32,
    /// What.
    pub text: String,
}

/// Who said something, as far as the network vouches for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A contact, by its whole key, to this radio alone.
    Contact(ContactKey),
    /// To this radio alone, but whose key it is cannot be said: none of the contacts, or more than one.
    Unknown,
    /// Somebody in the channel at this place.
    Channel(u8),
}

/// One packet to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// To whom.
    pub to: Asker,
    /// Seconds since 1970; a repetition has the same.
    pub at: u32,
    /// 0, and one more for each repetition.
    pub attempt: u8,
    /// Within the bytes that [`Facts`] allow.
    pub text: String,
}

/// What became of a packet that the radio took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// It is acknowledged with this number, or lost after so long.
    Awaiting {
        /// As [`Heard::Acknowledged`] will have it.
        ack: u32,
        /// From now on.
        within: Duration,
    },
    /// It is on its way, and nobody acknowledges it.
    Unacknowledged,
}

/// Why a packet was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSent {
    /// The radio is not there now.
    Down,
    /// The radio does not take it: no such contact any more, or too long. Trying again does not help.
    Refused,
}
