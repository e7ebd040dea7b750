//! The digest of a question: SHA-256 over length-prefixed fields, never over canonical JSON, in which different numbers
//! above 2^53 read the same.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::record::Subject;
use super::{Crossing, Record};

/// SHA-256 over everything that a question binds. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub(crate) [u8; 32]);

impl Digest {
    pub(super) fn of(record: &Record) -> Self {
        let mut fields = Fields(Sha256::new());
        fields.add(b"archy/confirmation/1");
        fields.add(&record.id.to_bytes());
        fields.add(&record.boot.to_be_bytes());
        match &record.subject {
            Subject::Call { tool, args, change } => {
                fields.add(b"call");
                fields.add(tool.as_bytes());
                fields.add(args.as_bytes());
                fields.add(change);
            }
            Subject::Crossing(Crossing { backend, classes, at_most }) => {
                fields.add(b"crossing");
                fields.add(backend.as_bytes());
                fields.add(classes.to_string().as_bytes());
                fields.add(&at_most.to_be_bytes());
            }
        }
        fields.add(record.text.as_str().as_bytes());
        fields.add(record.proposer.as_str().as_bytes());
        fields.add(record.audience.as_str().as_bytes());
        fields.add(&record.conversation.to_bytes());
        Self(fields.0.finalize().into())
    }

    /// Whether they are equal, in a time that does not depend on where they differ.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let differing = self.0.iter().zip(&other.0).fold(0, |differing, (a, b)| differing | (a ^ b));
        std::hint::black_box(differing) == 0
    }
}

/// Fields, each with its length before it, so that no two lists of fields feed the same bytes.
struct Fields(Sha256);

impl Fields {
    fn add(&mut self, field: &[u8]) {
        self.0.update((field.len() as u64).to_be_bytes());
        self.0.update(field);
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The text is no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadDigest;

impl fmt::Display for BadDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest is 64 hexadecimal digits")
    }
}

impl std::error::Error for BadDigest {}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(BadDigest);
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| BadDigest)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| BadDigest)?;
        }
        Ok(Self(bytes))
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
