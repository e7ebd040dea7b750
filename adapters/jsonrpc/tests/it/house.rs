//! A node with one setting, and a model that plays a script.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use archy_assistant::host::{Choice, Setting, SettingControl, SettingKey, SettingRule, Settings};
use archy_assistant::*;
use archy_wire as wire;
use serde_json::{Value, json};
use tokio::sync::{Mutex, Notify};

/// The setting's host: it counts how often it was changed, and may be made to wait before it does.
pub(crate) struct Host {
    key: SettingKey,
    value: Mutex<String>,
    pub(crate) changed: AtomicUsize,
    pub(crate) begun: Notify,
    pub(crate) go_on: Option<Notify>,
}

impl Settings for Host {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Setting>> {
        let rule = SettingRule::OneOf(["light", "dark"].map(Choice::new).into());
        Box::pin(async {
            let value = self.value.lock().await.clone();
            Ok(vec![Setting::new(self.key.clone(), rule, Some(value))])
        })
    }
}

impl SettingControl for Host {
    fn set<'a>(&'a self, _: &'a Caller, _: &'a SettingKey, value: &'a str) -> Answer<'a, String> {
        Box::pin(async {
            self.begun.notify_one();
            if let Some(go_on) = &self.go_on {
                go_on.notified().await;
            }
            self.changed.fetch_add(1, SeqCst);
            value.clone_into(&mut *self.value.lock().await);
            Ok(value.to_owned())
        })
    }
}

pub(crate) struct House {
    pub(crate) assistant: Assistant,
    pub(crate) host: Arc<Host>,
}

impl House {
    /// Everything is open; the model plays these scripts.
    pub(crate) async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::with(scripts, None).await
    }

    /// The same, with an effect that waits until it is told to go on.
    pub(crate) async fn that_waits(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::with(scripts, Some(Notify::new())).await
    }

    /// The same on a store of the test's own.
    pub(crate) async fn on(store: Arc<dyn Store>, scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::built(store, scripts, None).await
    }

    async fn with(scripts: impl IntoIterator<Item = Script>, go_on: Option<Notify>) -> Self {
        Self::built(Arc::new(MemoryStore::new()), scripts, go_on).await
    }

    async fn built(
        store: Arc<dyn Store>,
        scripts: impl IntoIterator<Item = Script>,
        go_on: Option<Notify>,
    ) -> Self {
        let host = Arc::new(Host {
            key: SettingKey::new("theme").expect("a key"),
            value: Mutex::new("light".to_owned()),
            changed: AtomicUsize::new(0),
            begun: Notify::new(),
            go_on,
        });
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let tools = FirstTools::new().settings(host.clone()).setting_control(host.clone()).into_toolbox();
        let backends: [Arc<dyn Backend>; 1] = [Arc::new(Scripted::new(scripts))];
        let assistant = Assistant::builder(backends, tools, grants)
            .with_store(store)
            .with_sink(Arc::new(PollPending))
            .open()
            .expect("an empty store opens");
        for category in Category::ALL {
            assistant.open_category(&Caller::owner(), category).await.expect("the owner may");
        }
        Self { assistant, host }
    }

    /// A method, asked by the owner.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Result<Value, wire::Fault> {
        archy_jsonrpc::call(&self.assistant, &Caller::owner(), method, params).await
    }

    /// All events of a turn, long-polled two at a time.
    pub(crate) async fn events(&self, turn: &str) -> Vec<wire::Numbered> {
        let mut all: Vec<wire::Numbered> = Vec::new();
        loop {
            let after = all.last().map(|last| last.seq);
            let asked = json!({ "turn": turn, "after": after, "wait_ms": 20_000, "most": 2 });
            let read = self.call("events", asked).await.expect("it is known");
            let read: wire::EventsRead = serde_json::from_value(read).expect("events");
            all.extend(read.events);
            if read.over {
                return all;
            }
        }
    }

    /// The question that waits, once there is one.
    pub(crate) async fn question(&self) -> wire::Confirmation {
        loop {
            let pending = self.call("pending", Value::Null).await.expect("the owner may see it");
            let pending: wire::Pending = serde_json::from_value(pending).expect("questions");
            if let Some(question) = pending.confirmations.into_iter().next() {
                return question;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// The model makes the theme dark, and says so.
pub(crate) fn dark() -> [Script; 2] {
    [
        Scripted::calls([("setting_set", r#"{"key":"theme","value":"dark"}"#)]),
        Scripted::says("It is dark now."),
    ]
}
