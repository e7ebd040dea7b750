//! `doctor models`: what is wrong with who answers, in plain words, and what to do about it.

use std::fmt;

use archy_assistant::{Ability, BackendError, BackendFault, Categories, Locality, WhenLocalIsDown};
use serde::Serialize;

use super::models::{MOST_NAMES, about};
use crate::backends::{Backends, Entry, Kind};
use crate::cards::Cards;
use crate::cli::Common;
use crate::exit::{Exit, Trouble};
use crate::look::{Look, Seen, look_at};
use crate::model::locality;
use crate::open::data_of;
use crate::terminal::Terminal;

/// A context below this is too small, in tokens.
const NEEDED: u32 = 4096;
/// Why.
const TAKES: &str = "the tools take about 1,200, one thing that is looked up as many again, and the conversation and the answer \
                     the rest";
/// A model that is small, calls tools, and is in Ollama's library.
const ADVISED: &str = "qwen3:4b";

/// One thing that was looked at.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Check {
    /// Which backend it is about; absent where it is about the list.
    backend: Option<String>,
    fine: bool,
    says: String,
    /// What to do about it.
    remedy: Option<String>,
}

/// All that was looked at.
#[derive(Serialize)]
struct Document {
    version: u32,
    exit: Exit,
    checks: Vec<Check>,
}

pub(crate) async fn doctor(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let data = data_of(common)?;
    let list = Backends::read(&data)?;
    let looks = look_at(&data, &list).await?;
    let cards = Cards::read(&data);
    let checks = Doctor { common, list: &list, cards: &cards }.checks(&looks);
    for check in &checks {
        let mark = match (check.fine, &check.remedy) {
            (true, None) => '✓',
            // As it was chosen, which may surprise all the same.
            (true, Some(_)) => '–',
            (false, _) => '✗',
        };
        terminal.quoting(&format!("{mark} {}", check.says))?;
        if let Some(remedy) = &check.remedy {
            terminal.quoting(&format!("    {remedy}"))?;
        }
    }
    let exit = if checks.iter().all(|check| check.fine) { Exit::Done } else { Exit::Failed };
    terminal.document(&Document { version: 1, exit, checks })?;
    Ok(exit)
}

struct Doctor<'a> {
    common: &'a Common,
    list: &'a Backends,
    cards: &'a Cards,
}

