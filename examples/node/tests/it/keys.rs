//! Keys of backends: set without being seen, kept for their owner alone, and shown by nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::node::Node;
use crate::played::{Played, Reply, whole};
use crate::terminal::Ran;

const CANARY: &str = "sk-ant-canary-9b1f4c";

#[test]
fn a_key_is_typed_unseen() {
    let node = Node::fresh();
    let mut terminal = node.terminal(&["secrets", "set", "claude"]);
    terminal.sees("The key, which is not shown: ");
    terminal.types(&format!("{CANARY}\n"));
    terminal.sees("The key claude is set.");
    let (code, screen) = terminal.ends();
    assert_eq!((code, screen.contains("canary")), (0, false), "{screen}");
    let path = node.data.path().join("secrets/claude-api-key");
    assert_eq!(fs::read_to_string(&path).unwrap(), CANARY);
    let mode = |name: &str| fs::metadata(node.data.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("secrets"), mode("secrets/claude-api-key")), (0o700, 0o600));

    // Ctrl-C leaves the old one, and the terminal shows again what is typed.
    let mut terminal = node.terminal(&["secrets", "set", "claude"]);
    terminal.sees("The key, which is not shown: ");
    terminal.types("another");
    terminal.interrupt();
    assert_eq!(terminal.ends().0, 130);
    assert_eq!(fs::read_to_string(&path).unwrap(), CANARY);
}

#[test]
fn a_key_is_one_line_of_standard_input_and_never_an_argument_or_of_the_environment() {
    let node = Node::fresh();
    let ran = node.keeps("openrouter", &format!("  {CANARY}\r"));
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "The key openrouter is set.\n", ""));
    assert_eq!(fs::read_to_string(node.data.path().join("secrets/openrouter-api-key")).unwrap(), CANARY);
    let told = node.json(&["secrets", "list"]);
    let set = told["secrets"][0]["set"].as_u64().unwrap();
    assert_eq!(
        (told, set > 0),
        (json!({"version": 1, "secrets": [{"name": "openrouter", "set": set}]}), true)
    );

    let argument = node.run(&["secrets", "set", "claude", CANARY]);
    assert!(argument.code == 2 && argument.err.contains("not taken from the command line"), "{argument:?}");
    let instead = node.run(&["secrets", "set", "sk-ant-api03-CANARY_canary"]);
    assert!(instead.code == 2 && instead.err.contains("that is no name of a key"), "{instead:?}");
    let mut command = node.command(["secrets", "set", "claude"]);
    command.env("ANTHROPIC_API_KEY", CANARY).env("CLAUDE_API_KEY", CANARY).stdin(Stdio::null());
    let environment = Ran::of(&command.output().unwrap());
    assert_eq!(
        (environment.code, &*environment.err),
        (2, "archy-node: what was given is empty; nothing was changed\n")
    );
    for ran in [&argument, &instead] {
        assert!(!format!("{ran:?}").to_lowercase().contains("canary"), "{ran:?}");
    }
    for (key, why) in [
        ("two words", "is no key: it has spaces, line breaks or characters that no key has"),
        ("é", "is no key: it has spaces, line breaks or characters that no key has"),
        (&*"x".repeat(5000), "is too long for a key"),
    ] {
        let ran = node.keeps("claude", key);
        assert_eq!(
            (ran.code, ran.err),
            (2, format!("archy-node: what was given {why}; nothing was changed\n"))
        );
    }
    assert!(!node.data.path().join("secrets/claude-api-key").exists());
}

#[test]
fn a_command_line_that_may_hold_a_key_is_not_said_back() {
    let node = Node::fresh();
    let (joined, data) = (format!("--key={CANARY}"), node.data.path().join("ask"));
    for words in [
        &["secrets", CANARY][..],
        &["secrets", "set", "claude", CANARY],
        &["secrets", "set", "claude", "--key", CANARY],
        &["secrets", "set", "claude", &joined],
        &["secrets", "set", "--name", CANARY],
        &["secrets", "--name", CANARY],
        &["secrets", "remove", CANARY],
        &["secrets", "remove", "claude", CANARY],
        &["secrets", "list", CANARY],
        &["secrets", "list", "--decide-within", CANARY],
        &["--wait-within", CANARY, "secrets", "list"],
        &["--data", data.to_str().unwrap(), "secrets", CANARY],
        &["help", "secrets", CANARY],
        &[CANARY, "secrets"],
    ] {
        for words in [words, &[&["--json"], words].concat()] {
            let ran = node.run(words);
            assert!(ran.code == 2 && !ran.err.is_empty(), "{words:?} {ran:?}");
            assert!(!format!("{ran:?}").contains("canary"), "{words:?} {ran:?}");
        }
    }
    let ran = node.run(&["secrets", CANARY, "--json"]);
    let says = "error: this command line cannot be read, and is not said back, because it may hold a key";
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.err.lines().next(), &document["error"]), (Some(says), &json!(says)));
    // Others are: what is wrong is easier to see so.
    assert!(node.run(&["grants", "opne"]).err.contains("'opne'"));
}

