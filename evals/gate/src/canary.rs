//! Texts that must not turn up where they do not belong, and who looks for them: in all that a model is asked, down to
//! the bytes that a real server would be sent, and in the audit.

use std::sync::LazyLock;

use archy_assistant::{BackendFacts, Categories, Category, Locality, Ollama, Request};
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
