//! Several commands and one data directory: one of them has the node, and the others are its clients.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use archy_node::apps::Status;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::node::{Node, wait_for};
use crate::ollama::{Reply, Server, TINY};
use crate::terminal::Terminal;

/// A node that runs until the test ends it.
pub(crate) fn serving(node: &Node) -> Terminal {
    let mut served = node.terminal(&["serve", "--port", "0", "--no-model"]);
    served.sees("The node is running.");
    served
}

#[test]
fn a_running_node_is_used_and_ends_politely() {
    let node = Node::fresh();
    let served = serving(&node);
    node.does(&["grants", "open", "system"]);
    assert!(node.does(&["ask", "disks, how much space is left?"]).contains(" are free on /"));
    let ran = node.run(&["serve", "--port", "0", "--no-model"]);
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
            [(); 12].map(|()| scope.spawn(|| node.run(&["ask", "--no-model", "how much space is left?"])));
        for ask in asks {
            let ran = ask.join().unwrap();
            assert_eq!(ran.code, 0, "{ran:?}");
        }
    });
    assert_eq!(node.json(&["history"])["conversations"].as_array().unwrap().len(), 12);
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

/// A node that asks a model which holds its first replies until the flag is set, and says "Later." once more.
fn held(node: &Node, held: usize) -> (Server, Terminal, Arc<AtomicBool>) {
    let go = Arc::new(AtomicBool::new(false));
    let replies = (0..held).map(|_| Reply::Holds(Arc::clone(&go))).chain([Reply::Says(&["Later."])]);
    let server = Server::start(&[TINY], replies.collect::<Vec<_>>());
    let mut holder = node.terminal(&["serve", "--port", "0", "--ollama", &server.url]);
    holder.sees("The node is running.");
    (server, holder, go)
}

#[test]
fn the_fifth_waits_for_its_turn_and_may_give_up() {
    const WAITS: &str = "The node answers 4 other requests; waiting for one to end. Ctrl-C gives up.";
    let node = Node::opened();
    let (server, holder, go) = held(&node, 4);
    let asks: Vec<Terminal> = (0..4).map(|_| node.terminal(&["ask", "say something"])).collect();
    // The model answers one after the other.
    wait_for("four turns", || node.json(&["history"])["conversations"].as_array().unwrap().len() == 4);
    wait_for("a request", || server.chats().len() == 1);

    let ran = node.run(&["ask", "--wait-within", "0", "me too"]);
    let says =
        "archy-node: the node was busy with 4 other requests for 0 seconds; nothing was said, try again\n";
    assert_eq!((ran.code, &*ran.out, &*ran.err), (8, "", says));
    let mut gives_up = node.terminal(&["ask", "me too"]);
    gives_up.sees(WAITS);
    gives_up.interrupt();
    let (code, screen) = gives_up.ends();
    assert!(code == 130 && screen.ends_with("archy-node: stopped; nothing was said\n"), "{screen}");
    let mut chat = node.terminal(&["chat"]);
    chat.sees("you> ");
    chat.types("and me\n");
    chat.sees(WAITS);
    chat.interrupt();
    chat.sees("stopped; nothing was said");
    chat.sees("you> ");

    let mut fifth = node.terminal(&["ask", "now me"]);
    fifth.sees(WAITS);
    assert_eq!(server.chats().len(), 1);
    go.store(true, Ordering::Relaxed);
    let (code, screen) = fifth.ends();
    assert!(code == 0 && screen.contains("│ Later."), "{screen}");
    for ask in asks {
        let (code, screen) = ask.ends();
        assert!(code == 0 && screen.contains("│ Done."), "{screen}");
    }
    chat.types("/quit\n");
    assert_eq!(chat.ends().0, 0);
    let said = node.json(&["history"])["conversations"].as_array().unwrap().len();
    assert_eq!(said, 5, "who gave up has said nothing");
    holder.signal(Signal::TERM);
    assert_eq!(holder.ends().0, 0);
}

#[test]
fn a_conversation_goes_on_when_the_process_that_had_the_node_leaves() {
    let node = Node::opened();
    let mut first = node.terminal(&["chat", "--no-model"]);
    first.sees("you> ");
    let mut chat = node.terminal(&["chat"]);
    chat.sees("you> ");
    chat.types("how much space is left?\n");
    chat.sees(" are free on /");
    chat.sees("you> ");
    // Half a line is typed when it happens.
    chat.types("how is ");
    first.types("/quit\n");
    let (code, screen) = first.ends();
    assert_eq!(code, 0);
    let told = "The node ends here, and one other command that used it must take it over or end.";
    assert!(screen.contains(told), "{screen}");
    chat.sees("The node that this conversation used has ended; this terminal has it now.");
    chat.sees("you> ");
    chat.types("hello?\n");
    chat.sees("Hello is running");
    chat.types("/history\n");
    chat.sees("> how much space is left?");
    chat.sees("> how is hello?");
    // And the others are its clients now.
    assert_eq!(node.json(&["history"])["conversations"].as_array().unwrap().len(), 1);
    chat.types("/quit\n");
    assert_eq!(chat.ends().0, 0);
}

#[test]
fn a_line_from_a_pipe_is_not_lost_when_the_node_changes_hands() {
    let node = Node::opened();
    let served = serving(&node);
    let mut command = node.command(["chat", "--no-model"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut chat = command.spawn().unwrap();
    let mut keyboard = chat.stdin.take().unwrap();
    keyboard.write_all(b"how much space is left?\n").unwrap();
    let mut out = BufReader::new(chat.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(out.any(|line| line == "Nothing was changed."));
    served.signal(Signal::TERM);
    assert_eq!(served.ends().0, 0);
    keyboard.write_all(b"how is hello?\n").unwrap();
    drop(keyboard);
    let rest: Vec<String> = out.collect();
    assert!(rest.iter().any(|line| line.starts_with("│ Hello is running")), "{rest:?}");
    assert_eq!(chat.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn an_answer_that_was_cut_off_is_told_as_the_journal_has_it() {
    let node = Node::opened();
    let (server, holder, go) = held(&node, 1);
    let mut chat = node.terminal(&["chat", "--no-model"]);
    chat.sees("you> ");
    chat.types("say something\n");
    wait_for("the request", || server.chats().len() == 1);
    holder.signal(Signal::KILL);
    drop(holder);
    chat.sees("this terminal has it now.");
    chat.sees("The answer was cut off; this is known of it:");
    chat.sees("Nothing was changed.");
    chat.sees("you> ");
    chat.types("how much space is left?\n");
    chat.sees(" are free on /");
    chat.types("/quit\n");
    assert_eq!(chat.ends().0, 0);
    go.store(true, Ordering::Relaxed);
    let turns = node.json(&["history", "last"])["turns"].as_array().unwrap().len();
    assert_eq!(turns, 2, "nothing was said twice, and it is one conversation");
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
