//! The only file of the library that reaches the network: one endpoint of a backend over HTTP/1.1.
//!
//! Nothing is followed, retried, decompressed or kept open: no redirect, no proxy of the environment, no connection
//! from an earlier request (one that died meanwhile would be replaced by sending the request twice). Dropping a request
//! or a body closes its connection, which tells the server to stop.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Client, Response, Url};
use tokio::time::timeout;

use super::events::{Frame, Frames, Framing};
use super::frame::{FrameError, Limits};
use super::{BackendError, BackendFault};

/// A refusal's words and a small answer are read up to here, in bytes.
const SMALL: usize = 4 << 20;

/// Why a text is no address of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadEndpoint {
    /// It is no URL of `http` or `https` with a host.
    NotHttp,
    /// It holds a name or a password: these would end up in logs.
    UserInfo,
    /// It holds a query or a fragment, which have no meaning for a backend.
    Query,
}

impl fmt::Display for BadEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttp => "a backend's address begins with http:// or https:// and names a host",
            Self::UserInfo => "a backend's address holds no name and no password",
            Self::Query => "a backend's address ends with its path",
        })
    }
}

impl std::error::Error for BadEndpoint {}

/// The address of a backend, and the client for it.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    base: Url,
    connect: Duration,
    client: Arc<OnceLock<Result<Client, String>>>,
}

impl Transport {
    /// For `base`, below which all paths are.
    pub(crate) fn new(base: &str, connect: Duration) -> Result<Self, BadEndpoint> {
        let mut base = Url::parse(base).map_err(|_| BadEndpoint::NotHttp)?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(BadEndpoint::NotHttp);
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(BadEndpoint::UserInfo);
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(BadEndpoint::Query);
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        Ok(Self { base, connect, client: Arc::default() })
    }

    /// The same address with another deadline for connecting.
    pub(crate) fn with_connect(self, connect: Duration) -> Self {
        Self { connect, client: Arc::default(), ..self }
    }

    /// Reads from `path`, for at most so long until the server answers.
    pub(crate) async fn get(&self, path: &str, first: Duration) -> Result<Answer, BackendError> {
        let client = self.client()?;
        self.send(client.get(self.url(path)?), first).await
    }

    /// Sends a JSON `body` to `path`, for at most so long until the server answers.
    pub(crate) async fn post(
        &self,
        path: &str,
        body: Vec<u8>,
        first: Duration,
    ) -> Result<Answer, BackendError> {
        let request = self.client()?.post(self.url(path)?);
        self.send(request.header("content-type", "application/json").body(body), first).await
    }

    fn url(&self, path: &str) -> Result<Url, BackendError> {
        self.base.join(path).map_err(|_| fault(BackendFault::Unreachable, format!("no path: {path}")))
    }

    async fn send(&self, request: reqwest::RequestBuilder, first: Duration) -> Result<Answer, BackendError> {
        let response = match timeout(first, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.failed(&error)),
            Err(_) => return Err(self.late(BackendFault::Unreachable, "did not answer", first)),
        };
        let retry_after = response.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        Ok(Answer {
            status: response.status().as_u16(),
            retry_after: retry_after.map(Duration::from_secs),
            body: Body { response, transport: self.clone(), begun: false },
        })
    }

    fn client(&self) -> Result<&Client, BackendError> {
        let client = self.client.get_or_init(|| client(self.base.scheme() == "https", self.connect));
        client.as_ref().map_err(|why| fault(BackendFault::Unreachable, why.clone()))
    }

    fn failed(&self, error: &reqwest::Error) -> BackendError {
        let unreachable = error.is_connect() || error.is_timeout();
        let class = if unreachable { BackendFault::Unreachable } else { BackendFault::Broken };
        // The innermost cause says most; the outer ones hold the address, which is said once.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        fault(class, format!("{}: {cause}", self.base))
    }

    fn late(&self, class: BackendFault, what: &str, after: Duration) -> BackendError {
        fault(class, format!("{} {what} for {} s", self.base, after.as_secs_f32()))
    }
}

fn fault(class: BackendFault, detail: String) -> BackendError {
    BackendError { class, detail }
}

/// A client without any of what reqwest would do by itself. Only one for `https` reads the system's certificates, so
/// that a machine without them still reaches its own backend.
fn client(secure: bool, connect: Duration) -> Result<Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let tls = if secure {
        let verifier =
            rustls_platform_verifier::Verifier::new(provider).map_err(|error| error.to_string())?;
        tls.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        tls.with_root_certificates(rustls::RootCertStore::empty())
    };
    Client::builder()
        .tls_backend_preconfigured(tls.with_no_client_auth())
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .http1_only()
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|error| error.to_string())
}

/// What a server answered, its body still to come.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// When to ask again, where it was said in seconds.
    pub(crate) retry_after: Option<Duration>,
    /// What follows.
    pub(crate) body: Body,
}

/// A body on its way.
#[derive(Debug)]
pub(crate) struct Body {
    response: Response,
    transport: Transport,
    begun: bool,
}

impl Body {
    /// The whole of a small body as text, with at most so long between two packets; what is beyond [`SMALL`] is left.
    pub(crate) async fn small(mut self, silence: Duration) -> Result<String, BackendError> {
        let mut text = Vec::new();
        while let Some(packet) = self.packet(silence).await? {
            text.extend_from_slice(packet.as_ref());
            if text.len() > SMALL {
                text.truncate(SMALL);
                break;
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The frames of a stream.
    pub(crate) fn frames(self, framing: Framing, limits: Limits) -> BodyFrames {
        BodyFrames { body: self, frames: Frames::new(framing, limits) }
    }

    async fn packet(&mut self, silence: Duration) -> Result<Option<impl AsRef<[u8]>>, BackendError> {
        match timeout(silence, self.response.chunk()).await {
            Ok(Ok(packet)) => {
                self.begun = true;
                Ok(packet)
            }
            Ok(Err(error)) => Err(self.transport.failed(&error)),
            // What was begun has an end that is missing; what was not begun is no answer.
            Err(_) if self.begun => Err(self.transport.late(BackendFault::Broken, "fell silent", silence)),
            Err(_) => Err(self.transport.late(BackendFault::Unreachable, "did not go on", silence)),
        }
    }
}

/// The frames of a body on its way.
#[derive(Debug)]
pub(crate) struct BodyFrames {
    body: Body,
    frames: Frames,
}

impl BodyFrames {
    /// The next frame, with at most so long between two packets; `None` at the end.
    pub(crate) async fn next(&mut self, silence: Duration) -> Result<Option<Frame>, BackendError> {
        let broken = |error: FrameError| fault(BackendFault::Broken, error.to_string());
        loop {
            if let Some(frame) = self.frames.next().map_err(broken)? {
                return Ok(Some(frame));
            }
            if self.frames.is_ended() {
                return Ok(None);
            }
            match self.body.packet(silence).await? {
                Some(packet) => self.frames.feed(packet.as_ref()),
                None => self.frames.end(),
            }
        }
    }
}
