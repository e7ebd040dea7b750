//! The log is folded into the file while others write, read, copy, scrub, or are killed.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use archy_assistant::{Batch, Durability, Order, Scan, SqliteStore, Store, Table};
use tempfile::tempdir;

use super::child::{self, told, turning};
use super::durability::contains;
use super::{all, pair};

/// Bytes of a page in the log.
const PAGE: u64 = 4096 + 24;

fn log_length(store: &Path) -> u64 {
    fs::metadata(store.with_file_name("store-wal")).unwrap().len()
}

#[test]
fn the_log_stays_small_while_somebody_always_writes_and_reads() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let done = AtomicBool::new(false);
    let read = || {
        let scan = Scan { table: Table::Journal, prefix: vec![], beyond: None, order: Order::Up, limit: 9 };
        while !done.load(Ordering::Relaxed) {
            store.scan(&scan).unwrap();
        }
    };
    let longest = thread::scope(|threads| {
        let readers = [threads.spawn(read), threads.spawn(read), threads.spawn(read)];
        // 75 pages each, 22,500 in all.
        let write = |number: u32| {
            let value = number.to_le_bytes().repeat(15_000);
            let batch =
                (0..5_u8).fold(Batch::new(), |all, key| all.put(Table::Journal, [key], value.clone()));
            store.commit(&batch, Durability::Kept).unwrap();
            log_length(&path)
        };
        let longest = (0..300).map(write).max().unwrap();
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
        longest
    });
    // 4,000 and a batch; as much again in case that a read was in the way once.
    assert!(longest <= 8000 * PAGE, "{} pages", longest / PAGE);
    assert!(longest > 900 * PAGE, "{} pages: nothing was folded here", longest / PAGE);
}

#[test]
fn a_kill_in_the_middle_of_a_fold_loses_nothing_that_was_acknowledged() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let mut before = 0;
    for round in 1..=6 {
        let mut program = Command::new(env::current_exe().unwrap());
        let mut child = child::give(&mut program, "turn", &path).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut output = String::new();
        while told(&output).is_empty() {
            assert_ne!(out.read_line(&mut output).unwrap(), 0, "it ended by itself: {output}");
        }
        // Once it is open, only folding changes the file.
        for _ in 0..round {
            let changed = || fs::metadata(&path).unwrap().modified().unwrap();
            let last = changed();
            while changed() == last {
                assert_eq!(child.try_wait().unwrap(), None, "it goes on until it is killed");
                thread::yield_now();
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        while out.read_line(&mut output).unwrap() > 0 {}

        let acknowledged: u32 = told(&output).last().unwrap().parse().unwrap();
        assert!(acknowledged >= before, "{acknowledged}, but {before} before");
        let store = SqliteStore::open(&path).unwrap();
        let rows = all(&store, Table::Journal, b"");
        // The last one may have been written without its acknowledgement.
        let last = (acknowledged..=acknowledged + 2).find(|last| rows == turning(*last));
        before = last.expect("the rows are as they were written");
    }
}

#[test]
fn scrubbing_while_the_log_is_folded_leaves_no_trace_and_meets_no_error() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            for number in 0_u32.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let durability = if number % 9 == 0 { Durability::Synced } else { Durability::Kept };
                let row = Batch::new().put(Table::Turn, [0], number.to_le_bytes().repeat(2000));
                store.commit(&row, durability).unwrap();
            }
        });
        for round in 0..10_u32 {
            // Enough to be folded, which has only begun when it is forgotten.
            let mut said = Batch::new();
            for key in 0..500_u32 {
                let text = format!("said in {round} ").repeat(1 + key as usize * 7 % 2000);
                said = said.put(Table::Journal, [round.to_be_bytes(), key.to_be_bytes()].concat(), text);
            }
            store.commit(&said, Durability::Kept).unwrap();
            let forget = Batch::new().remove_all(Table::Journal, round.to_be_bytes());
            store.commit(&forget, Durability::Scrubbed).unwrap();
            assert!(!contains(&path, &format!("said in {round}")), "round {round}");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(all(&store, Table::Journal, b""), []);
}

#[test]
fn what_the_thread_met_is_told_by_a_commit_and_nothing_is_lost() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let most = Batch::new().put(Table::Meta, "ballast", vec![1; 19 << 20]);
    store.commit(&most, Durability::Synced).unwrap();
    drop(store);
    // The file has no room to grow by what gathers in the log, but the log has.
    let told = child::with_files_up_to(20, "outgrow", &path);
    let [kept] = &told[..] else { panic!("{told:?}") };
    let pages = log_length(&path) / PAGE;
    assert!((4000..4100).contains(&pages), "{pages} pages: it is the log's own limit that ended it");

    let store = SqliteStore::open(&path).unwrap();
    let expected: Vec<_> =
        (0..kept.parse().unwrap()).map(|number| pair([number], vec![number; 200_000])).collect();
    assert!(all(&store, Table::Journal, b"") == expected, "the rows are as they were written");
    store.commit(&Batch::new().put(Table::Meta, "room", "again"), Durability::Synced).unwrap();
}
