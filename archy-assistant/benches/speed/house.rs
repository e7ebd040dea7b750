//! A node for measuring: twenty tools that do nothing, thirty apps, and a backend that needs no time.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use archy_assistant::host::Answer;
use archy_assistant::{
    Approved, Assistant, Backend, BackendError, BackendFacts, Caller, Candidate, Candidates, Categories,
    Category, ConfirmText, Content, Datum, EndReason, Limits, Locality, Mind, Plan, PollPending, Read,
    ReplyEvent, ReplyStream, Request, Secret, Sentence, Slot, Source, Spec, Store, StoredGrants, ToolError,
    Toolbox, Undo, Write,
};
use futures_core::Stream;
use tokio::time::{Sleep, sleep};

use crate::store::{Counted, Counts};

/// The arguments of every tool here.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct App {
    /// The app's id.
    pub(crate) app: String,
    /// How many lines of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<u32>,
}

/// Names that people gave to things.
pub(crate) struct Names(pub(crate) Vec<Candidate>);

impl Names {
    pub(crate) fn many(count: usize) -> Arc<Self> {
        const FIRST: [&str; 10] =
            ["Next", "Photo", "Silver", "Home", "Paper", "Night", "Open", "Little", "Green", "Sea"];
        const SECOND: [&str; 10] =
            ["cloud", "prism", "library", "assistant", "less", "scout", "radio", "garden", "vault", "chat"];
        let name = |number: usize| {
            let (first, second) = (FIRST[number % 10], SECOND[number / 10 % 10]);
            if number < 100 {
                format!("{first}{second}")
            } else {
                format!("{first}{second} {}", number / 100)
            }
        };
        let named = (0..count)
            .map(|number| Candidate::new(format!("app-{number}")).called(name(number), Source::AppName));
        Arc::new(Self(named.collect()))
    }
}

impl Candidates for Names {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

struct Looks {
    name: &'static str,
    category: Category,
    phrase: &'static str,
    names: Arc<Names>,
}

impl Read for Looks {
    type Args = App;
    fn spec(&self) -> Spec {
        Spec::new(
            self.name,
            self.category,
            "Tells how something of the node is: its state, size, age and version.",
        )
        .phrase(self.phrase)
        .slot(Slot::live("app", Arc::clone(&self.names) as Arc<dyn Candidates>))
        .slot(Slot::number("lines").optional())
        .answer(|all| Sentence::from(all.get("name")).and(" runs: ").and(all.get("runs")).and("."))
    }
    async fn read(&self, _: &Caller, args: App) -> Result<Datum, ToolError> {
        Ok(Datum::record([
            ("name", Datum::others(args.app, Source::AppName)),
            ("runs", Datum::Bool(true)),
            ("memory", Datum::Bytes(412_000_000)),
            ("since", Datum::Seconds(86_400)),
        ]))
    }
}

/// When the last effect began, and what had passed through the store until then.
#[derive(Debug, Default)]
pub(crate) struct Effects(Mutex<Option<(Instant, Counts)>>);

impl Effects {
    pub(crate) fn last(&self) -> (Instant, Counts) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).expect("an effect ran")
    }
}

struct Changes {
    name: &'static str,
    phrase: &'static str,
    names: Arc<Names>,
    effects: Arc<Effects>,
    store: Arc<Counted>,
}

