//! Who answers: a model where there is one, and always the node's own rules.

use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Backend, Locality, Ollama, Phrases};

use crate::cli::ModelChoice;
use crate::exit::{Exit, Trouble};
use crate::reached::Reached;

/// Where an Ollama server listens when nobody has said otherwise.
const USUAL: &str = "http://127.0.0.1:11434";
const USUAL_PORT: u16 = 11434;
/// How long a server on this machine may take to accept.
const SHORT: Duration = Duration::from_millis(300);

impl ModelChoice {
    /// Whether anything was said.
    pub(crate) fn is_said(&self) -> bool {
        self.no_model || self.ollama.is_some() || self.model.is_some()
    }
}

/// The backends in the order in which they are asked.
pub(crate) async fn backends(choice: &ModelChoice) -> Result<Vec<Arc<dyn Backend>>, Trouble> {
    let rules: Arc<dyn Backend> = Arc::new(Phrases);
    Ok(match model(choice).await? {
        Some(model) => {
            let server = server(choice.ollama.as_deref().unwrap_or(USUAL));
            vec![Arc::new(Reached::new(model, server)), rules]
        }
        None => vec![rules],
    })
}

/// The model that was asked for, or the one that is there.
async fn model(choice: &ModelChoice) -> Result<Option<Ollama>, Trouble> {
    if choice.no_model {
        return Ok(None);
    }
    let url = choice.ollama.as_deref().unwrap_or(USUAL);
    let locality = locality(url, choice.own_network);
    let bad_url = |error| Trouble::bad_input(format!("{url}: {error}"));
    if let Some(name) = &choice.model {
        return Ollama::new(url, name, locality).map(Some).map_err(bad_url);
    }
    if choice.ollama.is_none() && !listens_here().await {
        return Ok(None);
    }
    // A wrong URL is told from a server that does not answer.
    Ollama::new(url, "", locality).map_err(bad_url)?;
    let found = Ollama::discover(url).await;
    match (found, &choice.ollama) {
        (Ok(models), asked) => match (models.first(), asked) {
            (Some(first), _) => Ollama::new(url, &first.name, locality).map(Some).map_err(bad_url),
            (None, None) => Ok(None),
            (None, Some(_)) => {
                let says = format!("the server at {url} has no model that can call tools; pull one first");
                Err(Trouble::new(Exit::NoAnswer, says))
            }
        },
        (Err(_), None) => Ok(None),
        // As one that is named and does not answer: the rules go on where they are sure, and else it is told. No model has
        // such a name, so nothing else is asked should the server come up.
        (Err(_), Some(_)) => Ollama::new(url, &format!("at {url}"), locality).map(Some).map_err(bad_url),
    }
}

/// Where a URL's machine is: this one, the owner's because the owner says so, or anywhere.
fn locality(url: &str, own_network: bool) -> Locality {
    let host = host(url);
    let here = host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match (here, own_network) {
        (true, _) => Locality::OnNode,
        (false, true) => Locality::OwnNetwork,
        (false, false) => Locality::Remote,
    }
}

/// The host of a URL; empty where it cannot be told, which is nowhere near.
fn host(url: &str) -> &str {
    authority(url).map_or("", |(host, _)| host)
}

/// Host and port of a URL, where they can be told.
fn server(url: &str) -> Option<(String, u16)> {
    let (host, port) = authority(url)?;
    let usual = if url.starts_with("https:") { 443 } else { 80 };
    let port = if port.is_empty() { usual } else { port.parse().ok()? };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

/// Host and port of a URL as they are written.
fn authority(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority.contains('@') {
        return None;
    }
    if let Some(inside) = authority.strip_prefix('[') {
        let (host, port) = inside.split_once(']')?;
        return Some((host, port.strip_prefix(':').unwrap_or_default()));
    }
    Some(authority.split_once(':').unwrap_or((authority, "")))
}

async fn listens_here() -> bool {
    let address = SocketAddr::from(([127, 0, 0, 1], USUAL_PORT));
    let connect = move || TcpStream::connect_timeout(&address, SHORT).is_ok();
    tokio::task::spawn_blocking(connect).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_port_are_told_where_they_are_plain() {
        for (url, expected) in [
            ("http://127.0.0.1:11434/", Some(("127.0.0.1", 11434))),
            ("http://[::1]:7", Some(("::1", 7))),
            ("http://[::1]/x", Some(("::1", 80))),
            ("https://example.com/api", Some(("example.com", 443))),
            ("http://me@example.com", None),
            ("http://example.com:port", None),
            ("http://", None),
            ("example.com", None),
        ] {
            assert_eq!(server(url), expected.map(|(host, port)| (host.to_owned(), port)), "{url}");
        }
    }

    #[test]
    fn only_this_machine_and_what_is_declared_is_near() {
        for (url, locality_of) in [
            ("http://127.0.0.1:11434", Locality::OnNode),
            ("http://localhost", Locality::OnNode),
            ("http://[::1]:11434/", Locality::OnNode),
            ("http://127.8.9.1/api", Locality::OnNode),
            ("http://192.168.1.5:11434", Locality::Remote),
            ("http://127.0.0.1.example.com", Locality::Remote),
            ("http://localhost@example.com", Locality::Remote),
            ("http://localhost:x@example.com/", Locality::Remote),
            ("http://example.com\\@localhost", Locality::Remote),
            ("http://example.com#localhost", Locality::Remote),
            ("localhost", Locality::Remote),
        ] {
            assert_eq!(locality(url, false), locality_of, "{url}");
        }
        assert_eq!(locality("http://192.168.1.5:11434", true), Locality::OwnNetwork);
    }
}
