//! Anthropic's refusals in the one vocabulary: by the error's type, which also stands where the status says 200.

use std::time::Duration;

use serde_json::Value;

use crate::backend::fault::{by_status, fault, tree, words};
use crate::backend::transport::Refusal;
use crate::{BackendError, BackendFault};

/// What the status of a refusal and its body say.
pub(crate) fn refusal(refused: &Refusal, model: &str) -> BackendError {
    classified(&tree(&refused.body), Some(refused.status), refused.retry_after, model)
}

/// What an error event says.
pub(crate) fn in_stream(event: &Value, model: &str) -> BackendError {
    classified(event, None, None, model)
}

fn classified(value: &Value, status: Option<u16>, after: Option<Duration>, model: &str) -> BackendError {
    let says = words(value).unwrap_or_else(|| value.to_string());
    let low = says.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| low.contains(part));
    let error = value.get("error").unwrap_or(value);
    let kind = error["type"].as_str().unwrap_or_default();
    let class = match kind {
        "authentication_error" | "billing_error" | "permission_error" => BackendFault::Refused,
        "not_found_error" if low.contains("model") => BackendFault::Unsuitable,
        "request_too_large" | "exceed_context_size_error" => BackendFault::TooLong,
        "invalid_request_error" if has(&["prompt is too long", "context window", "context limit"]) => {
            BackendFault::TooLong
        }
        "invalid_request_error" if has(&["credit balance"]) => BackendFault::Refused,
        "rate_limit_error" | "overloaded_error" => BackendFault::Busy(after),
        "timeout_error" => BackendFault::Unreachable,
        "api_error" => BackendFault::ModelFault,
        _ => status.map_or(BackendFault::ModelFault, |status| by_status(status, after)),
    };
    let before = status.map_or_else(String::new, |status| format!("{status}: "));
    let advice = match (class, status) {
        (BackendFault::Refused, _) => "is the key right, and paid for? ".to_owned(),
        (BackendFault::Unsuitable, _) => format!("is {model} the name of a model? "),
        (BackendFault::Broken, Some(404 | 405)) => "is the address right? it ends before /v1; ".to_owned(),
        _ => String::new(),
    };
    fault(class, &format!("{advice}{before}{says}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(kind: &str, message: &str) -> String {
        let error = serde_json::json!({ "type": kind, "message": message });
        serde_json::json!({ "type": "error", "error": error, "request_id": "req_1" }).to_string()
    }

    #[test]
    fn each_type_has_its_class() {
        use BackendFault::{Broken, Busy, ModelFault, Refused, TooLong, Unreachable, Unsuitable};
        for (status, kind, message, class) in [
            (401, "authentication_error", "invalid x-api-key", Refused),
            (402, "billing_error", "x", Refused),
            (403, "permission_error", "x", Refused),
            (400, "invalid_request_error", "Your credit balance is too low", Refused),
            (404, "not_found_error", "model: claude-9", Unsuitable),
            (404, "not_found_error", "Not found", Broken),
            (413, "request_too_large", "x", TooLong),
            (400, "invalid_request_error", "prompt is too long: 205351 tokens > 200000 maximum", TooLong),
            // llama.cpp's server in this protocol.
            (
                400,
                "exceed_context_size_error",
                "request (6120 tokens) exceeds the available context size",
                TooLong,
            ),
            (400, "invalid_request_error", "messages: text content blocks must be non-empty", Broken),
            (429, "rate_limit_error", "x", Busy(None)),
            (529, "overloaded_error", "Overloaded", Busy(None)),
            (200, "overloaded_error", "Overloaded", Busy(None)),
            (504, "timeout_error", "x", Unreachable),
            (500, "api_error", "x", ModelFault),
            (529, "new_error", "x", Busy(None)),
            (503, "new_error", "x", Busy(None)),
        ] {
            let refused = Refusal { status, retry_after: None, body: body(kind, message) };
            assert_eq!(refusal(&refused, "m").class, class, "{status} {kind} {message}");
        }
        let html = Refusal { status: 413, retry_after: None, body: "<html>".to_owned() };
        assert_eq!(refusal(&html, "m"), fault(TooLong, "413: <html>"));
    }

    #[test]
    fn what_to_do_stands_before_the_words() {
        let busy = Refusal {
            status: 429,
            retry_after: Some(Duration::from_secs(7)),
            body: body("rate_limit_error", "slow"),
        };
        assert_eq!(refusal(&busy, "m"), fault(BackendFault::Busy(Some(Duration::from_secs(7))), "429: slow"));
        let said = |status, kind: &str| {
            refusal(&Refusal { status, retry_after: None, body: body(kind, "the model said no") }, "m").detail
        };
        assert_eq!(
            said(401, "authentication_error"),
            "is the key right, and paid for? 401: the model said no"
        );
        assert_eq!(said(404, "not_found_error"), "is m the name of a model? 404: the model said no");
        assert_eq!(said(404, ""), "is the address right? it ends before /v1; 404: the model said no");
        let event = serde_json::from_str(&body("overloaded_error", "Overloaded")).expect("JSON");
        assert_eq!(in_stream(&event, "m"), fault(BackendFault::Busy(None), "Overloaded"));
    }
}
