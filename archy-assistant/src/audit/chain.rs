//! The chain: how one line holds on to all before it, and the sealed head that holds on to the last.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use super::{Fact, Line};
use crate::{Order, Scan, Secret, Store, StoreError, Table};

pub(super) type Hash = [u8; 32];

/// The name of the head in [`Table::Meta`].
pub(super) const HEAD: &[u8] = b"audit-head";

const DOMAIN: &[u8] = b"archy/audit-head/1";

/// The chain's end: what the next line is tied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The number of the last line.
    pub(super) seq: u64,
    /// The number of the chain's first line: 1, unless a damaged chain lies before it.
    pub(super) first: u64,
    /// The number of the line that the owner has to acknowledge, or 0.
    pub(super) held: u64,
    /// The hash of the last line.
    pub(super) hash: Hash,
}

impl Default for Head {
    fn default() -> Self {
        Self { seq: 0, first: 1, held: 0, hash: [0; 32] }
    }
}

/// The end of the audit, sealed with its key: bytes that only the holder of the key can make or check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed(Vec<u8>);

impl Sealed {
    /// What a witness gives back. Whether it is genuine is found out when the store is opened.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes to keep, about a hundred.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Head {
    /// Ties a line to the chain and gives its row.
    pub(super) fn push(&mut self, line: Line) -> Result<([u8; 8], Vec<u8>), StoreError> {
        let line = Line { seq: self.seq + 1, ..line };
        self.held = match line.fact {
            Fact::Damaged(_) | Fact::RolledBack { .. } => line.seq,
            Fact::Acknowledged => 0,
            _ => self.held,
        };
        let bytes = serde_json::to_vec(&line).map_err(|error| StoreError::Failed(error.into()))?;
        self.hash = link(&self.hash, &bytes);
        self.seq = line.seq;
        Ok((line.seq.to_be_bytes(), [&self.hash[..], &bytes].concat()))
    }

    pub(super) fn seal(self, key: &Secret) -> Sealed {
        let numbers = [self.seq, self.first, self.held].map(u64::to_be_bytes).concat();
        let mut bytes = [&numbers[..], &self.hash].concat();
        bytes.extend_from_slice(&mac(key, &bytes).finalize().into_bytes());
        Sealed(bytes)
    }

    /// The head, if it was sealed with this key.
    pub(super) fn unseal(bytes: &[u8], key: &Secret) -> Option<Self> {
        let (body, seal) = bytes.split_at_checked(56)?;
        mac(key, body).verify_slice(seal).ok()?;
        let number = |at: usize| Some(u64::from_be_bytes(body.get(at..at + 8)?.try_into().ok()?));
        Some(Self {
            seq: number(0)?,
            first: number(8)?,
            held: number(16)?,
            hash: body.get(24..)?.try_into().ok()?,
        })
    }

    pub(super) fn read(store: &dyn Store, key: &Secret) -> Result<Option<Self>, StoreError> {
        Ok(store.get(Table::Meta, HEAD)?.and_then(|bytes| Self::unseal(&bytes, key)))
    }
}

fn mac(key: &Secret, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = keyed(key);
    mac.update(DOMAIN);
    mac.update(body);
    mac
}

pub(super) fn keyed(key: &Secret) -> Hmac<Sha256> {
    Hmac::new_from_slice(key.expose()).expect("a key of any length will do")
}

/// The hash of a line.
pub(super) fn link(before: &Hash, line: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update((line.len() as u64).to_be_bytes());
    hash.update(line);
    hash.finalize().into()
}

/// What the first line of a chain is tied to: nothing, or all rows that lie before it, whatever they are. Also the last
/// of these rows.
pub(super) fn before(store: &dyn Store, first: u64) -> Result<(Hash, Option<Vec<u8>>), StoreError> {
    let (mut hash, mut last) = (Sha256::new(), None);
    hash.update(b"archy/audit-before/1");
    for row in Walk::beyond(store, None) {
        let (key, value) = row?;
        if key.as_slice() >= &first.to_be_bytes()[..] {
            break;
        }
        for part in [&key, &value] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        last = Some(key);
    }
    Ok((if last.is_some() { hash.finalize().into() } else { [0; 32] }, last))
}

/// The rows of the audit in order, read in parts. It may be asked again after its end: rows may have come meanwhile.
pub(super) struct Walk<'a> {
    store: &'a dyn Store,
    beyond: Option<Vec<u8>>,
    part: std::vec::IntoIter<(Vec<u8>, Vec<u8>)>,
}

impl<'a> Walk<'a> {
    pub(super) fn beyond(store: &'a dyn Store, beyond: Option<Vec<u8>>) -> Self {
        Self { store, beyond, part: Vec::new().into_iter() }
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<(Vec<u8>, Vec<u8>), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.part.len() == 0 {
            let beyond = self.beyond.clone();
            let scan = Scan { table: Table::Audit, prefix: Vec::new(), beyond, order: Order::Up, limit: 256 };
            match self.store.scan(&scan) {
                Ok(rows) => self.part = rows.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let row = self.part.next()?;
        self.beyond = Some(row.0.clone());
        Some(Ok(row))
    }
}
