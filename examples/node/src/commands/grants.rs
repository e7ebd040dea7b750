//! `grants`: what the assistant may see and propose. Only the owner changes it, here or at the node's page.

use archy_assistant::{Categories, Category};
use serde_json::json;

use crate::cli::{Common, GrantsCommand};
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::open::session;
use crate::terminal::Terminal;
use crate::wire::{Answer, Ask};

pub(crate) async fn grants(
    common: &Common,
    terminal: Terminal,
    change: Option<GrantsCommand>,
) -> Result<Exit, Trouble> {
    let session = session(common).await?;
    let changed = match change {
        None | Some(GrantsCommand::List) => list(&session.client, terminal).await,
        Some(change) => apply(&session.client, terminal, change).await,
    };
    session.end().await;
    changed.map(|()| Exit::Done)
}

/// What is open, one line per category.
pub(crate) async fn list(client: &Client, terminal: Terminal) -> Result<(), Trouble> {
    let open = grants_of(&client.ask(&Ask::Grants).await?)?;
    document(terminal, open)?;
    for category in Category::ALL {
        let state = if open.has(category) { "open" } else { "closed" };
        terminal.line(&format!("{:9} {state:7} {}", category.name(), category.opens()))?;
    }
    Ok(())
}

/// Opens or closes, and says what is open now.
pub(crate) async fn apply(client: &Client, terminal: Terminal, change: GrantsCommand) -> Result<(), Trouble> {
    let ask = match change {
        GrantsCommand::List => Ask::Grants,
        GrantsCommand::Open { categories } => Ask::Open { categories },
        GrantsCommand::Close { all: true, .. } => Ask::CloseAll,
        GrantsCommand::Close { categories, .. } => Ask::Close { categories },
    };
    let open = grants_of(&client.ask(&ask).await?)?;
    document(terminal, open)?;
    if open.is_empty() {
        return terminal.line("Everything is closed now.");
    }
    terminal.line(&format!("Open now: {open}."))
}

fn grants_of(answer: &Answer) -> Result<Categories, Trouble> {
    if let Answer::Grants(open) = answer { Ok(*open) } else { Err(unexpected()) }
}

fn document(terminal: Terminal, open: Categories) -> Result<(), Trouble> {
    let closed: Categories = Category::ALL.into_iter().filter(|category| !open.has(*category)).collect();
    terminal.document(&json!({"version": 1, "open": open, "closed": closed}))
}
