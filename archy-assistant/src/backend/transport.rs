//! The only file of the library that reaches the network: one endpoint of a backend over HTTP/1.1.
//!
//! Nothing is followed, retried, decompressed or kept open: no redirect, no proxy of the environment, no connection
//! from an earlier request (one that died meanwhile would be replaced by sending the request twice). Dropping a request
//! or a body closes its connection, which tells the server to stop.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};
use tokio::time::timeout;

use super::endpoint::{BadEndpoint, address, socks};
use super::fault::fault;
use super::frames::{Frame, Frames, Framing};
use super::lines::{LimitError, Limits};
use super::{BackendError, BackendFault};
use crate::Secret;

/// A refusal's words and a small answer are read up to here, in bytes.
const SMALL: usize = 4 << 20;

/// The address of a backend, what each request says of itself, and the client for it.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    base: Url,
    connect: Duration,
    socks: Option<Url>,
    headers: HeaderMap,
    key: Option<Arc<Secret>>,
    client: Arc<OnceLock<Result<Client, String>>>,
}

impl Transport {
    /// For `base`, below which all paths are.
    pub(crate) fn new(base: &str, connect: Duration) -> Result<Self, BadEndpoint> {
        Ok(Self {
            base: address(base)?,
            connect,
            socks: None,
            headers: HeaderMap::new(),
            key: None,
            client: Arc::default(),
        })
    }

    /// The same at another address.
    pub(crate) fn with_base(self, base: &str) -> Result<Self, BadEndpoint> {
        Ok(Self { base: address(base)?, client: Arc::default(), ..self })
    }

    /// The same address with another deadline for connecting.
    pub(crate) fn with_connect(self, connect: Duration) -> Self {
        Self { connect, client: Arc::default(), ..self }
    }

    /// The same address through this SOCKS proxy, which also resolves the name: nothing is asked of a name server here.
    pub(crate) fn with_socks(self, proxy: &str) -> Result<Self, BadEndpoint> {
        Ok(Self { socks: Some(socks(proxy)?), client: Arc::default(), ..self })
    }

    /// The same with a header that is no secret.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The same with a key in a header, after `before`. Space around the key is left out: files end with some.
    pub(crate) fn with_key(mut self, name: &'static str, before: &str, key: Secret) -> Self {
        let value = [before.as_bytes(), key.expose().trim_ascii()].concat();
        // A key that no header can hold is sent as none, and refused with words about it.
        if let Ok(mut value) = HeaderValue::from_bytes(&value) {
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
        self.key = Some(Arc::new(key));
        self
    }

    /// The error without the key, should the server have said it back.
    pub(crate) fn redacted(&self, mut error: BackendError) -> BackendError {
        let key = self.key.as_ref().and_then(|key| std::str::from_utf8(key.expose()).ok()).map(str::trim);
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            error.detail = without(&error.detail, key);
        }
        error
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
        self.base.join(path).map_err(|_| fault(BackendFault::Unreachable, &format!("no path: {path}")))
    }

    async fn send(&self, request: reqwest::RequestBuilder, first: Duration) -> Result<Answer, BackendError> {
        let request = request.headers(self.headers.clone());
        let response = match timeout(first, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.failed(&error)),
            Err(_) => return Err(self.late(BackendFault::Unreachable, "did not answer", first)),
        };
        let retry_after = retry_after(response.headers());
        Ok(Answer {
            status: response.status().as_u16(),
            retry_after,
            body: Body { response, transport: self.clone(), begun: false },
        })
    }

    fn client(&self) -> Result<&Client, BackendError> {
        let make = || client(self.base.scheme() == "https", self.connect, self.socks.as_ref());
        self.client.get_or_init(make).as_ref().map_err(|why| fault(BackendFault::Unreachable, why))
    }

    fn failed(&self, error: &reqwest::Error) -> BackendError {
        let unreachable = error.is_connect() || error.is_timeout();
        let class = if unreachable { BackendFault::Unreachable } else { BackendFault::Broken };
        // The innermost cause says most; the outer ones hold the address, which is said once.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let advice = match tls(cause) {
            Some(rustls::Error::InvalidMessage(_)) => "; it does not speak TLS: is it an http:// address?",
            Some(_) => {
                "; TLS failed: does this system know the certificate's issuer, and is its clock right?"
            }
            None if cause.is::<reqwest::Error>() || class == BackendFault::Unreachable => "",
            None => "; is the address right, with http:// or https://?",
        };
        fault(class, &format!("{}: {cause}{advice}", self.base))
    }

    fn late(&self, class: BackendFault, what: &str, after: Duration) -> BackendError {
        fault(class, &format!("{} {what} for {} s", self.base, after.as_secs_f32()))
    }
}

