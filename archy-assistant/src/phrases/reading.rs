//! From what was said to what is wanted: each clause is read by itself, then clauses that need each other are joined.

use std::collections::HashSet;

use super::clauses::{self, Joined};
use super::english::ENGLISH;
use super::fill::{self, Mention, Value};
use super::follow_up::Before;
use super::index::Index;
use super::intent::{self, Bar, Judged, Mood, Points};
use super::lexicon;
use super::score::{self, Fit};
use super::words::{self, Kind, Word};
use crate::{Message, SlotKind};

/// A call that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wish {
    pub(super) tool: usize,
    pub(super) args: Vec<(usize, Value)>,
}

/// What was understood, before it is put into words.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Wishes(Vec<Wish>),
    /// A tool is clear, one of its slots is not; what may fill it.
    Which {
        wish: Wish,
        slot: usize,
        among: Vec<String>,
    },
    /// One of these was meant, perhaps.
    Perhaps(Vec<Wish>),
    Elsewhere(&'static str),
    /// It asks for a change in a way that never makes one.
    Barred(Bar, Option<usize>),
    Nothing,
}

/// What one clause comes to.
#[derive(Debug, Clone)]
enum Step {
    Wishes(Vec<Wish>),
    Lacks {
        wish: Wish,
        slot: usize,
    },
    Unclear {
        wish: Wish,
        slot: usize,
        among: Vec<String>,
    },
    Perhaps(Vec<Wish>),
    Names,
    Elsewhere(&'static str),
    Barred(Bar, Option<usize>),
    /// It only tells or wraps.
    Aside,
    Unknown,
}

/// Verbs that ask what may or will be.
const MODALS: [&str; 9] = ["can", "could", "should", "may", "might", "must", "will", "would", "shall"];

/// What agrees, and no more.
const YES: [&str; 8] = ["yes", "ok", "okay", "do", "it", "that", "please", "sure"];

const SURE_READ: (f64, f64) = (0.52, 0.45);
const SURE_WRITE: f64 = 0.99;
const PERHAPS_WRITE: f64 = 0.5;

/// Reads `said` after `messages`.
pub(super) fn read(said: &str, index: &Index<'_>, messages: &[Message], depth: usize) -> Outcome {
    let before = Before::new(messages);
    let mut words = words::split(said);
    if depth == 0
        && let Some((place, verbs)) = words
            .iter()
            .enumerate()
            .map(|(place, word)| (place, index.doubts(word)))
            .find(|(_, verbs)| !verbs.is_empty())
    {
        return doubtful(said, &words[place], &verbs, index, messages);
    }
    index.correct(&mut words);
    ENGLISH.conceive(&mut words);
    let pending = match before.unanswered {
        Some((earlier, rest)) if depth < 3 => match read(earlier, index, rest, depth + 1) {
            open @ (Outcome::Which { .. } | Outcome::Perhaps(_)) => Some(open),
            _ => None,
        },
        _ => None,
    };
    let judged = intent::judge(clauses::split(words), index);
    let reading = Reading { said, index, before, pending };
    reading.all(&judged)
}

/// A slip that may be one verb or another: each is tried, and what they come to is asked, never done.
fn doubtful(said: &str, word: &Word, verbs: &[String], index: &Index<'_>, messages: &[Message]) -> Outcome {
    let mut wishes = Vec::new();
    for verb in verbs {
        let tried = format!("{}{verb}{}", &said[..word.at.start], &said[word.at.end..]);
        if let Outcome::Wishes(made) | Outcome::Perhaps(made) = read(&tried, index, messages, 1) {
            wishes.extend(made.into_iter().filter(|wish| index.tools[wish.tool].writes()));
        }
    }
    if wishes.is_empty() { Outcome::Nothing } else { Outcome::Perhaps(wishes) }
}

struct Reading<'r> {
    said: &'r str,
    index: &'r Index<'r>,
    before: Before<'r>,
    pending: Option<Outcome>,
}

