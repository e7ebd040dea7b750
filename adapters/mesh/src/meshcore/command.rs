//! What is asked of a radio.

use super::frame::framed;
use crate::KeyPrefix;

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Says which version of the protocol is spoken.
    Hello,
    /// Asks for the radio's own key, name and settings.
    Start,
    /// Sets the radio's clock to so many seconds since 1970; one that is ahead refuses.
    SetTime(u32),
    /// Asks for all contacts.
    Contacts,
    /// Takes the next message out of the radio's queue.
    NextMessage,
    /// Sends a direct message.
    Say {
        /// To this contact.
        to: KeyPrefix,
        /// From 0; a repetition has the next number and the same time.
        attempt: u8,
        /// Seconds since 1970.
        at: u32,
        /// At most 160 bytes.
        text: String,
    },
    /// Sends a message to a channel.
    SayInChannel {
        /// The channel's place in the radio.
        channel: u8,
        /// Seconds since 1970.
        at: u32,
        /// The radio puts its name in front.
        text: String,
    },
}

impl Command {
    /// Its frame; `None` where the text is too long for one.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let payload = match self {
            Self::Hello => vec![0x16, 3],
            // Seven reserved bytes, then what the program is called.
            Self::Start => [&[0x01][..], &[0; 7], b"archy"].concat(),
            Self::SetTime(seconds) => [&[0x06][..], &seconds.to_le_bytes()].concat(),
            Self::Contacts => vec![0x04],
            Self::NextMessage => vec![0x0a],
            Self::Say { to, attempt, at, text } => {
                [&[0x02, 0, *attempt][..], &at.to_le_bytes(), &to.0, text.as_bytes()].concat()
            }
            Self::SayInChannel { channel, at, text } => {
                [&[0x03, 0, *channel][..], &at.to_le_bytes(), text.as_bytes()].concat()
            }
        };
        framed(&payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_as_the_firmware_reads_them() {
        let frame = |command: Command| command.encode().unwrap();
        assert_eq!(frame(Command::Hello), b"<\x02\x00\x16\x03");
        assert_eq!(frame(Command::Start), b"<\x0d\x00\x01\0\0\0\0\0\0\0archy");
        assert_eq!(frame(Command::SetTime(0x6a0d_0102)), b"<\x05\x00\x06\x02\x01\x0d\x6a");
        assert_eq!(frame(Command::Contacts), b"<\x01\x00\x04");
        assert_eq!(frame(Command::NextMessage), b"<\x01\x00\x0a");
        let to = KeyPrefix([1, 2, 3, 4, 5, 6]);
        let say = Command::Say { to, attempt: 2, at: 7, text: "да".to_owned() };
        assert_eq!(frame(say), b"<\x11\x00\x02\0\x02\x07\0\0\0\x01\x02\x03\x04\x05\x06\xd0\xb4\xd0\xb0");
        let say = Command::SayInChannel { channel: 1, at: 7, text: "hi".to_owned() };
        assert_eq!(frame(say), b"<\x09\x00\x03\0\x01\x07\0\0\0hi");
    }

    #[test]
    fn a_text_that_no_frame_holds_is_not_sent() {
        let say = |bytes| Command::Say { to: KeyPrefix([0; 6]), attempt: 0, at: 0, text: "x".repeat(bytes) };
        assert!(say(163).encode().is_some());
        assert_eq!(say(164).encode(), None);
    }
}
