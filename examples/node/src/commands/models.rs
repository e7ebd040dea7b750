//! `models`: who answers, in which order, and what may go there; seen and changed.

use archy_assistant::{
    Ability, BadEndpoint, Categories, Clock, Locality, ModelCard, SystemClock, WhenLocalIsDown,
};
use serde_json::{Value, json};

use super::doctor::why;
use crate::backends::{self, Backends, Entry, Fields, Kind};
use crate::cards::{self, Cards, Measured};
use crate::cli::{Common, How, ModelsCommand};
use crate::data::Data;
use crate::exit::{Exit, Trouble};
use crate::look::{Look, Seen, look_at};
use crate::model;
use crate::open::data_of;
use crate::secrets;
use crate::terminal::{Terminal, tell};

pub(crate) async fn models(
    common: &Common,
    terminal: Terminal,
    probe: bool,
    change: Option<ModelsCommand>,
) -> Result<Exit, Trouble> {
    let data = data_of(common)?;
    match change {
        None | Some(ModelsCommand::List) => list(&data, terminal, common, probe).await,
        Some(change) => apply(&data, terminal, common, change),
    }
}

async fn list(data: &Data, terminal: Terminal, common: &Common, measured: bool) -> Result<Exit, Trouble> {
    let list = Backends::read(data)?;
    let looks = look_at(data, &list).await?;
    let (cards, failed) =
        if measured { measure(data, &list, &looks).await? } else { (Cards::read(data), false) };
    let places = places(&list);
    let mut rows: Vec<(usize, &Entry, &Look)> = std::iter::zip(&list.entries, &looks)
        .enumerate()
        .map(|(at, (entry, look))| (at, entry, look))
        .collect();
    rows.sort_by_key(|(at, ..)| (places[*at].unwrap_or(usize::MAX), *at));
    let keys: Vec<String> = secrets::list(data)?.into_iter().map(|kept| kept.name).collect();
    for (at, entry, look) in &rows {
        let place = places[*at].map_or("-".to_owned(), |place| place.to_string());
        terminal.quoting(&format!("{place}  {}{}", about(entry), asked(entry, &list)))?;
        terminal.quoting(&format!("     {}", state(entry, look)))?;
        if let Some(measured) = measured_of(&cards, entry, look) {
            terminal.quoting(&format!("     {} (measured {})", cards::about(&measured.card), measured.at))?;
        }
        terminal.quoting(&format!("     {}", receives(entry)))?;
    }
    terminal.line(
        "The node's own rules answer where they are sure of what is meant, and no model at home does.",
    )?;
    terminal.line(&format!("Change this with: {}", common.command("models --help")))?;
    let row = |(at, entry, look): (usize, &Entry, &Look)| {
        let mut row = row(entry, look, places[at], &keys);
        row["card"] = json!(measured_of(&cards, entry, look).map(|measured| &measured.card));
        row
    };
    let rows: Vec<Value> = rows.into_iter().map(row).collect();
    terminal.document(&json!({"version": 1, "when_local_is_down": list.when, "models": rows}))?;
    Ok(if failed { Exit::NoAnswer } else { Exit::Done })
}

/// What was measured of the model that is asked.
fn measured_of<'a>(cards: &'a Cards, entry: &Entry, look: &Look) -> Option<&'a Measured> {
    let chosen = match look {
        Look::Asked(Ok(seen)) => seen.chosen.as_ref().map(|chosen| chosen.name.as_str()),
        _ => None,
    };
    cards.of(entry, entry.model.as_deref().or(chosen)?)
}

/// Measures each model at home that is there; whether one could not be. A remote one is asked as its vendor means it,
/// whatever could be measured.
async fn measure(data: &Data, list: &Backends, looks: &[Look]) -> Result<(Cards, bool), Trouble> {
    let (mut measured, mut failed) = (Vec::new(), false);
    for (entry, look) in std::iter::zip(&list.entries, looks) {
        let Look::Asked(Ok(Seen { chosen: Some(chosen), .. })) = look else { continue };
        if !entry.is_home() || chosen.cloud {
            tell(&format!("{} runs elsewhere and is not measured.", entry.name));
            continue;
        }
        let model = entry.model.as_deref().unwrap_or(&chosen.name);
        tell(&format!("Measuring {} {model}; a slow model takes minutes.", entry.name));
        match card(data, entry, model).await {
            Ok(card) => measured.push((entry, Measured::new(entry, model, SystemClock.now(), card))),
            Err(why) => {
                failed = true;
                tell(&format!("{} could not be measured: {why}", entry.name));
            }
        }
    }
    Ok((Cards::keep(data, measured)?, failed))
}

