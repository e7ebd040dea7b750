//! By what a model's API is known, whoever speaks for it: by what it says to a request without a key.

use serde_json::{Value, json};

use super::ask::{Asker, Said};

/// What is asked below a path. Nothing of it can be answered by a model, so none of it costs anything.
pub(super) const ASKS: [(&str, Verb); 8] = [
    ("", Verb::Get),
    ("v1/models", Verb::Get),
    ("models", Verb::Get),
    ("api/v1/models", Verb::Get),
    ("api/tags", Verb::Get),
    ("v1/messages", Verb::Post),
    ("chat/completions", Verb::Post),
    ("v1/chat/completions", Verb::Post),
];

/// How it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    /// With an empty object.
    Post,
}

/// What was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// By what it has: models.
    Has(&'static str),
    /// By the form of its error, which others may have too.
    Refuses(&'static str),
}

impl Known {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Has(name) | Self::Refuses(name) => name,
        }
    }
}

pub(super) async fn ask(asker: &Asker, url: &str, verb: Verb) -> Option<Said> {
    let headers = [("anthropic-version", "2023-06-01")];
    let said = match verb {
        Verb::Get => asker.get(url, &headers).await,
        Verb::Post => asker.post(url, &json!({}), &headers).await,
    };
    said.ok()
}

/// Whose API it is.
pub(super) fn known(said: &Said) -> Option<Known> {
    if said.body.trim_ascii() == b"Ollama is running" {
        return Some(Known::Has("Ollama"));
    }
    of(said.status, &said.json())
}

fn of(status: u16, said: &Value) -> Option<Known> {
    let error = &said["error"];
    let (kind, message) = (&error["type"], &error["message"]);
    if said["type"] == "error" && kind.is_string() && message.is_string() {
        return Some(Known::Refuses("Anthropic"));
    }
    if let Some(models) = said["models"].as_array() {
        let is_model = |model: &Value| model["name"].is_string() && model["model"].is_string();
        let alone = said.as_object().is_some_and(|said| said.len() == 1);
        return (alone && models.iter().all(is_model)).then_some(Known::Has("Ollama"));
    }
    if let Some(first) = said["data"].as_array().and_then(|models| models.first()) {
        let named = |name| first["id"].is_string().then_some(Known::Has(name));
        return match () {
            () if first["type"] == "model" => named("Anthropic"),
            () if first["pricing"].is_object() => named("OpenRouter"),
            () if first["object"] == "model" => named("an API like OpenAI's"),
            () => None,
        };
    }
    if said.get("jsonrpc").is_some() || !message.is_string() || matches!(status, 404 | 405) {
        return None;
    }
    match error["code"].as_u64() {
        Some(code) if code == u64::from(status) => Some(Known::Refuses("OpenRouter")),
        _ => kind.is_string().then_some(Known::Refuses("an API like OpenAI's")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_known_by_its_words_and_nothing_else_is() {
        let refuses = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
        for (status, said, expected) in [
            (
                401,
                refuses("authentication_error", "x-api-key header is required"),
                Some(Known::Refuses("Anthropic")),
            ),
            (
                400,
                refuses("invalid_request_error", "model: Field required"),
                Some(Known::Refuses("Anthropic")),
            ),
            (
                200,
                json!({"data": [{"type": "model", "id": "claude-x", "display_name": "X"}], "has_more": false}),
                Some(Known::Has("Anthropic")),
            ),
            (
                401,
                json!({"error": {"message": "No cookie auth credentials found", "code": 401}}),
                Some(Known::Refuses("OpenRouter")),
            ),
            (
                200,
                json!({"data": [{"id": "openai/gpt-4o-mini", "pricing": {"prompt": "0.1"}}]}),
                Some(Known::Has("OpenRouter")),
            ),
            (200, json!({"models": []}), Some(Known::Has("Ollama"))),
            (
                200,
                json!({"models": [{"name": "a:1b", "model": "a:1b", "digest": "1"}]}),
                Some(Known::Has("Ollama")),
            ),
            (
                200,
                json!({"object": "list", "data": [{"id": "a", "object": "model"}]}),
                Some(Known::Has("an API like OpenAI's")),
            ),
            (
                401,
                json!({"error": {"message": "no key", "type": "invalid_request_error", "code": null}}),
                Some(Known::Refuses("an API like OpenAI's")),
            ),
            (200, Value::Null, None),
            (200, json!({"models": 3, "data": []}), None),
            (200, json!({"models": [], "cars": []}), None),
            (200, json!({"data": [{"id": "a photo"}]}), None),
            (404, json!({"error": {"message": "not found", "code": 404}}), None),
            (401, json!({"error": "log in"}), None),
            (
                200,
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 200, "message": "log in", "type": "x"}}),
                None,
            ),
        ] {
            assert_eq!(of(status, &said), expected, "{said}");
        }
    }
}
