//! The [lexicon](super::lexicon) as tables that answer quickly.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::lexicon;
use super::words::{self, Word};

/// Runs of words, found by their first.
pub(super) struct Runs(HashMap<&'static str, Vec<Vec<&'static str>>>);

impl Runs {
    fn new(runs: &'static str) -> Self {
        let mut table: HashMap<_, Vec<Vec<_>>> = HashMap::new();
        for run in lexicon::ways(runs) {
            let run: Vec<_> = run.split(' ').collect();
            table.entry(run[0]).or_default().push(run);
        }
        for runs in table.values_mut() {
            runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
        }
        Self(table)
    }

    /// How many words the longest run has that begins `words`; 0 where none does.
    pub(super) fn begins(&self, words: &[Word]) -> usize {
        let Some(first) = words.first().filter(|first| first.is_plain()) else { return 0 };
        self.0
            .get(first.text.as_str())
            .into_iter()
            .flatten()
            .find(|run| {
                words.len() >= run.len()
                    && run.iter().zip(words).all(|(run, word)| word.is_plain() && *run == word.text)
            })
            .map_or(0, Vec::len)
    }

    /// The first place at which one stands, and its length.
    pub(super) fn find(&self, words: &[Word]) -> Option<(usize, usize)> {
        (0..words.len()).find_map(|from| match self.begins(&words[from..]) {
            0 => None,
            len => Some((from, len)),
        })
    }
}

struct Synonym {
    /// The words that come first, as they are listed, and their stems.
    listed: Vec<&'static str>,
    first: Vec<String>,
    /// The words that follow after a gap; empty where there is none.
    then: Vec<&'static str>,
    concept: &'static str,
}

pub(super) struct English {
    pub(super) stop: HashSet<&'static str>,
    pub(super) weak: HashSet<&'static str>,
    pub(super) filler: HashSet<&'static str>,
    pub(super) look: HashSet<&'static str>,
    pub(super) change: HashSet<String>,
    pub(super) common: HashSet<&'static str>,
    pub(super) pronouns: HashSet<&'static str>,
    pub(super) plural: HashSet<&'static str>,
    pub(super) auxiliaries: HashSet<&'static str>,
    pub(super) subjects: HashSet<&'static str>,
    pub(super) waits: HashSet<&'static str>,
    pub(super) tells: HashSet<&'static str>,
    pub(super) wrapping: Runs,
    pub(super) order: Runs,
    pub(super) desire: Runs,
    pub(super) advice: Runs,
    pub(super) advice_anywhere: Runs,
    pub(super) reasons: Runs,
    pub(super) general: Runs,
    pub(super) past: Runs,
    pub(super) negations: Runs,
    pub(super) reports: Runs,
    pub(super) later: Runs,
    pub(super) embedded: Runs,
    pub(super) openers: Runs,
    pub(super) sweeping: Runs,
    pub(super) introducers: Runs,
    synonyms: HashMap<String, Vec<Synonym>>,
    /// Every word of the lexicon that a slip may have meant.
    pub(super) known: HashSet<&'static str>,
    /// The same by first letter and length.
    pub(super) spelled: HashMap<(char, usize), Vec<&'static str>>,
}

pub(super) static ENGLISH: LazyLock<English> = LazyLock::new(English::new);

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

impl English {
    fn new() -> Self {
        let mut synonyms: HashMap<String, Vec<Synonym>> = HashMap::new();
        let mut known: HashSet<&'static str> = HashSet::new();
        for (concept, ways) in lexicon::SYNONYMS {
            for way in lexicon::ways(ways) {
                let (first, then) = way.split_once(" … ").unwrap_or((way, ""));
                known.extend(way.split_whitespace().filter(|word| *word != "…"));
                let listed: Vec<_> = first.split(' ').collect();
                let first: Vec<_> = listed.iter().copied().map(words::stem).collect();
                synonyms.entry(first[0].clone()).or_default().push(Synonym {
                    listed,
                    first,
                    then: then.split_whitespace().collect(),
                    concept,
                });
            }
        }
        for ways in synonyms.values_mut() {
            ways.sort_by_key(|way| std::cmp::Reverse((way.first.len() + way.then.len(), way.first.len())));
        }
        let (stop, look) = (set(lexicon::STOP), set(lexicon::LOOK));
        let filler = set(lexicon::FILLER);
        known.extend(stop.iter().chain(&look).chain(&filler));
        known.extend(lexicon::CHANGE.split_whitespace());
        known.extend(lexicon::NUMBERS.iter().map(|(word, _)| *word));
        for runs in [
            lexicon::WRAPPING,
            lexicon::ADVICE_FRAMES,
            lexicon::NEGATIONS,
            lexicon::LATER,
            lexicon::REPORTS,
            lexicon::INTRODUCERS,
            lexicon::SWEEPING,
        ] {
            known.extend(lexicon::ways(runs).flat_map(|run| run.split(' ')));
        }
        let mut spelled: HashMap<(char, usize), Vec<_>> = HashMap::new();
        for word in &known {
            if let Some(first) = word.chars().next() {
                spelled.entry((first, word.chars().count())).or_default().push(*word);
            }
        }
        Self {
            spelled,
            weak: set(lexicon::WEAK),
            filler,
            change: lexicon::CHANGE.split_whitespace().map(str::to_owned).collect(),
            common: lexicon::COMMON
                .split_whitespace()
                .chain(lexicon::OTHER_NAMES.split_whitespace())
                .collect(),
            pronouns: set(lexicon::PRONOUNS),
            plural: set(lexicon::PLURAL_PRONOUNS),
            auxiliaries: set(lexicon::AUXILIARIES),
            subjects: set(lexicon::SUBJECTS),
            waits: set(lexicon::WAITS),
            tells: set(lexicon::TELLS),
            wrapping: Runs::new(lexicon::WRAPPING),
            order: Runs::new(lexicon::ORDER_FRAMES),
            desire: Runs::new(lexicon::DESIRE_FRAMES),
            advice: Runs::new(lexicon::ADVICE_FRAMES),
            advice_anywhere: Runs::new(lexicon::ADVICE_ANYWHERE),
            reasons: Runs::new(lexicon::REASONS),
            general: Runs::new(lexicon::GENERAL),
            past: Runs::new(lexicon::PAST_FRAMES),
            negations: Runs::new(lexicon::NEGATIONS),
            reports: Runs::new(lexicon::REPORTS),
            later: Runs::new(lexicon::LATER),
            embedded: Runs::new(lexicon::EMBEDDED),
            openers: Runs::new(lexicon::OPENERS),
            sweeping: Runs::new(lexicon::SWEEPING),
            introducers: Runs::new(lexicon::INTRODUCERS),
            stop,
            look,
            synonyms,
            known,
        }
    }

