//! What is left after a kill, on a full disk, and after scrubbing.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use archy_assistant::{Batch, Durability, SqliteStore, Store, Table};
use tempfile::tempdir;

use super::child::{self, told, value};
use super::{all, pair};

fn numbered(count: u32) -> Vec<(Vec<u8>, Vec<u8>)> {
    (0..count).map(|number| pair(number.to_be_bytes(), value(number))).collect()
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    for round in 1..=6 {
        let mut program = Command::new(env::current_exe().unwrap());
        let mut child = child::give(&mut program, "keep", &path).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut output = String::new();
        while told(&output).len() < round * 37 {
            assert_ne!(out.read_line(&mut output).unwrap(), 0, "it ended by itself: {output}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        while out.read_line(&mut output).unwrap() > 0 {}

        let acknowledged: u32 = told(&output).last().unwrap().parse().unwrap();
        let store = SqliteStore::open(&path).unwrap();
        let kept = all(&store, Table::Journal, b"");
        let count = u32::try_from(kept.len()).unwrap();
        // The last one may have been written without its acknowledgement.
        assert!(count > acknowledged, "{count} rows, {acknowledged} acknowledged");
        assert!(count <= acknowledged + 2, "{count} rows, {acknowledged} acknowledged");
        assert!(kept == numbered(count), "the rows are as they were written");
    }
}

#[test]
fn a_full_disk_keeps_what_was_there() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let told = child::with_files_up_to(1, "fill", &path);
    let [count] = &told[..] else { panic!("{told:?}") };

    let store = SqliteStore::open(&path).unwrap();
    assert!(all(&store, Table::Journal, b"") == numbered(count.parse().unwrap()));
    store.commit(&Batch::new().remove_all(Table::Journal, ""), Durability::Scrubbed).unwrap();
    assert_eq!(all(&store, Table::Journal, b""), []);
}

/// What `strace` saw between the lines that the child told.
#[test]
fn a_commit_waits_for_the_disk_as_often_as_it_says() {
    let dir = tempdir().unwrap();
    let log = dir.path().join("calls");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-e", "trace=write,fsync,fdatasync", "-o"]).arg(&log).arg(env::current_exe().unwrap());
    match child::give(&mut traced, "sync", &dir.path().join("store")).output() {
        Ok(done) if done.status.success() => {}
        other => {
            eprintln!("not looked at: strace does not run here ({other:?})");
            return;
        }
    }
    let mut waits = 0;
    let mut seen = Vec::new();
    for line in fs::read_to_string(log).unwrap().lines() {
        if line.contains("sync(") {
            waits += 1;
        } else if let Some((_, told)) = line.split_once("\"told ") {
            seen.push((told.split('\\').next().unwrap_or(told).to_owned(), waits));
            waits = 0;
        }
    }
    // The first commit also makes the store and its log; how often that waits is of no interest.
    assert_eq!(seen[0].0, "first");
    let expected = [
        ("kept", 0),
        ("kept", 0),
        ("synced", 1),
        ("synced", 1),
        ("kept", 0),
        ("synced", 1),
        ("kept", 0),
        ("synced", 1),
    ];
    assert_eq!(seen[1..], expected.map(|(mark, waits)| (mark.to_owned(), waits)));
}

#[test]
fn removed_text_is_blanked_without_scrubbing() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    store.commit(&Batch::new().put(Table::Meta, "key", "said in 5"), Durability::Synced).unwrap();
    drop(store);
    assert!(contains(&path, "said in 5"), "it would be found");
    let store = SqliteStore::open(&path).unwrap();
    store.commit(&Batch::new().remove(Table::Meta, "key"), Durability::Kept).unwrap();
    drop(store);
    assert!(!contains(&path, "said in 5"));
}

/// `secure_delete` alone leaves copies where pages were split or joined before the removal.
#[test]
fn scrubbed_text_is_nowhere_in_the_files() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let (mut kept, mut batch) = (0, Batch::new());
    for number in 0..3000 {
        let conversation = u8::try_from(next(10)).unwrap();
        kept += usize::from(conversation != 5);
        let length = if number % 100 == 0 { next(20_000) } else { next(700) };
        let said = format!("said in {conversation} {}", "x".repeat(usize::try_from(length).unwrap()));
        let key = [&[conversation][..], &next(u64::MAX).to_be_bytes()].concat();
        batch = batch.put(Table::Journal, key, said);
        if number % 7 == 0 {
            store.commit(&std::mem::take(&mut batch), Durability::Kept).unwrap();
        }
    }
    store.commit(&batch, Durability::Synced).unwrap();
    assert!(contains(&path, "said in 5"), "it would be found");

    store.commit(&Batch::new().remove_all(Table::Journal, [5]), Durability::Scrubbed).unwrap();
    assert!(!contains(&path, "said in 5"));
    assert!(contains(&path, "said in 6"));
    assert_eq!(all(&store, Table::Journal, b"").len(), kept);
    drop(store);
    assert!(!contains(&path, "said in 5"));
}

/// Whether a file of the store holds a text.
pub(super) fn contains(store: &Path, text: &str) -> bool {
    fs::read_dir(store.parent().unwrap()).unwrap().any(|file| {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}