async fn card(data: &Data, entry: &Entry, model: &str) -> Result<ModelCard, String> {
    let bad = |error: BadEndpoint| error.to_string();
    let card = match entry.kind {
        Kind::Ollama => model::ollama(entry, model, None).map_err(bad)?.measure().await,
        Kind::Openai => {
            let key = model::keyed(data, entry)?;
            model::openai(entry, key, None).map_err(bad)?.measure().await
        }
        Kind::Claude => return Err("it runs elsewhere".to_owned()),
    };
    card.map_err(|error| error.detail)
}

/// In which order the enabled ones are asked, from 1: those at home first.
fn places(list: &Backends) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..list.entries.len()).filter(|at| list.entries[*at].enabled).collect();
    order.sort_by_key(|at| (!list.entries[*at].is_home(), *at));
    let mut places = vec![None; list.entries.len()];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = Some(place + 1);
    }
    places
}

/// Which it is, and where it runs.
pub(crate) fn about(entry: &Entry) -> String {
    let model = entry.model.as_deref().unwrap_or("the first model that can call tools");
    let place = match entry.place() {
        Locality::OnNode => "on this node",
        Locality::OwnNetwork => "on your own network",
        Locality::Remote => "elsewhere",
    };
    let proxy = entry.socks.as_deref().map(|socks| format!(" through {socks}")).unwrap_or_default();
    let most = entry.context.map(|most| format!(", at most {most} tokens at once")).unwrap_or_default();
    format!("{}: {model} at {}{proxy}, {place}{most}", entry.name, entry.url)
}

/// When it is asked.
fn asked(entry: &Entry, list: &Backends) -> &'static str {
    match list.when {
        _ if !entry.enabled => "; disabled",
        _ if entry.is_home() || !list.has_home() => "",
        WhenLocalIsDown::Ask => "; after your yes, when no model at home answers",
        WhenLocalIsDown::Fail => "; never, while a model at home is listed",
        WhenLocalIsDown::UseRemote => "; when no model at home answers",
    }
}

