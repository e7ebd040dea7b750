//! The store in a file does what the store in memory does.

use archy_assistant::{
    Batch, Durability, Expect, MemoryStore, Op, Order, Scan, SqliteStore, Store, StoreError, Table,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::all;

#[derive(Debug, Clone)]
enum Step {
    Commit(Batch, Durability),
    Scan(Scan),
    Get(Table, Vec<u8>),
    Reopen,
}

// Few and short, so that they meet, and start with each other.
fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(select(vec![0, b'a', 0xFE, 0xFF]), 0..4)
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![8 => vec(any::<u8>(), 0..2), 1 => vec(any::<u8>(), 1000..9000)]
}

fn table() -> impl Strategy<Value = Table> {
    select(vec![Table::Journal, Table::Meta])
}

fn expect() -> impl Strategy<Value = Expect> {
    prop_oneof![
        (table(), key()).prop_map(|(table, key)| Expect::Absent(table, key)),
        (table(), key(), value()).prop_map(|(table, key, value)| Expect::Value(table, key, value)),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (table(), key(), value()).prop_map(|(table, key, value)| Op::Put(table, key, value)),
        2 => (table(), key()).prop_map(|(table, key)| Op::Remove(table, key)),
        1 => (table(), key()).prop_map(|(table, prefix)| Op::RemoveAll(table, prefix)),
    ]
}

fn durability() -> impl Strategy<Value = Durability> {
    prop_oneof![20 => Just(Durability::Kept), 2 => Just(Durability::Synced), 1 => Just(Durability::Scrubbed)]
}

fn step() -> impl Strategy<Value = Step> {
    let batch = (vec(expect(), 0..2), vec(op(), 0..6)).prop_map(|(expects, ops)| Batch { expects, ops });
    let scan = (table(), key(), proptest::option::of(key()), any::<bool>(), 0..6_usize);
    prop_oneof![
        30 => (batch, durability()).prop_map(|(batch, durability)| Step::Commit(batch, durability)),
        30 => scan.prop_map(|(table, prefix, beyond, up, limit)| {
            let order = if up { Order::Up } else { Order::Down };
            Step::Scan(Scan { table, prefix, beyond, order, limit })
        }),
        10 => (table(), key()).prop_map(|(table, key)| Step::Get(table, key)),
        1 => Just(Step::Reopen),
    ]
}

fn held(result: Result<(), StoreError>) -> bool {
    match result {
        Ok(()) => true,
        Err(StoreError::Conflict) => false,
        Err(error) => panic!("{error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_does_what_memory_does(steps in vec(step(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let open = || SqliteStore::open(dir.path().join("store")).unwrap();
        let (mut file, memory) = (Some(open()), MemoryStore::new());
        for step in steps {
            let store = file.as_ref().expect("it is open between steps");
            match step {
                Step::Commit(batch, durability) => prop_assert_eq!(
                    held(store.commit(&batch, durability)),
                    held(memory.commit(&batch, durability)),
                    "{:?}", batch
                ),
                Step::Scan(scan) => prop_assert_eq!(
                    store.scan(&scan).unwrap(), memory.scan(&scan).unwrap(), "{:?}", scan
                ),
                Step::Get(table, key) => prop_assert_eq!(
                    store.get(table, &key).unwrap(), memory.get(table, &key).unwrap()
                ),
                Step::Reopen => {
                    drop(file.take());
                    file = Some(open());
                }
            }
        }
        drop(file);
        let file = open();
        for table in Table::ALL {
            prop_assert_eq!(all(&file, table, b""), all(&memory, table, b""));
        }
    }
}
