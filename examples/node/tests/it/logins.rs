//! Who is let in to the page: links that work once, and sessions of two halves.

use serde_json::{Value, json};

use crate::door::{Halves, Served, call};
use crate::node::{Node, wait_for};
use crate::sharing::serving;

#[test]
fn a_link_logs_in_once_and_what_it_gives_is_given_once() {
    let served = Served::start();
    let answer = served.open(&served.once);
    assert_eq!(answer.status, 200);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let csrf = body["csrf"].as_str().unwrap();
    assert_eq!(body, json!({"csrf": csrf, "theme": "light"}));
    let cookie = answer.header("set-cookie").unwrap();
    let value =
        cookie.strip_prefix(&served.cookie("")).unwrap().strip_suffix("; HttpOnly; SameSite=Strict; Path=/");
    let secrets = [served.once.as_str(), csrf, value.unwrap()];
    for (at, secret) in secrets.iter().enumerate() {
        assert!(secret.len() == 64 && !secrets[..at].contains(secret), "{secret}");
    }
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    for once in [served.once.as_str(), "", "guessed", csrf] {
        let again = served.open(once);
        assert_eq!((again.status, again.header("set-cookie")), (401, None), "{once}");
    }
    let halves = Halves { cookie: value.unwrap().to_owned(), csrf: csrf.to_owned() };
    let known = served.ask("GET /session", &served.of_session(&halves), "");
    assert_eq!((known.status, known.body), (200, json!({"theme": "light"}).to_string()));
    let second = served.logs_in();
    assert!(second.cookie != halves.cookie && second.csrf != halves.csrf);
}

#[test]
fn of_many_who_open_one_link_at_once_one_is_let_in() {
    let served = Served::start();
    let mut statuses = std::thread::scope(|scope| {
        let opens = [(); 8].map(|()| scope.spawn(|| served.open(&served.once).status));
        opens.map(|open| open.join().unwrap())
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401, 401, 401, 401, 401, 401]);
}

#[test]
fn one_half_of_a_session_is_worth_nothing() {
    let served = Served::start();
    let (own, other) = (served.logs_in(), served.logs_in());
    let with = |cookie: &str, csrf: &str| Halves { cookie: cookie.to_owned(), csrf: csrf.to_owned() };
    let says = |halves: &Halves| {
        let mut headers = served.of_session(halves);
        headers.retain(|(_, value)| !value.is_empty() && *value != served.cookie(""));
        let asked = served.ask("POST /rpc", &headers, &call("pending", &json!({})).to_string());
        let protocol = ("sec-websocket-protocol", format!("archy, {}", halves.csrf));
        let socket = served.socket(&[("cookie", served.cookie(&halves.cookie)), protocol]);
        let session = served.ask("GET /session", &headers, "");
        (asked.status, asked.code(), session.status, session.code(), socket.err())
    };
    assert_eq!(says(&own), (200, None, 200, None, None));
    assert_eq!(says(&other), (200, None, 200, None, None));
    let refused = (401, Some(-32050), 401, Some(-32050), Some(401));
    for (what, halves) in [
        ("neither", with("", "")),
        ("the cookie alone", with(&own.cookie, "")),
        ("the header alone", with("", &own.csrf)),
        ("another session's header", with(&own.cookie, &other.csrf)),
        ("another session's cookie", with(&other.cookie, &own.csrf)),
        ("each in the other's place", with(&own.csrf, &own.cookie)),
        ("the cookie twice", with(&own.cookie, &own.cookie)),
        ("a part of the header", with(&own.cookie, &own.csrf[..63])),
        ("a guess", with(&"0".repeat(64), &"0".repeat(64))),
    ] {
        assert_eq!(says(&halves), refused, "{what}");
    }
    // A cookie of the same name that another port has set is no hindrance.
    let mut both = served.of_session(&own);
    both[1].1 = format!(
        "theme=dark; archy-1=of-another-port; {}; {}",
        served.cookie("of-another-program"),
        served.cookie(&own.cookie)
    );
    assert_eq!(served.ask("GET /session", &both, "").status, 200);
    // A header that is there twice is none.
    let twice = [served.of_session(&own), vec![("x-archy-csrf", own.csrf.clone())]].concat();
    assert_eq!(served.ask("GET /session", &twice, "").status, 401);
}

