//! The suite that every store passes.

use std::thread;

use archy_assistant::{Batch, Durability, Expect, Order, Scan, Store, StoreError, Table};

use super::{all, pair};

/// Runs the suite on stores that `make` begins, each empty.
pub(crate) fn conformance<S: Store>(make: impl Fn() -> S) {
    begins_empty(&make());
    keeps_tables_apart(&make());
    changes_in_order(&make());
    writes_nothing_when_an_expectation_fails(&make());
    expects_what_was_before_the_batch(&make());
    removes_all_that_start_so(&make());
    scans(&make());
    keeps_any_bytes(&make());
    lets_one_of_many_win(&make());
    survives_each_durability(&make());
}

fn put(store: &impl Store, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) {
    store.commit(&Batch::new().put(Table::Meta, key, value), Durability::Kept).unwrap();
}

fn begins_empty(store: &impl Store) {
    for table in Table::ALL {
        assert_eq!(all(store, table, b""), [], "{table:?}");
        assert_eq!(store.get(table, b"").unwrap(), None, "{table:?}");
    }
    store.commit(&Batch::new(), Durability::Synced).unwrap();
}

fn keeps_tables_apart(store: &impl Store) {
    let mut batch = Batch::new();
    for table in Table::ALL {
        batch = batch.put(table, "key", table.name());
    }
    store.commit(&batch.remove(Table::Audit, "key"), Durability::Kept).unwrap();
    for table in Table::ALL {
        let expected = if table == Table::Audit { vec![] } else { vec![pair("key", table.name())] };
        assert_eq!(all(store, table, b""), expected, "{table:?}");
    }
}

fn changes_in_order(store: &impl Store) {
    let t = Table::Journal;
    let batch = Batch::new()
        .put(t, "1", "first")
        .put(t, "1", "last")
        .put(t, "2", "gone")
        .remove(t, "2")
        .remove(t, "3")
        .put(t, "3", "there")
        .put(t, "4a", "gone")
        .remove_all(t, "4")
        .put(t, "4b", "there");
    store.commit(&batch, Durability::Kept).unwrap();
    assert_eq!(all(store, t, b""), [pair("1", "last"), pair("3", "there"), pair("4b", "there")]);
}

fn writes_nothing_when_an_expectation_fails(store: &impl Store) {
    let t = Table::Meta;
    put(store, "there", "value");
    put(store, "empty", "");
    let before = all(store, t, b"");
    let key = |key: &str| key.as_bytes().to_vec();
    for (expect, holds) in [
        (Expect::Absent(t, key("there")), false),
        (Expect::Absent(t, key("empty")), false),
        (Expect::Absent(t, key("ther")), true),
        (Expect::Absent(Table::Audit, key("there")), true),
        (Expect::Value(t, key("there"), key("value")), true),
        (Expect::Value(t, key("there"), key("valu")), false),
        (Expect::Value(t, key("there"), key("")), false),
        (Expect::Value(t, key("empty"), key("")), true),
        (Expect::Value(t, key("missing"), key("")), false),
        (Expect::Value(Table::Audit, key("there"), key("value")), false),
    ] {
        let batch = Batch::new()
            .put(t, "new", "value")
            .put(t, "there", "changed")
            .remove(t, "empty")
            .expect(Expect::Absent(t, key("missing")))
            .expect(expect.clone());
        match store.commit(&batch, Durability::Kept) {
            Ok(()) if holds => {
                let restore = Batch::new().remove(t, "new").put(t, "there", "value").put(t, "empty", "");
                store.commit(&restore, Durability::Kept).unwrap();
            }
            Err(StoreError::Conflict) if !holds => {}
            other => panic!("{expect:?}: {other:?}"),
        }
        assert_eq!(all(store, t, b""), before, "{expect:?}");
    }
}

fn expects_what_was_before_the_batch(store: &impl Store) {
    let once = Batch::new().put(Table::Meta, "id", "1").expect(Expect::Absent(Table::Meta, b"id".to_vec()));
    store.commit(&once, Durability::Synced).unwrap();
    let again = store.commit(&once, Durability::Synced);
    assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
}

fn removes_all_that_start_so(store: &impl Store) {
    let keys: [&[u8]; 8] = [b"", b"a", b"a\0", b"a\xFF", b"a\xFF\xFF", b"b", b"\xFF", b"\xFF\xFF"];
    let cases: [(&[u8], &[&[u8]]); 6] = [
        (b"a", &[b"", b"b", b"\xFF", b"\xFF\xFF"]),
        (b"a\xFF", &[b"", b"a", b"a\0", b"b", b"\xFF", b"\xFF\xFF"]),
        (b"\xFF", &[b"", b"a", b"a\0", b"a\xFF", b"a\xFF\xFF", b"b"]),
        (b"\xFF\xFF", &[b"", b"a", b"a\0", b"a\xFF", b"a\xFF\xFF", b"b", b"\xFF"]),
        (b"c", &keys),
        (b"", &[]),
    ];
    for (prefix, left) in cases {
        let mut batch = Batch::new().put(Table::Audit, prefix, "elsewhere");
        for key in keys {
            batch = batch.put(Table::Meta, key, "v");
        }
        store.commit(&batch.remove_all(Table::Meta, prefix), Durability::Kept).unwrap();
        let left: Vec<_> = left.iter().map(|key| pair(key, "v")).collect();
        assert_eq!(all(store, Table::Meta, b""), left, "{prefix:?}");
    }
    assert_eq!(all(store, Table::Audit, b"").len(), cases.len(), "the other table keeps its own");
}

