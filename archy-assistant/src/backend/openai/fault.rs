//! Refusals of servers of this kind in the one vocabulary: by code, then by words, then by status.

use std::time::Duration;

use serde_json::Value;

use crate::backend::fault::{by_status, fault, tree, words};
use crate::backend::transport::Refusal;
use crate::{BackendError, BackendFault};

/// What the status of a refusal and its body say.
pub(crate) fn refusal(refused: &Refusal, model: &str) -> BackendError {
    classified(&tree(&refused.body), Some(refused.status), refused.retry_after, model)
}

/// What an error in the place of a chunk says.
pub(crate) fn in_stream(error: &Value, model: &str) -> BackendError {
    classified(error, None, None, model)
}

fn classified(error: &Value, status: Option<u16>, after: Option<Duration>, model: &str) -> BackendError {
    let error = error.get(0).unwrap_or(error);
    let error = ["error", "detail"].iter().find_map(|key| error.get(*key)).unwrap_or(error);
    let says = words(error).unwrap_or_else(|| error.to_string());
    // A number in the place of a code is a status.
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let code = number(&error["code"]).and_then(|code| u16::try_from(code).ok());
    let status = status.filter(|status| *status != 200).or(code.filter(|code| (400..600).contains(code)));
    let after = after.or_else(|| wait(&says));
    let named = [&error["code"], &error["type"]].map(|name| name.as_str().unwrap_or_default().to_lowercase());
    let low = says.to_lowercase();
    let is = |names: &[&str]| named.iter().any(|name| names.contains(&&**name));
    let has = |parts: &[&str]| parts.iter().any(|part| low.contains(part));

    let class = if is(&["invalid_api_key", "authentication_error", "token_consumed"])
        || is(&["insufficient_quota", "insufficient_balance", "minimum_balance_required"])
        || has(&["insufficient balance", "insufficient credits"])
    {
        BackendFault::Refused
    } else if is(&["context_length_exceeded", "exceed_context_size_error"])
        || has(&["context length", "context size", "context window", "prompt is too long"])
    {
        BackendFault::TooLong
    } else if is(&["model_not_found", "invalid_model"])
        || (low.contains("model") && has(&["not found", "does not exist", "not a valid model"]))
        || has(&["support tool", "support function", "--jinja", "requires more system memory"])
    {
        BackendFault::Unsuitable
    } else if is(&["tool_use_failed"]) || has(&["tool call arguments", "parsing tool call"]) {
        BackendFault::ModelFault
    } else if is(&["rate_limit_exceeded", "upstream_rate_limit", "rate_limit_error", "overloaded_error"])
        || is(&["mint_unreachable", "mint_rate_limited"])
    {
        BackendFault::Busy(after)
    } else {
        status.map_or(BackendFault::ModelFault, |status| by_status(status, after))
    };
    let before = status.map_or_else(String::new, |status| format!("{status}: "));
    let advice = match (class, status) {
        (BackendFault::Refused, Some(402)) => "the account has no balance left; ".to_owned(),
        (BackendFault::Refused, _) => "is the key right, and paid for? ".to_owned(),
        (BackendFault::Unsuitable, _) => format!("is {model} a model of this server that can call tools? "),
        (BackendFault::Broken, Some(404 | 405)) => {
            "is the address right? it mostly ends with /v1; ".to_owned()
        }
        _ => String::new(),
    };
    fault(class, &format!("{advice}{before}{says}"))
}

