//! Who answers: the models of the owner's list, or the one that was asked for, and always the node's own rules.

use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{
    Ability, Backend, BackendError, BadEndpoint, Claude, Deadlines, Installed, Locality, ModelCard, Ollama,
    OpenAi, Phrases, Secret, WhenLocalIsDown,
};

use crate::backends::{Backends, Entry, Kind, USUAL_OLLAMA};
use crate::cards::Cards;
use crate::cli::{Common, ModelChoice};
use crate::data::Data;
use crate::exit::{Exit, Trouble};
use crate::reached::{First, Reached};
use crate::secrets;
use crate::terminal::tell;

/// How long a server on this machine may take to accept.
const SHORT: Duration = Duration::from_millis(300);
/// How long a server may take to say what it has while the node starts; later it is asked again.
const AT_START: Duration = Duration::from_secs(3);

impl ModelChoice {
    /// Whether anything was said.
    pub(crate) fn is_said(&self) -> bool {
        self.no_model || self.ollama.is_some() || self.model.is_some()
    }
}

/// Who answers, and what is done when no model at home does.
pub(crate) struct Chain {
    pub(crate) backends: Vec<Arc<dyn Backend>>,
    pub(crate) when: WhenLocalIsDown,
}

/// What was said on the command line; where nothing was, the owner's list.
///
/// # Errors
/// The list cannot be used: which line, and what to do.
pub(crate) async fn chain(data: &Data, common: &Common) -> Result<Chain, Trouble> {
    if common.model.is_said() {
        return Ok(Chain { backends: backends(&common.model).await?, when: WhenLocalIsDown::default() });
    }
    let list = Backends::read(data)?;
    let cards = Cards::read(data);
    let mut chain: Vec<Arc<dyn Backend>> = Vec::new();
    for entry in list.entries.iter().filter(|entry| entry.enabled) {
        if !list.is_own && !listens_here().await {
            // Nobody has asked for it.
            continue;
        }
        match keyed(data, entry) {
            Ok(key) => chain.extend(backend(entry, key, list.is_own, &cards).await?),
            Err(why) => {
                let set =
                    common.command(&format!("secrets set {}", entry.key.as_deref().unwrap_or_default()));
                tell(&format!("{} is not asked: {why}. Set its key with: {set}", entry.name));
            }
        }
    }
    chain.push(Arc::new(Phrases));
    Ok(Chain { backends: chain, when: list.when })
}

/// The key of a backend, where it has one.
///
/// # Errors
/// Without it the backend cannot be asked: why.
pub(crate) fn keyed(data: &Data, entry: &Entry) -> Result<Option<Secret>, String> {
    let Some(name) = &entry.key else { return Ok(None) };
    match secrets::read(data, name) {
        Ok(None) if entry.kind == Kind::Claude => Err("it has no key".to_owned()),
        Ok(key) => Ok(key),
        Err(trouble) => Err(trouble.says),
    }
}

/// The backend of an entry; none where an Ollama server has nothing that could be asked, and nobody has asked for it.
async fn backend(
    entry: &Entry,
    key: Option<Secret>,
    is_own: bool,
    cards: &Cards,
) -> Result<Option<Arc<dyn Backend>>, Trouble> {
    let bad = |error: BadEndpoint| Trouble::bad_input(format!("{}: {error}", entry.name));
    let model = entry.model.as_deref().unwrap_or_default();
    let card = |model: &str| cards.of(entry, model).map(|measured| measured.card);
    // Through a proxy nothing is looked up or connected here but the proxy.
    let server = server(entry.socks.as_deref().unwrap_or(&entry.url));
    let known: Arc<dyn Backend> = match entry.kind {
        Kind::Claude => Arc::new(claude(entry, key).map_err(bad)?),
        Kind::Openai => Arc::new(openai(entry, key, card(model)).map_err(bad)?),
        Kind::Ollama if entry.model.is_some() => Arc::new(ollama(entry, model, card(model)).map_err(bad)?),
        Kind::Ollama => {
            let models = tokio::time::timeout(AT_START, able(entry)).await;
            let models = models.map(Result::unwrap_or_default).unwrap_or_default();
            let first = models.into_iter().find(|model| {
                // What is in a cloud is not asked for what may stay at home.
                !model.cloud || !entry.is_home() || !is_own
            });
            match first {
                Some(first) => {
                    let known = Arc::new(ollama(entry, &first.name, card(&first.name)).map_err(bad)?);
                    return Ok(Some(Arc::new(Reached::new(known, server))));
                }
                None if !is_own => return Ok(None),
                None => {
                    // The owner has listed it, so it counts, and is asked once it is there.
                    let first = First::new(entry.clone(), cards.clone());
                    return Ok(Some(Arc::new(Reached::first(first, server))));
                }
            }
        }
    };
    Ok(Some(Arc::new(Reached::new(known, server))))
}

/// What people call it: no two entries have one name.
fn named(entry: &Entry, model: &str) -> String {
    format!("{} {model}", entry.name)
}

