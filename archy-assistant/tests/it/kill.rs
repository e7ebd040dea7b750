//! A node that is killed (SIGKILL) at every step of a turn on a real file system, and started again.
//!
//! The parent starts this test program anew as its child, which says what it does on its standard output and stops at
//! the step that it was told, before or after a commit or in the middle of the effect. There it is killed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod child;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use archy_assistant::*;
use sha2::Digest as _;

use crate::home::finished;
use child::{AT, DIR, RECOVER};

/// What a child said before it was killed or ended.
#[derive(Default)]
struct Said {
    began: Option<Began>,
    events: Vec<serde_json::Value>,
    question: Option<(ConfirmationId, Digest)>,
    resolved: Option<Resolution>,
    /// How many steps there were, when it came to its end.
    over: Option<usize>,
}

fn run(dir: &Path, at: usize, recover: bool) -> Said {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::child::lives_until_it_is_killed", "--nocapture", "--test-threads=1"]);
    command.env(DIR, dir).env(AT, at.to_string()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    if recover {
        command.env(RECOVER, "1");
    }
    let mut child = command.spawn().unwrap();
    let mut said = Said::default();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some((_, line)) = line.split_once("kill: ") else { continue };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "said" => said.began = Some(serde_json::from_str(rest).unwrap()),
            "event" => said.events.push(serde_json::from_str(rest).unwrap()),
            "asked" => said.question = Some(serde_json::from_str(rest).unwrap()),
            "resolved" => said.resolved = Some(serde_json::from_str(rest).unwrap()),
            "over" => said.over = Some(rest.parse().unwrap()),
            "here" => child.kill().unwrap(),
            other => panic!("{other}?"),
        }
    }
    let status = child.wait().unwrap();
    assert_eq!(status.success(), said.over.is_some(), "it was killed or came to its end: {status}");
    said
}

/// Where the question stood on disk when the node was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stood {
    NotAsked,
    Waiting,
    Executing,
    Settled,
}

fn all(store: &dyn Store, table: Table) -> Rows {
    let scan = Scan { table, prefix: vec![], beyond: None, order: Order::Up, limit: usize::MAX };
    store.scan(&scan).unwrap()
}

fn stood(store: &dyn Store) -> Stood {
    let rows = all(store, Table::Confirmation);
    let Some((_, row)) = rows.first() else { return Stood::NotAsked };
    let row: serde_json::Value = serde_json::from_slice(row).unwrap();
    match &row["state"] {
        state if state == "waiting" => Stood::Waiting,
        state if state == "executing" => Stood::Executing,
        state => {
            assert_eq!(state["settled"], "done");
            Stood::Settled
        }
    }
}

/// The audit's lines, after every number and every hash was looked at.
fn audit(store: &dyn Store) -> Vec<Fact> {
    let mut before = [0; 32];
    let lines = all(store, Table::Audit).into_iter().enumerate().map(|(place, (key, row))| {
        let (hash, bytes) = row.split_at(32);
        let length = (bytes.len() as u64).to_be_bytes();
        let chained = sha2::Sha256::new().chain_update(before).chain_update(length).chain_update(bytes);
        assert_eq!(chained.finalize().as_slice(), hash, "line {place} is chained to the one before");
        before.copy_from_slice(hash);
        let line: Line = serde_json::from_slice(bytes).unwrap();
        assert_eq!((line.seq, key), (place as u64 + 1, line.seq.to_be_bytes().to_vec()));
        line.fact
    });
    lines.collect()
}

fn effects(dir: &Path) -> usize {
    std::fs::read_to_string(dir.join("effects")).map_or(0, |text| text.lines().count())
}

#[derive(Default)]
struct Told(Mutex<Vec<Settled>>);

impl ConfirmationSink for Told {
    fn asked(&self, _: &Principal, _: ConfirmationId) {}
    fn settled(&self, _: &Principal, _: ConfirmationId, outcome: Settled) {
        self.0.lock().unwrap().push(outcome);
    }
}

/// Starts again where a child was killed, and looks at everything that it had said.
async fn look(dir: &Path, said: &Said, step: &str) -> Stood {
    let store = Arc::new(SqliteStore::open(dir.join("store")).unwrap());
    let (stood, before) = (stood(&*store), audit(&*store));
    let (ran, claims) = (effects(dir), before.iter().filter(|fact| **fact == Fact::Executing).count());
    assert!(ran <= 1, "{step}: it ran {ran} times");
    assert!(ran <= claims, "{step}: an effect without a durable claim");
    assert!(ran == 0 || matches!(stood, Stood::Executing | Stood::Settled), "{step}: {stood:?}");
    assert!(ran == 1 || stood != Stood::Settled, "{step}: said to be done, but it is not");

    let model = Arc::new(Scripted::new([Scripted::says("Still here.")]));
    let (sink, owner) = (Arc::new(Told::default()), Caller::owner());
    let assistant =
        child::assistant(dir, Arc::clone(&store) as _, Arc::clone(&model) as _, Arc::clone(&sink) as _);
    assert_eq!((assistant.stats(), assistant.pending(&owner)), (Stats::default(), vec![]), "{step}");
    let outcome = match stood {
        Stood::NotAsked => None,
        Stood::Waiting => Some(Settled::Voided),
        Stood::Executing => Some(Settled::OutcomeUnknown),
        Stood::Settled => Some(Settled::Done),
    };
    let news: Vec<_> = outcome.into_iter().filter(|outcome| *outcome != Settled::Done).collect();
    assert_eq!(*sink.0.lock().unwrap(), news, "{step}: the owner is told what nobody knew");

    let conversations = assistant.conversations(&owner, None, 9).unwrap().items;
    if let Some(began) = said.began {
        assert_eq!(conversations[0].id, began.conversation, "{step}: what was said is there");
    }
    if let [conversation] = conversations.as_slice() {
        let turned = assistant.history(&owner, conversation.id, None, 9).unwrap().items.remove(0);
        assert_eq!(turned.said.0.as_str(), "restart hello", "{step}");
        let events: Vec<_> = turned.events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        assert!(events.starts_with(&said.events), "{step}: what was shown is there: {:?}", said.events);
        let receipts = turned.receipts.clone();
        let outcomes: Vec<_> = receipts.iter().map(|receipt| receipt.outcome).collect();
        assert_eq!(outcomes, outcome.into_iter().collect::<Vec<_>>(), "{step}");
        let end = turned.events.last().map(|numbered| numbered.event.clone()).expect("it has an end");
        let whole = events.len() == said.events.len();
        if end != finished(End::Answered, receipts.clone()) {
            assert_eq!(end, finished(End::Interrupted, receipts), "{step}");
            assert!(!whole, "{step}: an end that was shown stays");
            marked(&assistant, &model, conversation.id, &turned, step).await;
        }
    }
    if let Some((id, digest)) = said.question {
        let answer = assistant.confirm(&owner, id, &digest, Decision::Confirm).await.unwrap();
        let says = if stood == Stood::Settled { "hello was restarted" } else { outcome.unwrap().says() };
        assert_eq!(answer, Resolution { outcome: outcome.unwrap(), says: Shown::line(says) }, "{step}");
        assert!(said.resolved.as_ref().is_none_or(|resolved| *resolved == answer), "{step}: an answer stays");
    }
    assert_eq!(effects(dir), ran, "{step}: nothing runs again");
    assert!(audit(&*store).starts_with(&before), "{step}");
    stood
}

