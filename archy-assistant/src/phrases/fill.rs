//! Slots: which names were said, which words are a query, which number is meant.

use super::english::ENGLISH;
use super::index::{Index, Tool, is_cue, is_soft};
use super::intent::is_filler;
use super::words::{Kind, Word};
use crate::{Presence, SlotKind};

/// A candidate's name in a clause.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention {
    pub(super) set: usize,
    /// Whose name it may be; more than one where that is not clear.
    pub(super) who: Vec<usize>,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// All names that stand in `words`, the longest first where they overlap.
pub(super) fn mentions(words: &[Word], index: &Index<'_>) -> Vec<Mention> {
    let mut found = Vec::new();
    for (set, names) in index.sets.iter().enumerate() {
        let mut free = vec![true; words.len()];
        for length in (1..=names.longest().min(words.len())).rev() {
            for from in 0..=words.len() - length {
                let run = &words[from..from + length];
                if !free[from..from + length].iter().all(|free| *free)
                    || (length > 1 && !run.iter().all(Word::is_plain))
                {
                    continue;
                }
                let Some(who) =
                    who(run, names, index, from.checked_sub(1).map(|before| words[before].text.as_str()))
                else {
                    continue;
                };
                free[from..from + length].fill(false);
                found.push(Mention { set, who, from, to: from + length });
            }
        }
    }
    found.sort_by_key(|mention| mention.from);
    found
}

fn who(
    run: &[Word],
    names: &super::index::Names,
    index: &Index<'_>,
    before: Option<&str>,
) -> Option<Vec<usize>> {
    let joined: String =
        run.iter().flat_map(|word| word.text.chars()).filter(|letter| letter.is_alphanumeric()).collect();
    let alone = run.len() == 1;
    let exact = names.exactly(&joined);
    if !exact.is_empty() {
        // A code of two letters is often a small word too ("it", "no").
        let small = alone && joined.chars().count() <= 2 && ENGLISH.stop.contains(joined.as_str());
        let split = run.len() > 1
            && run.iter().any(|word| ENGLISH.stop.contains(word.text.as_str()))
            && !run.iter().all(|word| names.words.contains(&word.text));
        return (!split && (!small || before == Some("to"))).then(|| exact.to_vec());
    }
    // "jellyfins logs": a possessive without its mark.
    if alone
        && let Some(bare) = joined.strip_suffix('s').filter(|bare| bare.len() > 3)
        && !names.exactly(bare).is_empty()
        && !names.keyed
    {
        return Some(names.exactly(bare).to_vec());
    }
    let odd = run.iter().any(|word| word.kind == Kind::Plain && !index.knows(word));
    if !odd
        || joined.chars().count() < if alone { 4 } else { 6 }
        || run.iter().any(|word| ENGLISH.stop.contains(word.text.as_str()))
    {
        return None;
    }
    let near = names.nearly(&joined);
    (!near.is_empty()).then_some(near)
}

/// So many values of a key are few.
const FEW: usize = 40;

/// What one tool makes of a clause.
#[derive(Debug, Clone, Default)]
pub(super) struct Filled {
    /// For each slot, all its values.
    pub(super) values: Vec<Vec<Value>>,
    /// Which words are explained by values.
    pub(super) explained: Vec<bool>,
    /// Which words are only taken as they are.
    pub(super) open: Vec<bool>,
    /// Candidates of which it is not clear which is meant: the slot, and their places.
    pub(super) unclear: Option<(usize, Vec<String>)>,
    pub(super) mentions: usize,
    /// Whether a value of the key that is asked for was said too.
    pub(super) paired: bool,
    /// Whether something led into the words that are taken as they are.
    pub(super) led: bool,
}

/// A slot's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(u64),
}

