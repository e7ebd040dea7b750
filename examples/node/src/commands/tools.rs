//! `tools`: what the assistant can do.

use serde_json::json;

use crate::cli::Common;
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::open::session;
use crate::terminal::Terminal;
use crate::wire::{Answer, Ask};

pub(crate) async fn tools(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let session = session(common).await?;
    let listed = list(&session.client, terminal).await;
    session.end().await;
    listed.map(|()| Exit::Done)
}

/// The tools by category, with a way to say each.
pub(crate) async fn list(client: &Client, terminal: Terminal) -> Result<(), Trouble> {
    let Answer::Tools(tools) = client.ask(&Ask::Tools).await? else { return Err(unexpected()) };
    let mut before = None;
    for tool in &tools {
        if before != Some(tool.category) {
            let state = if tool.open { "open" } else { "closed" };
            terminal.line(&format!("{} ({state})", tool.category))?;
            before = Some(tool.category);
        }
        let asks = if tool.writes { ", after your yes" } else { "" };
        let example = tool.said_as.first().map(|phrase| format!(": {phrase}")).unwrap_or_default();
        terminal.line(&format!("  {}{asks}{example}", tool.name))?;
    }
    terminal.document(&json!({"version": 1, "tools": tools}))
}
