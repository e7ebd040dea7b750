//! A small real node that embeds the assistant: disks, apps, settings and files of this machine, and a terminal to talk
//! with it. As a library, so that its tests can reach the parts.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod apps;
pub mod fake_home;
pub mod hello;
pub mod time_zones;

mod audit_key;
mod backends;
mod cards;
mod cases;
mod cli;
mod client;
mod commands;
mod data;
mod database;
mod doctor;
mod exit;
mod export;
mod found;
mod heard;
mod hosts;
mod http;
mod lines;
mod look;
mod marked;
mod mesh;
mod model;
mod node;
mod open;
mod place;
mod reached;
mod screen;
mod secrets;
mod server;
mod setting_rules;
mod terminal;
mod turn;
mod typed;
mod wire;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

/// Runs one command as it was typed, the program's name first; returns when it has ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    cli::called_as(arguments.first());
    let cli = match cli::Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return not_run(&error, &arguments).into(),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            terminal::tell(&format!("archy-node: cannot start: {error}"));
            return exit::Exit::Failed.into();
        }
    };
    let exit = runtime.block_on(commands::run(cli));
    // What still waits for the terminal or for a process is not waited for.
    runtime.shutdown_background();
    exit.into()
}

/// Reads music files for a library in another process, which asks on standard input, and does nothing else: what a file
/// does to it, it does to no node.
pub fn read_files() -> ExitCode {
    commands::music::read_files().into()
}

/// Whether a command line that could not be read asks for JSON.
fn wants_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json")
}

/// Whether a command line that could not be read may hold a key: it is about keys, or says as much somewhere.
fn may_hold_a_key(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).any(|word| word == "secrets")
}

/// What is said of a command line that may hold a key, and of no word of it.
const NOT_SAID_BACK: &str = "\
error: this command line cannot be read, and is not said back, because it may hold a key
A key is never taken from the command line, where others can see it: one that you typed there is best replaced by a new one.
For more information, try 'archy-node secrets --help'.";

/// Help goes to standard output, what is wrong to standard error.
fn not_run(error: &clap::Error, arguments: &[OsString]) -> exit::Exit {
    let json = wants_json(arguments);
    let mut text = error.render().to_string();
    if error.use_stderr() {
        if may_hold_a_key(arguments) {
            NOT_SAID_BACK.clone_into(&mut text);
        }
        // It quotes what was typed.
        text.trim_end().lines().for_each(|line| screen::write_apart(&screen::Clean::aligned(line)));
        let trouble = exit::Trouble::bad_input(text.lines().next().unwrap_or_default());
        // The result cannot be written either; the code says enough.
        let _ = terminal::Terminal::new(json).document(&trouble.document());
        return exit::Exit::BadInput;
    }
    // Where it cannot be written, the code says enough.
    text.lines()
        .try_for_each(|line| screen::write(&screen::Clean::aligned(line)))
        .map_or_else(|trouble| trouble.exit, |()| exit::Exit::Done)
}
