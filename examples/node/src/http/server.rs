//! The server itself: connections, routes, and its end.

use std::future::Future;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::Assistant;
use archy_web::BASE;
use axum::Json;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::Deserialize;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::answer::{Reason, fault, plain};
use super::gate::{self, Name, Stranger};
use super::page::Files;
use super::rpc::{Rpc, second_half};
use super::sessions::{Refused, SessionId, Sessions, log_in_first};
use crate::exit::Trouble;
use crate::hosts::SettingsFile;

/// So many connections at once; a browser has six to a host.
const CONNECTIONS: usize = 256;
/// How long the head of a request may take to arrive.
const ARRIVING: Duration = Duration::from_secs(10);
/// How long what is being answered may go on when the server ends.
const ENDING: Duration = Duration::from_secs(5);
/// The session's cookie has this name and the port's number: another node on this machine has a cookie of its own.
const COOKIE: &str = "archy-";
const ATTRIBUTES: &str = "HttpOnly; SameSite=Strict; Path=/";

/// The open page: its address, and new links to it. Nothing is served before [`Door::serve`].
pub(crate) struct Door {
    listener: TcpListener,
    desk: Arc<Desk>,
}

/// Makes links that log a browser in once.
#[derive(Clone)]
pub(crate) struct Links(Arc<Desk>);

struct Desk {
    port: u16,
    files: Files,
    sessions: Arc<Sessions>,
    rpc: Rpc,
    settings: Arc<SettingsFile>,
    ending: watch::Sender<bool>,
}

/// Takes the port. A new browser looks as these settings say.
pub(crate) async fn open(
    port: u16,
    assistant: Assistant,
    settings: Arc<SettingsFile>,
) -> Result<Door, Trouble> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        let free = "end what listens there, or choose another port with --port N (--port 0 takes a free one)";
        Trouble::failed(format!("cannot serve the page at 127.0.0.1:{port}: {error}; {free}"))
    })?;
    let port = listener.local_addr().map_err(|error| Trouble::failed(error.to_string()))?.port();
    let sessions = Arc::new(Sessions::new());
    let (files, ending) = (Files::new(port)?, watch::Sender::new(false));
    let rpc = Rpc::new(assistant, Arc::clone(&sessions), ending.subscribe())?;
    Ok(Door { listener, desk: Arc::new(Desk { port, files, sessions, rpc, settings, ending }) })
}

impl Door {
    /// Where the page is.
    pub(crate) fn page(&self) -> String {
        self.desk.page()
    }

    pub(crate) fn links(&self) -> Links {
        Links(Arc::clone(&self.desk))
    }

    /// Serves until `ended`, and then until what is being answered has its answer, or a few seconds have passed.
    pub(crate) async fn serve(self, ended: impl Future<Output = ()>) {
        let Self { listener, desk } = self;
        let router = Router::new().fallback(answer).with_state(Arc::clone(&desk));
        let mut connections = JoinSet::new();
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        tokio::pin!(ended);
        tracing::info!(page = desk.page(), "serving the page");
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
                () = &mut ended => break,
            };
            let Ok((stream, _)) = stream else {
                // Short of descriptors; one of the connections may free some.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            // Whoever finds no place is cut off at once, rather than kept waiting.
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
            let (router, ending) = (router.clone(), desk.ending.subscribe());
            connections.spawn(async move {
                connection(stream, router, ending).await;
                drop(place);
            });
        }
        drop(listener);
        desk.ending.send_replace(true);
        let all = async {
            desk.sessions.closed().await;
            while connections.join_next().await.is_some() {}
        };
        let _ = timeout(ENDING, all).await;
        connections.shutdown().await;
        // Whatever is still asked over a WebSocket ends with this, and lets go of the assistant.
        desk.sessions.end_all();
        tracing::info!("the page is served no more");
    }
}