    /// The single words that mean `concept`.
    pub(super) fn verbs_for<'c>(&'c self, concept: &'c str) -> impl Iterator<Item = &'static str> + 'c {
        let ways = self.synonyms.values().flatten();
        ways.filter(move |way| way.concept == concept && way.then.is_empty() && way.listed.len() == 1)
            .map(|way| way.listed[0])
    }

    /// Gives each word its concept; of a concept of several words the first stays and the others are taken in.
    pub(super) fn conceive(&self, words: &mut [Word]) {
        let stems: Vec<String> = words.iter().map(|word| words::stem(&word.text)).collect();
        for from in 0..words.len() {
            if words[from].taken || !words[from].is_plain() {
                continue;
            }
            let Some(ways) = self.synonyms.get(&stems[from]) else { continue };
            let standing = |way| Some((way, Synonym::stands(way, words, &stems, from)?));
            let longest = ways.iter().find_map(standing);
            // "running" is listed for itself, though "run" has its stem.
            let listed = |way: &&Synonym| way.then.is_empty() && way.listed == [words[from].text.as_str()];
            let found = match longest {
                Some((way, _)) if way.first.len() + way.then.len() == 1 => {
                    ways.iter().find(listed).and_then(standing).or(longest)
                }
                longest => longest,
            };
            if let Some((way, then)) = found {
                let base = words[from].text == way.base_of(words, from) || !inflected(&words[from].text);
                words[from].base = base;
                way.concept.clone_into(&mut words[from].stem);
                let others = (from + 1..from + way.first.len()).chain(then..then + way.then.len());
                others.for_each(|place| words[place].taken = true);
            }
        }
        for word in words.iter_mut().filter(|word| word.is_plain() && !word.taken) {
            if inflected(&word.text) && word.text != word.stem {
                word.base = false;
            }
        }
    }
}

/// Whether a form says what is or was going on, rather than to do it.
fn inflected(text: &str) -> bool {
    let ends = |end: &str| text.len() > end.len() + 2 && text.ends_with(end);
    (ends("ed") && !matches!(text, "feed" | "need" | "speed" | "seed"))
        || (ends("ing") && text != "bring" && text != "ping")
        || (ends("s") && !ends("ss") && !ends("us"))
}

impl Synonym {
    /// Where its second part begins, if it stands at `from`.
    fn stands(&self, words: &[Word], stems: &[String], from: usize) -> Option<usize> {
        let end = from + self.first.len();
        let free = |place: usize| words[place].is_plain() && !words[place].taken;
        let first = end <= words.len() && (from..end).all(free) && stems[from..end] == self.first[..];
        if !first {
            return None;
        }
        if self.then.is_empty() {
            return Some(end);
        }
        (end + 1..=end + 5).find(|&then| {
            let last = then + self.then.len();
            last <= words.len()
                && (then..last).all(free)
                && self.then.iter().zip(&words[then..last]).all(|(want, word)| *want == word.text)
                && words[end..then].iter().all(|word| word.mark().is_none())
        })
    }

    fn base_of<'w>(&self, words: &'w [Word], from: usize) -> &'w str {
        // One word that is itself listed ("running") is as it should be.
        if self.first.len() == 1 && self.then.is_empty() && self.concept == words[from].text {
            &words[from].text
        } else {
            ""
        }
    }
}
