//! What kind of sentence a clause is. Only an order may become a write; everything that forbids, asks, reports, supposes
//! or waits for something may not.

use super::clauses::{Clause, Joined};
use super::correct;
use super::english::ENGLISH;
use super::index::{Index, is_cue};
use super::voice::{self, Turned};
use super::words::{self, Kind, Word};
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
#[expect(clippy::struct_excessive_bools, reason = "independent findings, each read on its own")]
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
    /// It speaks of all, of any, or of some that it does not name.
    pub(super) sweeping: bool,
    /// An order that ends with a question mark and with nothing that asks for it: it is asked back.
    pub(super) doubtful: bool,
    /// It asks what something is in general.
    pub(super) general: bool,
    /// It tells how something ought to be.
    pub(super) should: bool,
    /// It is a condition of what follows.
    pub(super) waits: bool,
    /// It takes back what stood before it ("no wait, …", "sorry, …").
    pub(super) corrects: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    One,
    Several,
}

/// Judges each clause, then lets bars reach what they govern.
pub(super) fn judge(clauses: Vec<Clause>, index: &Index<'_>) -> Vec<Judged> {
    let mut clauses = clauses;
    asks_on(&mut clauses);
    let corrected = correct::find(clauses);
    let mut judged: Vec<Judged> =
        corrected.into_iter().map(|(clause, corrects)| Judged { corrects, ..one(clause, index) }).collect();
    for place in 0..judged.len() {
        if judged.get(place + 1).is_some_and(|next| next.joined == Joined::Colon)
            && tells(&judged[place], index)
        {
            judged[place].bar = Some(Bar::Reported);
        }
        let sentence = judged[place].sentence;
        let last = judged.get(place + 1).is_none_or(|next| next.sentence != sentence);
        let framed = judged[..=place].iter().any(|clause| clause.sentence == sentence && clause.polite);
        judged[place].doubtful = last && judged[place].asked && judged[place].mood == Mood::Order && !framed;
    }
    for place in 0..judged.len() {
        spread(&mut judged, place);
    }
    judged
}

/// "check how far it is and if lnd is running": the second asks too, where nothing follows that it could be a condition of.
fn asks_on(clauses: &mut Vec<Clause>) {
    // "before I go to bed: stop lnd" tells why now.
    if let [first, next, ..] = &mut clauses[..]
        && next.joined == Joined::Colon
        && first.words.first().is_some_and(|word| word.text == "before")
        && first.words.get(1).is_some_and(|word| matches!(word.text.as_str(), "i" | "we"))
    {
        next.joined = Joined::Sentence;
        clauses.remove(0);
    }
    let [.., before, last] = &mut clauses[..] else { return };
    let look = |word: &Word| {
        matches!(
            word.text.as_str(),
            "check" | "tell" | "know" | "see" | "hear" | "wonder" | "wondering" | "say"
        )
    };
    let wants = before.words.iter().take(6).any(look);
    if let Some(first) = last.words.first_mut()
        && last.joined == Joined::And
        && before.sentence == last.sentence
        && wants
        && first.text == "if"
    {
        "whether".clone_into(&mut first.text);
        "whether".clone_into(&mut first.stem);
    }
}

/// "the message was: …": what follows is not the person's own.
fn tells(clause: &Judged, index: &Index<'_>) -> bool {
    let names = fill::mentions(&clause.words, index);
    let mut places = 0..clause.words.len();
    places.any(|at| {
        score::carries(&clause.words[at]) && !names.iter().any(|name| (name.from..name.to).contains(&at))
    })
}

