//! Ollama's refusals in the one vocabulary. It has no codes: the status and the words are all there is.

use crate::backend::fault::{by_status, fault, of_body, words};
use crate::backend::transport::Refusal;
use crate::{BackendError, BackendFault};

/// What the status of a refusal and its body say.
pub(crate) fn refusal(refused: &Refusal, model: &str) -> BackendError {
    let by_status = by_status(refused.status, refused.retry_after);
    classified(by_status, &of_body(&refused.body), model, &format!("{}: ", refused.status))
}

/// What an error line in the middle of a reply says.
pub(crate) fn in_stream(error: &serde_json::Value, model: &str) -> BackendError {
    let words = words(error).unwrap_or_else(|| error.to_string());
    classified(BackendFault::ModelFault, &words, model, "")
}

fn classified(otherwise: BackendFault, words: &str, model: &str, before: &str) -> BackendError {
    let low = words.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| low.contains(part));
    let class = if low.contains("model") && low.contains("not found") {
        return fault(
            BackendFault::Unsuitable,
            &format!("`ollama pull {model}` fetches it; {before}{words}"),
        );
    } else if says(&["does not support", "requires more system memory"]) {
        BackendFault::Unsuitable
    } else if says(&["context size", "context length", "no user query found"]) {
        BackendFault::TooLong
    } else if says(&["server busy", "maximum pending requests"]) {
        match otherwise {
            BackendFault::Busy(after) => BackendFault::Busy(after),
            _ => BackendFault::Busy(None),
        }
    } else if says(&["unauthorized"]) {
        BackendFault::Refused
    } else if says(&["tool call", "runner has unexpectedly stopped"]) {
        BackendFault::ModelFault
    } else {
        otherwise
    };
    fault(class, &format!("{before}{words}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn refusal(status: u16, retry_after: Option<Duration>, body: &str) -> BackendError {
        super::refusal(&Refusal { status, retry_after, body: body.to_owned() }, "m")
    }

    #[test]
    fn each_refusal_has_its_class() {
        use BackendFault::{Broken, Busy, ModelFault, Refused, TooLong, Unreachable, Unsuitable};
        for (status, words, class) in [
            (400, "registry.ollama.ai/library/gemma3:4b does not support tools", Unsuitable),
            (400, "\"m\" does not support chat", Unsuitable),
            (404, "model 'm' not found", Unsuitable),
            (404, "model \"m\" not found, try pulling it first", Unsuitable),
            (404, "404 page not found", Broken),
            (500, "model requires more system memory (5.6 GiB) than is available (4.1 GiB)", Unsuitable),
            (
                400,
                "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
                TooLong,
            ),
            (400, "the prompt is longer than the context length currently available to the model", TooLong),
            (413, "too large", TooLong),
            (500, "no user query found in messages", TooLong),
            (503, "server busy, please try again.  maximum pending requests exceeded", Busy(None)),
            (429, "slow down", Busy(None)),
            (500, "error parsing tool call: raw='{', err=unexpected end of JSON input", ModelFault),
            (500, "llama-server returned invalid tool call arguments for \"x\": …", ModelFault),
            (
                500,
                "model runner has unexpectedly stopped, this may be due to resource limitations",
                ModelFault,
            ),
            (400, "json: cannot unmarshal array into Go struct field", Broken),
            (499, "request canceled", Broken),
            (401, "unauthorized", Refused),
            (502, "bad gateway", Unreachable),
            (302, "", Broken),
        ] {
            let body = serde_json::json!({ "error": words }).to_string();
            assert_eq!(refusal(status, None, &body).class, class, "{status} {words}");
        }
    }

    #[test]
    fn what_helps_stands_before_the_words() {
        let missing = refusal(404, None, r#"{"error":"model 'm' not found"}"#);
        assert_eq!(missing.detail, "`ollama pull m` fetches it; 404: model 'm' not found");
        let busy = refusal(503, Some(Duration::from_secs(7)), r#"{"error":"server busy"}"#);
        assert_eq!(busy.class, BackendFault::Busy(Some(Duration::from_secs(7))));
    }
}
