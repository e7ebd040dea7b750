//! How the backends of the list are: each server is asked for its models, with its key, and without a word of any
//! conversation.

use std::time::Duration;

use archy_assistant::{Ability, BackendError, BackendFault, Deadlines};
use tokio::task::JoinSet;

use crate::backends::{Backends, Entry, Kind};
use crate::data::Data;
use crate::exit::Trouble;
use crate::model;

/// How long a server may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same through a proxy.
const FAR: Duration = Duration::from_secs(45);

/// What came of looking at one backend.
#[derive(Debug)]
pub(crate) enum Look {
    /// It is disabled, and was left alone.
    Disabled,
    /// It cannot be asked without a key: why.
    NoKey(String),
    /// Its server was asked.
    Asked(Result<Seen, BackendError>),
}

/// What a server has.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) models: Vec<Model>,
    /// The model that is asked: the one that is named, or the first that fits; none where none does.
    pub(crate) chosen: Option<Model>,
    /// The longest context of that model, in tokens, where the server says it.
    pub(crate) context: Option<u32>,
}

/// A model on its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) name: String,
    /// Whether it can call tools.
    pub(crate) tools: Ability,
    /// Whether the server hands it on to a cloud.
    pub(crate) cloud: bool,
}

/// Looks at all of them at once; what is found stands in the list's order.
pub(crate) async fn look_at(data: &Data, list: &Backends) -> Result<Vec<Look>, Trouble> {
    let mut looking = JoinSet::new();
    for (place, entry) in list.entries.iter().enumerate() {
        let (entry, key) = (entry.clone(), model::keyed(data, entry));
        looking.spawn(async move {
            let look = match key {
                _ if !entry.enabled => Look::Disabled,
                Err(why) => Look::NoKey(why),
                Ok(key) => {
                    let patience = if entry.socks.is_some() { FAR } else { PATIENCE };
                    let asked = tokio::time::timeout(patience, ask(&entry, key)).await;
                    Look::Asked(asked.unwrap_or_else(|_| {
                        let detail = format!("{} did not answer for {} s", entry.url, patience.as_secs());
                        Err(BackendError { class: BackendFault::Unreachable, detail })
                    }))
                }
            };
            (place, look)
        });
    }
    let mut looks: Vec<(usize, Look)> = Vec::new();
    while let Some(look) = looking.join_next().await {
        looks.push(look.map_err(|error| Trouble::failed(error.to_string()))?);
    }
    looks.sort_by_key(|(place, _)| *place);
    Ok(looks.into_iter().map(|(_, look)| look).collect())
}

async fn ask(entry: &Entry, key: Option<archy_assistant::Secret>) -> Result<Seen, BackendError> {
    let names = match entry.kind {
        Kind::Ollama => return ollama(entry).await,
        Kind::Claude => model::claude(entry, key)?.with_deadlines(deadlines(entry)).models().await?,
        Kind::Openai => model::openai(entry, key, None)?.with_deadlines(deadlines(entry)).models().await?,
    };
    let known = |name: String| Model { name, tools: Ability::Unknown, cloud: false };
    let models: Vec<Model> = names.into_iter().map(known).collect();
    let chosen = models.iter().find(|model| Some(&model.name) == entry.model.as_ref()).cloned();
    Ok(Seen { models, chosen, context: None })
}

async fn ollama(entry: &Entry) -> Result<Seen, BackendError> {
    let server = model::ollama(entry, "", None)?.with_deadlines(deadlines(entry));
    let installed = server.models().await?;
    let known = |(model, tools): (archy_assistant::Installed, Ability)| Model {
        name: model.name,
        tools,
        cloud: model.cloud,
    };
    let models: Vec<Model> = installed.into_iter().map(known).collect();
    let chosen = match &entry.model {
        Some(named) => models.iter().find(|model| is_same(&model.name, named)),
        None => models.iter().find(|model| model.tools == Ability::Yes && (!model.cloud || !entry.is_home())),
    };
    let chosen = chosen.cloned();
    let mut seen = Seen { models, chosen, context: None };
    if let Some(chosen) = &mut seen.chosen
        && let Ok(model) = model::ollama(entry, &chosen.name, None)
    {
        let probe = model.probe().await?;
        chosen.cloud = chosen.cloud || probe.cloud;
        seen.context = probe.context;
    }
    Ok(seen)
}

/// Ollama takes a name without a tag for the one that is tagged `latest`.
fn is_same(listed: &str, named: &str) -> bool {
    listed == named || listed.strip_suffix(":latest") == Some(named)
}

fn deadlines(entry: &Entry) -> Deadlines {
    let connect = if entry.socks.is_some() { FAR } else { Duration::from_secs(3) };
    Deadlines { connect, silence: PATIENCE.max(connect), ..Deadlines::default() }
}