/// Fills the slots of `tool`.
pub(super) fn fill(
    tool: &Tool<'_>,
    words: &[Word],
    mentions: &[Mention],
    index: &Index<'_>,
    said: &str,
) -> Filled {
    let slots = tool.offer.spec.slots();
    let mut filled = Filled {
        values: vec![Vec::new(); slots.len()],
        explained: vec![false; words.len()],
        open: vec![false; words.len()],
        unclear: None,
        mentions: 0,
        paired: false,
        led: false,
    };
    for (place, slot) in slots.iter().enumerate() {
        match &slot.kind {
            SlotKind::Live(_) | SlotKind::Fixed(_) => {
                if let Some(set) = tool.sets[place] {
                    named(&mut filled, place, set, words, mentions, index, tool);
                }
            }
            SlotKind::Number => number(&mut filled, place, words),
            SlotKind::Words => {
                if let Some((value, open)) = free_words(tool, words, said, &filled, index) {
                    filled.led = open
                        .first()
                        .is_some_and(|first| words[*first].kind != Kind::Plain || introduced(words, *first));
                    filled.values[place].push(Value::Text(value));
                    for word in open {
                        filled.open[word] = true;
                    }
                }
            }
        }
    }
    infer_keys(&mut filled, tool, words, mentions, index);
    any_words(&mut filled, tool, words, said, index);
    for mention in mentions {
        // "is the interface in english": the value of the key that is asked for.
        let list = &index.sets[mention.set].list;
        let own = mention.who.iter().any(|who| {
            list[*who].goes_with.as_ref().is_some_and(|(key, value)| {
                let slot = slots.iter().position(|slot| slot.name == *key);
                slot.is_some_and(|slot| filled.values[slot].contains(&Value::Text(value.clone())))
            })
        });
        if own {
            let key = tool
                .sets
                .iter()
                .flatten()
                .any(|set| *set != mention.set && mentions.iter().any(|one| one.set == *set));
            filled.paired |= key;
            filled.explained[mention.from..mention.to].fill(true);
        }
    }
    filled
}

