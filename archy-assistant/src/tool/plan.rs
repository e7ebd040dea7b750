//! What a write would change, in the words that a person confirms.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_normalization::is_nfc;

use crate::untrusted::isolate;
use crate::{Datum, Sentence, Shown, Timestamp, Untrusted};

/// A write before anyone agreed to it.
#[derive(Debug)]
pub struct Plan<C> {
    /// What would change: only what the effect depends on.
    pub change: C,
    /// The words for the person.
    pub text: ConfirmText,
    /// Whether and how it could be undone.
    pub undo: Undo,
}

/// Whether a change can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undo {
    /// It can, like this.
    By(&'static str),
    /// It cannot.
    Never,
}

/// A change that a person has agreed to. Only the crate makes one, once, after the claim is durable; it cannot be
/// copied and is used up by reading it.
///
/// ```compile_fail
/// let forged = archy_assistant::Approved("anything");
/// ```
#[derive(Debug)]
pub struct Approved<C>(C);

impl<C> Approved<C> {
    pub(super) fn new(change: C, _: &super::Claim) -> Self {
        Self(change)
    }

    /// The change to carry out.
    pub fn into_change(self) -> C {
        self.0
    }
}

/// The words of a confirmation: a headline and named lines, from a fixed template with typed slots.
///
/// Nothing is ever cut. What others wrote is spelled out so that it cannot hide or pretend to be another line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConfirmText {
    headline: &'static str,
    lines: Vec<(&'static str, Shown)>,
}

impl ConfirmText {
    /// Starts with what would be done: `"Restart an app"`.
    pub fn new(headline: &'static str) -> Self {
        Self { headline, lines: Vec::new() }
    }

    /// A line in the node's own words or quantities.
    #[must_use]
    pub fn line(self, name: &'static str, value: impl Into<Sentence>) -> Self {
        self.push(name, isolate::one_line(&value.into()))
    }

    /// A line with an id, a key or an amount.
    #[must_use]
    pub fn id(self, name: &'static str, id: &str) -> Self {
        self.push(name, Shown::line(id))
    }

    /// A line that names something which others named: its name in quotes, its id always beside it.
    #[must_use]
    pub fn named(self, name: &'static str, others: &Untrusted, id: &str) -> Self {
        let quoted = Sentence::plain("“").and(Sentence::others(others.clone())).and(format!("” ({id})"));
        self.push(name, isolate::one_line(&quoted))
    }

    /// A line that shows a moment, absolutely.
    #[must_use]
    pub fn time(self, name: &'static str, time: Timestamp) -> Self {
        self.push(name, Shown::line(&time.to_string()))
    }

    /// A line that shows what is and what would be.
    #[must_use]
    pub fn before_after(self, name: &'static str, before: &Datum, after: &Datum) -> Self {
        self.push(name, isolate::one_line(&Sentence::from(before).and(" → ").and(after)))
    }

    fn push(mut self, name: &'static str, value: Shown) -> Self {
        self.lines.push((name, value));
        self
    }

    /// The whole text with what the crate itself adds: how to undo, the exact call, who asked. Every argument stands in
    /// the call's line in full, so two different calls never read the same.
    pub(crate) fn finish(
        &self,
        undo: &Undo,
        tool: &str,
        args: &str,
        asked: &[(&'static str, String)],
    ) -> Shown {
        let mut text = self.headline.to_owned();
        let mut line = |name: &str, value: &str| {
            let _ = write!(text, "\n  {name}: {value}");
        };
        for (name, value) in &self.lines {
            line(name, value.as_str());
        }
        line(
            "Can be undone",
            match undo {
                Undo::By(how) => how,
                Undo::Never => "no",
            },
        );
        weak!(TextIsProse, line("Exact call", Shown::prose(&format!("{tool} {args}")).as_str()));
        if !weak!(TextIsProse) {
            line("Exact call", Shown::line(&format!("{tool} {}", exact(args))).as_str());
        }
        for (name, value) in asked {
            line(name, Shown::line(value).as_str());
        }
        weak!(TextIsCut, return Shown::prose(&text.chars().take(300).collect::<String>()));
        Shown::prose(&text)
    }
}

/// The arguments so that two that differ read differently: a screen shows `é` and `e´` alike, so that where something
/// is not in composed form all that is not ASCII is escaped as JSON does.
fn exact(args: &str) -> Cow<'_, str> {
    if is_nfc(args) {
        return Cow::Borrowed(args);
    }
    let mut escaped = String::with_capacity(args.len() * 2);
    for c in args.chars() {
        if c.is_ascii() {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests;
