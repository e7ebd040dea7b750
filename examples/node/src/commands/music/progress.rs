//! How far a scan is, on one line of the terminal that is written again and again. Where nobody looks it says nothing.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use archy_content::ScanEvent;

use crate::screen::{Clean, apart_columns, write_apart};
use crate::terminal::tell;

/// The line is written again after so long.
const AGAIN: Duration = Duration::from_millis(100);
/// Cells of the bar.
const CELLS: u64 = 24;
/// A terminal needs so much for a line at all.
const NARROWEST: usize = 20;

/// The line.
#[derive(Debug)]
pub(super) struct Progress {
    seen: bool,
    last: Option<Instant>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { seen: io::stderr().is_terminal(), last: None }
    }

    pub(super) fn tell(&mut self, event: &ScanEvent) {
        if let ScanEvent::RootAway { root, why } = event {
            self.clear();
            tell(&format!("{root} is away, and nothing of it is changed: {why}"));
            return;
        }
        let Some(mut line) = said(event) else { return };
        let done = matches!(event, ScanEvent::Reading { read, of, .. } if read == of);
        if !self.seen || self.last.is_some_and(|last| last.elapsed() < AGAIN && !done) {
            return;
        }
        self.last = Some(Instant::now());
        let most = apart_columns().max(NARROWEST) - 1;
        if line.chars().count() > most {
            line = line.chars().take(most - 1).chain(['…']).collect();
        }
        write_apart(&Clean::own("\r\x1b[2K"));
        write_apart(&Clean::part(&line));
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if self.last.take().is_some() {
            write_apart(&Clean::own("\r\x1b[2K"));
        }
    }
}

fn said(event: &ScanEvent) -> Option<String> {
    match event {
        ScanEvent::Walking { folder, found } => Some(format!("looking: {found} files  {folder}")),
        ScanEvent::Reading { folder, read, of, per_second } => {
            let full = (read * CELLS).checked_div(*of).unwrap_or(CELLS).min(CELLS);
            let bar: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
            let left = left(*read, of - read, *per_second);
            Some(format!("{bar} {read} of {of}  {per_second:.0}/s{left}  {folder}"))
        }
        _ => None,
    }
}

/// How long it will take, roughly; nothing before that can be told.
#[expect(clippy::cast_precision_loss, reason = "it is rounded to minutes")]
fn left(read: u64, files: u64, per_second: f64) -> String {
    let took = read as f64 / per_second.max(0.01);
    let seconds = files as f64 / per_second.max(0.01);
    match seconds {
        _ if took < 1.0 => String::new(),
        ..2.0 => String::new(),
        ..100.0 => format!("  {seconds:.0} s left"),
        _ => format!("  {:.0} min left", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_how_long_it_takes() {
        let event =
            |read| ScanEvent::Reading { folder: "Queen/Jazz".to_owned(), read, of: 1_000, per_second: 10.0 };
        assert_eq!(
            said(&event(500)).unwrap(),
            "████████████░░░░░░░░░░░░ 500 of 1000  10/s  50 s left  Queen/Jazz"
        );
        assert_eq!(said(&event(9)).unwrap(), "░░░░░░░░░░░░░░░░░░░░░░░░ 9 of 1000  10/s  Queen/Jazz");
        assert_eq!(said(&event(1_000)).unwrap(), "████████████████████████ 1000 of 1000  10/s  Queen/Jazz");
    }
}