fn scans(store: &impl Store) {
    let keys: [&[u8]; 10] =
        [b"", b"\0", b"a", b"a\0", b"ab", b"ab\xFF", b"ab\xFF\xFF", b"b", b"\xFF", b"\xFF\xFF"];
    for key in keys {
        put(store, key, [b"value of ", key].concat());
    }
    let prefixes: [&[u8]; 11] =
        [b"", b"\0", b"a", b"a\0", b"ab", b"ab\xFF", b"abc", b"b", b"c", b"\xFF", b"\xFF\xFF"];
    let beyonds = [b"aa".as_slice(), b"ac", b"ab\xFE", b"\xFF\xFF\xFF"].into_iter().chain(keys).map(Some);
    for beyond in beyonds.chain([None]) {
        for prefix in prefixes {
            for limit in [0, 1, 2, 3, usize::MAX] {
                let within = |key: &&&[u8]| key.starts_with(prefix);
                let row = |key: &&[u8]| pair(key, [b"value of ", *key].concat());
                let up = keys.iter().filter(within).filter(|key| beyond.is_none_or(|beyond| **key > beyond));
                let down = keys.iter().rev().filter(within).filter(|key| beyond.is_none_or(|b| **key < b));
                let expected = [
                    (Order::Up, up.take(limit).map(row).collect::<Vec<_>>()),
                    (Order::Down, down.take(limit).map(row).collect()),
                ];
                for (order, expected) in expected {
                    let scan = Scan {
                        table: Table::Meta,
                        prefix: prefix.to_vec(),
                        beyond: beyond.map(Into::into),
                        order,
                        limit,
                    };
                    assert_eq!(store.scan(&scan).unwrap(), expected, "{scan:?}");
                }
            }
        }
    }
}

fn keeps_any_bytes(store: &impl Store) {
    let mut batch = Batch::new();
    for byte in 0..=u8::MAX {
        batch = batch.put(Table::Journal, [byte, 0, byte], [0, byte]);
    }
    let big: Vec<u8> = (0..1_u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let long_key = vec![b'k'; 5000];
    batch = batch.put(Table::Turn, "big", big.clone()).put(Table::Turn, long_key.clone(), "");
    store.commit(&batch, Durability::Kept).unwrap();

    let bytes: Vec<_> = (0..=u8::MAX).map(|byte| pair([byte, 0, byte], [0, byte])).collect();
    assert_eq!(all(store, Table::Journal, b""), bytes);
    assert!(
        all(store, Table::Turn, b"") == [pair("big", &big), pair(&long_key, "")],
        "big values stay whole"
    );

    let swap = |old: &[u8], new: &[u8]| {
        let expect = Expect::Value(Table::Turn, b"big".to_vec(), old.to_vec());
        store.commit(&Batch::new().expect(expect).put(Table::Turn, "big", new), Durability::Kept)
    };
    let mut other = big.clone();
    other[big.len() - 1] ^= 1;
    assert!(matches!(swap(&other, &big), Err(StoreError::Conflict)), "the last byte counts");
    swap(&big, &other).unwrap();
    assert!(store.get(Table::Turn, b"big").unwrap() == Some(other));
}

fn lets_one_of_many_win(store: &impl Store) {
    const THREADS: u32 = 8;
    const WINS: u32 = 25;
    let key = b"counter".to_vec();
    put(store, key.clone(), 0_u32.to_be_bytes());
    let win = || loop {
        let old = store.get(Table::Meta, &key).unwrap().unwrap();
        let new = (u32::from_be_bytes(old.clone().try_into().unwrap()) + 1).to_be_bytes();
        let batch = Batch::new()
            .expect(Expect::Value(Table::Meta, key.clone(), old))
            .expect(Expect::Absent(Table::Audit, new.to_vec()))
            .put(Table::Meta, key.clone(), new)
            .put(Table::Audit, new, "won");
        match store.commit(&batch, Durability::Kept) {
            Ok(()) => return,
            Err(StoreError::Conflict) => {}
            Err(error) => panic!("{error:?}"),
        }
    };
    thread::scope(|threads| {
        for _ in 0..THREADS {
            threads.spawn(|| (0..WINS).for_each(|_| win()));
        }
    });
    let won: Vec<_> = (1..=THREADS * WINS).map(|n| pair(n.to_be_bytes(), "won")).collect();
    assert_eq!(all(store, Table::Audit, b""), won);
    assert_eq!(store.get(Table::Meta, &key).unwrap(), Some((THREADS * WINS).to_be_bytes().to_vec()));
}

fn survives_each_durability(store: &impl Store) {
    for durability in [Durability::Kept, Durability::Synced, Durability::Scrubbed] {
        let batch =
            Batch::new().remove_all(Table::Open, "").put(Table::Open, "last", format!("{durability:?}"));
        for _ in 0..2 {
            store.commit(&batch, durability).unwrap();
            assert_eq!(all(store, Table::Open, b""), [pair("last", format!("{durability:?}"))]);
        }
    }
}
