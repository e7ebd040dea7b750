//! A copy, the way back, and the end of everything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::Signal;
use serde_json::json;

use crate::node::Node;
use crate::sharing::serving;

const ERASES: &str = "Type yes to erase it for ever, anything else to leave it: ";

/// The names in a directory.
fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whether these bytes stand in any file below.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(path).unwrap().any(|entry| {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            return holds(&entry.path(), bytes);
        }
        kind.is_file() && fs::read(entry.path()).unwrap().windows(bytes.len()).any(|part| part == bytes)
    })
}

#[test]
fn a_copy_is_made_while_the_node_runs_and_can_be_put_back() {
    let node = Node::opened();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy");
    let name = copy.to_str().unwrap();
    node.does(&["ask", "--no-model", "how much space is left?"]);
    let served = serving(&node);
    let out = node.does(&["backup", name]);
    assert_eq!(
        out,
        format!("The copy is {name}. It holds what was said and what is open; keep it to yourself.\n")
    );
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(elsewhere.path()), ["copy"]);
    let ran = node.run(&["backup", name]);
    assert_eq!((ran.code, ran.err), (2, format!("archy-node: {name} is there already; name a new file\n")));
    let ran = node.run(&["restore", name]);
    let says = "archy-node: a node is running on this data directory; end it first\n";
    assert_eq!((ran.code, &*ran.err), (1, says));
    node.does(&["ask", "how is hello?"]);
    node.does(&["grants", "close", "--all"]);
    served.signal(Signal::TERM);
    assert_eq!(served.ends().0, 0);

    let ran = node.run(&["restore", name]);
    let says = "The database is a copy that was put in place on purpose: what was open when it was made is open now.\n";
    assert_eq!((ran.code, &*ran.err), (0, says));
    let aside = ran.out.lines().nth(1).unwrap().strip_prefix("The old database is kept as ").unwrap();
    assert!(aside.contains("/archy.db.until-") && Path::new(aside.trim_end_matches('.')).exists(), "{ran:?}");
    let titles = |node: &Node| {
        let listed = node.json(&["history"]);
        let titles = listed["conversations"].as_array().unwrap().iter().map(|one| one["title"].clone());
        titles.collect::<Vec<_>>()
    };
    assert_eq!(titles(&node), [json!("how much space is left?")]);
    assert_eq!(node.json(&["grants"])["open"], json!(["apps", "system", "files"]));
    let ran = node.run(&["audit", "verify"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    // And back again.
    node.does(&["restore", aside.trim_end_matches('.')]);
    assert_eq!(titles(&node).len(), 2);
    assert_eq!(node.json(&["grants"])["open"], json!([]));
}

#[test]
fn what_is_no_copy_is_not_put_in_place() {
    let node = Node::opened();
    let before = fs::read(node.data.path().join("archy.db")).unwrap();
    let all = names(node.data.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = elsewhere.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let mut newer = before.clone();
    newer[60..64].copy_from_slice(&77_u32.to_be_bytes());
    let damaged = "the store's file is damaged or no store; restore a backup of it";
    for (path, says) in [
        (file("letter", &b"somebody's letter ".repeat(300)), damaged),
        (file("cut", &before[..before.len() / 2]), damaged),
        (file("newer", &newer), "a newer version (store format 77) wrote this store; update this program"),
        (file("empty", b""), "is no copy of a database"),
        (elsewhere.path().to_owned(), "is no copy of a database"),
        (elsewhere.path().join("gone"), "it is not there"),
    ] {
        let ran = node.run(&["restore", path.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{ran:?}");
        let line = ran.err.strip_prefix("archy-node: ").unwrap();
        assert!(line.contains(path.to_str().unwrap()) && line.ends_with(&format!("{says}\n")), "{ran:?}");
        assert_eq!(line.lines().count(), 1, "{ran:?}");
    }
    assert!(fs::read(node.data.path().join("archy.db")).unwrap() == before);
    assert_eq!(names(node.data.path()), all);
}

#[test]
fn everything_that_was_kept_of_the_owner_goes_and_what_is_theirs_stays() {
    let node = Node::opened();
    let canary = "where is the canary of 1889";
    fs::write(node.data.path().join("files/letter.txt"), "mine").unwrap();
    fs::write(node.data.path().join("settings.toml"), "theme = \"dark\"\n").unwrap();
    node.does(&["ask", "--no-model", canary]);
    let old_key = fs::read(node.data.path().join("secrets/audit-key")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy");
    node.does(&["backup", copy.to_str().unwrap()]);
    node.does(&["restore", copy.to_str().unwrap()]);
    assert!(holds(node.data.path(), canary.as_bytes()));

    assert_eq!(node.run(&["erase"]).code, 4);
    let mut terminal = node.terminal(&["erase"]);
    terminal.sees(ERASES);
    terminal.types("no\n");
    assert_eq!(terminal.ends().0, 6);
    assert!(holds(node.data.path(), canary.as_bytes()));

    let served = serving(&node);
    let mut chat = node.terminal(&["chat"]);
    chat.sees("you> ");
    let mut terminal = node.terminal(&["erase"]);
    terminal.sees(ERASES);
    terminal.types("yes\n");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    let (code, screen) = served.ends();
    assert!(code == 0 && screen.contains("Everything was erased. The node ends."), "{screen}");
    let (code, screen) = chat.ends();
    assert!(
        code == 1 && screen.contains("the node that this terminal was connected to has ended"),
        "{screen}"
    );

    assert_eq!(names(node.data.path()), ["apps", "files", "lock", "settings.toml"]);
    assert!(!holds(node.data.path(), canary.as_bytes()));
    assert_eq!(fs::read_to_string(node.data.path().join("files/letter.txt")).unwrap(), "mine");
    let ran = node.run(&["grants", "--json"]);
    assert_eq!(ran.err, "");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["open"], json!([]));
    assert_eq!(node.json(&["history"])["conversations"], json!([]));
    assert_ne!(fs::read(node.data.path().join("secrets/audit-key")).unwrap(), old_key);
}

#[test]
fn nothing_is_erased_while_something_is_being_done() {
    let node = Node::slow();
    let mut asked = node.terminal(&["ask", "--no-model", "restart app"]);
    asked.sees("anything else to leave it: ");
    asked.types("yes\n");
    node.wait_for_line("app", "asked");
    let mut terminal = node.terminal(&["erase"]);
    terminal.sees(ERASES);
    terminal.types("yes\n");
    let (code, screen) = terminal.ends();
    let says = "archy-node: something is being done on the node; try again when it has ended\n";
    assert!(code == 1 && screen.ends_with(says), "{screen}");
    fs::write(node.data.path().join("files/go"), "").unwrap();
    asked.sees("app_restart");
    drop(asked);
    assert_eq!(node.json(&["history"])["conversations"].as_array().unwrap().len(), 1);
}
