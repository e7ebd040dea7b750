//! Who is on the other end of a radio: a whole public key, or the six bytes of one that a radio names.

use std::fmt;
use std::str::FromStr;

use archy_assistant::Principal;
use serde::{Deserialize, Serialize};

/// A contact's whole public key, 32 bytes. It is the only identity at this door: names are never compared.
///
/// It is written as 64 hexadecimal digits, also with `meshcore:` in front.
///
/// ```
/// let key: archy_mesh::ContactKey = "meshcore:00".parse().unwrap_or(archy_mesh::ContactKey([7; 32]));
/// assert_eq!(key.to_string(), "07".repeat(32));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContactKey(pub [u8; 32]);

/// The first six bytes of a key, as a radio's messages name their sender. It proves nothing by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPrefix(pub [u8; 6]);

impl ContactKey {
    /// What a radio would name it by.
    pub fn prefix(&self) -> KeyPrefix {
        let mut prefix = [0; 6];
        prefix.copy_from_slice(&self.0[..6]);
        KeyPrefix(prefix)
    }
}

/// Who asks: a contact, or whoever wrote into a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Asker {
    /// By its whole key, to this radio alone.
    Contact(ContactKey),
    /// In the channel at this place of the radio. All who are there are one asker.
    Channel(u8),
}

const CHANNEL: &str = "channel-";

impl Asker {
    /// The name under which the assistant knows them: `radio:` and the key, or `radio:channel-1`.
    #[expect(clippy::missing_panics_doc, reason = "a key is 64 visible characters")]
    pub fn principal(&self) -> Principal {
        Principal::new(format!("radio:{self}")).expect("it is 70 visible characters at most")
    }
}

impl fmt::Display for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contact(key) => key.fmt(f),
            Self::Channel(index) => write!(f, "{CHANNEL}{index}"),
        }
    }
}

impl TryFrom<String> for Asker {
    type Error = BadKey;

    fn try_from(text: String) -> Result<Self, BadKey> {
        match text.strip_prefix(CHANNEL) {
            Some(index) => index.parse().map(Self::Channel).map_err(|_| BadKey),
            None => text.parse().map(Self::Contact),
        }
    }
}

impl From<Asker> for String {
    fn from(asker: Asker) -> Self {
        asker.to_string()
    }
}

/// A key is 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadKey;

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a contact's key is its whole public key: 64 hexadecimal digits, never a name")
    }
}

impl std::error::Error for BadKey {}

impl FromStr for ContactKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let digits = text.trim().strip_prefix("meshcore:").unwrap_or(text.trim());
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(BadKey);
        }
        let mut key = [0; 32];
        for (place, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[place * 2..place * 2 + 2], 16).map_err(|_| BadKey)?;
        }
        Ok(Self(key))
    }
}

impl TryFrom<String> for ContactKey {
    type Error = BadKey;

    fn try_from(text: String) -> Result<Self, BadKey> {
        text.parse()
    }
}

impl From<ContactKey> for String {
    fn from(key: ContactKey) -> Self {
        key.to_string()
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for ContactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for ContactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", self.prefix())
    }
}

impl fmt::Debug for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_whole_or_none() {
        let digits = "00ff".repeat(16);
        let key: ContactKey = digits.parse().unwrap();
        assert_eq!(key.to_string(), digits);
        assert_eq!(format!("meshcore:{}", digits.to_uppercase()).parse(), Ok(key));
        for bad in [
            "",
            "Alice",
            &digits[2..],
            &format!("{digits}0"),
            &format!("meshtastic:{digits}"),
            &"é".repeat(32),
        ] {
            assert_eq!(bad.parse::<ContactKey>(), Err(BadKey), "{bad}");
        }
        serde_json::from_str::<ContactKey>(r#""Alice""#).unwrap_err();
    }

    #[test]
    fn an_asker_has_one_name_everywhere() {
        for (asker, name) in [
            (Asker::Contact(ContactKey([0xab; 32])), "ab".repeat(32)),
            (Asker::Channel(3), "channel-3".to_owned()),
        ] {
            assert_eq!(asker.principal().as_str(), format!("radio:{name}"));
            let kept = serde_json::to_string(&asker).unwrap();
            assert_eq!(kept, format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<Asker>(&kept).unwrap(), asker);
        }
    }
}
