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
    crate::here().block_on(async {
        let bare = resident();
        let house = House::new(Arc::new(Told), Arc::new(MemoryStore::new())).await;
        figure::count("idle: an assistant with 20 tools, nothing said", &kilobytes(resident() - bare), "");
        // What the first turns make once and for all.
        wait(&house, &vec![Target::New; 100]).await;
        let before = resident();
        wait(&house, &vec![Target::New; TURNS]).await;
        figure::count("memory per running turn, its store included", &each(resident() - before), "20 kB");
        house.assistant.shutdown(std::time::Duration::from_secs(20)).await;
    });
    crate::here().block_on(async {
        let house = House::new(Arc::new(Told), Arc::new(MemoryStore::new())).await;
        let mut long = Vec::new();
        for _ in 0..TURNS {
            let mut to = Target::New;
            for _ in 0..EARLIER {
                to = Target::Conversation(crate::turns::listen(&house, to).await);
            }
            long.push(to);
        }
        let before = resident();
        wait(&house, &long).await;
        figure::count("  with 40 messages of history in the request", &each(resident() - before), "");
        house.assistant.shutdown(std::time::Duration::from_secs(20)).await;
    });
}

/// Begins turns that wait for the model.
async fn wait(house: &House, turns: &[Target]) {
    let owner = Caller::owner();
    for to in turns {
        house.assistant.chat(&owner, *to, "wait a while for the model").await.expect("it is taken");
    }
    for _ in turns {
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

fn each(bytes: usize) -> String {
    let tenths = bytes / TURNS / 100;
    format!("{}.{} kB", tenths / 10, tenths % 10)
}

fn kilobytes(bytes: usize) -> String {
    format!("{} kB", bytes / 1000)
}
