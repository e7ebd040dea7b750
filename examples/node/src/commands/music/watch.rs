//! `music watch`.

use archy_content::{How, Library, ScanReport, Stop, WatchEvent, WatchOptions, Watched};
use serde_json::json;

use super::progress::Progress;
use super::scan::said;
use crate::exit::{Exit, Trouble};
use crate::terminal::{Interrupts, Terminal, tell};

pub(super) async fn watch(terminal: Terminal, library: &Library) -> Result<Exit, Trouble> {
    let stop = Stop::default();
    let mut watching = {
        let (library, stop) = (library.clone(), stop.clone());
        tokio::task::spawn_blocking(move || {
            let mut progress = Progress::new();
            let mut trouble = Ok(());
            let stopped = stop.clone();
            let watched = library.watch(&WatchOptions::default(), &stop, &mut |event| {
                if trouble.is_ok() {
                    trouble = show(terminal, &mut progress, &event);
                    if trouble.is_err() {
                        // Nobody reads it any more.
                        stopped.set();
                    }
                }
            });
            progress.clear();
            trouble.and_then(|()| Ok(watched?))
        })
    };
    let mut interrupts = Interrupts::new()?;
    loop {
        tokio::select! {
            done = &mut watching => {
                done.map_err(|error| Trouble::failed(error.to_string()))??;
                return Ok(Exit::Done);
            }
            _ = interrupts.next() => stop.set(),
        }
    }
}

fn show(terminal: Terminal, progress: &mut Progress, event: &WatchEvent) -> Result<(), Trouble> {
    match event {
        WatchEvent::Watching(watched) => {
            progress.clear();
            for root in watched {
                tell(&how(root));
            }
            terminal.document(&json!({"version": 1, "watching": watched}))?;
        }
        WatchEvent::Scan(event) => progress.tell(event),
        WatchEvent::Done(report) => {
            progress.clear();
            if is_news(report) {
                terminal.document(&json!({"version": 1, "report": report}))?;
                terminal.line(&said(report).join(" "))?;
            }
        }
        WatchEvent::Failed(why) => {
            progress.clear();
            tell(&format!("A scan did nothing and is tried again: {why}"));
        }
        _ => {}
    }
    Ok(())
}

/// How a folder is watched, in a sentence.
pub(super) fn how(watched: &Watched) -> String {
    match &watched.how {
        How::Events => format!("{} tells what changes in it.", watched.root),
        How::Polls { why } => format!("{} is walked again and again: {why}.", watched.root),
    }
}

fn is_news(report: &ScanReport) -> bool {
    report.read + report.moved + report.missing + report.forgotten > 0
}
