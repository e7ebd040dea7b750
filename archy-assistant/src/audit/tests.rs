//! What was done to an audit is found, at once or when every line is looked at.

mod facts;
mod opening;
mod tampering;

use std::io;
use std::sync::Arc;

use super::*;
use crate::{MemoryStore, Op, Rows, Timestamp};

const HEAD_KEY: &[u8] = super::HEAD;

fn key() -> Secret {
    Secret::new(*b"a key that only the host has")
}

fn opening(witness: Option<Arc<dyn HeadWitness>>) -> Opening {
    Opening { key: key(), witness, restored: false, now: Timestamp(1) }
}

fn open(store: &Arc<MemoryStore>) -> (Audit, Opened) {
    Audit::open(Arc::clone(store) as Arc<dyn Store>, opening(None)).unwrap()
}

fn line() -> Line {
    Line::new(Timestamp(7), Fact::CopiedOut)
}

fn append(audit: &Audit, durability: Durability) {
    audit.commit(Batch::new(), line(), durability).unwrap();
}

/// A sound audit of four lines.
fn four() -> Arc<MemoryStore> {
    let store = Arc::default();
    let (audit, opened) = open(&store);
    assert_eq!(opened, Opened::Fresh);
    (0..3).for_each(|_| append(&audit, Durability::Kept));
    store
}

fn rows(store: &MemoryStore, table: Table) -> Rows {
    let scan = Scan { table, prefix: Vec::new(), beyond: None, order: Order::Up, limit: usize::MAX };
    store.scan(&scan).unwrap()
}

/// The store as somebody could have copied it.
fn copy(store: &MemoryStore) -> Arc<MemoryStore> {
    let copied = MemoryStore::new();
    for table in Table::ALL {
        for (key, value) in rows(store, table) {
            change(&copied, [Op::Put(table, key, value)]);
        }
    }
    Arc::new(copied)
}

fn change(store: &MemoryStore, ops: impl IntoIterator<Item = Op>) {
    let batch = Batch { ops: ops.into_iter().collect(), ..Batch::new() };
    store.commit(&batch, Durability::Kept).unwrap();
}

fn place(seq: u64) -> Vec<u8> {
    seq.to_be_bytes().to_vec()
}

fn remove(seq: u64) -> Op {
    Op::Remove(Table::Audit, place(seq))
}

fn value(store: &MemoryStore, seq: u64) -> Vec<u8> {
    store.get(Table::Audit, &place(seq)).unwrap().unwrap()
}

fn put(seq: u64, value: Vec<u8>) -> Op {
    Op::Put(Table::Audit, place(seq), value)
}

fn put_head(head: Vec<u8>) -> Op {
    Op::Put(Table::Meta, HEAD_KEY.to_vec(), head)
}

fn verified(store: &MemoryStore) -> Verified {
    verify::verify(store, &key(), 1).unwrap()
}

fn broken(line: u64, flaw: Flaw) -> Verified {
    Verified::Broken(Broken { line, flaw })
}

/// A witness in memory that can be told to fail.
#[derive(Default)]
struct Witness {
    head: Mutex<Option<Sealed>>,
    deaf: AtomicBool,
}

impl Witness {
    fn knows(&self) -> Option<Sealed> {
        self.head.lock().unwrap().clone()
    }

    fn answer(&self) -> io::Result<()> {
        if self.deaf.load(Ordering::SeqCst) { Err(io::ErrorKind::NotConnected.into()) } else { Ok(()) }
    }
}

impl HeadWitness for Witness {
    fn remember(&self, head: &Sealed) -> io::Result<()> {
        self.answer()?;
        *self.head.lock().unwrap() = Some(head.clone());
        Ok(())
    }

    fn recall(&self) -> io::Result<Option<Sealed>> {
        self.answer().map(|()| self.knows())
    }
}
