//! Leaves out one guard of the gate after the other: the suite must find each, else it measures nothing.

use std::process::ExitCode;

use archy_assistant::{Weakness, weaken};

use crate::case::{Case, DIMS, Dim};
use crate::count::Counts;
use crate::suite::{benign, one};

/// After how many cases what was found, or `None` when `most` cases found nothing.
pub fn caught(weakness: Weakness, seed: u64, most: u64) -> Option<(u64, String, Case)> {
    let mut counts = Counts::default();
    let cases = near().into_iter().chain((0..most).map(|index| Case::pick(seed, index)));
    for (index, case) in (1..).zip(cases) {
        weaken(Some(weakness));
        if let Some(failure) = one(case, &mut counts) {
            weaken(None);
            return Some((index, failure.says, failure.simplest));
        }
    }
    weaken(None);
    None
}

/// The cases that differ from a harmless one in one value, and in some pairs of values.
fn near() -> Vec<Case> {
    let with = |values: &[(Dim, usize)]| {
        let mut case = Case([0; DIMS.len()]);
        values.iter().for_each(|(dim, value)| case.0[*dim as usize] = u8::try_from(*value).unwrap_or(0));
        case
    };
    let values = |dim: Dim| 0..DIMS[dim as usize].1;
    let singly = [
        (Dim::Tool, Dim::Backend),
        (Dim::Args, Dim::Name),
        (Dim::Caller, Dim::Shape),
        (Dim::Shape, Dim::Owner),
        (Dim::Context, Dim::Tool),
    ];
    let pairs = singly
        .into_iter()
        .flat_map(|(a, b)| values(a).flat_map(move |x| values(b).map(move |y| [(a, x), (b, y)])));
    values(Dim::Fault)
        .map(|fault| with(&[(Dim::Fault, fault)]))
        .chain(pairs.map(|pair| with(&pair)))
        .collect()
}

/// Says of each weakness how it was found, and fails if one was not.
pub fn hunt(seed: u64, most: u64) -> ExitCode {
    weaken(None);
    let (_, failures) = benign();
    println!(
        "{} weaknesses; without any: {} violations in the benign tasks",
        Weakness::ALL.len(),
        failures.len()
    );
    let mut survivors = failures.len();
    for weakness in Weakness::ALL {
        match caught(*weakness, seed, most) {
            Some((after, says, case)) => {
                let says = says.chars().take(70).collect::<String>().replace('\n', " ");
                println!("{:20} found after {after:6} cases: {says} ({case})", format!("{weakness:?}"));
            }
            None => {
                survivors += 1;
                println!("{:20} NOT FOUND in {most} cases", format!("{weakness:?}"));
            }
        }
    }
    if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