impl Reading<'_> {
    fn all(&self, judged: &[Judged]) -> Outcome {
        if let Some(answer) = self.answers_pending(judged) {
            return answer;
        }
        let mentions: Vec<Vec<Mention>> =
            judged.iter().map(|clause| fill::mentions(&clause.words, self.index)).collect();
        let mut steps: Vec<Step> =
            judged.iter().zip(&mentions).map(|(clause, mentions)| self.clause(clause, mentions)).collect();
        self.put_names_back(judged, &mut steps);
        self.join(judged, &mentions, steps)
    }

    /// One clause by itself.
    fn clause(&self, clause: &Judged, mentions: &[Mention]) -> Step {
        let words = &clause.words;
        if !words.iter().any(|word| score::carries(word) || intent_word(word)) && mentions.is_empty() {
            return Step::Aside;
        }
        if clause.general {
            return Step::Unknown;
        }
        let elsewhere = self.elsewhere(words, mentions, clause);
        let leads = &self.index.leads;
        let write_verb = words.iter().find(|word| {
            word.is_plain()
                && (self.index.write_leads.contains(&word.stem)
                    || (ENGLISH.change.contains(&word.stem)
                        && !leads.contains(&word.stem)
                        && score::carries(word)))
                && !matches!(word.text.as_str(), "make" | "use" | "go" | "call" | "using")
        });
        match clause.bar {
            Some(bar @ Bar::Negated) => return Step::Barred(bar, None),
            Some(bar @ (Bar::Reported | Bar::Advice | Bar::Past | Bar::Later)) if write_verb.is_some() => {
                return Step::Barred(bar, None);
            }
            Some(bar)
                if mentions
                    .iter()
                    .any(|one| self.index.sets[one.set].list[one.who[0]].goes_with.is_some()) =>
            {
                return Step::Barred(bar, None);
            }
            Some(bar @ Bar::Later) if matches!(clause.mood, Mood::Statement | Mood::Fragment) => {
                return Step::Barred(bar, None);
            }
            _ => {}
        }
        if clause.mood == Mood::Statement {
            return self.ought(clause, mentions);
        }
        let modal = words.first().is_some_and(|first| MODALS.contains(&first.text.as_str()));
        if clause.mood == Mood::Question
            && (self.speaks_of_order(words, mentions) || (modal && write_verb.is_some()))
        {
            return Step::Barred(Bar::Advice, None);
        }
        let head =
            words.iter().find(|word| word.is_plain() && !matches!(word.text.as_str(), "to" | "you" | "the"));
        let paired = mentions
            .iter()
            .any(|mention| self.index.sets[mention.set].list[mention.who[0]].goes_with.is_some());
        // "jellyfin?", "file browser: …": a name and no question word.
        let bare = clause.mood == Mood::Question
            && !words.iter().any(|word| {
                super::index::is_cue(&word.text)
                    || word.text != "the" && ENGLISH.stop.contains(word.text.as_str())
            });
        if bare
            && !paired
            && !mentions.is_empty()
            && self.only_names(words, mentions)
            && !words.iter().any(|word| super::index::is_soft(word))
        {
            return Step::Names;
        }
        let to = clause.polite || words.iter().any(|word| matches!(word.text.as_str(), "to" | "should"));
        if clause.mood == Mood::Fragment
            && !(to && paired && clause.joined == Joined::Sentence)
            && !mentions.is_empty()
            && self.only_names(words, mentions)
        {
            return Step::Names;
        }
        // "is it stopped or started": the other half asks nothing new.
        if clause.joined == Joined::Or
            && clause.mood == Mood::Question
            && mentions.is_empty()
            && words.iter().all(|word| !score::carries(word) || self.index.write_leads.contains(&word.stem))
        {
            return Step::Aside;
        }
        let mut fits = self.reads(clause, mentions, head);
        let write = if clause.bar.is_none() { self.write(clause, mentions, head) } else { None };
        fits.sort_by(|a, b| b.score.total_cmp(&a.score));
        let read = fits.into_iter().next();
        let sure = |fit: &Fit| fit.precision >= SURE_READ.0 && fit.recall >= SURE_READ.1;

        if let Some(write) = write {
            let better_read = read.as_ref().is_some_and(|read| {
                sure(read) && read.lacks.is_none() && read.precision > write.precision + 0.05
            });
            if !better_read {
                let sweeping = clause.sweeping && (write.lacks.is_some() || sweeps(words));
                if let Some(answer) =
                    elsewhere.filter(|_| write.lacks.is_some() || write.precision < SURE_WRITE)
                {
                    return Step::Elsewhere(answer);
                }
                if sweeping {
                    return Step::Barred(Bar::Sweeping, Some(write.tool));
                }
                return match self.write_step(&write) {
                    Step::Wishes(wishes) if clause.doubtful => Step::Perhaps(wishes),
                    step => step,
                };
            }
        }
        if let Some(answer) = elsewhere {
            let read_wins = read.as_ref().is_some_and(|read| {
                sure(read)
                    && read.lacks.is_none()
                    && (read.unexplained == 0 || read.filled.open.iter().any(|open| *open))
            });
            if !read_wins {
                return Step::Elsewhere(answer);
            }
        }
        match read {
            Some(read) if sure(&read) => self.step(&read),
            _ if !mentions.is_empty() && self.only_names(words, mentions) => Step::Names,
            _ => Step::Unknown,
        }
    }

    /// "the timezone should be UTC": a statement that gives a key its value is an order; any other only tells.
    fn ought(&self, clause: &Judged, mentions: &[Mention]) -> Step {
        let pair = mentions
            .iter()
            .any(|mention| self.index.sets[mention.set].list[mention.who[0]].goes_with.is_some());
        if !(clause.should
            && pair
            && clause.bar.is_none()
            && !clause.asked
            && clause.joined != Joined::Reason)
        {
            return Step::Aside;
        }
        let whole = (0..self.index.tools.len())
            .filter(|place| self.index.tools[*place].writes())
            .find_map(|place| score::whole(place, &clause.words, mentions, self.index, self.said));
        whole.map_or(Step::Aside, |fit| self.write_step(&fit))
    }

    /// "what does restart lnd do": a verb in the form of an order, right before a name.
    fn speaks_of_order(&self, words: &[Word], mentions: &[Mention]) -> bool {
        mentions.iter().any(|mention| {
            let before = words[..mention.from]
                .iter()
                .rposition(|word| !matches!(word.text.as_str(), "the" | "my" | "our"));
            before.is_some_and(|place| {
                let word = &words[place];
                let form = word.base || word.text.ends_with("ing");
                let order = self.index.write_leads.contains(&word.stem) && form && score::carries(word);
                order && place > 0 && !mentions.iter().any(|other| (other.from..other.to).contains(&place))
            })
        })
    }

    /// "the log level, what are we on?": a name put first belongs to what follows.
    fn put_names_back(&self, judged: &[Judged], steps: &mut [Step]) {
        for place in 1..judged.len() {
            let (front, clause) = (&judged[place - 1], &judged[place]);
            let apart =
                !matches!(clause.joined, Joined::Comma | Joined::Colon) || front.sentence != clause.sentence;
            let first = place == 1 || !matches!(front.joined, Joined::And | Joined::Comma | Joined::Or);
            if apart || !first || !matches!(steps[place - 1], Step::Names) || clause.mood == Mood::Fragment {
                continue;
            }
            let mut whole = clause.clone();
            whole.words.extend(front.words.iter().cloned());
            let mentions = fill::mentions(&whole.words, self.index);
            let step = self.clause(&whole, &mentions);
            if matches!(step, Step::Wishes(_) | Step::Perhaps(_)) {
                steps[place] = step;
                steps[place - 1] = Step::Aside;
            }
        }
    }

    fn only_names(&self, words: &[Word], mentions: &[Mention]) -> bool {
        words.iter().enumerate().all(|(place, word)| {
            mentions.iter().any(|mention| (mention.from..mention.to).contains(&place))
                || !score::carries(word)
                || ENGLISH.weak.contains(word.stem.as_str())
        })
    }

    fn reads(&self, clause: &Judged, mentions: &[Mention], head: Option<&Word>) -> Vec<Fit> {
        let only = match (clause.mood, head) {
            (Mood::Order, Some(head)) => {
                let look = ENGLISH.look.contains(head.text.as_str());
                let lead = self.index.leads.contains(&head.stem);
                if ["search", "open"].contains(&head.stem.as_str()) {
                    return (0..self.index.tools.len())
                        .filter(|place| !self.index.tools[*place].writes())
                        .filter(|place| self.index.tools[*place].vocabulary.contains(&head.stem))
                        .filter_map(|place| {
                            score::fit(place, &clause.words, mentions, self.index, self.said, None)
                        })
                        .collect();
                }
                if look || head.stem == "read" {
                    None
                } else if lead {
                    Some(head.stem.as_str())
                } else if ENGLISH.stop.contains(head.text.as_str()) {
                    None
                } else {
                    return Vec::new();
                }
            }
            _ => None,
        };
        (0..self.index.tools.len())
            .filter(|place| !self.index.tools[*place].writes())
            .filter_map(|place| score::fit(place, &clause.words, mentions, self.index, self.said, only))
            .collect()
    }

    /// The write that a clause orders, if it is an order.
    fn write(&self, clause: &Judged, mentions: &[Mention], head: Option<&Word>) -> Option<Fit> {
        let mentions = &self.with_key_meant(clause, mentions);
        let wanted = wanted_state(clause);
        let clause = wanted.as_ref().unwrap_or(clause);
        let verbs: Vec<&str> = match clause.mood {
            Mood::Order => {
                vec![head.filter(|head| head.base || gerund_frame(clause)).map(|head| head.stem.as_str())?]
            }
            Mood::Desire => clause
                .words
                .iter()
                .filter(|word| word.is_plain())
                .filter(|word| self.index.write_leads.contains(&word.stem))
                .map(|word| word.stem.as_str())
                .collect(),
            Mood::Fragment if !clause.asked => {
                let needs = clause.words.iter().any(|word| matches!(word.text.as_str(), "needs" | "need"));
                clause
                    .words
                    .iter()
                    .filter(|word| {
                        word.is_plain() && (word.base || needs) && self.index.write_leads.contains(&word.stem)
                    })
                    .map(|word| word.stem.as_str())
                    .collect()
            }
            _ => return None,
        };
        let tools = (0..self.index.tools.len()).filter(|place| self.index.tools[*place].writes());
        let mut best: Option<Fit> = None;
        for place in tools {
            let mut found: Option<Fit> = None;
            for verb in &verbs {
                if let Some(fit) =
                    score::fit(place, &clause.words, mentions, self.index, self.said, Some(verb))
                    && found.as_ref().is_none_or(|found| fit.score > found.score)
                {
                    found = Some(fit);
                }
            }
            // "I'd like the interface in German", "theme to dark, please": key and value say all.
            if found.is_none()
                && matches!(clause.mood, Mood::Desire | Mood::Fragment)
                && self.index.tools[place].offer.spec.slots().len() > 1
            {
                let to = clause.polite
                    || clause.mood == Mood::Desire
                    || clause.words.iter().any(|word| matches!(word.text.as_str(), "to" | "should"));
                found = score::whole(place, &clause.words, mentions, self.index, self.said)
                    .filter(|fit| to && fit.lacks.is_none() && fit.unexplained == 0);
            }
            let Some(found) = found else { continue };
            let nearer = best
                .as_ref()
                .is_none_or(|best| (found.lacks.is_none(), found.score) > (best.lacks.is_none(), best.score));
            if nearer {
                best = Some(found);
            }
        }
        best.filter(|fit| {
            clause.mood == Mood::Order
                || (fit.unexplained == 0 && (fit.lacks.is_none() || clause.points.is_some()))
        })
    }

    /// "change it to tower", after a question about the host name: its key is meant, unless a value says another.
    fn with_key_meant(&self, clause: &Judged, mentions: &[Mention]) -> Vec<Mention> {
        let mut all = mentions.to_vec();
        let points = clause.words.iter().any(|word| matches!(word.text.as_str(), "it" | "that" | "this"));
        let goes = |mention: &Mention| self.index.sets[mention.set].list[mention.who[0]].goes_with.is_some();
        if !points || mentions.iter().any(goes) {
            return all;
        }
        for tool in self.index.tools.iter().filter(|tool| tool.writes()) {
            for (slot, set) in tool.sets.iter().enumerate() {
                let name = tool.offer.spec.slots()[slot].name;
                let Some(set) = set.filter(|set| mentions.iter().all(|mention| mention.set != *set)) else {
                    continue;
                };
                let keyed = tool.sets.iter().flatten().any(|other| {
                    self.index.sets[*other]
                        .list
                        .iter()
                        .any(|one| one.goes_with.as_ref().is_some_and(|(key, _)| *key == name))
                });
                let values = self.before.values(name);
                let list = &self.index.sets[set].list;
                if let ([Value::Text(value)], true) = (&values[..], keyed)
                    && let Some(who) = list.iter().position(|one| one.value == *value)
                {
                    all.push(Mention { set, who: vec![who], from: 0, to: 0 });
                }
            }
        }
        all
    }

    fn write_step(&self, fit: &Fit) -> Step {
        if let Some((slot, among)) = &fit.filled.unclear {
            return Step::Unclear { wish: self.partial(fit), slot: *slot, among: among.clone() };
        }
        if fit.precision >= SURE_WRITE && fit.unexplained == 0 {
            return self.step(fit);
        }
        if let Some(slot) = fit.lacks.filter(|_| fit.filled.mentions > 0 && fit.unexplained == 1) {
            let wish = self.partial(fit);
            return Step::Unclear { among: self.among(&wish, slot), wish, slot };
        }
        if fit.lacks.is_none() && fit.precision >= PERHAPS_WRITE && fit.unexplained <= 1 {
            return Step::Perhaps(self.wishes(fit));
        }
        Step::Unknown
    }

    fn step(&self, fit: &Fit) -> Step {
        if let Some((slot, among)) = &fit.filled.unclear {
            return Step::Unclear { wish: self.partial(fit), slot: *slot, among: among.clone() };
        }
        match fit.lacks {
            Some(slot) => Step::Lacks { wish: self.partial(fit), slot },
            None => Step::Wishes(self.wishes(fit)),
        }
    }

    fn partial(&self, fit: &Fit) -> Wish {
        let args = fit
            .filled
            .values
            .iter()
            .enumerate()
            .filter_map(|(slot, values)| Some((slot, values.first()?.clone())));
        Wish { tool: fit.tool, args: args.collect() }
    }

    /// One wish for each value that was named; a value that goes with a key finds its own.
    fn wishes(&self, fit: &Fit) -> Vec<Wish> {
        let values = &fit.filled.values;
        let tool = &self.index.tools[fit.tool];
        let many = (0..values.len())
            .filter(|slot| !values[*slot].is_empty())
            .max_by_key(|slot| (values[*slot].len(), *slot));
        let Some(many) = many else { return vec![Wish { tool: fit.tool, args: Vec::new() }] };
        values[many]
            .iter()
            .map(|value| {
                let goes = tool.sets[many].and_then(|set| {
                    let text = if let Value::Text(text) = value { text } else { return None };
                    self.index.sets[set]
                        .list
                        .iter()
                        .find(|candidate| candidate.value == *text)
                        .and_then(|candidate| candidate.goes_with.clone())
                });
                let args = (0..values.len()).filter_map(|slot| {
                    if slot == many {
                        return Some((slot, value.clone()));
                    }
                    let own = goes.as_ref().filter(|(name, _)| *name == tool.offer.spec.slots()[slot].name);
                    let own =
                        own.map(|(_, key)| Value::Text(key.clone())).filter(|key| values[slot].contains(key));
                    own.or_else(|| values[slot].first().cloned()).map(|value| (slot, value))
                });
                Wish { tool: fit.tool, args: args.collect() }
            })
            .collect()
    }

    fn elsewhere(&self, words: &[Word], mentions: &[Mention], clause: &Judged) -> Option<&'static str> {
        let slots: HashSet<&str> =
            self.index.tools.iter().flat_map(|tool| tool.offer.spec.slots()).map(|slot| slot.name).collect();
        let covered = |place: usize| {
            mentions
                .iter()
                .any(|mention| mention.to - mention.from > 1 && (mention.from..mention.to).contains(&place))
        };
        let has = |stem: &String| {
            words
                .iter()
                .enumerate()
                .any(|(place, word)| word.is_plain() && word.stem == *stem && !covered(place))
                || (slots.contains(stem.as_str()) && !mentions.is_empty())
        };
        let first =
            words.iter().find(|word| word.is_plain() && !matches!(word.text.as_str(), "to" | "you"))?;
        let _ = clause;
        self.index.elsewhere.iter().find_map(|(patterns, answer)| {
            let stands = patterns.iter().any(|pattern| {
                let whole = &pattern.whole;
                let led = pattern.lead.as_ref().is_none_or(|lead| {
                    whole.len() > 1
                        || !ENGLISH.change.contains(lead)
                        || first.stem == *lead
                        || clause.mood != Mood::Order
                });
                !whole.is_empty() && led && whole.iter().all(has)
            });
            stands.then_some(*answer)
        })
    }

    /// Joins the steps: names to the tools before or after them, pronouns to what they point at.
    fn join(&self, judged: &[Judged], mentions: &[Vec<Mention>], steps: Vec<Step>) -> Outcome {
        let mut wishes: Vec<Wish> = Vec::new();
        let mut topic: Vec<Mention> = Vec::new();
        let mut waiting: Vec<Mention> = Vec::new();
        let mut asked: Option<Outcome> = None;
        let mut barred: Option<Outcome> = None;
        let mut elsewhere: Option<&'static str> = None;
        let mut unknown = 0;
        let mut last: Option<Wish> = None;
        for (place, step) in steps.into_iter().enumerate() {
            let clause = &judged[place];
            let named = &mentions[place];
            match step {
                Step::Wishes(mut made) => {
                    if let Some(value) = self.pointed_words(&made) {
                        made = value;
                    }
                    if !waiting.is_empty() && matches!(clause.joined, Joined::And | Joined::Or) {
                        let earlier = self.repeat(&made[0], &waiting);
                        wishes.extend(earlier);
                    }
                    waiting.clear();
                    last = made.last().cloned();
                    wishes.extend(made);
                }
                Step::Lacks { wish, slot } => {
                    let values = self.point_at(&wish, slot, clause, &waiting, &topic, &wishes);
                    match values.as_slice() {
                        [] => {
                            if clause.sweeping && self.index.tools[wish.tool].writes() {
                                barred = Some(Outcome::Barred(Bar::Sweeping, Some(wish.tool)));
                            } else {
                                last = Some(wish.clone());
                                asked = asked.or(Some(Outcome::Which {
                                    among: self.among(&wish, slot),
                                    wish,
                                    slot,
                                }));
                            }
                        }
                        [_] | [_, ..]
                            if values.len() == 1
                                || clause.points == Some(Points::Several)
                                || !self.index.tools[wish.tool].writes() =>
                        {
                            for value in values {
                                let mut wish = wish.clone();
                                wish.args.push((slot, value));
                                wish.args.sort_by_key(|(slot, _)| *slot);
                                last = Some(wish.clone());
                                wishes.push(wish);
                            }
                        }
                        _ => {
                            let among = values
                                .into_iter()
                                .filter_map(
                                    |value| if let Value::Text(text) = value { Some(text) } else { None },
                                )
                                .collect();
                            asked = asked.or(Some(Outcome::Which { wish, slot, among }));
                        }
                    }
                    waiting.clear();
                }
                Step::Unclear { wish, slot, among } => {
                    asked = asked.or(Some(Outcome::Which { wish, slot, among }))
                }
                Step::Perhaps(made) => asked = asked.or(Some(Outcome::Perhaps(made))),
                Step::Names => {
                    let repeated = match (&last, clause.joined) {
                        (
                            Some(last),
                            Joined::And | Joined::Comma | Joined::Or | Joined::Then | Joined::But,
                        ) if clause.bar.is_none() => self.repeat(last, named),
                        _ => Vec::new(),
                    };
                    if let Some(Outcome::Which { wish, slot, .. }) =
                        asked.clone().filter(|_| !repeated.is_empty() && clause.bar.is_none())
                    {
                        // "restart it, lnd": the name completes what lacked.
                        if wishes.is_empty()
                            && repeated.iter().all(|made| {
                                made.tool == wish.tool && made.args.iter().any(|(known, _)| *known == slot)
                            })
                        {
                            asked = None;
                        }
                    }
                    if repeated.is_empty() {
                        waiting.extend(named.iter().cloned());
                    } else {
                        wishes.extend(repeated);
                    }
                }
                Step::Elsewhere(answer) => elsewhere = elsewhere.or(Some(answer)),
                Step::Barred(bar, tool) => {
                    last = None;
                    barred = barred.or(Some(Outcome::Barred(bar, tool)));
                }
                Step::Aside => {}
                Step::Unknown => {
                    if let Some(last) = &mut last
                        && clause.mood == Mood::Fragment
                        && matches!(clause.joined, Joined::And | Joined::Or | Joined::Comma)
                        && self.extend_words(last, clause)
                        && let Some(done) = wishes.last_mut()
                    {
                        done.clone_from(last);
                    } else {
                        unknown += 1;
                    }
                }
            }
            if !named.is_empty() {
                topic.clone_from(named);
            }
        }
        let mut unique: Vec<Wish> = Vec::new();
        for wish in wishes {
            let said_before = unique.iter_mut().find(|known| {
                known.tool == wish.tool && known.args.iter().all(|arg| wish.args.contains(arg))
            });
            match said_before {
                // "its log, the last 40 lines": the second only adds to the first.
                Some(known) if !known.args.is_empty() => *known = wish,
                Some(known) if known.args == wish.args => {}
                _ => unique.push(wish),
            }
        }
        if let Some(asked) = asked {
            // Nothing is begun while a part of it is still a question.
            return asked;
        }
        if !unique.is_empty() {
            return Outcome::Wishes(unique);
        }
        if let Some(answer) = elsewhere {
            return Outcome::Elsewhere(answer);
        }
        if let Some(barred) = barred {
            return barred;
        }
        let _ = unknown;
        self.again(judged, mentions)
            .or_else(|| self.asks_by_name(judged, mentions))
            .unwrap_or(Outcome::Nothing)
    }

    /// "jellyfin?": the one read that needs no more than the name.
    fn asks_by_name(&self, judged: &[Judged], mentions: &[Vec<Mention>]) -> Option<Outcome> {
        let ([clause], [names]) = (judged, mentions) else { return None };
        if !clause.asked || clause.bar.is_some() || !self.only_names(&clause.words, names) {
            return None;
        }
        let words = &clause.words;
        let fits = self.index.tools.iter().enumerate().filter(|(_, tool)| !tool.writes()).filter_map(
            |(place, tool)| {
                let by_name = tool
                    .patterns
                    .iter()
                    .any(|pattern| pattern.content.is_empty() && pattern.slots.len() == 1);
                let fit = score::whole(place, words, names, self.index, self.said)?;
                by_name.then_some(fit)
            },
        );
        fits.max_by_key(|fit| fit.filled.mentions).map(|fit| Outcome::Wishes(self.wishes(&fit)))
    }

    /// The last call once more with what is new: "and lnd?", "make it 100 lines".
    fn again(&self, judged: &[Judged], mentions: &[Vec<Mention>]) -> Option<Outcome> {
        let [clause] = judged else { return None };
        if clause.bar.is_some() || clause.mood == Mood::Statement {
            return None;
        }
        let earlier = self.before.calls.last().filter(|_| self.before.age <= 2)?;
        let tool = self.index.tools.iter().position(|tool| tool.name() == earlier.tool)?;
        let known = &self.index.tools[tool];
        let words = &clause.words;
        let mut filled = fill::fill(known, words, &mentions[0], self.index, self.said);
        for (place, slot) in known.offer.spec.slots().iter().enumerate() {
            if matches!(slot.kind, SlotKind::Words)
                && !words.iter().any(|word| matches!(word.kind, Kind::Path | Kind::Quoted))
                && !clause.words.iter().any(|word| matches!(word.text.as_str(), "for" | "about"))
                && !starts_on(self.said)
            {
                filled.values[place].clear();
                filled.open.fill(false);
            }
        }
        if filled.values.iter().all(Vec::is_empty) {
            return None;
        }
        let light = |(place, word): (usize, &Word)| {
            filled.explained[place]
                || filled.open[place]
                || known.vocabulary.contains(&word.stem)
                || !score::carries(word)
                || word.text == "make"
        };
        if !words.iter().enumerate().all(light) {
            return None;
        }
        let mut wish = Wish { tool, args: Vec::new() };
        for (place, slot) in known.offer.spec.slots().iter().enumerate() {
            let value = filled.values[place].first().cloned().or_else(|| {
                earlier.args.iter().find(|(name, _)| name == slot.name).map(|(_, value)| value.clone())
            });
            if let Some(value) = value {
                wish.args.push((place, value));
            }
        }
        if fill_lacks(self.index, &wish) {
            return None;
        }
        let sure = !known.writes() || (!clause.asked && starts_on(self.said) && clause.mood != Mood::Desire);
        Some(if sure { Outcome::Wishes(vec![wish]) } else { Outcome::Perhaps(vec![wish]) })
    }

    /// `wish` again for each of the names.
    fn repeat(&self, wish: &Wish, named: &[Mention]) -> Vec<Wish> {
        let tool = &self.index.tools[wish.tool];
        let mut made = Vec::new();
        for mention in named {
            let [who] = mention.who[..] else { return Vec::new() };
            let Some(slot) = tool.sets.iter().position(|set| *set == Some(mention.set)) else { continue };
            let candidate = &self.index.sets[mention.set].list[who];
            let mut args: Vec<_> = wish.args.iter().filter(|(known, _)| *known != slot).cloned().collect();
            if let Some((name, key)) = &candidate.goes_with {
                let Some(other) = tool.offer.spec.slots().iter().position(|slot| slot.name == *name) else {
                    continue;
                };
                args.retain(|(known, _)| *known != other);
                args.push((other, Value::Text(key.clone())));
            } else if tool.offer.spec.slots().len() > 1 && tool.writes() {
                // A key alone says nothing of its value.
                continue;
            }
            args.push((slot, Value::Text(candidate.value.clone())));
            args.sort_by_key(|(slot, _)| *slot);
            let again = Wish { tool: wish.tool, args };
            if !made.contains(&again) {
                made.push(again);
            }
        }
        made
    }

    /// What the lacking slot points at: names that wait in this message, then those before, then the conversation.
    fn point_at(
        &self,
        wish: &Wish,
        slot: usize,
        clause: &Judged,
        waiting: &[Mention],
        topic: &[Mention],
        wishes: &[Wish],
    ) -> Vec<Value> {
        let tool = &self.index.tools[wish.tool];
        let spec = &tool.offer.spec.slots()[slot];
        if clause.sweeping && tool.writes() && sweeps_or_some(&clause.words) {
            return Vec::new();
        }
        if tool.sets[slot]
            .is_some_and(|set| self.index.sets[set].list.iter().any(|one| one.goes_with.is_some()))
        {
            return Vec::new();
        }
        if let Some(set) = tool.sets[slot] {
            for names in [waiting, topic] {
                let values: Vec<Value> = names
                    .iter()
                    .filter(|mention| mention.set == set)
                    .filter_map(|mention| match mention.who[..] {
                        [who] => Some(Value::Text(self.index.sets[set].list[who].value.clone())),
                        _ => None,
                    })
                    .collect();
                if !values.is_empty() {
                    return values;
                }
            }
        }
        let mut here: Vec<Value> = Vec::new();
        for earlier in wishes {
            let slots = self.index.tools[earlier.tool].offer.spec.slots();
            for (_, value) in earlier.args.iter().filter(|(known, _)| slots[*known].name == spec.name) {
                if !here.contains(value) {
                    here.push(value.clone());
                }
            }
        }
        if !here.is_empty() {
            return here;
        }
        let values = self.before.values(spec.name);
        if !values.is_empty() {
            return values;
        }
        let Some(set) = tool.sets[slot] else { return Vec::new() };
        self.before
            .said
            .iter()
            .take(2)
            .find_map(|said| {
                let mut words = words::split(said);
                self.index.correct(&mut words);
                ENGLISH.conceive(&mut words);
                let values: Vec<Value> = fill::mentions(&words, self.index)
                    .iter()
                    .filter(|mention| mention.set == set)
                    .filter_map(|mention| match mention.who[..] {
                        [who] => Some(Value::Text(self.index.sets[set].list[who].value.clone())),
                        _ => None,
                    })
                    .collect();
                (!values.is_empty()).then_some(values)
            })
            .unwrap_or_default()
    }

    /// "search my files for it": the words of the last search.
    fn pointed_words(&self, made: &[Wish]) -> Option<Vec<Wish>> {
        let [wish] = made else { return None };
        let slots = self.index.tools[wish.tool].offer.spec.slots();
        let (place, _) = wish.args.iter().find(|(slot, value)| {
            matches!(slots[*slot].kind, SlotKind::Words) && matches!(value, Value::Text(text) if points(text))
        })?;
        let value = self.before.values(slots[*place].name).into_iter().next()?;
        let args = wish
            .args
            .iter()
            .map(|(slot, old)| (*slot, if slot == place { value.clone() } else { old.clone() }))
            .collect();
        Some(vec![Wish { tool: wish.tool, args }])
    }

    /// "bread and butter": the second half of what is searched for.
    fn extend_words(&self, wish: &mut Wish, clause: &Judged) -> bool {
        let slots = self.index.tools[wish.tool].offer.spec.slots();
        let Some((_, Value::Text(text))) =
            wish.args.iter_mut().find(|(slot, _)| matches!(slots[*slot].kind, SlotKind::Words))
        else {
            return false;
        };
        let (Some(first), Some(last)) = (clause.words.first(), clause.words.last()) else { return false };
        let Some(start) = self.said[..first.at.start].rfind(text.as_str()) else { return false };
        text.clear();
        text.push_str(&self.said[start..last.at.end]);
        true
    }

    fn among(&self, wish: &Wish, slot: usize) -> Vec<String> {
        let Some(set) = self.index.tools[wish.tool].sets[slot] else { return Vec::new() };
        let slots = self.index.tools[wish.tool].offer.spec.slots();
        self.index.sets[set]
            .list
            .iter()
            .filter(|candidate| !candidate.any_words)
            .filter(|candidate| {
                candidate.goes_with.as_ref().is_none_or(|(name, key)| {
                    wish.args.iter().all(|(known, value)| {
                        slots[*known].name != *name || *value == Value::Text(key.clone())
                    })
                })
            })
            .map(|candidate| candidate.value.clone())
            .collect()
    }

    /// An answer to the assistant's own question.
    fn answers_pending(&self, judged: &[Judged]) -> Option<Outcome> {
        let pending = self.pending.as_ref()?;
        let clauses: Vec<&Judged> = judged.iter().filter(|clause| !clause.words.is_empty()).collect();
        if clauses.iter().any(|clause| clause.bar.is_some() || clause.asked) {
            return None;
        }
        let raw: Vec<Word> =
            words::split(self.said).into_iter().filter(|word| word.mark().is_none()).collect();
        let choices = super::answer::choices(pending);
        if let Some(place) = ordinal(&raw, choices.len()) {
            return choices.get(place).map(|wish| Outcome::Wishes(vec![wish.clone()]));
        }
        if !raw.is_empty()
            && raw.iter().all(|word| YES.contains(&word.text.as_str()) || intent::is_filler(word))
        {
            // An agreement does not say to which.
            let no = raw.iter().any(|word| matches!(word.text.as_str(), "no" | "nope" | "not" | "thanks"));
            return (!no).then(|| pending.clone());
        }
        let Outcome::Which { wish, slot, .. } = pending else { return None };
        let tool = &self.index.tools[wish.tool];
        let mut values = Vec::new();
        for clause in &clauses {
            let mentions = fill::mentions(&clause.words, self.index);
            match tool.sets[*slot] {
                Some(set) => {
                    if !self.only_names(&clause.words, &mentions) {
                        return None;
                    }
                    for mention in mentions.iter().filter(|mention| mention.set == set) {
                        let [who] = mention.who[..] else { return None };
                        values.push(Value::Text(self.index.sets[set].list[who].value.clone()));
                    }
                }
                None => return None,
            }
        }
        values.dedup();
        (!values.is_empty()).then(|| {
            Outcome::Wishes(
                values
                    .into_iter()
                    .map(|value| {
                        let mut wish = wish.clone();
                        wish.args.retain(|(known, _)| known != slot);
                        wish.args.push((*slot, value));
                        wish.args.sort_by_key(|(slot, _)| *slot);
                        wish
                    })
                    .collect(),
            )
        })
    }
}

