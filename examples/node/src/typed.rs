//! The lines that are typed in a conversation, at a terminal or from a pipe.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::sync::oneshot;

use crate::exit::Trouble;
use crate::terminal::{self, Terminal};

/// A line from a pipe is no longer than this.
const LONGEST: u64 = 64 * 1024;

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line, without its end.
    Line(String),
    /// Something that cannot be said; what is wrong with it.
    Bad(&'static str),
    /// Ctrl-D, or the end of the pipe.
    End,
}

/// Where the lines come from.
pub(crate) enum Lines {
    /// A person types them. Nothing is read ahead, so that a question gets only what is typed for it.
    Terminal,
    /// A thread reads them, because a pipe cannot be waited for otherwise. A line that was asked for and is still to come
    /// is kept for whoever asks next.
    Pipe { requests: Sender<oneshot::Sender<Typed>>, coming: Option<oneshot::Receiver<Typed>> },
}

impl Lines {
    /// The lines of this terminal, or of what stands for it.
    pub(crate) fn new(terminal: Terminal) -> Result<Self, Trouble> {
        if terminal.has_person() {
            return Ok(Self::Terminal);
        }
        let (requests, waiting) = channel();
        let thread = std::thread::Builder::new().spawn(move || take(&waiting));
        thread.map_err(|error| Trouble::failed(format!("cannot read what is typed: {error}")))?;
        Ok(Self::Pipe { requests, coming: None })
    }

    /// Waits for the next line. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Typed {
        match self {
            Self::Terminal => match terminal::typed_line("you> ").await {
                Ok(line) if line.is_empty() => Typed::End,
                Ok(line) => match String::from_utf8(line) {
                    Ok(line) => Typed::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
                    Err(_) => Typed::Bad("that line is not valid UTF-8"),
                },
                Err(_) => Typed::End,
            },
            Self::Pipe { requests, coming } => {
                let told = coming.get_or_insert_with(|| {
                    let (tell, told) = oneshot::channel();
                    // Where the thread has ended there is nothing more to read.
                    let _ = requests.send(tell);
                    told
                });
                let typed = told.await.unwrap_or(Typed::End);
                *coming = None;
                typed
            }
        }
    }
}

fn take(waiting: &Receiver<oneshot::Sender<Typed>>) {
    let mut input = io::stdin().lock();
    while let Ok(tell) = waiting.recv() {
        let _ = tell.send(take_line(&mut input));
    }
}

fn take_line(input: &mut impl BufRead) -> Typed {
    let mut line = Vec::new();
    if !matches!(input.by_ref().take(LONGEST).read_until(b'\n', &mut line), Ok(1..)) {
        return Typed::End;
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST {
        loop {
            let (used, over) = match input.fill_buf() {
                Ok([]) | Err(_) => break,
                Ok(part) => match part.iter().position(|byte| *byte == b'\n') {
                    Some(end) => (end + 1, true),
                    None => (part.len(), false),
                },
            };
            input.consume(used);
            if over {
                break;
            }
        }
        return Typed::Bad("that line is too long");
    }
    match String::from_utf8(line) {
        Ok(line) => Typed::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
        Err(_) => Typed::Bad("that line is not valid UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_may_hold_anything() {
        let mut input = b"one\r\n\n".to_vec();
        input.extend(vec![b'x'; 200_000]);
        input.extend(b"\n\xff\xfe\nlast");
        let mut input = &input[..];
        let expected = [
            Typed::Line("one".to_owned()),
            Typed::Line(String::new()),
            Typed::Bad("that line is too long"),
            Typed::Bad("that line is not valid UTF-8"),
            Typed::Line("last".to_owned()),
            Typed::End,
        ];
        for expected in expected {
            assert_eq!(take_line(&mut input), expected);
        }
    }
}
