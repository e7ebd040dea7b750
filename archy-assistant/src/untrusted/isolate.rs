//! The isolate: how text that others (or a model) wrote reaches a person's eyes.
//!
//! What comes out is a closed alphabet: no control character, nothing that is invisible by default, no space but
//! U+0020, nothing private or unassigned; such characters are spelled out as `⟨U+XXXX⟩`. So no text can hide, overwrite,
//! pretend to be another line or order a screen to turn its words around. Nothing is ever cut.
//!
//! There are two ways, for two needs that exclude each other:
//!
//! - **One line** is injective: two texts that differ (beyond canonical equivalence) are shown differently. For this
//!   the brackets of the spelling are themselves spelled out, so showing twice is not the same as showing once: put
//!   lines together with [`one_line`], never by spelling out what is shown already.
//! - **Several lines** is idempotent, and leaves one line as it is: what is shown may be read back from a store or a
//!   wire, and pass again. For this the brackets stay, and a text may hold a spelling that nobody made.
//!
//! Letters of scripts that run from right to left are shown as they are. They draw digits, signs and other such names
//! that follow at once into their own direction, so a template puts a word or a line break after what others wrote.

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization;

use super::alphabet::{self, Mark};
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

    /// One line: also line breaks and tabs are spelled out, and a run of spaces is counted as `⟨␠×n⟩`. Pass it what
    /// was not shown yet: the brackets of an earlier spelling would be spelled out again.
    pub fn line(text: &str) -> Self {
        Self(spell_out(text, Lines::One))
    }

    /// Several lines, as a model or a person writes them: line breaks and tabs (as spaces) stay, and a run of more than
    /// eight spaces is counted. What is shown already passes unchanged.
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

/// A sentence of the node: its own words keep their line breaks, the text of others cannot bring any, except free text,
/// which is set apart line by line and ends where the node's words begin on a line of their own.
pub(crate) fn sentence(sentence: &Sentence) -> Shown {
    let mut shown = String::new();
    let mut after_quote = false;
    for piece in sentence.pieces() {
        match piece {
            Piece::Plain(text) => {
                let mut text = text.as_str();
                if std::mem::take(&mut after_quote) && !text.starts_with('\n') {
                    // A full stop has nothing to end on a line of its own.
                    text = text.strip_prefix('.').unwrap_or(text).trim_start_matches(' ');
                    if !text.is_empty() {
                        shown.push('\n');
                    }
                }
                shown.push_str(&spell_out(text, Lines::Many));
            }
            Piece::Others(text) if text.source.is_free_text() => {
                for line in text.text.split('\n') {
                    shown.truncate(shown.trim_end_matches(' ').len());
                    if !shown.is_empty() && !shown.ends_with('\n') {
                        shown.push('\n');
                    }
                    shown.push_str("  | ");
                    shown.push_str(&spell_out(line, Lines::One));
                }
                after_quote = true;
            }
            Piece::Others(text) => {
                if std::mem::take(&mut after_quote) {
                    shown.push('\n');
                }
                shown.push_str(&spell_out(&text.text, Lines::One));
            }
        }
    }
    Shown(shown)
}

/// A sentence of the node on one line, whatever is in it.
pub(crate) fn one_line(sentence: &Sentence) -> Shown {
    Shown(
        sentence
            .pieces()
            .iter()
            .map(|piece| match piece {
                Piece::Plain(text) => spell_out(text, Lines::One),
                Piece::Others(text) => spell_out(&text.text, Lines::One),
            })
            .collect(),
    )
}

/// The longest run of spaces that prose keeps: an indented line of code stays, padding does not.
const LONGEST_RUN: usize = 8;

fn spell_out(text: &str, lines: Lines) -> String {
    if is_plain(text, lines) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let (mut run, mut room) = (0, Room::NONE);
    for c in text.nfc() {
        if c == ' ' || (c == '\t' && lines == Lines::Many) {
            (run, room) = (run + 1, Room::NONE);
            continue;
        }
        push_spaces(&mut shown, std::mem::take(&mut run), lines);
        match role(c, lines) {
            Role::Bears => {
                room = Room::FULL;
                shown.push(c);
            }
            Role::Stands => {
                room = Room::NONE;
                shown.push(c);
            }
            Role::Sits(mark) if room.take(mark) => shown.push(c),
            Role::Sits(_) | Role::Hides => {
                room = Room::NONE;
                let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
            }
        }
    }
    push_spaces(&mut shown, run, lines);
    shown
}

/// What a character is to the ones around it.
enum Role {
    /// It is shown and may carry marks.
    Bears,
    /// It is shown and carries nothing.
    Stands,
    /// It is a mark, shown if what it sits on has room.
    Sits(Mark),
    /// It is spelled out.
    Hides,
}

fn role(c: char, lines: Lines) -> Role {
    match c {
        '\n' | '⟨' | '⟩' | '␠' if lines == Lines::Many => Role::Stands,
        '⟨' | '⟩' | '␠' => Role::Hides,
        _ if alphabet::is_hidden(c) => Role::Hides,
        _ => alphabet::mark(c).map_or(Role::Bears, Role::Sits),
    }
}

/// How many more marks the last character can carry.
struct Room {
    stacked: u8,
    beside: u8,
}

impl Room {
    const NONE: Self = Self { stacked: 0, beside: 0 };
    /// Two of each kind: enough for Vietnamese and Hindi, too few to reach the next line.
    const FULL: Self = Self { stacked: 2, beside: 2 };

    fn take(&mut self, mark: Mark) -> bool {
        let left = match mark {
            Mark::Stacked => &mut self.stacked,
            Mark::Beside => &mut self.beside,
        };
        let fits = *left > 0;
        *left = left.saturating_sub(1);
        fits
    }
}

/// Whether spelling out would change nothing, for text that is ASCII as nearly all is.
fn is_plain(text: &str, lines: Lines) -> bool {
    let mut run = 0;
    text.bytes().all(|byte| {
        run = if byte == b' ' { run + 1 } else { 0 };
        match byte {
            b' ' => run <= longest(lines),
            b'\n' => lines == Lines::Many,
            _ => byte.is_ascii_graphic(),
        }
    })
}

const fn longest(lines: Lines) -> usize {
    match lines {
        Lines::One => 1,
        Lines::Many => LONGEST_RUN,
    }
}

fn push_spaces(shown: &mut String, run: usize, lines: Lines) {
    if run <= longest(lines) {
        shown.extend(std::iter::repeat_n(' ', run));
    } else {
        // In brackets, so that a digit which follows is not read as part of the count.
        let _ = write!(shown, "⟨␠×{run}⟩");
    }
}

#[cfg(test)]
mod tests;
