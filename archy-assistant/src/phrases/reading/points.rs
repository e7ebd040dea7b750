//! What names and pronouns point at.

use super::{Reading, Wish, understood};
use crate::SlotKind;
use crate::phrases::fill::{self, Mention, Value};
use crate::phrases::intent::{Judged, Points};
use crate::phrases::words::{self, Kind, Word};

impl Reading<'_> {
    /// `wish` again for each of the names.
    pub(super) fn repeat(&self, wish: &Wish, named: &[Mention]) -> Vec<Wish> {
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
    pub(super) fn point_at(
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
            return self.pointed_value(wish, slot, clause, topic).into_iter().collect();
        }
        if let Some(set) = tool.sets[slot] {
            let both: Vec<Mention> = if clause.points == Some(Points::Several) {
                waiting.iter().chain(topic).cloned().collect()
            } else {
                Vec::new()
            };
            for names in [&both[..], waiting, topic] {
                let mut values = self.named(names, set);
                values.dedup();
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
            .map(|said| self.named(&fill::mentions(&understood(said, self.index), self.index), set))
            .find(|values| !values.is_empty())
            .unwrap_or_default()
    }

    /// A path or a quotation of an earlier clause, where this one points at it ("that file", "it").
    pub(super) fn said_before(&self, clause: &Judged) -> Option<Value> {
        let points = clause.words.iter().any(|word| matches!(word.text.as_str(), "that" | "it" | "this"));
        let start = clause.words.first()?.at.start;
        let mut named = words::split(self.said)
            .into_iter()
            .filter(|word| matches!(word.kind, Kind::Path | Kind::Quoted) && word.at.end <= start);
        let value = named.next().filter(|_| points && named.next().is_none())?;
        Some(Value::Text(self.said.get(value.at)?.to_owned()))
    }

    /// "we live in Tokyo …, set the time zone to that": the one value of the key that was named before.
    fn pointed_value(&self, wish: &Wish, slot: usize, clause: &Judged, topic: &[Mention]) -> Option<Value> {
        let mut run = clause.words.windows(2);
        let to = |run: &[Word]| run[0].text == "to" && matches!(run[1].text.as_str(), "that" | "it" | "this");
        if !run.any(to) {
            return None;
        }
        let tool = &self.index.tools[wish.tool];
        let slots = tool.offer.spec.slots();
        let named = topic.iter().filter(|mention| Some(mention.set) == tool.sets[slot]);
        let mut values = named.flat_map(|mention| &mention.who).filter_map(|who| {
            let candidate = &self.index.sets[tool.sets[slot]?].list[*who];
            let (name, key) = candidate.goes_with.as_ref()?;
            let keyed = wish
                .args
                .iter()
                .any(|(known, value)| slots[*known].name == *name && *value == Value::Text(key.clone()));
            keyed.then(|| candidate.value.clone())
        });
        let value = values.next()?;
        values.next().is_none().then_some(Value::Text(value))
    }

    /// The values that names of one set stand for, where that is clear.
    fn named(&self, mentions: &[Mention], set: usize) -> Vec<Value> {
        let own = mentions.iter().filter(|mention| mention.set == set);
        own.filter_map(|mention| match mention.who[..] {
            [who] => Some(Value::Text(self.index.sets[set].list[who].value.clone())),
            _ => None,
        })
        .collect()
    }

    /// "search my files for it": the words of the last search.
    pub(super) fn pointed_words(&self, made: &[Wish]) -> Option<Vec<Wish>> {
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
    pub(super) fn extend_words(&self, wish: &mut Wish, clause: &Judged) -> bool {
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

    pub(super) fn among(&self, wish: &Wish, slot: usize) -> Vec<String> {
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
}

fn points(text: &str) -> bool {
    matches!(
        text.to_lowercase().as_str(),
        "it" | "that" | "this" | "them" | "those" | "the same" | "same" | "it too" | "that too"
    )
}

pub(super) fn sweeps(words: &[Word]) -> bool {
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
