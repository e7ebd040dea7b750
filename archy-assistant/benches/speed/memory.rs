//! How much memory a running turn holds. It is read as the whole process's: what an owner pays, whatever the allocator
//! makes of it.

use std::sync::Arc;

use archy_assistant::{Caller, MemoryStore, Target};

use crate::figure;
use crate::house::{House, Told};

/// Turns that run at once.
const TURNS: usize = 1000;
/// A turn of two model calls and one read is four messages; ten of them are the forty that a request carries.
const EARLIER: usize = 10;

pub(crate) fn measure() {
    let figures = [
        ("idle: an assistant with 20 tools, nothing said", Case { turns: 0, earlier: 0, says: "" }, ""),
        (
            "memory per running turn, its store included",
            Case { turns: TURNS, earlier: 0, says: WAIT },
            "20 kB",
        ),
        ("  with 40 messages of history", Case { turns: TURNS, earlier: EARLIER, says: WAIT }, ""),
        (
            "  with them, once the model has said a word",
            Case { turns: TURNS, earlier: EARLIER, says: "word" },
            "",
        ),
    ];
    for (name, case, aim) in figures {
        figure::count(name, &case.in_a_process_of_its_own(), aim);
    }
}

const WAIT: &str = "wait";

/// So many people who each say this, after so many earlier turns.
struct Case {
    turns: usize,
    earlier: usize,
    says: &'static str,
}

/// Says to this program that it is such a process.
pub(crate) const ALONE: &str = "memory-of";

impl Case {
    /// What earlier figures gave back would otherwise be used again and hide what this one takes.
    fn in_a_process_of_its_own(&self) -> String {
        let (turns, earlier) = (self.turns.to_string(), self.earlier.to_string());
        let this = std::env::current_exe().expect("this program has a file");
        let run = std::process::Command::new(this).args([ALONE, &turns, &earlier, self.says]).output();
        String::from_utf8_lossy(&run.expect("it can run again").stdout).trim().to_owned()
    }
}

/// In such a process: how much larger it becomes, for each turn.
pub(crate) fn alone(args: &[String]) {
    let count = |place: usize| args.get(place).and_then(|count| count.parse().ok()).unwrap_or(0);
    let (turns, earlier): (usize, usize) = (count(0), count(1));
    let says = args.get(2).map_or("", String::as_str);
    crate::here().block_on(async {
        let bare = resident();
        let house = House::new(Arc::new(Told), Arc::new(MemoryStore::new())).await;
        if turns == 0 {
            println!("{} kB", (resident() - bare) / 1000);
            return;
        }
        // What the first turns make once and for all.
        begin(&house, &vec![Target::New; 100], says).await;
        let mut threads = Vec::new();
        for _ in 0..turns {
            let mut to = Target::New;
            for _ in 0..earlier {
                to = Target::Conversation(crate::turns::listen(&house, to).await);
            }
            threads.push(to);
        }
        let before = resident();
        begin(&house, &threads, says).await;
        let tenths = (resident() - before) / turns / 100;
        println!("{}.{} kB", tenths / 10, tenths % 10);
    });
}

async fn begin(house: &House, threads: &[Target], says: &str) {
    let owner = Caller::owner();
    for to in threads {
        house.assistant.chat(&owner, *to, says).await.expect("it is taken");
    }
    for _ in threads {
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
