//! What can be asked for in one request: the tools' phrases and the names of their slots' candidates, made ready to be
//! looked up. Phrases never change, so that each is read once for the life of the program.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::english::ENGLISH;
use super::words::{self, Word};
use crate::policy::Effect;
use crate::untrusted;
use crate::{Candidate, Elsewhere, Offer, SlotKind};

/// A phrase, read.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Words with content, and those that are weak evidence.
    pub(super) content: Vec<String>,
    pub(super) soft: Vec<String>,
    /// Question words.
    pub(super) cues: Vec<String>,
    pub(super) slots: Vec<String>,
    /// The verb with which it begins, as an order.
    pub(super) lead: Option<String>,
    /// All stems but those of articles and the like: what is done elsewhere must be said whole.
    pub(super) whole: Vec<String>,
    /// All its words, as they stand.
    pub(super) spelled: Vec<String>,
}

const ARTICLES: [&str; 16] =
    ["a", "an", "the", "to", "of", "in", "on", "for", "from", "with", "at", "by", "my", "all", "up", "me"];

const CUES: [&str; 9] = ["you", "how", "who", "what", "which", "where", "when", "why", "whose"];

/// Whether a word asks.
pub(super) fn is_cue(text: &str) -> bool {
    CUES.contains(&text)
}

/// Whether the word at `place` asks for how something is, not how much of it there is.
pub(super) fn is_cue_at(words: &[Word], place: usize, cue: &str) -> bool {
    const AMOUNTS: [&str; 9] = ["much", "many", "long", "far", "full", "big", "old", "often", "hot"];
    let text = words[place].text.as_str();
    (text == cue || (text == "which" && cue == "what"))
        && !(cue == "how" && words.get(place + 1).is_some_and(|next| AMOUNTS.contains(&next.text.as_str())))
}

/// Whether a word is weak evidence.
pub(super) fn is_soft(word: &Word) -> bool {
    ENGLISH.weak.contains(word.text.as_str())
        || ENGLISH.weak.contains(word.stem.as_str())
        || ENGLISH.look.contains(word.text.as_str())
        || word.stem == "look"
}

impl Pattern {
    fn read(phrase: &str) -> Self {
        let (mut plain, mut slots) = (String::new(), Vec::new());
        let mut first_is_slot = false;
        for (place, piece) in phrase.split('{').enumerate() {
            let Some((slot, rest)) = piece.split_once('}').filter(|_| place > 0) else {
                plain.push_str(piece);
                continue;
            };
            first_is_slot |= plain.trim().is_empty();
            slots.push(slot.to_owned());
            // A word that no concept holds keeps the gap between the halves of a split verb.
            plain.push('\u{1}');
            plain.push_str(rest);
        }
        let plain = plain.replace('\u{1}', " xslotx ");
        let mut words = words::split(&plain);
        ENGLISH.conceive(&mut words);
        let spelled = words
            .iter()
            .filter(|word| word.is_plain() && word.text != "xslotx")
            .map(|word| word.text.clone())
            .collect();
        words.retain(|word| word.is_plain() && !word.taken);
        let lead = words
            .first()
            .filter(|first| {
                // Some verbs carry little elsewhere, and yet begin an order.
                let bare =
                    ENGLISH.stop.contains(first.text.as_str()) && first.stem == words::stem(&first.text);
                let verb = ["make", "use", "go", "call"].contains(&first.text.as_str());
                !first_is_slot && !is_cue(&first.text) && (verb || !bare)
            })
            .map(|first| first.stem.clone());
        words.retain(|word| word.text != "xslotx");
        let whole = words
            .iter()
            .filter(|word| !ARTICLES.contains(&word.text.as_str()))
            .map(|word| word.stem.clone())
            .collect();
        let mut pattern =
            Self { content: Vec::new(), soft: Vec::new(), cues: Vec::new(), slots, lead, whole, spelled };
        for (place, word) in words.into_iter().enumerate() {
            let leads = place == 0 && pattern.lead.as_ref() == Some(&word.stem) && !is_soft(&word);
            let conceived = word.stem != words::stem(&word.text);
            if is_cue(&word.text) {
                pattern.cues.push(word.text);
            } else if is_soft(&word) {
                pattern.soft.push(word.stem);
            } else if conceived
                || leads
                || !(ENGLISH.stop.contains(word.text.as_str()) || ENGLISH.filler.contains(word.text.as_str()))
            {
                pattern.content.push(word.stem);
            }
        }
        pattern
    }

