//! How long it takes to open an assistant over everything that was ever said.

use std::sync::Arc;
use std::time::Instant;

use archy_assistant::{
    Assistant, Batch, Durability, MemoryStore, Order, Rows, Scan, Secret, Store, StoredGrants, Table, Target,
    Toolbox,
};

use crate::figure::{Report, Samples};
use crate::floor::Floors;
use crate::house::{House, Told};

/// Entries of the journal.
const ENTRIES: usize = 100_000;
/// Turns of a conversation.
const TURNS: usize = 20;

pub(crate) fn measure(report: &mut Report, _: &Floors) {
    #[cfg(feature = "sqlite")]
    sqlite(report);
    #[cfg(not(feature = "sqlite"))]
    {
        let store = Arc::new(MemoryStore::new());
        fill(&*store);
        time(report, "opening over 100,000 entries in memory", || Arc::clone(&store) as Arc<dyn Store>);
    }
}

#[cfg(feature = "sqlite")]
fn sqlite(report: &mut Report) {
    let dir = crate::keeping::on_disk();
    let path = dir.path().join("store");
    let store = || archy_assistant::SqliteStore::open(&path).expect("it opens");
    fill(&store());
    let size = std::fs::metadata(&path).map_or(0, |file| file.len());
    report.count("size of a store of 100,000 entries", &format!("{:.1} MB", size as f64 / 1e6), "");
    let alone = Samples::of(20, || drop(store()));
    report.time("opening SQLite over 100,000 entries", &alone, "", None);
    time(report, "opening the assistant over it, SQLite included", || Arc::new(store()));
}

fn time(report: &mut Report, name: &str, store: impl Fn() -> Arc<dyn Store>) {
    let mut samples = Samples::default();
    for _ in 0..20 {
        let began = Instant::now();
        let store = store();
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let opened = Assistant::builder([Arc::new(Told) as _], Toolbox::new(), grants)
            .with_store(store)
            .with_audit_key(Secret::new(vec![7; 32]))
            .open();
        samples.add(began.elapsed());
        drop(opened.expect("it opens"));
    }
    report.time(name, &samples, "15 ms", None);
}

/// Says one turn, and writes it down under other ids until there is enough.
fn fill(store: &dyn Store) {
    let said = Arc::new(MemoryStore::new());
    crate::here().block_on(async {
        let house = House::new(Arc::new(Told), Arc::clone(&said) as Arc<dyn Store>).await;
        let owner = archy_assistant::Caller::owner();
        let began = house.assistant.chat(&owner, Target::New, "how is it").await.expect("it is taken");
        let mut events = house.assistant.events(&owner, began.turn, None).expect("it is known");
        while events.next().await.is_some() {}
        while house.assistant.stats().turns > 0 {
            tokio::task::yield_now().await;
        }
    });
    let (journal, conversation) = (rows(&*said, Table::Journal), rows(&*said, Table::Conversation));
    let mut written = 0;
    for thread in 0_u128.. {
        let id = (thread + 1) << 64;
        let mut batch = Batch::new().put(Table::Conversation, id.to_be_bytes(), conversation[0].1.clone());
        for turn in 0..TURNS as u128 {
            let turn = id | turn;
            batch = batch.put(Table::Turn, [id.to_be_bytes(), turn.to_be_bytes()].concat(), Vec::new()).put(
                Table::Place,
                turn.to_be_bytes(),
                id.to_be_bytes(),
            );
            for (key, value) in &journal {
                let key = [&id.to_be_bytes()[..], &turn.to_be_bytes(), &key[32..]].concat();
                batch = batch.put(Table::Journal, key, value.clone());
                written += 1;
            }
        }
        store.commit(&batch, Durability::Kept).expect("there is room");
        if written >= ENTRIES {
            break;
        }
    }
}

fn rows(store: &dyn Store, table: Table) -> Rows {
    let all = Scan { table, prefix: Vec::new(), beyond: None, order: Order::Up, limit: usize::MAX };
    store.scan(&all).expect("it can be read")
}
