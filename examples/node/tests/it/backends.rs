//! The owner's list: in which order it is asked, what a question says before anything leaves, and what a no, a standing
//! word and a bad file come to.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::node::{Node, PROGRAM};
use crate::ollama::{self, Server, TINY};
use crate::played::{Played, Reply, typed, whole};
use crate::socks::Socks;
use crate::terminal::Ran;

const KEY: &str = "sk-ant-canary-5e7a";
const SENDS: &str = "Type yes to send it there, anything else to keep it here: ";
/// Nothing is ever there.
const GONE: &str = "http://127.0.0.1:1";

impl Node {
    /// Puts the owner's list in place.
    pub(crate) fn lists(&self, list: &str) {
        fs::write(self.data.path().join("backends.toml"), list).unwrap();
    }

    /// Keeps a key, from a pipe.
    pub(crate) fn keeps(&self, name: &str, key: &str) -> Ran {
        let file = self.data.path().join("a-key");
        fs::write(&file, format!("{key}\nnothing of this\n")).unwrap();
        let mut command = self.command(["secrets", "set", name]);
        let ran = Ran::of(&command.stdin(fs::File::open(&file).unwrap()).output().unwrap());
        fs::remove_file(&file).unwrap();
        ran
    }
}

/// An Ollama server that is gone, and Claude.
fn gone_and(claude: &Played, when: &str, may_receive: &str) -> String {
    format!(
        "when-local-is-down = \"{when}\"\n\n[[backend]]\nkind = \"claude\"\nurl = \"{}\"\nmay-receive = {may_receive}\n\n\
         [[backend]]\nkind = \"ollama\"\nurl = \"{GONE}\"\nmodel = \"tiny:1b\"\n",
        claude.url()
    )
}

fn reads() -> Reply {
    Reply::Calls(vec![("disk_status", json!({})), ("apps_list", json!({}))])
}

#[test]
fn home_answers_first_wherever_it_stands_and_its_own_server_is_told_by_its_name() {
    let node = Node::opened();
    let claude = Played::claude(KEY, []);
    let studio =
        Played::openai("qwen", [Reply::Calls(vec![("disk_status", json!({}))]), Reply::Says("Plenty.")]);
    node.keeps("claude", KEY);
    node.lists(&format!(
        "when-local-is-down = \"use-remote\"\n[[backend]]\nkind = \"claude\"\nurl = \"{}\"\n[[backend]]\nkind = \"openai\"\n\
         name = \"studio\"\nurl = \"{}/v1\"\nmodel = \"qwen\"\n",
        claude.url(),
        studio.url()
    ));
    let ran = node.run(&["ask", "how much space is left?"]);
    let told =
        "│ Plenty.\n\nNothing was changed.\nAnswered by studio qwen on this node; nothing left the node.\n";
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, told, ""));
    assert_eq!((claude.asked().len(), studio.chats().len()), (0, 2));
    let result = studio.chats()[1]["messages"].to_string();
    assert!(result.contains("GB"), "what is open goes to what is at home: {result}");
}

#[test]
fn two_servers_with_one_model_are_told_apart() {
    let node = Node::opened();
    let cellar = Played::openai("qwen", [Reply::Says("From the cellar.")]);
    let listed = |attic: &str| {
        node.lists(&format!(
            "[[backend]]\nkind = \"openai\"\nname = \"attic\"\nurl = \"{attic}/v1\"\nmodel = \"qwen\"\n[[backend]]\nkind = \
             \"openai\"\nname = \"cellar\"\nurl = \"{}/v1\"\nmodel = \"qwen\"\n",
            cellar.url()
        ));
        node.run(&["ask", "write me a poem"])
    };
    let ran = listed(GONE);
    let told = "│ From the cellar.\n\nNothing was changed.\nAnswered by cellar qwen on this node; attic qwen on this node could \
                not be reached; nothing left the node.\n";
    let says = "attic qwen cannot be reached; cellar qwen goes on.\n";
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, told, says));

    let attic = Played::openai("qwen", [Reply::Says("From the attic.")]);
    let ran = listed(&attic.url());
    let told = "│ From the attic.\n\nNothing was changed.\nAnswered by attic qwen on this node; nothing left the node.\n";
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, told, ""));
    assert_eq!((attic.chats().len(), cellar.chats().len()), (1, 1));
}

