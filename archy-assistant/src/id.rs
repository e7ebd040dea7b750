//! Ids: 128 bits, written as 32 hexadecimal digits. Knowing one gives no right to anything.

use std::fmt;
use std::str::FromStr;

use crate::Timestamp;

/// The text is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadId;

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is 32 hexadecimal digits")
    }
}

impl std::error::Error for BadId {}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u128);

        impl $name {
            pub(crate) fn to_bytes(self) -> [u8; 16] {
                self.0.to_be_bytes()
            }

            pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
                Some(Self(u128::from_be_bytes(bytes.try_into().ok()?)))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:032x}", self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:032x})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let fine = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
                if !fine {
                    return Err(BadId);
                }
                u128::from_str_radix(text, 16).map(Self).map_err(|_| BadId)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

id!(
    /// A durable thread of messages. Newer ones sort later.
    ConversationId
);
id!(
    /// One thing said, until its final reply. Newer ones sort later.
    TurnId
);
id!(
    /// A question to a person: 128 random bits.
    ConfirmationId
);

/// 128 bits that nobody can guess.
///
/// # Panics
/// When the system has no randomness to give: nothing here could be safe then.
pub(crate) fn random() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system's random source works");
    u128::from_be_bytes(bytes)
}

/// Gives ids whose first 48 bits are the time, so that ids sort as they were made, also within a millisecond and when
/// the wall clock is set back.
#[derive(Debug)]
pub(crate) struct Sequence(std::sync::Mutex<u128>);

impl Sequence {
    /// Goes on after `last`.
    pub(crate) fn after(last: u128) -> Self {
        Self(std::sync::Mutex::new(last))
    }

    pub(crate) fn next(&self, now: Timestamp) -> u128 {
        let mut last = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let timely = (u128::from(now.0) << 80) | (random() >> 48);
        let step = 1 + (random() >> 96);
        *last = timely.max(last.saturating_add(step));
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_they_were_made_whatever_the_clock_does() {
        let ids = Sequence::after(0);
        let times = [5, 5, 5, 9, 2, 2, 7, 0, 10];
        let made: Vec<_> = times.into_iter().map(|time| ids.next(Timestamp(time))).collect();
        assert!(made.is_sorted_by(|a, b| a < b), "{made:x?}");
    }
}
