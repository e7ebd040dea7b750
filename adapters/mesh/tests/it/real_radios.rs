//! The door on a real radio: MeshCore nodes of another author, spoken to over TCP, with the official client as the peer.
//! Everything on loopback. It needs Python 3 with `venv` and the means to install two packages.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{
    Assistant, Backend, Caller, Categories, MemoryStore, PollPending, Script, Scripted, Store, StoredGrants,
    SystemClock, Toolbox,
};
use archy_mesh::{
    Admission, Allowance, Companion, ContactKey, Down, InProcess, LinkState, Radio, Settings, Tcp,
    TrustNobody,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};

const PACKAGES: [&str; 2] = ["openhop-core==1.1.3", "meshcore==2.3.17"];
const ASK_FOR_IT: &str = "the radio door is tested with real radios: install python3, python3-venv and python3-pip \
    (and let pip reach its index once, for openhop-core and meshcore)";
const PATIENCE: Duration = Duration::from_secs(25);

/// A Python that has the packages, made once below the target directory.
async fn python() -> PathBuf {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mesh-venv");
    let python = place.join("bin/python");
    let is_made = place.join(PACKAGES.join(" ").replace("==", "-"));
    if !is_made.exists() {
        let run = async |program: PathBuf, arguments: &[&str]| {
            let done = Command::new(&program).args(arguments).output().await;
            let done = done.unwrap_or_else(|error| panic!("{ASK_FOR_IT}: {}: {error}", program.display()));
            assert!(done.status.success(), "{ASK_FOR_IT}: {}", String::from_utf8_lossy(&done.stderr));
        };
        run("python3".into(), &["-m", "venv", "--clear", place.to_str().expect("it is text")]).await;
        run(python.clone(), &[&["-m", "pip", "install", "--quiet"][..], &PACKAGES].concat()).await;
        std::fs::write(is_made, "").expect("a mark can be made beside what was installed");
    }
    python
}

/// The radios' process.
struct Air {
    _process: Child,
    commands: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    seen: Vec<Value>,
}

impl Air {
    async fn new() -> (Self, Value) {
        let mut process = Command::new(python().await)
            .args(["-B", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/air.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("python starts");
        let commands = process.stdin.take().expect("it is piped");
        let lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        let mut air = Self { _process: process, commands, lines, seen: Vec::new() };
        let ready = air.until(|line| !line["ready"].is_null()).await;
        (air, ready["ready"].clone())
    }

    async fn tell(&mut self, command: Value) {
        self.commands.write_all(format!("{command}\n").as_bytes()).await.expect("the radios listen");
    }

    /// The next line that is meant; those before it are kept.
    async fn until(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        let found = timeout(PATIENCE, async {
            loop {
                let line = self.lines.next_line().await.expect("it is text").expect("the radios are there");
                // A library may print what is no JSON.
                let Ok(line) = serde_json::from_str::<Value>(&line) else { continue };
                self.seen.push(line.clone());
                if is_meant(&line) {
                    return line;
                }
            }
        });
        let found = found.await;
        found.unwrap_or_else(|_| panic!("it never came; what did: {:#?}", self.seen))
    }

    async fn heard(&mut self, who: &str) -> String {
        let line = self.until(|line| line["who"] == who && !line["heard"].is_null()).await;
        line["heard"].as_str().expect("it is text").to_owned()
    }

    /// Whatever comes within so long is kept.
    async fn listen(&mut self, for_so_long: Duration) {
        let never = timeout(for_so_long, async {
            while let Ok(Some(line)) = self.lines.next_line().await {
                self.seen.extend(serde_json::from_str::<Value>(&line));
            }
        });
        let _ = never.await;
    }

    /// What somebody has heard so far.
    fn all_heard(&self, who: &str) -> Vec<String> {
        let theirs = self.seen.iter().filter(|line| line["who"] == who);
        theirs.filter_map(|line| line["heard"].as_str().map(str::to_owned)).collect()
    }
}

fn assistant(scripts: Vec<Script>) -> (Assistant, Arc<Scripted>) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let model = Arc::new(Scripted::new(scripts));
    let assistant = Assistant::builder([Arc::clone(&model) as Arc<dyn Backend>], Toolbox::new(), grants)
        .with_store(store)
        .with_sink(Arc::new(PollPending))
        .open()
        .expect("it opens");
    (assistant, model)
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("never so: {what}"));
}

const LONG: &str = "**Место на диске**: 412 ГБ свободно 👍. The chain is at block 912,345, as it should be. Семья 👨‍👩‍👧‍👦 и \
    всё остальное в порядке: see [the page](https://example.org/x).";

