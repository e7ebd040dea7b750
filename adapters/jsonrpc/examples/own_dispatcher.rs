//! A daemon whose dispatcher is its own: one POST, its session, its CSRF header and its roles come first, and then a method
//! is called by its name. `cargo run -p archy-jsonrpc --example own_dispatcher`
use std::sync::Arc;

use archy_assistant::{Assistant, Backend, Caller, MemoryStore, Phrases, PollPending, StoredGrants, Toolbox};
use archy_wire::{Code, Fault};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What the daemon's server has read of a request.
struct Post<'a> {
    session: Option<&'a str>,
    csrf: Option<&'a str>,
    body: &'a str,
}

/// A request, with its parameters as they were written.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default)]
    id: Value,
    method: String,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

struct Daemon {
    assistant: Assistant,
}

impl Daemon {
    /// The status and the body of the answer.
    async fn answer(&self, post: Post<'_>) -> (u16, String) {
        let Ok(request) = serde_json::from_str::<Request>(post.body) else { return (400, String::new()) };
        let Request { id, method, params } = request;
        let done = match Self::caller(&post, &method) {
            Ok(caller) => self.call(&caller, &method, params.map(RawValue::get)).await,
            Err(fault) => Err(fault),
        };
        let body = match done {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Fault { code, says }) => {
                let error = json!({ "code": code.number(), "message": says, "data": code });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        (200, body.to_string())
    }

    /// Who asks, by the daemon's own session, CSRF token and roles.
    fn caller(post: &Post<'_>, method: &str) -> Result<Caller, Fault> {
        match (post.session, post.csrf) {
            (Some("the owner's"), Some("its token")) => Ok(Caller::owner()),
            (Some("the owner's"), _) => Err(Fault::new(Code::Forbidden, "the CSRF header is missing")),
            (Some("a guest's"), Some("its token")) => {
                Err(Fault::new(Code::Forbidden, format!("your role does not let you call {method}")))
            }
            _ => Err(Fault::new(Code::Unauthenticated, "log in first")),
        }
    }

    /// The daemon's own methods, and the assistant's under a namespace that it chooses.
    async fn call(&self, caller: &Caller, method: &str, params: Option<&str>) -> Result<Value, Fault> {
        let params = archy_jsonrpc::params(params)?;
        match method.strip_prefix("assistant.") {
            Some(method) => archy_jsonrpc::call(&self.assistant, caller, method, params).await,
            None => Err(Fault::new(Code::NoMethod, "there is no such method")),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(store.clone()));
    let backends: [Arc<dyn Backend>; 1] = [Arc::new(Phrases)];
    let builder = Assistant::builder(backends, Toolbox::new(), grants).with_store(store);
    let daemon = Daemon { assistant: builder.with_sink(Arc::new(PollPending)).open()? };
    let body =
        r#"{"jsonrpc":"2.0","id":1,"method":"assistant.grants","params":{"do":"open","category":"apps"}}"#;
    for (session, csrf) in [
        (None, None),
        (Some("the owner's"), None),
        (Some("a guest's"), Some("its token")),
        (Some("the owner's"), Some("its token")),
    ] {
        let (status, answer) = daemon.answer(Post { session, csrf, body }).await;
        println!("{status} {answer}");
    }
    Ok(())
}
