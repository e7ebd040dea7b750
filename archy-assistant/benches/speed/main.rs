//! How fast and how large the core is. It prints figures; nothing here fails for being slow.
//!
//! `cargo bench -p archy-assistant --features sqlite,http`, with the names of figures behind `--` to see only those. What
//! each figure means and what was measured stands in `docs/speed.md`.

mod confirming;
#[cfg(feature = "http")]
mod decoder;
mod figure;
mod floor;
mod house;
mod keeping;
mod matching;
mod memory;
mod opening;
mod store;
mod streaming;
mod turns;
#[cfg(feature = "http")]
mod wire;

use std::time::Duration;

/// Prints one group of figures.
type Measure = fn(&floor::Floors);

fn main() {
    // Cargo itself passes `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    if wanted.first().is_some_and(|name| name == memory::ALONE) {
        return memory::alone(&wanted[1..]);
    }
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores, load {}", load.split_whitespace().take(3).collect::<Vec<_>>().join(" "));

    figure::heading();
    if wants("memory") {
        memory::measure();
    }
    let floors = floor::measure();
    let figures: &[(&str, Measure)] = &[
        ("loop", turns::measure),
        ("dispatch", turns::dispatch),
        ("event", streaming::measure),
        ("confirm", confirming::measure),
        ("claim", confirming::claim),
        ("open", opening::measure),
        ("phrases", matching::measure),
        #[cfg(feature = "http")]
        ("wire", wire::measure),
    ];
    for (name, measure) in figures {
        if wants(name) {
            measure(&floors);
        }
    }
}

/// A runtime like a daemon's, on both cores.
fn daemon() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads can be started")
}

/// A runtime on this thread, so that no waking of another core is counted.
fn here() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made")
}

/// As long as a question has to be on a screen, and a little more.
const LOOK: Duration = Duration::from_millis(710);
