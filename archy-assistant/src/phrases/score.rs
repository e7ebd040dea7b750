//! How well a tool fits a clause.

use super::english::ENGLISH;
use super::fill::{self, Filled, Mention};
use super::index::{Index, Pattern, Tool, is_cue, is_cue_at, is_soft};
use super::intent::is_filler;
use super::words::{self, Kind, Word};
use crate::SlotKind;

/// A tool that may be meant.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    pub(super) tool: usize,
    pub(super) filled: Filled,
    /// The slot without which it cannot be called.
    pub(super) lacks: Option<usize>,
    /// The share of what was said that it explains.
    pub(super) precision: f64,
    /// The share of its best phrase that was said.
    pub(super) recall: f64,
    pub(super) score: f64,
    /// How many words with content it leaves unexplained.
    pub(super) unexplained: usize,
}

/// Judges `tool` on a clause; `only` keeps to phrases that begin with this verb.
pub(super) fn fit(
    place: usize,
    words: &[Word],
    mentions: &[Mention],
    index: &Index<'_>,
    said: &str,
    only: Option<&str>,
) -> Option<Fit> {
    let tool = &index.tools[place];
    let filled = fill::fill(tool, words, mentions, index, said);
    let lacks = fill::lacks(tool, &filled);
    let (explained, unexplained) = explain(tool, words, &filled, index);
    let recall = tool
        .patterns
        .iter()
        .filter(|pattern| only.is_none_or(|verb| pattern.lead.as_deref() == Some(verb)))
        .filter_map(|pattern| recall(pattern, tool, words, &filled, index))
        .max_by(f64::total_cmp)?;
    let precision = if explained > 0.0 {
        explained / (explained + unexplained.1)
    } else {
        // "how is it": nothing but what points elsewhere.
        f64::from(u8::from(unexplained.0 == 0 && words.iter().any(stands_for)))
    };
    let pointed = lacks.is_some_and(|slot| tool.sets[slot].is_some()) && words.iter().any(stands_for);
    let lacking = if lacks.is_none() || pointed { 1.0 } else { 0.85 } + if pointed { 0.03 } else { 0.0 };
    let score = (0.55 * precision + 0.45 * recall) * lacking + 0.01 * explained;
    Some(Fit { tool: place, filled, lacks, precision, recall, score, unexplained: unexplained.0 })
}

/// The weight of what the tool explains, and of what it does not.
fn explain(tool: &Tool<'_>, words: &[Word], filled: &Filled, index: &Index<'_>) -> (f64, (usize, f64)) {
    let (mut explained, mut count, mut left) = (0.0, 0, 0.0);
    for (place, word) in words.iter().enumerate() {
        if filled.explained[place] {
            explained += 1.0;
        } else if filled.open[place] {
            explained += 0.5;
            // A word that another tool knows was hardly meant as one to search for, if nothing led into it.
            left += if !filled.led && index.speaks_of(&word.stem) { 1.5 } else { 0.15 };
        } else if tool.vocabulary.contains(&word.stem) {
            explained += if is_soft(word) { 0.3 } else { 1.0 };
        } else if carries(word) {
            count += 1;
            left += 1.0;
        }
    }
    (explained, (count, left))
}

/// Whether a word has content of its own.
pub(super) fn carries(word: &Word) -> bool {
    match word.kind {
        Kind::Path | Kind::Quoted | Kind::Number(_) => true,
        Kind::Mark(_) => false,
        Kind::Plain => {
            let conceived = word.stem != words::stem(&word.text);
            !(word.stem == "it"
                || is_soft(word)
                || is_cue(&word.text)
                || is_filler(word)
                || (!conceived && ENGLISH.stop.contains(word.text.as_str())))
        }
    }
}