/// The wait in words like "Please try again in 1.2s" or "… in 20ms".
fn wait(words: &str) -> Option<Duration> {
    let (_, rest) = words.split_once("try again in ")?;
    let end = rest.find(|one: char| !one.is_ascii_digit() && one != '.')?;
    let number: f64 = rest[..end].parse().ok()?;
    let seconds = match rest[end..].trim_start() {
        unit if unit.starts_with("ms") => number / 1000.0,
        unit if unit.starts_with('s') => number,
        unit if unit.starts_with('m') => number * 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_class() {
        use BackendFault::{Broken, Busy, ModelFault, Refused, TooLong, Unreachable, Unsuitable};
        let second = Some(Duration::from_millis(1200));
        for (status, body, class) in [
            (401, r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#, Refused),
            (429, r#"{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}"#, Refused),
            (
                402,
                r#"{"detail":{"reason":"Insufficient balance","type":"minimum_balance_required"}}"#,
                Refused,
            ),
            (402, r#"{"detail":"Insufficient balance"}"#, Refused),
            (400, r#"{"reason":"Insufficient balance","amount_required_msat":9}"#, Refused),
            (500, r#"{"error":{"message":"spent","code":"token_consumed"}}"#, Refused),
            (
                404,
                r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
                Unsuitable,
            ),
            (400, r#"{"detail":"Model 'x' not found"}"#, Unsuitable),
            (500, r#"{"error":{"code":500,"message":"tools param requires --jinja flag"}}"#, Unsuitable),
            (
                404,
                r#"{"error":{"message":"No endpoints found that support tool use","code":404}}"#,
                Unsuitable,
            ),
            (404, r#"{"detail":"Not Found"}"#, Broken),
            (404, "<html>", Broken),
            (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#, TooLong),
            (400, r#"{"error":{"code":400,"type":"exceed_context_size_error","n_ctx":4096}}"#, TooLong),
            (413, "", TooLong),
            (429, r#"{"error":{"message":"Rate limit. Please try again in 1.2s."}}"#, Busy(second)),
            (503, r#"{"error":{"message":"mint","code":"mint_unreachable"}}"#, Busy(None)),
            (429, r#"{"error":{"code":"UPSTREAM_RATE_LIMIT","message":"x"}}"#, Busy(None)),
            (
                400,
                r#"{"error":{"message":"Failed to call a function","code":"tool_use_failed"}}"#,
                ModelFault,
            ),
            (500, r#"{"error":{"message":"Failed to parse tool call arguments as JSON"}}"#, ModelFault),
            (500, r#"{"error":"x"}"#, ModelFault),
            (502, "bad gateway", Unreachable),
            (400, r#"[{"error":{"code":400,"message":"Invalid JSON payload"}}]"#, Broken),
        ] {
            let refused = Refusal { status, retry_after: None, body: body.to_owned() };
            assert_eq!(refusal(&refused, "x").class, class, "{status} {body}");
        }
    }

    #[test]
    fn an_error_in_a_stream_is_told_by_its_own_code() {
        let of = |json: &str| in_stream(&serde_json::from_str(json).expect("JSON"), "m");
        for (json, class, detail) in [
            (r#"{"code":429,"message":"slow"}"#, BackendFault::Busy(None), "429: slow"),
            (r#"{"code":"502","message":"gone"}"#, BackendFault::Unreachable, "502: gone"),
            (r#""it broke""#, BackendFault::ModelFault, "it broke"),
            (r#"{"type":"overloaded_error","message":"x"}"#, BackendFault::Busy(None), "x"),
            (r#"{"message":"x","code":7}"#, BackendFault::ModelFault, "x"),
            ("{}", BackendFault::ModelFault, "{}"),
        ] {
            assert_eq!(of(json), BackendError { class, detail: detail.to_owned() }, "{json}");
        }
    }

    #[test]
    fn what_to_do_stands_before_the_words() {
        let detail = |status, body: &str| {
            refusal(&Refusal { status, retry_after: None, body: body.to_owned() }, "m").detail
        };
        assert_eq!(detail(401, r#"{"error":"no"}"#), "is the key right, and paid for? 401: no");
        assert_eq!(detail(402, "pay"), "the account has no balance left; 402: pay");
        assert_eq!(
            detail(404, r#"{"detail":"Not Found"}"#),
            "is the address right? it mostly ends with /v1; 404: Not Found"
        );
        assert_eq!(
            detail(404, r#"{"error":"model not found"}"#),
            "is m a model of this server that can call tools? 404: model not found"
        );
    }

    #[test]
    fn a_wait_is_read_from_words() {
        let millis = |words: &str| wait(words).map(|wait| wait.as_millis());
        assert_eq!(millis("Please try again in 20ms."), Some(20));
        assert_eq!(millis("try again in 1.2s"), Some(1200));
        assert_eq!(millis("try again in 2m"), Some(120_000));
        assert_eq!(millis("try again in a while"), None);
        assert_eq!(millis("try again in 3"), None);
    }
}
