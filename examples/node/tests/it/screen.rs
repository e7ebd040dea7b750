//! What reaches the eyes: nothing that a model, an app or a path says looks like the node's own lines, or acts on the
//! terminal.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::node::{Node, PROGRAM};
use crate::ollama::{Reply, Server, TINY};
use crate::terminal::{Ran, Terminal};

const HERE: &str = "Answered by ollama tiny:1b on this node; nothing left the node.";
const COLUMNS: usize = 40;

/// What a model would say to be taken for the node.
const LOOK_ALIKES: [&str; 9] = [
    "Done.\n  ✓ app_restart\nChanged by app_restart {\"app\":\"hello\"}: hello is now running\n",
    "Answered by ollama tiny:1b on this node; nothing left the node.\n\n",
    "Type yes to do it, anything else to leave it: ",
    "\rNothing was changed.\r\n",
    "\u{8}\u{8}\u{8}\u{1b}[2K\u{1b}[1GNothing was changed.\n",
    "\u{202e}.degnahc saw gnihtoN\u{2028}Nothing was changed.\u{85}Nothing was changed.\n",
    // Padding up to where a terminal of 40 columns would begin a new line.
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx✓ app_restart Nothing was changed. Answered by nobody at all.\n",
    "日本語日本語日本語日本語日本語日本語日本語日本語Nothing was changed.\n",
    "you> restart hello",
];

/// At most so many columns of a terminal.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// Nothing on it acts on a terminal.
fn is_inert(screen: &str) -> bool {
    screen.chars().all(|c| c == '\n' || !(c.is_control() || "\u{202e}\u{2028}\u{200b}".contains(c)))
}

/// The lines that are the node's: those without the mark of an answer.
fn own(screen: &str) -> Vec<&str> {
    screen.lines().filter(|line| !line.starts_with('│')).collect()
}

#[test]
fn no_answer_looks_like_a_line_of_the_nodes() {
    let node = Node::opened();
    let server = Server::start(&[TINY], [Reply::Says(&LOOK_ALIKES), Reply::Says(&LOOK_ALIKES)]);
    let words = ["ask", "--ollama", &server.url, "do something"];
    let (code, screen) = Terminal::of_columns(node.command(words), COLUMNS).ends();
    assert_eq!(code, 0, "{screen}");
    assert!(is_inert(&screen) && screen.lines().all(|line| width(line) <= COLUMNS), "{screen}");
    let (first, rest) = HERE.split_at(HERE.find("node; nothing").unwrap());
    let own_lines = ["", "Nothing was changed.", first.trim(), &format!("        {rest}")];
    assert_eq!(own(&screen), own_lines, "{screen}");

    // The same through a pipe, and read again later.
    let ran = node.run(&["ask", "--ollama", &server.url, "do something"]);
    assert!(is_inert(&ran.out), "{ran:?}");
    assert_eq!(own(&ran.out), ["", "Nothing was changed.", HERE], "{}", ran.out);
    let ran = node.run(&["history", "last"]);
    assert!(is_inert(&ran.out), "{ran:?}");
    assert_eq!(own(&ran.out)[1..], ["> do something", "Nothing was changed.", ""], "{}", ran.out);
    let words = ["history", "--search", "do something"];
    let (_, screen) = Terminal::of_columns(node.command(words), COLUMNS).ends();
    assert!(
        is_inert(&screen) && screen.lines().filter(|line| line.starts_with('│')).count() > 40,
        "{screen}"
    );
    assert!(
        screen.lines().filter(|line| line.starts_with('│')).all(|line| width(line) <= COLUMNS),
        "{screen}"
    );
    let quoted = |line: &&str| *line == "> do something";
    assert_eq!(own(&screen).into_iter().filter(quoted).count(), 2, "{screen}");
    let others = |line: &&str| !quoted(line) && !line.is_empty() && !line.ends_with("GMT");
    let others: Vec<_> = own(&screen).into_iter().filter(others).collect();
    assert!(
        others.len() == 4 && others[0].starts_with("In ") && others[1] == "Nothing was changed.",
        "{others:?}"
    );
}

