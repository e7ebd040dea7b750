//! The isolate: how text that others (or a model) wrote reaches a person's eyes.
//!
//! What comes out is a closed alphabet: no control character, nothing that is invisible by default, no space but
//! U+0020, nothing private or unassigned; such characters are spelled out as `⟨U+XXXX⟩`. So no text can hide, reorder,
//! overwrite or pretend to be another line.

use super::Untrusted;
use crate::Sentence;
use crate::sentence::Piece;

/// Text that may be put on a screen as it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Shown(String);

impl Shown {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One line: also line breaks are spelled out.
    pub fn line(text: &str) -> Self {
        Self(spell_out(text, Lines::One))
    }

    /// Several lines, as a model or a person writes them: line breaks and tabs (as spaces) stay.
    pub fn prose(text: &str) -> Self {
        Self(spell_out(text, Lines::Many))
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

// Whatever is read back is spelled out again, so that a store or a wire cannot bring anything else in.
impl<'de> serde::Deserialize<'de> for Shown {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::prose(&String::deserialize(deserializer)?))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Lines {
    One,
    Many,
}

/// One line of text from others.
pub(crate) fn line(text: &Untrusted) -> Shown {
    Shown::line(&text.text)
}

/// A sentence of the node: its own words keep their line breaks, the text of others cannot bring any, except free text,
/// which is set apart line by line.
pub(crate) fn sentence(sentence: &Sentence) -> Shown {
    let mut shown = String::new();
    for piece in sentence.pieces() {
        match piece {
            Piece::Plain(text) => shown.push_str(&spell_out(text, Lines::Many)),
            Piece::Others(text) if text.source.is_free_text() => {
                for line in text.text.lines() {
                    shown.push_str("\n  | ");
                    shown.push_str(&spell_out(line, Lines::One));
                }
            }
            Piece::Others(text) => shown.push_str(&spell_out(&text.text, Lines::One)),
        }
    }
    Shown(shown)
}

fn spell_out(_text: &str, _lines: Lines) -> String {
    todo!()
}