/// The TLS failure at the root of it. An error of input and output hides what it holds from its sources.
fn tls<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    match cause.downcast_ref::<std::io::Error>() {
        Some(outer) => tls(outer.get_ref()?),
        None => cause.downcast_ref(),
    }
}

/// `text` without `key`, and without the beginning of it where the text was cut.
fn without(text: &str, key: &str) -> String {
    let text = text.replace(key, "[key]");
    let Some(cut) = text.strip_suffix('…') else { return text };
    let begins = (4..key.len()).rev().find(|end| key.get(..*end).is_some_and(|begin| cut.ends_with(begin)));
    begins.map_or_else(|| text.clone(), |end| format!("{}[key]…", &cut[..cut.len() - end]))
}

/// When to ask again: in milliseconds, in seconds, or at a time, of which the server's own clock is taken.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|millis| millis / 1000.0).or_else(|| number("retry-after"));
    if let Some(seconds) = seconds {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &str| httpdate::parse_http_date(text(name)?).ok();
    date("retry-after")?.duration_since(date("date")?).ok()
}

/// A client without any of what reqwest would do by itself. Only one for `https` reads the system's certificates, so
/// that a machine without them still reaches its own backend.
fn client(secure: bool, connect: Duration, socks: Option<&Url>) -> Result<Client, String> {
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
    // The provider of cryptography is handed in: no host needs to install one for the whole process.
    let client = Client::builder()
        .tls_backend_preconfigured(tls.with_no_client_auth())
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .http1_only()
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0);
    let client = match socks {
        None => client,
        Some(socks) => client.proxy(reqwest::Proxy::all(socks.clone()).map_err(|error| error.to_string())?),
    };
    client.build().map_err(|error| error.to_string())
}

/// What a server answered, its body still to come.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// When to ask again.
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

impl Answer {
    /// The body of an answer that is one; else what was said instead.
    pub(crate) async fn accepted(self, silence: Duration) -> Result<Body, Refusal> {
        if self.status == 200 {
            return Ok(self.body);
        }
        let (status, retry_after) = (self.status, self.retry_after);
        let body = self.body.small(silence).await.unwrap_or_default();
        Err(Refusal { status, retry_after, body })
    }
}

/// An answer that is none.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The status.
    pub(crate) status: u16,
    /// When to ask again.
    pub(crate) retry_after: Option<Duration>,
    /// The server's words, in whatever form.
    pub(crate) body: String,
}

impl Body {
    /// The whole of a small body as text, with at most so long between two packets and four times as long for all of it;
    /// what is beyond [`SMALL`] is left.
    pub(crate) async fn small(self, silence: Duration) -> Result<String, BackendError> {
        let (transport, most) = (self.transport.clone(), silence.saturating_mul(4));
        let late = |_| Err(transport.late(BackendFault::Broken, "did not end a small answer", most));
        timeout(most, Box::pin(self.whole(silence))).await.unwrap_or_else(late)
    }

    async fn whole(mut self, silence: Duration) -> Result<String, BackendError> {
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
        let broken = |error: LimitError| fault(BackendFault::Broken, &error.to_string());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_ask_again_is_read_in_each_form() {
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        for (headers, want) in [
            (&[("retry-after", "7")][..], Some(7000)),
            (&[("retry-after", " 0.25 ")], Some(250)),
            (&[("retry-after-ms", "1500"), ("retry-after", "7")], Some(1500)),
            (&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"), ("date", date)], Some(30_000)),
            (&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")], None),
            (&[("retry-after", "Wed, 21 Oct 2026 07:27:30 GMT"), ("date", date)], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, HeaderValue::from_static(value));
            }
            assert_eq!(retry_after(&map), want.map(Duration::from_millis), "{headers:?}");
        }
    }

    #[test]
    fn a_key_that_is_said_back_is_not_told() {
        let transport = |key: &[u8]| {
            Transport::new("http://127.0.0.1", Duration::ZERO).expect("a URL").with_key(
                "authorization",
                "Bearer ",
                Secret::new(key),
            )
        };
        let told =
            |key: &[u8], words: &str| transport(key).redacted(fault(BackendFault::Refused, words)).detail;
        assert_eq!(told(b"sk-canary-1234\n", "no sk-canary-1234, no"), "no [key], no");
        assert_eq!(told(b"sk-canary-1234", "no sk-canary-1…"), "no [key]…");
        assert_eq!(told(b"sk-canary-1234", "no sk-…"), "no sk-…");
        assert_eq!(told(b"", "no"), "no");
        assert_eq!(told(b"\xff", "no"), "no");
        let debug = format!("{:?}", transport(b"sk-canary-1234"));
        assert!(debug.contains("Sensitive") && !debug.contains("canary"), "{debug}");
        assert!(transport(b"a\nb").headers.is_empty());
    }
}