/// Lets the bar of one clause reach the others that it governs.
fn spread(judged: &mut [Judged], place: usize) {
    let Judged { bar, sentence, joined, .. } = judged[place];
    let colon = judged.get(place + 1).is_some_and(|next| next.joined == Joined::Colon);
    match bar {
        Some(Bar::Later | Bar::Advice) if joined != Joined::Reason => {
            for other in judged.iter_mut().filter(|other| other.sentence == sentence && other.bar.is_none()) {
                other.bar = bar;
            }
        }
        Some(Bar::Reported) => {
            for other in judged[place..].iter_mut().filter(|other| other.sentence == sentence || colon) {
                other.bar = bar;
            }
        }
        Some(Bar::Negated) => {
            let governed = |other: &Judged| match other.joined {
                Joined::Or | Joined::And => true,
                Joined::Comma => other.mood == Mood::Fragment,
                _ => false,
            };
            for other in &mut judged[place + 1..] {
                if other.sentence != sentence || !governed(other) || other.bar.is_some() {
                    break;
                }
                other.bar = bar;
            }
        }
        _ => {}
    }
}

/// What stands at the beginning of a clause.
struct Frame {
    mood: Mood,
    /// How many words only frame.
    length: usize,
    /// What the frame itself forbids.
    bar: Option<Bar>,
    /// Whether it leads into a question that stands inside ("tell me if").
    embedded: bool,
}

fn frame(lead: &[Word], joined: Joined, asked: bool, index: &Index<'_>) -> Frame {
    let english = &*ENGLISH;
    let plain = |mood, length| Frame { mood, length, bar: None, embedded: false };
    let barred = |bar| Frame { mood: Mood::Question, length: 0, bar: Some(bar), embedded: false };
    let Some(first) = lead.first() else { return plain(Mood::Fragment, 0) };
    let head = first.text.as_str();
    let write = index.write_leads.contains(&first.stem);
    let subject = |word: &Word| english.subjects.contains(word.text.as_str());
    // "do a restart": the verb itself. "do you …", "do we …" ask.
    let asks = head == "do" && lead.get(1).is_some_and(|next| subject(next) || next.text == "you");
    let order = if write || asks { 0 } else { english.order.begins(lead) };
    let desire = english.desire.begins(lead);
    let advice = english.advice.begins(lead);
    let past = english.past.begins(lead);
    let auxiliary = english.auxiliaries.contains(head);
    if joined == Joined::Reason && !asked {
        return plain(Mood::Statement, 0);
    }
    if let Some((place, length)) = english.embedded.find(lead) {
        return Frame { embedded: true, ..plain(Mood::Question, place + length) };
    }
    if let Some(length) = opener(lead) {
        let inner = frame(&lead[length..], joined, true, index);
        return Frame { embedded: true, length: length + inner.length, ..inner };
    }
    let verbal = first.is_plain()
        && first.base
        && (write
            || ["search", "read", "open"].contains(&first.stem.as_str())
            || english.look.contains(head)
            || english.change.contains(head)
            || english.change.contains(&first.stem));
    match () {
        () if desire > order && desire >= advice => plain(Mood::Desire, desire),
        () if order > 0 && order >= past && advice <= order => plain(Mood::Order, order),
        () if advice > 0 => barred(Bar::Advice),
        () if past > 0 => barred(Bar::Past),
        () if auxiliary && write => plain(Mood::Order, 0),
        () if auxiliary || (is_cue(head) && head != "you") || matches!(head, "whether" | "since") => {
            plain(Mood::Question, 0)
        }
        () if verbal => plain(Mood::Order, 0),
        () if asked => plain(Mood::Question, 0),
        () if joined == Joined::Reason || states(lead) => plain(Mood::Statement, 0),
        // "lnd, what is it up to": a question word inside makes it one.
        () if lead.iter().any(|word| is_cue(&word.text) && word.text != "you") => plain(Mood::Question, 0),
        () => plain(Mood::Fragment, 0),
    }
}

