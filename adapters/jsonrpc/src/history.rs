//! What was said, looked up.

use archy_assistant::{Assistant, Caller, ConversationId, TurnId};
use archy_wire::{self as wire, Code, Fault};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::methods::{entries, known, written};
use crate::to_wire;

/// So many look through what was said at once; the others wait for their turn. A search may read all of it, and the
/// threads that may wait for a disk are also those that write what is said and confirmed.
static LOOKING: Semaphore = Semaphore::const_new(2);
/// A page of turns ends after so many bytes: one turn may have a megabyte.
const MOST_BYTES: usize = 1 << 20;

pub(crate) async fn history(
    assistant: &Assistant,
    caller: &Caller,
    wanted: wire::History,
) -> Result<Value, Fault> {
    if let wire::History::Forget { conversation } = wanted {
        assistant.forget(caller, known(&conversation)?).await.map_err(to_wire::refused)?;
        return written(wire::Nothing {});
    }
    let failed = || Fault::new(Code::Store, "what was said could not be looked up");
    let turn = LOOKING.acquire().await.map_err(|_| failed())?;
    let (assistant, caller) = (assistant.clone(), caller.clone());
    let looking = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        looked_up(&assistant, &caller, wanted)
    });
    looking.await.map_err(|_| failed())?
}

/// Blocks for as long as the store does.
fn looked_up(assistant: &Assistant, caller: &Caller, wanted: wire::History) -> Result<Value, Fault> {
    match wanted {
        wire::History::List { before, most } => {
            let before: Option<ConversationId> = before.map(|id| known(&id)).transpose()?;
            let page = assistant.conversations(caller, before, entries(most)).map_err(to_wire::refused)?;
            let conversations = page.items.iter().map(to_wire::summary).collect();
            written(wire::Conversations { conversations, older: page.older.map(|id| id.to_string()) })
        }
        wire::History::Page { conversation, before, most } => {
            let before: Option<TurnId> = before.map(|id| known(&id)).transpose()?;
            written(page(assistant, caller, known(&conversation)?, before, entries(most))?)
        }
        wire::History::Search { words, most } => {
            let found = assistant.search(caller, &words, entries(most)).map_err(to_wire::refused)?;
            let found = found.into_iter().map(|(conversation, turn)| wire::FoundTurn {
                conversation: conversation.to_string(),
                turn: to_wire::turned(turn),
            });
            written(wire::Found { found: found.collect() })
        }
        wire::History::Export { conversation } => {
            let whole = assistant.export(caller, known(&conversation)?).map_err(to_wire::refused)?;
            let conversation = to_wire::summary(&whole.conversation);
            let turns = whole.turns.into_iter().map(to_wire::turned).collect();
            written(wire::Exported { version: whole.version, conversation, turns })
        }
        wire::History::Forget { .. } => Err(Fault::new(Code::NoMethod, "it is not a look")),
    }
}

/// Turn by turn, so that no more is held than is given.
fn page(
    assistant: &Assistant,
    caller: &Caller,
    conversation: ConversationId,
    mut before: Option<TurnId>,
    most: usize,
) -> Result<wire::Turns, Fault> {
    let (mut turns, mut bytes) = (Vec::new(), 0);
    loop {
        let page = assistant.history(caller, conversation, before, 1).map_err(to_wire::refused)?;
        for turned in page.items {
            let turn = to_wire::turned(turned);
            bytes += serde_json::to_vec(&turn).map_or(0, |text| text.len());
            turns.push(turn);
        }
        before = page.older;
        if before.is_none() || turns.len() >= most || bytes >= MOST_BYTES {
            return Ok(wire::Turns { turns, older: before.map(|id| id.to_string()) });
        }
    }
}
