//! Opening the audit: what was found, what is written about it, and when the owner has to look first.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::chain::{HEAD, Head, before};
use super::verify::{self, Verified, tail_fits};
use super::{Audit, Broken, End, Fact, Flaw, HeadWitness, Line};
use crate::{Batch, Durability, Order, Scan, Secret, Store, StoreError, Table, Timestamp};

/// How the audit was found when the assistant was opened.
///
/// Only the end of the audit is looked at, in a time that does not grow with it;
/// [`Assistant::audit_verify`](crate::Assistant::audit_verify) looks at every line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Opened {
    /// There was nothing at all.
    Fresh,
    /// As it was left.
    Sound,
    /// As it was left, as far as the store alone can tell: the witness knew nothing, or could not be asked.
    Unwitnessed,
    /// A copy, put in place on purpose.
    Restored,
    /// An older copy, or one with a past that the witness does not know. Everything counts as closed until the owner
    /// acknowledges it.
    RolledBack {
        /// The last line that the witness knew.
        remembered: u64,
        /// The last line that was there.
        found: u64,
    },
    /// Its lines do not fit. Everything counts as closed until the owner acknowledges it.
    Damaged(Broken),
}

/// What the host says and has.
pub(crate) struct Opening {
    pub(crate) key: Secret,
    pub(crate) witness: Option<Arc<dyn HeadWitness>>,
    pub(crate) restored: bool,
    pub(crate) now: Timestamp,
}

/// What the store alone tells.
enum Found {
    Fresh,
    Sound(Head),
    Damaged(Broken, Head),
}

/// What the witness tells.
#[derive(Clone, Copy)]
enum Told {
    Same,
    Nothing,
    Other { remembered: u64 },
}

impl Audit {
    /// Takes up the chain where it ends, or begins a new one after what does not fit, and writes how it was found.
    pub(crate) fn open(store: Arc<dyn Store>, opening: Opening) -> Result<(Self, Opened), StoreError> {
        let Opening { key, witness, restored, now } = opening;
        let found = look(&*store, &key)?;
        let told =
            witness.as_deref().map_or(Ok(Told::Same), |witness| ask(witness, &*store, &key, &found))?;
        let (mut facts, mut opened, head) = match found {
            Found::Fresh => (Vec::new(), Opened::Fresh, Head::default()),
            Found::Sound(head) => (Vec::new(), Opened::Sound, head),
            Found::Damaged(broken, head) => (vec![Fact::Damaged(broken)], Opened::Damaged(broken), head),
        };
        let damaged = !facts.is_empty();
        if restored {
            facts.push(Fact::Restored);
        }
        match told {
            _ if damaged => {}
            Told::Other { remembered } if !restored => {
                let found = head.seq;
                facts.push(Fact::RolledBack { remembered, found });
                opened = Opened::RolledBack { remembered, found };
            }
            told => {
                if matches!(told, Told::Nothing) {
                    facts.push(Fact::Unwitnessed);
                    opened = Opened::Unwitnessed;
                }
                if restored {
                    opened = Opened::Restored;
                }
                opened = still_held(&*store, &head)?.unwrap_or(opened);
            }
        }
        // The first line of all is synced, so that the witness knows it: one that knows nothing is said at the next start.
        let is_usual = facts.is_empty() && opened != Opened::Fresh;
        let durability = if is_usual { Durability::Kept } else { Durability::Synced };
        facts.push(Fact::Opened);
        let stored = store.get(Table::Meta, HEAD)?;
        let audit = Self {
            store,
            key,
            witness,
            end: Mutex::new(End { head, stored }),
            held: AtomicBool::new(false),
            unwitnessed: AtomicBool::new(matches!(told, Told::Nothing)),
        };
        let lines = facts.into_iter().map(|fact| Line::new(now, fact)).collect();
        audit.commit_all(Batch::new(), lines, durability)?;
        Ok((audit, opened))
    }
}

fn look(store: &dyn Store, key: &Secret) -> Result<Found, StoreError> {
    let head = Head::read(store, key)?;
    if let Some(head) = head {
        if tail_fits(store, &head)? {
            return Ok(Found::Sound(head));
        }
    } else if is_empty(store)? {
        return Ok(Found::Fresh);
    }
    let broken = match verify::verify(store, key, 1)? {
        Verified::Broken(broken) => broken,
        // It fits now and did not before: somebody else writes to it.
        Verified::Sound { .. } => return Err(StoreError::InUse),
    };
    let last = store.scan(&end_of(Table::Audit, Order::Down))?;
    let last = match last.first() {
        Some((place, _)) => place.as_slice().try_into().map_or(u64::MAX, u64::from_be_bytes),
        None => 0,
    };
    let last = last.max(head.map_or(0, |head| head.seq));
    if last > u64::MAX / 2 {
        return Err(StoreError::Damaged("the audit has no room for a new line".into()));
    }
    let (hash, _) = before(store, last + 1)?;
    Ok(Found::Damaged(broken, Head { seq: last, first: last + 1, held: 0, hash }))
}

fn ask(
    witness: &dyn HeadWitness,
    store: &dyn Store,
    key: &Secret,
    found: &Found,
) -> Result<Told, StoreError> {
    let head = match found {
        Found::Fresh => Head::default(),
        Found::Sound(head) | Found::Damaged(_, head) => *head,
    };
    let remembered = match witness.recall() {
        Ok(None) if head.seq == 0 => return Ok(Told::Same),
        Ok(Some(sealed)) => Head::unseal(sealed.as_bytes(), key),
        Ok(None) | Err(_) => None,
    };
    let Some(remembered) = remembered else { return Ok(Told::Nothing) };
    let row = store.get(Table::Audit, &remembered.seq.to_be_bytes())?;
    let same = row.is_some_and(|value| value.starts_with(&remembered.hash));
    Ok(if same && remembered.seq <= head.seq {
        Told::Same
    } else {
        Told::Other { remembered: remembered.seq }
    })
}

/// What the owner has not acknowledged since an earlier opening.
fn still_held(store: &dyn Store, head: &Head) -> Result<Option<Opened>, StoreError> {
    if head.held == 0 {
        return Ok(None);
    }
    Ok(match verify::line(store, head.held)?.map(|line| line.fact) {
        Some(Fact::RolledBack { remembered, found }) => Some(Opened::RolledBack { remembered, found }),
        Some(Fact::Damaged(broken)) => Some(Opened::Damaged(broken)),
        _ => Some(Opened::Damaged(Broken { line: head.held, flaw: Flaw::Edited })),
    })
}

fn is_empty(store: &dyn Store) -> Result<bool, StoreError> {
    for table in Table::ALL {
        if !store.scan(&end_of(table, Order::Up))?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn end_of(table: Table, order: Order) -> Scan {
    Scan { table, prefix: Vec::new(), beyond: None, order, limit: 1 }
}
