//! Every way of changing the table by hand.

use super::*;

#[test]
fn lines_that_are_removed_swapped_copied_or_added_are_found() {
    let sound = four();
    let of = |seq| value(&sound, seq);
    let no_lines: Vec<Op> = (1..=4).map(remove).collect();
    let nothing = no_lines.iter().cloned().chain([Op::Remove(Table::Meta, HEAD_KEY.to_vec())]);
    let mut added = Head::read(&*sound, &key()).unwrap().unwrap();
    let (_, fifth) = added.push(line()).unwrap();
    let forged = added.seal(&Secret::new(*b"a guess")).as_bytes().to_vec();
    let cases: [(&str, Vec<Op>, Verified); 14] = [
        ("as it was", vec![], Verified::Sound { first: 1, last: 4 }),
        ("the first", vec![remove(1)], broken(1, Flaw::Missing)),
        ("one between", vec![remove(2)], broken(2, Flaw::Missing)),
        ("the last", vec![remove(4)], broken(4, Flaw::CutTail)),
        ("all", no_lines.clone(), broken(1, Flaw::CutTail)),
        ("all and the head", nothing.collect(), broken(0, Flaw::HeadForged)),
        ("the head", vec![Op::Remove(Table::Meta, HEAD_KEY.to_vec())], broken(4, Flaw::HeadForged)),
        ("two swapped", vec![put(2, of(3)), put(3, of(2))], broken(2, Flaw::Swapped)),
        ("one over the next", vec![put(3, of(2))], broken(3, Flaw::Swapped)),
        ("one again at the end", vec![put(5, of(4))], broken(5, Flaw::Swapped)),
        ("one more", vec![put(5, fifth.clone())], broken(5, Flaw::Unsealed)),
        ("one more, sealed by guess", vec![put(5, fifth), put_head(forged)], broken(5, Flaw::HeadForged)),
        ("a row before the first", vec![put(0, of(1))], broken(1, Flaw::Edited)),
        ("a row without a number", vec![Op::Put(Table::Audit, vec![9], of(1))], broken(5, Flaw::Edited)),
    ];
    for (what, ops, expected) in cases {
        let store = copy(&sound);
        change(&store, ops);
        assert_eq!(verified(&store), expected, "{what}");
    }
}

#[test]
fn every_byte_of_a_short_chain_counts() {
    let sound = four();
    for table in [Table::Audit, Table::Meta] {
        for (place, value) in rows(&sound, table) {
            for at in 0..place.len() + value.len() {
                for flip in [1, 0x20, 0x80] {
                    let (mut key, mut new) = (place.clone(), value.clone());
                    match key.get_mut(at) {
                        Some(byte) => *byte ^= flip,
                        None => new[at - place.len()] ^= flip,
                    }
                    let store = copy(&sound);
                    change(&store, [Op::Remove(table, place.clone()), Op::Put(table, key, new)]);
                    let verified = verified(&store);
                    let Verified::Broken(broken) = verified else {
                        panic!("{table:?} {place:?} {at} {flip}")
                    };
                    if table == Table::Audit && at >= place.len() {
                        assert_eq!(place, broken.line.to_be_bytes(), "{at} {flip} {broken}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_chain_written_anew_without_the_key_is_found() {
    let store = four();
    let mut forged = Head::default();
    for seq in 1..=4 {
        let (place, value) = forged.push(Line::new(Timestamp(seq), Fact::Asked)).unwrap();
        change(&store, [Op::Put(Table::Audit, place.to_vec(), value)]);
    }
    assert_eq!(verified(&store), broken(4, Flaw::Rewritten));
    change(&store, [put_head(forged.seal(&Secret::new(*b"a guess")).as_bytes().to_vec())]);
    assert_eq!(verified(&store), broken(4, Flaw::HeadForged));
}

#[test]
fn of_two_processes_the_second_to_write_is_refused_and_nothing_of_it_is_kept() {
    let store = four();
    let (first, _) = open(&store);
    let (second, _) = open(&store);
    let batch = Batch::new().put(Table::Meta, "claim", "executing");
    let refused = first.commit(batch.clone(), line(), Durability::Synced).unwrap_err();
    assert!(matches!(refused, StoreError::InUse), "{refused:?}");
    assert_eq!(store.get(Table::Meta, b"claim").unwrap(), None);
    second.commit(batch, line(), Durability::Synced).unwrap();
    assert_eq!(second.verify().unwrap(), Verified::Sound { first: 1, last: 7 });
    let refused = first.commit(Batch::new(), line(), Durability::Synced).unwrap_err();
    assert!(matches!(refused, StoreError::InUse), "and stays so: {refused:?}");
}

#[test]
fn what_a_batch_expects_is_told_apart_from_a_fork() {
    let (audit, _) = open(&four());
    let unmet = Batch::new().expect(Expect::Value(Table::Meta, b"grants".to_vec(), b"open".to_vec()));
    let refused = audit.commit(unmet, line(), Durability::Synced).unwrap_err();
    assert!(matches!(refused, StoreError::Conflict), "{refused:?}");
    append(&audit, Durability::Synced);
    assert_eq!(audit.verify().unwrap(), Verified::Sound { first: 1, last: 6 });
}

#[test]
fn sixty_four_threads_make_one_chain() {
    let store: Arc<MemoryStore> = Arc::default();
    let (audit, _) = open(&store);
    std::thread::scope(|threads| {
        for _ in 0..64 {
            threads.spawn(|| {
                for _ in 0..8 {
                    append(&audit, Durability::Kept);
                    assert!(matches!(audit.verify(), Ok(Verified::Sound { first: 1, .. })));
                }
            });
        }
    });
    assert_eq!(audit.verify().unwrap(), Verified::Sound { first: 1, last: 1 + 64 * 8 });
}

#[test]
fn a_tail_cut_together_with_the_head_is_found_by_who_wrote_it() {
    let store = four();
    let older = copy(&store);
    let (audit, _) = open(&store);
    change(&store, [remove(5), put_head(older.get(Table::Meta, HEAD_KEY).unwrap().unwrap())]);
    assert_eq!(verified(&store), Verified::Sound { first: 1, last: 4 }, "it looks like it did before");
    assert_eq!(audit.verify().unwrap(), broken(5, Flaw::CutTail));
}
