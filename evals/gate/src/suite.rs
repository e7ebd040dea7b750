//! Many cases, counted; and what went wrong in them, made as simple as it gets.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
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

/// The cases near the harmless ones, then so many of any kind.
pub fn cases(seed: u64, most: u64) -> impl Iterator<Item = Case> {
    near().into_iter().chain((0..most).map(move |index| Case::pick(seed, index)))
}

/// The cases that differ from a harmless one in one value, in some pairs of values, and in few that need three.
fn near() -> Vec<Case> {
    let with = |values: &[(Dim, usize)]| {
        let mut case = Case([0; DIMS.len()]);
        for (dim, value) in values {
            case.0[*dim as usize] = u8::try_from(*value).unwrap_or(0);
        }
        case
    };
    let values = |dim: Dim| 0..DIMS[dim as usize].1;
    let singly = [
        (Dim::Tool, Dim::Backend),
        (Dim::Args, Dim::Name),
        (Dim::Caller, Dim::Shape),
        (Dim::Shape, Dim::Owner),
        (Dim::Context, Dim::Tool),
        (Dim::Chain, Dim::Home),
        (Dim::Chain, Dim::Owner),
        (Dim::Chain, Dim::Shape),
        (Dim::Chain, Dim::Fault),
    ];
    // Denials, whatever goes wrong meanwhile.
    let denials = [14, 16].into_iter().flat_map(|shape| {
        [12, 13].into_iter().flat_map(move |owner| {
            values(Dim::Fault)
                .map(move |fault| [(Dim::Shape, shape), (Dim::Owner, owner), (Dim::Fault, fault)])
        })
    });
    // Two conversations at once, of which one or both have read text of others.
    let talks = [15, 17, 18].into_iter().flat_map(|shape| {
        values(Dim::Context).flat_map(move |context| {
            values(Dim::Owner)
                .map(move |owner| [(Dim::Shape, shape), (Dim::Context, context), (Dim::Owner, owner)])
        })
    });
    // Whoever asks, whatever the owner said, and whatever was read before and may go along.
    let chains = |dim: Dim, other: Dim| {
        values(dim).flat_map(move |x| values(other).map(move |y| [(Dim::Chain, 1), (dim, x), (other, y)]))
    };
    let chains = chains(Dim::Home, Dim::When)
        .chain(chains(Dim::Caller, Dim::When))
        .chain(chains(Dim::Context, Dim::Fault))
        .chain(chains(Dim::Context, Dim::Backend));
    // Of each tool: closed while what it read may go along by the owner's standing word; and opened after a question
    // that did not name it.
    let moved = values(Dim::Tool).flat_map(|tool| {
        let closed = [(Dim::When, 2), (Dim::Context, 2), (Dim::Fault, 4), (Dim::Shape, 14)];
        let opened = [(Dim::When, 0), (Dim::Grants, 1), (Dim::Owner, 20), (Dim::Shape, 0)];
        [closed, opened].map(|case| [&case[..], &[(Dim::Chain, 1), (Dim::Tool, tool)]].concat())
    });
    let pairs = singly
        .into_iter()
        .flat_map(|(a, b)| values(a).flat_map(move |x| values(b).map(move |y| [(a, x), (b, y)])));
    values(Dim::Fault)
        .map(|fault| with(&[(Dim::Fault, fault)]))
        .chain(pairs.map(|pair| with(&pair)))
        .chain(denials.chain(talks).chain(chains).map(|three| with(&three)))
        .chain(moved.map(|many| with(&many)))
        .collect()
}

/// Plays `cases` cases, and those near the harmless ones, on `threads` threads, which all stop at the first failure.
/// How far they are goes to standard error, every 100,000 cases.
///
/// # Panics
/// When the code under attack does.
pub fn run(seed: u64, cases: u64, threads: u64) -> (Counts, Vec<Failure>) {
    let so_far = SoFar::default();
    let parts: Vec<_> = thread::scope(|scope| {
        let part = |part| {
            let so_far = &so_far;
            scope.spawn(move || part_of(seed, cases, (part, threads), so_far))
        };
        let starts: Vec<_> = (0..threads).map(part).collect();
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

/// What the threads know of each other.
#[derive(Default)]
struct SoFar {
    cases: AtomicU64,
    failed: AtomicBool,
}

fn part_of(seed: u64, cases: u64, (part, threads): (u64, u64), so_far: &SoFar) -> (Counts, Option<Failure>) {
    let mut counts = Counts::default();
    let [part, threads] = [part, threads].map(|count| usize::try_from(count).unwrap_or(1));
    for case in self::cases(seed, cases).skip(part).step_by(threads) {
        if so_far.failed.load(Relaxed) {
            break;
        }
        let failure = one(case, &mut counts);
        if failure.is_some() {
            so_far.failed.store(true, Relaxed);
            return (counts, failure);
        }
        let played = so_far.cases.fetch_add(1, Relaxed) + 1;
        if played.is_multiple_of(100_000) {
            eprintln!("{played} cases");
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
