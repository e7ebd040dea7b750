//! How `serve` begins and ends.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::door::{Served, call};
use crate::node::{Node, wait_for};

#[test]
fn a_node_ends_while_somebody_waits_and_leaves_its_database_whole() {
    let mut served = Served::of(Node::opened(), &["--no-model"]);
    let halves = served.logs_in();
    let (turn, last) = served.waiting_turn(&halves, "restart hello");
    let journal = served.node.data.path().join("archy.db-wal");
    assert!(journal.exists());
    let mut idle = served.browser_socket(&halves);
    let mut listening = served.browser_socket(&halves);
    assert!(!listening.call("listen", &json!({"turn": turn, "after": last}))["result"].is_null());
    let mut waiting = served.browser_socket(&halves);
    let wait = json!({"turn": turn, "after": last, "wait_ms": 25_000});
    for _ in 0..23 {
        waiting.send(&call("events", &wait));
    }
    let over_http = {
        let (headers, body) = (served.of_session(&halves), call("events", &wait).to_string());
        std::thread::scope(|scope| {
            let polled = scope.spawn(|| served.ask("POST /rpc", &headers, &body));
            // That there is no place left shows that all of them wait.
            wait_for("all of them to wait", || {
                std::thread::sleep(std::time::Duration::from_millis(50));
                waiting.call("pending", &json!({}))["error"]["code"] == -32053
            });
            served.terminate();
            polled.join().unwrap()
        })
    };
    let stopping = json!({"code": -32059, "data": "stopping", "message": "the node is shutting down"});
    let said: Value = serde_json::from_str(&over_http.body).unwrap();
    assert_eq!((over_http.status, &said["error"]), (200, &stopping));
    for _ in 0..23 {
        assert_eq!(waiting.next().unwrap()["error"], stopping);
    }
    assert_eq!((waiting.next(), idle.next()), (None, None), "both are closed");
    while listening.next().is_some() {}
    let (code, log) = served.ends();
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("the page is served no more"), "{log}");
    assert!(!journal.exists(), "it is closed, in its file alone: nothing held on to it");
}

/// What waits for its end at most five seconds is told that the node goes; what was agreed to is done all the same.
#[test]
fn what_was_agreed_to_is_done_before_the_node_has_ended() {
    let mut served = Served::of(Node::slow(), &["--no-model"]);
    let halves = served.logs_in();
    served.waiting_turn(&halves, "stop app");
    let question = served.call(&halves, "pending", &json!({}))["result"]["confirmations"][0].clone();
    let mut yes = json!({"id": question["id"], "digest": question["digest"]});
    assert_eq!(served.call(&halves, "confirm-shown", &yes)["result"], json!({}));
    yes["decision"] = json!("confirm");
    let mut socket = served.browser_socket(&halves);
    let told = std::thread::scope(|scope| {
        let told = scope.spawn(|| {
            loop {
                let told = socket.call("confirm-tool", &yes);
                // Nobody has read it so fast.
                if told["error"]["code"] != -32058 {
                    return told;
                }
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        });
        served.node.wait_for_line("app", "asked");
        served.terminate();
        told.join().unwrap()
    });
    assert_eq!(
        told["error"],
        json!({"code": -32059, "data": "stopping", "message": "the node is shutting down"})
    );
    std::fs::write(served.node.data.path().join("files/go"), "").unwrap();
    let (code, log) = served.ends();
    assert_eq!(code, 0, "{log}");
    let found = served.node.run(&["audit"]);
    assert!(!found.err.contains("nobody knows whether it happened"), "{found:?}");
    let lines = served.node.json(&["audit"])["lines"].to_string();
    assert!(lines.contains(r#"{"settled":"done"}"#), "{lines}");
}

#[test]
fn a_port_that_is_taken_is_said_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let node = Node::fresh();
    let ran = node.run(&["serve", "--no-model", "--port", &port.to_string()]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let says = format!(
        "archy-node: cannot serve the page at 127.0.0.1:{port}: Address already in use (os error 98); end what listens there, \
         or choose another port with --port N (--port 0 takes a free one)\n"
    );
    assert!(ran.err.ends_with(&says), "{ran:?}");
    // The directory is free again.
    assert_eq!(node.json(&["grants"])["open"], json!([]));
    let ran = node.run(&["serve", "--no-page", "--port", "0"]);
    assert_eq!(ran.code, 2, "a page or none: {ran:?}");
}