impl Doctor<'_> {
    fn checks(&self, looks: &[Look]) -> Vec<Check> {
        let mut checks = Vec::new();
        for (entry, look) in std::iter::zip(&self.list.entries, looks) {
            match look {
                Look::Disabled => {}
                Look::NoKey(why) => {
                    let key = entry.key.as_deref().unwrap_or_default();
                    let remedy = format!("Set one: {}", self.common.command(&format!("secrets set {key}")));
                    checks.push(wrong(entry, format!("cannot be asked: {why}"), remedy));
                }
                Look::Asked(Err(error)) => checks.push(self.no_answer(entry, error)),
                Look::Asked(Ok(seen)) => checks.extend(self.seen(entry, seen)),
            }
            if entry.enabled {
                checks.extend(self.privacy(entry));
            }
        }
        if !self.list.entries.iter().any(|entry| entry.enabled) {
            let first = self.list.entries.first().map(|entry| format!("models enable {}", entry.name));
            let command = self.common.command(first.as_deref().unwrap_or("models add ollama"));
            checks.push(Check {
                backend: None,
                fine: false,
                says: "No model is enabled, so only the node's own rules answer.".to_owned(),
                remedy: Some(format!("Let one answer: {command}")),
            });
        }
        checks
    }

    /// The server did not say what it has.
    fn no_answer(&self, entry: &Entry, error: &BackendError) -> Check {
        let (detail, url) = (why(entry, error), &entry.url);
        let name = &entry.name;
        let set_url = self.common.command(&format!("models set {name} --url URL"));
        let is_page = detail.contains("a web page came");
        match error.class {
            BackendFault::Refused => {
                let key = entry.key.as_deref().unwrap_or(name);
                let set = self.common.command(&format!("secrets set {key}"));
                wrong(entry, format!("{url} refuses the key: {detail}"), format!("Set a right one: {set}"))
            }
            BackendFault::Unreachable if detail.contains("TLS") => wrong(
                entry,
                format!("there is no secure connection: {detail}"),
                format!("Correct the address, or what it says of this system: {set_url}"),
            ),
            BackendFault::Unreachable if entry.kind == Kind::Ollama => wrong(
                entry,
                format!("no server answers at {url}: {detail}"),
                format!("Start it with: ollama serve; or say where it runs: {set_url}"),
            ),
            BackendFault::Unreachable => wrong(
                entry,
                format!("no server answers at {url}: {detail}"),
                format!("Start it, see whether this node is online, or correct the address: {set_url}"),
            ),
            BackendFault::Busy(_) => wrong(
                entry,
                format!("the server at {url} takes no more requests now: {detail}"),
                "Try again in a minute.".to_owned(),
            ),
            _ => {
                let what = match entry.kind {
                    Kind::Ollama => "no Ollama server",
                    Kind::Claude => "not Anthropic's Messages API",
                    Kind::Openai => "no server like OpenAI's",
                };
                let came = if is_page { "a web page came from it" } else { "its answer is not one" };
                wrong(
                    entry,
                    format!("what answers at {url} is {what}: {came} ({detail})"),
                    format!("Correct the address: {set_url}"),
                )
            }
        }
    }

    /// The server said what it has.
    fn seen(&self, entry: &Entry, seen: &Seen) -> Vec<Check> {
        let set_model = self.common.command(&format!("models set {} --model NAME", entry.name));
        let Some(chosen) = &seen.chosen else { return vec![self.nothing_fits(entry, seen, &set_model)] };
        let mut checks = Vec::new();
        let named = entry.model.as_deref().unwrap_or(&chosen.name);
        let card = self.cards.of(entry, named).map(|measured| measured.card);
        // One that follows a schema is brought to choose by it.
        if chosen.tools == Ability::No && !card.is_some_and(|card| card.follows_schema && entry.is_home()) {
            let probe = self.common.command("models --probe");
            let see = if card.is_none() && entry.is_home() {
                format!("; or see whether it follows a schema, and can be asked so: {probe}")
            } else {
                String::new()
            };
            checks.push(wrong(
                entry,
                format!("{} cannot call tools, so it can look up and change nothing", chosen.name),
                format!("Choose one that can: {set_model}; for instance after: ollama pull {ADVISED}{see}"),
            ));
        }
        if chosen.cloud && entry.locality.is_home() {
            let remote = self.common.command(&format!("models set {} --locality remote", entry.name));
            checks.push(wrong(
                entry,
                format!(
                    "{} runs in a cloud, though its server does not, and is not declared remote",
                    chosen.name
                ),
                format!("Say so: {remote}; or choose one that runs here: {set_model}"),
            ));
        }
        if let Some(context) = seen.context.filter(|context| *context < NEEDED) {
            checks.push(wrong(
                entry,
                format!(
                    "the context of {} is {context} tokens and at least {NEEDED} are needed: {TAKES}",
                    chosen.name
                ),
                format!("Choose a model with a longer one: {set_model}"),
            ));
        }
        if checks.is_empty() {
            let tools = match chosen.tools {
                Ability::Yes => ", and can call tools",
                Ability::No => ", and follows a schema",
                Ability::Unknown => "",
            };
            let context = seen.context.map(|context| format!("; its context is {context} tokens"));
            checks.push(Check {
                backend: Some(entry.name.clone()),
                fine: true,
                says: format!(
                    "{}: answers with {}{tools}{}",
                    about(entry),
                    chosen.name,
                    context.unwrap_or_default()
                ),
                remedy: None,
            });
        }
        checks
    }

    /// None of the models that are there can be asked.
    fn nothing_fits(&self, entry: &Entry, seen: &Seen, set_model: &str) -> Check {
        let names: Vec<&str> = seen.models.iter().take(MOST_NAMES).map(|model| model.name.as_str()).collect();
        let has = match names[..] {
            [] => "it has none".to_owned(),
            _ => format!("it has {}", names.join(", ")),
        };
        let url = &entry.url;
        match (&entry.model, entry.kind) {
            (Some(model), Kind::Ollama) => wrong(
                entry,
                format!("the server at {url} has no model {model}; {has}"),
                format!("Get it with: ollama pull {model}; or choose another: {set_model}"),
            ),
            (Some(model), _) => wrong(
                entry,
                format!("the server at {url} has no model {model}; {has}"),
                format!("Choose another: {set_model}"),
            ),
            (None, _) if seen.models.is_empty() => wrong(
                entry,
                format!("the server at {url} has no model"),
                format!("Get one with: ollama pull {ADVISED}"),
            ),
            (None, _) if seen.models.iter().any(|model| model.tools == Ability::Yes) => {
                let remote = self.common.command(&format!("models set {} --locality remote", entry.name));
                wrong(
                    entry,
                    format!(
                        "the only models at {url} that can call tools run in a cloud, which is not declared: {has}"
                    ),
                    format!(
                        "Get one that runs here: ollama pull {ADVISED}; or say that it is remote: {remote}"
                    ),
                )
            }
            (None, _) => wrong(
                entry,
                format!("no model at {url} can call tools: {has}"),
                format!("Get one that can: ollama pull {ADVISED}"),
            ),
        }
    }

    /// What goes there, and when, where that may surprise.
    fn privacy(&self, entry: &Entry) -> Vec<Check> {
        let mut checks = Vec::new();
        if entry.is_home() {
            return checks;
        }
        let is_never_asked = self.list.when == WhenLocalIsDown::Fail && self.list.has_home();
        if entry.may_receive == Categories::NONE && !is_never_asked {
            let allow = self.common.command(&format!("models allow {} system", entry.name));
            checks.push(Check {
                backend: Some(entry.name.clone()),
                fine: true,
                says: format!(
                    "{}: is asked only with what holds nothing of the node; what is looked up is shown to you and stays here",
                    entry.name
                ),
                remedy: Some(format!("Where that is too little: {allow}")),
            });
        }
        if is_never_asked {
            let ask = self.common.command("models when-local-is-down ask");
            checks.push(wrong(
                entry,
                "is enabled and never asked: a model at home is listed, and when-local-is-down is fail"
                    .to_owned(),
                format!("Let it be asked after your yes: {ask}"),
            ));
        }
        if entry.key.is_some()
            && entry.url.starts_with("http://")
            && entry.socks.is_none()
            && locality(&entry.url, false) != Locality::OnNode
        {
            let set_url = self.common.command(&format!("models set {} --url https://…", entry.name));
            checks.push(wrong(
                entry,
                format!("what goes to {} is not encrypted on its way, its key included", entry.url),
                format!("Use an https address: {set_url}"),
            ));
        }
        checks
    }
}

/// The error's words, without the address that stands before them.
pub(super) fn why<'a>(entry: &Entry, error: &'a BackendError) -> &'a str {
    let words = error.detail.strip_prefix(entry.url.trim_end_matches('/'));
    words.and_then(|words| words.trim_start_matches('/').strip_prefix(": ")).unwrap_or(&error.detail)
}

fn wrong(entry: &Entry, says: impl fmt::Display, remedy: String) -> Check {
    Check {
        backend: Some(entry.name.clone()),
        fine: false,
        says: format!("{}: {says}", entry.name),
        remedy: Some(remedy),
    }
}
