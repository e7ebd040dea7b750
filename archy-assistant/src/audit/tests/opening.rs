//! How an audit is found when it is opened, and what is written about it.

use super::*;

fn open_with(store: &Arc<MemoryStore>, witness: &Arc<Witness>, restored: bool) -> (Audit, Opened) {
    let opening = Opening { restored, ..opening(Some(Arc::clone(witness) as Arc<dyn HeadWitness>)) };
    Audit::open(Arc::clone(store) as Arc<dyn Store>, opening).unwrap()
}

/// The newest facts, oldest first.
fn last_facts(store: &MemoryStore, most: usize) -> Vec<Fact> {
    let rows = rows(store, Table::Audit);
    let last = &rows[rows.len() - most..];
    last.iter().map(|(_, value)| verify::decode(value).unwrap().fact).collect()
}

#[test]
fn what_is_as_it_was_left_is_sound() {
    let store = four();
    let (audit, opened) = open(&store);
    assert_eq!((opened, audit.is_held()), (Opened::Sound, false));
    assert_eq!(audit.verify().unwrap(), Verified::Sound { first: 1, last: 5 });
}

#[test]
fn what_does_not_fit_stays_as_it_is_and_holds_everything_until_it_is_acknowledged() {
    let sound = four();
    let cases: [(&str, Vec<Op>, u64, Flaw); 6] = [
        ("the last line", vec![remove(4)], 4, Flaw::CutTail),
        ("all lines", (1..=4).map(remove).collect(), 1, Flaw::CutTail),
        ("all lines but the last", (1..=3).map(remove).collect(), 1, Flaw::Missing),
        ("the head", vec![Op::Remove(Table::Meta, HEAD_KEY.to_vec())], 4, Flaw::HeadForged),
        ("a line more", vec![put(5, value(&sound, 4))], 5, Flaw::Swapped),
        (
            "all lines and the head, while there is more",
            (1..=4)
                .map(remove)
                .chain([
                    Op::Remove(Table::Meta, HEAD_KEY.to_vec()),
                    Op::Put(Table::Meta, b"grants".to_vec(), b"{}".to_vec()),
                ])
                .collect(),
            0,
            Flaw::HeadForged,
        ),
    ];
    for (what, ops, line, flaw) in cases {
        let store = copy(&sound);
        change(&store, ops);
        let before = rows(&store, Table::Audit);
        let broken = Broken { line, flaw };
        for again in ["at once", "at the next start"] {
            let (audit, opened) = open(&store);
            assert_eq!((opened, audit.is_held()), (Opened::Damaged(broken), true), "{what} {again}");
        }
        let (audit, _) = open(&store);
        let Verified::Sound { first, .. } = audit.verify().unwrap() else { panic!("{what}") };
        assert!(rows(&store, Table::Audit).starts_with(&before), "{what}: nothing was repaired");
        assert_eq!(
            last_facts(&store, 4),
            [Fact::Damaged(broken), Fact::Opened, Fact::Opened, Fact::Opened],
            "{what}"
        );

        let acknowledged = Line::new(Timestamp(9), Fact::Acknowledged);
        audit.commit(Batch::new(), acknowledged, Durability::Synced).unwrap();
        assert!(!audit.is_held(), "{what}");
        let (audit, opened) = open(&store);
        assert_eq!((opened, audit.is_held()), (Opened::Sound, false), "{what}");
        assert_eq!(audit.verify().unwrap(), Verified::Sound { first, last: first + 5 }, "{what}");
    }
}

#[test]
fn what_was_damaged_is_bound_as_it_was_found() {
    let store = four();
    change(&store, [remove(4)]);
    open(&store);
    assert_eq!(verified(&store), Verified::Sound { first: 5, last: 6 });
    let mut edited = value(&store, 2);
    edited[40] ^= 1;
    for tampering in [vec![put(2, edited)], vec![remove(3)], vec![put(4, value(&store, 3))]] {
        let store = copy(&store);
        change(&store, tampering.clone());
        assert_eq!(verified(&store), broken(5, Flaw::Edited), "{tampering:?}");
    }
}

#[test]
fn with_another_key_it_counts_as_damaged() {
    let store = four();
    let opening = Opening { key: Secret::random(), ..opening(None) };
    let (audit, opened) = Audit::open(Arc::clone(&store) as Arc<dyn Store>, opening).unwrap();
    let broken = Broken { line: 4, flaw: Flaw::HeadForged };
    assert_eq!((opened, audit.is_held()), (Opened::Damaged(broken), true));
}

#[test]
fn a_number_without_a_next_one_is_refused_and_not_counted_over() {
    let store = four();
    change(&store, [put(u64::MAX, value(&store, 4))]);
    let refused = Audit::open(store, opening(None)).err().unwrap();
    assert!(matches!(refused, StoreError::Damaged(_)), "{refused:?}");
}

