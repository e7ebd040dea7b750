//! `ask`: one thing said, one answer.

use archy_assistant::{Category, ConversationId};

use crate::cli::Common;
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::found;
use crate::heard::about_to_open;
use crate::open::session;
use crate::terminal::{Interrupts, Terminal, tell};
use crate::turn::{Detail, Ended, Talk};
use crate::wire::{Answer, Ask};

pub(crate) async fn ask(
    common: &Common,
    terminal: Terminal,
    text: &str,
    go_on: bool,
) -> Result<Exit, Trouble> {
    let mut interrupts = Interrupts::new()?;
    loop {
        let session = session(common).await?;
        let mut begun = None;
        let asked = async {
            let conversation = if go_on { last(&session.client).await? } else { None };
            let mut talk = Talk::new(&session, terminal, &mut interrupts, Detail::Answer, common);
            let ended = say(&mut talk, conversation, text).await;
            begun = talk.begun;
            let ended = ended?;
            report(terminal, &ended, common, Detail::Answer)?;
            Ok(ended.exit)
        };
        let exit = asked.await;
        // Whoever had the node has left before it was said.
        let again = exit.is_err() && begun.is_none() && session.client.is_gone();
        session.end().await;
        if !again {
            return exit;
        }
    }
}

/// Says it; where something closed is in the way, its owner is asked here whether to open it, and then it is said again.
pub(crate) async fn say(
    talk: &mut Talk<'_>,
    conversation: Option<ConversationId>,
    text: &str,
) -> Result<Ended, Trouble> {
    let ended = talk.say(conversation, text).await?;
    if !ended.heard.is_only_closed() || ended.held || !talk.terminal.has_person() {
        return Ok(ended);
    }
    let mut open = Vec::new();
    for category in ended.heard.closed.iter() {
        if !opens(talk, category).await? {
            return Ok(ended);
        }
        open.push(category);
    }
    talk.client.ask(&Ask::Open { categories: open }).await?;
    talk.say(Some(ended.conversation), text).await
}

/// Whether the owner, asked now, opens a category.
async fn opens(talk: &mut Talk<'_>, category: Category) -> Result<bool, Trouble> {
    let terminal = talk.terminal;
    tell(&about_to_open(category));
    tokio::select! {
        yes = terminal.agrees("Type yes to open it, anything else to leave it closed: ") => Ok(yes),
        _ = talk.interrupts.next() => {
            tell("");
            Err(Trouble::new(Exit::Cancelled, ""))
        }
    }
}

/// The last conversation, where there is one.
pub(crate) async fn last(client: &Client) -> Result<Option<ConversationId>, Trouble> {
    match client.ask(&Ask::Conversations { before: None, most: 1 }).await? {
        Answer::Conversations(page) => Ok(page.items.first().map(|summary| summary.id)),
        _ => Err(unexpected()),
    }
}

/// What is told apart from the answer, in the node's own words.
pub(crate) fn report(
    terminal: Terminal,
    ended: &Ended,
    common: &Common,
    detail: Detail,
) -> Result<(), Trouble> {
    let heard = &ended.heard;
    terminal.document(&heard.document(ended.conversation, ended.turn, ended.exit))?;
    for choice in heard.choices() {
        terminal.quoting(&format!("  - {choice}"))?;
    }
    if !heard.is_only_closed() {
        if !heard.answer.is_empty() {
            terminal.line("")?;
        }
        for line in heard.changes() {
            terminal.quoting(&line)?;
        }
        // In a conversation it can be asked for.
        if detail == Detail::Answer {
            terminal.quoting(&heard.provenance())?;
        }
        for crossed in heard.crossed() {
            terminal.quoting(&format!("{crossed}."))?;
        }
    }
    if ended.held {
        tell(&format!("This needs {}. {}", heard.closed, found::held(common)));
    } else if !heard.closed.is_empty() {
        let word = if heard.closed.iter().count() == 1 { "category" } else { "categories" };
        tell(&format!(
            "This needs the {word} {}, closed so far. Open with: {}",
            heard.closed,
            common.command(&format!("grants open {}", heard.closed))
        ));
    }
    match ended.exit {
        Exit::NeedsPerson => {
            tell("This needs your yes, and there is no terminal to ask you; nothing was done.");
        }
        Exit::Cancelled => tell("Stopped."),
        _ => {}
    }
    match heard.failure() {
        // That nobody answers is what the person wanted.
        Some(_) if heard.is_crossing_refused() => tell("Nothing was sent, so nobody answers this."),
        Some(failure) => tell(&failure.to_string()),
        None => {}
    }
    Ok(())
}