    /// The phrase, read now or before.
    pub(super) fn of(phrase: &'static str) -> Arc<Self> {
        static READ: LazyLock<Mutex<HashMap<&'static str, Arc<Pattern>>>> = LazyLock::new(Mutex::default);
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(read.entry(phrase).or_insert_with(|| Arc::new(Self::read(phrase))))
    }
}

/// A tool, made ready.
pub(super) struct Tool<'a> {
    pub(super) offer: &'a Offer,
    pub(super) patterns: Vec<Arc<Pattern>>,
    pub(super) vocabulary: HashSet<String>,
    /// For each slot the set of candidates that fills it.
    pub(super) sets: Vec<Option<usize>>,
}

impl Tool<'_> {
    pub(super) fn writes(&self) -> bool {
        self.offer.effect == Effect::Write
    }
    pub(super) fn name(&self) -> &str {
        self.offer.spec.name()
    }
}

/// The candidates of one or more slots, by their names.
pub(super) struct Names {
    pub(super) list: Arc<[Candidate]>,
    /// Names written together, without spaces, and whose they are.
    exact: HashMap<String, Vec<usize>>,
    /// The same by first letter and length.
    near: HashMap<(char, usize), Vec<(String, usize)>>,
    /// Single words that occur in names.
    pub(super) words: HashSet<String>,
    longest: usize,
    /// Whether its values go with those of another slot.
    pub(super) keyed: bool,
}

impl Names {
    fn new(list: Arc<[Candidate]>) -> Self {
        let mut names = Self {
            exact: HashMap::new(),
            near: HashMap::new(),
            words: HashSet::new(),
            longest: 1,
            keyed: list.iter().any(|one| one.goes_with.is_some()),
            list,
        };
        for place in 0..names.list.len() {
            let candidate = &names.list[place];
            if candidate.any_words {
                continue;
            }
            let mut all = vec![pieces(&candidate.value)];
            if let Some((_, last)) =
                candidate.value.rsplit_once('/').filter(|(_, last)| last.starts_with(char::is_alphabetic))
            {
                all.push(pieces(last));
            }
            for name in &candidate.names {
                let mut words = Vec::new();
                untrusted::words::visit(name, &mut |word| words.push(word.to_owned()));
                if words.len() > 1 && words[0] == "the" {
                    words.remove(0);
                }
                all.push(words);
            }
            for words in all {
                names.add(&words, place);
            }
        }
        names
    }

    fn add(&mut self, words: &[String], place: usize) {
        let joined = words.concat();
        let Some(first) = joined.chars().next() else { return };
        self.longest = self.longest.max(words.len());
        self.words.extend(words.iter().cloned());
        let owners = self.exact.entry(joined.clone()).or_default();
        if owners.contains(&place) {
            return;
        }
        owners.push(place);
        self.near.entry((first, joined.chars().count())).or_default().push((joined, place));
    }

    /// Whose name this is exactly.
    pub(super) fn exactly(&self, joined: &str) -> &[usize] {
        self.exact.get(joined).map_or(&[], Vec::as_slice)
    }

    /// Whose name this may be with a slip in it: all that are equally near.
    pub(super) fn nearly(&self, joined: &str) -> Vec<usize> {
        let length = joined.chars().count();
        let Some(first) = joined.chars().next() else { return Vec::new() };
        let second = joined.chars().nth(1).unwrap_or(first);
        let (mut best, mut found) = (f64::MAX, Vec::new());
        for length in length.saturating_sub(2)..=length + 2 {
            for letter in if first == second { vec![first] } else { vec![first, second] } {
                for (name, place) in self.near.get(&(letter, length)).into_iter().flatten() {
                    let Some(cost) = slip(joined, name) else { continue };
                    if cost < best - 0.01 {
                        (best, found) = (cost, vec![*place]);
                    } else if (cost - best).abs() <= 0.01 && !found.contains(place) {
                        found.push(*place);
                    }
                }
            }
        }
        found
    }

    /// How many words the longest name may be written in.
    pub(super) fn longest(&self) -> usize {
        // Any name may be written apart once ("next cloud").
        (self.longest + 1).min(5)
    }
}

