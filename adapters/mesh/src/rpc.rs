//! The radio's two methods of the JSON-RPC door, by name: for a daemon that has `mesh.*` methods of its own already.
//!
//! The host authenticates; here it is looked at once more that the owner sits at the node's own page or terminal.

#[cfg(feature = "jsonrpc")]
mod module;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use archy_assistant::{Caller, Categories, Category, Principal, Shown};
use archy_wire::{self as wire, Code, Fault, MeshConfigure, MeshContact, MeshStatus, MeshStrangers};
#[cfg(feature = "jsonrpc")]
pub use module::module;
use serde_json::Value;

use crate::{ContactKey, LinkState, Radio, Settings, Status, Strangers};

/// The names of the methods, with the namespace under which daemons know them.
pub const METHODS: [&str; 2] = ["mesh.assistant-status", "mesh.assistant-configure"];

/// What the host knows that the radio does not: who would answer, and where settings are kept.
pub trait RadioHost: Send + Sync {
    /// Who answers first, as its owner calls it; `None` where there is no model.
    fn backend(&self) -> Option<String>;
    /// Whether an Ollama server was found.
    fn ollama_detected(&self) -> bool;
    /// The models that could answer.
    fn models(&self) -> Vec<String>;
    /// Keeps the owner's settings, before they count.
    ///
    /// # Errors
    /// Where they cannot be kept; then they do not count.
    fn keep(&self, settings: &Settings) -> io::Result<()>;
}

/// Does what the method of this name does. `params` are an object; a dispatcher that reads it out of text refuses names that
/// are given twice, as `archy_jsonrpc::params` does.
///
/// # Errors
/// [`Code::Forbidden`] for whoever is not the owner at the node's own page or terminal, [`Code::BadParams`] for a key that
/// is none, [`Code::Store`] where the settings cannot be kept, [`Code::NoMethod`] for any other name. Nothing is changed then.
pub fn call(
    radio: &Radio,
    host: &dyn RadioHost,
    caller: &Caller,
    method: &str,
    params: Value,
) -> Result<Value, Fault> {
    if !caller.is_chrome() || *caller.principal() != Principal::owner() {
        return Err(Fault::new(
            Code::Forbidden,
            "only the owner at the node's own page or terminal may do this",
        ));
    }
    match method {
        "mesh.assistant-status" => {
            let wire::Nothing {} =
                read(if params.is_null() { Value::Object(serde_json::Map::new()) } else { params })?;
        }
        "mesh.assistant-configure" => {
            let _alone = radio.changing();
            let settings = configured(radio.settings(), read(params)?)?;
            host.keep(&settings)
                .map_err(|_| Fault::new(Code::Store, "the node could not keep the settings"))?;
            radio.configure(settings);
        }
        _ => return Err(Fault::new(Code::NoMethod, "there is no such method")),
    }
    serde_json::to_value(status(radio, host)).map_err(|error| Fault::new(Code::Store, error.to_string()))
}

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, Fault> {
    let nothing = params.is_null() || params.as_array().is_some_and(Vec::is_empty);
    let named = if nothing { Value::Object(serde_json::Map::new()) } else { params };
    if !named.is_object() {
        return Err(bad("parameters go by name, as an object"));
    }
    serde_json::from_value(named).map_err(|error| bad(&error.to_string()))
}

fn bad(says: &str) -> Fault {
    Fault::new(Code::BadParams, Shown::line(says).to_string())
}

