//! Bytes in, lines out: the lowest layer of every streamed reply, whatever is said on the lines.
//!
//! A line ends at `\n`, `\r\n` or a lone `\r`; a byte order mark before the first line is dropped. Text is decoded per
//! whole line, so that a character which two packets share stays whole; what is no UTF-8 becomes U+FFFD. How the
//! bytes were cut into packets changes nothing in what comes out, and the time spent is linear in their number.

/// Bounds on what a server may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The longest line, in bytes, without its end.
    pub(crate) line: usize,
    /// Everything together, in bytes.
    pub(crate) total: usize,
}

impl Limits {
    /// 8 MiB a line, as the longest that Ollama's own client reads, and 32 MiB a reply.
    pub(crate) const REPLY: Self = Self { line: 8 << 20, total: 32 << 20 };
}

/// More came than is read. Every line before the bound was given out first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitError {
    /// One line is longer than [`Limits::line`].
    Line,
    /// All of it is longer than [`Limits::total`].
    Total,
}

impl std::fmt::Display for LimitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Line => "a line of the answer is too long",
            Self::Total => "the answer is too long",
        })
    }
}

impl std::error::Error for LimitError {}

/// The decoder. [`feed`](Self::feed) it a packet, then take lines until there is none.
#[derive(Debug)]
pub(crate) struct Lines {
    limits: Limits,
    /// What was fed and not yet given out; the first `start` bytes of it were.
    kept: Vec<u8>,
    start: usize,
    /// Up to here `kept` holds no line end that was not given out.
    searched: usize,
    /// The last line ended at a `\r`: a `\n` that comes next belongs to the same end.
    returned: bool,
    /// How many bytes of the whole reply came before `kept`.
    before: usize,
    ended: bool,
    failed: Option<LimitError>,
}

impl Lines {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            kept: Vec::new(),
            start: 0,
            searched: 0,
            returned: false,
            before: 0,
            ended: false,
            failed: None,
        }
    }

    /// Takes the next packet.
    pub(crate) fn feed(&mut self, packet: &[u8]) {
        self.kept.drain(..self.start);
        self.before += self.start;
        self.searched -= self.start;
        self.start = 0;
        self.kept.extend_from_slice(packet);
    }

    /// Nothing more will come: what stands there without a line end is the last line.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// How many bytes are kept of what was fed.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Whether [`end`](Self::end) was called.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    /// The next whole line, empty ones too; `None` until more is fed, or for good after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<String>, LimitError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.returned && self.start < self.kept.len() {
            self.returned = false;
            self.start += usize::from(self.kept[self.start] == b'\n');
            self.searched = self.start;
        }
        let end = self.kept[self.searched..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = end.map(|place| self.searched + place);
        self.searched = end.unwrap_or(self.kept.len());
        // Whichever bound a byte-by-byte reader would have met first, so that packets make no difference.
        let room = self.limits.total.saturating_sub(self.before + self.start);
        if self.searched - self.start > room.min(self.limits.line) {
            let error = if self.limits.line <= room { LimitError::Line } else { LimitError::Total };
            self.failed = Some(error);
            self.kept = Vec::new();
            return Err(error);
        }
        let Some(end) = end else {
            let rest = self.start..self.kept.len();
            if !self.ended || rest.is_empty() {
                return Ok(None);
            }
            self.start = self.kept.len();
            return Ok(Some(self.decode(rest)));
        };
        let line = self.decode(self.start..end);
        self.returned = self.kept[end] == b'\r';
        self.start = end + 1;
        self.searched = self.start;
        Ok(Some(line))
    }

    fn decode(&self, range: std::ops::Range<usize>) -> String {
        let first = self.before + range.start == 0;
        let mut line = &self.kept[range];
        if first {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        String::from_utf8_lossy(line).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(packets: &[&[u8]], limits: Limits) -> (Vec<String>, Option<LimitError>) {
        let (mut decoder, mut out) = (Lines::new(limits), Vec::new());
        for packet in packets.iter().map(Some).chain([None]) {
            match packet {
                Some(packet) => decoder.feed(packet),
                None => decoder.end(),
            }
            loop {
                match decoder.next() {
                    Ok(Some(line)) => out.push(line),
                    Ok(None) => break,
                    Err(error) => return (out, Some(error)),
                }
            }
        }
        (out, None)
    }

    #[test]
    fn marks_returns_empty_lines_and_a_missing_end_are_tolerated() {
        let bytes = "\u{feff}{\"a\":1}\r\n\n\u{feff}ä\rb\r\r\nlast".as_bytes();
        let want: Vec<String> = ["{\"a\":1}", "", "\u{feff}ä", "b", "", "last"].map(str::to_owned).into();
        assert_eq!(lines(&[bytes], Limits::REPLY), (want, None));
        assert_eq!(lines(&[b""], Limits::REPLY), (vec![], None));
        assert_eq!(lines(&[b"a\n"], Limits::REPLY), (vec!["a".to_owned()], None));
        assert_eq!(lines(&[b"\xff\xc3\n"], Limits::REPLY), (vec!["\u{fffd}\u{fffd}".to_owned()], None));
    }

    #[test]
    fn bounds_are_exact_and_named() {
        let limits = Limits { line: 3, total: 9 };
        assert_eq!(lines(&[b"abc\nabc\n"], limits), (vec!["abc".to_owned(), "abc".to_owned()], None));
        assert_eq!(lines(&[b"abc\nabcd\n"], limits), (vec!["abc".to_owned()], Some(LimitError::Line)));
        assert_eq!(
            lines(&[b"abc\nabc\nab"], limits),
            (vec!["abc".to_owned(), "abc".to_owned()], Some(LimitError::Total))
        );
    }

    #[test]
    fn an_error_stays() {
        let mut decoder = Lines::new(Limits { line: 1, total: 9 });
        decoder.feed(b"ab");
        assert_eq!(decoder.next(), Err(LimitError::Line));
        decoder.feed(b"\nc\n");
        assert_eq!(decoder.next(), Err(LimitError::Line));
    }

    proptest! {
        #[test]
        fn packets_make_no_difference(
            bytes in proptest::collection::vec(prop_oneof![
                4 => any::<u8>(), 3 => Just(b'\n'), 3 => Just(b'\r'), 1 => Just(0xef), 1 => Just(0xbb), 1 => Just(0xbf),
            ], 0..80),
            cuts in proptest::collection::vec(0_usize..80, 0..6),
            line in 1_usize..20,
            total in 1_usize..90,
        ) {
            let limits = Limits { line, total };
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let packets: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = lines(&[&bytes], limits);
            prop_assert_eq!(lines(&packets, limits), whole.clone());
            prop_assert_eq!(lines(&single, limits), whole);
        }
    }
}
