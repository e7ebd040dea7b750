//! How much memory a running turn holds. It is read as the whole process's: what an owner pays, whatever the allocator
//! makes of it.

use std::sync::Arc;

use archy_assistant::{Caller, MemoryStore, Target};

use crate::figure::Report;
use crate::house::{House, Told};

/// Turns that run at once.
const TURNS: usize = 1000;

pub(crate) fn measure(report: &mut Report) {
    crate::here().block_on(async {
        let bare = resident();
        let house = House::new(Arc::new(Told), Arc::new(MemoryStore::new())).await;
        report.count("idle: an assistant with 20 tools, nothing said", &kilobytes(resident() - bare, 1), "");
        // What the first turns make once and for all.
        run(&house, 100).await;
        let before = resident();
        run(&house, TURNS).await;
        let after = resident();
        report.count("memory per running turn, in memory", &kilobytes(after - before, TURNS), "20 kB");
        house.assistant.shutdown(std::time::Duration::from_secs(20)).await;
    });
}

/// Begins turns that wait for the model.
async fn run(house: &House, turns: usize) {
    let owner = Caller::owner();
    for _ in 0..turns {
        house.assistant.chat(&owner, Target::New, "wait a while for the model").await.expect("it is taken");
    }
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}

/// Bytes of memory that this process has now.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("this is Linux");
    let pages: usize =
        pages.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).expect("it is a count");
    pages * 4096
}

fn kilobytes(bytes: usize, of: usize) -> String {
    format!("{:.1} kB", bytes as f64 / of as f64 / 1000.0)
}