fn one(clause: Clause, index: &Index<'_>) -> Judged {
    let Clause { mut words, joined, asked, sentence } = clause;
    let english = &*ENGLISH;
    let please = words.iter().any(|word| matches!(word.text.as_str(), "please" | "pls" | "plz" | "kindly"));
    unwrap(&mut words);
    words.retain(|word| word.mark().is_none());
    voice::suggests(&mut words);
    let only = words.first().is_some_and(|first| matches!(first.text.as_str(), "only" | "just"));
    let joined = if only && joined == Joined::Comma { Joined::But } else { joined };
    // "did it come up after the power cut": what it came after says nothing of what is asked.
    if words.first().is_some_and(|first| matches!(first.text.as_str(), "did" | "has"))
        && let Some(after) = words.iter().position(|word| word.text == "after").filter(|after| *after > 2)
    {
        words.truncate(after);
    }
    let (negated, waits) = (negated(&words), waits(&words));
    words.retain(|word| !word.taken || word.kind == Kind::Quoted);
    let turned = voice::straighten(&mut words, asked, index);
    let asked = asked || turned == Some(Turned::Perhaps);
    adverbs(&mut words);
    let joins = |word: &Word| matches!(word.text.as_str(), "so" | "and" | "but" | "also" | "there" | "only");
    let fills = |word: &Word| is_filler(word) && !index.write_leads.contains(&word.stem);
    let start = words.iter().position(|word| !fills(word) && !joins(word)).unwrap_or(words.len());
    // "please to start it", "please you start it".
    let asked_to = please
        && words.get(start).is_some_and(|word| matches!(word.text.as_str(), "to" | "you"))
        && words.get(start + 1).is_some_and(|verb| verb.base && index.write_leads.contains(&verb.stem));
    let start = start + usize::from(asked_to);
    let lead = words.split_off(start);
    let Frame { mood, length, bar, embedded } = frame(&lead, joined, asked, index);
    let rest = &lead[length.min(lead.len())..];
    // "when was it …" asks for a time, it does not wait for one.
    let asks_when =
        usize::from(mood == Mood::Question && lead.first().is_some_and(|head| is_cue(&head.text)));
    let later = || {
        let rest = rest.get(asks_when..).unwrap_or_default();
        english.later.find(rest).is_some() || in_time(rest)
    };
    let first_of = || match () {
        () if waits && !embedded => Some(Bar::Later),
        () if negated && mood != Mood::Question => Some(Bar::Negated),
        () if reported(&lead) => Some(Bar::Reported),
        () if !embedded && later() => Some(Bar::Later),
        () if english.advice_anywhere.find(rest).is_some() => Some(Bar::Advice),
        () => None,
    };
    let bar = bar.or_else(first_of);
    let should =
        mood == Mood::Statement && rest.iter().any(|word| matches!(word.text.as_str(), "should" | "must"));
    let mut words = without_filler(rest, index);
    if mood == Mood::Order && (length > 0 || please) {
        voice::verb_first(&mut words, index);
    }
    Judged {
        mood,
        bar,
        joined,
        asked,
        sentence,
        polite: please || turned == Some(Turned::Order) || (length > 0 && mood == Mood::Order),
        points: points(&words),
        sweeping: english.sweeping.find(&words).is_some(),
        should,
        doubtful: false,
        waits: waits && !embedded && bar == Some(Bar::Later),
        corrects: false,
        general: english.general.begins(&lead) > 0,
        words,
    }
}

/// The words that do not only fill: "next cloud" is a name, "next" alone fills.
fn without_filler(words: &[Word], index: &Index<'_>) -> Vec<Word> {
    let names = fill::mentions(words, index);
    let inside = |place: usize| names.iter().any(|name| (name.from..name.to).contains(&place));
    let keeps = |word: &Word| {
        !is_filler(word)
            || index.leads.contains(&word.stem)
            || word.stem == "ok"
            || word.stem != words::stem(&word.text)
    };
    words
        .iter()
        .enumerate()
        .filter(|(place, word)| inside(*place) || keeps(word))
        .map(|(_, word)| word.clone())
        .collect()
}

