//! Several commands and one data directory: one of them has the node, and the others are its clients.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use archy_node::apps::Status;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::node::{Node, wait_for};
use crate::terminal::Terminal;

/// A node that runs until the test ends it.
pub(crate) fn serving(node: &Node) -> Terminal {
    let mut served = node.terminal(&["serve", "--no-model"]);
    served.sees("The node is running.");
    served
}

#[test]
fn a_running_node_is_used_and_ends_politely() {
    let node = Node::fresh();
    let served = serving(&node);
    node.does(&["grants", "open", "system"]);
    assert!(node.does(&["ask", "disks, how much space is left?"]).contains(" are free on /"));
    let ran = node.run(&["serve", "--no-model"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.ends_with("archy-node: a node is already running on this data directory\n"), "{ran:?}");
    served.signal(Signal::TERM);
    assert_eq!(served.ends().0, 0);
    assert!(!node.data.path().join("node.sock").exists());
    assert_eq!(node.json(&["grants"])["open"], json!(["system"]));
}

#[test]
fn a_killed_node_leaves_nothing_in_the_way() {
    let node = Node::opened();
    let served = serving(&node);
    served.signal(Signal::KILL);
    drop(served);
    assert!(node.data.path().join("node.sock").exists());
    assert_eq!(node.json(&["grants"])["open"], json!(["apps", "system", "files"]));
}

#[test]
fn many_commands_at_once_all_get_their_answer() {
    let node = Node::opened();
    std::thread::scope(|scope| {
        let asks =
            [(); 4].map(|()| scope.spawn(|| node.run(&["ask", "--no-model", "how much space is left?"])));
        for ask in asks {
            let ran = ask.join().unwrap();
            assert_eq!(ran.code, 0, "{ran:?}");
        }
    });
    assert_eq!(node.json(&["history"])["conversations"].as_array().unwrap().len(), 4);
}

#[test]
fn a_question_can_be_answered_at_another_terminal() {
    let node = Node::opened();
    let mut first = node.terminal(&["ask", "--no-model", "restart hello"]);
    first.sees("anything else to leave it: ");
    let pending = node.json(&["pending"]);
    let id = pending["pending"][0]["id"].as_str().unwrap();
    let ran = node.run(&["confirm", id]);
    assert_eq!(ran.code, 4, "{ran:?}");
    let mut second = node.terminal(&["confirm", id]);
    second.sees("Restart an app");
    second.sees("anything else to leave it: ");
    second.types("yes\n");
    let (code, screen) = second.ends();
    assert_eq!(code, 0, "{screen}");
    first.sees("Somebody else has agreed to it, and it is done.");
    let (code, screen) = first.ends();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("Changed by app_restart {\"app\":\"hello\"}: hello is now running"), "{screen}");
}

#[test]
fn a_client_that_is_killed_changes_nothing_for_the_question() {
    let node = Node::opened();
    let served = serving(&node);
    let mut first = node.terminal(&["ask", "restart hello"]);
    first.sees("anything else to leave it: ");
    first.signal(Signal::KILL);
    drop(first);
    let pending = node.json(&["pending"]);
    let id = pending["pending"][0]["id"].as_str().unwrap();
    let mut second = node.terminal(&["confirm", id]);
    second.sees("anything else to leave it: ");
    second.types("no\n");
    assert_eq!(second.ends().0, 6);
    served.signal(Signal::INT);
    assert_eq!(served.ends().0, 0);
}

#[test]
fn those_who_are_cut_off_are_told_on_both_sides() {
    let node = Node::opened();
    let served = serving(&node);
    let mut chat = node.terminal(&["chat"]);
    chat.sees("you> ");
    served.signal(Signal::TERM);
    let (code, screen) = served.ends();
    assert_eq!(code, 0);
    assert!(screen.contains("The node ends, and one other command that used it cannot go on."), "{screen}");
    let (code, screen) = chat.ends();
    assert_eq!(code, 1, "{screen}");
    assert!(screen.contains("the node that this terminal was connected to has ended"), "{screen}");
}

