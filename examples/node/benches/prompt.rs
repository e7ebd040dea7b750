//! What the first set of tools costs a model to read, and how much of it a server need not read again: one conversation
//! over a home in memory, as each kind of model is asked. It prints and never fails for being long.
//!
//! Tokens are counted as the library budgets them, on the long side: three bytes of ASCII each, two of anything else.

use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{
    Assistant, Caller, Category, Claude, Locality, MemoryStore, ModelCard, Ollama, OpenAi, PollPending,
    Request, Scripted, Secret, Store, StoredGrants, Target,
};
use archy_node::fake_home::FakeHome;

const HOME: &str = include_str!("../../../evals/cases/home.toml");

/// What is said, and what the model calls before it answers.
const SAID: [(&str, &str, &str); 6] = [
    ("how is the lightning node?", "app_status", r#"{"app":"lnd"}"#),
    ("is the disk full?", "disk_status", "{}"),
    ("show me its log", "app_logs", r#"{"app":"lnd"}"#),
    ("how far is the chain?", "bitcoin_status", "{}"),
    ("which peers are near?", "peers_list", "{}"),
    ("find my letter about rent", "files_search", r#"{"query":"rent"}"#),
];

/// How a request is written.
type Body<'a> = dyn Fn(&Request) -> Vec<u8> + 'a;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // Every program that is run as a benchmark is also asked to list its tests.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let requests = conversation().await;
    let card = ModelCard { follows_schema: true, context: Some(8192), ..ModelCard::default() };
    let ollama = Ollama::new("http://127.0.0.1:1", "m", Locality::OnNode).expect("a URL");
    let small = ollama.clone().with_card(card);
    let openai = OpenAi::new("http://127.0.0.1:1", "m", Locality::OnNode).expect("a URL");
    let claude = Claude::new(Secret::new("key"), "m");
    let ways: [(&str, &Body<'_>); 4] = [
        ("a small model, held to a schema", &|request| small.body(request)),
        ("tools called by the model, Ollama", &|request| ollama.body(request)),
        ("tools called by the model, OpenAI", &|request| openai.body(request)),
        ("tools called by the model, Claude", &|request| claude.body(request)),
    ];
    println!("{:<36} {:>14} {:>12} {:>22}", "what is sent", "first request", "aim", "begins as the last one");
    for (name, body) in ways {
        let bodies: Vec<Vec<u8>> =
            requests.iter().map(|request| body(request)).filter(|body| !body.is_empty()).collect();
        let first = tokens(text(&bodies[0]));
        if std::env::args().any(|argument| argument == "--show") {
            println!("{}", String::from_utf8_lossy(&bodies[0]));
        }
        let texts: Vec<&[u8]> = bodies.iter().map(|body| text(body)).collect();
        let shares = texts.windows(2).map(|two| same(two[0], two[1]) * 100 / two[0].len());
        let least = shares.min().unwrap_or(0);
        println!("{name:<36} {first:>7} tokens {:>12} {least:>15} % least", "<= 1200");
    }
}

fn tokens(body: &[u8]) -> usize {
    let ascii = body.iter().filter(|byte| byte.is_ascii()).count();
    ascii.div_ceil(3) + (body.len() - ascii).div_ceil(2)
}

/// What of a body the model reads: its tools and messages, not what it is held to.
fn text(body: &[u8]) -> &[u8] {
    let place = |key: &str| body.windows(key.len()).position(|bytes| bytes == key.as_bytes());
    let begin = ["\"tools\":", "\"system\":", "\"messages\":"].into_iter().filter_map(place).min();
    let end = place(",\"format\":{").unwrap_or(body.len());
    &body[begin.unwrap_or(0)..end]
}

/// So many bytes of `before` stand at the head of `after` too.
fn same(before: &[u8], after: &[u8]) -> usize {
    before.iter().zip(after).take_while(|(a, b)| a == b).count()
}

/// What a model is asked in a conversation of several turns.
async fn conversation() -> Vec<Arc<Request>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let home = Arc::new(FakeHome::parse(HOME).expect("the file of the cases is a home"));
    let model = Arc::new(Scripted::new([]));
    for (_, tool, args) in SAID {
        model.then(Scripted::calls([(tool, args)]));
        model.then(Scripted::says("It is as it should be, as far as I can see from here."));
    }
    let assistant = Assistant::builder(
        [Arc::clone(&model) as _],
        home.tools(Arc::clone(&grants) as _).into_toolbox(),
        grants,
    )
    .with_store(store)
    .with_sink(Arc::new(PollPending))
    .open()
    .expect("an empty store opens");
    let owner = Caller::owner();
    for category in Category::ALL {
        assistant.open_category(&owner, category).await.expect("the owner may open it");
    }
    let mut to = Target::New;
    for (text, ..) in SAID {
        let began = assistant.chat(&owner, to, text).await.expect("it is taken");
        to = Target::Conversation(began.conversation);
        let mut events = assistant.events(&owner, began.turn, None).expect("it is known");
        while events.next().await.is_some() {}
    }
    assistant.shutdown(Duration::from_secs(1)).await;
    model.requests()
}
