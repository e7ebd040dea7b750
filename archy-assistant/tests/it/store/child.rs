//! This test program started again as another process, for what only a process of its own can show.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use archy_assistant::{Batch, Durability, Expect, Rows, SqliteStore, Store, StoreError, Table};

const TASK: &str = "ARCHY_TEST_STORE_TASK";

/// How many rows a new process finds; each has its number as key.
fn count(store: &SqliteStore) -> u32 {
    u32::try_from(super::all(store, Table::Journal, b"").len()).unwrap()
}

fn tell(line: &str) {
    // Not `println!`, which the test harness may keep to itself.
    let mut out = io::stdout().lock();
    writeln!(out, "told {line}").unwrap();
    out.flush().unwrap();
}

/// Does `task` in a process whose files may not grow beyond so many MiB, as on a full disk.
pub(crate) fn with_files_up_to(mebibytes: u32, task: &str, store: &Path) -> Vec<String> {
    // Without the trap the signal for it would end the process.
    let limit = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", mebibytes * 2048);
    let mut shell = Command::new("sh");
    shell.args(["-c", &limit]).arg(env::current_exe().unwrap());
    output(&mut shell, task, store)
}

/// Has `program` do `task` in a process of its own, and gives the lines that it told.
pub(crate) fn output(program: &mut Command, task: &str, store: &Path) -> Vec<String> {
    let output = give(program, task, store).output().unwrap();
    told(&String::from_utf8_lossy(&output.stdout)).into_iter().map(str::to_owned).collect()
}

/// The lines that a child told.
pub(crate) fn told(output: &str) -> Vec<&str> {
    output.lines().filter_map(|line| line.split_once("told ").map(|(_, told)| told)).collect()
}

/// Has `program`, or what it starts, do `task` on a store.
pub(crate) fn give<'a>(program: &'a mut Command, task: &str, store: &Path) -> &'a mut Command {
    let mut value = OsString::from(task);
    value.push(":");
    value.push(store);
    program.env(TASK, value).stdin(Stdio::null()).stdout(Stdio::piped()).args([
        "--exact",
        "store::child::a_task_for_another_process",
        "--nocapture",
        "--test-threads=1",
    ])
}

pub(crate) fn value(number: u32) -> Vec<u8> {
    number.to_le_bytes().repeat(1 + number as usize % 700)
}

/// What the task `turn` has written when `last` was its last number: few rows, which it writes again and again.
pub(crate) fn turning(last: u32) -> Rows {
    let row = |number: u32| (vec![place(number)], number.to_le_bytes().repeat(4000));
    let mut rows: Rows = (last.saturating_sub(ROWS - 1)..=last).map(row).collect();
    rows.sort_unstable();
    rows
}

const ROWS: u32 = 64;

fn place(number: u32) -> u8 {
    u8::try_from(number % ROWS).unwrap()
}

fn write(store: &SqliteStore, number: u32, durability: Durability) -> Result<(), StoreError> {
    let row = Batch::new().put(Table::Journal, number.to_be_bytes(), value(number));
    store.commit(&row, durability)
}

/// No test of its own: does what the variable says, nothing without it.
#[test]
fn a_task_for_another_process() {
    #[expect(clippy::disallowed_methods, reason = "the way in from the test that started this process")]
    let Ok(value) = env::var(TASK) else { return };
    let (task, path) = value.split_once(':').unwrap();
    match task {
        "open" => tell(match SqliteStore::open(path) {
            Ok(_) => "open",
            Err(StoreError::Denied(_)) => "denied",
            Err(StoreError::InUse) => "in use",
            Err(_) => "other",
        }),
        "keep" => {
            let store = SqliteStore::open(path).unwrap();
            for number in count(&store).. {
                write(&store, number, Durability::Kept).unwrap();
                tell(&number.to_string());
            }
        }
        "turn" => {
            let store = SqliteStore::open(path).unwrap();
            let written = |row: &(Vec<u8>, Vec<u8>)| u32::from_le_bytes(row.1[..4].try_into().unwrap()) + 1;
            let next = super::all(&store, Table::Journal, b"").iter().map(written).max().unwrap_or(0);
            for number in next.. {
                let durability = if number % 10 == 0 { Durability::Synced } else { Durability::Kept };
                let value = number.to_le_bytes().repeat(4000);
                store.commit(&Batch::new().put(Table::Journal, [place(number)], value), durability).unwrap();
                tell(&number.to_string());
            }
        }
        "outgrow" => {
            let store = SqliteStore::open(path).unwrap();
            let failed = |number: u8| {
                let row = Batch::new().put(Table::Journal, [number], vec![number; 200_000]);
                store.commit(&row, Durability::Kept).err()
            };
            // Enough to be folded.
            assert!((0..25).all(|number| failed(number).is_none()));
            // Changes nothing, so that only folding can be what fails.
            let nothing = Batch::new().expect(Expect::Absent(Table::Journal, vec![0]));
            let told = loop {
                match store.commit(&nothing, Durability::Synced).unwrap_err() {
                    StoreError::Conflict => thread::yield_now(),
                    told => break told,
                }
            };
            assert!(matches!(told, StoreError::Full(_)), "{told:?}");
            let (next, told) = (25..).find_map(|number| failed(number).map(|told| (number, told))).unwrap();
            assert!(matches!(told, StoreError::Full(_)), "{told:?}");
            assert_eq!(count(&store), u32::from(next));
            tell(&next.to_string());
        }
        "copy" => {
            let error = SqliteStore::open(path).unwrap().copy_to(&Path::new(path).with_file_name("copy"));
            tell(if matches!(error, Err(StoreError::Full(_))) { "full" } else { "other" });
        }
        "fill" => {
            let store = SqliteStore::open(path).unwrap();
            let failed = |number: &u32| write(&store, *number, Durability::Synced).err();
            let (number, error) = (0..).find_map(|number| failed(&number).map(|e| (number, e))).unwrap();
            assert!(matches!(error, StoreError::Full(_)), "{error:?}");
            assert_eq!(count(&store), number);
            tell(&number.to_string());
        }
        "sync" => {
            let store = SqliteStore::open(path).unwrap();
            let one = Batch::new().put(Table::Meta, "key", "value");
            for (mark, batch, durability) in [
                ("first", &one, Durability::Synced),
                ("kept", &Batch::new().put(Table::Meta, "other", "value"), Durability::Kept),
                ("kept", &Batch::new().put(Table::Meta, "key", "new"), Durability::Kept),
                ("synced", &Batch::new().put(Table::Meta, "key", "newer"), Durability::Synced),
                ("synced", &Batch::new().put(Table::Meta, "third", "value"), Durability::Synced),
                ("kept", &one, Durability::Kept),
                ("synced", &one, Durability::Synced),
                ("kept", &Batch::new().remove(Table::Meta, "other"), Durability::Kept),
                ("synced", &Batch::new().remove(Table::Meta, "other"), Durability::Synced),
            ] {
                store.commit(batch, durability).unwrap();
                tell(mark);
            }
        }
        other => panic!("no task is called {other}"),
    }
}
