//! Who is on the other end of a radio: a whole public key, or the six bytes of one that a radio names.

use std::fmt;
use std::str::FromStr;

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
}