#[test]
fn an_ollama_server_is_reached_through_a_proxy_that_looks_up_its_name() {
    let node = Node::opened();
    let says = |text| ollama::Reply::Says(text);
    let server = Server::start(&[TINY], [says(&["One."]), says(&["Two."])]);
    let proxy = Socks::to(server.port);
    let list = format!(
        "[[backend]]\nkind = \"ollama\"\nurl = \"http://box.onion:81\"\nlocality = \"own-network\"\nsocks = \"{}\"\n",
        proxy.url()
    );
    node.lists(&list);
    let ran = node.run(&["ask", "write me a poem"]);
    let told = "│ One.\n\nNothing was changed.\nAnswered by ollama tiny:1b on your own network; the conversation went to ollama \
                tiny:1b on your own network and no further.\n";
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, told, ""));
    node.does(&["models", "set", "ollama", "--model", "tiny:1b"]);
    let ran = node.run(&["ask", "write me a poem"]);
    assert!(ran.code == 0 && ran.out.starts_with("│ Two.\n"), "{ran:?}");
    let row = node.json(&["models"])["models"][0].clone();
    assert_eq!(
        (&row["answers_with"], &row["context"], &row["socks"]),
        (&json!("tiny:1b"), &json!(8192), &json!(proxy.url()))
    );
    assert_eq!(proxy.named(), ["box.onion:81"]);
    // Without the proxy nothing is looked up in another way.
    node.lists(&list.replace(&proxy.url(), "socks5h://127.0.0.1:1"));
    let ran = node.run(&["ask", "write me a poem"]);
    let at = "ollama at http://box.onion:81 on your own network could not be reached";
    assert!(ran.code == 5 && ran.out.contains(at), "{ran:?}");
    assert_eq!(node.run(&["doctor", "models"]).code, 1);
}

#[test]
fn those_at_home_are_asked_in_order_and_a_server_that_comes_later_is_found() {
    let node = Node::opened();
    let server = Server::start(&[TINY], [ollama::Reply::Says(&["One."]), ollama::Reply::Says(&["Two."])]);
    let listed = |first: &str, second: &str| {
        node.lists(&format!(
            "[[backend]]\nkind = \"ollama\"\nname = \"a\"\nurl = \"{first}\"\n[[backend]]\nkind = \"ollama\"\nname = \"b\"\n\
             url = \"{second}\"\n"
        ));
        node.run(&["ask", "write me a poem"])
    };
    let ran = listed(&server.url, GONE);
    assert!(ran.out.ends_with("Answered by a tiny:1b on this node; nothing left the node.\n"), "{ran:?}");
    let ran = listed(GONE, &server.url);
    let told = format!(
        "Answered by b tiny:1b on this node; a at {GONE} on this node could not be reached; nothing left the node.\n"
    );
    assert!(ran.out.ends_with(&told), "{ran:?}");
    assert_eq!(ran.err, format!("a at {GONE} cannot be reached; b tiny:1b goes on.\n"));
}

#[test]
fn what_is_said_on_the_command_line_wins_for_that_run() {
    let node = Node::opened();
    let claude = Played::claude(KEY, []);
    node.keeps("claude", KEY);
    node.lists(&gone_and(&claude, "use-remote", "[\"system\"]"));
    let rules = node.run(&["ask", "--no-model", "how much space is left?"]);
    assert!(
        rules.out.ends_with("Answered by phrases on this node; no model was used; nothing left the node.\n"),
        "{rules:?}"
    );
    let server = Server::start(&[TINY], [ollama::Reply::Says(&["Hi."])]);
    let ran = node.run(&["ask", "--ollama", &server.url, "write me a poem"]);
    assert!(
        ran.out.ends_with("Answered by ollama tiny:1b on this node; nothing left the node.\n"),
        "{ran:?}"
    );
    assert_eq!(claude.asked().len(), 0);
}

