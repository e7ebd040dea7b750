//! Long conversations and slow disks.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use archy_assistant::{Batch, Durability, MemoryStore, Rows, Scan, Scripted, Store, StoreError, Table};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::house::House;

/// A disk that stops at the next look through the turns, until it is told to go on.
struct Stops {
    inner: MemoryStore,
    stop: AtomicBool,
    stopped: Notify,
    go_on: Mutex<Receiver<()>>,
    in_time: AtomicBool,
}

impl Store for Stops {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        self.inner.commit(batch, durability)
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        if scan.table == Table::Turn && self.stop.swap(false, SeqCst) {
            self.stopped.notify_one();
            let told = self.go_on.lock().expect("nobody panicked").recv_timeout(Duration::from_secs(5));
            self.in_time.store(told.is_ok(), SeqCst);
        }
        self.inner.scan(scan)
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        self.inner.copy_to(file)
    }
}

#[tokio::test]
async fn a_look_through_what_was_said_stops_nobody_else() {
    let (tell, go_on): (Sender<()>, _) = channel();
    let store = Arc::new(Stops {
        inner: MemoryStore::new(),
        stop: AtomicBool::new(false),
        stopped: Notify::new(),
        go_on: Mutex::new(go_on),
        in_time: AtomicBool::new(false),
    });
    let house = House::on(store.clone(), [Scripted::says("Good morning.")]).await;
    let began = house.call("chat", json!({ "text": "hi" })).await.expect("it is taken");
    house.events(began["turn"].as_str().expect("an id")).await;
    for asked in [
        json!({ "do": "list" }),
        json!({ "do": "page", "conversation": began["conversation"] }),
        json!({ "do": "search", "words": "morning" }),
        json!({ "do": "export", "conversation": began["conversation"] }),
    ] {
        store.stop.store(true, SeqCst);
        let elsewhere = async {
            store.stopped.notified().await;
            house.call("pending", Value::Null).await.expect("it answers");
            let _ = tell.send(());
        };
        let (looked, ()) = tokio::join!(house.call("history", asked.clone()), elsewhere);
        assert!(looked.is_ok() && store.in_time.load(SeqCst), "{asked}: {looked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_long_turns_ends_before_it_is_too_long_and_goes_on_where_it_ended() {
    let long = "All work and no play. ".repeat(2500);
    let house = House::new((0..30).map(|_| Scripted::says(&long))).await;
    let (mut conversation, mut said) = (Value::Null, Vec::new());
    for number in 0..30 {
        let text = format!("number {number}");
        let params = json!({ "text": text, "conversation": conversation });
        let began = house.call("chat", params).await.expect("it is taken");
        conversation = began["conversation"].clone();
        while house.assistant.stats().turns > 0 {
            tokio::task::yield_now().await;
        }
        said.insert(0, text);
    }
    let (mut read, mut before, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let asked = json!({ "do": "page", "conversation": conversation, "before": before, "most": 100 });
        let page = house.call("history", asked).await.expect("a page");
        assert!(page.to_string().len() < 3 << 20, "{}", page.to_string().len());
        let turns = page["turns"].as_array().expect("turns");
        read.extend(turns.iter().map(|turn| turn["said"].as_str().expect("a text").to_owned()));
        pages += 1;
        match page.get("older") {
            Some(older) => before = older.clone(),
            None => break,
        }
    }
    assert_eq!((read, pages > 1), (said, true));
}