/// Text that was cut off is in the conversation, marked, where the model goes on.
async fn marked(
    assistant: &Assistant,
    model: &Scripted,
    conversation: ConversationId,
    turned: &Turned,
    step: &str,
) {
    let owner = Caller::owner();
    let next = assistant.chat(&owner, Target::Conversation(conversation), "and now?").await.unwrap();
    let mut events = assistant.events(&owner, next.turn, None).unwrap();
    while events.next().await.is_some() {}
    let request = model.requests().remove(0);
    let cut = request.messages.iter().filter(|message| {
        matches!(&message.content, Content::Reply { text, .. } if text.shown().as_str() == "It  […]")
    });
    assert_eq!(cut.count(), usize::from(turned.answer.as_str() == "I look. \n\nIt "), "{step}");
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

async fn open_all(dir: &Path) {
    let store = Arc::new(SqliteStore::open(dir.join("store")).unwrap());
    let assistant = child::assistant(dir, store, Arc::new(Scripted::new([])), Arc::new(PollPending));
    for category in [Category::Apps, Category::System] {
        assistant.open_category(&Caller::owner(), category).await.unwrap();
    }
}

fn copied(from: &Path) -> tempfile::TempDir {
    let to = home();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.path().join(file.file_name())).unwrap();
    }
    to
}

#[tokio::test(start_paused = true)]
async fn killed_at_every_step_nothing_shown_is_lost_and_nothing_runs_twice() {
    let fresh = home();
    open_all(fresh.path()).await;
    let (mut stoods, mut killed) = (Vec::new(), Vec::new());
    for at in 0.. {
        let dir = copied(fresh.path());
        let said = run(dir.path(), at, false);
        let image = copied(dir.path());
        let stood = look(dir.path(), &said, &format!("step {at}")).await;
        if let Some(steps) = said.over {
            assert_eq!((stood, at), (Stood::Settled, steps), "each step was one to be killed at");
            println!("killed at each of {steps} steps");
            break;
        }
        if stoods.last() != Some(&stood) {
            stoods.push(stood);
            killed.push((image, said));
        }
    }
    assert_eq!(stoods, [Stood::NotAsked, Stood::Waiting, Stood::Executing, Stood::Settled]);

    // Killed again, at each step of starting again.
    let mut again = 0;
    for (image, said) in &killed {
        for at in 0.. {
            let dir = copied(image.path());
            let ended = run(dir.path(), at, true).over.is_some();
            let store = SqliteStore::open(dir.path().join("store")).unwrap();
            audit(&store);
            drop(store);
            look_after_all(dir.path(), said, &format!("step {at} of starting again"));
            again += 1;
            if ended {
                break;
            }
        }
    }
    println!("killed {again} times while starting again");
}

/// As [`look`], where an earlier start may have ended the question already.
fn look_after_all(dir: &Path, said: &Said, step: &str) {
    let ran = effects(dir);
    let store = Arc::new(SqliteStore::open(dir.join("store")).unwrap());
    let assistant =
        child::assistant(dir, Arc::clone(&store) as _, Arc::new(Scripted::new([])), Arc::new(PollPending));
    let owner = Caller::owner();
    assert_eq!((assistant.stats(), assistant.pending(&owner)), (Stats::default(), vec![]), "{step}");
    for conversation in assistant.conversations(&owner, None, 9).unwrap().items {
        let turned = assistant.history(&owner, conversation.id, None, 9).unwrap().items.remove(0);
        let events: Vec<_> = turned.events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        assert!(events.starts_with(&said.events), "{step}");
        assert_eq!(events.iter().filter(|event| event["event"]["finished"].is_object()).count(), 1, "{step}");
        for receipt in turned.receipts {
            let honest = match receipt.outcome {
                Settled::Done => ran == 1,
                Settled::OutcomeUnknown => true,
                _ => ran == 0,
            };
            assert!(honest, "{step}: {receipt:?}, but it ran {ran} times");
        }
    }
    assert_eq!(effects(dir), ran, "{step}: nothing runs again");
    assert!(ran <= 1);
    audit(&*store);
}
