//! All that is written to standard output and standard error. What is written is of one type, and that can hold nothing
//! that acts on a terminal: a string that somebody else wrote may be passed to every function here.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

use archy_assistant::Shown;
use rustix::termios::tcgetwinsize;
use serde::Serialize;

use crate::exit::{Exit, Trouble};
use crate::marked::{Mark, Marked};

/// A terminal that does not say how wide it is.
const USUAL_COLUMNS: usize = 80;

/// Text that may be written as it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Clean(String);

impl Clean {
    /// One line, whatever is in it.
    pub(crate) fn line(text: &str) -> Self {
        Self(on_one_line(text) + "\n")
    }

    /// A part of a line.
    pub(crate) fn part(text: &str) -> Self {
        Self(text.split(' ').map(on_one_line).collect::<Vec<_>>().join(" "))
    }

    /// One line of a table, whose columns are kept apart by as many spaces as it takes.
    pub(crate) fn aligned(text: &str) -> Self {
        Self(text.split(' ').map(on_one_line).collect::<Vec<_>>().join(" ") + "\n")
    }

    /// Lines that stand in the program.
    pub(crate) fn own(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// One line that quotes others: what does not fit begins no line of its own.
    pub(crate) fn quoting(text: &str) -> Self {
        let mut marked = Marked::new(Mark::Quoting, columns());
        Self(marked.push(&on_one_line(text)) + &marked.end())
    }

    /// Several lines, each of which begins with a mark.
    pub(crate) fn marked(mark: Mark, text: &Shown) -> Self {
        let mut marked = Marks::new(mark);
        let Self(text) = marked.push(text);
        Self(text + &marked.end().0)
    }

    /// JSON on one line, in which everything is spelled with escapes that a terminal could act on.
    pub(crate) fn json(document: &impl Serialize) -> Result<Self, Trouble> {
        let text = serde_json::to_string(document).map_err(|error| Trouble::failed(error.to_string()))?;
        let mut clean = String::with_capacity(text.len() + 1);
        for c in text.chars() {
            if is_harmless(c) {
                clean.push(c);
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(clean, "\\u{unit:04x}");
                }
            }
        }
        clean.push('\n');
        Ok(Self(clean))
    }
}

/// A text that comes in pieces, each line of which begins with a mark.
#[derive(Debug)]
pub(crate) struct Marks(Marked);

impl Marks {
    pub(crate) fn new(mark: Mark) -> Self {
        Self(Marked::new(mark, columns()))
    }

    /// The next piece.
    pub(crate) fn push(&mut self, text: &Shown) -> Clean {
        Clean(self.0.push(text.as_str()))
    }

    /// The end of a line that is begun.
    pub(crate) fn end(&mut self) -> Clean {
        Clean(self.0.end())
    }
}

/// Writes to standard output.
pub(crate) fn write(text: &Clean) -> Result<(), Trouble> {
    let mut out = io::stdout().lock();
    out.write_all(text.0.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        // Whoever read it has had enough.
        io::ErrorKind::BrokenPipe => Trouble::new(Exit::Failed, ""),
        _ => Trouble::failed(format!("cannot write the result: {error}")),
    })
}

/// Writes to standard error.
pub(crate) fn write_apart(text: &Clean) {
    // Nobody can be told that nobody can be told.
    let _ = io::stderr().lock().write_all(text.0.as_bytes());
}

fn on_one_line(text: &str) -> String {
    Shown::prose(text).as_str().replace('\n', "⟨U+000A⟩")
}

/// Whether a character can be shown as it is, beside whatever stands there.
fn is_harmless(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    // A mark needs something to sit on.
    let text = format!("a{c}");
    Shown::prose(&text).as_str() == text
}

/// How many columns there are where standard error is read.
pub(crate) fn apart_columns() -> usize {
    tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col)).max(1)
}

/// How many columns there are where this is read, if a terminal shows it.
fn columns() -> Option<usize> {
    let of = |is_terminal: bool, size: rustix::io::Result<rustix::termios::Winsize>| {
        let columns = size.map_or(0, |size| usize::from(size.ws_col));
        is_terminal.then_some(if columns == 0 { USUAL_COLUMNS } else { columns })
    };
    let (out, apart) = (io::stdout(), io::stderr());
    // What goes into a pipe is often shown on the same screen in the end.
    of(out.is_terminal(), tcgetwinsize(&out)).or_else(|| of(apart.is_terminal(), tcgetwinsize(&apart)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_a_terminal() {
        let bad = "a\x1b[31m\r\u{8}\n\u{9b}1m\u{202e}b";
        let spelled = "a⟨U+001B⟩[31m⟨U+000D⟩⟨U+0008⟩⟨U+000A⟩⟨U+009B⟩1m⟨U+202E⟩b";
        assert_eq!(Clean::line(bad).0, format!("{spelled}\n"));
        assert_eq!(
            Clean::line(&Clean::line(bad).0[..spelled.len()]),
            Clean::line(bad),
            "spelled twice is once"
        );
        let Clean(json) = Clean::json(&[bad, "日本é", "\u{e007f}", "\u{7f}"]).unwrap();
        let expected =
            "[\"a\\u001b[31m\\r\\b\\n\\u009b1m\\u202eb\",\"日本é\",\"\\udb40\\udc7f\",\"\\u007f\"]\n";
        assert_eq!(json, expected);
        let read: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(read, [bad, "日本é", "\u{e007f}", "\u{7f}"]);
    }
}
