//! The methods over the page's door: nothing goes around the session, and nothing too large or too fast is done.

use std::collections::BTreeMap;

use archy_jsonrpc::{LISTEN, METHODS, UNLISTEN};
use serde_json::{Value, json};

use crate::door::{Header, Served, call};

/// The limit of a request.
const LONGEST: usize = 64 * 1024;

fn opens(category: &str) -> Value {
    call("grants", &json!({"do": "open", "category": category}))
}

fn json_type() -> Header {
    ("content-type", "application/json".to_owned())
}

#[test]
fn no_method_answers_who_is_not_logged_in() {
    let served = Served::start();
    let halves = served.logs_in();
    let cookie = ("cookie", served.cookie(&halves.cookie));
    let refused = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32050, "data": "unauthenticated",
        "message": "log in first: archy-node link, on the node, prints a link"}});
    for method in METHODS.into_iter().chain([LISTEN, UNLISTEN, "nothing", "rpc.discover"]) {
        for headers in [vec![json_type()], vec![json_type(), cookie.clone()]] {
            let one = call(method, &json!({}));
            let mut told = one.clone();
            told.as_object_mut().unwrap().remove("id");
            for body in [one.clone(), json!([one]), told, json!("no request at all")] {
                let answer = served.ask("POST /rpc", &headers, &body.to_string());
                let said: Value = serde_json::from_str(&answer.body).unwrap();
                assert_eq!((answer.status, said), (401, refused.clone()), "{body}");
            }
        }
    }
    for headers in [vec![], vec![cookie.clone()], vec![("origin", served.origin()), cookie]] {
        assert_eq!(served.socket(&headers).err(), Some(401), "{headers:?}: so no method is reached");
    }
}

#[test]
fn batches_and_notifications_do_nothing() {
    let served = Served::start();
    let halves = served.logs_in();
    let headers = served.of_session(&halves);
    let mut told = opens("files");
    told.as_object_mut().unwrap().remove("id");
    let no_batches = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32005, "message": "Batched requests are not supported by this server"}});
    let posted = |body: &Value| {
        let answer = served.ask("POST /rpc", &headers, &body.to_string());
        (answer.status, serde_json::from_str::<Value>(&answer.body).ok())
    };
    let mut socket = served.browser_socket(&halves);
    for batch in [json!([opens("apps")]), json!([opens("apps"), opens("apps")]), json!([told]), json!([])] {
        assert_eq!(posted(&batch), (200, Some(no_batches.clone())), "{batch}");
        socket.send(&batch);
        assert_eq!(socket.next(), Some(no_batches.clone()), "{batch}");
    }
    assert_eq!(posted(&told), (200, Some(Value::Null)));
    socket.send(&told);
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"assistant.pending","method":"assistant.grants","params":{"do":"open","category":"wallet"}}"#;
    assert_eq!(served.ask("POST /rpc", &headers, twice).code(), Some(-32600));
    let mut form = headers.clone();
    form[3].1 = "text/plain".to_owned();
    assert_eq!(served.ask("POST /rpc", &form, &opens("notes").to_string()).status, 415);
    assert_eq!(served.ask("GET /rpc", &headers, &opens("notes").to_string()).status, 405);
    // Whatever was done of it was done before this.
    assert_eq!(socket.call("grants", &json!({"do": "read"}))["result"], json!({"open": [], "held": false}));
    assert_eq!(
        served.call(&halves, "grants", &json!({"do": "open", "category": "media"}))["result"]["open"],
        json!(["media"])
    );
}

#[test]
fn what_is_too_long_is_not_read() {
    let served = Served::start();
    let halves = served.logs_in();
    let headers = served.of_session(&halves);
    let padded = |length: usize| {
        let body = opens("files").to_string();
        format!("{body}{}", " ".repeat(length - body.len()))
    };
    let chunked = |body: &str| {
        let mut bytes: Vec<u8> = body
            .as_bytes()
            .chunks(4096)
            .flat_map(|part| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat())
            .collect();
        bytes.extend(b"0\r\n\r\n");
        let headers = [headers.clone(), vec![("transfer-encoding", "chunked".to_owned())]].concat();
        served.ask_raw("POST /rpc", &headers, &bytes)
    };
    for answer in [
        served.ask("POST /rpc", &headers, &padded(LONGEST + 1)),
        chunked(&padded(LONGEST + 1)),
        served.ask_raw(
            "POST /rpc",
            &[headers.clone(), vec![("content-length", "9999999999".to_owned())]].concat(),
            b"",
        ),
    ] {
        assert_eq!((answer.status, answer.code()), (413, Some(-32602)), "{answer:?}");
    }
    let mut socket = served.browser_socket(&halves);
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "assistant.grants",
        "params": {"do": "open", "category": "files"}, "more": " ".repeat(LONGEST)});
    socket.send(&long);
    let refused = socket.next();
    assert!(refused.is_none_or(|refused| refused["error"]["code"] == -32007), "oversized");
    let read = json!({"do": "read"});
    assert_eq!(served.call(&halves, "grants", &read)["result"]["open"], json!([]));
    // What is as long as it may be is done, however it comes.
    assert_eq!(served.ask("POST /rpc", &headers, &padded(LONGEST)).status, 200);
    assert_eq!(chunked(&padded(LONGEST)).status, 200);
    assert_eq!(served.call(&halves, "grants", &read)["result"]["open"], json!(["files"]));
    let login = served.ask("POST /session", &[], &format!("{{\"once\": \"{}\"}}", "a".repeat(5000)));
    assert_eq!(login.status, 400);
}

#[test]
fn who_asks_too_fast_is_told_so() {
    let served = Served::start();
    let (fast, other) = (served.logs_in(), served.logs_in());
    let mut socket = served.browser_socket(&fast);
    for _ in 0..400 {
        socket.send(&call("pending", &json!({})));
    }
    let mut told: BTreeMap<Option<i64>, usize> = BTreeMap::new();
    for _ in 0..400 {
        *told.entry(socket.next().unwrap()["error"]["code"].as_i64()).or_default() += 1;
    }
    assert_eq!(told.keys().copied().collect::<Vec<_>>(), [None, Some(-32053)], "{told:?}");
    assert!(told[&None] >= 24, "{told:?}");
    // The same session over HTTP.
    let mut refused = None;
    crate::node::wait_for("a refusal", || {
        (0..50).any(|_| {
            let answer = served.call(&fast, "pending", &json!({}));
            refused = answer.get("error").cloned();
            refused.is_some()
        })
    });
    let too_much =
        json!({"code": -32053, "data": "rate-limited", "message": "too much at once; try again in a moment"});
    assert_eq!(refused, Some(too_much));
    assert!(served.call(&other, "pending", &json!({}))["error"].is_null(), "each session has its own pace");
}
