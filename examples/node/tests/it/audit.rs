//! The audit at the terminal: what it says, what is found when it does not fit, and the owner's way out.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::node::{Node, PROGRAM};

impl Node {
    fn database(&self) -> PathBuf {
        self.data.path().join("archy.db")
    }

    fn acknowledges(&self, types: &str) -> (i32, String) {
        let mut terminal = self.terminal(&["audit", "acknowledge"]);
        terminal.sees("Type yes to go on with it, anything else to leave everything closed: ");
        terminal.types(types);
        terminal.ends()
    }

    fn held(&self) -> String {
        let data = self.data.path().display();
        format!(
            "Everything counts as closed until you have looked at it and say so: \
             {PROGRAM} audit acknowledge --data {data}\n"
        )
    }
}

fn facts(page: &Value) -> Vec<Value> {
    page["lines"].as_array().unwrap().iter().map(|line| line["fact"].clone()).collect()
}

#[test]
fn what_was_opened_is_listed_newest_first_in_parts() {
    let node = Node::fresh();
    node.does(&["grants", "open", "system", "apps"]);
    let page = node.json(&["audit", "--most", "3"]);
    let expected = [json!("opened"), json!({"grant-opened": "apps"}), json!({"grant-opened": "system"})];
    assert_eq!(facts(&page), expected);
    assert_eq!(page["older"], 2);
    let page = node.json(&["audit", "--before", "2"]);
    assert_eq!((facts(&page), &page["older"]), (vec![json!("opened")], &Value::Null));
    let text = node.does(&["audit"]);
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(
        text.ends_with("  the node was started\n") && text.contains("  system was opened by owner\n"),
        "{text}"
    );
    let ran = node.run(&["audit", "--most", "0"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn what_a_person_agreed_to_is_there_with_its_question() {
    let node = Node::opened();
    let mut asked = node.terminal(&["ask", "--no-model", "set the theme to dark"]);
    asked.sees("anything else to leave it: ");
    asked.types("yes\n");
    assert_eq!(asked.ends().0, 0);
    let page = node.json(&["audit", "--most", "4"]);
    let expected = [json!("opened"), json!({"settled": "done"}), json!("executing"), json!("asked")];
    assert_eq!(facts(&page), expected);
    let id = |line: usize| page["lines"][line]["confirmation"].as_str().unwrap();
    assert_eq!((id(1).len(), id(1), id(2)), (32, id(3), id(3)));
}

#[test]
fn a_line_that_was_changed_is_found_by_a_look_at_every_line() {
    let node = Node::opened();
    node.does(&["grants"]);
    let ran = node.run(&["audit", "verify"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert!(
        ran.out.starts_with("The audit is sound: each of its ") && ran.out.lines().count() == 1,
        "{ran:?}"
    );
    let mut bytes = fs::read(node.database()).unwrap();
    let (old, new) = (br#"{"grant-opened":"system"}"#, br#"{"grant-opened":"wallet"}"#);
    let at = bytes.windows(old.len()).position(|part| part == old).unwrap();
    bytes[at..at + old.len()].copy_from_slice(new);
    fs::write(node.database(), bytes).unwrap();
    let ran = node.run(&["audit", "verify"]);
    assert_eq!((ran.code, &*ran.err), (1, ""));
    assert_eq!(ran.out, "The audit is broken: line 2 is not what was written.\n");
    let ran = node.run(&["audit", "verify", "--json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let expected = json!({
        "version": 1,
        "exit": "failed",
        "verified": {"broken": {"line": 2, "flaw": "edited"}},
        "acknowledged": true,
        "says": "The audit is broken: line 2 is not what was written.",
    });
    assert_eq!((ran.code, told), (1, expected));
}

#[test]
fn the_whole_audit_goes_to_a_new_file_of_the_owner_alone() {
    let node = Node::opened();
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("audit.jsonl");
    let name = file.to_str().unwrap();
    assert_eq!(node.does(&["audit", "export", name]), format!("The audit is in {name} now.\n"));
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (head, lines) = lines.split_last().unwrap();
    assert_eq!(head["head"].as_str().unwrap().len(), 2 * 88);
    let seqs: Vec<u64> = lines.iter().map(|line| line["line"]["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=lines.len() as u64).collect::<Vec<_>>());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let ran = node.run(&["audit", "export", name]);
    let says = format!("archy-node: {name} is there already; name a new file\n");
    assert_eq!((ran.code, ran.err), (2, says));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let nowhere = elsewhere.path().join("no/audit.jsonl");
    let ran = node.run(&["audit", "export", nowhere.to_str().unwrap()]);
    let says = format!("archy-node: cannot write {}: it is not there\n", nowhere.display());
    assert_eq!((ran.code, ran.err), (2, says));
}

#[test]
fn an_older_database_is_noticed_and_keeps_everything_closed_until_its_owner_has_looked() {
    let node = Node::opened();
    let older = fs::read(node.database()).unwrap();
    node.does(&["grants", "close", "--all"]);
    fs::write(node.database(), older).unwrap();
    let ran = node.run(&["ask", "--no-model", "how much space is left?"]);
    assert_eq!((ran.code, &*ran.out), (3, ""));
    let (first, second) = ran.err.split_once('\n').unwrap();
    assert!(first.starts_with("The database is an older copy: its audit ends at line "), "{ran:?}");
    assert!(format!("{first}\n").ends_with(&node.held()), "{ran:?}");
    assert_eq!(second, format!("This needs system. {}", node.held()));
    let ran = node.run(&["audit", "acknowledge"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert_eq!(node.acknowledges("no\n").0, 6);
    assert_eq!(node.run(&["audit", "verify"]).code, 1);
    assert_eq!(node.run(&["ask", "--no-model", "how much space is left?"]).code, 3);
    let (code, screen) = node.acknowledges("yes\n");
    assert!(code == 0 && screen.ends_with("Acknowledged.\n"), "{screen}");
    let ran = node.run(&["ask", "--no-model", "how much space is left?"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert_eq!(node.run(&["audit", "verify"]).code, 0);
    assert_eq!(node.does(&["audit", "acknowledge"]), "There is nothing to acknowledge.\n");
    let facts = facts(&node.json(&["audit"]));
    assert!(facts.contains(&json!("acknowledged")), "{facts:?}");
}

#[test]
fn another_key_is_damage_that_is_told_until_it_is_acknowledged() {
    let node = Node::opened();
    fs::write(node.data.path().join("secrets/audit-key"), [7; 32]).unwrap();
    for _ in 0..2 {
        let ran = node.run(&["audit", "verify"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.starts_with("The audit is damaged: the seal after line "), "{ran:?}");
        assert!(ran.out.contains("Those before were found damaged"), "{ran:?}");
    }
    assert_eq!(node.acknowledges("yes\n").0, 0);
    let ran = node.run(&["audit", "verify"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
}

#[test]
fn a_missing_witness_is_told_once() {
    let node = Node::opened();
    fs::remove_file(node.data.path().join("audit-head")).unwrap();
    let says = "The file audit-head is missing or cannot be read, so it cannot be told this time whether the database is \
                an older copy of itself.\n";
    for says in [says, ""] {
        let ran = node.run(&["ask", "--no-model", "how much space is left?"]);
        assert_eq!((ran.code, &*ran.err), (0, says));
    }
}

#[test]
fn what_was_begun_when_the_node_was_killed_is_told_at_the_next_start() {
    let node = Node::slow();
    let mut asked = node.terminal(&["ask", "--no-model", "restart app"]);
    asked.sees("anything else to leave it: ");
    asked.types("yes\n");
    node.wait_for_line("app", "asked");
    asked.signal(Signal::KILL);
    drop(asked);
    fs::write(node.data.path().join("files/go"), "").unwrap();
    let ran = node.run(&["grants"]);
    let says = "Begun before the node stopped, and nobody knows whether it happened: Restart an app; App: “APP” (app); ";
    assert!(ran.code == 0 && ran.err.contains(says), "{ran:?}");
    assert!(!node.run(&["grants"]).err.contains("Begun before"));
    let facts = facts(&node.json(&["audit"]));
    assert!(facts.contains(&json!({"settled": "outcome-unknown"})), "{facts:?}");
}
