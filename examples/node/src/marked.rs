//! Text that is not the node's own, as lines that nobody can take for the node's: each begins with a mark, also those
//! into which a long one is broken, so that no terminal breaks it at a place without one.

/// What the lines begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The answer, whoever gave it.
    Answer,
    /// What a person said.
    Said,
    /// A line of the node's that quotes others: what does not fit goes on further in than any other line begins.
    Quoting,
}

impl Mark {
    /// Before the first part of a line, and before each further one.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Answer => ("│ ", "│ "),
            Self::Said => ("> ", "> "),
            Self::Quoting => ("", "        "),
        }
    }
}

/// Puts marks before the lines of a text that comes in pieces.
#[derive(Debug)]
pub(crate) struct Marked {
    mark: Mark,
    /// How many columns may be used; none where nobody breaks lines.
    columns: Option<usize>,
    /// How many of them are, the mark's included; none between two lines.
    used: Option<usize>,
    /// What is not written yet: it may have to go to the next line.
    word: String,
    word_width: usize,
    spaces: usize,
}

impl Marked {
    /// For a screen of so many columns, or for none.
    pub(crate) fn new(mark: Mark, columns: Option<usize>) -> Self {
        // One column stays free: a screen may break the line when its last one is used.
        let columns = columns.map(|columns| columns.saturating_sub(1));
        Self { mark, columns, used: None, word: String::new(), word_width: 0, spaces: 0 }
    }

    /// The next piece, as far as it can be written. Only spaces and line breaks may stand in it beside what is visible.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '\n' => self.line_break(&mut out),
                ' ' => {
                    self.write(&mut out);
                    self.spaces += 1;
                }
                c => {
                    let more = width(c.encode_utf8(&mut [0; 4]));
                    // Longer than any line.
                    let mark = width(self.mark.texts().1);
                    if self.columns.is_some_and(|columns| mark + self.word_width + more > columns) {
                        self.write(&mut out);
                    }
                    self.word.push(c);
                    self.word_width += more;
                }
            }
        }
        out
    }

    /// What is left, and the end of the line where one is begun.
    pub(crate) fn end(&mut self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        if self.used.take().is_some() {
            out.push('\n');
        }
        self.spaces = 0;
        out
    }

    fn line_break(&mut self, out: &mut String) {
        self.write(out);
        if self.used.take().is_none() {
            out.push_str(self.mark.texts().0.trim_end());
        }
        out.push('\n');
        self.spaces = 0;
    }

    fn write(&mut self, out: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let (first, further) = self.mark.texts();
        let fits =
            |used: usize| self.columns.is_none_or(|columns| used + self.spaces + self.word_width <= columns);
        let used = match self.used {
            Some(used) if fits(used) => used,
            begun => {
                let mark = if begun.is_some() { further } else { first };
                if begun.is_some() {
                    out.push('\n');
                }
                out.push_str(mark);
                if begun.is_some() || !fits(width(mark)) {
                    self.spaces = 0;
                }
                width(mark)
            }
        };
        let used = used + self.spaces;
        out.extend(std::iter::repeat_n(' ', self.spaces));
        out.push_str(&self.word);
        self.used = Some(used + self.word_width);
        self.word.clear();
        (self.word_width, self.spaces) = (0, 0);
    }
}

/// At most so many columns. No character takes more than two, and which one takes two is for the terminal to know.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(mark: Mark, columns: Option<usize>, pieces: &[&str]) -> String {
        let mut marked = Marked::new(mark, columns);
        let mut out: String = pieces.iter().map(|piece| marked.push(piece)).collect();
        out += &marked.end();
        out
    }

    #[test]
    fn each_line_has_its_mark() {
        for (mark, columns, pieces, expected) in [
            (Mark::Answer, None, &["one\n\n  two ", "three"][..], "│ one\n│\n│   two three\n"),
            (Mark::Answer, None, &["\n", "\n✓ done\n"], "│\n│\n│ ✓ done\n"),
            (Mark::Answer, None, &["", "   "], ""),
            (Mark::Answer, Some(15), &["one two ", "three", "four five"], "│ one two\n│ threefour\n│ five\n"),
            (Mark::Answer, Some(9), &["abcdefghijk l"], "│ abcde\n│ fghij\n│ k l\n"),
            (Mark::Answer, Some(10), &["日本語日本語"], "│ 日本語\n│ 日本語\n"),
            (Mark::Answer, Some(1), &["ab\nc"], "│ a\n│ b\n│ c\n"),
            (Mark::Said, Some(12), &["restart the app"], "> restart\n> the app\n"),
            (
                Mark::Quoting,
                Some(20),
                &["  ✓ tool {\"a\":\"12345678\"}"],
                "  ✓ tool\n        {\"a\":\"12345\n        678\"}\n",
            ),
        ] {
            assert_eq!(marked(mark, columns, pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn however_it_is_cut_into_pieces_it_reads_the_same() {
        let text = "A line that is longer than the screen is wide,\n    indented code and averyveryverylongword\n\n end";
        let whole = marked(Mark::Answer, Some(20), &[text]);
        assert!(whole.lines().all(|line| line.starts_with('│') && width(line) <= 20), "{whole}");
        for at in 0..text.len() {
            assert_eq!(marked(Mark::Answer, Some(20), &[&text[..at], &text[at..]]), whole, "{at}");
        }
    }
}