#[test]
fn what_is_quoted_in_the_nodes_lines_begins_none() {
    let node = Node::opened();
    let fake =
        "x".repeat(30) + " ✓ app_restart Nothing was changed. Changed by app_restart Can be undone: yes";
    let calls = Reply::Calls(vec![("no_such_tool", json!({})), ("file_read", json!({"file": fake}))]);
    let server = Server::start(&[TINY], [calls, Reply::Says(&["No."])]);
    let mut chat = Terminal::of_columns(node.command(["chat", "--ollama", &server.url]), COLUMNS);
    chat.sees("you> ");
    chat.types("read it\n");
    chat.sees("│ No.");
    chat.sees("you> ");
    chat.types("/why\n");
    chat.sees("It cost no money");
    chat.types("/quit\n");
    let (_, screen) = chat.ends();
    let begins =
        |line: &&str| ["✓", "  ✓", "Changed by", "Can be undone"].iter().any(|mark| line.starts_with(mark));
    assert_eq!(screen.lines().filter(begins).collect::<Vec<_>>(), [] as [&str; 0], "{screen}");
    let nothing = screen.lines().filter(|line| line.starts_with("Nothing was changed.")).count();
    assert_eq!(nothing, 2, "the receipt and /why: {screen}");
}

#[test]
fn nothing_that_is_foreign_acts_on_the_terminal() {
    let node = Node::fresh();
    let odd = "/nonexistent\u{1b}[31m\u{9b}1m\u{202e}";
    node.manifest("app", &format!("command = [{}]\nautostart = true", json!(odd)));
    node.manifest("broken", "command = 7 # \u{9b}1m");
    let ran = node.run(&["grants", "open", "apps"]);
    assert!(ran.err.contains("cannot run /nonexistent⟨U+001B⟩[31m"), "{ran:?}");
    let data = node.data.path().join("a\u{1b}[31m\u{9b}b\nc'd");
    let with_data = |words: &[&str]| {
        let output = Command::new(PROGRAM).args(words).arg("--data").arg(&data).stdin(Stdio::null()).output();
        Ran::of(&output.unwrap())
    };
    let mut all = vec![ran, node.run(&["apps"]), node.run(&["apps", "--json"])];
    for words in [
        &["ask", "--no-model", "how much space is left?"][..],
        &["grants", "open", "x\u{1b}[31m\u{9b}m"],
        &["--col\u{1b}[31mour", "\u{9b}m"],
        &["history", "\u{1b}[31m\u{9b}m"],
        &["history", "\u{1b}[31m\u{9b}m", "--json"],
        &["ask", "--ollama", "http://\u{1b}[31m\u{9b}m", "x"],
        &["backup", "/no\u{1b}[31m\u{9b}m/x"],
        &["restore", "/no\u{1b}[31m\u{9b}m/x"],
        &["restore", "/no\u{1b}[31m\u{9b}m/x", "--json"],
        &["cases", "/no\u{1b}[31m", "--node", "\u{9b}m"],
    ] {
        all.push(with_data(words));
    }
    let hint = with_data(&["ask", "--no-model", "how much space is left?"]);
    fs::write(data.join("settings.toml"), "theme = \"\u{9b}1m\\u001b[31m\"\n").unwrap();
    all.push(with_data(&["grants"]));
    let mut erase = node.command(["erase"]);
    erase.arg("--data").arg(&data);
    for ran in &all {
        assert!(is_inert(&ran.err) && is_inert(&ran.out), "{ran:?}");
    }
    // What can be pasted means the same directory.
    let command = hint.err.lines().last().unwrap().split_once(&format!("Open with: {PROGRAM} ")).unwrap().1;
    assert!(is_inert(command), "{command}");
    fs::remove_file(data.join("settings.toml")).unwrap();
    let output = Command::new("bash").args(["-c", &format!("\"$0\" {command}"), PROGRAM]).output().unwrap();
    assert_eq!(Ran::of(&output).out, "Open now: system.\n");
    let told: Value = serde_json::from_str(&with_data(&["grants", "--json"]).out).unwrap();
    assert_eq!(told["open"], json!(["system"]));
}
