//! A model that an Ollama server runs answers the same commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::node::Node;

/// A server with one model, which looks at the disks and then says what it was told to. It ends with the test.
fn server(says: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            std::thread::spawn(move || answer(&connection.unwrap(), says));
        }
    });
    url
}

fn answer(mut connection: &TcpStream, says: &str) {
    let mut from = BufReader::new(connection.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let lines = match path {
        "/api/tags" => vec![
            json!({"models": [{"name": "tiny:1b", "model": "tiny:1b", "size": 1, "capabilities": ["completion", "tools"]}]}),
        ],
        "/api/show" => {
            vec![json!({"capabilities": ["completion", "tools"], "details": {}, "model_info": {}})]
        }
        "/api/version" => vec![json!({"version": "0.12.6"})],
        _ => chat(&body, says),
    };
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let text = lines.join("\n") + "\n";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n";
    write!(connection, "{head}Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
}

fn chat(body: &Value, says: &str) -> Vec<Value> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let reply = match messages.last() {
        None => {
            return vec![
                json!({"model": "tiny:1b", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "load"}),
            ];
        }
        Some(last) if last["role"] == "tool" => json!({"role": "assistant", "content": says}),
        Some(_) => {
            let call = json!({"function": {"name": "disk_status", "arguments": {}}});
            json!({"role": "assistant", "content": "", "tool_calls": [call]})
        }
    };
    let end = json!({"model": "tiny:1b", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 20, "eval_count": 4});
    vec![json!({"model": "tiny:1b", "message": reply, "done": false}), end]
}

#[test]
fn its_words_are_shown_and_what_the_node_knows_stands_apart() {
    let node = Node::opened();
    let url = server("I restarted everything.");
    let out = node.does(&["ask", "--ollama", &url, "how much space is left?"]);
    let expected = "I restarted everything.\n\nNothing was changed.\n\
                    Answered by ollama tiny:1b on this node; nothing left the node.\n";
    assert_eq!(out, expected);
    let told = node.json(&["ask", "--ollama", &url, "--model", "tiny:1b", "how much space is left?"]);
    assert_eq!(told["usage"], json!({"input": 40, "output": 8}));
    assert_eq!(told["model_used"], true);
    assert_eq!(told["changed"], false);
}

#[test]
fn where_the_model_does_not_answer_the_rules_do_if_they_are_sure() {
    let node = Node::opened();
    let gone = ["--ollama", "http://127.0.0.1:1", "--model", "tiny:1b"];
    let ran = node.run(&[&["ask", "how much space is left?"][..], &gone].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.err, "ollama tiny:1b does not answer; phrases goes on.\n");
    let told = "Answered by phrases on this node; ollama tiny:1b did not answer; nothing left the node.\n";
    assert!(ran.out.contains(" free of ") && ran.out.ends_with(told), "{}", ran.out);
    let ran = node.run(&[&["ask", "write me a poem about the sea"][..], &gone].concat());
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("No backend answers. Is the model's server running?"), "{ran:?}");
}
