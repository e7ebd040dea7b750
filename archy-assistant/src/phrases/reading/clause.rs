//! One clause by itself.

use std::collections::HashSet;

use super::again::starts_on;
use super::{Reading, Step, Wish, only_names};
use crate::SlotKind;
use crate::phrases::clauses::Joined;
use crate::phrases::english::ENGLISH;
use crate::phrases::fill::{Mention, Value};
use crate::phrases::index::{is_cue, is_soft};
use crate::phrases::intent::{Bar, Judged, Mood};
use crate::phrases::lexicon;
use crate::phrases::score::{self, Fit};
use crate::phrases::words::Word;

/// So much of what was said a read must explain, and so much of its phrase must have been said.
const SURE: (f64, f64) = (0.52, 0.45);

fn is_sure(fit: &Fit) -> bool {
    fit.precision >= SURE.0 && fit.recall >= SURE.1
}

impl Reading<'_> {
    /// What a clause comes to by itself.
    pub(super) fn clause(&self, clause: &Judged, mentions: &[Mention]) -> Step {
        let words = &clause.words;
        if mentions.is_empty()
            && !words.iter().any(|word| score::carries(word) || is_soft(word) || is_cue(&word.text))
        {
            return Step::Aside;
        }
        if clause.general {
            return Step::Unknown;
        }
        if let Some(bar) = self.bars(clause, mentions) {
            return Step::Barred(bar);
        }
        if clause.mood == Mood::Statement {
            return self.ought(clause, mentions);
        }
        if self.names_alone(clause, mentions) {
            return Step::Names;
        }
        // "is it stopped or started": the other half asks nothing new.
        if clause.joined == Joined::Or
            && matches!(clause.mood, Mood::Question | Mood::Fragment)
            && mentions.is_empty()
            && words.iter().all(|word| !score::carries(word) || self.index.write_leads.contains(&word.stem))
        {
            return Step::Aside;
        }
        self.decide(clause, mentions)
    }

    /// What forbids that the clause asks for a change, or even that it asks at all.
    fn bars(&self, clause: &Judged, mentions: &[Mention]) -> Option<Bar> {
        let words = &clause.words;
        // The name of a folder ("backups") is no verb.
        let named = |at: usize| mentions.iter().any(|mention| (mention.from..mention.to).contains(&at));
        let changes = words.iter().enumerate().any(|(at, word)| {
            self.speaks_of_change(word, mentions)
                && (!named(at) || self.index.write_leads.contains(&word.stem))
        });
        if clause.waits {
            return Some(Bar::Later);
        }
        if clause.mood == Mood::Question && clause.bar.is_none() {
            let modal = words.first().is_some_and(|first| lexicon::MODALS.contains(&first.text.as_str()));
            return (self.speaks_of_order(words, mentions) || (modal && changes)).then_some(Bar::Advice);
        }
        let tells = matches!(clause.mood, Mood::Statement | Mood::Fragment);
        clause.bar.filter(|bar| {
            *bar == Bar::Negated || changes || self.has_paired(mentions) || (*bar == Bar::Later && tells)
        })
    }

    /// Whether a word is a verb of change: one of a write's, or one that no tool knows.
    fn speaks_of_change(&self, word: &Word, mentions: &[Mention]) -> bool {
        let strange = || {
            ENGLISH.change.contains(&word.stem)
                && !self.index.leads.contains(&word.stem)
                && !self.index.speaks_of(&word.stem)
                && score::carries(word)
        };
        word.is_plain()
            && (self.index.write_leads.contains(&word.stem) || strange())
            && !matches!(word.text.as_str(), "make" | "use" | "go" | "call" | "using")
            && !(word.text == "run" && mentions.is_empty())
    }

    /// Whether it only names something, so that others must say what of it.
    fn names_alone(&self, clause: &Judged, mentions: &[Mention]) -> bool {
        let words = &clause.words;
        if mentions.is_empty() || !only_names(words, mentions) {
            return false;
        }
        let paired = self.has_paired(mentions);
        let has = |texts: &[&str]| words.iter().any(|word| texts.contains(&word.text.as_str()));
        match clause.mood {
            // "jellyfin?", "file browser: …"
            Mood::Question => {
                let asks = |word: &Word| {
                    is_cue(&word.text)
                        || is_soft(word)
                        || (word.text != "the" && ENGLISH.stop.contains(word.text.as_str()))
                };
                !paired && !words.iter().any(asks)
            }
            // "what about jellyfin"
            Mood::Desire => starts_on(self.said) && !self.before.calls.is_empty(),
            Mood::Fragment => {
                // "jellyfin off, please", "theme to dark": these say what.
                let switched = words.last().is_some_and(|last| matches!(last.text.as_str(), "off" | "on"));
                let state = clause.polite && lexicon::STATES.iter().any(|(state, _)| has(&[state]));
                let to = clause.polite || has(&["to", "should"]) || self.names_key(mentions);
                let first = matches!(clause.joined, Joined::Sentence | Joined::And | Joined::Comma);
                let says = (!clause.asked && (state || switched)) || (to && paired && first);
                !says
            }
            Mood::Order | Mood::Statement => false,
        }
    }

    /// Which tool it asks for, or where else it is done.
    fn decide(&self, clause: &Judged, mentions: &[Mention]) -> Step {
        let words = &clause.words;
        if let Some(step) = self.wants_another(clause, mentions) {
            return step;
        }
        let head =
            words.iter().find(|word| word.is_plain() && !matches!(word.text.as_str(), "to" | "you" | "the"));
        let elsewhere = self.elsewhere(words, mentions, clause);
        // Of equals the first, as the tools are ordered.
        let fits = self.reads(clause, mentions, head).into_iter().rev();
        let read = fits.max_by(|a, b| a.score.total_cmp(&b.score));
        let whole = read.as_ref().filter(|read| is_sure(read) && read.lacks.is_none());
        let write = if clause.bar.is_none() { self.write(clause, mentions, head) } else { None };
        // "name the apps": a verb that also shows, and a write that lacks what it needs.
        let shows = whole.is_some() && head.is_some_and(|head| ENGLISH.look.contains(head.text.as_str()));
        if let Some(write) = write.filter(|write| !shows || write.lacks.is_none())
            && whole.is_none_or(|read| read.precision <= write.precision + 0.05)
        {
            return self.decide_write(clause, mentions, &write, elsewhere);
        }
        let ordered = clause.mood == Mood::Order
            && head.is_some_and(|head| {
                ENGLISH.change.contains(&head.text) && !ENGLISH.look.contains(head.text.as_str())
            });
        match elsewhere.filter(|_| ordered || whole.is_none_or(|read| read.unexplained > 0)) {
            Some(answer) => Step::Elsewhere(answer),
            None => match read {
                Some(read) if is_sure(&read) => self.step(&read),
                _ if !mentions.is_empty() && only_names(words, mentions) => Step::Names,
                _ => Step::Unknown,
            },
        }
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

    fn reads(&self, clause: &Judged, mentions: &[Mention], head: Option<&Word>) -> Vec<Fit> {
        let only = match (clause.mood, head) {
            (Mood::Order, Some(head)) => {
                let look = ENGLISH.look.contains(head.text.as_str()) || head.stem == "look";
                let lead = self.index.leads.contains(&head.stem);
                if ["search", "open", "read"].contains(&head.stem.as_str()) {
                    return (0..self.index.tools.len())
                        .filter(|place| !self.index.tools[*place].writes())
                        .filter(|place| self.index.tools[*place].vocabulary.contains(&head.stem))
                        .filter_map(|place| {
                            score::fit(place, &clause.words, mentions, self.index, self.said, None)
                        })
                        .collect();
                }
                let change = ENGLISH.change.contains(&head.text) || ENGLISH.change.contains(&head.stem);
                if change && !look && !lead {
                    return Vec::new();
                }
                if look {
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
            .filter(|fit| self.seeks(fit, clause, head))
            .collect()
    }

    /// Whether words as they come may be what is sought: something leads into them, or the clause speaks of a search.
    fn seeks(&self, fit: &Fit, clause: &Judged, head: Option<&Word>) -> bool {
        let tool = &self.index.tools[fit.tool];
        let slots = tool.offer.spec.slots();
        let taken = (0..slots.len())
            .any(|slot| matches!(slots[slot].kind, SlotKind::Words) && !fit.filled.values[slot].is_empty());
        if !taken {
            return true;
        }
        let words = &clause.words;
        let supposes =
            words.first().is_some_and(|first| matches!(first.text.as_str(), "would" | "could" | "might"));
        if supposes && words.get(1).is_none_or(|next| next.text != "you") && !fit.filled.led {
            return false;
        }
        let noun = |word: &Word| {
            matches!(
                word.stem.as_str(),
                "file" | "note" | "folder" | "search" | "read" | "open" | "document" | "write" | "jot"
            )
        };
        let open = |at: usize| fit.filled.open[at];
        if (0..words.len()).all(|at| !open(at) || matches!(words[at].stem.as_str(), "file" | "note")) {
            return false;
        }
        let leads = clause.mood == Mood::Order
            && head.is_some_and(|head| {
                tool.patterns.iter().any(|pattern| pattern.lead.as_ref() == Some(&head.stem))
                    && !ENGLISH.look.contains(head.text.as_str())
            });
        let wrote = words.iter().any(|word| {
            matches!(word.text.as_str(), "where" | "wrote" | "written" | "write" | "down" | "noted")
        });
        fit.filled.led || leads || wrote || (0..words.len()).any(|at| !open(at) && noun(&words[at]))
    }

    pub(super) fn step(&self, fit: &Fit) -> Step {
        if let Some((slot, among)) = &fit.filled.unclear {
            return Step::Unclear { wish: partial(fit), slot: *slot, among: among.clone() };
        }
        match fit.lacks {
            Some(slot) => Step::Lacks { wish: partial(fit), slot },
            None => Step::Wishes(self.wishes(fit)),
        }
    }

    /// One wish for each value that was named; a value that goes with a key finds its own.
    pub(super) fn wishes(&self, fit: &Fit) -> Vec<Wish> {
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
                    let Value::Text(text) = value else { return None };
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
}

/// The wish as far as it was said.
pub(super) fn partial(fit: &Fit) -> Wish {
    let values = fit.filled.values.iter().enumerate();
    let args = values.filter_map(|(slot, values)| Some((slot, values.first()?.clone())));
    Wish { tool: fit.tool, args: args.collect() }
}
