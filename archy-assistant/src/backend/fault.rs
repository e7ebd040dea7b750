//! What every vendor's refusals have in common: where their words stand, and what a bare status means.

use std::time::Duration;

use serde_json::Value;

use super::field::few;
use super::{BackendError, BackendFault};

/// So much of a server's words is kept, in characters.
const KEPT: usize = 300;

/// An error of `class` with the server's words, cut and on one line.
pub(crate) fn fault(class: BackendFault, words: &str) -> BackendError {
    let words = words.split(|character: char| character.is_whitespace() || character.is_control());
    let words = words.filter(|word| !word.is_empty());
    let mut line = words.flat_map(|word| std::iter::once(' ').chain(word.chars())).skip(1);
    let mut detail: String = line.by_ref().take(KEPT).collect();
    if line.next().is_some() {
        detail.push('…');
    }
    BackendError { class, detail }
}

/// What came is not what was to come. A web page says that the address is another program's.
pub(crate) fn no_json(what: &str, error: &serde_json::Error, came: &str) -> BackendError {
    let words = if came.trim_start().starts_with('<') {
        format!("a web page came, not {what}: is the address right? {came}")
    } else {
        format!("not {what} ({error}): {came}")
    };
    fault(BackendFault::Broken, &words)
}

/// What a status says where the words say nothing.
pub(crate) fn by_status(status: u16, retry_after: Option<Duration>) -> BackendFault {
    match status {
        401..=403 => BackendFault::Refused,
        408 | 502 | 504 => BackendFault::Unreachable,
        413 => BackendFault::TooLong,
        429 | 503 | 529 => BackendFault::Busy(retry_after),
        500.. => BackendFault::ModelFault,
        _ => BackendFault::Broken,
    }
}

/// An error's JSON as a tree; as text, where it is none or has too many parts to be one.
pub(crate) fn tree(json: &str) -> Value {
    few(json).unwrap_or_else(|| Value::from(json.chars().take(2 * KEPT).collect::<String>()))
}

/// The words of a refusal's body: of its JSON, else the body.
pub(crate) fn of_body(body: &str) -> String {
    words(&tree(body)).unwrap_or_else(|| body.to_owned())
}

/// The words in `{"error": "…"}`, `{"error": {"message": "…"}}`, `{"detail": {"reason": "…"}}`, a list of one of
/// these, or a bare string.
pub(crate) fn words(value: &Value) -> Option<String> {
    let inner = ["error", "message", "detail", "reason"].iter().find_map(|key| value.get(*key));
    match inner.or_else(|| value.get(0)) {
        Some(inner) => words(inner),
        None => value.as_str().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_whatever_shape_and_cut() {
        let detail = |body: &str| fault(BackendFault::Broken, &of_body(body)).detail;
        assert_eq!(detail(r#"{"error":{"message":"a\n b\u0007"}}"#), "a b");
        assert_eq!(detail(r#"[{"error":{"message":"a"}}]"#), "a");
        assert_eq!(detail(r#"{"detail":{"reason":"a","type":"b"}}"#), "a");
        assert_eq!(detail(r#"{"detail":"a"}"#), "a");
        assert_eq!(detail(r#""a""#), "a");
        assert_eq!(detail(r#"{"error":{"code":3}}"#), r#"{"error":{"code":3}}"#);
        assert_eq!(detail("<html>"), "<html>");
        assert_eq!(detail(&"ä".repeat(400)), format!("{}…", "ä".repeat(300)));
    }

    #[test]
    fn an_error_of_many_parts_is_no_tree() {
        assert_eq!(tree(r#"{"error":"a"}"#), serde_json::json!({ "error": "a" }));
        assert_eq!(tree(r#""\ud800""#), Value::from(r#""\ud800""#), "half a pair is not lost");
        let long = format!("[0{}]", ",0".repeat(5000));
        assert_eq!(tree(&long), Value::from(&long[..2 * KEPT]));
    }

    #[test]
    fn a_web_page_is_called_one() {
        let error = serde_json::from_str::<Value>("<").expect_err("no JSON");
        assert_eq!(
            no_json("an answer", &error, " <html>\n<body>").detail,
            "a web page came, not an answer: is the address right? <html> <body>"
        );
        assert!(no_json("an answer", &error, "x").detail.starts_with("not an answer (expected value"));
    }
}
