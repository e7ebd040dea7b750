//! `audit`: what was asked, agreed to, opened and closed, and whether it is what was written.

use std::path::Path;

use archy_assistant::Verified;
use serde_json::json;

use super::copies::new_file;
use crate::audit_key;
use crate::cli::{AuditCommand, Common};
use crate::client::{Client, unexpected};
use crate::exit::{Exit, Trouble};
use crate::found;
use crate::open::{data_of, lock_of, session};
use crate::terminal::{Terminal, tell};
use crate::wire::{Answer, Ask};

pub(crate) async fn audit(
    common: &Common,
    terminal: Terminal,
    command: Option<AuditCommand>,
    before: Option<u64>,
    most: usize,
) -> Result<Exit, Trouble> {
    if let Some(AuditCommand::NewKey) = command {
        return new_key(common, terminal).await;
    }
    let session = session(common).await?;
    let client = &session.client;
    let done = match command {
        None | Some(AuditCommand::NewKey) => page(client, terminal, before, most).await,
        Some(AuditCommand::Verify) => verify(client, terminal, common).await,
        Some(AuditCommand::Export { file }) => export(client, terminal, &file).await,
        Some(AuditCommand::Acknowledge) => acknowledge(client, terminal, common).await,
    };
    session.end().await;
    done
}

async fn page(
    client: &Client,
    terminal: Terminal,
    before: Option<u64>,
    most: usize,
) -> Result<Exit, Trouble> {
    let Answer::Audit(page) = client.ask(&Ask::Audit { before, most }).await? else {
        return Err(unexpected());
    };
    for line in &page.items {
        terminal.quoting(&format!("{:>6}  {}  {}", line.seq, line.at, found::said(line)))?;
    }
    if let Some(older) = page.older {
        terminal.line(&format!("There are older lines: --before {older}"))?;
    }
    terminal.document(&json!({"version": 1, "lines": page.items, "older": page.older}))?;
    Ok(Exit::Done)
}

/// Fails also while the owner has not acknowledged how the audit was found: a script that looks at it every night must
/// not miss that a new chain has begun.
async fn verify(client: &Client, terminal: Terminal, common: &Common) -> Result<Exit, Trouble> {
    let Answer::Verified { verified, held } = client.ask(&Ask::AuditVerify).await? else {
        return Err(unexpected());
    };
    let says = found::verified(&verified);
    terminal.line(&says)?;
    if held {
        tell(&found::held(common));
    }
    let is_sound = matches!(verified, Verified::Sound { .. }) && !held;
    let exit = if is_sound { Exit::Done } else { Exit::Failed };
    terminal.document(
        &json!({"version": 1, "exit": exit, "verified": verified, "acknowledged": !held, "says": says}),
    )?;
    Ok(exit)
}

async fn export(client: &Client, terminal: Terminal, file: &Path) -> Result<Exit, Trouble> {
    let file = new_file(file)?;
    client.ask(&Ask::AuditExport { file: file.clone() }).await?;
    terminal.document(&json!({"version": 1, "exported": file}))?;
    terminal.line(&format!("The audit is in {file} now."))?;
    Ok(Exit::Done)
}

async fn acknowledge(client: &Client, terminal: Terminal, common: &Common) -> Result<Exit, Trouble> {
    let Answer::AuditState { opened, held } = client.ask(&Ask::AuditState).await? else {
        return Err(unexpected());
    };
    if held {
        tell(&found::opened(opened).unwrap_or_default());
        let lines = common.command("audit");
        tell(&format!("Look at its lines with: {lines}"));
        tell(
            "After your yes counts as open again what the database says is open. The audit keeps what was wrong.",
        );
        terminal.must_agree("Type yes to go on with it, anything else to leave everything closed: ").await?;
        client.ask(&Ask::AuditAcknowledge).await?;
        terminal.line("Acknowledged.")?;
    } else {
        terminal.line("There is nothing to acknowledge.")?;
    }
    terminal.document(&json!({"version": 1, "acknowledged": true, "was_needed": held}))?;
    Ok(Exit::Done)
}

/// Only where the key is lost: without a node in between, which would not start.
async fn new_key(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    let data = data_of(common)?;
    let lock = lock_of(&data)?;
    if audit_key::kept(&data).is_ok_and(|key| key.is_some()) {
        return Err(Trouble::bad_input("this node has its key; there is nothing to replace"));
    }
    tell("A new key cannot verify what the lost one has sealed: the next start finds the audit damaged, and");
    tell(
        "everything counts as closed until you have looked at it. The old key, if you find it, fits no more.",
    );
    terminal.must_agree("Type yes to make a new key, anything else to leave it: ").await?;
    let key = audit_key::renew(&data, &lock)?;
    terminal.document(&json!({"version": 1, "key": key}))?;
    terminal.line("There is a new key.")?;
    Ok(Exit::Done)
}
