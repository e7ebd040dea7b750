//! One order of words for many: passives ("could lnd be restarted"), needs ("lnd needs stopping"), clefts ("it is lnd that
//! …", "a restart of lnd is what I want") and verbs put last become "restart lnd", before a clause is judged.
//!
//! Only the order of words changes here; what forbids, asks or waits is found in the words as they were said.

use super::english::ENGLISH;
use super::fill::{self, Mention};
use super::index::{Index, is_cue};
use super::words::{self, Word};

/// How sure it is that a clause which was turned round is an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turned {
    /// As sure as "restart lnd".
    Order,
    /// "can lnd be restarted?": it may only ask.
    Perhaps,
}

/// Participles that no stemmer leads back, and their verbs.
const IRREGULAR: [(&str, &str); 22] = [
    ("brought", "bring"),
    ("taken", "take"),
    ("woken", "wake"),
    ("awoken", "wake"),
    ("shown", "show"),
    ("given", "give"),
    ("gotten", "get"),
    ("found", "find"),
    ("told", "tell"),
    ("made", "make"),
    ("chosen", "choose"),
    ("sent", "send"),
    ("written", "write"),
    ("undone", "undo"),
    ("spun", "spin"),
    ("seen", "see"),
    ("looked", "look"),
    ("gone", "go"),
    ("begun", "begin"),
    ("turnt", "turn"),
    ("built", "build"),
    ("wound", "wind"),
];

/// Verbs of need with which something is said to be due.
const DUE: [&str; 9] = [
    "should be",
    "must be",
    "has to be",
    "have to be",
    "needs to be",
    "need to be",
    "ought to be",
    "is to be",
    "are to be",
];

/// What leads from a thing to what it needs.
const NEEDS: [&str; 9] = [
    "needs to",
    "needs",
    "need",
    "wants",
    "requires",
    "could use",
    "could do with",
    "is due for",
    "is in need of",
];

/// What turns a wish round ("… is what I want").
const WANTED: [&str; 14] = [
    "are what i want",
    "are what i need",
    "is what i want",
    "is what i need",
    "is what i would like",
    "is what i am after",
    "is what i am asking for",
    "is what we need",
    "is what we want",
    "is all i want",
    "is all i need",
    "is all i ask",
    "is what is needed",
    "is needed",
];

/// What puts a wish before its object ("what I want is …").
const WISHED: [&str; 10] = [
    "what i want is",
    "what i need is",
    "what i would like is",
    "all i want is",
    "all i need is",
    "what we need is",
    "what we want is",
    "what i am after is",
    "the thing i want is",
    "what is needed is",
];

/// Leads irregular participles back to their verbs, where a form of "be" or "have" stands before them.
pub(super) fn regular(words: &mut [Word]) {
    const BEFORE: [&str; 9] = ["be", "been", "being", "get", "have", "having", "want", "like", "needs"];
    for place in 1..words.len() {
        let Some((_, verb)) = IRREGULAR.iter().find(|(form, _)| *form == words[place].text) else { continue };
        let near = &words[place.saturating_sub(6)..place];
        if near.iter().any(|word| BEFORE.contains(&word.text.as_str())) {
            (*verb).clone_into(&mut words[place].text);
            words[place].stem = words::stem(verb);
        }
    }
}

/// Turns a clause round where it needs that; says whether that made an order of it.
pub(super) fn straighten(words: &mut Vec<Word>, asked: bool, index: &Index<'_>) -> Option<Turned> {
    uncleave(words);
    possible(words);
    hoped(words);
    given_back(words, index);
    let straight = caused(words, asked, index).or_else(|| could_be(words, index));
    straight.or_else(|| if asked { None } else { is_due(words, index).or_else(|| needs(words, index)) })
}

/// Puts the verb of an order before its object: "the lnd … restart", "have lnd restarted".
pub(super) fn verb_first(words: &mut [Word], index: &Index<'_>) {
    let Some(first) = words.first() else { return };
    let causes = matches!(first.text.as_str(), "have" | "get" | "see" | "having" | "getting");
    if !causes && (index.leads.contains(&first.stem) || ENGLISH.look.contains(first.text.as_str())) {
        return;
    }
    if !causes && (ENGLISH.change.contains(&first.stem) || is_cue(&first.text)) {
        return;
    }
    let verb = |word: &Word| index.write_leads.contains(&word.stem) && (causes || word.base);
    let place = if causes {
        words.iter().position(verb)
    } else {
        words.len().checked_sub(1).filter(|last| verb(&words[*last]))
    };
    if let Some(place) = place.filter(|place| *place > 0) {
        words[place].base = true;
        words[..=place].rotate_right(1);
    }
}

/// Where a run of words stands.
fn run(words: &[Word], run: &str) -> Option<(usize, usize)> {
    let run: Vec<&str> = run.split(' ').collect();
    let at = words
        .windows(run.len())
        .position(|window| window.iter().zip(&run).all(|(word, text)| word.text == *text));
    at.map(|at| (at, at + run.len()))
}

