//! A small home for the tests: one read, one write, one egress read, and somebody to press the buttons.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use archy_assistant::*;

/// What the node is: an app that can be restarted, and what reached the outside.
#[derive(Default)]
pub(crate) struct Node {
    pub(crate) restarts: AtomicU32,
    pub(crate) pid: AtomicU32,
    pub(crate) log: Mutex<String>,
    pub(crate) sent: Mutex<Vec<String>>,
}

pub(crate) struct Space;
pub(crate) struct Log(pub(crate) Arc<Node>);
pub(crate) struct Restart(pub(crate) Arc<Node>);
pub(crate) struct Send(pub(crate) Arc<Node>);

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct App {
    pub(crate) app: String,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub(crate) text: String,
}

impl Read for Space {
    type Args = NoArgs;
    fn spec(&self) -> Spec {
        Spec::new("disk_status", Category::System, "Free space.")
            .phrase("how much space is left")
            .answer(|disks| Sentence::plain("Free: ").and(disks.get("free")).and("."))
    }
    async fn read(&self, _: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        Ok(Datum::record([("free", Datum::Bytes(1_000_000_000))]))
    }
}

impl Read for Log {
    type Args = App;
    fn spec(&self) -> Spec {
        Spec::new("app_logs", Category::Apps, "The log of an app.")
    }
    async fn read(&self, _: &Caller, args: App) -> Result<Datum, ToolError> {
        let text = self.0.log.lock().expect("nobody panics with it").clone();
        Ok(Datum::record([("lines", Datum::others(text, Source::Log(args.app)))]))
    }
}

/// What a restart depends on.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(crate) struct Change {
    app: String,
    pid: u32,
}

impl Write for Restart {
    type Args = App;
    type Change = Change;
    fn spec(&self) -> Spec {
        Spec::new("app_restart", Category::Apps, "Restarts an app.")
    }
    async fn plan(&self, _: &Caller, args: App) -> Result<Plan<Change>, ToolError> {
        if args.app == "nothing" {
            return Err(ToolError::new("there is no app called nothing"));
        }
        let pid = self.0.pid.load(Ordering::SeqCst);
        let text = ConfirmText::new("Restart an app").id("App", &args.app).line("Process", pid.to_string());
        Ok(Plan { change: Change { app: args.app, pid }, text, undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, change: Approved<Change>) -> Result<Datum, ToolError> {
        let change = change.into_change();
        if change.app == "broken" {
            return Err(ToolError::new("it did not come up again"));
        }
        assert_ne!(change.app, "panics", "an effect that panics in the middle");
        self.0.restarts.fetch_add(1, Ordering::SeqCst);
        self.0.pid.fetch_add(1, Ordering::SeqCst);
        Ok(Datum::text(format!("{} was restarted", change.app)))
    }
}

impl Read for Send {
    type Args = Text;
    fn spec(&self) -> Spec {
        Spec::new("web_search", Category::Search, "Sends words to the outside.").egress()
    }
    async fn read(&self, _: &Caller, args: Text) -> Result<Datum, ToolError> {
        self.0.sent.lock().expect("nobody panics with it").push(args.text);
        Ok(Datum::text("nothing found"))
    }
}

/// An assistant in a home where everything is open.
pub(crate) struct Home {
    pub(crate) node: Arc<Node>,
    pub(crate) model: Arc<Scripted>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) assistant: Assistant,
}

pub(crate) fn toolbox(node: &Arc<Node>) -> Toolbox {
    Toolbox::new()
        .read(Space)
        .read(Log(Arc::clone(node)))
        .write(Restart(Arc::clone(node)))
        .read(Send(Arc::clone(node)))
}

impl Home {
    pub(crate) async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::with(
            Scripted::new(scripts),
            Arc::new(MemoryStore::new()),
            Arc::new(Node::default()),
            Limits::default(),
        )
        .open_all()
        .await
    }

    pub(crate) fn with(model: Scripted, store: Arc<dyn Store>, node: Arc<Node>, limits: Limits) -> Self {
        Self::opened(model, store, node, |builder| builder.with_limits(limits))
    }

