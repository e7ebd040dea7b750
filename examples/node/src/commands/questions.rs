//! `pending` and `confirm`: questions that wait, decided at another terminal than the one where they came up.

use archy_assistant::{Confirmation, ConfirmationId, Settled};
use serde_json::json;

use crate::cli::{Common, program};
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::open::session;
use crate::terminal::{Interrupts, Terminal};
use crate::turn::{put, settle};
use crate::wire::{Answer, Ask};

pub(crate) async fn pending(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let session = session(common).await?;
    let waiting = waiting(&session.client).await;
    session.end().await;
    let pending = waiting?;
    if pending.is_empty() {
        terminal.line("Nothing waits for you.")?;
    }
    for question in &pending {
        let (place, of) = question.place;
        terminal.line(&format!("{place} of {of}, until {}:", question.expires))?;
        terminal.line("")?;
        question.text.as_str().split('\n').try_for_each(|line| terminal.quoting(line))?;
        terminal.line("")?;
        terminal.line(&format!("Answer with: {}", common.command(&format!("confirm {}", question.id))))?;
    }
    terminal.document(&json!({"version": 1, "pending": pending}))?;
    Ok(Exit::Done)
}

pub(crate) async fn confirm(
    common: &Common,
    terminal: Terminal,
    id: ConfirmationId,
) -> Result<Exit, Trouble> {
    let mut interrupts = Interrupts::new()?;
    let session = session(common).await?;
    let decided = decide(&session.client, terminal, id, &mut interrupts).await;
    session.end().await;
    decided
}

async fn decide(
    client: &Client,
    terminal: Terminal,
    id: ConfirmationId,
    interrupts: &mut Interrupts,
) -> Result<Exit, Trouble> {
    let waiting = waiting(client).await?;
    let unknown = || Trouble::bad_input(format!("no such question waits; see: {} pending", program()));
    let question = waiting.into_iter().find(|question| question.id == id).ok_or_else(unknown)?;
    if !terminal.has_person() {
        let says = "this needs your yes, and there is no terminal to ask you; it still waits";
        return Err(Trouble::new(Exit::NeedsPerson, says));
    }
    let decision = tokio::select! {
        decision = put(client, terminal, &question) => decision?,
        // It goes on waiting, as if nobody had looked.
        _ = interrupts.next() => return Err(Trouble::new(Exit::Cancelled, "it still waits")),
    };
    let resolution = settle(client, &question, decision).await?;
    let outcome = resolution.outcome;
    terminal.document(&json!({"version": 1, "id": id, "outcome": outcome, "says": &resolution.says}))?;
    terminal.quoting(resolution.says.as_str())?;
    Ok(match outcome {
        Settled::Done => Exit::Done,
        Settled::Failed | Settled::NotAsked | Settled::TargetChanged => Exit::Failed,
        Settled::OutcomeUnknown => Exit::OutcomeUnknown,
        _ => Exit::NotAgreed,
    })
}

async fn waiting(client: &Client) -> Result<Vec<Confirmation>, Trouble> {
    match client.ask(&Ask::Pending).await? {
        Answer::Pending(waiting) => Ok(waiting),
        _ => Err(unexpected()),
    }
}
