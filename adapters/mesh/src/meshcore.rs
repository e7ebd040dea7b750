//! MeshCore's companion protocol, as firmware 1.17 and openhop-core speak it: frames over TCP or a serial line between a
//! radio and the one program that uses it. Everything here is pure; what moves bytes is elsewhere.

use crate::Framing;

mod command;
mod frame;
mod heard;
mod session;

pub use command::Command;
pub use frame::{Broken, Decoder, MOST_PAYLOAD, framed};
pub use heard::{Contact, FromRadio, Myself};
pub use session::{Session, Told};

/// The most bytes of text in a direct message. The firmware allows 160, and sends the last ten only as long as it tries no
/// more than three times.
pub const DIRECT_TEXT: usize = 150;
/// The most bytes of text in a channel, where repeaters drop longer ones without a word; the radio's own name comes off it.
pub const CHANNEL_TEXT: usize = 120;

/// How a text grows: a packet's header and a path of a few hops, both ends and a checksum; a time and flags; a cipher's
/// blocks.
pub const FRAMING: Framing = Framing { outside: 9, inside: 5, block: 16 };