#[test]
fn a_person_is_asked_before_anything_leaves_and_is_told_what_did() {
    let node = Node::opened();
    let claude = Played::claude(KEY, [reads(), Reply::Says("Enough room.")]);
    node.keeps("claude", KEY);
    node.lists(&gone_and(&claude, "ask", "[\"system\"]"));
    let mut terminal = node.terminal(&["ask", "write me a poem about my disks"]);
    terminal.sees("Send this conversation to a model that is not yours");
    terminal.sees("To: claude claude-sonnet-4-5");
    terminal.sees("Because: ollama tiny:1b: the backend does not answer");
    terminal.sees("Data of the node that may go along: system");
    terminal.sees(SENDS);
    assert_eq!(claude.asked().len(), 0, "nothing has left while it waits");
    terminal.types("yes\n");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("ollama tiny:1b cannot be reached; claude claude-sonnet-4-5 goes on."),
        "{screen}"
    );
    assert!(
        screen.contains("What rests on apps is shown to you and does not go to claude claude-sonnet-4-5.\n"),
        "{screen}"
    );
    assert!(screen.contains("Enough room.\n"), "{screen}");
    let told = "Answered by claude claude-sonnet-4-5 elsewhere; ollama tiny:1b on this node could not be reached; what you \
                said went to claude claude-sonnet-4-5, but nothing of: apps.\nSent to claude claude-sonnet-4-5 in 2 \
                requests: ";
    let after = screen.split_once(told).unwrap_or_else(|| panic!("{screen}")).1;
    assert!(after.ends_with(", data of: system.\n") && after.contains(" messages, "), "{after}");
    let [first, second] = &claude.chats()[..] else { panic!("{:?}", claude.chats()) };
    assert!(first["messages"].to_string().contains("a poem about my disks"), "{first}");
    let results = second["messages"].to_string();
    assert!(results.contains("GB") && !results.contains("Hello"), "{results}");
    let audit = node.does(&["audit"]);
    assert_eq!(audit.matches(" on the way to claude claude-sonnet-4-5").count(), 2, "{audit}");
}

#[test]
fn a_no_keeps_it_here() {
    let node = Node::opened();
    let claude = Played::claude(KEY, []);
    node.keeps("claude", KEY);
    node.lists(&gone_and(&claude, "ask", "[]"));
    let mut terminal = node.terminal(&["ask", "write me a poem"]);
    terminal.sees("Data of the node that may go along: nothing");
    terminal.sees(SENDS);
    terminal.types("no\n");
    let (code, screen) = terminal.ends();
    let told = "Nobody answered; ollama tiny:1b on this node could not be reached; nothing left the node.\n\
                Nothing was sent, so nobody answers this.\n";
    assert!(code == 6 && screen.ends_with(told), "{code} {screen}");

    // Without a terminal nobody can be asked.
    let ran = node.run(&["ask", "write me a poem"]);
    assert_eq!(
        (ran.code, &*ran.err),
        (4, "This needs your yes, and there is no terminal to ask you; nothing was done.\n")
    );
    let told: Value = serde_json::from_str(&node.run(&["ask", "write me a poem", "--json"]).out).unwrap();
    assert_eq!(
        (&told["exit"], &told["crossed"], &told["left_node"]),
        (&json!("needs-person"), &json!([]), &json!(false))
    );
    // What the rules are sure of needs no one else.
    assert_eq!(node.run(&["ask", "how much space is left?"]).code, 0);
    assert_eq!(claude.asked().len(), 0);
}

