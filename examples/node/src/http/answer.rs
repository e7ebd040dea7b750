//! What a request is answered with that is refused before any method sees it.

use archy_wire::Fault;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request was refused: goes along with its answer, for the log.
#[derive(Debug, Clone)]
pub(super) struct Reason(pub(super) String);

/// A refusal as JSON-RPC has it, whatever was asked: so that a client of the methods reads it as any other.
pub(super) fn fault(status: StatusCode, Fault { code, says }: Fault) -> Response {
    let error = json!({ "code": code.number(), "message": says, "data": code });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    because(says, (status, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// A refusal for a person or a program that looks for something else.
pub(super) fn plain(status: StatusCode, says: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    because(says.to_owned(), (status, headers, format!("{says}\n")))
}

fn because(reason: String, answer: impl IntoResponse) -> Response {
    let mut answer = answer.into_response();
    answer.extensions_mut().insert(Reason(reason));
    answer
}