/// A model of the entry's Ollama server, asked as its card says.
pub(crate) fn ollama(entry: &Entry, model: &str, card: Option<ModelCard>) -> Result<Ollama, BadEndpoint> {
    let ollama = Ollama::new(&entry.url, model, entry.locality)?
        .with_name(&named(entry, model))
        .with_may_receive(entry.may_receive);
    let ollama = match card {
        Some(card) => ollama.with_card(card),
        None => ollama,
    };
    let ollama = match entry.context {
        Some(context) => ollama.with_context(context),
        None => ollama,
    };
    match &entry.socks {
        Some(socks) => ollama.with_deadlines(far()).with_socks(socks),
        None => Ok(ollama),
    }
}

/// The models of the entry's Ollama server that can call tools.
pub(crate) async fn able(entry: &Entry) -> Result<Vec<Installed>, BackendError> {
    let all = ollama(entry, "", None)?.models().await?.into_iter();
    Ok(all.filter(|(_, tools)| *tools == Ability::Yes).map(|(model, _)| model).collect())
}

/// The entry's model, as Claude is asked.
pub(crate) fn claude(entry: &Entry, key: Option<Secret>) -> Result<Claude, BadEndpoint> {
    let model = entry.model.as_deref().unwrap_or_default();
    let claude = Claude::new(key.unwrap_or(Secret::new([])), model)
        .with_name(&named(entry, model))
        .with_url(&entry.url)?
        .with_may_receive(entry.may_receive);
    let claude = match entry.context {
        Some(context) => claude.with_context(context),
        None => claude,
    };
    match &entry.socks {
        Some(socks) => claude.with_deadlines(far()).with_socks(socks),
        None => Ok(claude),
    }
}

/// The entry's model, as servers like OpenAI's are asked, and as its card says.
pub(crate) fn openai(
    entry: &Entry,
    key: Option<Secret>,
    card: Option<ModelCard>,
) -> Result<OpenAi, BadEndpoint> {
    let model = entry.model.as_deref().unwrap_or_default();
    let mut openai = OpenAi::new(&entry.url, model, entry.locality)?
        .with_name(&named(entry, model))
        .with_may_receive(entry.may_receive);
    if let Some(key) = key {
        openai = openai.with_key(key);
    }
    if let Some(card) = card {
        openai = openai.with_card(card);
    }
    if let Some(context) = entry.context {
        openai = openai.with_context(context);
    }
    match &entry.socks {
        Some(socks) => openai.with_deadlines(far()).with_socks(socks),
        None => Ok(openai),
    }
}

/// A proxy such as Tor's takes longer until there is a connection.
fn far() -> Deadlines {
    Deadlines { connect: Duration::from_secs(30), ..Deadlines::default() }
}

/// The backends that were asked for on the command line, in the order in which they are asked.
pub(crate) async fn backends(choice: &ModelChoice) -> Result<Vec<Arc<dyn Backend>>, Trouble> {
    let rules: Arc<dyn Backend> = Arc::new(Phrases);
    Ok(match model(choice).await? {
        Some(model) => {
            let server = server(choice.ollama.as_deref().unwrap_or(USUAL_OLLAMA));
            vec![Arc::new(Reached::new(Arc::new(model), server)), rules]
        }
        None => vec![rules],
    })
}

/// The model that was asked for, or the one that is there.
async fn model(choice: &ModelChoice) -> Result<Option<Ollama>, Trouble> {
    if choice.no_model {
        return Ok(None);
    }
    let url = choice.ollama.as_deref().unwrap_or(USUAL_OLLAMA);
    let locality = locality(url, choice.own_network);
    let bad_url = |error| Trouble::bad_input(format!("{url}: {error}"));
    if let Some(name) = &choice.model {
        return Ollama::new(url, name, locality).map(Some).map_err(bad_url);
    }
    let Some(asked) = &choice.ollama else { return Ok(None) };
    // A wrong URL is told from a server that does not answer.
    Ollama::new(url, "", locality).map_err(bad_url)?;
    match Ollama::discover(url).await {
        Ok(models) => {
            let none = || format!("the server at {asked} has no model that can call tools; pull one first");
            let first = models.first().ok_or_else(|| Trouble::new(Exit::NoAnswer, none()))?;
            Ollama::new(url, &first.name, locality).map(Some).map_err(bad_url)
        }
        // As one that is named and does not answer: the rules go on where they are sure, and else it is told. No model has
        // such a name, so nothing else is asked should the server come up.
        Err(_) => Ollama::new(url, &format!("at {url}"), locality).map(Some).map_err(bad_url),
    }
}

/// Where a URL's machine is: this one, the owner's because the owner says so, or anywhere.
pub(crate) fn locality(url: &str, own_network: bool) -> Locality {
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

/// Whether something listens where an Ollama server usually does.
async fn listens_here() -> bool {
    let address = SocketAddr::from(([127, 0, 0, 1], 11434));
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
            ("socks5h://127.0.0.1:9050", Some(("127.0.0.1", 9050))),
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
