//! From the file's text to the list; what is wrong names its line.

use std::ops::Range;

use archy_assistant::{BadEndpoint, Categories, Category, Locality, OpenAi, Shown, WhenLocalIsDown};
use serde::Deserialize;
use toml::Spanned;

use super::{Backends, Entry, Kind};
use crate::model::locality;

/// So many at most.
const MOST: usize = 32;
/// A smaller context holds not even what every model is told.
const LEAST_CONTEXT: u32 = 2048;
/// What a person asks Claude for where nobody has said otherwise.
const CLAUDE: &str = "claude-sonnet-4-5";

/// What is in the file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    #[serde(default)]
    when_local_is_down: WhenLocalIsDown,
    #[serde(default)]
    backend: Vec<Spanned<WrittenEntry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenEntry {
    kind: Kind,
    name: Option<Spanned<String>>,
    url: Option<Spanned<String>>,
    model: Option<Spanned<String>>,
    locality: Option<Spanned<Locality>>,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    may_receive: Vec<Spanned<String>>,
    socks: Option<Spanned<String>>,
    key: Option<Spanned<String>>,
    context: Option<Spanned<u32>>,
}

fn yes() -> bool {
    true
}

/// What is wrong, and where.
type Wrong = (Range<usize>, String);

impl Backends {
    /// Reads the file's text; what is wrong comes as the rest of a sentence that begins with the file's name.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let line = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
        let written: Written = toml::from_str(text).map_err(|error| {
            let place = error.span().map(|span| format!(", line {}", line(span.start)));
            format!("{}: {}", place.unwrap_or_default(), error.message().replace('\n', " "))
        })?;
        let told = |(span, says): Wrong| format!(", line {}: {says}", line(span.start));
        let mut entries: Vec<Entry> = Vec::new();
        for written in written.backend {
            let span = written.span();
            let entry = entry(written).map_err(told)?;
            if entries.len() == MOST {
                return Err(told((span, format!("there are more than {MOST} backends"))));
            }
            if entries.iter().any(|other| other.name == entry.name) {
                let name = &entry.name;
                return Err(told((
                    span,
                    format!("two backends are called {name:?}; give one of them a name"),
                )));
            }
            entries.push(entry);
        }
        Ok(Self { when: written.when_local_is_down, entries, is_own: true })
    }
}

