//! What kind of sentence a clause is. Only an order may become a write; everything that forbids, asks, reports, supposes
//! or waits for something may not.

use super::clauses::{Clause, Joined};
use super::english::ENGLISH;
use super::index::{Index, is_cue};
use super::words::{Kind, Word};
use super::{fill, score};

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
    /// An order that ends with a question mark and with nothing that asks for it: it is asked back.
    pub(super) doubtful: bool,
    /// It asks what something is in general.
    pub(super) general: bool,
    /// It tells how something ought to be.
    pub(super) should: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    One,
    Several,
}

/// Judges each clause, then lets bars reach what they govern.
pub(super) fn judge(clauses: Vec<Clause>, index: &Index<'_>) -> Vec<Judged> {
    let mut judged: Vec<Judged> = clauses.into_iter().map(|clause| one(clause, index)).collect();
    for place in 1..judged.len() {
        // "the message was: …": what follows is not the person's own.
        let tells = judged[place - 1].words.iter().any(|word| score::carries(word));
        let names = fill::mentions(&judged[place - 1].words, index);
        let only_names = judged[place - 1].words.iter().enumerate().all(|(at, word)| {
            !score::carries(word) || names.iter().any(|name| (name.from..name.to).contains(&at))
        });
        if judged[place].joined == Joined::Colon && tells && !only_names {
            judged[place - 1].bar = Some(Bar::Reported);
        }
    }
    for place in 0..judged.len() {
        let sentence = judged[place].sentence;
        let last = judged.get(place + 1).is_none_or(|next| next.sentence != sentence);
        let framed = judged[..=place].iter().any(|clause| clause.sentence == sentence && clause.polite);
        judged[place].doubtful = last && judged[place].asked && judged[place].mood == Mood::Order && !framed;
    }
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
    let conditional = words.first().is_some_and(|first| {
        const WAITS: [&str; 14] = [
            "once",
            "unless",
            "if",
            "when",
            "whenever",
            "after",
            "until",
            "till",
            "before",
            "while",
            "provided",
            "assuming",
            "supposing",
            "should",
        ];
        // "when was …", "should i …" ask.
        let asks = words.get(1).is_some_and(|next| {
            matches!(
                next.text.as_str(),
                "is" | "was" | "did" | "will" | "were" | "i" | "we" | "does" | "has" | "are" | "can"
            )
        });
        let inverted = matches!(first.text.as_str(), "when" | "should") && asks;
        WAITS.contains(&first.text.as_str()) && !inverted
    });
    words.retain(|word| !word.taken || word.kind == Kind::Quoted);
    let start = words
        .iter()
        .position(|word| {
            (!is_filler(word) || index.write_leads.contains(&word.stem))
                && !matches!(word.text.as_str(), "so" | "and" | "but" | "also" | "there")
        })
        .unwrap_or(words.len());
    let lead = words[start..].to_vec();
    let embedded = english.embedded.find(&lead);
    let order = match lead.first() {
        // "do a restart": the verb itself.
        Some(first) if index.write_leads.contains(&first.stem) => 0,
        _ => english.order.begins(&lead),
    };
    let desire = english.desire.begins(&lead);
    let advice_start = english.advice.begins(&lead);
    let past = english.past.begins(&lead);
    let general = english.general.begins(&lead) > 0;
    let reported = reported(&lead, joined);
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
            && (index.write_leads.contains(&word.stem)
                || ["search", "read", "open"].contains(&word.stem.as_str())
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
    } else if lead.first().is_some_and(|first| auxiliary(head) && index.write_leads.contains(&first.stem)) {
        (Mood::Order, 0)
    } else if (is_cue(head) && head != "you") || auxiliary(head) || matches!(head, "whether" | "since") {
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
    let mood = if mood == Mood::Fragment && lead.iter().any(|word| is_cue(&word.text) && word.text != "you") {
        Mood::Question
    } else {
        mood
    };
    let rest = &lead[cut.min(lead.len())..];
    let later = if embedded.is_some() { None } else { english.later.find(rest) };
    let waits = conditional && embedded.is_none();
    let advised = english.advice_anywhere.find(rest).is_some();
    let should =
        mood == Mood::Statement && rest.iter().any(|word| matches!(word.text.as_str(), "should" | "must"));
    if bar.is_none() {
        bar = if waits {
            Some(Bar::Later)
        } else if negated && mood != Mood::Question {
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
    // "next cloud" is a name, "next" alone fills.
    let names = fill::mentions(&rest, index);
    let mut place = 0;
    rest.retain(|word| {
        let named = names.iter().any(|name| (name.from..name.to).contains(&place));
        place += 1;
        named || !is_filler(word) || index.leads.contains(&word.stem) || word.stem == "ok"
    });
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
        should,
        doubtful: false,
        general,
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
    let Some((place, length)) = ENGLISH.reports.find(words) else { return false };
    // "read the file", "write …" as the first word is the order itself.
    let _ = joined;
    place > 0
        || length > 1
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
                | "should"
                | "must"
                | "might"
                | "may"
                | "could"
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
