//! What the node says in its own words: fixed text with the text of others kept apart until somebody reads it.

use crate::untrusted::isolate;
use crate::{Datum, Shown, Untrusted};

/// A sentence of the node. A screen reads it through the isolate; a prompt only reads the
/// fixed part.
///
/// ```
/// use archy_assistant::{Datum, Sentence};
/// let said = Sentence::plain("There is ").and(&Datum::Bytes(1_400_000_000_000)).and(" left.");
/// assert_eq!(said.shown().as_str(), "There is 1.4 TB left.");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sentence(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Plain(String),
    Others(Untrusted),
}

impl Sentence {
    /// Words of the node's own. Never pass text from others here: it has [`Sentence::others`].
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::default() } else { Self(vec![Piece::Plain(text)]) }
    }

    /// Text that others wrote.
    pub fn others(text: Untrusted) -> Self {
        Self(vec![Piece::Others(text)])
    }

    /// This sentence, then `more`.
    #[must_use]
    pub fn and(mut self, more: impl Into<Self>) -> Self {
        for piece in more.into().0 {
            match (self.0.last_mut(), piece) {
                (Some(Piece::Plain(text)), Piece::Plain(more)) => text.push_str(&more),
                (_, piece) => self.0.push(piece),
            }
        }
        self
    }

    /// `parts` with `between` between them.
    pub fn join(parts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        parts.into_iter().enumerate().fold(Self::default(), |whole, (place, part)| {
            if place == 0 { whole.and(part) } else { whole.and(between).and(part) }
        })
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is nothing in it to read.
    pub(crate) fn is_blank(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Plain(text) if text.trim().is_empty()))
    }

    /// Whether text from others is in it.
    pub fn is_tainted(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Others(_)))
    }

    /// As a screen shows it.
    pub fn shown(&self) -> Shown {
        isolate::sentence(self)
    }

    /// As a later prompt reads it: the node's own words, with a mark where text of others stood. That text is in the
    /// tool's result, inside its fence.
    pub(crate) fn for_prompt(&self) -> String {
        self.0.iter().map(|piece| if let Piece::Plain(text) = piece { text } else { "[shown]" }).collect()
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    pub(crate) fn from_pieces(pieces: Vec<Piece>) -> Self {
        Self(pieces)
    }

    #[cfg(test)]
    pub(crate) fn to_string_for_tests(&self) -> String {
        self.shown().as_str().to_owned()
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

impl From<Datum> for Sentence {
    fn from(datum: Datum) -> Self {
        Self::from(&datum)
    }
}
