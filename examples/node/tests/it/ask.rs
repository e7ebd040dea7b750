//! What a newcomer does, and how each of it ends.

use archy_node::apps::Status;
use serde_json::json;

use crate::node::{Node, PROGRAM};
use crate::terminal::Terminal;

const RESTART: [&str; 4] = ["ask", "--no-model", "restart", "hello"];
const QUESTION: &str = "Type yes to do it, anything else to leave it: ";

fn pid(node: &Node) -> u32 {
    let Status::Running(running) = node.status("hello") else { panic!("{:?}", node.status("hello")) };
    running.pid
}

#[test]
fn a_closed_category_is_told_with_the_one_command_that_opens_it() {
    let node = Node::fresh();
    let ran = node.run(&["ask", "--no-model", "how much space is left?"]);
    let opens = format!("grants open system --data {}", node.data.path().display());
    assert_eq!((ran.code, &*ran.out), (3, ""));
    assert!(ran.err.ends_with(&format!("Open with: {PROGRAM} {opens}\n")), "{}", ran.err);
    assert_eq!(node.does(&["grants", "open", "system"]), "Open now: system.\n");
    let out = node.does(&["ask", "--no-model", "how much space is left?"]);
    assert!(out.contains(" are free on /"), "{out}");
    let apart = "\n\nNothing was changed.\nAnswered by phrases on this node; no model was used; nothing left the node.\n";
    assert!(out.ends_with(apart), "{out}");
}

#[test]
fn at_a_terminal_the_owner_is_asked_whether_to_open_it() {
    let node = Node::fresh();
    let mut terminal = node.terminal(&["ask", "--no-model", "how much space is left?"]);
    terminal
        .sees("The category system is closed. Opening it lets the assistant see disks, memory and settings");
    terminal.sees("Type yes to open it, anything else to leave it closed: ");
    terminal.types("no\n");
    assert_eq!(terminal.ends().0, 3);
    let mut terminal = node.terminal(&["ask", "--no-model", "how much space is left?"]);
    terminal.sees("leave it closed: ");
    terminal.types("yes\n");
    terminal.sees(" are free on /");
    terminal.sees("Nothing was changed.");
    assert_eq!(terminal.ends().0, 0);
    assert_eq!(node.json(&["grants"])["open"], json!(["system"]));
}

#[test]
fn a_restart_happens_after_a_typed_yes_and_is_told_as_it_was_observed() {
    let node = Node::opened();
    let before = pid(&node);
    let mut terminal = node.terminal(&RESTART);
    for line in ["Restart an app", "App: “Hello” (hello)", "Running since: ", "Depends on it: no other app"]
    {
        terminal.sees(line);
    }
    terminal.sees("Can be undone: no");
    terminal.sees(QUESTION);
    assert_eq!(pid(&node), before);
    terminal.types("yes\n");
    let (code, screen) = terminal.ends();
    let after = pid(&node);
    assert_ne!(before, after);
    assert_eq!(code, 0);
    let told = format!(
        "Changed by app_restart {{\"app\":\"hello\"}}: hello is now running (pid {before} before, pid {after} now).\n\
         Answered by phrases on this node; no model was used; nothing left the node.\n"
    );
    assert!(screen.ends_with(&told), "{screen}");
}

#[test]
fn anything_but_yes_leaves_it() {
    let node = Node::opened();
    let before = pid(&node);
    for answer in ["no\n", "y\n", "yes please\n", "\n", "\u{4}"] {
        let mut terminal = node.terminal(&RESTART);
        terminal.sees(QUESTION);
        terminal.types(answer);
        let (code, screen) = terminal.ends();
        assert_eq!(code, 6, "{answer:?}: {screen}");
        assert!(screen.contains("not done: the person said no"), "{screen}");
    }
    assert_eq!(pid(&node), before);
}

#[test]
fn what_was_typed_before_the_question_could_be_read_does_not_count() {
    let node = Node::opened();
    let before = pid(&node);
    let mut terminal = node.terminal(&RESTART);
    terminal.sees("Restart an app");
    terminal.types("yes\nyes\nye");
    terminal.sees(QUESTION);
    terminal.types("s\n");
    assert_eq!(terminal.ends().0, 6);
    assert_eq!(pid(&node), before);
}