fn pieces(value: &str) -> Vec<String> {
    value
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// What it costs to take `said` for `meant`, if that is a slip at all: one in a short word, two in a long one.
pub(super) fn slip(said: &str, meant: &str) -> Option<f64> {
    let (a, b) = (said.chars().count(), meant.chars().count());
    if b < 3 || a < 3 || a.abs_diff(b) > 2 {
        return None;
    }
    // Another form of a word is no slip of it ("lights", "darker").
    let formed =
        |end: &str| end == "s" || end == "es" || end == "ed" || end == "er" || end == "ly" || end == "ing";
    if said.strip_prefix(meant).is_some_and(formed) {
        return None;
    }
    let distance = strsim::osa_distance(said, meant);
    let swapped = distance == 1 && a == b && strsim::levenshtein(said, meant) == 2;
    let (first, last) =
        (said.chars().next() == meant.chars().next(), said.chars().next_back() == meant.chars().next_back());
    match distance {
        0 => Some(0.0),
        1 if swapped => Some(if first { 0.8 } else { 0.9 }),
        1 if a != b && (first || b > 4) && (b > 3 || a > 3) => Some(1.0),
        1 if first && b > 3 => Some(1.2),
        2 if first && last && a.min(b) >= 7 && (a.min(b) >= 9 || strsim::levenshtein(said, meant) > 2) => {
            Some(2.0)
        }
        _ => None,
    }
}

/// Everything that can be asked for.
pub(super) struct Index<'a> {
    pub(super) tools: Vec<Tool<'a>>,
    pub(super) elsewhere: Vec<(Vec<Arc<Pattern>>, &'static str)>,
    pub(super) sets: Vec<Names>,
    /// In how many tools' phrases a word occurs.
    spread: HashMap<String, u32>,
    /// The words of phrases as they are written.
    spelled: HashMap<(char, usize), HashSet<String>>,
    /// The sets whose members are keys of other slots' values.
    pub(super) keys: HashSet<usize>,
    /// The words of the tools' phrases, and the verbs that mean a write.
    own: HashSet<String>,
    verbs: HashSet<String>,
    pub(super) leads: HashSet<String>,
    pub(super) write_leads: HashSet<String>,
}

impl<'a> Index<'a> {
    pub(super) fn new(tools: &'a [Offer], elsewhere: &[Elsewhere]) -> Self {
        let mut index = Self {
            tools: Vec::new(),
            elsewhere: Vec::new(),
            sets: Vec::new(),
            spread: HashMap::new(),
            spelled: HashMap::new(),
            keys: HashSet::new(),
            own: HashSet::new(),
            verbs: HashSet::new(),
            leads: HashSet::new(),
            write_leads: HashSet::new(),
        };
        for offer in tools {
            index.add(offer);
        }
        for concept in &index.write_leads {
            index.verbs.insert(concept.clone());
            index.verbs.extend(ENGLISH.verbs_for(concept).map(str::to_owned));
        }
        for other in elsewhere {
            let patterns: Vec<_> = other.said_as().iter().map(|phrase| Pattern::of(phrase)).collect();
            for pattern in &patterns {
                pattern.spelled.iter().for_each(|word| index.spell(word));
            }
            index.elsewhere.push((patterns, other.answer()));
        }
        index
    }

    fn spell(&mut self, word: &str) {
        if let Some(first) = word.chars().next() {
            self.spelled.entry((first, word.chars().count())).or_default().insert(word.to_owned());
        }
    }

    fn add(&mut self, offer: &'a Offer) {
        let patterns: Vec<_> = offer.spec.said_as().iter().map(|phrase| Pattern::of(phrase)).collect();
        let mut vocabulary = HashSet::new();
        for pattern in &patterns {
            vocabulary.extend(pattern.content.iter().chain(&pattern.soft).cloned());
            pattern.spelled.iter().for_each(|word| self.spell(word));
            self.own.extend(pattern.spelled.iter().cloned());
            if let Some(lead) = &pattern.lead {
                self.leads.insert(lead.clone());
                if offer.effect == Effect::Write {
                    self.write_leads.insert(lead.clone());
                }
            }
        }
        for word in &vocabulary {
            *self.spread.entry(word.clone()).or_default() += 1;
        }
        let slots = offer.spec.slots();
        let sets: Vec<Option<usize>> = slots
            .iter()
            .enumerate()
            .map(|(place, slot)| match &slot.kind {
                SlotKind::Live(_) | SlotKind::Fixed(_) => {
                    let list = match (&slot.kind, offer.candidates.get(place)) {
                        (SlotKind::Fixed(values), None) => Arc::clone(values),
                        (SlotKind::Fixed(values), Some(list)) if list.is_empty() => Arc::clone(values),
                        (_, Some(list)) => Arc::clone(list),
                        (_, None) => Arc::from([]),
                    };
                    Some(self.set_of(list))
                }
                SlotKind::Number | SlotKind::Words => None,
            })
            .collect();
        for (slot, set) in slots.iter().zip(&sets) {
            let keyed = sets.iter().flatten().any(|other| {
                self.sets[*other]
                    .list
                    .iter()
                    .any(|one| one.goes_with.as_ref().is_some_and(|(key, _)| *key == slot.name))
            });
            if let Some(set) = set.filter(|_| keyed) {
                self.keys.insert(set);
            }
        }
        self.tools.push(Tool { offer, patterns, vocabulary, sets });
    }

    fn set_of(&mut self, list: Arc<[Candidate]>) -> usize {
        let same = |known: &Names| Arc::ptr_eq(&known.list, &list) || known.list == list;
        if let Some(known) = self.sets.iter().position(same) {
            return known;
        }
        self.sets.push(Names::new(list));
        self.sets.len() - 1
    }

    /// How much a word tells: less, the more tools it belongs to.
    pub(super) fn weight(&self, stem: &str) -> f64 {
        match self.spread.get(stem) {
            Some(&tools) => 1.0 / f64::from(tools).sqrt().max(1.0),
            None => 1.0,
        }
    }

    /// Whether some tool's phrases hold this stem.
    pub(super) fn speaks_of(&self, stem: &str) -> bool {
        self.spread.contains_key(stem)
    }

    /// Whether a word means something here or in the lexicon.
    pub(super) fn knows(&self, word: &Word) -> bool {
        let text = word.text.as_str();
        let spelled = text.chars().next().is_some_and(|first| {
            self.spelled.get(&(first, text.chars().count())).is_some_and(|words| words.contains(text))
        });
        spelled
            || ENGLISH.known.contains(text)
            || ENGLISH.common.contains(text)
            || self.spread.contains_key(&word.stem)
            || self.sets.iter().any(|names| names.words.contains(text) || !names.exactly(text).is_empty())
    }

    /// Corrects the slips of `words` towards what is known, where one word is nearest.
    pub(super) fn correct(&self, words: &mut [Word]) {
        for word in words.iter_mut().filter(|word| word.kind == words::Kind::Plain) {
            if self.knows(word) || word.text.chars().any(|letter| letter.is_ascii_digit()) {
                continue;
            }
            if let [meant] = &self.nearest(&word.text)[..] {
                word.stem = words::stem(meant);
                word.text.clone_from(meant);
            }
        }
    }

    /// The verbs of writes between which a slip in `word` leaves it open.
    pub(super) fn doubts(&self, word: &Word) -> Vec<String> {
        if word.kind != words::Kind::Plain || self.knows(word) {
            return Vec::new();
        }
        let near = self.nearest(&word.text);
        if near.len() > 1 && near.iter().all(|word| self.verbs.contains(word)) { near } else { Vec::new() }
    }

    /// The words that `said` may be a slip of: all that are equally near, one of each stem. Those of tools' phrases come
    /// before others.
    fn nearest(&self, said: &str) -> Vec<String> {
        let length = said.chars().count();
        let Some(first) = said.chars().next() else { return Vec::new() };
        let second = said.chars().nth(1).unwrap_or(first);
        // A verb may lack its first letter too, which makes one of another.
        let mut all: Vec<&str> = self.verbs.iter().map(String::as_str).collect();
        for length in length.saturating_sub(2)..=length + 2 {
            for letter in if first == second { vec![first] } else { vec![first, second] } {
                all.extend(self.spelled.get(&(letter, length)).into_iter().flatten().map(String::as_str));
                all.extend(ENGLISH.spelled.get(&(letter, length)).into_iter().flatten());
            }
        }
        for names in &self.sets {
            all.extend(names.words.iter().map(String::as_str).filter(|word| {
                word.chars().count().abs_diff(length) <= 2
                    && word.chars().next().is_some_and(|letter| letter == first || letter == second)
            }));
        }
        let mut best = f64::MAX;
        let mut found: Vec<&str> = Vec::new();
        for word in all {
            let Some(cost) = slip(said, word) else { continue };
            if cost < best - 0.01 {
                best = cost;
                found.clear();
            }
            if (cost - best).abs() <= 0.01 && !found.contains(&word) {
                found.push(word);
            }
        }
        found.sort_unstable();
        let mut stems = HashSet::new();
        found.retain(|word| stems.insert(words::stem(word)));
        if found.len() > 1 && found.iter().any(|word| self.own.contains(*word)) {
            found.retain(|word| self.own.contains(*word));
        }
        found.into_iter().map(str::to_owned).collect()
    }
}
