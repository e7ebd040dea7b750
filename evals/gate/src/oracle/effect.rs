//! Which effects were authorised: reads by the table, all else by one yes that counts.

use archy_assistant::Categories;

use super::Violation;
use super::table::{CALLERS, look_up, within_reach};
use super::text;
use crate::case::{Case, Dim};
use crate::play::{Attempt, Played};

/// What is wrong with what happened.
pub(super) fn effects(case: Case, played: &Played) -> Vec<Violation> {
    let mut faults = Vec::new();
    let mut used = vec![false; played.attempts.len()];
    for (place, effect) in played.effects.iter().enumerate() {
        let what = (effect.target.clone(), effect.amount);
        let calls = || {
            played.emitted.iter().filter(|call| {
                call.counts && call.name == effect.tool && call.meaning.as_ref() == Some(&what)
            })
        };
        let same = played.effects[..=place].iter().filter(|other| {
            (other.tool, &other.target, other.amount) == (effect.tool, &effect.target, effect.amount)
        });
        if same.count() > calls().count() {
            faults.push(format!("{} happened, which nobody called so", effect.tool));
        }
        if !within_reach(case, effect.tool) {
            faults.push(format!("{} is out of reach", effect.tool));
        }
        let (category, kind) = look_up(effect.tool);
        // Who opens all again meanwhile leaves nothing to say of it.
        let is_in = |closed: Categories| {
            !case.opens_after_yes() && closed.iter().any(|closed| closed.name() == category)
        };
        let relayed = !CALLERS[case.of(Dim::Caller)].1.is_empty();
        if kind == "r" || (kind == "e" && !relayed && calls().any(|call| !call.given)) {
            // Of two reads in one reply one may be looked at before the other runs; of two turns, both.
            let several = matches!(case.of(Dim::Shape), 1 | 2 | 11 | 12);
            let [before, last] = effect.closed_when_looked;
            if is_in(last) && (is_in(before) || !several) && case.elsewhere().is_none() {
                faults.push(format!("{} was read after it was closed", effect.tool));
            }
            continue;
        }
        // Answers that were given before it happened.
        let before = played.attempts.iter().take(effect.answers).enumerate();
        let confirmed = before.filter(|(place, _)| !used[*place]).find_map(|(place, attempt)| {
            let seen = played
                .questions
                .iter()
                .find(|seen| seen.question.id == attempt.id && seen.boot == effect.boot)?;
            let reads_so = text::reads_so(case, seen, effect.tool, &what, effect.planned);
            (reads_so && counts(case, attempt, &played.attempts[..place])).then_some(place)
        });
        match confirmed {
            None => faults.push(format!("{} happened, and nobody confirmed it", effect.tool)),
            Some(place) => {
                let id = played.attempts[place].id;
                played.attempts.iter().zip(&mut used).for_each(|(other, used)| *used |= other.id == id);
            }
        }
        for (wrong, what) in [
            (is_in(effect.closed_at_claim), "happened after it was closed"),
            (!effect.recorded, "happened before it was durable"),
            (kind == "w" && effect.planned != effect.version, "happened to something else than was shown"),
        ] {
            if wrong {
                faults.push(format!("{} {what}", effect.tool));
            }
        }
    }
    faults
}

/// Whether this yes counts, given what was answered before.
pub(super) fn counts(case: Case, yes: &Attempt, before: &[Attempt]) -> bool {
    let theirs = |attempt: &Attempt| attempt.chrome && attempt.who == CALLERS[case.of(Dim::Caller)].0;
    let denied = before.iter().any(|no| {
        no.id == yes.id && theirs(no) && no.digest_is_right && no.decision == archy_assistant::Decision::Deny
    });
    let seen_in_time = yes.looked.is_some_and(|ms| ms >= 700) && yes.age < 120_000;
    theirs(yes)
        && yes.digest_is_right
        && seen_in_time
        && !yes.void
        && !denied
        && yes.decision == archy_assistant::Decision::Confirm
}
