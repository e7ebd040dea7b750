//! One request and what came of it. Nothing is followed, kept or decompressed, and no proxy of the environment is used.

use std::error::Error;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder, Upgraded};
use serde_json::Value;

/// How long a connection, and how long a whole answer may take.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(10));
/// The same where mostly nobody is.
const SHORT: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(4));
/// More of an answer is not read, in bytes.
const MOST: usize = 4 << 20;

/// Names and values of headers.
pub(super) type Headers<'a> = [(&'a str, &'a str)];

/// Asks over HTTP/1.1.
#[derive(Debug)]
pub(super) struct Asker {
    client: Client,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Said {
    /// The body as JSON; `null` where it is none.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header, where it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether a web page came.
    pub(super) fn is_page(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("text/html"))
    }
}

impl Asker {
    /// One for `https`, or one that needs no certificates.
    pub(super) fn new(secure: bool) -> Result<Self, String> {
        Self::with(secure, PATIENCE)
    }

    /// One for ports where mostly nobody is.
    pub(super) fn short() -> Result<Self, String> {
        Self::with(false, SHORT)
    }

    fn with(secure: bool, (connect, whole): (Duration, Duration)) -> Result<Self, String> {
        let client = Client::builder()
            .user_agent("archy-node doctor")
            .connect_timeout(connect)
            .timeout(whole)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .http1_only();
        // A machine without certificates still reaches its own node.
        let client = if secure { client } else { client.tls_certs_only([]) };
        Ok(Self { client: client.build().map_err(|error| words(&error))? })
    }

    /// # Errors
    ///
    /// Why nothing came, in words.
    pub(super) async fn get(&self, url: &str, headers: &Headers<'_>) -> Result<Said, String> {
        said(with(self.client.get(url), headers)).await
    }

    /// Sends JSON. Errors as [`Asker::get`].
    pub(super) async fn post(&self, url: &str, body: &Value, headers: &Headers<'_>) -> Result<Said, String> {
        let request = self.client.post(url).header("content-type", "application/json").body(body.to_string());
        said(with(request, headers)).await
    }

    /// Asks for a WebSocket; what was said instead of one. Errors as [`Asker::get`].
    pub(super) async fn upgrade(
        &self,
        url: &str,
        headers: &Headers<'_>,
    ) -> Result<Result<Upgraded, Said>, String> {
        const WEBSOCKET: [(&str, &str); 4] = [
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            // Whoever answers is not held to it: what is said over the connection counts.
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let request = with(with(self.client.get(url), &WEBSOCKET), headers);
        let response = request.send().await.map_err(|error| words(&error))?;
        if response.status().as_u16() == 101 {
            return response.upgrade().await.map(Ok).map_err(|error| words(&error));
        }
        read(response).await.map(Err)
    }
}

fn with(request: RequestBuilder, headers: &Headers<'_>) -> RequestBuilder {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}

async fn said(request: RequestBuilder) -> Result<Said, String> {
    read(request.send().await.map_err(|error| words(&error))?).await
}

async fn read(mut response: reqwest::Response) -> Result<Said, String> {
    let (status, headers) = (response.status().as_u16(), std::mem::take(response.headers_mut()));
    let mut body = Vec::new();
    while body.len() < MOST
        && let Some(packet) = response.chunk().await.map_err(|error| words(&error))?
    {
        body.extend_from_slice(&packet);
    }
    Ok(Said { status, headers, body })
}

/// The innermost cause says most.
fn words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it took too long".to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match tls(cause) {
        Some(rustls::Error::InvalidMessage(_)) => {
            format!("there is no secure connection: {cause}; is it an http:// address?")
        }
        Some(_) => format!(
            "there is no secure connection: {cause}; does this system know the certificate's issuer, and is its clock right?"
        ),
        None => cause.to_string(),
    }
}

/// The TLS failure at the root of it. An error of input and output hides what it holds from its sources.
fn tls<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    match cause.downcast_ref::<std::io::Error>() {
        Some(outer) => tls(outer.get_ref()?),
        None => cause.downcast_ref(),
    }
}
