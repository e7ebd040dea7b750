//! What audio bytes are known by.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The fingerprint of a file's audio bytes. Two files with the same one hold the same audio, bit for bit as far as was
/// looked. As text, 32 hexadecimal digits: as a number, most readers of JSON would round it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16).map(Self).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_survives_json() {
        for bits in [0, 1, u128::MAX, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef] {
            let json = serde_json::to_value(Fingerprint(bits)).unwrap();
            assert_eq!(json.as_str().map(str::len), Some(32));
            assert_eq!(serde_json::from_value::<Fingerprint>(json).unwrap(), Fingerprint(bits));
        }
    }
}