/// The settings with what was asked for. Each list is taken whole or not at all.
///
/// # Errors
/// [`Code::BadParams`] where a key is none, a category is unknown, or more than the whole hour is asked for.
pub fn configured(mut settings: Settings, change: MeshConfigure) -> Result<Settings, Fault> {
    let MeshConfigure {
        enabled,
        trusted_only,
        allowed_contacts,
        denied_askers,
        owner_keys,
        strangers,
        categories,
        contact_categories,
        airtime_permille,
    } = change;
    let admission = &mut settings.admission;
    set(&mut admission.enabled, enabled);
    set(&mut admission.trusted_only, trusted_only);
    set(&mut admission.allowed_contacts, allowed_contacts.as_deref().map(keys).transpose()?);
    set(&mut admission.denied_askers, denied_askers.as_deref().map(keys).transpose()?);
    set(&mut admission.owner_keys, owner_keys.as_deref().map(keys).transpose()?);
    set(&mut admission.categories, categories.map(opened).transpose()?);
    set(
        &mut admission.strangers,
        strangers.map(|strangers| match strangers {
            MeshStrangers::Refused => Strangers::Refused,
            MeshStrangers::AnswerEveryoneInReach => Strangers::AnswerEveryoneInReach,
        }),
    );
    let by_contact = contact_categories.map(|all| {
        let one = |(key, categories): (String, Vec<wire::Category>)| Ok((parsed(&key)?, opened(categories)?));
        all.into_iter().map(one).collect::<Result<BTreeMap<_, _>, Fault>>()
    });
    set(&mut admission.contact_categories, by_contact.transpose()?);
    if airtime_permille.is_some_and(|permille| permille > 1000) {
        return Err(bad("an hour has 1000 thousandths"));
    }
    set(&mut settings.airtime.permille, airtime_permille);
    Ok(settings)
}

fn set<T>(to: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *to = value;
    }
}

fn parsed(key: &str) -> Result<ContactKey, Fault> {
    key.parse().map_err(|error: crate::BadKey| bad(&error.to_string()))
}

fn keys(keys: &[String]) -> Result<BTreeSet<ContactKey>, Fault> {
    keys.iter().map(|key| parsed(key)).collect()
}

fn opened(categories: Vec<wire::Category>) -> Result<Categories, Fault> {
    let one = |category: wire::Category| {
        let name = serde_json::to_value(category).ok().and_then(|name| name.as_str().map(str::to_owned));
        let known = name.and_then(|name| name.parse::<Category>().ok());
        known.ok_or_else(|| bad(&format!("there are the categories {}", Categories::ALL)))
    };
    categories.into_iter().map(one).collect()
}

fn to_wire(categories: Categories) -> Vec<wire::Category> {
    categories.iter().filter_map(|category| serde_json::from_value(category.name().into()).ok()).collect()
}

fn status(radio: &Radio, host: &dyn RadioHost) -> MeshStatus {
    let (settings, now) = (radio.settings(), radio.status());
    let admission = settings.admission;
    let listed = |keys: &BTreeSet<ContactKey>| keys.iter().map(ContactKey::to_string).collect();
    let by_contact = admission.contact_categories.iter();
    MeshStatus {
        enabled: admission.enabled,
        backend: host.backend(),
        ollama_detected: host.ollama_detected(),
        models: host.models(),
        trusted_only: admission.trusted_only,
        allowed_contacts: listed(&admission.allowed_contacts),
        denied_askers: listed(&admission.denied_askers),
        owner_keys: listed(&admission.owner_keys),
        strangers: match admission.strangers {
            Strangers::Refused => MeshStrangers::Refused,
            Strangers::AnswerEveryoneInReach => MeshStrangers::AnswerEveryoneInReach,
        },
        categories: to_wire(admission.categories),
        contact_categories: by_contact.map(|(key, all)| (key.to_string(), to_wire(*all))).collect(),
        airtime_permille: settings.airtime.permille,
        airtime_spent_ms: now.airtime.0,
        airtime_allowed_ms: now.airtime.1,
        radio: said(&now),
        contacts: now
            .contacts
            .iter()
            .map(|contact| MeshContact {
                key: contact.key.to_string(),
                name: contact.shown_name().to_string(),
            })
            .collect(),
    }
}

/// Whether the radio is there, in one sentence without a full stop.
pub fn said(status: &Status) -> String {
    match &status.link {
        _ if !status.is_kept => {
            "what was heard cannot be kept, so nothing is answered: is the disk full?".to_owned()
        }
        LinkState::Unknown => "nothing was heard of the radio yet".to_owned(),
        LinkState::Up => "the radio is there".to_owned(),
        LinkState::Down(why) => why.to_string(),
    }
}
