//! Whether every method refuses whoever has no session: called one by one and together, over HTTP and over a WebSocket.

use archy_jsonrpc::{LISTEN, METHODS, UNLISTEN};
use serde_json::{Value, json};

use super::ask::{Asker, Said};
use super::check::{Check, State};
use super::socket;
use super::target::Target;

/// What may be there beside the assistant's methods; none of them would change anything.
const OTHERS: [&str; 23] = [
    "content.list",
    "content.search",
    "content.get",
    "content.categories",
    "content.recent",
    "content.cards",
    "content.stream-link",
    "content.list-mine",
    "content.browse-peer",
    "music.list",
    "music.search",
    "music.albums",
    "music.album",
    "music.artists",
    "music.artist",
    "music.tracks",
    "music.playlists",
    "music.recent",
    "music.stats",
    "music.stream-link",
    "rpc.discover",
    "rpc_methods",
    "system.listMethods",
];

/// What the assistant says only to whom it has let in.
const LET_IN: [&str; 5] = ["bad-params", "unknown", "busy", "too-soon", "store"];

const REMEDY: &str = "Stop the node until its host refuses every method without a session, in a batch and over a WebSocket \
                      too: docs/jsonrpc.md says where that is asked";

/// One call that should be refused.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: usize,
    pub(super) method: String,
    params: Value,
}

impl Call {
    pub(super) fn json(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "method": self.method, "params": self.params})
    }
}

/// Every method with parameters that do no harm.
pub(super) fn calls() -> Vec<Call> {
    let own = METHODS.into_iter().chain([LISTEN, UNLISTEN]);
    let own = own.map(|name| (format!("assistant.{name}"), harmless(name)));
    let others = OTHERS.into_iter().map(|name| (name.to_owned(), json!({})));
    own.chain(others).zip(1..).map(|((method, params), id)| Call { id, method, params }).collect()
}

fn harmless(method: &str) -> Value {
    let (id, digest) = ("0".repeat(32), "0".repeat(64));
    match method {
        "chat" => json!({"text": ""}),
        "events" | "listen" | "cancel" => json!({"turn": id}),
        "confirm-shown" => json!({"id": id, "digest": digest}),
        "confirm-tool" => json!({"id": id, "digest": digest, "decision": "deny"}),
        "history" => json!({"do": "list", "most": 1}),
        "grants" => json!({"do": "read"}),
        "audit" => json!({"do": "page", "most": 1}),
        "unlisten" => json!([0]),
        _ => json!({}),
    }
}

/// The methods that were answered, with the assistant's word where they were let in and only their parameters were not.
pub(super) fn answered(calls: &[Call], replies: &[Value]) -> Vec<String> {
    let mut names = Vec::new();
    for reply in replies {
        let call = calls.iter().find(|call| reply["id"] == call.id);
        let name = call.map_or("a method", |call| call.method.as_str());
        let word = reply["error"]["data"].as_str().filter(|word| LET_IN.contains(word));
        let name = match word {
            _ if reply.get("result").is_some() => name.to_owned(),
            Some(word) if name.starts_with("assistant.") => format!("{name} (let in, and told: {word})"),
            _ => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What was said of `calls` in one way.
pub(super) fn verdict(check: &'static str, how: &str, calls: &[Call], replies: &[Value]) -> Check {
    let names = answered(calls, replies);
    if names.is_empty() {
        let count = calls.len();
        return Check::ok(check, format!("none of {count} methods answers without a session, {how}"));
    }
    Check::fail(check, format!("answered without a session, {how}: {}", names.join(", ")), REMEDY)
}

/// All four ways.
pub(super) async fn checks(asker: &Asker, target: &Target) -> Vec<Check> {
    let (calls, url) = (calls(), target.rpc());
    let mut checks = Vec::new();
    let headers = [("origin", target.origin())];
    let (mut replies, mut is_there, mut last) = (Vec::new(), false, "no answer".to_owned());
    for call in &calls {
        match asker.post(&url, &call.json(), &headers).await {
            Ok(said) => {
                is_there |= speaks(&said);
                last = said.status.to_string();
                replies.extend(flat(said.json()));
            }
            Err(why) => last = why,
        }
    }
    if !is_there {
        // Nothing answers where nothing is: that says nothing about the methods.
        let says = format!("no JSON-RPC seems to be at {url} ({last}), so no method was looked at");
        checks.push(Check::fail("methods", says, "Where the node has its methods elsewhere: --rpc PATH"));
        checks.extend(
            socket::checks(asker, target, &calls)
                .await
                .into_iter()
                .filter(|check| check.state == State::Fail),
        );
        return checks;
    }
    checks.push(verdict("methods", &format!("one by one at {url}"), &calls, &replies));
    let replies = batched(asker, &url, &headers, &calls).await;
    checks.push(verdict("methods-batched", &format!("together at {url}"), &calls, &replies));
    checks.extend(socket::checks(asker, target, &calls).await);
    checks
}

/// All in one batch; where a server takes none so long, in batches of one.
async fn batched(asker: &Asker, url: &str, headers: &[(&str, &str)], calls: &[Call]) -> Vec<Value> {
    let all: Value = calls.iter().map(Call::json).collect();
    let said = asker.post(url, &all, headers).await;
    let reply = said.map(|said| said.json()).unwrap_or_default();
    let mut replies = Vec::new();
    if !reply.is_array() {
        for call in calls {
            if let Ok(said) = asker.post(url, &json!([call.json()]), headers).await {
                replies.extend(flat(said.json()));
            }
        }
    }
    replies.extend(flat(reply));
    replies
}

/// Whether the answer is one of JSON-RPC, or asks for a session.
fn speaks(said: &Said) -> bool {
    let reply = said.json();
    matches!(said.status, 401 | 403) || reply["jsonrpc"] == "2.0" || reply.get("result").is_some()
}

/// The replies in a reply.
pub(super) fn flat(reply: Value) -> Vec<Value> {
    match reply {
        Value::Array(replies) => replies,
        Value::Null => Vec::new(),
        reply => vec![reply],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_answered_is_a_result_or_what_only_those_hear_who_were_let_in() {
        let calls = calls();
        let id = |method: &str| calls.iter().find(|call| call.method == method).unwrap().id;
        let (chat, list, found) = (id("assistant.chat"), id("content.list"), id("rpc.discover"));
        let refused = |id: usize, data: &str| json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32050, "message": "no", "data": data}});
        for (replies, names) in [
            (vec![], vec![]),
            (vec![refused(chat, "unauthenticated"), refused(list, "no-method")], vec![]),
            (vec![refused(list, "bad-params")], vec![]),
            (vec![refused(chat, "bad-params")], vec!["assistant.chat (let in, and told: bad-params)"]),
            (vec![json!({"id": found, "result": null})], vec!["rpc.discover"]),
            (vec![json!({"id": 99, "result": 1}), json!({"id": "1", "result": 1})], vec!["a method"]),
        ] {
            assert_eq!(answered(&calls, &replies), names);
        }
    }

    #[test]
    fn every_method_of_the_door_is_called() {
        let calls = calls();
        for method in METHODS {
            assert!(calls.iter().any(|call| call.method == format!("assistant.{method}")), "{method}");
        }
    }
}