fn recall(
    pattern: &Pattern,
    tool: &Tool<'_>,
    words: &[Word],
    filled: &Filled,
    index: &Index<'_>,
) -> Option<f64> {
    let has = |stem: &String| words.iter().any(|word| word.is_plain() && word.stem == *stem);
    let (mut got, mut all, mut evidence) = (0.0, 0.0, filled.paired && pattern.content.is_empty());
    for stem in &pattern.content {
        let weight = index.weight(stem);
        all += weight;
        if has(stem) {
            got += weight;
            evidence = true;
        }
    }
    // Words as they come fit everything, unless a path or a quotation shows what they are.
    let free = pattern.slots.iter().any(|slot| {
        tool.offer
            .spec
            .slots()
            .iter()
            .any(|known| known.name == slot && matches!(known.kind, SlotKind::Words))
    }) && !words.iter().any(|word| matches!(word.kind, Kind::Path | Kind::Quoted))
        && !(pattern.lead.as_ref().is_some_and(has) && words.iter().any(stands_for));
    let look = |word: &Word| word.is_plain() && ENGLISH.look.contains(word.text.as_str());
    for stem in &pattern.soft {
        all += 0.25;
        if has(stem) || (ENGLISH.look.contains(stem.as_str()) && words.iter().any(look)) {
            got += 0.25;
            evidence |= pattern.content.is_empty() && !free;
        }
    }
    for cue in &pattern.cues {
        all += 0.15;
        if words.iter().any(|word| wh(&word.text) == wh(cue)) {
            got += 0.15;
            let asks = cue != "you" && (0..words.len()).any(|place| is_cue_at(words, place, cue));
            evidence |= pattern.content.is_empty() && pattern.soft.is_empty() && !free && asks;
        }
    }
    // "what is bitcoin" is not "how much bitcoin".
    let wh = |cue: &str| if cue == "which" { "what".to_owned() } else { cue.to_owned() };
    let asked: Vec<String> = words
        .iter()
        .filter(|word| is_cue(&word.text) && word.text != "you")
        .map(|word| wh(&word.text))
        .collect();
    let mut cues = pattern.cues.iter().filter(|cue| *cue != "you").peekable();
    let other =
        cues.peek().is_some() && !asked.is_empty() && !cues.any(|cue| asked.contains(&wh(cue.as_str())));
    for slot in &pattern.slots {
        let place = tool.offer.spec.slots().iter().position(|known| known.name == slot);
        if place.is_some_and(|place| !filled.values[place].is_empty()) {
            got += 1.0;
            all += 1.0;
        } else if place
            .is_some_and(|place| tool.sets[place].is_some() || pattern.lead.as_ref().is_some_and(has))
            && words.iter().any(stands_for)
        {
            // "is it up": the name is elsewhere.
            got += 0.95;
            all += 1.0;
        } else if place.is_some() {
            all += 0.6;
        }
    }
    if other {
        got *= 0.6;
    }
    // Of two phrases that were said whole, the one that asks as it was asked.
    let same = pattern.cues.iter().filter(|cue| words.iter().any(|word| word.text == **cue)).count();
    (evidence && all > 0.0).then(|| got / all + if same > 0 { 0.001 } else { 0.0 })
}

/// Judges `tool` by its slots alone: all of them were said, and nothing else.
pub(super) fn whole(
    place: usize,
    words: &[Word],
    mentions: &[Mention],
    index: &Index<'_>,
    said: &str,
) -> Option<Fit> {
    let tool = &index.tools[place];
    let filled = fill::fill(tool, words, mentions, index, said);
    let lacks = fill::lacks(tool, &filled);
    let (explained, unexplained) = explain(tool, words, &filled, index);
    (lacks.is_none() && unexplained.0 == 0 && filled.mentions > 0).then_some(Fit {
        tool: place,
        filled,
        lacks,
        precision: 1.0,
        recall: 1.0,
        score: 1.0 + 0.01 * explained,
        unexplained: 0,
    })
}

/// Whether a pronoun stands for a name.
fn stands_for(word: &Word) -> bool {
    (word.stem == "it" && word.text != "its") || matches!(word.text.as_str(), "it" | "them" | "they" | "both")
}

/// "which" asks as "what" does.
fn wh(cue: &str) -> &str {
    if cue == "which" { "what" } else { cue }
}
