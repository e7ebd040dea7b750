//! The node that is killed.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use archy_assistant::*;
use futures_core::Stream;

use crate::home::{App, Space};

/// Where the child lives; without it this is no child.
pub(crate) const DIR: &str = "ARCHY_KILL_DIR";
/// At which step it stops, from 0.
pub(crate) const AT: &str = "ARCHY_KILL_AT";
/// Only starts again.
pub(crate) const RECOVER: &str = "ARCHY_KILL_RECOVER";

/// The steps at which it can be killed.
struct Steps {
    passed: AtomicUsize,
    at: usize,
}

impl Steps {
    fn pass(&self) {
        if self.passed.fetch_add(1, Ordering::SeqCst) == self.at {
            println!("\nkill: here");
            loop {
                std::thread::park();
            }
        }
    }
}

struct Stepped {
    inner: SqliteStore,
    steps: Arc<Steps>,
}

impl Store for Stepped {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        self.steps.pass();
        self.inner.commit(batch, durability)?;
        self.steps.pass();
        Ok(())
    }
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }
    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        self.inner.scan(scan)
    }
    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        self.inner.copy_to(file)
    }
}

/// A write whose effect is one line in a file, on the disk before it returns.
struct Restart {
    file: PathBuf,
    steps: Option<Arc<Steps>>,
}

impl Write for Restart {
    type Args = App;
    type Change = String;
    fn spec(&self) -> Spec {
        Spec::new("app_restart", Category::Apps, "Restarts an app.")
    }
    async fn plan(&self, _: &Caller, args: App) -> Result<Plan<String>, ToolError> {
        let text = ConfirmText::new("Restart an app").id("App", &args.app);
        Ok(Plan { change: args.app, text, undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, change: Approved<String>) -> Result<Datum, ToolError> {
        let app = change.into_change();
        let pass = || self.steps.iter().for_each(|steps| steps.pass());
        pass();
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
        writeln!(file, "{app}").unwrap();
        file.sync_all().unwrap();
        pass();
        Ok(Datum::text(format!("{app} was restarted")))
    }
}

fn build(
    dir: &Path,
    store: Arc<dyn Store>,
    model: Arc<dyn Backend>,
    sink: Arc<dyn ConfirmationSink>,
    steps: Option<Arc<Steps>>,
) -> Assistant {
    let toolbox = Toolbox::new().read(Space).write(Restart { file: dir.join("effects"), steps });
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let key = Secret::new(b"the host's key".to_vec());
    let builder = Assistant::builder([model], toolbox, grants).with_store(store).with_audit_key(key);
    builder.with_sink(sink).open().unwrap()
}

/// The same assistant in the parent, where nothing stops.
pub(crate) fn assistant(
    dir: &Path,
    store: Arc<dyn Store>,
    model: Arc<dyn Backend>,
    sink: Arc<dyn ConfirmationSink>,
) -> Assistant {
    build(dir, store, model, sink, None)
}

/// A model that speaks slowly, so that text of a reply is committed before its end.
struct Slow(Mutex<VecDeque<Vec<ReplyEvent>>>);

impl Backend for Slow {
    fn facts(&self) -> BackendFacts {
        Scripted::new([]).facts()
    }
    fn reply(&self, _: Arc<Request>) -> ReplyStream {
        let events = self.0.lock().unwrap().pop_front().unwrap().into();
        Box::pin(Spoken { events, pause: Box::pin(tokio::time::sleep(Duration::ZERO)) })
    }
}

struct Spoken {
    events: VecDeque<ReplyEvent>,
    pause: Pin<Box<tokio::time::Sleep>>,
}

impl Stream for Spoken {
    type Item = Result<ReplyEvent, BackendError>;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.pause.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.pause = Box::pin(tokio::time::sleep(Duration::from_millis(200)));
        Poll::Ready(self.events.pop_front().map(Ok))
    }
}

fn say(word: &str, what: &impl serde::Serialize) {
    println!("\nkill: {word} {}", serde_json::to_string(what).unwrap());
}

#[expect(clippy::disallowed_methods, reason = "the parent's word to its child")]
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[tokio::test(start_paused = true)]
async fn lives_until_it_is_killed() {
    let Some(dir) = told(DIR).map(PathBuf::from) else { return };
    let at = told(AT).and_then(|at| at.parse().ok()).unwrap_or(usize::MAX);
    let steps = Arc::new(Steps { passed: AtomicUsize::new(0), at });
    let inner = SqliteStore::open(dir.join("store")).unwrap();
    let store = Arc::new(Stepped { inner, steps: Arc::clone(&steps) });
    let text = |text: &str| ReplyEvent::Text(text.to_owned());
    let call = |tool: &str, args: &str| ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() };
    let end = || ReplyEvent::End(EndReason::Complete);
    let model = Arc::new(Slow(Mutex::new(VecDeque::from([
        vec![text("I look. "), call("disk_status", "{}"), end()],
        vec![call("app_restart", r#"{"app":"hello"}"#), end()],
        vec![text("It "), text("runs."), end()],
    ]))));
    let assistant = build(&dir, store, model, Arc::new(PollPending), Some(Arc::clone(&steps)));
    if told(RECOVER).is_none() {
        one_turn(&assistant).await;
    }
    println!("\nkill: over {}", steps.passed.load(Ordering::SeqCst));
}

async fn one_turn(assistant: &Assistant) {
    let owner = Caller::owner();
    let began = assistant.chat(&owner, Target::New, "restart hello").await.unwrap();
    say("said", &began);
    let mut events = assistant.events(&owner, began.turn, None).unwrap();
    while let Some(numbered) = events.next().await {
        say("event", &numbered);
        if let Event::ConfirmationRequired { .. } = numbered.event {
            let question = assistant.pending(&owner).remove(0);
            say("asked", &(question.id, question.digest));
            assistant.shown(&owner, question.id, &question.digest).unwrap();
            tokio::time::advance(Duration::from_millis(700)).await;
            let answer = assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await;
            say("resolved", &answer.unwrap());
        }
    }
}