#[test]
fn who_has_logged_out_is_told_nothing_more() {
    let served = Served::of(Node::opened(), &["--no-model"]);
    let (own, other) = (served.logs_in(), served.logs_in());
    let (turn, last) = served.waiting_turn(&own, "restart hello");
    let mut waiting = served.browser_socket(&own);
    let mut idle = served.browser_socket(&own);
    assert_eq!(idle.protocol.as_deref(), Some("archy"));
    let listened = idle.call("listen", &json!({"turn": turn, "after": last}));
    assert!(!listened["result"].is_null(), "{listened}");
    let mut others = served.browser_socket(&other);
    // As many as may wait: that there is no place left shows that all of them do.
    for _ in 0..24 {
        waiting.send(&call("events", &json!({"turn": turn, "after": last, "wait_ms": 25_000})));
    }
    wait_for("all of them to wait", || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        waiting.call("pending", &json!({}))["error"]["code"] == -32053
    });
    let left = served.ask("DELETE /session", &served.of_session(&own), "");
    let gone = served.cookie("") + "; Max-Age=0; HttpOnly; SameSite=Strict; Path=/";
    assert_eq!((left.status, left.header("set-cookie")), (204, Some(&*gone)));
    let refused = json!({"code": -32050, "data": "unauthenticated",
        "message": "log in first: archy-node link, on the node, prints a link"});
    for _ in 0..24 {
        assert_eq!(waiting.next().unwrap()["error"], refused);
    }
    assert_eq!((waiting.next(), idle.next()), (None, None), "both are closed");
    let asked = served.ask("POST /rpc", &served.of_session(&own), &call("pending", &json!({})).to_string());
    assert_eq!((asked.status, asked.code()), (401, Some(-32050)));
    assert_eq!(served.ask("DELETE /session", &served.of_session(&own), "").status, 401);
    assert!(!others.call("pending", &json!({}))["result"].is_null(), "the other one is still there");
}

#[test]
fn guesses_are_few() {
    let mut served = Served::start();
    let mut tries = 0;
    wait_for("an end of tries", || {
        let status = served.open("guess").status;
        tries += 1;
        assert!(status == 429 || status == 401, "{status}");
        status == 429
    });
    assert!(tries > 10, "a person may mistype");
    let (_, log) = served.ends();
    assert!(
        log.contains("not logged in refused=Link") && log.contains("not logged in refused=TooMany"),
        "{log}"
    );
}

#[test]
fn a_link_needs_a_node_that_serves_a_page() {
    let node = Node::fresh();
    let alone = node.run(&["link"]);
    assert_eq!((alone.code, alone.out.as_str()), (1, ""));
    let says = "archy-node: no node is running on this data directory; start it with: ";
    assert!(alone.err.starts_with(says) && alone.err.contains(" serve --data "), "{alone:?}");
    assert!(!node.data.path().join("archy.db").exists(), "and none was opened for it");
    let mut without = node.terminal(&["serve", "--no-page", "--no-model"]);
    without.sees("The node is running.");
    let no_page = node.run(&["link"]);
    assert_eq!(no_page.code, 1);
    let says = "archy-node: the running node serves no page; end it, and start it with: serve\n";
    assert_eq!(no_page.err, says);
    without.interrupt();
    let (code, screen) = without.ends();
    assert!(code == 0 && !screen.contains("Its page is at"), "{screen}");
    let served = serving(&node);
    let (text, told) = (node.does(&["link"]), node.json(&["link"]));
    let page = |link: &str| link.split_once("#once=").unwrap().0.to_owned();
    assert_eq!(page(&text), page(told["link"].as_str().unwrap()));
    assert_ne!(text.trim_end(), told["link"], "each is another one");
    drop(served);
}

#[test]
fn the_log_says_who_came_and_no_secret() {
    let mut served = Served::of(Node::fresh(), &["--no-model", "--verbose"]);
    let halves = served.logs_in();
    served.call(&halves, "chat", &json!({"text": "a word between us"}));
    served.ask("GET /aiui/?secret-query", &[], "");
    served.ask("POST /rpc", &[("origin", "http://evil.example".to_owned())], "");
    served.ask("GET /nowhere\u{7f}", &[], "");
    served.ask("DELETE /session", &served.of_session(&halves), "");
    let secrets = [served.once.clone(), halves.cookie, halves.csrf];
    let (code, log) = served.ends();
    assert_eq!(code, 0);
    for line in [
        "serving the page page=\"http://127.0.0.1:",
        "logged in\n",
        "answered method=POST path=\"/session\" status=200 ms=",
        "answered method=POST path=\"/rpc\" status=200 ms=",
        "answered method=GET path=\"/aiui/\" status=200 ms=",
        "refused method=POST path=\"/rpc\" status=403 reason=\"this is only for the node's own page\"",
        "logged out\n",
        "the page is served no more\n",
    ] {
        assert!(log.contains(line), "{line} in {log}");
    }
    for secret in
        secrets.iter().map(String::as_str).chain(["secret-query", "a word between us", "evil.example"])
    {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}