#[test]
fn an_older_copy_is_found_by_the_witness_and_held_across_restarts() {
    let (store, witness) = (Arc::default(), Arc::default());
    let (audit, opened) = open_with(&store, &witness, false);
    assert_eq!(opened, Opened::Fresh);
    append(&audit, Durability::Synced);
    let older = copy(&store);
    append(&audit, Durability::Synced);

    let rolled_back = Opened::RolledBack { remembered: 3, found: 2 };
    let (audit, opened) = open_with(&older, &witness, false);
    assert_eq!((opened, audit.is_held()), (rolled_back, true));
    assert_eq!(last_facts(&older, 2), [Fact::RolledBack { remembered: 3, found: 2 }, Fact::Opened]);
    let (audit, opened) = open_with(&older, &witness, false);
    assert_eq!((opened, audit.is_held()), (rolled_back, true), "it was not acknowledged");
    append(&audit, Durability::Synced);

    let (audit, opened) = open_with(&store, &witness, false);
    let found = "what was there before is a past that the witness does not know";
    assert_eq!((opened, audit.is_held()), (Opened::RolledBack { remembered: 6, found: 3 }, true), "{found}");
}

#[test]
fn a_node_that_was_only_opened_once_has_a_witness() {
    let (store, witness) = (Arc::default(), Arc::default());
    assert_eq!(open_with(&store, &witness, false).1, Opened::Fresh);
    assert_eq!(open_with(&store, &witness, false).1, Opened::Sound);
}

#[test]
fn a_copy_that_grew_past_the_witness_is_found_too() {
    let (store, witness) = (Arc::default(), Arc::default());
    let (audit, _) = open_with(&store, &witness, false);
    append(&audit, Durability::Synced);
    let older = copy(&store);
    append(&audit, Durability::Synced);
    let (elsewhere, _) = open(&older);
    append(&elsewhere, Durability::Synced);
    let (_, opened) = open_with(&older, &witness, false);
    assert_eq!(opened, Opened::RolledBack { remembered: 3, found: 4 });
}

#[test]
fn a_copy_put_in_place_on_purpose_is_written_down_and_holds_nothing() {
    let (store, witness) = (Arc::default(), Arc::default());
    let (audit, _) = open_with(&store, &witness, false);
    append(&audit, Durability::Synced);
    let older = copy(&store);
    append(&audit, Durability::Synced);
    let (audit, opened) = open_with(&older, &witness, true);
    assert_eq!((opened, audit.is_held()), (Opened::Restored, false));
    assert_eq!(last_facts(&older, 2), [Fact::Restored, Fact::Opened]);
    let (_, opened) = open_with(&older, &witness, false);
    assert_eq!(opened, Opened::Sound);
}

#[test]
fn a_damaged_copy_is_damaged_whatever_its_origin() {
    let store = four();
    change(&store, [remove(4)]);
    let (audit, opened) = open_with(&store, &Arc::default(), true);
    let broken = Broken { line: 4, flaw: Flaw::CutTail };
    assert_eq!((opened, audit.is_held()), (Opened::Damaged(broken), true));
    assert_eq!(last_facts(&store, 3), [Fact::Damaged(broken), Fact::Restored, Fact::Opened]);
}

#[test]
fn the_witness_is_never_ahead_of_what_survives_a_power_cut() {
    let (store, witness) = (Arc::default(), Arc::<Witness>::default());
    let (audit, _) = open_with(&store, &witness, false);
    append(&audit, Durability::Synced);
    let survives = copy(&store);
    let knows = witness.knows();
    append(&audit, Durability::Kept);
    assert_eq!(witness.knows(), knows);
    let (audit, opened) = open_with(&survives, &witness, false);
    assert_eq!((opened, audit.is_held()), (Opened::Sound, false));
}

#[test]
fn a_witness_that_does_not_answer_is_said_and_holds_nothing() {
    let store = four();
    let said = |witness: &Arc<Witness>| {
        let store = copy(&store);
        let (audit, opened) = open_with(&store, witness, false);
        assert_eq!((opened, audit.is_held()), (Opened::Unwitnessed, false));
        assert_eq!(last_facts(&store, 2), [Fact::Unwitnessed, Fact::Opened]);
        audit.is_unwitnessed()
    };
    let new = Arc::default();
    assert!(!said(&new), "from now on it knows");
    let deaf = Arc::new(Witness { deaf: true.into(), ..Witness::default() });
    assert!(said(&deaf));
    let forged = Sealed::from_bytes([7; 88]);
    let lying = Arc::new(Witness { head: Some(forged).into(), ..Witness::default() });
    assert!(!said(&lying));
}

#[test]
fn a_witness_that_cannot_be_told_does_not_undo_a_commit() {
    let (store, witness) = (Arc::default(), Arc::<Witness>::default());
    let (audit, _) = open_with(&store, &witness, false);
    witness.deaf.store(true, Ordering::SeqCst);
    append(&audit, Durability::Synced);
    assert!(audit.is_unwitnessed());
    witness.deaf.store(false, Ordering::SeqCst);
    append(&audit, Durability::Synced);
    assert!(!audit.is_unwitnessed());
    assert_eq!(audit.verify().unwrap(), Verified::Sound { first: 1, last: 3 });
}

#[test]
fn erasing_leaves_one_line() {
    let (store, witness) = (four(), Arc::<Witness>::default());
    let (audit, _) = open_with(&store, &witness, false);
    audit.erase(Line::new(Timestamp(9), Fact::Erased)).unwrap();
    assert_eq!(last_facts(&store, 1), [Fact::Erased]);
    assert_eq!(Table::ALL.map(|table| rows(&store, table).len()), [0, 0, 0, 0, 0, 0, 1, 1]);
    let (audit, opened) = open_with(&store, &witness, false);
    assert_eq!(opened, Opened::Sound);
    assert_eq!(audit.verify().unwrap(), Verified::Sound { first: 1, last: 2 });
}