fn state(entry: &Entry, look: &Look) -> String {
    match look {
        Look::Disabled => "not looked at".to_owned(),
        Look::NoKey(why) => format!("cannot be asked: {why}"),
        Look::Asked(Err(error)) => format!("does not answer: {}", why(entry, error)),
        Look::Asked(Ok(seen)) => {
            let names: Vec<&str> =
                seen.models.iter().take(MOST_NAMES).map(|model| model.name.as_str()).collect();
            let more = seen.models.len().saturating_sub(MOST_NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            match &seen.chosen {
                _ if names.is_empty() => "answers; it has no model".to_owned(),
                Some(chosen) => format!("answers with {}; it has {}{more}", chosen.name, names.join(", ")),
                None => format!("answers, but not with this model; it has {}{more}", names.join(", ")),
            }
        }
    }
}

/// So many names of models are shown.
pub(crate) const MOST_NAMES: usize = 8;

/// What may go there.
fn receives(entry: &Entry) -> String {
    if entry.is_home() {
        return "gets what you say, and what it looks up in whatever is open".to_owned();
    }
    match entry.may_receive {
        Categories::NONE => "gets what you say, and nothing that the node knows".to_owned(),
        categories => format!("gets what you say, and, where it is open, data of: {categories}"),
    }
}

fn row(entry: &Entry, look: &Look, place: Option<usize>, keys: &[String]) -> Value {
    let (answers, why, seen) = match look {
        Look::Disabled => (None, None, None),
        Look::NoKey(why) => (Some(false), Some(why.clone()), None),
        Look::Asked(Err(error)) => (Some(false), Some(why(entry, error).to_owned()), None),
        Look::Asked(Ok(seen)) => (Some(seen.chosen.is_some()), None, Some(seen)),
    };
    let has: Vec<Value> = seen.map(|seen| seen.models.iter().map(listed).collect()).unwrap_or_default();
    let chosen = seen.and_then(|seen| seen.chosen.as_ref()).map(|chosen| &chosen.name);
    json!({
        "place": place, "name": entry.name, "kind": entry.kind, "url": entry.url, "model": entry.model,
        "locality": entry.place(), "enabled": entry.enabled, "may_receive": entry.may_receive,
        "socks": entry.socks, "key": entry.key, "has_key": entry.key.as_ref().map(|key| keys.contains(key)),
        "answers": answers, "why": why, "answers_with": chosen, "has": has,
        "context": seen.and_then(|seen: &Seen| seen.context), "context_limit": entry.context,
    })
}

fn listed(model: &crate::look::Model) -> Value {
    let tools = match model.tools {
        Ability::Yes => Some(true),
        Ability::No => Some(false),
        Ability::Unknown => None,
    };
    json!({"name": model.name, "tools": tools, "cloud": model.cloud})
}

/// Changes the list, and says how it is now.
fn apply(data: &Data, terminal: Terminal, common: &Common, change: ModelsCommand) -> Result<Exit, Trouble> {
    let model = common.model.model.clone();
    let (name, list) = match change {
        ModelsCommand::List => return Ok(Exit::Done),
        ModelsCommand::Add { kind, url, name, how } => {
            let url = url.or_else(|| kind.usual_url().map(str::to_owned));
            let called = name.clone().unwrap_or_else(|| kind.name().to_owned());
            let fields = Fields {
                kind: Some(kind),
                name,
                url,
                model,
                locality: how.locality,
                enabled: None,
                may_receive: None,
                socks: how.socks,
                key: how.key,
                context: how.context,
            };
            (Some(called), backends::add(data, &fields)?)
        }
        ModelsCommand::Set { name, url, how } => {
            let How { locality, socks, key, context } = how;
            let fields = Fields { url, model, locality, socks, key, context, ..Fields::default() };
            if fields.is_empty() {
                let says =
                    "nothing was said to change: --model, --url, --locality, --socks, --key or --context";
                return Err(Trouble::bad_input(says));
            }
            let list = backends::apply(data, &name, |_| fields)?;
            (Some(name), list)
        }
        ModelsCommand::Remove { name } => {
            let list = backends::remove(data, &name)?;
            terminal.line(&format!("{name} is no longer in the list."))?;
            (None, list)
        }
        ModelsCommand::Enable { name } => enabled(data, name, true)?,
        ModelsCommand::Disable { name } => enabled(data, name, false)?,
        ModelsCommand::First { name } => {
            let list = backends::to_the_front(data, &name)?;
            (Some(name), list)
        }
        ModelsCommand::Allow { name, categories } => {
            let more: Categories = categories.into_iter().collect();
            receiving(data, name, |now| now.union(more))?
        }
        ModelsCommand::Deny { name, categories, all } => {
            let less: Categories = if all { Categories::ALL } else { categories.into_iter().collect() };
            receiving(data, name, |now| now.difference(less))?
        }
        ModelsCommand::WhenLocalIsDown { what } => {
            let list = backends::when_local_is_down(data, what)?;
            terminal.line(match what {
                WhenLocalIsDown::Ask => {
                    "When no model at home answers, you are asked before anything goes to a remote one."
                }
                WhenLocalIsDown::Fail => "When no model at home answers, nothing goes to a remote one.",
                WhenLocalIsDown::UseRemote => {
                    "When no model at home answers, the remote ones are asked without a question."
                }
            })?;
            (None, list)
        }
    };
    let entry = name.as_deref().map(|name| list.named(name)).transpose()?.map(|(_, entry)| entry);
    if let Some(entry) = entry {
        terminal.line(&format!("{}{}.", about(entry), asked(entry, &list)))?;
        terminal.line(&format!("It {}.", receives(entry)))?;
        advise(data, entry, common)?;
    }
    // A running node has read its list when it started.
    let running = data.try_lock()?.is_none();
    if running {
        tell("The running node keeps its list until it is started again.");
    }
    let names: Vec<&String> = list.entries.iter().map(|entry| &entry.name).collect();
    terminal.document(&json!({
        "version": 1, "when_local_is_down": list.when, "names": names, "file": backends::path(data),
        "changed": entry.map(|entry| json!({
            "name": entry.name, "kind": entry.kind, "url": entry.url, "model": entry.model,
            "locality": entry.place(), "enabled": entry.enabled, "may_receive": entry.may_receive,
        })),
        "restart_needed": running,
    }))?;
    Ok(Exit::Done)
}

fn enabled(data: &Data, name: String, enabled: bool) -> Result<(Option<String>, Backends), Trouble> {
    let list = backends::apply(data, &name, |_| Fields { enabled: Some(enabled), ..Fields::default() })?;
    Ok((Some(name), list))
}

fn receiving(
    data: &Data,
    name: String,
    change: impl FnOnce(Categories) -> Categories,
) -> Result<(Option<String>, Backends), Trouble> {
    let list = backends::apply(data, &name, |entry| Fields {
        may_receive: Some(change(entry.may_receive)),
        ..Fields::default()
    })?;
    Ok((Some(name), list))
}

/// What is still to do before it can answer.
fn advise(data: &Data, entry: &Entry, common: &Common) -> Result<(), Trouble> {
    if entry.enabled
        && let Some(key) = &entry.key
        && !secrets::list(data)?.iter().any(|kept| kept.name == *key)
    {
        let set = common.command(&format!("secrets set {key}"));
        if entry.kind == Kind::Claude {
            tell(&format!("It cannot be asked before it has a key: {set}"));
        } else if !entry.is_home() {
            tell(&format!("Where it needs a key: {set}"));
        }
    }
    Ok(())
}