/// Answers the requests of one connection; at the end of the server, only the one that is being answered.
async fn connection(stream: TcpStream, router: Router, mut ending: watch::Receiver<bool>) {
    // Where this fails, answers come later, and come all the same.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ARRIVING)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    tokio::pin!(connection);
    // A browser that goes away early is no fault.
    let ended = async { drop(ending.wait_for(|ending| *ending).await) };
    tokio::select! {
        _ = &mut connection => {}
        () = ended => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

impl Links {
    /// A link that works once.
    pub(crate) fn new_link(&self) -> String {
        format!("{}#once={}", self.0.page(), self.0.sessions.link().text())
    }
}

/// One request, looked at from the outside in.
async fn answer(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    let (began, method) = (Instant::now(), request.method().clone());
    // No longer than a line of a log: what follows is nobody's path here.
    let path: String = request.uri().path().chars().take(200).collect();
    let answer = desk.answer(request).await;
    let status = answer.status().as_u16();
    let ms = began.elapsed().as_millis();
    if answer.status().is_client_error() || answer.status().is_server_error() {
        let reason = answer.extensions().get::<Reason>().map(|reason| reason.0.as_str());
        let reason = reason.or_else(|| answer.status().canonical_reason()).unwrap_or_default();
        tracing::info!(%method, path = ?path, status, reason, "refused");
    } else {
        tracing::debug!(%method, path = ?path, status, ms, "answered");
    }
    answer
}

/// What a browser says to log in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogIn {
    once: String,
}

impl Desk {
    fn page(&self) -> String {
        format!("{}{BASE}", Name::Address.origin(self.port))
    }

    async fn answer(&self, request: Request) -> Response {
        let Ok(name) = gate::named(request.uri(), request.headers(), self.port) else {
            return plain(StatusCode::MISDIRECTED_REQUEST, "this host has another name");
        };
        let (method, path) = (request.method().clone(), request.uri().path());
        match path {
            "/rpc" | "/session" => {}
            _ if method == Method::GET || method == Method::HEAD => {
                return self.files.answer(name, request.uri(), request.headers());
            }
            _ => return plain(StatusCode::METHOD_NOT_ALLOWED, "there is nothing here to change"),
        }
        if let Err(Stranger::Origin | Stranger::Host) = gate::own(&method, request.headers(), name, self.port)
        {
            return plain(StatusCode::FORBIDDEN, "this is only for the node's own page");
        }
        match (path, method) {
            ("/session", Method::POST) => self.log_in(request).await,
            ("/session", Method::GET) => match self.who(&request) {
                Some(_) => {
                    let theme = Json(json!({ "theme": self.settings.theme().await }));
                    ([(header::CACHE_CONTROL, "no-store")], theme).into_response()
                }
                None => fault(StatusCode::UNAUTHORIZED, log_in_first()),
            },
            ("/session", Method::DELETE) => match self.who(&request) {
                Some(session) => {
                    self.sessions.end(session);
                    tracing::info!("logged out");
                    let gone = format!("{COOKIE}{}=; Max-Age=0; {ATTRIBUTES}", self.port);
                    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response()
                }
                None => fault(StatusCode::UNAUTHORIZED, log_in_first()),
            },
            ("/rpc", Method::POST | Method::GET) => self.rpc(request).await,
            _ => plain(StatusCode::METHOD_NOT_ALLOWED, "that cannot be done here"),
        }
    }

    async fn rpc(&self, request: Request) -> Response {
        match self.who(&request) {
            Some(session) => self.rpc.answer(session, request).await,
            None => fault(StatusCode::UNAUTHORIZED, log_in_first()),
        }
    }

    async fn log_in(&self, request: Request) -> Response {
        let body = timeout(ARRIVING, to_bytes(request.into_body(), 4096)).await;
        let asked =
            body.ok().and_then(Result::ok).and_then(|body| serde_json::from_slice::<LogIn>(&body).ok());
        let Some(LogIn { once }) = asked else {
            return plain(StatusCode::BAD_REQUEST, "say {\"once\": \"…\"}");
        };
        match self.sessions.log_in(&once) {
            Ok(halves) => {
                tracing::info!("logged in");
                let cookie = format!("{COOKIE}{}={}; {ATTRIBUTES}", self.port, halves.cookie.text());
                let theme = self.settings.theme().await;
                let told = Json(json!({ "csrf": halves.header.text(), "theme": theme }));
                let headers = [(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, "no-store".to_owned())];
                (headers, told).into_response()
            }
            Err(refused) => {
                tracing::info!(?refused, "not logged in");
                let (status, says) = match refused {
                    Refused::Link => (StatusCode::UNAUTHORIZED, "this link was used, or is too old"),
                    Refused::TooMany => (StatusCode::TOO_MANY_REQUESTS, "too many tries; wait a minute"),
                };
                plain(status, says)
            }
        }
    }

    /// Whose request it is: both halves, or nobody's.
    fn who(&self, request: &Request) -> Option<SessionId> {
        let headers = request.headers();
        let name = format!("{COOKIE}{}", self.port);
        let cookies: Vec<&str> = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|cookies| cookies.to_str().ok())
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().strip_prefix(&*name)?.strip_prefix('='))
            .collect();
        self.sessions.find(&cookies, second_half(headers))
    }
}
