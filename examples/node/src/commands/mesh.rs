//! `mesh`: who may ask over a radio, and what they would see.

use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Categories, SystemClock};
use archy_mesh::meshcore::Contact;
use archy_mesh::{Companion, ContactKey, Heard, MeshLink, Settings, Sheet, Silence, Strangers, Tcp};
use serde_json::json;
use tokio::time::timeout;

use crate::cli::{Common, MeshCommand};
use crate::client::unexpected;
use crate::data::Data;
use crate::exit::{Exit, Trouble};
use crate::mesh;
use crate::open::{data_of, session};
use crate::terminal::Terminal;
use crate::wire::{Answer, Ask, Rehearsed};

/// How long a radio may take to say whom it knows.
const RADIO: Duration = Duration::from_secs(20);

pub(crate) async fn mesh(common: &Common, terminal: Terminal, command: MeshCommand) -> Result<Exit, Trouble> {
    let data = data_of(common)?;
    match command {
        MeshCommand::Status => status(terminal, common, &mesh::read(&data)?)?,
        MeshCommand::Contacts { radio: None } => contacts(terminal, &mesh::read(&data)?)?,
        MeshCommand::Contacts { radio: Some(address) } => of_radio(terminal, address).await?,
        MeshCommand::Allow { key, categories, own } => allow(terminal, common, &data, key, &categories, own)?,
        MeshCommand::Deny { key } => {
            let settings = mesh::change(&data, |settings| {
                let admission = &mut settings.admission;
                admission.allowed_contacts.remove(&key);
                admission.owner_keys.remove(&key);
                admission.contact_categories.remove(&key);
                admission.denied_askers.insert(key);
            })?;
            contacts(terminal, &settings)?;
        }
        MeshCommand::On => turned(terminal, common, &data, true)?,
        MeshCommand::Off => turned(terminal, common, &data, false)?,
        MeshCommand::Test { text, key } => test(common, terminal, &data, &text.join(" "), key).await?,
    }
    Ok(Exit::Done)
}

fn turned(terminal: Terminal, common: &Common, data: &Data, on: bool) -> Result<(), Trouble> {
    let settings = mesh::change(data, |settings| settings.admission.enabled = on)?;
    status(terminal, common, &settings)
}

fn status(terminal: Terminal, common: &Common, settings: &Settings) -> Result<(), Trouble> {
    terminal.document(&json!({"version": 1, "settings": settings}))?;
    let admission = &settings.admission;
    let line = match (admission.enabled, admission.strangers) {
        (false, _) => format!("The radio's door is closed; open it with: {}", common.command("mesh on")),
        (true, Strangers::Refused) => "The radio's door is open to those you allowed.".to_owned(),
        (true, Strangers::AnswerEveryoneInReach) => {
            "The radio's door is open to everyone in reach.".to_owned()
        }
    };
    terminal.line(&line)?;
    let (allowed, denied) =
        (admission.allowed_contacts.union(&admission.owner_keys).count(), admission.denied_askers.len());
    terminal.line(&format!("Allowed: {allowed}. Denied: {denied}."))?;
    terminal.line(&format!(
        "Airtime: {} of each hour over {}, a third of that for one contact.",
        seconds(settings.airtime.for_all()),
        settings.region.name()
    ))
}

fn contacts(terminal: Terminal, settings: &Settings) -> Result<(), Trouble> {
    let admission = &settings.admission;
    terminal.document(&json!({"version": 1, "admission": admission}))?;
    let sees = |key: &ContactKey| {
        let categories = admission.contact_categories.get(key).copied().unwrap_or(admission.categories);
        if categories.is_empty() { "no category".to_owned() } else { categories.to_string() }
    };
    for key in &admission.owner_keys {
        terminal.line(&format!("{key}  yours, sees {}, may propose", sees(key)))?;
    }
    for key in admission.allowed_contacts.difference(&admission.owner_keys) {
        terminal.line(&format!("{key}  sees {}", sees(key)))?;
    }
    for key in &admission.denied_askers {
        terminal.line(&format!("{key}  hears nothing"))?;
    }
    if admission.owner_keys.is_empty() && admission.allowed_contacts.is_empty() {
        terminal.line("Nobody may ask over a radio.")?;
    }
    Ok(())
}

