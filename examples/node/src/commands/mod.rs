//! The commands, one file each or a few that are alike.

mod apps;
mod ask;
mod audit;
mod cases;
mod chat;
mod copies;
mod deployed;
mod doctor;
mod erase;
pub(crate) mod grants;
mod history;
pub(crate) mod mesh;
mod models;
pub(crate) mod music;
mod questions;
mod secrets;
mod serve;
mod tools;
mod web;

use crate::cli::{Cli, Command, DoctorCommand};
use crate::exit::{Exit, Trouble};
use crate::terminal::{Terminal, tell};

/// Runs what was typed.
pub(crate) async fn run(cli: Cli) -> Exit {
    let terminal = Terminal::new(cli.common.json);
    match dispatch(cli, terminal).await {
        Ok(exit) => exit,
        Err(trouble) => {
            if !trouble.says.is_empty() {
                tell(&format!("archy-node: {trouble}"));
            }
            // It may be that nothing can be written any more; the code says enough.
            let _ = terminal.document(&trouble.document());
            trouble.exit
        }
    }
}

async fn dispatch(cli: Cli, terminal: Terminal) -> Result<Exit, Trouble> {
    let common = &cli.common;
    match cli.command {
        Command::Ask { go_on, text } => ask::ask(common, terminal, &text.join(" "), go_on).await,
        Command::Chat { go_on } => chat::chat(common, terminal, go_on).await,
        Command::Grants { change } => grants::grants(common, terminal, change).await,
        Command::History { id, search, export } => {
            history::history(common, terminal, id, search, export).await
        }
        Command::Forget { id } => history::forget(common, terminal, &id).await,
        Command::Models { probe, change } => models::models(common, terminal, probe, change).await,
        Command::Secrets { change } => secrets::secrets(common, terminal, change).await,
        Command::Doctor { what: Some(DoctorCommand::Models), .. } => doctor::doctor(common, terminal).await,
        Command::Doctor { what: None, deployed } => deployed::deployed(terminal, &deployed).await,
        Command::Music { command } => music::music(common, terminal, command).await,
        Command::Web { command } => web::web(terminal, command),
        Command::Mesh { command } => mesh::mesh(common, terminal, command).await,
        Command::Tools => tools::tools(common, terminal).await,
        Command::Serve { port, no_page, radio, verbose } => {
            let page = (!no_page).then_some(port);
            serve::serve(common, terminal, page, radio, verbose).await
        }
        Command::Link => serve::link(common, terminal).await,
        Command::Apps => apps::apps(common, terminal).await,
        Command::Down => apps::down(common, terminal).await,
        Command::Pending => questions::pending(common, terminal).await,
        Command::Confirm { id } => questions::confirm(common, terminal, id).await,
        Command::Audit { command, before, most } => {
            audit::audit(common, terminal, command, before, most.into()).await
        }
        Command::Backup { file } => copies::backup(common, terminal, &file).await,
        Command::Restore { file } => copies::restore(common, terminal, &file).await,
        Command::Erase => erase::erase(common, terminal).await,
        Command::Cases { file, node, openai, only } => {
            let asked = cases::Asked { file: &file, node: &node, openai: &openai, only: only.as_deref() };
            cases::cases(common, terminal, &asked).await
        }
    }
}
