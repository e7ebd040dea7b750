//! A disk that fails, dies or lets the owner's hand come between, at a chosen step; and that remembers what was durable
//! when something happened.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::canary::SECRETS;
use archy_assistant::{Batch, Categories, Durability, MemoryStore, Op, Rows, Scan, Store, StoreError, Table};

/// What goes wrong, counted in steps from when it was armed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    None,
    /// This commit fails.
    Fails(u32),
    /// From this commit on nothing is written: the process dies before it.
    DiesBefore(u32),
    /// The process dies after this commit.
    DiesAfter(u32),
    /// Everything is closed just before this commit.
    ClosedBeforeCommit(u32),
    /// Everything is closed just before this reading.
    ClosedBeforeReading(u32),
}

/// What was so when something happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    /// What the owner had closed when the grants were last read.
    pub closed_when_looked: Categories,
    /// What the owner had closed when a question's record was last written.
    pub closed_at_claim: Categories,
    /// A question's record was last written whole, synced, with a line of the audit.
    pub claim_is_durable: bool,
    /// What the owner had closed when a claim was last written.
    pub closed_at_executing: Categories,
}

#[derive(Debug)]
struct State {
    trouble: Trouble,
    commits: u32,
    readings: u32,
    closed: Categories,
    dead: bool,
    lost: bool,
    seen: Seen,
}

/// The disk.
#[derive(Debug)]
pub struct Disk {
    rows: MemoryStore,
    /// The batch that closes everything.
    closing: Batch,
    state: Mutex<State>,
}

/// Everything that a store holds, as one batch.
pub fn copy_of(store: &dyn Store) -> Batch {
    Table::ALL.into_iter().fold(Batch::new(), |batch, table| {
        let all = Scan {
            table,
            prefix: Vec::new(),
            beyond: None,
            order: archy_assistant::Order::Up,
            limit: usize::MAX,
        };
        let rows = store.scan(&all).unwrap_or_default();
        rows.into_iter().fold(batch, |batch, (key, value)| batch.put(table, key, value))
    })
}

impl Disk {
    /// A disk that holds `rows` already; `closing` is what the owner's closing everything writes.
    ///
    /// # Panics
    /// When a store in memory does not take rows.
    pub fn new(rows: &Batch, closing: Batch) -> Self {
        let store = MemoryStore::new();
        store.commit(rows, Durability::Synced).expect("an empty store takes rows");
        let state = State {
            trouble: Trouble::None,
            commits: 0,
            readings: 0,
            closed: Categories::NONE,
            dead: false,
            lost: false,
            seen: Seen::default(),
        };
        Self { rows: store, closing, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on counts steps towards `trouble`.
    pub fn arm(&self, trouble: Trouble) {
        let mut state = self.state();
        (state.trouble, state.commits, state.readings) = (trouble, 0, 0);
    }

    /// The owner has closed these.
    pub fn note_closed(&self, closed: Categories) {
        let mut state = self.state();
        state.closed = state.closed.union(closed);
    }

    /// The owner has opened these again.
    pub fn note_opened(&self, opened: Categories) {
        let mut state = self.state();
        state.closed = state.closed.difference(opened);
    }

    /// Whether the process has died.
    pub fn is_dead(&self) -> bool {
        self.state().dead
    }

    /// Whether something may have been lost: the process has died, or a commit failed.
    pub fn has_lost(&self) -> bool {
        let state = self.state();
        state.dead || state.lost
    }

    /// A new life.
    pub fn revive(&self) {
        let mut state = self.state();
        state.lost |= state.dead;
        (state.dead, state.trouble) = (false, Trouble::None);
    }

    /// What was so a moment ago.
    pub fn seen(&self) -> Seen {
        self.state().seen
    }

    fn close(&self, state: &mut State) {
        let _ = self.rows.commit(&self.closing, Durability::Synced);
        state.closed = Categories::ALL;
    }
}

fn broken() -> StoreError {
    StoreError::Failed(SECRETS.join(" ").into())
}

fn puts(batch: &Batch, wanted: Table) -> bool {
    batch.ops.iter().any(|op| matches!(op, Op::Put(table, ..) if *table == wanted))
}

/// Whether a question's record goes over to being carried out.
fn claims(batch: &Batch) -> bool {
    let claimed = |value: &[u8]| String::from_utf8_lossy(value).contains(r#""state":"executing""#);
    batch.ops.iter().any(|op| matches!(op, Op::Put(Table::Confirmation, _, value) if claimed(value)))
}

impl Store for Disk {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        let mut state = self.state();
        let step = state.commits;
        state.commits += 1;
        if state.trouble == Trouble::ClosedBeforeCommit(step) {
            self.close(&mut state);
        }
        state.dead |= state.trouble == Trouble::DiesBefore(step);
        let question = puts(batch, Table::Confirmation);
        let done = if state.dead || state.trouble == Trouble::Fails(step) {
            state.lost = true;
            Err(broken())
        } else {
            self.rows.commit(batch, durability)
        };
        if question {
            let whole = puts(batch, Table::Audit) && durability != Durability::Kept;
            let closed_at_claim = state.closed;
            state.seen = Seen { closed_at_claim, claim_is_durable: done.is_ok() && whole, ..state.seen };
        }
        if done.is_ok() && claims(batch) {
            state.seen.closed_at_executing = state.closed;
        }
        if state.trouble == Trouble::DiesAfter(step) {
            state.dead = true;
        }
        done
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut state = self.state();
        if state.trouble == Trouble::ClosedBeforeReading(state.readings) {
            self.close(&mut state);
        }
        state.readings += 1;
        if state.dead {
            return Err(broken());
        }
        if table == Table::Meta {
            state.seen.closed_when_looked = state.closed;
        }
        self.rows.get(table, key)
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        if self.state().dead { Err(broken()) } else { self.rows.scan(scan) }
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        self.rows.copy_to(file)
    }
}
