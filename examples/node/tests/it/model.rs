//! A model that an Ollama server runs answers the same commands.

use archy_node::apps::Status;
use serde_json::{Value, json};

use crate::node::Node;
use crate::ollama::{Model, Reply, Server, TINY, called};
use crate::terminal::Ran;

const HERE: &str = "Answered by ollama tiny:1b on this node; nothing left the node.\n";

fn looks_at_the_disks() -> Reply {
    Reply::Calls(vec![("disk_status", json!({}))])
}

fn restarts() -> Reply {
    Reply::Calls(vec![("app_restart", json!({"app": "hello"}))])
}

fn asks(node: &Node, server: &Server, text: &str) -> Ran {
    node.run(&["ask", "--ollama", &server.url, text])
}

/// The last message of a request, which is what the model answers to.
fn last(chat: &Value) -> &Value {
    chat["messages"].as_array().unwrap().last().unwrap()
}

#[test]
fn a_call_is_run_and_the_answer_streamed_and_who_answered_is_told() {
    let node = Node::opened();
    let server =
        Server::start(&[TINY], [looks_at_the_disks(), Reply::Says(&["There is ", "enough ", "room."])]);
    let ran = asks(&node, &server, "how much space is left?");
    let expected = format!("│ There is enough room.\n\nNothing was changed.\n{HERE}");
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, &*expected, ""));

    let paths: Vec<String> = server.asked().into_iter().map(|(path, _)| path).collect();
    let chat = "/api/chat";
    assert_eq!(paths, ["/api/tags", "/api/show", "/api/version", chat, chat, chat, chat]);
    let loading = &server.asked()[3].1;
    assert_eq!(loading["messages"], json!([]));
    let chats = server.chats();
    for chat in &chats {
        let kept = ["model", "stream", "truncate", "options"].map(|key| chat[key].clone());
        assert_eq!(kept[..3], [json!("tiny:1b"), json!(true), json!(false)]);
        // What the model was trained for, not the larger default.
        assert_eq!(kept[3]["num_ctx"], 8192);
        assert_eq!(loading["options"]["num_ctx"], 8192, "another context loads the model anew");
    }
    let tools: Vec<&str> = chats[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert!(tools.contains(&"disk_status") && tools.contains(&"app_restart"), "{tools:?}");
    assert!(!tools.contains(&"network_status"), "it is closed: {tools:?}");
    assert_eq!(last(&chats[0])["role"], "user");
    let result = last(&chats[1]);
    assert_eq!((&result["role"], &result["tool_name"]), (&json!("tool"), &json!("disk_status")));
    assert!(result["content"].as_str().unwrap().contains("GB"), "{result}");
}

#[test]
fn its_words_are_shown_and_what_the_node_knows_stands_apart() {
    let node = Node::opened();
    let lies = Reply::Says(&["I restarted everything."]);
    let server = Server::start(&[TINY], [lies, looks_at_the_disks(), Reply::Says(&["Plenty."])]);
    let ran = asks(&node, &server, "restart hello");
    assert_eq!(ran.out, format!("│ I restarted everything.\n\nNothing was changed.\n{HERE}"));
    let told = node.json(&["ask", "--ollama", &server.url, "--model", "tiny:1b", "how much space is left?"]);
    assert_eq!(told["usage"], json!({"input": 40, "output": 8}));
    let backend = json!({"backend": "ollama tiny:1b", "locality": "on-node", "mind": "model", "answered": true, "gave_up": null});
    assert_eq!(told["backends"], json!([backend]));
    let flags = ["model_used", "changed", "left_node"].map(|key| told[key].as_bool().unwrap());
    assert_eq!(flags, [true, false, false]);
}

