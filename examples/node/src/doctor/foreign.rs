//! Whether a page from elsewhere can reach the node: under a name of its own (DNS rebinding), or from its own origin.

use serde_json::{Value, json};

use super::ask::{Asker, Said};
use super::assets::AS_PAGE;
use super::check::Check;
use super::target::Target;

const HOST: &str = "evil.example";
const ORIGINS: [&str; 2] = ["https://evil.example", "null"];

pub(super) async fn checks(asker: &Asker, target: &Target, page: &Said) -> Vec<Check> {
    let own = call(asker, target, ("origin", target.origin())).await;
    let own = own.map(|said| said.json()).unwrap_or_default();
    vec![host(asker, target, page, &own).await, origin(asker, target, &own).await]
}

/// Whether the node serves a name that is not its own.
async fn host(asker: &Asker, target: &Target, page: &Said, own: &Value) -> Check {
    let mut served = Vec::new();
    let with_host: Vec<_> = AS_PAGE.into_iter().chain([("host", HOST)]).collect();
    if let Ok(said) = asker.get(&target.below(""), &with_host).await
        && said.status == 200
        && (said.body == page.body || is_own(&said))
    {
        served.push(format!("the page {}", target.below("")));
    }
    if is_dispatched(asker, target, own, ("host", HOST)).await {
        served.push(target.rpc());
    }
    if served.is_empty() {
        return Check::ok("foreign-host", format!("nothing is served under another host's name ({HOST})"));
    }
    Check::fail(
        "foreign-host",
        format!("served under another host's name ({HOST}): {}", served.join(" and ")),
        format!("Let the web server answer to {} alone: refuse every other Host", target.host()),
    )
}

/// Whether the node listens to pages of other origins.
async fn origin(asker: &Asker, target: &Target, own: &Value) -> Check {
    let mut heard = Vec::new();
    for origin in ORIGINS {
        if is_dispatched(asker, target, own, ("origin", origin)).await {
            heard.push(format!("a request of Origin {origin}"));
        }
        if let Ok(Ok(_)) = asker.upgrade(&target.rpc(), &[("origin", origin)]).await {
            heard.push(format!("a WebSocket of Origin {origin}"));
        }
    }
    let url = target.rpc();
    if heard.is_empty() {
        return Check::ok(
            "foreign-origin",
            format!("requests and WebSockets of other origins are refused at {url}"),
        );
    }
    Check::fail(
        "foreign-origin",
        format!("taken at {url}: {}", heard.join(", ")),
        format!("Refuse every Origin but {}, before anything else is looked at", target.origin()),
    )
}

/// A call that is foreign by one header got as far as one of the page's own, or its answer may be read by whoever made it.
async fn is_dispatched(asker: &Asker, target: &Target, own: &Value, foreign: (&str, &str)) -> bool {
    let Some(said) = call(asker, target, foreign).await else { return false };
    let allowed = said.header("access-control-allow-origin");
    let is_shared = allowed.is_some_and(|allowed| allowed == "*" || allowed == foreign.1);
    let reply = said.json();
    let is_same = reply["error"]["code"].is_number() && reply["error"]["code"] == own["error"]["code"];
    is_shared || (said.status == 200 && (reply.get("result").is_some() || is_same))
}

/// What is said to a call with this header.
async fn call(asker: &Asker, target: &Target, header: (&str, &str)) -> Option<Said> {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "assistant.pending", "params": {}});
    asker.post(&target.rpc(), &call, &[header]).await.ok()
}

/// Whether it is the page of some version of this program.
fn is_own(said: &Said) -> bool {
    let text = String::from_utf8_lossy(&said.body);
    text.contains("data-rpc=") && text.contains("data-session=")
}
