//! A radio with a real assistant behind it: what is proposed waits for the owner, and what is taken away is gone at once.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use archy_assistant::{
    Approved, Assistant, Backend, Caller, Category, ConfirmText, Datum, Limits, MemoryStore, NoArgs, Plan,
    PollPending, Script, Scripted, Sentence, Spec, Store, StoredGrants, SystemClock, ToolError, Toolbox,
    Undo,
};
use archy_mesh::{
    Admission, Heard, InProcess, Memory, MeshLink, NotSent, Packet, Radio, Sent, Settings, TrustNobody,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Duration, timeout};

use crate::world::{facts, key, said};

const OWNER: u32 = 1;
const ANN: u32 = 2;

struct Restart(Arc<AtomicU32>);

impl archy_assistant::Write for Restart {
    type Args = NoArgs;
    type Change = ();
    fn spec(&self) -> Spec {
        Spec::new("bitcoin_restart", Category::Bitcoin, "Restarts bitcoin.")
            .answer(|_| Sentence::plain("done"))
    }
    async fn plan(&self, _: &Caller, _: NoArgs) -> Result<Plan<()>, ToolError> {
        Ok(Plan { change: (), text: ConfirmText::new("Restart bitcoin"), undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, _: Approved<()>) -> Result<Datum, ToolError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Datum::text("restarted"))
    }
}

/// A link whose other end is the test.
struct Ends {
    heard: UnboundedReceiver<Heard>,
    sent: UnboundedSender<Packet>,
}

impl MeshLink for Ends {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Heard> + Send + '_>> {
        Box::pin(async {
            match self.heard.recv().await {
                Some(heard) => heard,
                None => std::future::pending().await,
            }
        })
    }

    fn send(&mut self, packet: &Packet) -> Pin<Box<dyn Future<Output = Result<Sent, NotSent>> + Send + '_>> {
        let _ = self.sent.send(packet.clone());
        Box::pin(std::future::ready(Ok(Sent::Unacknowledged)))
    }
}

struct House {
    assistant: Assistant,
    radio: Radio,
    restarts: Arc<AtomicU32>,
    hears: UnboundedSender<Heard>,
    sends: UnboundedReceiver<Packet>,
    _tasks: JoinSet<()>,
}

fn settings() -> Settings {
    let admission = Admission {
        enabled: true,
        owner_keys: [key(OWNER)].into(),
        allowed_contacts: [key(ANN)].into(),
        categories: archy_assistant::Categories::only(Category::Bitcoin),
        ..Admission::default()
    };
    Settings { admission, ..Settings::default() }
}

impl House {
    async fn new(scripts: Vec<Script>, memory: impl Memory) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let model: Arc<dyn Backend> = Arc::new(Scripted::new(scripts));
        let restarts = Arc::new(AtomicU32::new(0));
        let toolbox = Toolbox::new().write(Restart(Arc::clone(&restarts)));
        let builder =
            Assistant::builder([model], toolbox, grants).with_store(store).with_limits(Limits::default());
        let assistant = builder.with_sink(Arc::new(PollPending)).open().expect("it opens");
        assistant.open_category(&Caller::owner(), Category::Bitcoin).await.expect("it opens");
        let radio =
            Radio::new(assistant.clone(), settings(), Arc::new(TrustNobody), memory, Arc::new(SystemClock));
        let (hears, ear) = unbounded_channel();
        let (sent, sends) = unbounded_channel();
        let mut tasks = JoinSet::new();
        let served = radio.clone();
        tasks.spawn(async move { served.serve(Ends { heard: ear, sent }).await });
        hears.send(Heard::Up(facts())).expect("it listens");
        Self { assistant, radio, restarts, hears, sends, _tasks: tasks }
    }

    fn says(&self, who: u32, text: &str) {
        let now = archy_assistant::Clock::now(&SystemClock);
        self.hears.send(Heard::Message(said(key(who), text, now))).expect("it listens");
    }

    async fn hears(&mut self) -> String {
        let packet = timeout(Duration::from_secs(20), self.sends.recv()).await;
        packet.expect("something is sent").expect("it is served").text
    }
}

fn restart() -> Script {
    Scripted::calls([("bitcoin_restart", "{}")])
}

#[tokio::test]
async fn what_the_owners_radio_proposes_waits_in_the_page_and_the_radio_hears_only_that() {
    let mut house = House::new(vec![restart()], InProcess::default()).await;
    house.says(OWNER, "restart bitcoin");
    assert_eq!(house.hears().await, "That waits for a yes in the node's page.");
    let waiting = house.assistant.pending(&Caller::owner());
    assert_eq!((waiting.len(), house.restarts.load(Ordering::SeqCst)), (1, 0));
    let asked_by = format!("Asked by: radio:{} (radio)", key(OWNER));
    assert!(waiting[0].text.to_string().contains(&asked_by), "{}", waiting[0].text);
}

#[tokio::test(start_paused = true)]
async fn an_owners_key_that_is_denied_takes_its_waiting_proposal_with_it() {
    let mut house = House::new(vec![restart()], InProcess::default()).await;
    house.says(OWNER, "restart bitcoin");
    house.hears().await;
    let question = house.assistant.pending(&Caller::owner()).remove(0);
    let mut denied = settings();
    denied.admission.denied_askers.insert(key(OWNER));
    house.radio.configure(denied);
    let owner = Caller::owner();
    house.assistant.shown(&owner, question.id, &question.digest).expect("it is still asked");
    tokio::time::advance(Duration::from_millis(700)).await;
    let decided = house
        .assistant
        .confirm(&owner, question.id, &question.digest, archy_assistant::Decision::Confirm)
        .await;
    assert_eq!(decided.expect("it is answered").outcome, archy_assistant::Settled::Revoked);
    assert_eq!(house.restarts.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_contact_that_is_not_the_owner_proposes_nothing() {
    let mut house =
        House::new(vec![restart(), Scripted::says("I cannot do that.")], InProcess::default()).await;
    house.says(ANN, "restart bitcoin");
    let answer = house.hears().await;
    assert!(answer.starts_with("I cannot do that.") || answer.starts_with("The node cannot"), "{answer}");
    assert_eq!(house.assistant.pending(&Caller::owner()).len(), 0);
}

/// A disk that is full.
#[derive(Clone, Default)]
struct Full(Arc<AtomicBool>);

impl Memory for Full {
    fn load(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }
    fn keep(&self, _: &[u8]) -> io::Result<()> {
        if self.0.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[tokio::test]
async fn where_nothing_can_be_kept_nothing_is_answered() {
    let full = Full::default();
    let mut house = House::new(vec![Scripted::says("Block 912,345.")], full.clone()).await;
    full.0.store(true, Ordering::SeqCst);
    house.says(ANN, "which block?");
    let waiting = async {
        while house.radio.status().is_kept {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), waiting).await.expect("its owner is told");
    full.0.store(false, Ordering::SeqCst);
    house.says(ANN, "and now?");
    assert_eq!(house.hears().await, "Block 912,345.");
}
