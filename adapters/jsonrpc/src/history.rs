//! What was said, looked up.

use archy_assistant::{Assistant, Caller, ConversationId, TurnId, Turned};
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
    let (mine, me) = (assistant.clone(), caller.clone());
    match wanted {
        wire::History::List { before, most } => {
            let before: Option<ConversationId> = before.map(|id| known(&id)).transpose()?;
            let look = move || mine.conversations(&me, before, entries(most)).map_err(to_wire::refused);
            let page = looked_up(look).await?;
            let conversations = page.items.iter().map(to_wire::summary).collect();
            written(wire::Conversations { conversations, older: page.older.map(|id| id.to_string()) })
        }
        wire::History::Page { conversation, before, most } => {
            let before: Option<TurnId> = before.map(|id| known(&id)).transpose()?;
            let conversation = known(&conversation)?;
            written(looked_up(move || page(&mine, &me, conversation, before, entries(most))).await?)
        }
        wire::History::Search { words, most } => {
            let told = |(conversation, turn): (ConversationId, Turned)| wire::FoundTurn {
                conversation: conversation.to_string(),
                turn: to_wire::turned(turn),
            };
            let look = move || {
                let found = mine.search(&me, &words, entries(most)).map_err(to_wire::refused)?;
                Ok(found.into_iter().map(told).collect())
            };
            written(wire::Found { found: looked_up(look).await? })
        }
        wire::History::Export { conversation } => {
            let conversation = known(&conversation)?;
            let look = move || {
                let whole = mine.export(&me, conversation).map_err(to_wire::refused)?;
                let conversation = to_wire::summary(&whole.conversation);
                let turns = whole.turns.into_iter().map(to_wire::turned).collect();
                Ok(wire::Exported { version: whole.version, conversation, turns })
            };
            written(looked_up(look).await?)
        }
        wire::History::Forget { conversation } => {
            assistant.forget(caller, known(&conversation)?).await.map_err(to_wire::refused)?;
            written(wire::Nothing {})
        }
    }
}

/// Looks where it may block, when its turn comes.
async fn looked_up<T: Send + 'static>(
    look: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let failed = || Fault::new(Code::Store, "what was said could not be looked up");
    let turn = LOOKING.acquire().await.map_err(|_| failed())?;
    let looking = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        look()
    });
    looking.await.map_err(|_| failed())?
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
