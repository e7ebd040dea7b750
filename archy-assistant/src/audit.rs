//! The audit: one line for everything that mattered, chained by hashes and sealed with a key. It holds digests and ids,
//! never text.

use std::sync::{Arc, Mutex, PoisonError};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::confirmation::{Digest, Record};
use crate::{
    Batch, Categories, Category, ConfirmationId, ConversationId, Durability, Expect, Principal, Secret,
    Settled, Store, StoreError, Table, Timestamp, TurnId,
};

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fact {
    /// The node was started.
    Opened,
    /// A person was asked.
    Asked,
    /// A person said yes, and the effect may be happening.
    Executing,
    /// A question has ended.
    Settled(Settled),
    /// A category was opened.
    GrantOpened(Category),
    /// A category was closed.
    GrantClosed(Category),
    /// Messages went to a remote backend: what they rest on, how many, and the SHA-256 of them.
    Crossed {
        /// The backend.
        backend: String,
        /// What the messages rest on.
        classes: Categories,
        /// How many.
        messages: u32,
        /// Of the request's messages, in hexadecimal.
        sha256: String,
    },
    /// A conversation was forgotten.
    Forgotten(ConversationId),
    /// A copy of the store was made.
    CopiedOut,
    /// The store was found to be an older copy.
    RolledBack,
    /// A copy was put in place on purpose.
    Restored,
}

/// One line of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 1; filled in when it is written.
    pub seq: u64,
    /// When, by the wall clock.
    pub at: Timestamp,
    /// What happened.
    pub fact: Fact,
    /// Who did it or asked for it.
    pub principal: Option<Principal>,
    /// The turn in which it happened.
    pub turn: Option<TurnId>,
    /// The question that it is about.
    pub confirmation: Option<ConfirmationId>,
    /// The question's digest.
    pub digest: Option<Digest>,
}

impl Fact {
    /// What goes to a remote backend, as the audit keeps it.
    pub(crate) fn crossed(backend: &str, classes: Categories, messages: &[crate::Message]) -> Self {
        let mut hash = Sha256::new();
        for message in messages {
            // `Debug` of a message says how long a text of others is, so hash what a prompt would read instead.
            let text = message.content.hashed();
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        let sha256 = hash.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let messages = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        Self::Crossed { backend: backend.to_owned(), classes, messages, sha256 }
    }
}

impl Line {
    pub(crate) fn new(at: Timestamp, fact: Fact) -> Self {
        Self { seq: 0, at, fact, principal: None, turn: None, confirmation: None, digest: None }
    }

    pub(crate) fn by(mut self, principal: &Principal) -> Self {
        self.principal = Some(principal.clone());
        self
    }

    pub(crate) fn about(at: Timestamp, record: &Record, fact: Fact) -> Self {
        Self {
            turn: Some(record.turn),
            confirmation: Some(record.id),
            digest: Some(record.digest()),
            ..Self::new(at, fact).by(&record.proposer)
        }
    }
}

/// The chain's end: the number of the last line, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Head {
    seq: u64,
    hash: [u8; 32],
}

/// The writing end of the audit.
pub(crate) struct Audit {
    store: Arc<dyn Store>,
    key: Secret,
    head: Mutex<Head>,
}

const HEAD: &[u8] = b"audit-head";

impl Audit {
    /// Takes up the chain where it ends.
    pub(crate) fn open(store: Arc<dyn Store>, key: Secret) -> Result<Self, StoreError> {
        let head = store.get(Table::Meta, HEAD)?.and_then(|bytes| Head::decode(&bytes)).unwrap_or_default();
        Ok(Self { store, key, head: Mutex::new(head) })
    }

    /// Writes `batch` and one line about it in one transaction. Blocks; lines are written one after the other.
    pub(crate) fn commit(&self, batch: Batch, line: Line, durability: Durability) -> Result<(), StoreError> {
        self.commit_all(batch, vec![line], durability)
    }

    /// The same with several lines.
    pub(crate) fn commit_all(
        &self,
        mut batch: Batch,
        lines: Vec<Line>,
        durability: Durability,
    ) -> Result<(), StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = *head;
        for line in lines {
            let line = Line { seq: next.seq + 1, ..line };
            let bytes = serde_json::to_vec(&line).map_err(|error| StoreError::Failed(error.into()))?;
            next = Head { seq: line.seq, hash: chain(&next.hash, &bytes) };
            let key = line.seq.to_be_bytes();
            batch = batch.expect(Expect::Absent(Table::Audit, key.to_vec())).put(
                Table::Audit,
                key,
                [&next.hash[..], &bytes].concat(),
            );
        }
        batch = batch.put(Table::Meta, HEAD, next.sealed(&self.key));
        self.store.commit(&batch, durability)?;
        *head = next;
        Ok(())
    }
}

impl Head {
    fn sealed(self, key: &Secret) -> Vec<u8> {
        let mut bytes = [&self.seq.to_be_bytes()[..], &self.hash].concat();
        let mut mac = Hmac::<Sha256>::new_from_slice(key.expose()).expect("a key of any length will do");
        mac.update(b"archy/audit-head/1");
        mac.update(&bytes);
        bytes.extend_from_slice(&mac.finalize().into_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (seq, rest) = bytes.split_first_chunk::<8>()?;
        let (hash, _) = rest.split_first_chunk::<32>()?;
        Some(Self { seq: u64::from_be_bytes(*seq), hash: *hash })
    }
}

fn chain(before: &[u8; 32], line: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update((line.len() as u64).to_be_bytes());
    hash.update(line);
    hash.finalize().into()
}