fn points(words: &[Word]) -> Option<Points> {
    words.iter().find_map(|word| match word.text.as_str() {
        text if ENGLISH.plural.contains(text) => Some(Points::Several),
        text if ENGLISH.pronouns.contains(text) => Some(Points::One),
        _ => None,
    })
}

/// Whether it begins with a condition; "when was …", "should i …" ask.
fn waits(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let asks = words.get(1).is_some_and(|next| {
        ENGLISH.auxiliaries.contains(next.text.as_str()) || matches!(next.text.as_str(), "i" | "we")
    });
    let inverted = matches!(first.text.as_str(), "when" | "should") && asks;
    ENGLISH.waits.contains(first.text.as_str()) && !inverted
}

/// How many words lead into a question that stands inside ("I wonder what …").
fn opener(lead: &[Word]) -> Option<usize> {
    let length = ENGLISH.openers.begins(lead);
    let next = lead.get(length)?;
    let asks = is_cue(&next.text) && next.text != "you";
    let which = lead.get(length + 1).is_some_and(|after| matches!(after.text.as_str(), "which" | "what"));
    match next.text.as_str() {
        _ if length == 0 => None,
        "if" | "whether" => Some(length + 1),
        "at" | "in" | "on" | "to" | "with" | "for" if which => Some(length + 1),
        _ => asks.then_some(length),
    }
}

/// "in two hours", "at 5 pm".
fn in_time(words: &[Word]) -> bool {
    const UNITS: [&str; 10] =
        ["minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "second", "seconds"];
    words.windows(3).any(|run| {
        run[0].text == "in"
            && (matches!(run[1].kind, Kind::Number(_)) || matches!(run[1].text.as_str(), "an" | "a" | "one"))
            && UNITS.contains(&run[2].text.as_str())
    }) || words.windows(2).any(|run| {
        run[0].text == "at"
            && (matches!(run[1].kind, Kind::Number(_))
                || ["am", "pm"]
                    .iter()
                    .any(|end| run[1].text.strip_suffix(end).is_some_and(|hour| hour.parse::<u8>().is_ok())))
            && words.last().is_none_or(|last| last.text != "percent")
    })
}

/// Takes small adverbs out of what frames an order ("I only need you to", "could you perhaps").
fn adverbs(words: &mut Vec<Word>) {
    const ADVERBS: [&str; 14] = [
        "only",
        "just",
        "really",
        "kindly",
        "please",
        "maybe",
        "perhaps",
        "possibly",
        "simply",
        "quickly",
        "actually",
        "therefore",
        "also",
        "then",
    ];
    let frames = |word: &Word| {
        ENGLISH.auxiliaries.contains(word.text.as_str())
            || matches!(word.text.as_str(), "i" | "we" | "you" | "want" | "need" | "like" | "to" | "somebody")
    };
    let mut place = 1;
    while place < words.len().min(7) {
        if ADVERBS.contains(&words[place].text.as_str()) && frames(&words[place - 1]) {
            words.remove(place);
        } else {
            place += 1;
        }
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

fn reported(words: &[Word]) -> bool {
    // Alone at the beginning most of these are the order itself.
    const FIRST: [&str; 13] = [
        "write",
        "compose",
        "draft",
        "pretend",
        "translate",
        "simulate",
        "quote",
        "spell",
        "instructions",
        "someone",
        "they",
        "people",
        "poem",
    ];
    ENGLISH
        .reports
        .find(words)
        .is_some_and(|(place, length)| place > 0 || length > 1 || FIRST.contains(&words[0].text.as_str()))
}

/// Whether it tells: a subject, then a verb that is or was.
fn states(words: &[Word]) -> bool {
    let verb = words.iter().position(|word| ENGLISH.tells.contains(word.text.as_str()));
    let person = || matches!(words[0].text.as_str(), "i" | "we" | "it" | "he" | "she" | "they");
    verb.map_or_else(person, |place| place > 0)
}