/// Whom a radio knows.
async fn of_radio(terminal: Terminal, address: String) -> Result<(), Trouble> {
    let mut link = Companion::new(Tcp(address), Arc::new(SystemClock));
    let listening = async {
        loop {
            match link.next().await {
                Heard::Contacts(contacts) => return Ok(contacts),
                Heard::Down(why) => return Err(Trouble::new(Exit::NoAnswer, why.to_string())),
                _ => {}
            }
        }
    };
    let never = |_| Trouble::new(Exit::NoAnswer, "the radio does not answer");
    let contacts: Vec<Contact> = timeout(RADIO, listening).await.map_err(never)??;
    let named: Vec<_> = contacts
        .iter()
        .filter(|contact| contact.is_person)
        .map(|contact| (contact.key, contact.shown_name()))
        .collect();
    terminal.document(&json!({"version": 1, "contacts": named}))?;
    for (key, name) in &named {
        terminal.quoting(&format!("{key}  {name}"))?;
    }
    terminal.line("A name proves nothing: compare keys with whoever you mean to allow.")
}

fn allow(
    terminal: Terminal,
    common: &Common,
    data: &Data,
    key: ContactKey,
    categories: &[archy_assistant::Category],
    own: bool,
) -> Result<(), Trouble> {
    let settings = mesh::change(data, |settings| {
        let admission = &mut settings.admission;
        admission.denied_askers.remove(&key);
        admission.allowed_contacts.insert(key);
        admission.contact_categories.insert(key, categories.iter().copied().collect());
        if own {
            admission.owner_keys.insert(key);
        } else {
            admission.owner_keys.remove(&key);
        }
    })?;
    contacts(terminal, &settings)?;
    if !settings.admission.enabled {
        terminal.line(&format!("The door is closed; open it with: {}", common.command("mesh on")))?;
    }
    Ok(())
}

async fn test(
    common: &Common,
    terminal: Terminal,
    data: &Data,
    text: &str,
    key: Option<ContactKey>,
) -> Result<(), Trouble> {
    let mut settings = mesh::read(data)?;
    let pretended = ContactKey([0; 32]);
    if key.is_none() {
        settings.admission.enabled = true;
        settings.admission.allowed_contacts.insert(pretended);
        settings.admission.contact_categories.insert(pretended, Categories::ALL);
    }
    let asked = key.unwrap_or(pretended);
    let session = session(common).await?;
    let ask = Ask::Rehearse { settings: Box::new(settings), key: asked, text: text.to_owned() };
    let answer = session.client.ask(&ask).await;
    session.end().await;
    let Answer::Rehearsed(seen) = answer? else { return Err(unexpected()) };
    terminal.document(&json!({"version": 1, "seen": seen}))?;
    if let Some(why) = seen.silence {
        return terminal.line(&format!("It would hear nothing: {why}."));
    }
    let who = if key.is_some() { "This contact" } else { "A contact whom you allow to see all that is open" };
    terminal.line(&format!("{who} would see:"))?;
    sheets(terminal, &seen.parts)?;
    if !seen.more.is_empty() {
        terminal.line("After \"more\":")?;
        sheets(terminal, &seen.more)?;
    }
    let spent: u64 = seen.parts.iter().chain(&seen.more).map(|sheet| u64::from(sheet.airtime)).sum();
    terminal.line(&format!(
        "{} on the air, of {} that each hour may cost.",
        seconds(spent),
        seconds(seen.allowed)
    ))
}

fn sheets(terminal: Terminal, sheets: &[Sheet]) -> Result<(), Trouble> {
    for sheet in sheets {
        terminal.quoting(&sheet.text)?;
        terminal.line(&format!("  ({} bytes, {})", sheet.text.len(), seconds(sheet.airtime.into())))?;
    }
    Ok(())
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
}

/// What a peer would see, as it is told by the node.
pub(crate) fn rehearsed(rehearsal: archy_mesh::Rehearsal) -> Rehearsed {
    let silence = rehearsal.silence.map(|silence| {
        match silence {
            Silence::NotAdmitted => "it may not ask, or the door is closed",
            Silence::NoAirtime => "there is no airtime for an answer",
            _ => "that is no request",
        }
        .to_owned()
    });
    Rehearsed { silence, parts: rehearsal.parts, more: rehearsal.more, allowed: rehearsal.allowed }
}
