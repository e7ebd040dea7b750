//! `secrets`: the keys of backends are set, listed by name, and removed; none is ever shown.

use std::io::{self, IsTerminal};

use archy_assistant::Secret;
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use serde_json::json;

use crate::backends::is_name;
use crate::cli::{Common, SecretsCommand};
use crate::data::Data;
use crate::exit::{Exit, Trouble};
use crate::open::data_of;
use crate::secrets;
use crate::terminal::{Interrupts, Terminal, tell, typed_line};

pub(crate) async fn secrets(
    common: &Common,
    terminal: Terminal,
    change: SecretsCommand,
) -> Result<Exit, Trouble> {
    let data = data_of(common)?;
    match change {
        SecretsCommand::Set { name, typed } => {
            if !typed.is_empty() {
                let says = "the key is not taken from the command line, where others can see it: what you typed there is \
                            best replaced by a new key";
                return Err(Trouble::bad_input(says));
            }
            set(&data, terminal, &named(name)?).await
        }
        SecretsCommand::List => list(&data, terminal),
        SecretsCommand::Remove { name } => remove(&data, terminal, &named(name)?),
    }
}

/// What may be a name. What is none may be a key in its place, so it is not said back.
fn named(name: String) -> Result<String, Trouble> {
    if is_name(&name) {
        return Ok(name);
    }
    let says = "that is no name of a key; say claude, or what you call the backend in \"models\" \
                (up to 32 of a to z, 0 to 9 and -)";
    Err(Trouble::bad_input(says))
}

async fn set(data: &Data, terminal: Terminal, name: &str) -> Result<Exit, Trouble> {
    let line = if io::stdin().is_terminal() {
        unseen().await?
    } else {
        tokio::task::spawn_blocking(one_line).await.map_err(|error| Trouble::failed(error.to_string()))??
    };
    let key = secrets::checked(&line)
        .map_err(|why| Trouble::bad_input(format!("what was given {why}; nothing was changed")))?;
    secrets::set(data, name, &key)?;
    terminal.line(&format!("The key {name} is set."))?;
    if data.try_lock()?.is_none() {
        tell("The running node keeps the old one until it is started again.");
    }
    terminal.document(&json!({"version": 1, "set": name}))?;
    Ok(Exit::Done)
}

fn list(data: &Data, terminal: Terminal) -> Result<Exit, Trouble> {
    let kept = secrets::list(data)?;
    if kept.is_empty() {
        terminal.line("There are no keys.")?;
    }
    for key in &kept {
        terminal.line(&format!("{}  set {}", key.name, key.set))?;
    }
    terminal.document(&json!({"version": 1, "secrets": kept}))?;
    Ok(Exit::Done)
}

fn remove(data: &Data, terminal: Terminal, name: &str) -> Result<Exit, Trouble> {
    if !secrets::remove(data, name)? {
        // What was typed may be the key in the place of its name.
        return Err(Trouble::bad_input("there is no key of that name; see: archy-node secrets list"));
    }
    terminal.line(&format!("The key {name} is removed."))?;
    if data.try_lock()?.is_none() {
        tell("The running node keeps it until it ends.");
    }
    terminal.document(&json!({"version": 1, "removed": name}))?;
    Ok(Exit::Done)
}

/// A line that is typed and not shown.
async fn unseen() -> Result<Secret, Trouble> {
    let mut interrupts = Interrupts::new()?;
    let _quiet = Quiet::new()?;
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    let line = tokio::select! {
        line = typed_line("The key, which is not shown: ") => line,
        _ = interrupts.next() => {
            tell("");
            return Err(Trouble::new(Exit::Cancelled, ""));
        }
    };
    tell("");
    line.map(Secret::new).map_err(|error| Trouble::failed(format!("cannot read what is typed: {error}")))
}

/// One line of standard input, and nothing beyond a key's length.
fn one_line() -> Result<Secret, Trouble> {
    // Not through a buffer that somebody else keeps.
    let (stdin, mut line, mut byte) = (io::stdin(), Vec::with_capacity(secrets::LONGEST + 1), [0]);
    while line.len() <= secrets::LONGEST {
        match rustix::io::read(&stdin, &mut byte) {
            Ok(1) if byte[0] != b'\n' => line.push(byte[0]),
            Ok(_) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Trouble::failed(format!("cannot read standard input: {error}"))),
        }
    }
    Ok(Secret::new(line))
}

/// As long as it lives, the terminal does not show what is typed.
struct Quiet(Termios);

impl Quiet {
    fn new() -> Result<Self, Trouble> {
        let failed =
            |error| Trouble::failed(format!("cannot keep the terminal from showing the key: {error}"));
        let before = tcgetattr(io::stdin()).map_err(failed)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet).map_err(failed)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // The last that can be done for it.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}
