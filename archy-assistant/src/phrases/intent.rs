//! What kind of sentence a clause is. Only an order may become a write; everything that forbids, asks, reports, supposes
//! or waits for something may not.

use super::clauses::{Clause, Joined};
use super::english::ENGLISH;
use super::index::{Index, is_cue};
use super::words::{Kind, Word};

/// What kind of sentence it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// It asks for something to be done or shown.
    Order,
    /// It names something that is wanted: "I want the logs", "I need lnd restarted".
    Desire,
    /// It asks.
    Question,
    /// It names something and no more.
    Fragment,
    /// It tells something.
    Statement,
}

/// Why nothing in it may become a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bar {
    Negated,
    Advice,
    Past,
    Reported,
    Later,
    Sweeping,
}

/// A clause, its kind, and what is left of it without politeness.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// The words that matter, frames taken away.
    pub(super) words: Vec<Word>,
    pub(super) mood: Mood,
    pub(super) bar: Option<Bar>,
    pub(super) joined: Joined,
    pub(super) asked: bool,
    pub(super) sentence: usize,
    /// "please" or another frame of an order stood with it.
    pub(super) polite: bool,
    /// A pronoun that points at one or at several.
    pub(super) points: Option<Points>,
    /// "the app", "that one": something particular that is not named.
    pub(super) sweeping: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    One,
    Several,
}

/// Judges each clause, then lets bars reach what they govern.
pub(super) fn judge(clauses: Vec<Clause>, index: &Index<'_>) -> Vec<Judged> {
    let mut judged: Vec<Judged> = clauses.into_iter().map(|clause| one(clause, index)).collect();
    for place in 0..judged.len() {
        let (bar, sentence) = (judged[place].bar, judged[place].sentence);
        match bar {
            Some(Bar::Later | Bar::Advice) if judged[place].joined == Joined::Reason => {}
            Some(Bar::Later | Bar::Advice) => {
                judged
                    .iter_mut()
                    .filter(|other| other.sentence == sentence && other.bar.is_none())
                    .for_each(|other| other.bar = bar);
            }
            Some(Bar::Reported) => {
                let colon = judged.get(place + 1).is_some_and(|next| next.joined == Joined::Colon);
                for other in &mut judged[place..] {
                    if other.sentence == sentence || colon {
                        other.bar = bar;
                    }
                }
            }
            Some(Bar::Negated) => {
                for next in place + 1..judged.len() {
                    let other = &mut judged[next];
                    let governed = match other.joined {
                        Joined::Or => true,
                        Joined::And => true,
                        Joined::Comma => other.mood == Mood::Fragment,
                        _ => false,
                    };
                    if other.sentence != sentence || !governed || other.bar.is_some() {
                        break;
                    }
                    other.bar = bar;
                }
            }
            _ => {}
        }
    }
    judged
}

