//! Where everything is kept: ordered tables of bytes with one writing method.
//!
//! One [`Batch`] is one transaction: all of it or nothing, only if everything that it expects still holds. What the
//! bytes mean is the business of whoever writes them; a store only promises order, atomicity and durability. So the
//! conformance suite is short, and "the intent and the claim in one transaction" cannot be forgotten.

mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt;
use std::path::Path;

pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use crate::Cause;

/// The tables. Their names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Table {
    /// Conversation id → who began it, when, what it rests on.
    Conversation,
    /// Conversation id, turn id → who said it, whether it has ended.
    Turn,
    /// Conversation id, turn id, step → one input of the turn's machine.
    Journal,
    /// Turn id → its conversation.
    Place,
    /// Turn id → its conversation, for each turn that has not ended.
    Open,
    /// Confirmation id → what was asked and what became of it.
    Confirmation,
    /// Number → one line of the audit.
    Audit,
    /// Name → a single value: grants, boot count, the audit's head.
    Meta,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Conversation,
        Self::Turn,
        Self::Journal,
        Self::Place,
        Self::Open,
        Self::Confirmation,
        Self::Audit,
        Self::Meta,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Turn => "turn",
            Self::Journal => "journal",
            Self::Place => "place",
            Self::Open => "open",
            Self::Confirmation => "confirmation",
            Self::Audit => "audit",
            Self::Meta => "meta",
        }
    }
}

/// One change to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Puts a value, whatever was there.
    Put(Table, Vec<u8>, Vec<u8>),
    /// Removes a key, if it is there.
    Remove(Table, Vec<u8>),
    /// Removes every key that starts with these bytes.
    RemoveAll(Table, Vec<u8>),
}

/// What must hold for a batch to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// The key is not there.
    Absent(Table, Vec<u8>),
    /// The key has exactly this value.
    Value(Table, Vec<u8>, Vec<u8>),
}

/// Changes that are made together or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// What must hold.
    pub expects: Vec<Expect>,
    /// What is changed, in order.
    pub ops: Vec<Op>,
}

impl Batch {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Also expects this.
    #[must_use]
    pub fn expect(mut self, expect: Expect) -> Self {
        self.expects.push(expect);
        self
    }
    /// Also puts this.
    #[must_use]
    pub fn put(mut self, table: Table, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        self.ops.push(Op::Put(table, key.into(), value.into()));
        self
    }
    /// Also removes this.
    #[must_use]
    pub fn remove(mut self, table: Table, key: impl Into<Vec<u8>>) -> Self {
        self.ops.push(Op::Remove(table, key.into()));
        self
    }
    /// Also removes everything whose key starts so.
    #[must_use]
    pub fn remove_all(mut self, table: Table, prefix: impl Into<Vec<u8>>) -> Self {
        self.ops.push(Op::RemoveAll(table, prefix.into()));
        self
    }
    /// Also everything of `more`.
    pub fn append(&mut self, mut more: Self) {
        self.expects.append(&mut more.expects);
        self.ops.append(&mut more.ops);
    }
}

/// How sure a write must be before `commit` returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process, however it ends.
    Kept,
    /// It survives a power cut, and so does all that was committed before it.
    Synced,
    /// As [`Durability::Synced`], and what was removed, now or before, can no longer be found in the file. It may
    /// rewrite the whole file. When only that fails, the batch is written all the same; committing a removal again
    /// tries again.
    Scrubbed,
}

/// Which way a scan goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Up,
    /// Largest key first.
    Down,
}

/// Which keys a scan gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// Of which table.
    pub table: Table,
    /// Only keys that start so.
    pub prefix: Vec<u8>,
    /// Only keys beyond this one, in the scan's order.
    pub beyond: Option<Vec<u8>>,
    /// Which way.
    pub order: Order,
    /// At most so many.
    pub limit: usize,
}

/// Keys with their values.
pub type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Where everything is kept. Methods block: a commit that is only [`Durability::Kept`] may be made on an async task,
/// a synced one is made on a thread that may wait.
pub trait Store: Send + Sync + 'static {
    /// Writes a batch whole, or not at all.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when something expected does not hold; nothing was written then, nor on any other error,
    /// but for what [`Durability::Scrubbed`] says.
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError>;

    /// The value of a key.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keys and values in order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError>;

    /// Writes a consistent copy to a new file while others go on writing.
    ///
    /// # Errors
    /// When the file exists or cannot be written; no part of it stays behind.
    fn copy_to(&self, file: &Path) -> Result<(), StoreError>;
}

/// Why the store did not do it. Nothing was written.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Something expected does not hold: somebody else was faster.
    Conflict,
    /// There is no room left.
    Full(Cause),
    /// It cannot be opened or written here.
    Denied(Cause),
    /// The file is damaged, or no store.
    Damaged(Cause),
    /// A newer version wrote it: the version that it needs.
    Newer(u32),
    /// Another process has it open.
    InUse,
    /// Anything else went wrong while reading or writing.
    Failed(Cause),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("somebody else has changed it in the meantime"),
            Self::Full(_) => f.write_str("the disk is full; nothing was written"),
            Self::Denied(_) => {
                f.write_str("the store cannot be opened or written there; check the path and its rights")
            }
            Self::Damaged(_) => {
                f.write_str("the store's file is damaged or no store; restore a backup of it")
            }
            Self::Newer(version) => {
                write!(f, "a newer version (store format {version}) wrote this store; update this program")
            }
            Self::InUse => f.write_str("another process has the store open"),
            Self::Failed(_) => f.write_str("the store could not be read or written"),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Full(cause) | Self::Denied(cause) | Self::Damaged(cause) | Self::Failed(cause) => {
                Some(cause.source())
            }
            Self::Conflict | Self::Newer(_) | Self::InUse => None,
        }
    }
}