fn entry(written: Spanned<WrittenEntry>) -> Result<Entry, Wrong> {
    let span = written.span();
    let written = written.into_inner();
    let kind = written.kind;
    let name = match &written.name {
        Some(name) if is_name(name.get_ref()) => name.get_ref().clone(),
        Some(name) => {
            let says = "is no name; it has up to 32 of a to z, 0 to 9 and -, and begins with a letter";
            return Err((name.span(), format!("{:?} {says}", name.get_ref())));
        }
        None => kind.name().to_owned(),
    };
    let url = match (&written.url, kind.usual_url()) {
        (Some(url), _) => url.get_ref().clone(),
        (None, Some(usual)) => usual.to_owned(),
        (None, None) => return Err((span, format!("{name} needs a url"))),
    };
    let bad =
        |at: Option<Range<usize>>| move |error: BadEndpoint| (at.unwrap_or_default(), error.to_string());
    let server =
        OpenAi::new(&url, "", Locality::Remote).map_err(bad(written.url.as_ref().map(Spanned::span)))?;
    if let Some(socks) = &written.socks {
        server.with_socks(socks.get_ref()).map_err(bad(Some(socks.span())))?;
    }
    let model = match (written.model, kind) {
        (Some(model), _) if is_model(model.get_ref()) => Some(model.into_inner()),
        (Some(model), _) => {
            return Err((model.span(), format!("{:?} is no name of a model", model.get_ref())));
        }
        (None, Kind::Ollama) => None,
        (None, Kind::Claude) => Some(CLAUDE.to_owned()),
        (None, Kind::Openai) => return Err((span, format!("{name} needs a model"))),
    };
    let locality = match (written.locality, kind) {
        (Some(declared), Kind::Claude) if declared.get_ref().is_home() => {
            return Err((declared.span(), "Claude runs elsewhere; its locality is \"remote\"".to_owned()));
        }
        (_, Kind::Claude) => Locality::Remote,
        (Some(declared), _) => declared.into_inner(),
        (None, _) => locality(&url, false),
    };
    let mut may_receive = Categories::NONE;
    for named in &written.may_receive {
        let category: Category = named
            .get_ref()
            .parse()
            .map_err(|error| (named.span(), format!("{:?} is no category: {error}", named.get_ref())))?;
        may_receive = may_receive.with(category);
    }
    let key = match (written.key, kind) {
        (Some(key), Kind::Ollama) => return Err((key.span(), "an Ollama server takes no key".to_owned())),
        (Some(key), _) if is_name(key.get_ref()) => Some(key.into_inner()),
        // It may be the key itself, so it is not said back.
        (Some(key), _) => {
            let says = "key takes the name of a secret, never the key itself; see: archy-node secrets --help";
            return Err((key.span(), says.to_owned()));
        }
        (None, Kind::Ollama) => None,
        (None, Kind::Claude) => Some("claude".to_owned()),
        (None, Kind::Openai) => Some(name.clone()),
    };
    let context = written.context.map(|context| match *context.get_ref() {
        tokens @ LEAST_CONTEXT.. => Ok(tokens),
        tokens => Err((
            context.span(),
            format!("a context of {tokens} tokens holds no conversation; at least {LEAST_CONTEXT}"),
        )),
    });
    let (enabled, socks) = (written.enabled, written.socks.map(Spanned::into_inner));
    Ok(Entry {
        name,
        kind,
        url,
        model,
        locality,
        enabled,
        may_receive,
        socks,
        key,
        context: context.transpose()?,
    })
}

/// Whether a backend, or a secret, can be called so.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    text.len() <= 32 && text.bytes().all(plain) && text.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
}

/// Whether a model can be called so: it is shown in questions, on one line.
fn is_model(text: &str) -> bool {
    (1..=200).contains(&text.len()) && text.trim() == text && Shown::line(text).as_str() == text
}

#[cfg(test)]
mod tests {
    use super::super::FRESH;
    use super::*;

    #[test]
    fn the_list_that_a_new_node_has() {
        let list = Backends::parse(FRESH).unwrap();
        let entry =
            |name: &str, kind, url: &str, model: Option<&str>, locality, enabled, key: Option<&str>| Entry {
                name: name.to_owned(),
                kind,
                url: url.to_owned(),
                model: model.map(str::to_owned),
                locality,
                enabled,
                may_receive: Categories::NONE,
                socks: None,
                key: key.map(str::to_owned),
                context: None,
            };
        let here = "http://127.0.0.1:11434";
        let there = "https://api.anthropic.com";
        let entries = vec![
            entry("ollama", Kind::Ollama, here, None, Locality::OnNode, true, None),
            entry("claude", Kind::Claude, there, Some(CLAUDE), Locality::Remote, false, Some("claude")),
        ];
        assert_eq!(list, Backends { when: WhenLocalIsDown::Ask, entries, is_own: true });
        assert_eq!(Backends::parse("").unwrap().entries, []);
    }