#[test]
fn what_it_proposes_is_put_to_the_person_in_the_nodes_words() {
    let node = Node::opened();
    let running = || match node.status("hello") {
        Status::Running(running) => running.pid,
        other => panic!("{other:?}"),
    };
    let before = running();
    for (types, code, says) in
        [("no\n", 6, "not done: the person said no"), ("yes\n", 0, "hello is now running")]
    {
        let server = Server::start(&[TINY], [restarts(), Reply::Says(&["All is well."])]);
        let mut terminal = node.terminal(&["ask", "--ollama", &server.url, "it hangs, do something"]);
        terminal.sees("Restart an app");
        terminal.sees("App: “Hello” (hello)");
        terminal.sees("Type yes to do it, anything else to leave it: ");
        assert_eq!((running(), server.chats().len()), (before, 1), "while it waits nothing goes on");
        terminal.types(types);
        let (ended, screen) = terminal.ends();
        assert!(ended == code && screen.contains(says) && screen.ends_with(HERE), "{screen}");
        assert_eq!(running() != before, code == 0);
    }
    let server = Server::start(&[TINY], [restarts()]);
    assert_eq!(asks(&node, &server, "it hangs, do something").code, 4);
}

#[test]
fn a_call_that_there_is_not_or_that_is_closed_is_answered_and_nothing_happens() {
    let node = Node::fresh();
    node.does(&["grants", "open", "system"]);
    let closed_and_unknown = Reply::Calls(vec![
        ("app_restart", json!({"app": "hello"})),
        ("wallet_send", json!({"to": "me", "sats": 21_000_000})),
        ("disk_status", json!({})),
    ]);
    let server = Server::start(&[TINY], [closed_and_unknown, Reply::Says(&["I could not."])]);
    let ran = asks(&node, &server, "how much space is left?");
    let expected = format!("│ I could not.\n\nNothing was changed.\n{HERE}");
    assert_eq!((ran.code, &*ran.out), (0, &*expected), "{ran:?}");
    let chats = server.chats();
    let results: Vec<&Value> =
        chats[1]["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool").collect();
    let content = |at: usize| results[at]["content"].as_str().unwrap().replace("wallet_send", "app_restart");
    assert_eq!(results.len(), 3);
    assert_eq!(content(0), content(1), "what is closed looks like what is not there");
    assert!(content(2).contains("GB"), "{results:?}");
    assert!(matches!(node.status("hello"), Status::Running(_)));
}

#[test]
fn a_server_that_dies_in_the_middle_runs_nothing_and_is_told() {
    let node = Node::opened();
    let says = json!({"role": "assistant", "content": "I am about to "});
    let server =
        Server::start(&[TINY], [Reply::Dies(vec![says, called(0, "app_restart", &json!({"app": "hello"}))])]);
    let ran = asks(&node, &server, "restart hello");
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.out.starts_with("│ I am about to\n\nNothing was changed.\n"), "{ran:?}");
    assert_eq!(ran.err, "The backend's answer was cut off; nothing in it was run.\n");
    assert_eq!(node.json(&["pending"])["pending"], json!([]));
}

#[test]
fn where_the_model_cannot_be_reached_the_rules_answer_if_they_are_sure() {
    let node = Node::opened();
    for (gone, name) in [
        (&["--ollama", "http://127.0.0.1:1", "--model", "tiny:1b"][..], "ollama tiny:1b on this node"),
        (&["--ollama", "http://127.0.0.1:1"], "ollama at http://127.0.0.1:1 on this node"),
        // Not the plain address of this machine, so it counts as anywhere.
        (&["--ollama", "http://127.1:1", "--model", "tiny:1b"], "ollama tiny:1b elsewhere"),
    ] {
        let backend = name.rsplit_once(if name.ends_with("node") { " on this" } else { " else" }).unwrap().0;
        let told = format!(
            "Answered by phrases on this node; {name} could not be reached; nothing left the node.\n"
        );
        for (text, says) in [
            ("how much space is left?", " are free on /"),
            ("hi", "│ Hello. You can say, for instance: "),
            ("what can you do?", "│ You can say, for instance: "),
            ("thanks!", "│ You are welcome."),
            ("send 5 sats to bob", "│ I cannot move money"),
        ] {
            let ran = node.run(&[&["ask", text][..], gone].concat());
            let switched = format!("{backend} cannot be reached; phrases goes on.\n");
            assert_eq!((ran.code, &ran.err), (0, &switched), "{text}");
            assert!(ran.out.contains(says) && ran.out.ends_with(&told), "{}", ran.out);
        }
        let ran = node.run(&[&["ask", "write me a poem about the sea"][..], gone].concat());
        let told = format!(
            "Nothing was changed.\nNobody answered; {name} could not be reached; nothing left the node.\n"
        );
        let says = "No backend answers. Is the model's server running?\n";
        assert_eq!((ran.code, ran.out, &*ran.err), (5, told, says));
        let ran = node.run(&[&["ask", "write me a poem about the sea", "--json"][..], gone].concat());
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        let flags = ["model_used", "changed", "left_node"].map(|key| document[key].as_bool().unwrap());
        assert_eq!(flags, [false; 3], "{document}");
        let backend = &document["backends"][0];
        assert_eq!((&backend["answered"], &backend["gave_up"]), (&json!(false), &json!("unreachable")));
    }
}

