//! How long it takes to open an assistant over everything that was ever said.

use std::sync::Arc;
use std::time::Instant;

use archy_assistant::{
    Assistant, Batch, Caller, Category, Durability, MemoryStore, Opened, Order, Rows, Scan, Secret, Store,
    StoredGrants, Table, Target, Toolbox,
};

use crate::figure::{self, Samples};
use crate::floor::Floors;
use crate::house::{House, Told};

/// Entries of the journal.
const ENTRIES: usize = 100_000;
/// Turns of a conversation.
const TURNS: usize = 20;
/// Lines of the audit.
const LINES: usize = 2000;

pub(crate) fn measure(floors: &Floors) {
    #[cfg(feature = "sqlite")]
    sqlite(floors);
    #[cfg(not(feature = "sqlite"))]
    {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        fill(&store);
        time("opening over 100,000 entries in memory", floors, || Arc::clone(&store));
    }
}

#[cfg(feature = "sqlite")]
fn sqlite(floors: &Floors) {
    use archy_assistant::SqliteStore;
    let dir = crate::keeping::on_disk();
    let path = dir.path().join("store");
    {
        // Filled where no disk has to be waited for.
        let filling = tempfile::TempDir::new_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let filling = filling.expect("there is a place for files that go away");
        let from = filling.path().join("store");
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&from).expect("a new store opens"));
        fill(&store);
        drop(store);
        std::fs::copy(&from, &path).expect("there is room");
    }
    let megabytes = std::fs::metadata(&path).map_or(0, |file| file.len()) / 1_000_000;
    figure::count("size of a store of 100,000 entries", &format!("{megabytes} MB"), "");
    let store = || SqliteStore::open(&path).expect("it opens");
    let alone = Samples::of(20, || drop(store()));
    figure::time(
        "opening SQLite over 100,000 entries, and closing it",
        &alone,
        "",
        Some(("fsync", floors.fsync)),
    );
    time("opening the assistant over it, SQLite included", floors, || Arc::new(store()));
}

fn time(name: &str, floors: &Floors, store: impl Fn() -> Arc<dyn Store>) {
    let mut samples = Samples::default();
    for _ in 0..40 {
        let began = Instant::now();
        let opened = open(store());
        samples.add(began.elapsed());
        assert_eq!(opened.opened(), Opened::Sound);
    }
    figure::time(name, &samples, "15 ms", Some(("fsync", floors.fsync)));
}

fn open(store: Arc<dyn Store>) -> Assistant {
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let builder = Assistant::builder([Arc::new(Told) as _], Toolbox::new(), grants).with_store(store);
    builder.with_audit_key(Secret::new(vec![7; 32])).open().expect("it opens")
}

/// Says one turn, and writes it down under other ids until there is enough; and opens and closes a category as often.
fn fill(store: &Arc<dyn Store>) {
    let said = Arc::new(MemoryStore::new());
    crate::here().block_on(async {
        let house = House::new(Arc::new(Told), Arc::clone(&said) as Arc<dyn Store>).await;
        let owner = Caller::owner();
        let began = house.assistant.chat(&owner, Target::New, "how is it").await.expect("it is taken");
        let mut events = house.assistant.events(&owner, began.turn, None).expect("it is known");
        while events.next().await.is_some() {}

        let assistant = open(Arc::clone(store));
        for _ in 0..LINES / 2 {
            assistant.open_category(&owner, Category::Apps).await.expect("the owner may open");
            assistant.close_category(&owner, Category::Apps).await.expect("the owner may close");
        }
    });
    let (journal, conversation) = (rows(&*said, Table::Journal), rows(&*said, Table::Conversation));
    let conversations = ENTRIES.div_ceil(journal.len()).div_ceil(TURNS);
    for id in (1..=conversations as u128).map(|number| number << 64) {
        let mut batch = Batch::new().put(Table::Conversation, id.to_be_bytes(), conversation[0].1.clone());
        for turn in (0..TURNS as u128).map(|number| id | number) {
            batch = batch.put(Table::Turn, [id.to_be_bytes(), turn.to_be_bytes()].concat(), Vec::new()).put(
                Table::Place,
                turn.to_be_bytes(),
                id.to_be_bytes(),
            );
            for (key, value) in &journal {
                let key = [&id.to_be_bytes()[..], &turn.to_be_bytes(), &key[32..]].concat();
                batch = batch.put(Table::Journal, key, value.clone());
            }
        }
        store.commit(&batch, Durability::Kept).expect("there is room");
    }
}

fn rows(store: &dyn Store, table: Table) -> Rows {
    let all = Scan { table, prefix: Vec::new(), beyond: None, order: Order::Up, limit: usize::MAX };
    store.scan(&all).expect("it can be read")
}
