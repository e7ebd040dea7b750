//! Each method by its name, over JSON: for jsonrpsee and for any other dispatcher.

use std::str::FromStr;
use std::time::Duration;

use archy_assistant::{Assistant, Browsed, CallId, Caller, Category, Decision, Target};
use archy_wire::{self as wire, Code, Fault};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::event::numbered;
use crate::history::history;
use crate::params::read;
use crate::to_wire;

/// The names of all methods, without a namespace.
pub const METHODS: [&str; 11] = [
    "chat",
    "events",
    "cancel",
    "browsed",
    "pending",
    "confirm-shown",
    "confirm-tool",
    "list-tools",
    "history",
    "grants",
    "audit",
];

/// So long an event is waited for at most.
const LONGEST_WAIT: Duration = Duration::from_secs(25);
/// So many events are given at once at most.
const MOST_EVENTS: u32 = 500;
/// So many entries of a list are given where nobody says how many, and at most.
const ENTRIES: (u32, u32) = (50, 100);

/// Does what the method of this name does, for this caller, whom the host has authenticated. `params` are an object, or
/// `null` where the method takes none: see [`params`](crate::params).
///
/// Dropping the future stops no effect that has begun, no turn, and no change of grants.
///
/// # Errors
///
/// As the method says; [`Code::NoMethod`] for a name that is none.
pub async fn call(
    assistant: &Assistant,
    caller: &Caller,
    method: &str,
    params: Value,
) -> Result<Value, Fault> {
    match method {
        "chat" => {
            let wire::Chat { conversation, text } = read(params)?;
            let to = conversation.map(|id| known(&id)).transpose()?.map_or(Target::New, Target::Conversation);
            let began = assistant.chat(caller, to, &text).await.map_err(to_wire::refused)?;
            let (turn, conversation) = (began.turn.to_string(), began.conversation.to_string());
            written(wire::Began { turn, conversation })
        }
        "events" => written(events(assistant, caller, read(params)?).await?),
        "cancel" => {
            let wire::Cancel { turn } = read(params)?;
            assistant.cancel(caller, known(&turn)?).await.map_err(to_wire::refused)?;
            written(wire::Nothing {})
        }
        "browsed" => {
            let wire::ReportBrowsed { turn, call, outcome } = read(params)?;
            let browsed = match outcome {
                wire::Browsed::Done => Browsed::Done,
                wire::Browsed::NotDone => Browsed::NotDone,
            };
            let told = assistant.browsed(caller, known(&turn)?, CallId(call), browsed);
            told.map_err(to_wire::refused)?;
            written(wire::Nothing {})
        }
        "pending" => {
            let wire::Nothing {} = read(params)?;
            let confirmations = assistant.pending(caller).iter().map(to_wire::confirmation).collect();
            written(wire::Pending { confirmations })
        }
        "confirm-shown" => {
            let wire::ConfirmShown { id, digest } = read(params)?;
            let shown = assistant.shown(caller, known(&id)?, &known(&digest)?);
            shown.map_err(to_wire::confirm_refused)?;
            written(wire::Nothing {})
        }
        "confirm-tool" => {
            let wire::Confirm { id, digest, decision } = read(params)?;
            let decision = match decision {
                wire::Decision::Confirm => Decision::Confirm,
                wire::Decision::Deny => Decision::Deny,
            };
            let resolved = assistant.confirm(caller, known(&id)?, &known(&digest)?, decision).await;
            written(to_wire::resolution(&resolved.map_err(to_wire::confirm_refused)?))
        }
        "list-tools" => {
            let wire::Nothing {} = read(params)?;
            written(wire::Tools { tools: assistant.tools(caller).map(to_wire::tool).collect() })
        }
        "history" => history(assistant, caller, read(params)?).await,
        "grants" => {
            let changed = match read(params)? {
                wire::Grants::Read {} => assistant.grants(caller),
                wire::Grants::Open { category } => assistant.open_category(caller, opened(category)?).await,
                wire::Grants::Close { category } => assistant.close_category(caller, opened(category)?).await,
                wire::Grants::CloseAll {} => assistant.close_all(caller).await,
            };
            let open = to_wire::categories(changed.map_err(to_wire::refused)?);
            written(wire::GrantsRead { open, held: assistant.is_held() })
        }
        "audit" => match read(params)? {
            wire::Audit::Page { before, most } => {
                let page = assistant.audit(caller, before, entries(most)).map_err(to_wire::refused)?;
                written(wire::AuditPage {
                    lines: page.items.iter().map(to_wire::line).collect(),
                    older: page.older,
                })
            }
            wire::Audit::Verify {} => {
                written(to_wire::verified(assistant.audit_verify(caller).await.map_err(to_wire::refused)?))
            }
        },
        _ => Err(Fault::new(Code::NoMethod, "there is no such method")),
    }
}

async fn events(
    assistant: &Assistant,
    caller: &Caller,
    wanted: wire::ReadEvents,
) -> Result<wire::EventsRead, Fault> {
    let wire::ReadEvents { turn, after, wait_ms, most } = wanted;
    let mut listening = assistant.events(caller, known(&turn)?, after).map_err(to_wire::refused)?;
    let until = Instant::now() + Duration::from_millis(wait_ms.into()).min(LONGEST_WAIT);
    let most = most.unwrap_or(MOST_EVENTS).clamp(1, MOST_EVENTS) as usize;
    let mut events = Vec::new();
    while events.len() < most {
        // What is there already is taken at once; only for the first one is anything waited for.
        let patience = if events.is_empty() { until } else { Instant::now() };
        match tokio::time::timeout_at(patience, listening.next()).await {
            Ok(Some(event)) => events.push(numbered(event)),
            Ok(None) => return Ok(wire::EventsRead { events, over: true }),
            Err(_) => break,
        }
    }
    let last = events.last().map(|last| &last.event);
    let over = matches!(last, Some(wire::Event::Finished { .. } | wire::Event::Failed { .. }));
    Ok(wire::EventsRead { events, over })
}

pub(crate) fn entries(most: Option<u32>) -> usize {
    most.unwrap_or(ENTRIES.0).clamp(1, ENTRIES.1) as usize
}

/// An id or a digest; what is none is unknown, as one that nobody has is.
pub(crate) fn known<T: FromStr>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| Fault::new(Code::Unknown, "there is no such thing"))
}

fn opened(category: wire::Category) -> Result<Category, Fault> {
    Ok(match category {
        wire::Category::Apps => Category::Apps,
        wire::Category::System => Category::System,
        wire::Category::Network => Category::Network,
        wire::Category::Wallet => Category::Wallet,
        wire::Category::Files => Category::Files,
        wire::Category::Media => Category::Media,
        wire::Category::Search => Category::Search,
        wire::Category::AiLocal => Category::AiLocal,
        wire::Category::Notes => Category::Notes,
        wire::Category::Bitcoin => Category::Bitcoin,
        wire::Category::Other => return Err(Fault::new(Code::BadParams, "there is no such category")),
    })
}

pub(crate) fn written(answer: impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|error| Fault::new(Code::Store, error.to_string()))
}
