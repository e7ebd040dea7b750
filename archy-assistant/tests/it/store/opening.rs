//! What can be opened, and that what cannot stays as it is.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use archy_assistant::{Batch, Durability, SqliteStore, Store, StoreError, Table};
use rusqlite::Connection;
use tempfile::{TempDir, tempdir};

use super::{all, child, pair};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn filled() -> (TempDir, PathBuf) {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let mut batch = Batch::new();
    for number in 0..500_u32 {
        batch = batch.put(Table::Journal, number.to_be_bytes(), vec![1; 300]);
    }
    store.commit(&batch, Durability::Synced).unwrap();
    (dir, path)
}

fn refused(path: &Path) -> StoreError {
    let before = fs::read(path).ok();
    let error = SqliteStore::open(path).expect_err("it must not open");
    assert!(fs::read(path).ok() == before, "{error:?}: the file stays as it is");
    error
}

#[test]
fn everything_is_there_again() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    for round in 0..3_u8 {
        let store = SqliteStore::open(&path).unwrap();
        let expected: Vec<_> = (0..round).map(|before| pair([before], [before; 3])).collect();
        for table in Table::ALL {
            assert_eq!(all(&store, table, b""), expected);
            store.commit(&Batch::new().put(table, [round], [round; 3]), Durability::Kept).unwrap();
        }
    }
}

#[test]
fn only_the_owner_may_read_new_files() {
    let dir = tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("store")).unwrap();
    store.commit(&Batch::new().put(Table::Meta, "key", "value"), Durability::Kept).unwrap();
    let seen = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().mode() & 0o777)
    };
    let mut files: Vec<_> = fs::read_dir(dir.path()).unwrap().map(seen).collect();
    files.sort_unstable();
    let expected = ["store", "store-lock", "store-shm", "store-wal"].map(|name| (name.to_owned(), 0o600));
    assert_eq!(files, expected);
}

#[test]
fn an_empty_file_begins_a_store() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    fs::write(&path, "").unwrap();
    let store = SqliteStore::open(&path).unwrap();
    store.commit(&Batch::new().put(Table::Meta, "key", "value"), Durability::Kept).unwrap();
    assert_eq!(all(&store, Table::Meta, b""), [pair("key", "value")]);
}

#[test]
fn a_store_is_open_once() {
    let (dir, path) = filled();
    let store = SqliteStore::open(&path).unwrap();
    std::os::unix::fs::symlink(&path, dir.path().join("link")).unwrap();
    for path in [path.clone(), dir.path().join("link")] {
        assert!(matches!(SqliteStore::open(&path), Err(StoreError::InUse)), "{path:?}");
    }
    let elsewhere = || child::output(&mut Command::new(std::env::current_exe().unwrap()), "open", &path);
    assert_eq!(elsewhere(), ["in use"]);
    store.commit(&Batch::new().put(Table::Meta, "key", "value"), Durability::Synced).unwrap();
    drop(store);
    assert_eq!(elsewhere(), ["open"]);
}

/// A child process that is just being started has the parent's files, the lock too.
#[test]
fn a_child_process_does_not_keep_the_store_locked() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("store");
    let done = AtomicBool::new(false);
    let start = || {
        while !done.load(Ordering::Relaxed) {
            assert!(Command::new("true").status().unwrap().success());
        }
    };
    thread::scope(|threads| {
        threads.spawn(start);
        let opened: Vec<_> = (0..100).map(|_| SqliteStore::open(&path).map(drop)).collect();
        done.store(true, Ordering::Relaxed);
        assert!(opened.iter().all(Result::is_ok), "{:?}", opened.iter().find(|opened| opened.is_err()));
    });
}

#[test]
fn a_program_that_holds_on_to_it_from_outside_is_named() {
    let (_dir, path) = filled();
    let store = SqliteStore::open(&path).unwrap();
    let mut outside = Connection::open(&path).unwrap();
    let holding = outside.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let batch = Batch::new().put(Table::Meta, "key", "value");
    assert!(matches!(store.commit(&batch, Durability::Kept), Err(StoreError::InUse)));
    assert_eq!(all(&store, Table::Meta, b""), []);
    drop(holding);
    store.commit(&batch, Durability::Kept).unwrap();
}

