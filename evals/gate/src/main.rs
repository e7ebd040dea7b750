//! Plays the suite and says how many cases of which kinds there were.

use std::process::ExitCode;
use std::time::Instant;

use archy_gate::case::Case;
use archy_gate::{oracle, play, suite};

struct Wanted {
    seed: u64,
    cases: u64,
    threads: u64,
    one: Option<Case>,
}

fn wanted(arguments: impl Iterator<Item = String>) -> Result<Wanted, String> {
    // A case now and then waits for a thread of its own: two for each core leave none idle.
    let threads = std::thread::available_parallelism().map_or(2, |threads| 2 * threads.get() as u64);
    let mut wanted = Wanted { seed: 1, cases: 1_000_000, threads, one: None };
    let mut arguments = arguments;
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name} takes a number"));
        match name.as_str() {
            "--seed" => wanted.seed = number()?,
            "--cases" => wanted.cases = number()?,
            "--threads" => wanted.threads = number()?.max(1),
            "--one" => wanted.one = Some(value.parse()?),
            _ => return Err(format!("unknown: {name}; there are --seed, --cases, --threads, --one")),
        }
    }
    Ok(wanted)
}

fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(case) = wanted.one {
        let played = play::play(case);
        println!("{case:?}\n{played:#?}\n{:#?}", oracle::judge(case, &played));
        return ExitCode::SUCCESS;
    }
    #[cfg(archy_weak)]
    return archy_gate::weak::hunt(wanted.seed, wanted.cases.min(100_000));
    #[cfg(not(archy_weak))]
    attack(&wanted)
}

#[cfg(not(archy_weak))]
fn attack(wanted: &Wanted) -> ExitCode {
    let began = Instant::now();
    let (tasks, mut failures) = suite::benign();
    let (counts, more) = suite::run(wanted.seed, wanted.cases, wanted.threads);
    failures.extend(more);
    let ((cells, hit, fewest), (values, of)) = (counts.cells(), counts.values());
    println!("seed {}, {} cases in {:.0} s", wanted.seed, counts.cases, began.elapsed().as_secs_f64());
    println!(
        "values covered: {of} of {values}; pairs of values covered: {hit} of {cells}, the rarest {fewest} times"
    );
    println!(
        "questions asked: {}, effects: {}, benign tasks done: {} of {}",
        counts.questions, counts.effects, tasks.benign, tasks.cases
    );
    println!("violations: {}", failures.len());
    for failure in &failures {
        println!("- {}\n  found {}, simplest: --one {}", failure.says, failure.found, failure.simplest);
    }
    let covered = wanted.cases < 1_000_000 || hit == cells;
    if failures.is_empty() && covered { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