#[test]
fn ctrl_c_at_the_question_leaves_it() {
    let node = Node::opened();
    let before = pid(&node);
    let mut terminal = node.terminal(&RESTART);
    terminal.sees(QUESTION);
    terminal.interrupt();
    let (code, screen) = terminal.ends();
    assert_eq!(code, 130, "{screen}");
    assert_eq!(pid(&node), before);
    let exported = node.does(&["history", "--export", "last"]);
    assert!(exported.contains("not done: the turn was stopped"), "{exported}");
}

#[test]
fn without_a_terminal_nothing_runs() {
    let node = Node::opened();
    let before = pid(&node);
    let ran = node.run(&RESTART);
    let says = "This needs your yes, and there is no terminal to ask you; nothing was done.\n";
    assert_eq!((ran.code, &*ran.err), (4, says));
    assert_eq!(pid(&node), before);
    assert_eq!(node.json(&["pending"]), json!({"version": 1, "pending": []}));
}

#[test]
fn a_document_holds_everything() {
    let node = Node::opened();
    let mut told = node.json(&["ask", "--no-model", "how much space is left?"]);
    for key in ["conversation", "turn"] {
        assert_eq!(told[key].as_str().unwrap().len(), 32);
        told.as_object_mut().unwrap().remove(key);
    }
    assert!(told["answer"].as_str().unwrap().contains(" are free on /"), "{told}");
    told.as_object_mut().unwrap().remove("answer");
    let expected = json!({
        "version": 1,
        "exit": "done",
        "end": "answered",
        "failure": null,
        "closed": [],
        "calls": [{"call": 0, "tool": "disk_status", "args": "{}", "not_done": null}],
        "changed": false,
        "receipts": [],
        "backends": [{"backend": "phrases", "locality": "on-node", "mind": "rules", "answered": true, "gave_up": null}],
        "model_used": false,
        "left_node": false,
        "withheld": [],
        "switched": [],
        "crossed": [],
        "usage": {"input": null, "output": null},
    });
    assert_eq!(told, expected);
}

#[test]
fn what_was_said_is_found_shown_and_forgotten() {
    let node = Node::opened();
    node.does(&["ask", "--no-model", "how much space is left?"]);
    node.does(&["ask", "--no-model", "--continue", "how is hello?"]);
    let listed = node.json(&["history"]);
    let conversations = listed["conversations"].as_array().unwrap();
    assert_eq!(conversations.len(), 1, "{listed}");
    assert_eq!(conversations[0]["title"], "how much space is left?");
    let id = conversations[0]["id"].as_str().unwrap();
    assert!(node.does(&["history", id]).contains("> how is hello?\n"));
    assert_eq!(node.json(&["history", "--search", "SPACE is"])["found"].as_array().unwrap().len(), 1);
    assert_eq!(node.json(&["history", "--export", id])["turns"].as_array().unwrap().len(), 2);
    node.does(&["forget", id]);
    assert_eq!(node.json(&["history"]), json!({"version": 1, "conversations": []}));
    let ran = node.run(&["history", id]);
    assert_eq!((ran.code, &*ran.err), (2, "archy-node: there is no such conversation\n"));
}

#[test]
fn what_is_closed_is_no_failure_of_a_conversation() {
    use std::io::Write;
    let node = Node::fresh();
    let mut command = node.command(["chat", "--no-model"]);
    let command = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"how much space is left?\n").unwrap();
    let ran = crate::terminal::Ran::of(&child.wait_with_output().unwrap());
    assert_eq!((ran.code, &*ran.out), (0, ""));
    assert!(ran.err.contains("This needs the category system, closed so far."), "{ran:?}");
}

const FORGETS: &str = "Type yes to remove it for ever, anything else to keep it: ";

/// A conversation: each step is waited for, then the next is typed.
fn talks(terminal: &mut Terminal, steps: &[(&str, &str)]) {
    for (sees, types) in steps {
        terminal.sees(sees);
        terminal.types(types);
    }
}