/// "I want it off": the state that is wanted, as the verb that leads to it.
fn wanted_state(clause: &Judged) -> Option<Judged> {
    if clause.mood != Mood::Desire && !(clause.mood == Mood::Fragment && clause.polite) {
        return None;
    }
    let mut clause = clause.clone();
    for word in &mut clause.words {
        let verb = lexicon::STATES.iter().find(|(state, _)| *state == word.text).map(|(_, verb)| *verb);
        if let Some(verb) = verb {
            verb.clone_into(&mut word.stem);
        }
    }
    Some(clause)
}

fn fill_lacks(index: &Index<'_>, wish: &Wish) -> bool {
    index.tools[wish.tool].offer.spec.slots().iter().enumerate().any(|(place, slot)| {
        slot.presence == crate::Presence::Required && !wish.args.iter().any(|(known, _)| *known == place)
    })
}

fn points(text: &str) -> bool {
    matches!(
        text.to_lowercase().as_str(),
        "it" | "that" | "this" | "them" | "those" | "the same" | "same" | "it too" | "that too"
    )
}

/// Words that mean something to a tool though they carry little.
fn intent_word(word: &Word) -> bool {
    super::index::is_soft(word) || super::index::is_cue(&word.text)
}

fn gerund_frame(clause: &Judged) -> bool {
    clause.mood == Mood::Order && clause.polite
}

