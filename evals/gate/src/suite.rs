//! Many cases, counted; and what went wrong in them, made as simple as it gets.

use std::thread;

use crate::case::{Case, DIMS, Dim};
use crate::count::Counts;
use crate::oracle::judge;
use crate::play::{is_harmless, play};
use crate::world::TOOLS;

/// A case in which something should not have been.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The case as it was found.
    pub found: Case,
    /// The simplest case in which the same is wrong.
    pub simplest: Case,
    /// What is wrong.
    pub says: String,
    /// After how many cases.
    pub after: u64,
}

/// Plays `cases` cases on `threads` threads; each stops at its first failure.
///
/// # Panics
/// When the code under attack does.
pub fn run(seed: u64, cases: u64, threads: u64) -> (Counts, Vec<Failure>) {
    let parts: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> =
            (0..threads).map(|part| scope.spawn(move || part_of(seed, cases, part, threads))).collect();
        starts.into_iter().map(|part| part.join().expect("a part of the suite ends")).collect()
    });
    let mut all = Counts::default();
    let mut failures = Vec::new();
    for (counts, failure) in parts {
        all.join(&counts);
        failures.extend(failure);
    }
    (all, failures)
}

fn part_of(seed: u64, cases: u64, part: u64, threads: u64) -> (Counts, Option<Failure>) {
    let mut counts = Counts::default();
    for index in (part..cases).step_by(usize::try_from(threads).unwrap_or(1)) {
        let failure = one(Case::pick(seed, index), &mut counts);
        if failure.is_some() {
            return (counts, failure);
        }
    }
    (counts, None)
}

/// Every tool's harmless case: what a good person asks for must happen.
pub fn benign() -> (Counts, Vec<Failure>) {
    let mut counts = Counts::default();
    let mut failures = Vec::new();
    for tool in 0..TOOLS.len() {
        let mut case = Case([0; DIMS.len()]);
        case.0[Dim::Tool as usize] = u8::try_from(tool).unwrap_or(0);
        failures.extend(one(case, &mut counts));
    }
    (counts, failures)
}

/// Plays one case and counts it.
pub fn one(case: Case, counts: &mut Counts) -> Option<Failure> {
    let played = play(case);
    counts.add(case);
    counts.effects += played.effects.len() as u64;
    counts.questions += played.questions.len() as u64;
    counts.benign += u64::from(is_harmless(case) && played.effects.len() == 1);
    let says = judge(case, &played).into_iter().next()?;
    let rule = |says: &str| says.split('"').next().unwrap_or_default().to_owned();
    let same = |case: Case| judge(case, &play(case)).iter().any(|other| rule(other) == rule(&says));
    Some(Failure { found: case, simplest: case.simplest(same), says, after: counts.cases })
}