    /// As a host opens it that says more. The audit's key is always the same, so a store can be opened again.
    pub(crate) fn opened(
        model: Scripted,
        store: Arc<dyn Store>,
        node: Arc<Node>,
        more: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let model = Arc::new(model);
        let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
        let builder = Assistant::builder([Arc::clone(&model) as Arc<dyn Backend>], toolbox(&node), grants)
            .with_store(Arc::clone(&store))
            .with_audit_key(Secret::new(*b"the audit's key"))
            .with_sink(Arc::new(PollPending));
        let assistant = more(builder).open().expect("opens");
        Self { node, model, store, assistant }
    }

    pub(crate) async fn open_all(self) -> Self {
        for category in Category::ALL {
            self.assistant.open_category(&Caller::owner(), category).await.expect("opens");
        }
        self
    }

    pub(crate) fn restarts(&self) -> u32 {
        self.node.restarts.load(Ordering::SeqCst)
    }

    /// Says something in a new conversation and listens to the end.
    pub(crate) async fn say(&self, text: &str) -> Vec<Event> {
        let began = self.assistant.chat(&Caller::owner(), Target::New, text).await.expect("is taken");
        self.listen(began.turn).await
    }

    pub(crate) async fn listen(&self, turn: TurnId) -> Vec<Event> {
        let mut events = self.assistant.events(&Caller::owner(), turn, None).expect("is known");
        let mut all = Vec::new();
        while let Some(numbered) = events.next().await {
            assert_eq!(numbered.seq as usize, all.len(), "events are numbered without a gap");
            all.push(numbered.event);
        }
        all
    }

    /// Says something, and waits until a person is asked.
    pub(crate) async fn ask(&self, caller: &Caller, to: Target, text: &str) -> (Began, Confirmation) {
        let began = self.assistant.chat(caller, to, text).await.expect("is taken");
        let mut events = self.assistant.events(caller, began.turn, None).expect("is known");
        while let Some(numbered) = events.next().await {
            if let Event::ConfirmationRequired { id, .. } = numbered.event {
                let pending = self.assistant.pending(&Caller::owner());
                let question = pending.into_iter().find(|question| question.id == id);
                return (began, question.expect("the owner is asked"));
            }
        }
        panic!("nobody was asked");
    }

    /// Looks at a question for long enough, then answers it.
    pub(crate) async fn answer(
        &self,
        question: &Confirmation,
        decision: Decision,
    ) -> Result<Resolution, ConfirmRefused> {
        let owner = Caller::owner();
        self.assistant.shown(&owner, question.id, &question.digest)?;
        tokio::time::advance(Duration::from_millis(700)).await;
        self.assistant.confirm(&owner, question.id, &question.digest, decision).await
    }
}

/// The end of a turn.
pub(crate) fn end(events: &[Event]) -> &Event {
    events.last().expect("a turn has an end")
}

pub(crate) fn finished(end: End, receipts: Vec<Receipt>) -> Event {
    Event::Finished(Finished { end, usage: Usage::default(), receipts })
}

pub(crate) fn said(events: &[Event]) -> String {
    events
        .iter()
        .filter_map(|event| if let Event::Text(text) = event { Some(text.as_str()) } else { None })
        .collect()
}

/// A contact on the radio.
pub(crate) fn radio() -> Caller {
    let contact = Principal::new("radio:7f3a").expect("is fine");
    Caller::relayed(contact, Scope::EVERYTHING, Door::Radio, Principal::owner(), OwnerRole)
}

/// A role that the host lowers while somebody waits.
#[derive(Clone, Default)]
pub(crate) struct LiveRole(Arc<std::sync::atomic::AtomicBool>);

impl LiveRole {
    pub(crate) fn lower(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn raise(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Role for LiveRole {
    fn may(&self, _: &str, effect: Effect) -> bool {
        effect == Effect::Read || !self.0.load(Ordering::SeqCst)
    }
}