#[test]
fn what_may_go_there_is_in_the_audit_once_it_has_changed() {
    let node = Node::opened();
    node.keeps("claude", KEY);
    node.lists("[[backend]]\nkind = \"claude\"\nurl = \"http://127.0.0.1:1\"\n");
    let told = || {
        let audit = node.does(&["audit"]);
        let says = |line: &str| line.rsplit_once("  ").map(|(_, says)| says.to_owned());
        let mut lines: Vec<String> =
            audit.lines().filter(|line| line.contains("may go to")).filter_map(says).collect();
        lines.reverse();
        lines
    };
    assert_eq!(told(), [] as [&str; 0]);
    node.does(&["models", "allow", "claude", "system", "apps"]);
    let more = "data of these may go to claude claude-sonnet-4-5 from now on: apps system";
    assert_eq!(told(), [more]);
    node.does(&["ask", "--no-model", "how much space is left?"]);
    assert_eq!(told(), [more]);
    node.does(&["models", "deny", "claude", "--all"]);
    let no_more = "nothing that the node knows may go to claude claude-sonnet-4-5 any more";
    assert_eq!(told(), [more, no_more]);
    let page = node.json(&["audit"]);
    let fact = json!({"may-receive": {"backend": "claude claude-sonnet-4-5", "categories": []}});
    assert_eq!(page["lines"].as_array().unwrap().iter().filter(|line| line["fact"] == fact).count(), 1);
    assert_eq!(node.run(&["audit", "verify"]).code, 0);
}

#[test]
fn the_question_can_be_answered_at_another_terminal() {
    let node = Node::opened();
    let claude = Played::claude(KEY, [Reply::Says("A poem.")]);
    node.keeps("claude", KEY);
    node.lists(&gone_and(&claude, "ask", "[]"));
    let mut terminal = node.terminal(&["ask", "write me a poem"]);
    terminal.sees(SENDS);
    let pending = node.json(&["pending"]);
    let question = &pending["pending"][0];
    assert_eq!(question["call"], Value::Null);
    assert!(
        question["text"].as_str().unwrap().starts_with("Send this conversation to a model that is not yours"),
        "{question}"
    );
    let mut other = node.terminal(&["confirm", question["id"].as_str().unwrap()]);
    other.sees(SENDS);
    other.types("yes\n");
    assert_eq!(other.ends().0, 0);
    terminal.sees("Somebody else has agreed to it.");
    terminal.sees("│ A poem.");
    assert_eq!(terminal.ends().0, 0);
}

#[test]
fn the_standing_word_is_followed() {
    let node = Node::opened();
    let claude = Played::claude(KEY, [Reply::Calls(vec![("disk_status", json!({}))]), Reply::Says("Room.")]);
    node.keeps("claude", KEY);
    node.lists(&gone_and(&claude, "fail", "[\"system\"]"));
    let ran = node.run(&["ask", "write me a poem"]);
    assert_eq!((ran.code, claude.asked().len()), (5, 0), "{ran:?}");
    assert_eq!(
        node.does(&["models", "when-local-is-down", "use-remote"]),
        "When no model at home answers, the remote ones are asked without a question.\n"
    );
    let told = node.json(&["ask", "write me a poem"]);
    let name = "claude claude-sonnet-4-5";
    let [crossed] = &told["crossed"].as_array().unwrap()[..] else { panic!("{told}") };
    let bytes = crossed["bytes"].as_u64().unwrap();
    let expected = json!({"backend": name, "requests": 2, "messages": 4, "bytes": bytes, "holds": ["system"], "arrived": true});
    assert_eq!((crossed, bytes > 20), (&expected, true));
    let switched = json!([{"from": "ollama tiny:1b", "to": name, "why": "unreachable", "leaves": []}]);
    assert_eq!(
        (&told["switched"], &told["left_node"], &told["withheld"]),
        (&switched, &json!(true), &json!([]))
    );
}

#[test]
fn without_a_model_at_home_the_remote_one_is_asked_and_in_a_chat_each_crossing_is_told() {
    let node = Node::opened();
    let claude = Played::claude(KEY, [Reply::Says("Hi."), Reply::Says("Ho.")]);
    node.keeps("claude", KEY);
    node.lists(&format!("[[backend]]\nkind = \"claude\"\nurl = \"{}\"\n", claude.url()));
    let mut chat = node.terminal(&["chat"]);
    chat.sees("you> ");
    chat.types("hello there, friend\n");
    chat.sees("│ Hi.");
    chat.sees("Sent to claude claude-sonnet-4-5: 1 message, ");
    chat.sees(", no data of the node.");
    chat.sees("you> ");
    chat.types("/why\n");
    chat.sees("Answered by claude claude-sonnet-4-5 elsewhere");
    chat.sees("Sent to claude claude-sonnet-4-5: 1 message, ");
    chat.types("/quit\n");
    assert_eq!(chat.ends().0, 0);
    let keys: Vec<bool> =
        claude.asked().iter().map(|asked| asked.head.contains(&format!("x-api-key: {KEY}"))).collect();
    assert_eq!(keys, [true]);
}