#[test]
fn a_conversation_goes_on_after_a_stopped_turn() {
    let node = Node::opened();
    let before = pid(&node);
    let mut terminal = node.terminal(&["chat", "--no-model"]);
    talks(&mut terminal, &[("you> ", "how much space is left?\n")]);
    terminal.sees("… disk_status {}");
    terminal.sees("✓ disk_status");
    terminal.sees(" are free on /");
    talks(&mut terminal, &[("you> ", "restart hello\n")]);
    terminal.sees(QUESTION);
    terminal.interrupt();
    terminal.sees("Stopped.");
    talks(
        &mut terminal,
        &[("you> ", "restart hello\n"), (QUESTION, "yes\n"), ("Changed by app_restart", "")],
    );
    talks(&mut terminal, &[("you> ", "/why\n")]);
    terminal.sees("It rests on app_restart {\"app\":\"hello\"}");
    terminal.sees("nothing left the node.");
    terminal.sees("It cost nothing.");
    talks(&mut terminal, &[("you> ", "/history\n"), ("> how much space is left?", "")]);
    talks(&mut terminal, &[("you> ", "/grants close all\n"), ("Everything is closed now.", "")]);
    talks(&mut terminal, &[("you> ", "/forget\n"), (FORGETS, "no\n"), ("nothing was done", "")]);
    talks(&mut terminal, &[("you> ", "/forget\n"), (FORGETS, "yes\n"), ("The conversation is gone.", "")]);
    talks(&mut terminal, &[("you> ", "")]);
    terminal.interrupt();
    terminal.sees("Ctrl-C again or Ctrl-D leaves.");
    terminal.interrupt();
    assert_eq!(terminal.ends().0, 0);
    assert_ne!(pid(&node), before);
    assert_eq!(node.json(&["history"])["conversations"], json!([]));
}

#[test]
fn a_conversation_can_come_from_a_pipe() {
    use std::io::Write;
    let node = Node::opened();
    let mut child = node
        .command(["chat", "--no-model"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = b"how much space is left?\n\n/nonsense\n\xff\xfe\n".to_vec();
    lines.extend(vec![b'x'; 20_000]);
    lines.extend(b"\nrestart hello\n/quit\nnever said\n");
    child.stdin.take().unwrap().write_all(&lines).unwrap();
    let ran = crate::terminal::Ran::of(&child.wait_with_output().unwrap());
    let expected = "there is no such command here; /help lists them\n\
                    that line is not valid UTF-8\n\
                    a message is 1 to 8192 bytes long\n\
                    This needs your yes, and there is no terminal to ask you; nothing was done.\n";
    assert_eq!((ran.code, &*ran.err), (4, expected));
    assert!(ran.out.contains(" are free on /") && !ran.out.contains("never said"), "{}", ran.out);
}

#[test]
fn what_is_to_be_named_stands_in_capitals_and_one_example_has_real_names() {
    let node = Node::opened();
    let listed = node.does(&["tools"]);
    assert!(listed.contains("  setting_set, after your yes: set the KEY to VALUE\n"), "{listed}");
    assert!(!listed.contains(['{', '…']), "{listed}");
    let said: String = node.json(&["tools"])["tools"].to_string();
    assert!(said.contains("restart APP") && !said.contains("{app}"), "{said}");
    let help = node.does(&["ask", "--no-model", "what can you do?"]);
    assert!(help.contains("\"how is APP\""), "{help}");
    assert!(help.contains(" With names it is, for example: \"what is the hostname\"."), "{help}");
}

#[test]
fn each_line_of_a_conversation_gets_one_document() {
    use std::io::Write;
    let node = Node::opened();
    let mut command = node.command(["chat", "--no-model", "--json"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let lines = [
        ("/why", "error"),
        ("how much space is left?", "answer"),
        ("", ""),
        ("/why", "answer"),
        ("/help", "help"),
        ("/history", "turns"),
        ("/tools", "tools"),
        ("/grants", "closed"),
        ("/grants open nonsense", "error"),
        ("/nonsense", "error"),
        ("restart hello", "receipts"),
        ("/forget", "forgotten"),
        ("/history", "error"),
        ("/new", "conversation"),
    ];
    let typed = lines.map(|(line, _)| line).join("\n") + "\n";
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let ran = crate::terminal::Ran::of(&child.wait_with_output().unwrap());
    let expected: Vec<_> = lines.iter().filter(|(line, _)| !line.is_empty()).collect();
    let documents: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), expected.len(), "{ran:?}");
    for (document, (line, key)) in documents.iter().zip(expected) {
        assert!(document["version"] == 1 && document.get(key).is_some(), "{line}: {document}");
    }
}