fn word(text: &str, like: &Word) -> Word {
    Word {
        text: text.to_owned(),
        stem: text.to_owned(),
        kind: words::Kind::Plain,
        at: like.at.clone(),
        base: true,
        taken: false,
    }
}

/// "it is lnd that …", "… is what I want", "what I want is …".
fn uncleave(words: &mut Vec<Word>) {
    if let Some((_, to)) = WISHED.iter().find_map(|wished| run(words, wished).filter(|(from, _)| *from == 0))
    {
        let mut rest = words.split_off(to);
        if rest.first().is_some_and(|first| first.text == "for") {
            rest.remove(0);
        }
        words.truncate(0);
        if let Some(first) = rest.first().cloned() {
            words.extend([word("i", &first), word("want", &first)]);
        }
        words.extend(rest);
    }
    if let Some((from, to)) =
        WANTED.iter().find_map(|wanted| run(words, wanted).filter(|(from, _)| *from > 0))
        && to == words.len()
    {
        words.truncate(from);
        let first = words[0].clone();
        words.splice(0..0, [word("i", &first), word("want", &first)]);
    }
    if run(words, "it is").is_none_or(|(from, _)| from > 0) {
        return;
    }
    let that = words.iter().position(|word| matches!(word.text.as_str(), "that" | "which" | "i" | "we"));
    let Some(that) = that.filter(|that| (3..9).contains(that)) else { return };
    let skip = usize::from(matches!(words[that].text.as_str(), "that" | "which"));
    let rest = words.split_off(that + skip);
    let object: Vec<Word> = words.drain(2..that).collect();
    words.clear();
    let person = rest.first().is_some_and(|first| matches!(first.text.as_str(), "i" | "we"));
    if person {
        words.extend(rest);
        words.extend(object);
    } else {
        words.extend(object);
        words.extend(rest);
    }
}

/// "can't we have …" asks for what "can we have …" asks for.
pub(super) fn suggests(words: &mut Vec<Word>) {
    let is = |place: usize, texts: &[&str]| {
        words.get(place).is_some_and(|word| texts.contains(&word.text.as_str()))
    };
    if is(0, &["can", "could", "will", "would"]) && is(1, &["not"]) && is(2, &["you", "we"]) {
        words.remove(1);
    }
}

/// Whether a word is a verb that someone may be asked to do.
fn is_done(word: &Word, index: &Index<'_>) -> bool {
    word.is_plain()
        && (index.write_leads.contains(&word.stem)
            || ENGLISH.look.contains(word.stem.as_str())
            || ENGLISH.look.contains(word.text.as_str())
            || matches!(word.stem.as_str(), "search" | "read" | "open" | "look" | "list"))
}

/// Whether words after a passive tell who does it, or that it is so already.
fn tells(rest: &[Word]) -> bool {
    const TELL: [&str; 9] =
        ["by", "already", "automatically", "safely", "itself", "anyway", "remotely", "usually", "without"];
    rest.iter().any(|word| TELL.contains(&word.text.as_str()))
}

/// Whether it is a thing of which something may be said: no question, no person.
fn is_thing(words: &[Word]) -> bool {
    const OTHER: [&str; 14] = [
        "i", "you", "he", "she", "who", "if", "says", "said", "because", "what", "which", "nothing", "there",
        "user",
    ];
    !words.is_empty()
        && words.iter().all(|word| !is_cue(&word.text) && !OTHER.contains(&word.text.as_str()))
        && words.iter().all(|word| !ENGLISH.auxiliaries.contains(word.text.as_str()))
}

/// "would it be possible for lnd to be …": could lnd be ….
fn possible(words: &mut Vec<Word>) {
    let Some((from, to)) = run(words, "it be possible for").filter(|(from, _)| *from == 1) else { return };
    let Some((at, be)) = run(words, "to be").filter(|(at, _)| *at > to) else { return };
    words.drain(at..be - 1);
    words.drain(from..to);
}

/// "i would be grateful if lnd could be …": could lnd be …; "i wish that the theme becomes dark": it should be.
fn hoped(words: &mut Vec<Word>) {
    const GLAD: [&str; 11] = [
        "i would be grateful if",
        "i would be glad if",
        "i would be happy if",
        "i would be pleased if",
        "i would be thankful if",
        "i would appreciate it if",
        "it would be great if",
        "it would be nice if",
        "it would be good if",
        "it would be lovely if",
        "it would be kind if",
    ];
    let first = |glad: &&str| run(words, glad).filter(|(from, _)| *from == 0);
    if let Some((_, to)) = GLAD.iter().find_map(first)
        && let Some((at, _)) = run(words, "could be").filter(|(at, _)| *at > to && is_thing(&words[to..*at]))
    {
        let could = words.remove(at);
        words.splice(..to, [could]);
        return;
    }
    let wish =
        ["i wish that", "i wish"].iter().find_map(|wish| run(words, wish).filter(|(from, _)| *from == 0));
    let becomes = run(words, "becomes").or_else(|| run(words, "become"));
    if let (Some((_, to)), Some((at, _))) = (wish, becomes)
        && at > to
        && is_thing(&words[to..at])
    {
        let like = words[at].clone();
        words.splice(at..=at, [word("should", &like), word("be", &like)]);
        words.drain(..to);
    }
}