/// A connection that says what it likes.
struct Raw(BufReader<UnixStream>);

impl Raw {
    fn connect(node: &Node) -> Self {
        Self(BufReader::new(UnixStream::connect(node.data.path().join("node.sock")).unwrap()))
    }

    fn says(&mut self, bytes: &[u8]) {
        // The node may have had enough in the middle of it.
        let _ = self.0.get_mut().write_all(bytes);
    }

    /// The next line; `None` where the node has closed.
    fn hears(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(1..) => Some(serde_json::from_str(&line).unwrap()),
            _ => None,
        }
    }
}

#[test]
fn what_is_no_request_is_refused_and_does_no_harm() {
    let node = Node::opened();
    let served = serving(&node);
    let refused = |id: u32, says: &str| {
        Some(json!({"v": 1, "id": id, "body": {"refused": {"exit": "bad-input", "says": says}}}))
    };
    let mut raw = Raw::connect(&node);
    for bytes in [&b"\xff\x00\x01 nonsense\n"[..], b"{}\n", b"{\"v\":1,\"id\":3,\"body\":\"sing\"}\n", b"\n"]
    {
        raw.says(bytes);
        assert_eq!(raw.hears(), refused(0, "that is no request"));
    }
    raw.says(b"{\"v\":2,\"id\":4,\"body\":\"stats\"}\n");
    assert_eq!(raw.hears(), refused(4, "this node speaks version 1 of the protocol"));
    raw.says(b"{\"v\":1,\"id\":5,\"body\":\"grants\"}\n");
    assert_eq!(
        raw.hears(),
        Some(
            json!({"v": 1, "id": 5, "body": {"grants": {"open": ["apps", "system", "files"], "held": false}}})
        )
    );
    raw.says(&vec![b'x'; 1 << 20]);
    assert_eq!(raw.hears(), refused(0, "the request is too long"));
    assert_eq!(raw.hears(), None);
    let mut raw = Raw::connect(&node);
    raw.says(b"{\"v\":1,\"id\":1,\"body\":\"stats\"}\n");
    assert_eq!(
        raw.hears(),
        Some(json!({"v": 1, "id": 1, "body": {"stats": {"turns": 0, "waiting": 0, "unwitnessed": false}}}))
    );
    served.signal(Signal::TERM);
    assert_eq!(served.ends().0, 0);
}

#[test]
fn everything_that_is_kept_is_the_owners_alone() {
    fn walk(path: &Path, wrong: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let directory = entry.file_type().unwrap().is_dir();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            if mode != if directory { 0o700 } else { 0o600 } {
                wrong.push(entry.path());
            }
            if directory {
                walk(&entry.path(), wrong);
            }
        }
    }
    let node = Node::opened();
    let mut asked = node.terminal(&["ask", "--no-model", "set the theme to dark"]);
    asked.sees("anything else to leave it: ");
    asked.types("yes\n");
    assert_eq!(asked.ends().0, 0);
    let served = serving(&node);
    let mut wrong = Vec::new();
    walk(node.data.path(), &mut wrong);
    assert_eq!(wrong, Vec::<PathBuf>::new());
    assert!(node.data.path().join("settings.toml").exists());
    served.signal(Signal::TERM);
    assert_eq!(served.ends().0, 0);
}

#[test]
fn down_stops_the_apps_until_they_are_started_again() {
    let node = Node::opened();
    let out = node.does(&["down"]);
    assert!(out.starts_with("hello is stopped and stays so until you start it: "), "{out}");
    node.does(&["grants"]);
    assert_eq!(node.status("hello"), Status::Stopped);
    assert_eq!(node.does(&["down"]), "No app was running.\n");
    let mut asked = node.terminal(&["ask", "--no-model", "start hello"]);
    asked.sees("anything else to leave it: ");
    asked.types("yes\n");
    assert_eq!(asked.ends().0, 0);
    wait_for("hello", || matches!(node.status("hello"), Status::Running(_)));
}
