//! From what was said to what is wanted: each [`clause`] is read by itself, an [`order`] with more care than a question,
//! then clauses that need each other are put together ([`join`]); names and pronouns are followed through what was said
//! before ([`points`], [`again`]).

mod again;
mod clause;
mod join;
mod order;
mod points;
#[cfg(feature = "http")]
pub(super) mod shortlist;

use super::clauses;
use super::english::ENGLISH;
use super::fill::{self, Mention, Value};
use super::follow_up::Before;
use super::index::Index;
use super::intent::{self, Bar, Judged};
use super::score;
use super::voice;
use super::words::{self, Word};
use crate::Message;

/// A call that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wish {
    pub(super) tool: usize,
    pub(super) args: Vec<(usize, Value)>,
}

impl Wish {
    /// The same with this value.
    pub(super) fn with(&self, slot: usize, value: Value) -> Self {
        let mut args: Vec<_> = self.args.iter().filter(|(known, _)| *known != slot).cloned().collect();
        args.push((slot, value));
        args.sort_by_key(|(slot, _)| *slot);
        Self { tool: self.tool, args }
    }
}

/// What was understood, before it is put into words.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Wishes(Vec<Wish>),
    /// A tool is clear, one of its slots is not; what may fill it.
    Which {
        wish: Wish,
        slot: usize,
        among: Vec<String>,
    },
    /// One of these was meant, perhaps.
    Perhaps(Vec<Wish>),
    Elsewhere(&'static str),
    /// It speaks of a change in a way that never makes one.
    Barred(Bar),
    Nothing,
}

/// What one clause comes to.
#[derive(Debug, Clone)]
enum Step {
    Wishes(Vec<Wish>),
    /// A slot was not said; something else may tell.
    Lacks {
        wish: Wish,
        slot: usize,
    },
    /// Several fit a slot, or none of what was said does.
    Unclear {
        wish: Wish,
        slot: usize,
        among: Vec<String>,
    },
    Perhaps(Vec<Wish>),
    /// Names, and nothing that says what of them.
    Names,
    Elsewhere(&'static str),
    Barred(Bar),
    /// It only tells or wraps.
    Aside,
    Unknown,
}

/// So many things said before are looked at to know what the last of them asked.
const DEPTH: usize = 3;

/// Reads `said` after `messages`.
pub(super) fn read(said: &str, index: &Index<'_>, messages: &[Message]) -> Outcome {
    let words = words::split(said);
    let doubt = words.iter().map(|word| (word, index.doubts(word))).find(|(_, verbs)| !verbs.is_empty());
    match doubt {
        Some((word, verbs)) => doubtful(said, word, &verbs, index, messages),
        None => read_at(said, index, messages, 0),
    }
}

fn read_at(said: &str, index: &Index<'_>, messages: &[Message], depth: usize) -> Outcome {
    let before = Before::new(messages);
    let pending = match before.unanswered {
        Some((earlier, rest)) if depth < DEPTH => Some(read_at(earlier, index, rest, depth + 1)),
        _ => None,
    };
    let pending = pending.filter(|asked| matches!(asked, Outcome::Which { .. } | Outcome::Perhaps(_)));
    let judged = intent::judge(clauses::split(&understood(said, index)), index);
    Reading { said, index, before, pending }.all(&judged)
}

/// The words of `said`, slips corrected, each with its concept.
fn understood(said: &str, index: &Index<'_>) -> Vec<Word> {
    let mut words = words::split(said);
    spelled_marks(&mut words);
    index.correct(&mut words);
    voice::regular(&mut words);
    ENGLISH.conceive(&mut words);
    words
}

/// "europe slash lisbon": a mark that was spoken stands for nothing else.
fn spelled_marks(words: &mut Vec<Word>) {
    for place in (1..words.len().saturating_sub(1)).rev() {
        let mark = matches!(words[place].text.as_str(), "slash" | "underscore");
        if mark && words[place].is_plain() && words[place - 1].is_plain() && words[place + 1].is_plain() {
            words.remove(place);
        }
    }
}

/// A slip that may be one verb or another: each is tried, and what they come to is asked, never done.
fn doubtful(said: &str, word: &Word, verbs: &[String], index: &Index<'_>, messages: &[Message]) -> Outcome {
    let mut wishes = Vec::new();
    for verb in verbs {
        let tried = format!("{}{verb}{}", &said[..word.at.start], &said[word.at.end..]);
        if let Outcome::Wishes(made) | Outcome::Perhaps(made) = read_at(&tried, index, messages, 1) {
            wishes.extend(made.into_iter().filter(|wish| index.tools[wish.tool].writes()));
        }
    }
    if wishes.is_empty() { Outcome::Nothing } else { Outcome::Perhaps(wishes) }
}

/// What is read, and what it is read against.
struct Reading<'r> {
    said: &'r str,
    index: &'r Index<'r>,
    before: Before<'r>,
    /// What the assistant asked last, if this may answer it.
    pending: Option<Outcome>,
}

impl Reading<'_> {
    fn all(&self, judged: &[Judged]) -> Outcome {
        if let Some(answer) = self.answers_pending(judged) {
            return answer;
        }
        let mentions: Vec<Vec<Mention>> =
            judged.iter().map(|clause| fill::mentions(&clause.words, self.index)).collect();
        let mut steps: Vec<Step> =
            judged.iter().zip(&mentions).map(|(clause, mentions)| self.clause(clause, mentions)).collect();
        self.put_names_back(judged, &mut steps);
        self.join(judged, &mentions, steps)
    }

    /// Whether one of the names is a value of some key ("dark").
    fn has_paired(&self, mentions: &[Mention]) -> bool {
        mentions.iter().any(|one| self.index.sets[one.set].list[one.who[0]].goes_with.is_some())
    }
}

/// Whether nothing but names stands there.
fn only_names(words: &[Word], mentions: &[Mention]) -> bool {
    words.iter().enumerate().all(|(place, word)| {
        mentions.iter().any(|mention| (mention.from..mention.to).contains(&place))
            || !score::carries(word)
            || ENGLISH.weak.contains(word.stem.as_str())
    })
}
