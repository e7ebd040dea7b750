//! Whether every line is what was written, and the form in which others can find that out.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::Line;
use super::chain::{HEAD, Hash, Head, Walk, before, link};
use crate::{Secret, Store, StoreError, Table};

/// What a look at every line came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verified {
    /// Every line fits.
    Sound {
        /// The chain's first line. Above 1 there is an earlier chain that was found damaged: the first line says how, and
        /// the earlier lines have not been changed since.
        first: u64,
        /// The last line.
        last: u64,
    },
    /// One does not.
    Broken(Broken),
}

/// The first line that does not fit, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The line's number.
    pub line: u64,
    /// What is wrong with it.
    pub flaw: Flaw,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flaw {
    /// It is not what was written: it, its hash, or what lies before the chain's first line.
    Edited,
    /// It is not there, though later ones are.
    Missing,
    /// Another line stands in its place.
    Swapped,
    /// It and all after it are not there.
    CutTail,
    /// All lines fit each other, but not the sealed head: they were written anew by somebody without the key.
    Rewritten,
    /// It was added after the sealed head by somebody without the key.
    Unsealed,
    /// The head after this line is missing, or its seal does not fit the key.
    HeadForged,
}

/// Looks at every line. Lines that are written meanwhile do no harm; `at_least` is known to have been written.
pub(super) fn verify(store: &dyn Store, key: &Secret, at_least: u64) -> Result<Verified, StoreError> {
    let broken = |line, flaw| Ok(Verified::Broken(Broken { line, flaw }));
    let first = Head::read(store, key)?.map_or(1, |head| head.first);
    let (mut hash, earlier) = before(store, first)?;
    let (mut seq, mut walk) = (first - 1, Walk::beyond(store, earlier));
    loop {
        if let Some(row) = walk.next() {
            let (place, value) = row?;
            match fits(seq + 1, &hash, &place, &value) {
                Ok(next) => (seq, hash) = (seq + 1, next),
                Err(flaw) => return broken(seq + 1, flaw),
            }
            continue;
        }
        let Some(head) = Head::read(store, key)? else { return broken(seq, Flaw::HeadForged) };
        if head.seq > seq {
            // Its lines were there before it could be read, so they are there now or they are gone.
            let beyond = (seq > 0).then(|| seq.to_be_bytes().to_vec());
            if Walk::beyond(store, beyond).next().is_none() {
                return broken(seq + 1, Flaw::CutTail);
            }
            continue;
        }
        if head.seq < seq {
            return broken(head.seq + 1, Flaw::Unsealed);
        }
        if head.hash != hash || head.first != first {
            return broken(seq, Flaw::Rewritten);
        }
        if seq < at_least {
            return broken(seq + 1, Flaw::CutTail);
        }
        return Ok(Verified::Sound { first, last: seq });
    }
}

/// Whether a row is line number `seq` after `hash`: its hash, or what is wrong.
fn fits(seq: u64, hash: &Hash, place: &[u8], value: &[u8]) -> Result<Hash, Flaw> {
    #[derive(Deserialize)]
    struct Numbered {
        seq: u64,
    }
    let place = u64::from_be_bytes(place.try_into().map_err(|_| Flaw::Edited)?);
    if place != seq {
        return Err(if place > seq { Flaw::Missing } else { Flaw::Edited });
    }
    let (stored, bytes) = value.split_first_chunk::<32>().ok_or(Flaw::Edited)?;
    let line: Numbered = serde_json::from_slice(bytes).map_err(|_| Flaw::Edited)?;
    let next = link(hash, bytes);
    if line.seq != seq {
        return Err(Flaw::Swapped);
    }
    if *stored == next { Ok(next) } else { Err(Flaw::Edited) }
}

/// Whether the head was sealed with the key and fits the last line, and the last line the one before: what can be known
/// without reading everything.
pub(super) fn tail_fits(store: &dyn Store, head: &Head) -> Result<bool, StoreError> {
    let last_two = crate::Scan {
        table: Table::Audit,
        prefix: Vec::new(),
        beyond: None,
        order: crate::Order::Down,
        limit: 2,
    };
    let rows = store.scan(&last_two)?;
    let Some((place, value)) = rows.first() else { return Ok(false) };
    let tied_to = match rows.get(1) {
        Some((_, before)) => before.first_chunk().copied(),
        None => Some([0; 32]),
    };
    Ok(tied_to.is_some_and(|before| fits(head.seq, &before, place, value) == Ok(head.hash)))
}

/// Writes every row as a line of JSON, then the head: see [`Assistant::audit_export`](crate::Assistant::audit_export).
pub(super) fn export(store: &dyn Store, key: &Secret, to: &mut dyn Write) -> Result<(), StoreError> {
    let failed = |error: std::io::Error| StoreError::Failed(error.into());
    let (mut walk, mut last) = (Walk::beyond(store, None), None);
    loop {
        for row in walk.by_ref() {
            let (place, value) = row?;
            match as_written(&place, &value) {
                Some((hash, line)) => writeln!(to, r#"{{"hash":"{}","line":{line}}}"#, hex(hash)),
                None => writeln!(to, r#"{{"key":"{}","value":"{}"}}"#, hex(&place), hex(&value)),
            }
            .map_err(failed)?;
            last = Some(place);
        }
        let head = store.get(Table::Meta, HEAD)?.unwrap_or_default();
        let seq = Head::unseal(&head, key).map(|head| head.seq.to_be_bytes().to_vec());
        let more = seq > last && Walk::beyond(store, last.clone()).next().is_some();
        if !more {
            return writeln!(to, r#"{{"head":"{}"}}"#, hex(&head)).map_err(failed);
        }
    }
}

/// A row's hash and line, if the line is in the form in which this version writes it.
fn as_written<'a>(place: &[u8], value: &'a [u8]) -> Option<(&'a [u8], &'a str)> {
    let (hash, bytes) = value.split_at_checked(32)?;
    let line: Line = serde_json::from_slice(bytes).ok()?;
    let same = line.seq.to_be_bytes() == place && serde_json::to_vec(&line).ok()? == bytes;
    if same { Some((hash, std::str::from_utf8(bytes).ok()?)) } else { None }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The line with this number, as far as it can be read.
pub(super) fn line(store: &dyn Store, seq: u64) -> Result<Option<Line>, StoreError> {
    let row = store.get(Table::Audit, &seq.to_be_bytes())?;
    Ok(row.and_then(|value| decode(&value)))
}

pub(super) fn decode(value: &[u8]) -> Option<Line> {
    serde_json::from_slice(value.get(32..)?).ok()
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = self.line;
        match self.flaw {
            Flaw::Edited => write!(f, "line {line} is not what was written"),
            Flaw::Missing => write!(f, "line {line} is missing"),
            Flaw::Swapped => write!(f, "another line stands in the place of line {line}"),
            Flaw::CutTail => write!(f, "line {line} and all after it are missing"),
            Flaw::Rewritten => write!(f, "the lines up to {line} were written anew without the key"),
            Flaw::Unsealed => write!(f, "line {line} was added without the key"),
            Flaw::HeadForged => write!(f, "the seal after line {line} is missing or does not fit the key"),
        }
    }
}
