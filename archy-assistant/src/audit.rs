//! The audit: one line for everything that mattered, chained by hashes and sealed with a key. It holds digests and ids,
//! never text.
//!
//! # What it promises
//! Tampering by anyone without the key is found: a line that was edited, removed, swapped or added, a tail that was cut,
//! a chain that was written anew, and two processes that write at once. That the *whole* store is an older copy is
//! found with a [`HeadWitness`]. Whoever has the key, or runs code in the process, can write what they like.
//!
//! # When it does not fit
//! Nothing is repaired: the lines stay as they were found, and a new chain begins after them with a line that says what
//! was wrong and binds them all. The assistant opens, says [`Opened::Damaged`] or [`Opened::RolledBack`], and until the
//! owner has acknowledged it, across restarts too, everything counts as closed.
//!
//! # Form
//! Numbers are big-endian. Line *i* is the row *i* (as a `u64`) of the table `audit`; its value is `hash_i` (32 bytes) and
//! then the line as JSON:
//!
//! - `hash_i = SHA-256(hash_(i-1) ‖ length of the JSON as u64 ‖ JSON)`, where
//! - `hash_0` is 32 zero bytes; for a chain that begins at line *n* after damage, `hash_(n-1)` is `SHA-256("archy/audit-before/1"
//!   ‖ for each earlier row in order: length of its key as u64 ‖ key ‖ length of its value as u64 ‖ value)`.
//! - The head, `audit-head` in the table `meta`, is 56 bytes, `last line u64 ‖ first line of the chain u64 ‖ line to be
//!   acknowledged u64, or 0 ‖ hash of the last line`, and then `HMAC-SHA-256(key, "archy/audit-head/1" ‖ these 56 bytes)`.

mod chain;
mod line;
mod open;
#[cfg(test)]
mod tests;
mod verify;
mod witness;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hmac::Mac as _;

pub use chain::Sealed;
use chain::{HEAD, Head};
pub use line::{Fact, Line};
pub use open::Opened;
pub(crate) use open::Opening;
pub use verify::{Broken, Flaw, Verified};
pub use witness::{FileWitness, HeadWitness};

use crate::{
    Batch, Categories, Durability, Expect, Message, Order, Scan, Secret, Shown, Store, StoreError, Table,
};

/// The writing end of the audit.
pub(crate) struct Audit {
    store: Arc<dyn Store>,
    key: Secret,
    witness: Option<Arc<dyn HeadWitness>>,
    end: Mutex<End>,
    held: AtomicBool,
    unwitnessed: AtomicBool,
}

/// Where the chain ends, and what the store has in the place of its head.
struct End {
    head: Head,
    stored: Option<Vec<u8>>,
}

impl Audit {
    /// Writes `batch` and one line about it in one transaction. Blocks; lines are written one after the other.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when something that the batch expects does not hold, [`StoreError::InUse`] when
    /// somebody else has written to the audit.
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
        let mut end = self.end();
        let mut next = end.head;
        for line in lines {
            let (key, row) = next.push(line)?;
            batch = batch.expect(Expect::Absent(Table::Audit, key.to_vec())).put(Table::Audit, key, row);
        }
        self.write(&mut end, batch, next, durability)
    }

    /// Removes everything from the store, beyond recovery, and begins anew with one line.
    pub(crate) fn erase(&self, line: Line) -> Result<(), StoreError> {
        let mut end = self.end();
        let mut next = Head::default();
        let (key, row) = next.push(line)?;
        let batch = Table::ALL.into_iter().fold(Batch::new(), |batch, table| batch.remove_all(table, []));
        self.write(&mut end, batch.put(Table::Audit, key, row), next, Durability::Scrubbed)
    }

    fn write(
        &self,
        end: &mut End,
        batch: Batch,
        next: Head,
        durability: Durability,
    ) -> Result<(), StoreError> {
        let sealed = next.seal(&self.key);
        let unchanged = match &end.stored {
            Some(stored) => Expect::Value(Table::Meta, HEAD.to_vec(), stored.clone()),
            None => Expect::Absent(Table::Meta, HEAD.to_vec()),
        };
        let batch = batch.expect(unchanged).put(Table::Meta, HEAD, sealed.as_bytes());
        let mut written = self.store.commit(&batch, durability);
        if let Err(error) = &written {
            let Ok(there) = self.store.get(Table::Meta, HEAD) else { return written };
            let others = there != end.stored;
            if there.as_deref() != Some(sealed.as_bytes()) {
                // Trying again would never help, as it does after a conflict about something else.
                if others && matches!(error, StoreError::Conflict) {
                    written = Err(StoreError::InUse);
                }
                return written;
            }
            // It is written, and only not as durable or as scrubbed as it was asked to be.
        }
        *end = End { head: next, stored: Some(sealed.as_bytes().to_vec()) };
        self.held.store(next.held != 0, Ordering::Release);
        if let (Some(witness), Ok(()), true) = (&self.witness, &written, durability != Durability::Kept) {
            let failed = witness.remember(&sealed).is_err();
            self.unwitnessed.store(failed, Ordering::Release);
        }
        written
    }

    // A commit changes the end only after it was written, so a poisoned lock still guards a true one.
    fn end(&self) -> MutexGuard<'_, End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether everything counts as closed until the owner has acknowledged what was found.
    pub(crate) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire)
    }

    /// Whether there is a witness that does not know how far the audit has come.
    pub(crate) fn is_unwitnessed(&self) -> bool {
        self.unwitnessed.load(Ordering::Acquire)
    }

    /// The lines before number `before`, newest first, those left out that cannot be read; and before which number there
    /// are more.
    pub(crate) fn page(
        &self,
        before: Option<u64>,
        most: usize,
    ) -> Result<(Vec<Line>, Option<u64>), StoreError> {
        let rows = self.store.scan(&Scan {
            table: Table::Audit,
            prefix: Vec::new(),
            beyond: before.map(|seq| seq.to_be_bytes().to_vec()),
            order: Order::Down,
            limit: most.saturating_add(1),
        })?;
        let lines = rows.iter().take(most).filter_map(|(_, value)| verify::decode(value)).collect();
        let last = most.checked_sub(1).filter(|_| rows.len() > most).and_then(|last| rows.get(last));
        let older = last.and_then(|(key, _)| Some(u64::from_be_bytes(key.as_slice().try_into().ok()?)));
        Ok((lines, older))
    }

    /// Looks at every line. Blocks for long.
    pub(crate) fn verify(&self) -> Result<Verified, StoreError> {
        let at_least = self.end().head.seq;
        verify::verify(&*self.store, &self.key, at_least)
    }

    /// Writes every line for others to verify. Blocks for long.
    pub(crate) fn export(&self, to: &mut dyn std::io::Write) -> Result<(), StoreError> {
        verify::export(&*self.store, &self.key, to)
    }

    /// What goes to a remote backend, as the audit keeps it.
    pub(crate) fn crossed(&self, backend: &str, classes: Categories, messages: &[Message]) -> Fact {
        let mut mac = chain::keyed(&self.key);
        mac.update(b"archy/audit-crossed/1");
        for message in messages {
            // `Debug` of a message says how long a text of others is, so hash what a prompt would read instead.
            let text = message.content.hashed();
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(&text);
        }
        Fact::Crossed {
            backend: Shown::line(backend).as_str().to_owned(),
            classes,
            messages: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            hmac: verify::hex(&mac.finalize().into_bytes()),
        }
    }
}
