//! The fence: how a tool's result enters a prompt. Text that others wrote is data between markers that it cannot forge.
//!
//! `<<<U 4f…c1 {"from":"read_logs: the log of nextcloud","result":"…"} U 4f…c1>>>`: everything that others chose, the
//! names of its sources too, is inside one line of JSON. In it `<` and `>` are escaped, so that no text can spell a
//! marker, even when it knows the nonce; that also goes for the control words of models' prompt formats
//! (`<|im_start|>`, `[INST]`), which some servers read even inside a message. The nonce is 128 random bits that were
//! drawn after the text was fixed. The fence makes quoting plain to a model; no promise of the node rests on a model
//! heeding it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::alphabet;
use crate::{Datum, Sentence, Source};

/// The nonce of one tool result's fence. It is stored with the result, so that a prompt's prefix stays byte-stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Fence(pub(crate) u128);

impl Fence {
    /// The whole result of `tool` as a prompt holds it, on one line: bare JSON where every word is the node's own, else
    /// JSON in the fence. Quantities are strings as a [`Sentence`] says them; numbers, yes and no, and nothing are
    /// JSON's own; the parts of a record keep their order.
    ///
    /// Of each text that others wrote, at most `max` bytes are taken, whole characters only. How many were cut is
    /// told by the node, after the closing marker.
    pub(crate) fn datum(self, tool: &str, datum: &Datum, max: usize) -> String {
        let mut result = Json { text: String::new(), max, cut: 0 };
        result.value(datum);
        if !datum.is_tainted() || weak!(FenceForgotten) {
            return result.text;
        }
        let mut from = Json { text: String::new(), max, cut: 0 };
        from.string(&format!("{tool}: {}", sources(datum)));
        let (nonce, from, cut, result) = (self.0, from.text, result.cut, result.text);
        let mut fenced =
            format!(r#"<<<U {nonce:032x} {{"from":{from},"result":{result}}} U {nonce:032x}>>>"#);
        if cut > 0 {
            let texts = if cut == 1 { "1 text" } else { &*format!("{cut} texts") };
            let _ = write!(fenced, " ({texts} in it cut to {max} bytes)");
        }
        fenced
    }
}

/// Where the texts of others in `datum` were read, each once.
fn sources(datum: &Datum) -> String {
    let mut sources = BTreeSet::new();
    datum.visit_others(&mut |text| {
        sources.insert(text.source().clone());
    });
    sources.iter().map(Source::describe).collect::<Vec<_>>().join(", ")
}

/// JSON in the making.
struct Json {
    text: String,
    max: usize,
    cut: usize,
}

impl Json {
    fn value(&mut self, datum: &Datum) {
        match datum {
            Datum::None => self.text.push_str("null"),
            Datum::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Datum::Int(count) => {
                let _ = write!(self.text, "{count}");
            }
            Datum::Text(text) => self.string(text),
            Datum::Others(text) => {
                let taken = head(&text.text, self.max);
                self.cut += usize::from(taken.len() < text.text.len());
                self.string(taken);
            }
            Datum::List(items) => self.several('[', items, ']', Self::value),
            Datum::Record(parts) => self.several('{', parts, '}', |json, (name, part)| {
                json.string(name);
                json.text.push(':');
                json.value(part);
            }),
            quantity => self.string(&Sentence::from(quantity).for_prompt()),
        }
    }

    fn several<T>(&mut self, open: char, items: &[T], close: char, write: impl Fn(&mut Self, &T)) {
        self.text.push(open);
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            write(self, item);
        }
        self.text.push(close);
    }

    /// Letters stay readable; whatever a screen would not show, and what could spell a marker, is escaped.
    fn string(&mut self, text: &str) {
        self.text.push('"');
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                // The short forms cost a model one token instead of six.
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("\\t"),
                '<' | '>' | '\u{fffd}' => self.escape(c),
                '[' if rest.as_str().starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) => {
                    self.escape(c);
                }
                _ if alphabet::is_hidden(c) => self.escape(c),
                _ => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    fn escape(&mut self, c: char) {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(self.text, "\\u{unit:04x}");
        }
    }
}

/// The longest beginning of `text` that takes at most `max` bytes.
fn head(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests;