fn one(clause: Clause, index: &Index<'_>) -> Judged {
    let Clause { mut words, joined, asked, sentence } = clause;
    let polite = words.iter().any(|word| matches!(word.text.as_str(), "please" | "pls" | "plz" | "kindly"));
    unwrap(&mut words);
    words.retain(|word| word.mark().is_none());
    let english = &*ENGLISH;
    let negated = negated(&words);
    words.retain(|word| !word.taken || word.kind == Kind::Quoted);
    let start = words
        .iter()
        .position(|word| {
            !is_filler(word) && !matches!(word.text.as_str(), "so" | "and" | "but" | "also" | "there")
        })
        .unwrap_or(words.len());
    let lead = words[start..].to_vec();
    let embedded = english.embedded.find(&lead);
    let order = english.order.begins(&lead);
    let desire = english.desire.begins(&lead);
    let advice_start = english.advice.begins(&lead);
    let past = english.past.begins(&lead);
    let later = if embedded.is_some() { None } else { english.later.find(&lead) };
    let reported = reported(&lead, joined);
    let advised = english.advice_anywhere.find(&lead).is_some();
    let head = lead.first().map_or("", |word| word.text.as_str());
    let auxiliary = |text: &str| {
        matches!(
            text,
            "is" | "are"
                | "was"
                | "were"
                | "has"
                | "have"
                | "had"
                | "did"
                | "does"
                | "do"
                | "am"
                | "will"
                | "would"
                | "can"
                | "could"
                | "should"
                | "shall"
                | "may"
                | "might"
                | "must"
        )
    };
    let subject = |text: &str| {
        matches!(
            text,
            "i" | "we"
                | "it"
                | "he"
                | "she"
                | "they"
                | "this"
                | "that"
                | "there"
                | "my"
                | "the"
                | "someone"
                | "somebody"
                | "everything"
                | "nothing"
                | "something"
                | "nobody"
        )
    };

    let verbal = |word: &Word| {
        word.is_plain()
            && word.base
            && (index.leads.contains(&word.stem)
                || english.look.contains(word.text.as_str())
                || english.change.contains(&word.text)
                || english.change.contains(&word.stem))
    };
    let mut bar = None;
    let (mood, cut) = if joined == Joined::Reason && !asked {
        (Mood::Statement, 0)
    } else if let Some((place, length)) = embedded {
        (Mood::Question, place + length)
    } else if desire > order && desire >= advice_start {
        (Mood::Desire, desire)
    } else if order > 0
        && order >= past
        && advice_start <= order
        && !(head == "do" && lead.get(1).is_some_and(|next| subject(&next.text) || next.text == "you"))
    {
        (Mood::Order, order)
    } else if advice_start > 0 {
        bar = Some(Bar::Advice);
        (Mood::Question, 0)
    } else if past > 0 {
        bar = Some(Bar::Past);
        (Mood::Question, 0)
    } else if is_cue(head) || auxiliary(head) {
        (Mood::Question, 0)
    } else if lead.first().is_some_and(|first| verbal(first)) {
        (Mood::Order, 0)
    } else if asked {
        (Mood::Question, 0)
    } else if joined == Joined::Reason || states(&lead, subject(head)) {
        (Mood::Statement, 0)
    } else {
        (Mood::Fragment, 0)
    };
    // "lnd, what is it up to", "the log level, which is it": a question word inside makes it one.
    let mood = if mood == Mood::Fragment && lead.iter().any(|word| is_cue(&word.text)) {
        Mood::Question
    } else {
        mood
    };
    if bar.is_none() {
        bar = if negated && mood != Mood::Question {
            Some(Bar::Negated)
        } else if reported {
            Some(Bar::Reported)
        } else if later.is_some() {
            Some(Bar::Later)
        } else if advised {
            Some(Bar::Advice)
        } else {
            None
        };
    }
    let mut rest = lead[cut.min(lead.len())..].to_vec();
    rest.retain(|word| !is_filler(word) || index.leads.contains(&word.stem));
    let sweeping = english.sweeping.find(&rest).is_some();
    let points = rest.iter().find_map(|word| {
        if english.plural.contains(word.text.as_str()) {
            Some(Points::Several)
        } else {
            english.pronouns.contains(word.text.as_str()).then_some(Points::One)
        }
    });
    Judged {
        words: rest,
        mood,
        bar,
        joined,
        asked,
        sentence,
        polite: polite || (cut > 0 && mood == Mood::Order),
        points,
        sweeping,
    }
}

/// Takes away the runs that only wrap.
fn unwrap(words: &mut Vec<Word>) {
    let mut place = 0;
    while place < words.len() {
        let length = ENGLISH.wrapping.begins(&words[place..]);
        if length > 0 {
            words.drain(place..place + length);
        } else {
            place += 1;
        }
    }
}

/// Whether a word only fills.
pub(super) fn is_filler(word: &Word) -> bool {
    word.is_plain() && ENGLISH.filler.contains(word.text.as_str())
}

fn negated(words: &[Word]) -> bool {
    let Some((place, _)) = ENGLISH.negations.find(words) else { return false };
    // "no, restart it": an answer, not a ban.
    !(words[place].text == "no" && words.len() == 1)
}

fn reported(words: &[Word], joined: Joined) -> bool {
    let Some((place, _)) = ENGLISH.reports.find(words) else { return false };
    // "read the file", "write …" as the first word is the order itself.
    let _ = joined;
    place > 0
        || matches!(
            words[0].text.as_str(),
            "write"
                | "compose"
                | "draft"
                | "pretend"
                | "translate"
                | "simulate"
                | "quote"
                | "according"
                | "message"
                | "spell"
                | "instructions"
                | "someone"
                | "they"
                | "people"
                | "poem"
        )
}

/// Whether it tells: a subject, then a verb that is or was.
fn states(words: &[Word], subject_first: bool) -> bool {
    let tells = |word: &Word| {
        matches!(
            word.text.as_str(),
            "is" | "are"
                | "was"
                | "were"
                | "has"
                | "have"
                | "had"
                | "am"
                | "will"
                | "would"
                | "keeps"
                | "seems"
                | "looks"
                | "does"
                | "did"
                | "can"
                | "went"
                | "feels"
                | "got"
                | "gets"
                | "crashed"
                | "died"
                | "hangs"
                | "broke"
                | "became"
                | "started"
                | "stopped"
                | "restarted"
                | "hurt"
                | "runs"
                | "acts"
                | "goes"
        )
    };
    let at = words.iter().position(tells);
    match at {
        Some(place) => place > 0 && !words[place].taken,
        None => {
            subject_first
                && words.first().is_some_and(|first| {
                    matches!(first.text.as_str(), "i" | "we" | "it" | "he" | "she" | "they")
                })
        }
    }
}
