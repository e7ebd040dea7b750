//! A copy is whole, or it is not there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use archy_assistant::{Batch, Durability, SqliteStore, Store, StoreError, Table};
use tempfile::tempdir;

use super::{all, child};

fn names(dir: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(name).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_copy_is_consistent_while_others_write() {
    let dir = tempdir().unwrap();
    let backups = dir.path().join("backups");
    fs::create_dir(&backups).unwrap();
    let store = SqliteStore::open(dir.path().join("store")).unwrap();
    // Each batch changes two tables alike.
    let write = |number: u32| {
        let batch = Batch::new().put(Table::Turn, number.to_be_bytes(), vec![1; 500]).put(
            Table::Journal,
            number.to_be_bytes(),
            vec![1; 500],
        );
        store.commit(&batch, Durability::Kept).unwrap();
    };
    (0..500).for_each(write);

    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            for number in 500.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                write(number);
            }
        });
        for copy in 0..5 {
            store.copy_to(&backups.join(copy.to_string())).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(names(&backups), ["0", "1", "2", "3", "4"]);
    let mut before = 500;
    for copy in 0..5 {
        let path = backups.join(copy.to_string());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let copy = SqliteStore::open(&path).unwrap();
        let turns = all(&copy, Table::Turn, b"");
        assert!(turns == all(&copy, Table::Journal, b""), "no batch is copied by half");
        assert!(turns.len() >= before, "a copy holds what was committed before it began");
        before = turns.len();
        copy.commit(&Batch::new().put(Table::Meta, "new", "value"), Durability::Synced).unwrap();
    }
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    let dir = tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("store")).unwrap();
    let there = dir.path().join("there");
    fs::write(&there, "somebody's").unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
    fs::create_dir_all(dir.path().join("blocked.part/inside")).unwrap();
    let before = names(dir.path());

    for name in ["there", "store", "link", "missing/copy", "there/below", "..", "blocked"] {
        let error = store.copy_to(&dir.path().join(name)).unwrap_err();
        assert!(matches!(error, StoreError::Denied(_)), "{name}: {error:?}");
        assert_eq!(names(dir.path()), before, "{name}");
    }
    assert_eq!(fs::read(&there).unwrap(), b"somebody's");
}

#[test]
fn a_copy_onto_a_full_disk_leaves_nothing() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let large = Batch::new().put(Table::Meta, "large", vec![1; 2 << 20]);
    store.commit(&large, Durability::Kept).unwrap();
    drop(store);
    let before = names(dir.path());
    assert_eq!(child::with_files_up_to(1, "copy", &path), ["full"]);
    assert_eq!(names(dir.path()), before);
}

#[test]
fn a_part_that_a_crash_left_is_no_hindrance() {
    let dir = tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("store")).unwrap();
    store.commit(&Batch::new().put(Table::Meta, "key", "value"), Durability::Kept).unwrap();
    fs::write(dir.path().join("copy.part"), "half").unwrap();
    store.copy_to(&dir.path().join("copy")).unwrap();
    drop(store);
    assert_eq!(names(dir.path()), ["copy", "store", "store-lock"]);
    let copy = SqliteStore::open(dir.path().join("copy")).unwrap();
    assert_eq!(copy.get(Table::Meta, b"key").unwrap().as_deref(), Some(b"value".as_slice()));
}
