//! Slips of the tongue that are taken back in the same breath: "restart lnd, no wait, electrs".

use super::clauses::{Clause, Joined};
use super::words::Word;

/// What takes back the words before it.
const MARKERS: [&str; 24] = [
    "no wait",
    "wait no",
    "no no",
    "no sorry",
    "sorry no",
    "oh no",
    "oops",
    "whoops",
    "correction",
    "scratch that",
    "strike that",
    "make that",
    "or rather",
    "i mean",
    "i meant",
    "sorry i meant",
    "sorry i mean",
    "no i mean",
    "no i meant",
    "wait",
    "sorry",
    "no",
    "err",
    "rather",
];

/// The clauses with what only corrects taken away; whether each corrects the one before it.
pub(super) fn find(clauses: Vec<Clause>) -> Vec<(Clause, bool)> {
    let mut found: Vec<(Clause, bool)> = Vec::new();
    let mut taken_back = false;
    for mut clause in clauses {
        let first = found.is_empty();
        let mut corrects = std::mem::take(&mut taken_back);
        let fits = matches!(clause.joined, Joined::Comma | Joined::But | Joined::Sentence | Joined::Or);
        while let Some(length) = marker(&clause.words).filter(|_| !first && fits) {
            clause.words.drain(..length);
            corrects = true;
        }
        if clause.words.iter().all(|word| word.mark().is_some() || word.taken) && corrects {
            taken_back = true;
            continue;
        }
        if corrects {
            clause.joined = Joined::Comma;
        }
        found.push((clause, corrects));
    }
    found
}

/// How many words the longest marker takes at the beginning.
fn marker(words: &[Word]) -> Option<usize> {
    let begins = |marker: &&&str| {
        let mut words = words.iter();
        marker.split(' ').all(|part| words.next().is_some_and(|word| word.text == part))
    };
    let long = MARKERS.iter().filter(begins).map(|marker| marker.split(' ').count()).max()?;
    // "sorry to bother you", "no logs", "wait for it": only whole asides and names after them correct.
    let stands = words.len() == long
        || long > 1
        || words.get(long).is_some_and(|next| next.is_plain() && words.len() <= long + 3);
    stands.then_some(long)
}