fn named(
    filled: &mut Filled,
    place: usize,
    set: usize,
    words: &[Word],
    mentions: &[Mention],
    index: &Index<'_>,
    tool: &Tool<'_>,
) {
    let list = &index.sets[set].list;
    let slots = tool.offer.spec.slots();
    let mut here: Vec<&Mention> = mentions.iter().filter(|mention| mention.set == set).collect();
    // "from light to dark": where it comes from is not where it goes.
    let from = |mention: &Mention| mention.from > 0 && words[mention.from - 1].text == "from";
    if here.len() > 1 && list.iter().any(|candidate| candidate.goes_with.is_some()) {
        for mention in here.iter().filter(|mention| from(mention)) {
            filled.explained[mention.from..mention.to].fill(true);
        }
        here.retain(|mention| !from(mention));
    }
    for mention in here {
        // A code that is also a small word ("it") counts only beside its key.
        let small =
            mention.to == mention.from + 1 && ENGLISH.stop.contains(words[mention.from].text.as_str());
        let keyed =
            slots.iter().enumerate().any(|(other, _)| other != place && !filled.values[other].is_empty());
        if small && !keyed {
            continue;
        }
        let fits: Vec<usize> = mention
            .who
            .iter()
            .copied()
            .filter(|who| match &list[*who].goes_with {
                None => true,
                Some((other, value)) => {
                    let other = slots.iter().position(|slot| slot.name == *other);
                    other.is_none_or(|other| {
                        filled.values[other].is_empty()
                            || filled.values[other].contains(&Value::Text(value.clone()))
                    })
                }
            })
            .collect();
        // "UTC" is called so itself, before what is only also called so ("Etc/UTC").
        let said: String = words[mention.from..mention.to]
            .iter()
            .flat_map(|word| word.text.chars())
            .filter(|letter| letter.is_alphanumeric())
            .collect();
        let own = |who: &&usize| {
            list[**who]
                .value
                .chars()
                .filter(|letter| letter.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .eq(said.chars())
        };
        let fits = match fits.iter().find(own) {
            Some(own) => vec![*own],
            None => fits,
        };
        match fits[..] {
            [] => {}
            [who] => {
                let value = Value::Text(list[who].value.clone());
                filled.explained[mention.from..mention.to].fill(true);
                filled.mentions += 1;
                if !filled.values[place].contains(&value) {
                    filled.values[place].push(value);
                }
            }
            _ => {
                filled.explained[mention.from..mention.to].fill(true);
                filled.unclear = Some((place, fits.iter().map(|who| list[*who].value.clone()).collect()));
            }
        }
    }
}

/// "dark" says that the theme is meant.
fn infer_keys(filled: &mut Filled, tool: &Tool<'_>, words: &[Word], mentions: &[Mention], index: &Index<'_>) {
    let slots = tool.offer.spec.slots();
    for (place, slot) in slots.iter().enumerate() {
        if !filled.values[place].is_empty() {
            continue;
        }
        let Some(set) = tool.sets[place] else { continue };
        for mention in mentions.iter().filter(|mention| mention.set != set) {
            // A read takes the hint only from one of a few values, never from a quotation or one city of hundreds.
            let list = &index.sets[mention.set].list;
            let goes_with = &list[mention.who[0]].goes_with;
            let few = list.iter().filter(|other| other.goes_with == *goes_with).count() <= FEW;
            if !tool.writes() && (!few || words[mention.from].kind != Kind::Plain) {
                continue;
            }
            let goes: Vec<&String> = mention
                .who
                .iter()
                .filter_map(|who| {
                    let candidate = &index.sets[mention.set].list[*who];
                    candidate
                        .goes_with
                        .as_ref()
                        .filter(|(other, _)| *other == slot.name)
                        .map(|(_, value)| value)
                })
                .collect();
            let known = |value: &str| index.sets[set].list.iter().any(|candidate| candidate.value == value);
            if let Some(value) = goes.first().filter(|value| known(value)) {
                if tool.writes() {
                    // "set the logs to warn": a part of the key's name.
                    let parts: Vec<String> = value.split('_').map(super::words::stem).collect();
                    for (at, word) in words.iter().enumerate().skip(1) {
                        filled.explained[at] |= word.is_plain() && parts.contains(&word.stem);
                    }
                }
                let value = Value::Text((*value).clone());
                filled.explained[mention.from..mention.to].fill(true);
                if !filled.values[place].contains(&value) {
                    filled.values[place].push(value);
                }
            }
        }
    }
}

/// A value that may be any words: those after "to", or after the name of its key.
fn any_words(filled: &mut Filled, tool: &Tool<'_>, words: &[Word], said: &str, index: &Index<'_>) {
    let slots = tool.offer.spec.slots();
    let slot_of = |name: &str| slots.iter().position(|slot| slot.name == name);
    for (place, slot) in slots.iter().enumerate() {
        let Some(set) = tool.sets[place].filter(|_| filled.values[place].is_empty()) else { continue };
        let open: Vec<_> = index.sets[set].list.iter().filter(|candidate| candidate.any_words).collect();
        let fits = |key: &(&'static str, String)| {
            slot_of(key.0).is_some_and(|other| filled.values[other] == [Value::Text(key.1.clone())])
        };
        let named = open.iter().any(|candidate| candidate.goes_with.as_ref().is_none_or(fits));
        // "call the node …": a phrase that needs no key, where only one key takes any words.
        let keyed = match open[..] {
            [only] if !named => {
                only.goes_with.as_ref().and_then(|(key, value)| Some((slot_of(key)?, value.clone())))
            }
            _ => None,
        };
        let keyed = keyed
            .filter(|(key, _)| filled.values[*key].is_empty() && says_without_key(tool, slot.name, words));
        if !named && keyed.is_none() {
            continue;
        }
        let Some(range) = words_of_value(filled, tool, words, keyed.is_some()) else {
            if let Some((key, value)) = keyed.filter(|_| tool.writes()) {
                filled.values[key].push(Value::Text(value));
            }
            continue;
        };
        let whole = as_said(words, range, said);
        if let Some((key, value)) = keyed.filter(|_| whole.is_some() || tool.writes()) {
            filled.values[key].push(Value::Text(value));
        }
        if let Some((text, range)) = whole {
            filled.values[place].push(Value::Text(text));
            filled.explained[range].fill(true);
        }
    }
}

/// Whether a phrase that holds only this slot, and at least two words, stands here.
fn says_without_key(tool: &Tool<'_>, slot: &str, words: &[Word]) -> bool {
    tool.patterns.iter().any(|pattern| {
        pattern.slots == [slot]
            && pattern.content.len() + pattern.soft.len() > 1
            && pattern
                .content
                .iter()
                .chain(&pattern.soft)
                .all(|stem| words.iter().any(|word| word.stem == *stem))
    })
}

/// What is said of a key without giving it a value.
const NO_VALUES: [&str; 24] = [
    "problem",
    "unknown",
    "wrong",
    "missing",
    "issue",
    "info",
    "question",
    "error",
    "empty",
    "invalid",
    "broken",
    "value",
    "setting",
    "lookup",
    "resolution",
    "conflict",
    "change",
    "list",
    "check",
    "status",
    "details",
    "stuff",
    "trouble",
    "again",
];

fn words_of_value(
    filled: &Filled,
    tool: &Tool<'_>,
    words: &[Word],
    keyed: bool,
) -> Option<std::ops::Range<usize>> {
    let to = words.iter().rposition(|word| matches!(word.text.as_str(), "to" | "as" | "be" | "into" | "is"));
    let known =
        |place: usize| filled.explained[place] || (keyed && tool.vocabulary.contains(&words[place].stem));
    let named = (0..words.len()).rev().find(|place| known(*place));
    let quoted = words.iter().position(|word| word.kind == Kind::Quoted);
    let start = match (quoted, to, named) {
        (Some(quoted), _, _) => return Some(quoted..quoted + 1),
        (_, Some(to), _) if to + 1 < words.len() => to + 1,
        (_, None, Some(named)) if named + 1 < words.len() => named + 1,
        _ => return None,
    };
    let length =
        (start..words.len()).take_while(|place| !known(*place) && !is_filler(&words[*place])).count();
    let first = words.get(start)?;
    // "call it it", "set the name to something else" say no value; nor does "the name is wrong".
    let led = quoted.is_some() || to.is_some() || keyed;
    let bare = led || (length == 1 && !NO_VALUES.contains(&first.text.as_str()) && first.base);
    let says = length > 0 && bare && !ENGLISH.stop.contains(first.text.as_str());
    says.then_some(start..start + length)
}

/// The value that stands at `range` exactly as it was said, and the words that it covers: a name of several parts
/// ("cellar-node") stays whole. None where a word of it was taken for one that only fills, or for a name of the node.
fn as_said(
    words: &[Word],
    range: std::ops::Range<usize>,
    said: &str,
) -> Option<(String, std::ops::Range<usize>)> {
    const POLITE: [&str; 14] = [
        "please", "pls", "plz", "plse", "kindly", "thanks", "thank", "thx", "ty", "cheers", "now", "asap",
        "ok", "mate",
    ];
    let (first, last) = (words.get(range.start)?, words.get(range.end.checked_sub(1)?)?);
    if first.kind == Kind::Quoted {
        return slice(&words[range.clone()], said).map(|text| (text, range));
    }
    let gap = |letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '“' | '”' | '„' | '`' | '=' | ':' | ',')
    };
    let start = said[..first.at.start]
        .rfind(gap)
        .map_or(0, |at| at + said[at..].chars().next().map_or(0, char::len_utf8));
    let end = said[last.at.end..].find(gap).map_or(said.len(), |end| last.at.end + end);
    let token = said[start..end].trim_start_matches(['(', '[', '<', '\'', '‘']);
    let start = end - token.len();
    let end =
        start + token.trim_end_matches(['.', '!', '?', ';', ')', ']', '>', '…', '\'', '’', '—', '–']).len();
    // What stood before or after it without a pause, and is no word of the clause any more, was part of it.
    let led = range.start.checked_sub(1).map_or(start, |before| words[before].at.end);
    if said.get(led..start).is_some_and(|between| between.chars().any(char::is_alphanumeric)) {
        return None;
    }
    let after = said[end..].strip_prefix(' ').unwrap_or_default();
    let next: String =
        after.chars().take_while(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let inside = words[range.end..].iter().take_while(|word| word.at.start < end).count();
    let follows = words.get(range.end + inside).filter(|word| word.at.start == end + 1);
    let dropped = match follows {
        Some(word) => word.is_plain() && !ENGLISH.stop.contains(word.text.as_str()) && !is_filler(word),
        None => {
            !next.is_empty() && ENGLISH.filler.contains(next.as_str()) && !POLITE.contains(&next.as_str())
        }
    };
    let text = said.get(start..end).filter(|text| !text.is_empty() && !dropped)?;
    Some((text.strip_suffix("'s").unwrap_or(text).to_owned(), range.start..range.end + inside))
}

