//! `history` and `forget`: what was said earlier.

use archy_assistant::{ConversationId, Turned};
use serde_json::json;

use super::ask::last;
use crate::cli::{Common, program};
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::heard::Heard;
use crate::marked::Mark;
use crate::open::session;
use crate::screen::Clean;
use crate::terminal::{Interrupts, Terminal, tell};
use crate::wire::{Answer, Ask};

/// So many are asked for at once.
const PART: usize = 200;

pub(crate) async fn history(
    common: &Common,
    terminal: Terminal,
    id: Option<String>,
    search: Option<String>,
    export: Option<String>,
) -> Result<Exit, Trouble> {
    let session = session(common).await?;
    let client = &session.client;
    let shown = match (id, search, export) {
        (_, _, Some(id)) => write_export(client, &id).await,
        (_, Some(words), _) => found(client, terminal, words).await,
        (Some(id), _, _) => conversation(client, terminal, &id).await,
        (None, None, None) => list(client, terminal).await,
    };
    session.end().await;
    shown.map(|()| Exit::Done)
}

pub(crate) async fn forget(common: &Common, terminal: Terminal, id: &str) -> Result<Exit, Trouble> {
    let session = session(common).await?;
    let forgotten = forget_one(&session.client, terminal, id).await;
    session.end().await;
    forgotten.map(|()| Exit::Done)
}

async fn forget_one(client: &Client, terminal: Terminal, id: &str) -> Result<(), Trouble> {
    let conversation = named(client, id).await?;
    let mut interrupts = Interrupts::new()?;
    remove(client, terminal, conversation, &mut interrupts).await
}

/// Removes a conversation. Its owner is asked first where they sit here; a script has said what it wants.
pub(crate) async fn remove(
    client: &Client,
    terminal: Terminal,
    conversation: ConversationId,
    interrupts: &mut Interrupts,
) -> Result<(), Trouble> {
    if terminal.has_person() {
        let agrees = terminal.agrees("Type yes to remove it for ever, anything else to keep it: ");
        let yes = tokio::select! {
            yes = agrees => yes,
            _ = interrupts.next() => {
                tell("");
                false
            }
        };
        if !yes {
            return Err(Trouble::new(Exit::NotAgreed, "nothing was done"));
        }
    }
    client.ask(&Ask::Forget { conversation }).await?;
    terminal.document(&json!({"version": 1, "forgotten": conversation}))?;
    terminal.line("The conversation is gone.")
}

/// The conversations, newest first.
pub(crate) async fn list(client: &Client, terminal: Terminal) -> Result<(), Trouble> {
    let (mut conversations, mut before) = (Vec::new(), None);
    loop {
        let Answer::Conversations(page) = client.ask(&Ask::Conversations { before, most: PART }).await?
        else {
            return Err(unexpected());
        };
        conversations.extend(page.items);
        before = page.older;
        if before.is_none() {
            break;
        }
    }
    if conversations.is_empty() {
        terminal.line("Nothing was said yet.")?;
    }
    for summary in &conversations {
        terminal.quoting(&format!("{}  {}  {}", summary.id, summary.last, short(summary.title.as_str())))?;
    }
    terminal.document(&json!({"version": 1, "conversations": conversations}))
}

/// The turns of a conversation, oldest first.
async fn conversation(client: &Client, terminal: Terminal, id: &str) -> Result<(), Trouble> {
    let conversation = named(client, id).await?;
    so_far(client, terminal, conversation).await
}

/// All turns of a conversation, oldest first.
async fn turns(client: &Client, conversation: ConversationId) -> Result<Vec<Turned>, Trouble> {
    let (mut turns, mut before) = (Vec::new(), None);
    loop {
        let Answer::History(page) = client.ask(&Ask::History { conversation, before, most: PART }).await?
        else {
            return Err(unexpected());
        };
        turns.extend(page.items);
        before = page.older;
        if before.is_none() {
            turns.reverse();
            return Ok(turns);
        }
    }
}

/// The last turn of a conversation.
pub(crate) async fn last_turn(
    client: &Client,
    conversation: ConversationId,
) -> Result<Option<Turned>, Trouble> {
    match client.ask(&Ask::History { conversation, before: None, most: 1 }).await? {
        Answer::History(page) => Ok(page.items.into_iter().next()),
        _ => Err(unexpected()),
    }
}

/// What was said in a conversation so far.
pub(crate) async fn so_far(
    client: &Client,
    terminal: Terminal,
    conversation: ConversationId,
) -> Result<(), Trouble> {
    let turns = turns(client, conversation).await?;
    turns.iter().try_for_each(|turned| show(terminal, turned))?;
    terminal.document(&json!({"version": 1, "conversation": conversation, "turns": turns}))
}

async fn found(client: &Client, terminal: Terminal, words: String) -> Result<(), Trouble> {
    let Answer::Found(found) = client.ask(&Ask::Search { words, most: PART }).await? else {
        return Err(unexpected());
    };
    if found.is_empty() {
        terminal.line("Nothing was found.")?;
    }
    for found in &found {
        terminal.line(&format!("In {}:", found.conversation))?;
        show(terminal, &found.turned)?;
    }
    terminal.document(&json!({"version": 1, "found": found}))
}

async fn write_export(client: &Client, id: &str) -> Result<(), Trouble> {
    let conversation = named(client, id).await?;
    let Answer::Exported(exported) = client.ask(&Ask::Export { conversation }).await? else {
        return Err(unexpected());
    };
    // An export is JSON, whether that was asked for or not.
    Terminal::new(true).document(&exported)
}

fn show(terminal: Terminal, turned: &Turned) -> Result<(), Trouble> {
    let heard = Heard::of(turned.events.iter().map(|numbered| &numbered.event));
    terminal.line(&format!("{}", turned.at))?;
    terminal.print(&Clean::marked(Mark::Said, &turned.said.0))?;
    terminal.print(&Clean::marked(Mark::Answer, &turned.answer))?;
    if let Some(failure) = heard.failure() {
        terminal.line(&failure.to_string())?;
    }
    for line in heard.changes() {
        terminal.quoting(&line)?;
    }
    terminal.line("")
}

/// The conversation that is meant: by its id, or the last one.
async fn named(client: &Client, id: &str) -> Result<ConversationId, Trouble> {
    if id == "last" {
        return last(client).await?.ok_or_else(|| Trouble::bad_input("nothing was said yet"));
    }
    let bad = |_| Trouble::bad_input(format!("{id:?} is no conversation; see: {} history", program()));
    id.parse().map_err(bad)
}

/// The beginning of a title, on one line.
fn short(title: &str) -> String {
    let line = title.lines().next().unwrap_or_default();
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
