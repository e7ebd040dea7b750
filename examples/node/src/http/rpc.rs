//! The assistant's methods, for whoever is logged in: over HTTP, and over a WebSocket.

use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Assistant, Browser, BrowserVerb, Caller};
use archy_wire::{Code, Fault};
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{BatchRequestConfig, Methods, PingConfig, Server, ServerConfig, TowerServiceBuilder};
use tokio::sync::watch;
use tokio::time::timeout;
use tower::Service;
use tower::layer::util::{Identity, Stack};

use super::answer::fault;
use super::calls::Limits;
use super::gate::only;
use super::sessions::{SessionId, Sessions, log_in_first};
use crate::exit::Trouble;

/// The most that is read of a request, and the most that is answered: a whole conversation is exported in one.
const LONGEST: u32 = 64 * 1024;
const LONGEST_ANSWER: u32 = 32 * 1024 * 1024;
/// How long a request may take to arrive.
const ARRIVING: Duration = Duration::from_secs(10);
/// What a browser offers as protocols of a WebSocket: this, and the session's second half, because it sets no headers there.
const PROTOCOL: &str = "archy";
/// The header with a session's second half.
const CSRF: HeaderName = HeaderName::from_static("x-archy-csrf");

/// So many requests and `WebSockets` at once, of everybody.
const AT_ONCE: u32 = 64;

/// The methods, for whoever is logged in.
pub(super) struct Rpc {
    methods: Methods,
    /// One for all requests: it counts them.
    service: TowerServiceBuilder<Stack<Limits, Identity>, Identity>,
    sessions: Arc<Sessions>,
}

impl Rpc {
    /// Whoever waits for an event is sent away once the node is `ending`.
    pub(super) fn new(
        assistant: Assistant,
        sessions: Arc<Sessions>,
        ending: watch::Receiver<bool>,
    ) -> Result<Self, Trouble> {
        let asked = Arc::clone(&sessions);
        let module = archy_jsonrpc::module(assistant, "assistant", move |extensions, _| {
            // Again at each call and each event: a WebSocket outlives the login with which it began.
            let session = extensions.get::<SessionId>().filter(|session| asked.is_alive(**session));
            session.ok_or_else(log_in_first)?;
            Ok(Caller::owner().with_browser(browser()))
        });
        let module = module.map_err(|error| Trouble::failed(error.to_string()))?;
        let config = ServerConfig::builder()
            .max_request_body_size(LONGEST)
            .max_response_body_size(LONGEST_ANSWER)
            .max_connections(AT_ONCE)
            .max_subscriptions_per_connection(8)
            .set_batch_request_config(BatchRequestConfig::Disabled)
            .set_message_buffer_capacity(64)
            .enable_ws_ping(
                PingConfig::new()
                    .ping_interval(Duration::from_secs(20))
                    .inactive_limit(Duration::from_secs(40)),
            )
            .build();
        let limits = Limits { sessions: Arc::clone(&sessions), ending };
        let service = Server::builder()
            .set_config(config)
            .set_rpc_middleware(RpcServiceBuilder::new().layer(limits))
            .to_service_builder();
        Ok(Self { methods: module.into(), service, sessions })
    }

    /// Answers a request of this session.
    pub(super) async fn answer(&self, session: SessionId, request: Request) -> Response {
        let Some(until) = self.sessions.until(session) else {
            return fault(StatusCode::UNAUTHORIZED, log_in_first());
        };
        let (mut head, body) = request.into_parts();
        head.extensions.insert(session);
        let upgrades = head.headers.contains_key(header::UPGRADE);
        let request = if upgrades {
            Request::from_parts(head, Body::empty())
        } else if body.size_hint().lower() > u64::from(LONGEST) {
            return too_long();
        } else {
            match timeout(ARRIVING, to_bytes(body, LONGEST as usize)).await {
                Ok(Ok(body)) => Request::from_parts(head, Body::from(body)),
                Ok(Err(_)) => return too_long(),
                Err(_) => {
                    let slow = Fault::new(Code::BadParams, "the request took too long to arrive");
                    return fault(StatusCode::REQUEST_TIMEOUT, slow);
                }
            }
        };
        let offers = offered(request.headers()).is_some();
        let mut service = self.service.clone().build(self.methods.clone(), until);
        match service.call(request).await {
            Ok(answer) => {
                let mut answer = answer.into_response();
                if upgrades && offers && answer.status() == StatusCode::SWITCHING_PROTOCOLS {
                    let headers = answer.headers_mut();
                    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
                }
                answer
            }
            Err(error) => {
                fault(StatusCode::INTERNAL_SERVER_ERROR, Fault::new(Code::Store, error.to_string()))
            }
        }
    }
}

fn too_long() -> Response {
    fault(StatusCode::PAYLOAD_TOO_LARGE, Fault::new(Code::BadParams, "a request has 64 KiB at most"))
}

/// The second half of a session in a request: the header's, or what a WebSocket offers beside the protocol.
pub(super) fn second_half(headers: &HeaderMap) -> &str {
    only(headers, &CSRF).or_else(|| offered(headers)).unwrap_or_default()
}

fn offered(headers: &HeaderMap) -> Option<&str> {
    let offered = only(headers, &header::SEC_WEBSOCKET_PROTOCOL)?;
    let (protocol, second) = offered.split_once(',')?;
    (protocol.trim() == PROTOCOL).then(|| second.trim())
}

/// What this node's page can do on its own screen: `adapters/web/page/browser.js` does it.
fn browser() -> Browser {
    Browser::NONE
        .with_called(BrowserVerb::Theme, "light", ["bright"])
        .with(BrowserVerb::Theme, ["dark", "system"])
        .with(BrowserVerb::Navigate, ["chat"])
        .with_called(BrowserVerb::Navigate, "conversations", ["earlier conversations", "history"])
        .with_called(BrowserVerb::Navigate, "grants", ["what is open", "permissions", "switches"])
        .with(BrowserVerb::Navigate, ["privacy"])
        .with_called(BrowserVerb::Navigate, "audit", ["audit log"])
}