fn number(filled: &mut Filled, place: usize, words: &[Word]) {
    let mut value: Option<u64> = None;
    for (at, word) in words.iter().enumerate() {
        if let Kind::Number(number) = word.kind
            && !filled.explained[at]
        {
            value = Some(match value {
                // "two hundred", "twenty five"
                Some(before) if number >= 100 && before < number => before * number,
                Some(before) if before >= 20 && number < 10 => before + number,
                Some(before) => before,
                None => number,
            });
            filled.explained[at] = true;
        }
    }
    filled.values[place].extend(value.map(Value::Number));
}

/// The text that `words` cover, as it was said.
fn slice(words: &[Word], said: &str) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    let text = said.get(first.at.start..last.at.end)?.trim();
    let text = text
        .strip_suffix("'s")
        .unwrap_or(text)
        .trim_matches(|letter: char| matches!(letter, '"' | '“' | '”' | '`'));
    (!text.is_empty()).then(|| text.to_owned())
}

/// The words that are searched for, or the path, and where they stand.
fn free_words(
    tool: &Tool<'_>,
    words: &[Word],
    said: &str,
    filled: &Filled,
    index: &Index<'_>,
) -> Option<(String, Vec<usize>)> {
    if let Some(place) = words.iter().position(|word| word.kind == Kind::Quoted) {
        return slice(&words[place..=place], said).map(|text| (text, vec![place]));
    }
    if let Some(place) = words.iter().position(|word| word.kind == Kind::Path) {
        return slice(&words[place..=place], said).map(|text| (text, vec![place]));
    }
    let own = |word: &Word| tool.vocabulary.contains(&word.stem);
    let bare = |word: &Word| ENGLISH.stop.contains(word.text.as_str()) || is_cue(&word.text);
    let light = |word: &Word| own(word) || bare(word) || is_soft(word);
    let mut start = None;
    let mut place = 0;
    while place < words.len() {
        let length = ENGLISH.introducers.begins(&words[place..]);
        let open = start.is_none_or(|start: usize| words[start..place].iter().all(light));
        if length > 0
            && open
            && place + length < words.len()
            && (!words[place + length..].iter().all(light_tail(tool)) || points(&words[place + length]))
        {
            start = Some(place + length);
            place += length;
        } else {
            place += 1;
        }
    }
    let mut range = match start {
        Some(start) => start..tail(words, start, tool),
        None => longest_run(words, |place| {
            light(&words[place]) || filled.explained[place] || index.leads.contains(&words[place].stem)
        })?,
    };
    while range.start < range.end
        && matches!(
            words[range.start].text.as_str(),
            "the"
                | "a"
                | "an"
                | "my"
                | "any"
                | "some"
                | "all"
                | "our"
                | "that"
                | "this"
                | "something"
                | "anything"
                | "everything"
        )
    {
        range.start += 1;
    }
    let text = slice(words.get(range.clone())?, said)?;
    Some((text, range.collect()))
}