#[test]
fn a_newer_format_is_left_alone() {
    let (_dir, path) = filled();
    let newer = Connection::open(&path).unwrap();
    // Left in the log, as by a newer version that was killed.
    newer.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    newer.execute_batch("PRAGMA user_version = 7; CREATE TABLE future (key)").unwrap();
    drop(newer);
    let log = path.with_file_name("store-wal");
    let before = fs::read(&log).unwrap();
    assert!(!before.is_empty());
    let error = refused(&path);
    assert!(matches!(error, StoreError::Newer(7)), "{error:?}");
    assert!(fs::read(&log).unwrap() == before, "nor is its log touched");
}

#[test]
fn what_is_no_store_is_left_alone() {
    let (_dir, path) = filled();
    let whole = fs::read(&path).unwrap();
    let changed = |change: &str| {
        fs::write(&path, &whole).unwrap();
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        fs::read(&path).unwrap()
    };
    for (what, bytes) in [
        ("text", b"not a database, but somebody's notes".repeat(300)),
        ("short text", b"hello".to_vec()),
        ("zeros", vec![0; 8192]),
        ("half of it", whole[..whole.len() / 8192 * 4096].to_vec()),
        ("its end cut off", whole[..whole.len() - 100].to_vec()),
        ("only its header", whole[..100].to_vec()),
        ("its first page overwritten", [&vec![7; 4096], &whole[4096..]].concat()),
        ("its tables overwritten", [&whole[..4096], &vec![7; whole.len() - 4096]].concat()),
        ("another program's", changed("PRAGMA application_id = 1")),
        ("without a format", changed("PRAGMA user_version = 0")),
        ("of a negative format", changed("PRAGMA user_version = -1")),
        ("a table missing", changed("DROP TABLE audit")),
        ("a trigger in it", changed("CREATE TRIGGER t INSERT ON meta BEGIN DELETE FROM audit; END")),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = refused(&path);
        assert!(matches!(error, StoreError::Damaged(_)), "{what}: {error:?}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(all(&SqliteStore::open(&path).unwrap(), Table::Journal, b"").len(), 500);
}

#[test]
fn a_log_without_its_file_is_left_alone() {
    let (_dir, path) = filled();
    let log = path.with_file_name("store-wal");
    for bytes in [None, Some("")] {
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        fs::write(&log, "what was said last").unwrap();
        let error = refused(&path);
        assert!(matches!(error, StoreError::Damaged(_)), "{error:?}");
        assert_eq!(fs::read(&log).unwrap(), b"what was said last");
        fs::write(&path, "").unwrap();
    }
}

#[test]
fn a_place_where_no_file_can_be_is_denied() {
    let (dir, path) = filled();
    for place in [dir.path().to_owned(), dir.path().join("missing/store"), path.join("below"), PathBuf::new()]
    {
        let error = refused(&place);
        assert!(matches!(error, StoreError::Denied(_)), "{place:?}: {error:?}");
    }
}

/// Root may write anywhere, so for root another user tries.
#[test]
fn what_may_only_be_read_is_denied() {
    let (dir, path) = filled();
    mode(dir.path(), 0o755);
    let program = dir.path().join("program");
    let this = std::env::current_exe().unwrap();
    fs::hard_link(&this, &program).or_else(|_| fs::copy(&this, &program).map(drop)).unwrap();

    let place = |name: &str, directory: u32, file: Option<u32>| {
        let place = dir.path().join(name);
        fs::create_dir(&place).unwrap();
        if let Some(file) = file {
            fs::copy(&path, place.join("store")).unwrap();
            mode(&place.join("store"), file);
        }
        mode(&place, directory);
        place.join("store")
    };
    for (store, expected) in [
        (place("closed", 0o555, None), "denied"),
        (place("closed with a store", 0o555, Some(0o666)), "denied"),
        (place("unreadable", 0o777, Some(0o000)), "denied"),
        (place("readable", 0o777, Some(0o444)), "denied"),
        (place("open", 0o777, Some(0o666)), "open"),
    ] {
        let mut other = Command::new(&program);
        if fs::metadata(dir.path()).unwrap().uid() == 0 {
            other.uid(65_534).gid(65_534);
        }
        assert_eq!(child::output(&mut other, "open", &store), [expected], "{store:?}");
    }
}