impl Write for Changes {
    type Args = App;
    type Change = App;
    fn spec(&self) -> Spec {
        Spec::new(
            self.name,
            Category::Apps,
            "Changes something about an app after the person has confirmed it.",
        )
        .phrase(self.phrase)
        .slot(Slot::live("app", Arc::clone(&self.names) as Arc<dyn Candidates>))
    }
    async fn plan(&self, _: &Caller, args: App) -> Result<Plan<App>, ToolError> {
        let text = ConfirmText::new("Change an app").id("App", &args.app);
        Ok(Plan { change: args, text, undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, change: Approved<App>) -> Result<Datum, ToolError> {
        let began = (Instant::now(), self.store.counts());
        let _ = change.into_change();
        *self.effects.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(began);
        Ok(Datum::text("It was changed."))
    }
}

const READS: [(&str, Category, &str); 15] = [
    ("app_status", Category::Apps, "how is {app}"),
    ("app_logs", Category::Apps, "what does {app} say"),
    ("app_list", Category::Apps, "which apps are there"),
    ("system_status", Category::System, "how is the node"),
    ("disk_status", Category::System, "how much space is left"),
    ("settings_get", Category::System, "how is {app} set"),
    ("network_status", Category::Network, "what is my address"),
    ("peers_list", Category::Network, "who am I connected to"),
    ("balance_get", Category::Wallet, "how much do I have"),
    ("files_list", Category::Files, "what is in {app}"),
    ("files_search", Category::Files, "find {app}"),
    ("media_search", Category::Media, "play {app}"),
    ("model_status", Category::AiLocal, "which model answers"),
    ("notes_search", Category::Notes, "what did I write about {app}"),
    ("bitcoin_status", Category::Bitcoin, "is bitcoin in sync"),
];

const WRITES: [(&str, &str); 5] = [
    ("app_restart", "restart {app}"),
    ("app_start", "start {app}"),
    ("app_stop", "stop {app}"),
    ("app_pause", "pause {app}"),
    ("app_update", "update {app}"),
];

/// An assistant in such a node, everything open.
pub(crate) struct House {
    pub(crate) assistant: Assistant,
    pub(crate) store: Arc<Counted>,
    pub(crate) effects: Arc<Effects>,
}

impl House {
    pub(crate) async fn new(backend: Arc<dyn Backend>, store: Arc<dyn Store>) -> Self {
        let store = Arc::new(Counted::new(store));
        let effects = Arc::new(Effects::default());
        let names = Names::many(30);
        let mut toolbox = Toolbox::new();
        for (name, category, phrase) in READS {
            toolbox = toolbox.read(Looks { name, category, phrase, names: Arc::clone(&names) });
        }
        for (name, phrase) in WRITES {
            let (names, effects, store) = (Arc::clone(&names), Arc::clone(&effects), Arc::clone(&store));
            toolbox = toolbox.write(Changes { name, phrase, names, effects, store });
        }
        let kept = Arc::clone(&store) as Arc<dyn Store>;
        let grants = Arc::new(StoredGrants::new(Arc::clone(&kept)));
        let mut limits = Limits::default();
        (limits.turns, limits.turns_per_principal) = (2000, 2000);
        (limits.said_per_minute, limits.proposals) = (u32::MAX, usize::MAX);
        let assistant = Assistant::builder([backend], toolbox, grants)
            .with_store(kept)
            .with_sink(Arc::new(PollPending))
            .with_limits(limits)
            .with_audit_key(Secret::new(vec![7; 32]))
            .open()
            .expect("a fresh node opens");
        for category in Category::ALL {
            assistant.open_category(&Caller::owner(), category).await.expect("the owner may open");
        }
        Self { assistant, store, effects }
    }
}

/// A model that does what it is told, at once. Told `stream`, it speaks thirty times a second and never ends; told
/// `wait`, it says nothing; told `word`, it says one and then nothing; told `call JSON`, it calls the tool `app_restart`; anything else makes it look once and
/// then answer.
#[derive(Debug, Default)]
pub(crate) struct Told;

impl Backend for Told {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: "told".to_owned(),
            locality: Locality::OnNode,
            mind: Mind::Model,
            may_receive: Categories::NONE,
        }
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let said = match request.messages.last().map(|message| &message.content) {
            Some(Content::Said(text)) => text.as_str(),
            _ => "",
        };
        match said.split_once(' ').unwrap_or((said, "")) {
            ("stream", _) => Box::pin(Speaks(Box::pin(sleep(Duration::ZERO)))),
            ("wait", _) => Box::pin(Silent(None)),
            ("word", _) => Box::pin(Silent(Some("Well, "))),
            ("call", args) => {
                Box::pin(Plays(vec![ReplyEvent::End(EndReason::Complete), call("app_restart", args)]))
            }
            ("", _) => {
                let text = "It runs, since yesterday, and uses 412 MB of memory.".to_owned();
                Box::pin(Plays(vec![ReplyEvent::End(EndReason::Complete), ReplyEvent::Text(text)]))
            }
            _ => Box::pin(Plays(vec![
                ReplyEvent::End(EndReason::Complete),
                call("app_status", r#"{"app":"app-7"}"#),
            ])),
        }
    }
}

pub(crate) fn call(tool: &str, args: &str) -> ReplyEvent {
    ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() }
}

type Item = Option<Result<ReplyEvent, BackendError>>;

/// Everything at once, from the back.
pub(crate) struct Plays(pub(crate) Vec<ReplyEvent>);

impl Stream for Plays {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Item> {
        Poll::Ready(self.0.pop().map(Ok))
    }
}

struct Silent(Option<&'static str>);

impl Stream for Silent {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Item> {
        let word = self.0.take().map(|word| Ok(ReplyEvent::Text(word.to_owned())));
        if word.is_some() { Poll::Ready(word) } else { Poll::Pending }
    }
}

struct Speaks(Pin<Box<Sleep>>);

impl Stream for Speaks {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Item> {
        if self.0.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        let next = self.0.deadline() + Duration::from_millis(33);
        self.0.as_mut().reset(next);
        Poll::Ready(Some(Ok(ReplyEvent::Text("word ".to_owned()))))
    }
}