#[test]
fn claude_without_a_key_is_not_asked_and_nothing_is_sent() {
    let node = Node::opened();
    let claude = Played::claude(KEY, []);
    node.lists(&gone_and(&claude, "use-remote", "[\"system\"]"));
    let ran = node.run(&["ask", "write me a poem"]);
    let set = format!("{PROGRAM} secrets set claude --data {}", node.data.path().display());
    let says = format!("claude is not asked: it has no key. Set its key with: {set}\n");
    assert!(ran.code == 5 && ran.err.starts_with(&says), "{ran:?}");
    fs::write(node.data.path().join("secrets/claude-api-key"), "two\nlines of canary").unwrap();
    let ran = node.run(&["ask", "write me a poem"]);
    assert!(ran.err.contains("claude-api-key is no key") && !ran.err.contains("canary"), "{ran:?}");
    assert_eq!(claude.asked().len(), 0);
}

#[test]
fn a_context_that_its_owner_set_is_kept_and_shown() {
    let node = Node::fresh();
    let set = node.run(&["models", "set", "ollama", "--context", "8192"]);
    let about = "ollama: the first model that can call tools at http://127.0.0.1:11434, on this node, at most 8192 \
        tokens at once";
    assert_eq!((set.code, set.out.lines().next()), (0, Some(&*format!("{about}."))), "{set:?}");
    let text = fs::read_to_string(node.data.path().join("backends.toml")).unwrap();
    assert!(text.contains("\ncontext = 8192\n"), "{text}");
    let listed = node.run(&["models"]);
    assert!(listed.out.contains(about), "{listed:?}");
}

