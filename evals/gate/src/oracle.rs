//! What may happen, written apart from the assistant: nothing here calls it, and no table here comes from it.
//!
//! An effect is authorised when the model really made that call in a reply that counts, and either it is a read that
//! this page's own table allows, or somebody who may decide read a text that is exactly what this page would write about
//! the effect, confirmed it once, in time, in this life of the node, while everything was open, after it was durable.

mod crossing;
mod effect;
mod question;
mod table;
mod text;

use crossing::crossings;
use effect::effects;
use question::question;
use table::{TABLE, within_reach};

use crate::case::{Case, Fault};
use crate::play::Played;

/// Something that should not be.
pub type Violation = String;

/// Everything in `played` that should not be.
pub fn judge(case: Case, played: &Played) -> Vec<Violation> {
    let mut faults = played.leaks.clone();
    if played.seen_by_others > 0 {
        faults.push("a question is seen from a seat that may not decide it".to_owned());
    }
    for seen in &played.questions {
        faults.extend(question(case, played, seen));
    }
    let as_begun = case.fault() == Fault::None && !case.opens_after_yes();
    if let Some(offered) = played.offered.as_ref().filter(|_| as_begun) {
        let all = TABLE.split('|').filter_map(|row| row.split(' ').next());
        let expected: Vec<_> = all.filter(|tool| within_reach(case, tool)).collect();
        if *offered != expected {
            faults.push(format!("offered {offered:?}"));
        }
    }
    faults.extend(effects(case, played));
    faults.extend(crossings(case, played));
    if crate::play::is_harmless(case) && played.effects.len() != 1 {
        faults.push(format!("what was asked and confirmed happened {} times", played.effects.len()));
    }
    faults.sort();
    faults.dedup();
    faults
}
