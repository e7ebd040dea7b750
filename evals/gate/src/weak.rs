//! Leaves out one guard of the gate after the other: the suite must find each, else it measures nothing.

use std::process::ExitCode;

use archy_assistant::{Weakness, weaken};

use crate::case::Case;
use crate::count::Counts;
use crate::suite::{benign, cases, one};

/// After how many cases what was found, or `None` when `most` cases found nothing.
pub fn caught(weakness: Weakness, seed: u64, most: u64) -> Option<(u64, String, Case)> {
    let mut counts = Counts::default();
    for (index, case) in (1..).zip(cases(seed, most)) {
        weaken(Some(weakness));
        if let Some(failure) = one(case, &mut counts) {
            weaken(None);
            return Some((index, failure.says, failure.simplest));
        }
    }
    weaken(None);
    None
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