/// "give me the light theme back": switch to it.
fn given_back(words: &mut Vec<Word>, index: &Index<'_>) {
    let given = words.first().is_some_and(|first| first.text == "give" && first.stem == "look");
    let back = words.len() > 2 && words.last().is_some_and(|last| last.text == "back");
    let value = |mention: &Mention| index.sets[mention.set].list[mention.who[0]].goes_with.is_some();
    if given && back && fill::mentions(words, index).iter().any(value) {
        words.pop();
        let like = words[0].clone();
        let switch = Word { stem: "set".to_owned(), ..word("switch", &like) };
        words.splice(..1, [switch, word("to", &like)]);
    }
}

/// "have lnd restarted": restart lnd.
fn caused(words: &mut Vec<Word>, asked: bool, index: &Index<'_>) -> Option<Turned> {
    let start = words.iter().take_while(|word| word.text == "please").count();
    let first = words.get(start).filter(|first| matches!(first.text.as_str(), "have" | "get"))?;
    let verb = words.iter().position(|word| index.write_leads.contains(&word.stem) && !word.base)?;
    if asked || first.taken || verb < start + 2 || !is_thing(&words[start + 1..verb]) || tells(&words[verb..])
    {
        return None;
    }
    turn(words, start + 1..verb, verb);
    Some(Turned::Order)
}

/// "could lnd be restarted": restart lnd.
fn could_be(words: &mut Vec<Word>, index: &Index<'_>) -> Option<Turned> {
    let first = words.first().filter(|first| matches!(first.text.as_str(), "could" | "can" | "would"))?;
    let turned = if first.text == "can" { Turned::Perhaps } else { Turned::Order };
    let be = words.iter().position(|word| matches!(word.text.as_str(), "be" | "get"))?;
    let verb = be + 1;
    if be < 2
        || !is_thing(&words[1..be])
        || !words.get(verb).is_some_and(|word| is_done(word, index))
        || tells(&words[verb..])
    {
        return None;
    }
    turn(words, 1..be, verb);
    Some(turned)
}

/// "lnd has to be restarted": restart lnd; "the theme has to be dark": the theme should be dark.
fn is_due(words: &mut Vec<Word>, index: &Index<'_>) -> Option<Turned> {
    let (from, to) = DUE.iter().find_map(|due| run(words, due).filter(|(from, _)| *from > 0))?;
    if !is_thing(&words[..from]) || tells(&words[to..]) {
        return None;
    }
    let passive = words.get(to).is_some_and(|word| {
        is_done(word, index)
            && (!word.base
                || word.text == "shut"
                || to + 1 == words.len()
                || words[to].text.ends_with("set")
                || words[to].text == "put")
    });
    if passive {
        turn(words, 0..from, to);
        return Some(Turned::Order);
    }
    let like = words[from].clone();
    words.splice(from..to, [word("should", &like), word("be", &like)]);
    None
}

/// "lnd needs restarting", "lnd needs a restart": restart lnd.
fn needs(words: &mut Vec<Word>, index: &Index<'_>) -> Option<Turned> {
    let (from, to) = NEEDS.iter().find_map(|needs| run(words, needs).filter(|(from, _)| *from > 0))?;
    let verb = to
        + words[to..]
            .iter()
            .take_while(|word| matches!(word.text.as_str(), "a" | "an" | "to" | "be" | "another"))
            .count();
    let done = words.get(verb).is_some_and(|word| index.write_leads.contains(&word.stem));
    if !done || !is_thing(&words[..from]) || tells(&words[verb..]) {
        return None;
    }
    let formed = !words[verb].base || verb > to || words[to - 1].text == "to" || verb + 1 == words.len();
    let plain = words[..from].iter().all(|word| !matches!(word.text.as_str(), "they" | "we" | "this"));
    if !formed || !plain {
        return None;
    }
    turn(words, 0..from, verb);
    Some(Turned::Order)
}

/// The verb, then its object, then the rest.
fn turn(words: &mut Vec<Word>, object: std::ops::Range<usize>, verb: usize) {
    let mut turned = vec![Word { base: true, ..words[verb].clone() }];
    turned.extend(words[object].iter().cloned());
    turned.extend(words[verb + 1..].iter().cloned());
    *words = turned;
}