    #[test]
    fn what_is_declared_counts_and_nothing_is_nearer_than_declared() {
        for (written, place) in [
            ("kind = \"ollama\"\nurl = \"http://10.0.0.7:11434\"", Locality::Remote),
            (
                "kind = \"ollama\"\nurl = \"http://10.0.0.7:11434\"\nlocality = \"own-network\"",
                Locality::OwnNetwork,
            ),
            ("kind = \"ollama\"\nlocality = \"remote\"", Locality::Remote),
            ("kind = \"ollama\"\nmodel = \"glm-4.6:cloud\"", Locality::Remote),
            ("kind = \"ollama\"\nmodel = \"gpt-oss:120b-cloud\"\nlocality = \"on-node\"", Locality::Remote),
            ("kind = \"openai\"\nurl = \"http://localhost:1234/v1\"\nmodel = \"m\"", Locality::OnNode),
            ("kind = \"openai\"\nurl = \"https://openrouter.ai/api/v1\"\nmodel = \"m\"", Locality::Remote),
            ("kind = \"claude\"\nurl = \"http://127.0.0.1:8080\"", Locality::Remote),
        ] {
            let list = Backends::parse(&format!("[[backend]]\n{written}\n")).unwrap();
            assert_eq!(list.entries[0].place(), place, "{written}");
        }
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        for (text, wrong) in [
            (
                "when-local-is-down = \"hope\"",
                ", line 1: unknown variant `hope`, expected one of `ask`, `fail`, `use-remote`",
            ),
            ("\n[[backend]]\n", ", line 2: missing field `kind`"),
            (
                "[[backend]]\nkind = \"gpt\"",
                ", line 2: unknown variant `gpt`, expected one of `ollama`, `claude`, `openai`",
            ),
            ("[[backend]]\nkind = \"openai\"\nmodel = \"m\"", ", line 1: openai needs a url"),
            ("[[backend]]\nkind = \"openai\"\nurl = \"http://x\"", ", line 1: openai needs a model"),
            ("[[backend]]\nkind = \"ollama\"\nmodel = \"\"", ", line 3: \"\" is no name of a model"),
            (
                "[[backend]]\nkind = \"ollama\"\nmodel = \"a\\nb\"",
                ", line 3: \"a\\nb\" is no name of a model",
            ),
            (
                "[[backend]]\nkind = \"ollama\"\nname = \"My PC\"",
                ", line 3: \"My PC\" is no name; it has up to 32 of a to z, 0 to 9 and -, and begins with a letter",
            ),
            (
                "[[backend]]\nkind = \"ollama\"\nurl = \"ftp://x\"",
                ", line 3: a backend's address begins with http:// or https:// and names a host",
            ),
            (
                "[[backend]]\nkind = \"claude\"\nurl = \"https://me:word@x\"",
                ", line 3: a backend's address holds no name and no password",
            ),
            (
                "[[backend]]\nkind = \"claude\"\nlocality = \"on-node\"",
                ", line 3: Claude runs elsewhere; its locality is \"remote\"",
            ),
            (
                "[[backend]]\nkind = \"claude\"\nsocks = \"socks5://127.0.0.1:9050\"",
                ", line 3: a proxy's address begins with socks5h:// and names a host",
            ),
            (
                "[[backend]]\nkind = \"ollama\"\nsocks = \"127.0.0.1:9050\"",
                ", line 3: a proxy's address begins with socks5h:// and names a host",
            ),
            (
                "[[backend]]\nkind = \"ollama\"\ncontext = 512",
                ", line 3: a context of 512 tokens holds no conversation; at least 2048",
            ),
            ("[[backend]]\nkind = \"ollama\"\nkey = \"x\"", ", line 3: an Ollama server takes no key"),
            (
                "[[backend]]\nkind = \"claude\"\nkey = \"sk-ant-CANARY\"",
                ", line 3: key takes the name of a secret, never the key itself; see: archy-node secrets --help",
            ),
            (
                "[[backend]]\nkind = \"ollama\"\n\n[[backend]]\nkind = \"ollama\"",
                ", line 4: two backends are called \"ollama\"; give one of them a name",
            ),
        ] {
            assert_eq!(Backends::parse(text).unwrap_err(), wrong, "{text}");
        }
        let wrong =
            Backends::parse("[[backend]]\nkind = \"claude\"\nmay-receive = [\n  \"apps\",\n  \"all\",\n]")
                .unwrap_err();
        assert!(
            wrong.starts_with(", line 5: \"all\" is no category: no such category; there are: apps"),
            "{wrong}"
        );
        let wrong =
            Backends::parse("[[backend]]\nkind = \"claude\"\napi-key = \"sk-ant-CANARY\"").unwrap_err();
        assert!(
            wrong.starts_with(", line 3: unknown field `api-key`") && !wrong.contains("CANARY"),
            "{wrong}"
        );
    }
}