#[test]
fn a_bad_file_names_its_line_and_nothing_is_started() {
    let node = Node::fresh();
    let path = node.data.path().join("backends.toml");
    let where_ = path.display();
    for (text, says) in [
        (
            "[[backend]]\nkind = \"gpt\"\n",
            "line 2: unknown variant `gpt`, expected one of `ollama`, `claude`, `openai`",
        ),
        (
            "[[backend]]\nkind = \"claude\"\nmay-recieve = []\n",
            "line 3: unknown field `may-recieve`, expected one of `kind`, `name`, `url`, `model`, `locality`, `enabled`, `may-receive`, `socks`, `key`, `context`",
        ),
        (
            "[[backend]]\nkind = \"ollama\"\nurl = \"127.0.0.1\"\n",
            "line 3: a backend's address begins with http:// or https:// and names a host",
        ),
        ("when-local-is-down = \"use-remote\"\nwhen-local-is-down = \"ask\"\n", "line 2: duplicate key"),
    ] {
        node.lists(text);
        let says = format!("archy-node: {where_}, {says}; correct it or move the file away\n");
        for words in [
            &["ask", "hi"][..],
            &["models"],
            &["models", "enable", "claude"],
            &["doctor", "models"],
            &["serve", "--port", "0"],
        ] {
            let ran = node.run(words);
            assert_eq!((ran.code, &ran.err, &*ran.out), (2, &says, ""), "{words:?}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(!node.data.path().join("archy.db").exists());
        assert_eq!(node.run(&["ask", "--no-model", "hi"]).code, 0, "the command line wins");
        node.does(&["down"]);
        fs::remove_file(node.data.path().join("archy.db")).unwrap();
        fs::remove_dir_all(node.data.path().join("secrets")).unwrap();
        fs::remove_file(node.data.path().join("audit-head")).unwrap();
    }
    fs::write(&path, b"\xff\xfe").unwrap();
    assert_eq!(node.run(&["models"]).code, 2);
    fs::write(&path, vec![b'#'; 70_000]).unwrap();
    assert_eq!(
        node.run(&["models"]).err,
        format!("archy-node: {where_} is longer than 65536 bytes; shorten it\n")
    );
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(node.run(&["models"]).err, format!("archy-node: {where_} is no file; move it away\n"));
}

#[test]
fn the_list_is_changed_by_commands_and_the_owners_comments_stay() {
    let node = Node::fresh();
    let path = node.data.path().join("backends.toml");
    assert_eq!(
        node.does(&["models", "allow", "claude", "system", "apps"]),
        "claude: claude-sonnet-4-5 at https://api.anthropic.com, elsewhere; disabled.\n\
         It gets what you say, and, where it is open, data of: apps system.\n"
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(
        &path,
        fs::read_to_string(&path).unwrap().replace("enabled = false", "enabled = false # too dear"),
    )
    .unwrap();
    let ran = node.run(&["models", "enable", "claude"]);
    let set = format!("{PROGRAM} secrets set claude --data {}", node.data.path().display());
    assert_eq!((ran.code, ran.err), (0, format!("It cannot be asked before it has a key: {set}\n")));
    node.does(&[
        "models",
        "set",
        "ollama",
        "--model",
        "qwen3:8b",
        "--url",
        "http://10.0.0.7:11434",
        "--locality",
        "own-network",
    ]);
    node.does(&[
        "models",
        "add",
        "openai",
        "http://127.0.0.1:1234/v1",
        "--name",
        "studio",
        "--model",
        "qwen",
    ]);
    node.does(&["models", "first", "studio"]);
    node.does(&["models", "deny", "claude", "apps"]);
    let told = node.json(&["models", "disable", "studio"]);
    let changed = json!({"name": "studio", "kind": "openai", "url": "http://127.0.0.1:1234/v1", "model": "qwen",
        "locality": "on-node", "enabled": false, "may_receive": []});
    assert_eq!(
        (&told["changed"], &told["names"], &told["restart_needed"]),
        (&changed, &json!(["studio", "ollama", "claude"]), &json!(false))
    );
    let text = fs::read_to_string(&path).unwrap();
    for kept in [
        "# Who answers, in this order.",
        "enabled = true # too dear",
        "may-receive = [\"system\"] # apps, system",
        "# or \"fail\"",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    for (words, says) in [
        (&["models", "enable", "gpt"][..], "\"gpt\" is none of your backends: studio, ollama, claude"),
        (
            &["models", "add", "claude"],
            "two backends are called \"claude\"; give one of them a name; nothing was changed",
        ),
        (&["models", "add", "openai", "--name", "x", "--model", "m"], "x needs a url; nothing was changed"),
        (
            &["models", "set", "claude"],
            "nothing was said to change: --model, --url, --locality, --socks, --key or --context",
        ),
        (
            &["models", "set", "claude", "--context", "512"],
            "a context of 512 tokens holds no conversation; at least 2048; nothing was changed",
        ),
        (
            &["models", "set", "claude", "--locality", "on-node"],
            "Claude runs elsewhere; its locality is \"remote\"; nothing was changed",
        ),
        (
            &["models", "set", "claude", "--key", "sk-ant-CANARY"],
            "key takes the name of a secret, never the key itself; see: archy-node secrets --help; nothing was changed",
        ),
    ] {
        let ran = node.run(words);
        assert_eq!((ran.code, &*ran.err), (2, &*format!("archy-node: {says}\n")), "{words:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    node.does(&["models", "remove", "studio"]);
    assert_eq!(node.json(&["models", "first", "claude"])["names"], json!(["claude", "ollama"]));
}

#[test]
fn the_list_shows_who_is_asked_in_order_and_who_answers_now() {
    let node = Node::fresh();
    let claude = Played::claude(KEY, []);
    let server = Server::start(&[TINY], []);
    node.keeps("claude", KEY);
    node.lists(&format!(
        "[[backend]]\nkind = \"claude\"\nurl = \"{}\"\nmay-receive = [\"system\"]\n[[backend]]\nkind = \"openai\"\nname = \"studio\"\n\
         url = \"{GONE}/v1\"\nmodel = \"qwen\"\nenabled = false\n[[backend]]\nkind = \"ollama\"\nurl = \"{}\"\n",
        claude.url(),
        server.url
    ));
    let out = node.does(&["models"]);
    let expected = format!(
        "1  ollama: the first model that can call tools at {}, on this node\n     answers with tiny:1b; it has tiny:1b\n     \
         gets what you say, and what it looks up in whatever is open\n2  claude: claude-sonnet-4-5 at {}, elsewhere; after \
         your yes, when no model at home answers\n     answers with claude-sonnet-4-5; it has claude-sonnet-4-5\n     gets what \
         you say, and, where it is open, data of: system\n-  studio: qwen at {GONE}/v1, on this node; disabled\n     not \
         looked at\n     gets what you say, and what it looks up in whatever is open\n",
        server.url,
        claude.url()
    );
    assert!(out.starts_with(&expected), "{out}");
    let told = node.json(&["models"]);
    let rows: Vec<Value> = told["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            json!([
                row["place"],
                row["name"],
                row["answers"],
                row["answers_with"],
                row["has_key"],
                row["context"]
            ])
        })
        .collect();
    let expected = [
        json!([1, "ollama", true, "tiny:1b", null, 8192]),
        json!([2, "claude", true, "claude-sonnet-4-5", true, null]),
        json!([null, "studio", null, null, false, null]),
    ];
    assert_eq!(rows, expected, "{told}");
    // Nothing but the list of models was asked for.
    assert!(claude.asked().iter().all(|asked| asked.line == "GET /v1/models?limit=1000"));
    assert_eq!(server.chats(), [] as [Value; 0]);
}

/// An Ollama server that says nothing until it is up, and then has this one model.
fn late(up: &Arc<AtomicBool>, name: &'static str) -> Played {
    let up = Arc::clone(up);
    Played::start(move |asked| {
        if !up.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let able = json!(["completion", "tools"]);
        let lines = |text: &str, done: bool| {
            let message = json!({"role": "assistant", "content": text});
            let mut line = json!({"model": name, "created_at": "2026-11-30T20:00:12Z", "message": message, "done": done});
            if done {
                line["done_reason"] = json!("stop");
            }
            format!("{line}\n")
        };
        match &*asked.line {
            "GET /api/tags" => whole(
                200,
                &json!({"models": [{"name": name, "model": name, "size": 5, "capabilities": able}]}),
            ),
            "POST /api/show" => {
                whole(200, &json!({"capabilities": able, "model_info": {"tiny.context_length": 8192}}))
            }
            "POST /api/chat" => {
                typed(200, "application/x-ndjson", &(lines("Here.", false) + &lines("", true)))
            }
            _ => whole(200, &json!({"version": "0.12.11"})),
        }
    })
}

#[test]
fn a_running_node_finds_a_server_that_comes_later_but_never_a_cloud() {
    for (name, answers) in [("tiny:1b", true), ("gpt-oss:120b-cloud", false)] {
        let node = Node::opened();
        let up = Arc::new(AtomicBool::new(false));
        let server = late(&up, name);
        node.lists(&format!("[[backend]]\nkind = \"ollama\"\nurl = \"{}\"\n", server.url()));
        let mut serving = node.terminal(&["serve", "--port", "0"]);
        serving.sees("The node is running.");
        up.store(true, Ordering::Relaxed);
        let ran = node.run(&["ask", "write me a poem about a canary"]);
        let told = format!("Answered by ollama at {} on this node; nothing left the node.\n", server.url());
        assert_eq!((ran.code, ran.out.ends_with(&told)), (if answers { 0 } else { 5 }, answers), "{ran:?}");
        let sent = format!("{:?}", server.chats());
        assert_eq!(sent.contains("canary"), answers, "{sent}");

        // What is changed meanwhile counts from the next start on.
        let told = "The running node keeps its list until it is started again.\n";
        assert_eq!(node.run(&["models", "disable", "ollama"]).err, told);
        assert_eq!(node.json(&["models", "enable", "ollama"])["restart_needed"], json!(true));
        let kept = node.keeps("claude", KEY);
        assert_eq!(kept.err, "The running node keeps the old one until it is started again.\n");
        serving.interrupt();
        assert_eq!(serving.ends().0, 0);
    }
}