#[tokio::test]
async fn a_contact_asks_over_real_radios() {
    let (mut air, radios) = Air::new().await;
    let key =
        |name: &str| -> ContactKey { radios[name]["key"].as_str().expect("a key").parse().expect("a key") };
    let scripts = [LONG, "It is up.", "Twice asked, once answered.", "All is well.", "Still here."];
    let (assistant, model) = assistant(scripts.map(Scripted::says).into());
    let settings = Settings {
        admission: Admission {
            enabled: true,
            allowed_contacts: [key("peer"), key("denied")].into(),
            denied_askers: [key("denied")].into(),
            categories: Categories::ALL,
            ..Admission::default()
        },
        airtime: Allowance { permille: 1000, one_asker_percent: 100, ..Allowance::default() },
        ..Settings::default()
    };
    let clock = SystemClock;
    let radio =
        Radio::new(assistant.clone(), settings, Arc::new(TrustNobody), InProcess::default(), Arc::new(clock));
    let address = format!("127.0.0.1:{}", radios["home"]["port"]);
    let link = Companion::new(Tcp(address), Arc::new(clock));
    let served = radio.clone();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move { served.serve(link).await });
    until("the radio is there and knows both", || radio.status().contacts.len() >= 2).await;
    assert_eq!(radio.status().facts.expect("it is up").key, Some(key("home")));

    // An encrypted message with Cyrillic and emoji is received whole, and answered in parts that are acknowledged.
    let question = "сколько места осталось? 👋🏽";
    air.tell(json!({"do": "say", "who": "peer", "text": question})).await;
    let parts = [air.heard("peer").await, air.heard("peer").await];
    assert_eq!(
        parts,
        [
            "1/2 Место на диске: 412 ГБ свободно 👍. The chain is at block 912,345, as it should be. ",
            "2/2 Семья 👨‍👩‍👧‍👦 и всё остальное в порядке: see the page.",
        ]
    );
    assert_eq!(
        model.requests().last().and_then(|request| request.messages.last().cloned()).map(|said| said.content),
        Some(archy_assistant::Content::Said(question.to_owned()))
    );
    until("both parts are acknowledged", || radio.status().counts.acknowledged == 2).await;
    let conversations = assistant.conversations(&Caller::owner(), None, 9).expect("the owner reads all");
    assert_eq!(conversations.items.len(), 1);

    // Our packet is lost: it is sent again and heard once.
    air.tell(json!({"do": "lose", "from": "home", "kind": "text", "count": 1})).await;
    air.tell(json!({"do": "say", "who": "peer", "text": "is it up?"})).await;
    assert_eq!(air.heard("peer").await, "It is up.");
    until("the repetition is acknowledged", || radio.status().counts.acknowledged == 3).await;
    assert_eq!(radio.status().counts.packets, 4);

    // Our acknowledgements are lost and every packet comes twice: the question comes again and again, the answer once.
    air.tell(json!({"do": "lose", "from": "home", "kind": "ack", "count": 2})).await;
    air.tell(json!({"do": "twice", "is": true})).await;
    air.tell(json!({"do": "say", "who": "peer", "text": "and again?"})).await;
    assert_eq!(air.heard("peer").await, "Twice asked, once answered.");
    air.until(|line| line["said"] == "and again?").await;
    air.tell(json!({"do": "twice", "is": false})).await;
    assert!(radio.status().silences.contains_key(&archy_mesh::Silence::Duplicate), "{:?}", radio.status());

    // A denied key hears nothing, and everything that was ever said is played again in vain.
    air.tell(json!({"do": "say", "who": "denied", "text": "which block?"})).await;
    air.until(|line| line["who"] == "denied" && !line["said"].is_null()).await;
    air.tell(json!({"do": "again"})).await;
    air.listen(Duration::from_secs(3)).await;
    assert_eq!(air.all_heard("denied"), [""; 0]);
    assert_eq!(air.all_heard("peer").len(), 4, "{:?}", air.all_heard("peer"));
    assert_eq!(model.requests().len(), 3);
    assert!(radio.status().silences.contains_key(&archy_mesh::Silence::NotAdmitted));

    // Another program takes the radio, and the owner is told so.
    air.tell(json!({"do": "evict"})).await;
    until("it is said that the radio is taken", || {
        radio.status().link == LinkState::Down(Down::TakenByAnother)
    })
    .await;
    println!("{:?}", radio.status().counts);
}