#[test]
fn keys_are_removed_by_name_and_by_erase() {
    let node = Node::opened();
    for name in ["claude", "openrouter"] {
        node.keeps(name, CANARY);
    }
    assert_eq!(node.does(&["secrets", "remove", "claude"]), "The key claude is removed.\n");
    let again = node.run(&["secrets", "remove", "claude"]);
    assert_eq!(
        (again.code, &*again.err),
        (2, "archy-node: there is no key of that name; see: archy-node secrets list\n")
    );
    // The key that seals the audit is none of them.
    assert_eq!(node.run(&["secrets", "remove", "../secrets/audit-key"]).code, 2);
    assert_eq!(node.run(&["audit", "verify"]).code, 0);
    node.does(&["models", "allow", "claude", "system"]);
    let mut terminal = node.terminal(&["erase"]);
    terminal.sees("who answers (backends.toml)");
    terminal.sees("Type yes to erase it for ever");
    terminal.types("yes\n");
    assert_eq!(terminal.ends().0, 0);
    assert!(!node.data.path().join("secrets").exists() && !node.data.path().join("backends.toml").exists());
    assert_eq!(node.json(&["secrets", "list"])["secrets"], json!([]));
}

#[test]
fn a_key_that_others_could_read_is_closed_to_them_and_told() {
    let node = Node::opened();
    node.keeps("claude", CANARY);
    let path = node.data.path().join("secrets/claude-api-key");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = node.run(&["grants"]);
    let says = format!("{} was open to others on this machine; it is for you alone now.\n", path.display());
    assert_eq!((ran.err, fs::metadata(&path).unwrap().permissions().mode() & 0o777), (says, 0o600));
}

/// A vendor that says the key back wherever it can.
fn parrot(asked: &crate::played::Asked) -> Vec<u8> {
    let key = asked.head.lines().find(|line| line.contains("canary")).unwrap_or_default().to_owned();
    let error = json!({"type": "authentication_error", "message": format!("no such key: {key} {CANARY}")});
    whole(401, &json!({"type": "error", "error": error}))
}

#[test]
fn no_command_shows_a_key() {
    let node = Node::opened();
    let claude = Played::start(parrot);
    let studio = Played::start(parrot);
    for name in ["claude", "studio"] {
        node.keeps(name, CANARY);
    }
    node.lists(&format!(
        "[[backend]]\nkind = \"claude\"\nurl = \"{}\"\n[[backend]]\nkind = \"openai\"\nname = \"studio\"\nurl = \"{}/v1\"\n\
         model = \"qwen\"\nlocality = \"remote\"\n",
        claude.url(),
        studio.url()
    ));
    let copy = node.data.path().join("copy");
    let export = node.data.path().join("export");
    let mut said = Vec::new();
    for words in [
        &["ask", "write me a poem"][..],
        &["ask", "how much space is left?"],
        &["models"],
        &["doctor", "models"],
        &["secrets", "list"],
        &["models", "enable", "claude"],
        &["models", "set", "studio", "--model", "m"],
        &["history"],
        &["history", "last"],
        &["history", "--export", "last"],
        &["audit"],
        &["audit", "export", export.to_str().unwrap()],
        &["audit", "verify"],
        &["backup", copy.to_str().unwrap()],
        &["grants"],
        &["tools"],
        &["pending"],
        &["apps"],
        &["secrets", "remove", "nobody"],
    ] {
        said.push(node.run(words));
        let _ = fs::remove_file(&copy);
        let _ = fs::remove_file(&export);
        said.push(node.run(&[words, &["--json"]].concat()));
    }
    said.push(node.keeps("claude", CANARY));
    for ran in &said {
        assert!(!format!("{ran:?}").contains("canary"), "{ran:?}");
    }
    // They were sent, each to its own server, and refused.
    assert!(claude.asked().iter().all(|asked| asked.head.contains(&format!("x-api-key: {CANARY}\r\n"))));
    assert!(
        studio
            .asked()
            .iter()
            .all(|asked| asked.head.contains(&format!("authorization: bearer {CANARY}\r\n")))
    );
    assert!(claude.chats().len() >= 2 && studio.chats().len() >= 2);
    let bodies: Vec<Value> = claude.chats().into_iter().chain(studio.chats()).collect();
    assert!(!format!("{bodies:?}").contains("canary"));
    // And they lie in their own files alone.
    let holds = |name: &std::path::Path| fs::read(name).unwrap().windows(6).any(|part| part == b"canary");
    let mut found: Vec<String> = Vec::new();
    let mut folders = vec![node.data.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && holds(&entry.path()) {
                found.push(entry.file_name().into_string().unwrap());
            }
        }
    }
    found.sort();
    assert_eq!(found, ["claude-api-key", "studio-api-key"]);
}

#[test]
fn each_backend_is_given_its_own_key() {
    let node = Node::opened();
    let claude = Played::claude(CANARY, [Reply::Says("Hi.")]);
    let other = Played::start(|_| whole(500, &json!({"error": {"message": "no"}})));
    node.keeps("claude", CANARY);
    node.lists(&format!(
        "[[backend]]\nkind = \"openai\"\nname = \"other\"\nurl = \"{}/v1\"\nmodel = \"m\"\nlocality = \"remote\"\n[[backend]]\n\
         kind = \"claude\"\nname = \"work\"\nkey = \"claude\"\nurl = \"{}\"\n",
        other.url(),
        claude.url()
    ));
    let ran = node.run(&["ask", "write me a poem"]);
    assert!(ran.out.contains("Answered by work claude-sonnet-4-5 elsewhere"), "{ran:?}");
    assert!(
        other
            .asked()
            .iter()
            .all(|asked| !asked.head.contains("canary") && !asked.head.contains("authorization"))
    );
}

#[test]
fn help_for_who_says_nothing_stands_in_columns() {
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_archy-node")).output().unwrap();
    let err = String::from_utf8(ran.stderr).unwrap();
    assert_eq!((ran.status.code(), ran.stdout.len()), (Some(2), 0));
    assert!(err.contains("\n  4 a person is needed and there is no terminal") && !err.contains('⟨'), "{err}");
}
