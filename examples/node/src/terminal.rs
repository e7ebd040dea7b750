//! The person's end: what is printed, what is typed, and Ctrl-C.

use std::io::{self, IsTerminal};
use std::time::Duration;

use archy_assistant::Shown;
use rustix::termios::{QueueSelector, tcflush};
use serde::Serialize;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{Exit, Trouble};
use crate::screen::{self, Clean};

/// A question counts as read once it was on the screen for this long; a little more than the node asks for.
pub(crate) const GUARD: Duration = Duration::from_millis(720);

/// How often it is looked whether something was typed.
const LOOK: Duration = Duration::from_millis(20);

/// More than a terminal takes into one line.
const LONGEST_LINE: usize = 4096;

/// Where results, questions and answers go. Results go to standard output, all that is said to the person to standard
/// error, so that a result can be piped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) json: bool,
    person: bool,
}

/// What came from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Ctrl-C: what is going on is stopped.
    Stop,
    /// The terminal was closed, or the system wants the process to end.
    End,
}

/// Ctrl-C, and the polite signals to end.
pub(crate) struct Interrupts([Signal; 3]);

impl Terminal {
    pub(crate) fn new(json: bool) -> Self {
        // Where the question could not be seen, nobody can be asked either.
        Self { json, person: io::stdin().is_terminal() && io::stderr().is_terminal() }
    }

    /// Whether somebody sits here who can be asked.
    pub(crate) fn has_person(self) -> bool {
        self.person
    }

    /// A part of the result, as text; nothing where JSON is wanted.
    pub(crate) fn print(self, text: &Clean) -> Result<(), Trouble> {
        if self.json { Ok(()) } else { screen::write(text) }
    }

    /// A line of the result, as text. A terminal breaks it where it is too long, so it can be copied as a whole.
    pub(crate) fn line(self, text: &str) -> Result<(), Trouble> {
        self.print(&Clean::line(text))
    }

    /// A line of a table of the result.
    pub(crate) fn aligned(self, text: &str) -> Result<(), Trouble> {
        self.print(&Clean::aligned(text))
    }

    /// A line of the result that quotes what a model or others wrote; none of it begins a line.
    pub(crate) fn quoting(self, text: &str) -> Result<(), Trouble> {
        self.print(&Clean::quoting(text))
    }

    /// The result as JSON, on one line; nothing where text is wanted.
    pub(crate) fn document(self, result: &impl Serialize) -> Result<(), Trouble> {
        if self.json { screen::write(&Clean::json(result)?) } else { Ok(()) }
    }

    /// Asks for a typed `yes`. What was typed before the question could be read does not count. Dropping it is fine.
    pub(crate) async fn agrees(self, to: &'static str) -> bool {
        if !self.person {
            return false;
        }
        tokio::time::sleep(GUARD).await;
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        typed_line(to).await.is_ok_and(|line| line.trim_ascii().eq_ignore_ascii_case(b"yes"))
    }

    /// Asks for a typed `yes` before anything is done.
    ///
    /// # Errors
    /// The end of the command: nobody is here, something else was typed, or Ctrl-C.
    pub(crate) async fn must_agree(self, to: &'static str) -> Result<(), Trouble> {
        if !self.person {
            let says = "this needs your yes, and there is no terminal to ask you; nothing was done";
            return Err(Trouble::new(Exit::NeedsPerson, says));
        }
        let mut interrupts = Interrupts::new()?;
        let agreed = tokio::select! {
            yes = self.agrees(to) => yes,
            _ = interrupts.next() => {
                tell("");
                return Err(Trouble::new(Exit::Cancelled, ""));
            }
        };
        if agreed { Ok(()) } else { Err(Trouble::new(Exit::NotAgreed, "nothing was done")) }
    }
}

/// A line to the person, apart from the result.
pub(crate) fn tell(line: &str) {
    screen::write_apart(&Clean::line(line));
}

/// A text of the node's to the person that quotes others in its lines; nothing of that begins one.
pub(crate) fn tell_quoting(text: &Shown) {
    text.as_str().split('\n').for_each(|line| screen::write_apart(&Clean::quoting(line)));
}

impl Interrupts {
    /// From now on Ctrl-C no longer ends the process.
    pub(crate) fn new() -> Result<Self, Trouble> {
        let listen = |kind| {
            signal(kind).map_err(|error| Trouble::failed(format!("cannot listen to signals: {error}")))
        };
        let all = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = all.map(listen);
        Ok(Self([interrupt?, terminate?, hangup?]))
    }

    /// Waits for the next one. Dropping it loses none.
    pub(crate) async fn next(&mut self) -> Interrupt {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => Interrupt::Stop,
            _ = terminate.recv() => Interrupt::End,
            _ = hangup.recv() => Interrupt::End,
        }
    }
}

/// One line as it was typed, with its end; empty when there is no more. Reads nothing beyond the line, and nothing at all
/// when dropped before: whoever reads next gets what is typed next.
pub(crate) async fn typed_line(prompt: &'static str) -> io::Result<Vec<u8>> {
    screen::write_apart(&Clean::own(prompt));
    let stdin = io::stdin();
    while !is_ready(&stdin)? {
        tokio::time::sleep(LOOK).await;
    }
    // A terminal gives at most a line at a time.
    let mut line = vec![0; LONGEST_LINE];
    let length = rustix::io::read(&stdin, &mut line)?;
    line.truncate(length);
    Ok(line)
}

fn is_ready(file: &impl std::os::fd::AsFd) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    Ok(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&now))? > 0)
}