#[test]
fn a_server_that_takes_the_connection_and_says_nothing_may_have_got_it() {
    let node = Node::opened();
    let server = Server::start(&[TINY], [Reply::Dies(vec![])]);
    let ran = node.run(&[
        "ask",
        "--ollama",
        &format!("http://127.1:{}", server.port),
        "write me a poem about the sea",
    ]);
    let told = "Nothing was changed.\nNobody answered; ollama tiny:1b elsewhere did not answer; \
                what you said may have gone to ollama tiny:1b.\nMay have been sent to ollama tiny:1b in 2 requests: \
                2 messages, 58 bytes, no data of the node.\n";
    assert_eq!((ran.code, &*ran.out), (5, told), "{ran:?}");
}

#[test]
fn only_a_model_that_can_call_tools_is_chosen() {
    let node = Node::opened();
    let talker =
        Model { name: "talker:70b", size: 40_000_000_000, capabilities: &["completion"], listed: true };
    let old = Model { listed: false, ..talker.clone() };
    let small = Model { listed: false, ..TINY };
    for models in [[talker.clone(), TINY], [old.clone(), small]] {
        let server = Server::start(&models, [Reply::Says(&["Hi."])]);
        let ran = asks(&node, &server, "hello there");
        assert!(ran.code == 0 && ran.out.ends_with(HERE), "{ran:?}");
    }
    for model in [talker, old] {
        let server = Server::start(&[model], []);
        let ran = asks(&node, &server, "how much space is left?");
        let says = format!(
            "archy-node: the server at {} has no model that can call tools; pull one first\n",
            server.url
        );
        assert_eq!((ran.code, &*ran.out, ran.err), (5, "", says));
        // Named, it is asked; where it cannot, the rules answer.
        let ran =
            node.run(&["ask", "--ollama", &server.url, "--model", "talker:70b", "how much space is left?"]);
        assert!(ran.code == 0 && ran.out.contains("Answered by phrases"), "{ran:?}");
        assert_eq!(server.chats(), [] as [Value; 0]);
    }
}

#[test]
fn a_server_elsewhere_gets_what_was_said_and_nothing_of_the_nodes() {
    let node = Node::opened();
    let server = Server::start(&[TINY], [looks_at_the_disks(), Reply::Says(&["I cannot see it."])]);
    // Not the plain address of this machine, so it counts as anywhere.
    let elsewhere = format!("http://127.1:{}", server.port);
    let ran = node.run(&["ask", "--ollama", &elsewhere, "how much space is left?"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains(" are free on /"), "the person is shown it all the same: {ran:?}");
    let told = "Answered by ollama tiny:1b elsewhere; what you said went to ollama tiny:1b, but nothing of: system.\n\
                Sent to ollama tiny:1b in 2 requests: 4 messages, 71 bytes, no data of the node.\n";
    assert!(ran.out.ends_with(told), "{ran:?}");
    assert_eq!(ran.err, "What rests on system is shown to you and does not go to ollama tiny:1b.\n");
    let sent = serde_json::to_string(&server.chats()).unwrap();
    assert!(sent.contains("how much space is left?"), "{sent}");
    assert!(!sent.contains("GB") && !sent.contains("hello"), "{sent}");
}
