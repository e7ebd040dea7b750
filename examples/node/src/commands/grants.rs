//! `grants`: what the assistant may see and propose. Only the owner changes it, here or at the node's page.

use archy_assistant::{Categories, Category};
use serde_json::json;

use crate::cli::{Common, GrantsCommand};
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::found;
use crate::open::session;
use crate::terminal::{Terminal, tell};
use crate::wire::{Answer, Ask};

pub(crate) async fn grants(
    common: &Common,
    terminal: Terminal,
    change: Option<GrantsCommand>,
) -> Result<Exit, Trouble> {
    let session = session(common).await?;
    let changed = match change {
        None | Some(GrantsCommand::List) => list(&session.client, terminal, common).await,
        Some(change) => apply(&session.client, terminal, common, change).await,
    };
    session.end().await;
    changed.map(|()| Exit::Done)
}

/// What is open, one line per category.
pub(crate) async fn list(client: &Client, terminal: Terminal, common: &Common) -> Result<(), Trouble> {
    let open = granted(client, &Ask::Grants, common).await?;
    document(terminal, open)?;
    for category in Category::ALL {
        let state = if open.has(category) { "open" } else { "closed" };
        terminal.line(&format!("{:9} {state:7} {}", category.name(), category.opens()))?;
    }
    Ok(())
}

/// Opens or closes, and says what is open now.
pub(crate) async fn apply(
    client: &Client,
    terminal: Terminal,
    common: &Common,
    change: GrantsCommand,
) -> Result<(), Trouble> {
    let ask = match change {
        GrantsCommand::List => Ask::Grants,
        GrantsCommand::Open { categories } => Ask::Open { categories },
        GrantsCommand::Close { all: true, .. } => Ask::CloseAll,
        GrantsCommand::Close { categories, .. } => Ask::Close { categories },
    };
    let open = granted(client, &ask, common).await?;
    document(terminal, open)?;
    if open.is_empty() {
        return terminal.line("Everything is closed now.");
    }
    terminal.line(&format!("Open now: {open}."))
}

/// What is open after `ask`; where it does not count, the person is told.
async fn granted(client: &Client, ask: &Ask, common: &Common) -> Result<Categories, Trouble> {
    let Answer::Grants { open, held } = client.ask(ask).await? else { return Err(unexpected()) };
    if held {
        tell(&found::held(common));
    }
    Ok(open)
}

/// Whether everything counts as closed, because of how the audit was found.
pub(crate) async fn is_held(client: &Client) -> Result<bool, Trouble> {
    match client.ask(&Ask::Grants).await? {
        Answer::Grants { held, .. } => Ok(held),
        _ => Err(unexpected()),
    }
}

fn document(terminal: Terminal, open: Categories) -> Result<(), Trouble> {
    let closed: Categories = Category::ALL.into_iter().filter(|category| !open.has(*category)).collect();
    terminal.document(&json!({"version": 1, "open": open, "closed": closed}))
}