fn sweeps(words: &[Word]) -> bool {
    words.iter().any(|word| {
        matches!(
            word.text.as_str(),
            "everything" | "all" | "every" | "each" | "apps" | "services" | "containers"
        )
    })
}

fn sweeps_or_some(words: &[Word]) -> bool {
    sweeps(words)
        || words.iter().any(|word| {
            matches!(
                word.text.as_str(),
                "an" | "a" | "any" | "some" | "something" | "anything" | "another" | "others"
            )
        })
}

/// Whether it goes on from what was said before.
fn starts_on(said: &str) -> bool {
    let lower = said.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    lower.starts_with("what about")
        || lower.starts_with("how about")
        || matches!(first, "and" | "also" | "same" | "now" | "then" | "plus" | "likewise" | "ditto")
        || words.any(|word| matches!(word, "too" | "also" | "same" | "likewise" | "well"))
}

/// "the second one".
fn ordinal(words: &[Word], choices: usize) -> Option<usize> {
    let of =
        |word: &Word| lexicon::ORDINALS.iter().find(|(name, _)| *name == word.text).map(|(_, place)| *place);
    let place = words.iter().find_map(of)?;
    let only = words.iter().all(|word| {
        of(word).is_some()
            || ENGLISH.stop.contains(word.text.as_str())
            || matches!(word.text.as_str(), "number" | "choice" | "option" | "please" | "ok" | "yes")
    });
    let place = if place == usize::MAX { choices.checked_sub(1)? } else { place };
    (only && place < choices).then_some(place)
}
