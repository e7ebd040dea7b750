//! The owner's page in a real browser: Debian's Chromium, driven by playwright-core. What is looked at is in
//! `adapters/web/tests/*.mjs`; each can be run alone (`ARCHY_NODE=target/debug/archy-node node tests/page.mjs`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::node::PROGRAM;

/// One browser at a time: a home node has two cores, and so may have whoever runs this.
static ONE: Mutex<()> = Mutex::new(());

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../adapters/web").canonicalize().unwrap()
}

/// Fetches what the checks are written with, as locked, once.
fn prepared() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
        assert!(
            there("node") && there("npm") && there("chromium"),
            "the page is tested in a real browser: install node (20 or newer), npm and chromium (Debian's packages nodejs, \
             npm and chromium), and run this again"
        );
        let (locked, fetched) = (web().join("package-lock.json"), web().join("node_modules/.package-lock.json"));
        let newer = |file: &Path| file.metadata().and_then(|about| about.modified()).ok();
        if newer(&fetched).is_none_or(|fetched| newer(&locked).is_some_and(|locked| locked > fetched)) {
            run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]));
        }
    });
}

#[track_caller]
fn run(command: &mut Command) {
    let ran = command.current_dir(web()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    println!("{said}");
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
}

#[track_caller]
fn holds(file: &str) {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    prepared();
    // Beside the program, in the target directory.
    let program = Path::new(PROGRAM);
    let shots = program.parent().and_then(Path::parent).unwrap().join("screenshots");
    run(Command::new("node")
        .arg(format!("tests/{file}"))
        .env("ARCHY_NODE", program)
        .env("ARCHY_SCREENSHOTS", shots));
}

#[test]
fn the_types_of_page_and_frame_fit() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    prepared();
    run(Command::new("npm").args(["run", "--silent", "check"]));
}

#[test]
fn the_page_does_what_a_person_expects() {
    holds("page.mjs");
}

#[test]
fn nothing_leaves_the_frame_by_any_known_way() {
    holds("ways_out.mjs");
}

#[test]
fn nothing_that_a_hostile_frame_says_is_more_than_a_message() {
    holds("bridge.mjs");
}

#[test]
fn no_answer_no_second_tab_and_no_bad_moment_harms_the_page() {
    holds("attacks.mjs");
}
