//! Clauses: where one request ends and the next begins.

use super::english::ENGLISH;
use super::words::Word;

/// How a clause follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joined {
    /// A new sentence.
    Sentence,
    /// A colon.
    Colon,
    And,
    Or,
    But,
    Comma,
    /// "then", "after that".
    Then,
    /// It gives a reason or an aside.
    Reason,
}

/// A part of what was said that may hold a request of its own.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) words: Vec<Word>,
    pub(super) joined: Joined,
    /// Whether its sentence ends with a question mark.
    pub(super) asked: bool,
    /// The number of its sentence.
    pub(super) sentence: usize,
}

/// The clauses of `words`, which have their concepts.
pub(super) fn split(words: &[Word]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let (mut joined, mut sentence, mut skip) = (Joined::Sentence, 0, 0);
    let mut open: Vec<Word> = Vec::new();
    let mut close = |open: &mut Vec<Word>, joined, sentence| {
        if open.iter().any(|word| !word.taken) {
            clauses.push(Clause { words: std::mem::take(open), joined, asked: false, sentence });
            true
        } else {
            open.clear();
            false
        }
    };
    let mut ends = Vec::new();
    for place in 0..words.len() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let word = &words[place];
        let next = cut(words, place, &open);
        let Some((how, length)) = next else {
            open.push(word.clone());
            continue;
        };
        let closed = close(&mut open, joined, sentence);
        if how == Joined::Sentence {
            ends.push((sentence, word.mark() == Some('?')));
            sentence += 1;
        }
        // ", and then": the strongest of several connectors counts.
        if closed
            || how == Joined::Sentence
            || matches!((joined, how), (Joined::Comma | Joined::And, _)) && how != Joined::Comma
        {
            joined = how;
        }
        skip = length.saturating_sub(1);
        if length == 0 {
            open.push(word.clone());
        }
    }
    close(&mut open, joined, sentence);
    for clause in &mut clauses {
        clause.asked = ends.iter().any(|&(sentence, asked)| asked && sentence == clause.sentence);
    }
    clauses
}

/// Whether a new clause begins at `place`, how, and how many words only join.
fn cut(words: &[Word], place: usize, open: &[Word]) -> Option<(Joined, usize)> {
    let word = &words[place];
    if let Some(mark) = word.mark() {
        return match mark {
            '.' | '!' | '?' | ';' | '…' => Some((Joined::Sentence, 1)),
            ':' => Some((Joined::Colon, 1)),
            ',' | '—' | '–' | '(' | ')' => Some((Joined::Comma, 1)),
            _ => None,
        };
    }
    if word.taken || !word.is_plain() {
        return None;
    }
    let next = words.get(place + 1).map_or("", |next| next.text.as_str());
    if matches!((word.text.as_str(), next), ("instead", "of") | ("rather", "than")) && !open.is_empty() {
        return Some((Joined::But, 0));
    }
    let before = open.last().map_or("", |before| before.text.as_str());
    match (word.text.as_str(), next) {
        ("and", "out") if before == "in" => return None,
        ("and", "down") if before == "up" => return None,
        ("and", "forth") if before == "back" => return None,
        ("and", "then" | "afterwards") | ("after" | "followed", "that" | "this" | "by") => {
            return Some((Joined::Then, 2));
        }
        ("as", "well") if words.get(place + 2).is_some_and(|as_| as_.text == "as") => {
            return Some((Joined::And, 3));
        }
        ("along" | "together", "with") => return Some((Joined::And, 2)),
        ("and" | "plus", _) => return Some((Joined::And, 1)),
        ("not", _) if excepts(open) => return Some((Joined::But, 0)),
        ("but" | "however", _) => return Some((Joined::But, 1)),
        ("then" | "afterwards", _) => return Some((Joined::Then, 1)),
        ("without", _) if begins_order(open) && place + 2 < words.len() => return Some((Joined::But, 0)),
        ("so", "please" | "can" | "could" | "would" | "kindly") => return Some((Joined::Sentence, 1)),
        ("so", _) if words.get(place + 1).is_some_and(orders) => return Some((Joined::Then, 1)),
        ("or", _) => return Some((Joined::Or, 1)),
        _ => {}
    }
    // "instead of restarting it show me the logs".
    if ["instead", "rather"].contains(&open.iter().find(|word| !word.taken).map_or("", |first| &first.text))
        && open.len() > 2
        && orders(word)
    {
        return Some((Joined::Comma, 0));
    }
    if open.iter().filter(|word| word.is_plain() && !word.taken).count() < 2 {
        return None;
    }
    if ENGLISH.reasons.begins(&words[place..]) > 0 {
        return Some((Joined::Reason, 0));
    }
    // "dark mode pls my eyes are dying", "stop it its 2am".
    let owns = matches!(word.text.as_str(), "my" | "our" | "his" | "her");
    let hour = word.text == "its" && next.starts_with(|letter: char| letter.is_ascii_digit());
    let told = || {
        let rest = words[place + 1..].iter().take(4).take_while(|word| word.mark().is_none());
        rest.skip(1).any(|word| matches!(word.text.as_str(), "is" | "are" | "was" | "were" | "has" | "have"))
    };
    if hour || (owns && matches!(before, "please" | "pls" | "plz" | "thanks" | "thx") && told()) {
        return Some((Joined::Reason, 0));
    }
    // A run-on: "halt it i will start it myself".
    let before = open.iter().rev().find(|word| word.is_plain() && !word.taken)?;
    let subject = matches!(word.text.as_str(), "i" | "we" | "it");
    let verb = matches!(
        next,
        "will"
            | "am"
            | "is"
            | "need"
            | "have"
            | "keeps"
            | "has"
            | "want"
            | "would"
            | "can"
            | "seems"
            | "was"
            | "are"
    );
    let joins = ENGLISH.stop.contains(before.text.as_str()) && before.text != "it" && before.text != "me";
    let cleft = open.len() < 7 && open.first().is_some_and(|first| first.text == "it");
    (subject && verb && !joins && !cleft && !ENGLISH.look.contains(before.text.as_str()))
        .then_some((Joined::Reason, 0))
}

/// Whether "not" after these words takes something out ("restart it, not the other") and does not ask ("is it not up").
fn excepts(open: &[Word]) -> bool {
    const ASK: [&str; 8] = ["is", "are", "was", "why", "which", "what", "has", "did"];
    open.first().is_some_and(|first| !ASK.contains(&first.text.as_str()))
        && open.last().is_some_and(|before| !ENGLISH.stop.contains(before.text.as_str()))
}

/// Whether an order has begun.
fn begins_order(open: &[Word]) -> bool {
    let mut open = open.iter().filter(|word| word.mark().is_none());
    open.find(|word| word.text != "please").is_some_and(orders)
}

/// Whether a word may begin an order.
fn orders(word: &Word) -> bool {
    word.base && (ENGLISH.look.contains(word.text.as_str()) || ENGLISH.change.contains(&word.stem))
}
