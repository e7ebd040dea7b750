//! Texts that must not turn up where they do not belong, and who looks for them: in all that a model is asked, down to
//! the bytes that a real server would be sent, and in the audit.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use archy_assistant::{
    BackendFacts, Categories, Category, Claude, Content, Locality, Ollama, Request, Secret,
};
use serde_json::Value;

/// In every text that others wrote.
pub const FOREIGN: &str = "CANARY-OF-OTHERS";
/// In the node's own data, followed by its category.
pub const OWN: &str = "CANARY-OF-NODE-";
/// In what stands behind each error of the host and of the disk. Made up, each in the form of something that opens a
/// purse or a door.
pub const SECRETS: [&str; 8] = [
    "cashuAeyJ0b2tlbiI6W3sibWludCI6ImNhbmFyeSJ9XX0",
    "cashuBo2FtdWNhbmFyeWF1Y3NhdGF0gaJhaUgAcanary",
    "nsec1canarycanarycanarycanarycanarycanarycanarycanarycanary0",
    "xprv9s21ZrQH143K3canarycanarycanarycanarycanary",
    "abandon ability able about above absent canary",
    "sk-ant-canary-0123456789abcdef",
    "AgELbWFjYXJvb24tY2FuYXJ5",
    "session=canary-0123456789abcdef",
];

/// What a model should not have been given.
pub fn in_request(request: &Request, facts: &BackendFacts) -> Vec<String> {
    let neutral = format!("{:?}", request.messages);
    // Where neither a limit nor text of others is, the bytes are not looked at: they cost as much as the case.
    let matters = facts.locality == Locality::Remote || neutral.contains("Untrusted(");
    let sent = if matters { renderer().body(request) } else { Vec::new() };
    let sent = String::from_utf8_lossy(&sent).into_owned();
    let may_have = match facts.locality {
        Locality::Remote => facts.may_receive,
        _ => Categories::ALL,
    };
    let mut leaks = Vec::new();
    for (place, text) in [("a request", &neutral), ("the bytes of a request", &sent)] {
        let own = Category::ALL.into_iter().filter(|category| !may_have.has(*category));
        let own = own.map(|category| format!("{OWN}{category}"));
        let kept = own.chain(SECRETS.map(str::to_owned));
        leaks.extend(
            kept.filter(|canary| text.contains(canary)).map(|canary| format!("in {place}: {canary}")),
        );
    }
    if neutral.contains(FOREIGN) {
        leaks.push("text of others outside its type".to_owned());
    }
    if sent.contains(FOREIGN) && !is_fenced(&sent) {
        leaks.push("text of others outside its fence".to_owned());
    }
    leaks
}

/// What a request carries away: the categories of the node's data in it, and the bytes of what was said, answered, called
/// and read, as they stand in what a real vendor's server would be sent.
pub fn carried(request: &Request) -> (BTreeSet<String>, u64) {
    static CLAUDE: LazyLock<Claude> = LazyLock::new(|| Claude::new(Secret::new(*b"none"), "attacker"));
    let sent = String::from_utf8_lossy(&CLAUDE.body(request)).into_owned();
    let mut holds = categories_in(&sent);
    holds.extend(categories_in(&format!("{:?}", request.messages)));
    let body = serde_json::from_str::<Value>(&sent).unwrap_or_default();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks = messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
    let written: usize = blocks.map(bytes_of).sum();
    // What this vendor leaves out, because another one's server wrote it, another vendor might not.
    let opaque = request.messages.iter().map(|message| match &message.content {
        Content::Reply { opaque, .. } => opaque.iter().map(String::len).sum(),
        _ => 0,
    });
    (holds, (written + opaque.sum::<usize>()) as u64)
}

/// What the node puts before a word of its own to a model.
const NOTE: &str = "Note from the node: ";

/// The categories whose canary is in a text.
fn categories_in(text: &str) -> BTreeSet<String> {
    let after = text.match_indices(OWN).map(|(at, canary)| &text[at + canary.len()..]);
    after
        .map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect())
        .filter(|category: &String| !category.is_empty())
        .collect()
}

/// Of a block, the bytes that the node did not write as words of its own: of a result its values, without the fence.
fn bytes_of(block: &Value) -> usize {
    let length = |value: &Value| value.as_str().map_or(0, str::len);
    match block["type"].as_str() {
        Some("text") => {
            let text = block["text"].as_str().unwrap_or_default();
            text.len() - text.matches(NOTE).count() * NOTE.len()
        }
        Some("tool_use") => length(&block["name"]) + values_in(&block["input"]),
        Some("tool_result") => {
            let text = block["content"].as_str().unwrap_or_default();
            let inside = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
            inside
                .and_then(|json| serde_json::from_str(json).ok())
                .map_or(0, |result: Value| values_in(result.get("result").unwrap_or(&result)))
        }
        _ => 0,
    }
}

fn values_in(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(all) => all.iter().map(values_in).sum(),
        Value::Object(all) => all.values().map(values_in).sum(),
        _ => 0,
    }
}

/// What a line of the audit should not hold.
pub fn in_audit(line: &str) -> Vec<String> {
    let kept = [FOREIGN, OWN, "alpha", "omega", "letter"].into_iter().chain(SECRETS);
    kept.filter(|canary| line.contains(canary)).map(|canary| format!("in the audit: {canary}")).collect()
}

/// What a text on a screen should not hold.
pub fn on_a_screen(text: &str) -> Vec<String> {
    SECRETS
        .into_iter()
        .filter(|canary| text.contains(canary))
        .map(|canary| format!("shown: {canary}"))
        .collect()
}

/// The real one; it is never asked to send anything.
fn renderer() -> &'static Ollama {
    static OLLAMA: LazyLock<Ollama> = LazyLock::new(|| {
        Ollama::new("http://127.0.0.1:1", "attacker", Locality::Remote).expect("an address is one")
    });
    &OLLAMA
}

/// Whether the text of others stands nowhere but in results of tools, each of which is one fence that nothing in it
/// can close.
fn is_fenced(body: &str) -> bool {
    let Ok(body) = serde_json::from_str::<Value>(body) else { return false };
    let fence = |text: &str| {
        let inside = text.strip_prefix("<<<U ").and_then(|rest| rest.strip_suffix(">>>"));
        inside.and_then(|inside| Some((inside.get(..32)?, inside))).is_some_and(|(nonce, inside)| {
            nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
                && inside.ends_with(&format!("}} U {nonce}"))
                && inside.matches(nonce).count() == 2
                && !inside.contains(['<', '>', '\n'])
        })
    };
    let loose = |value: &Value| value.to_string().contains(FOREIGN);
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    !loose(&body["tools"])
        && messages.iter().filter(|message| loose(message)).all(|message| {
            let rest = message.as_object().into_iter().flatten().filter(|(name, _)| *name != "content");
            message["role"] == "tool"
                && message["content"].as_str().is_some_and(fence)
                && !rest.map(|(_, value)| value).any(loose)
        })
}
