//! One JSON document per line: reading with a limit, writing whole.

use std::io;

use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// Reads lines that are no longer than a limit.
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    longest: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(from: R, longest: usize) -> Self {
        Self { from: BufReader::new(from), longest }
    }

    /// The next line without its end; `None` at the end of the stream, where half a line is none.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`] where the line is too long (the rest of it was not read); what the stream says.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let ready = self.from.fill_buf().await?;
            if ready.is_empty() {
                return Ok(None);
            }
            let end = ready.iter().position(|byte| *byte == b'\n');
            let part = &ready[..end.unwrap_or(ready.len())];
            if line.len() + part.len() >= self.longest {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            line.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}

/// `body` as one line.
pub(crate) fn encode(body: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(body)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes one line at once.
pub(crate) async fn write(to: &mut (impl AsyncWrite + Unpin), body: &impl Serialize) -> io::Result<()> {
    to.write_all(&encode(body)?).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_at_the_limit() {
        let mut lines = Lines::new(&b"one\n\ntwo\n12345678\nhalf"[..], 9);
        for expected in ["one", "", "two", "12345678"] {
            assert_eq!(lines.next().await.unwrap().unwrap(), expected.as_bytes());
        }
        assert_eq!(lines.next().await.unwrap(), None);
        let mut lines = Lines::new(&b"123456789\n"[..], 9);
        assert_eq!(lines.next().await.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