/// Whether "for", "about" and the like stand before a place, articles between.
fn introduced(words: &[Word], place: usize) -> bool {
    (0..place).any(|from| {
        let length = ENGLISH.introducers.begins(&words[from..]);
        length > 0
            && from + length <= place
            && words[from + length..place].iter().all(|word| ENGLISH.stop.contains(word.text.as_str()))
    })
}

fn points(word: &Word) -> bool {
    matches!(word.text.as_str(), "it" | "that" | "them" | "this" | "those" | "same")
}

fn light_tail<'a>(tool: &'a Tool<'_>) -> impl Fn(&Word) -> bool + 'a {
    |word| {
        ENGLISH.stop.contains(word.text.as_str())
            || tool.vocabulary.contains(&word.stem) && ENGLISH.weak.contains(word.stem.as_str())
    }
}

/// Where the query ends: before "in my notes", "on this node".
fn tail(words: &[Word], start: usize, tool: &Tool<'_>) -> usize {
    let mut end = words.len();
    loop {
        let cut = (start + 1..end).rev().find(|&place| {
            matches!(
                words[place].text.as_str(),
                "in" | "on"
                    | "from"
                    | "across"
                    | "through"
                    | "inside"
                    | "within"
                    | "among"
                    | "anywhere"
                    | "everywhere"
            )
        });
        let Some(cut) = cut else { break };
        let place = |word: &Word| {
            ENGLISH.stop.contains(word.text.as_str()) || tool.vocabulary.contains(&word.stem) || is_soft(word)
        };
        if !words[cut + 1..end].iter().all(place) {
            break;
        }
        end = cut;
    }
    while end > start + 1
        && (is_filler(&words[end - 1])
            || matches!(
                words[end - 1].text.as_str(),
                "too" | "also" | "anywhere" | "everywhere" | "somewhere"
            ))
    {
        end -= 1;
    }
    end
}

/// The longest run of words that carry content, small words between them included.
fn longest_run(words: &[Word], light: impl Fn(usize) -> bool) -> Option<std::ops::Range<usize>> {
    let mut best: Option<std::ops::Range<usize>> = None;
    let mut place = 0;
    while place < words.len() {
        if light(place) {
            place += 1;
            continue;
        }
        let mut end = place + 1;
        let mut probe = end;
        while probe < words.len() && probe - end < 3 {
            if !light(probe) {
                end = probe + 1;
            }
            probe += 1;
        }
        if best.as_ref().is_none_or(|best| end - place > best.len()) {
            best = Some(place..end);
        }
        place = end;
    }
    best
}

/// Whether all that must be said was said; else the first slot that lacks.
pub(super) fn lacks(tool: &Tool<'_>, filled: &Filled) -> Option<usize> {
    let required = |place: &usize| tool.offer.spec.slots()[*place].presence == Presence::Required;
    (0..filled.values.len()).filter(required).find(|place| filled.values[*place].is_empty())
}
