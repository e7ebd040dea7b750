//! A store that fails now and then must not leave a door open.

use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use archy_assistant::*;

use crate::gate::ending;
use crate::home::*;

/// Fails one commit: the one before which so many others were made (below zero it never does), or, where there is
/// somebody to wait for, the next one with a question's end, once they go away.
struct Failing(MemoryStore, AtomicI32, Mutex<Option<mpsc::Receiver<()>>>);

impl Store for Failing {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        let wait_for =
            if ending(batch) { self.2.lock().expect("nobody panics with it").take() } else { None };
        let waited = wait_for.map(|them| them.recv()).is_some();
        if self.1.fetch_sub(1, SeqCst) == 0 || waited {
            return Err(StoreError::Failed("the disk is away for a moment".into()));
        }
        self.0.commit(batch, durability)
    }
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(table, key)
    }
    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        self.0.scan(scan)
    }
    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        self.0.copy_to(file)
    }
}

async fn home(scripts: impl IntoIterator<Item = Script>) -> (Home, Arc<Failing>) {
    let disk = Arc::new(Failing(MemoryStore::new(), AtomicI32::new(-1), Mutex::default()));
    let store = Arc::clone(&disk) as Arc<dyn Store>;
    let home = Home::with(Scripted::new(scripts), store, Arc::default(), Limits::default()).open_all().await;
    (home, disk)
}

fn calls(tool: &str, args: &str) -> Script {
    Scripted::calls([(tool, args)])
}

#[tokio::test(start_paused = true)]
async fn closing_takes_back_the_other_questions_when_one_cannot_be_recorded() {
    let restart = |app: &str| calls("app_restart", &format!(r#"{{"app":"{app}"}}"#));
    let (home, disk) = home([restart("a"), restart("b")]).await;
    let owner = Caller::owner();
    home.ask(&owner, Target::New, "a").await;
    home.ask(&owner, Target::New, "b").await;
    // The grants are written, then the first question's end is not.
    disk.1.store(1, SeqCst);
    assert!(matches!(home.assistant.close_category(&owner, Category::Apps).await, Err(Refused::Store(_))));
    assert_eq!(home.assistant.pending(&owner), []);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_broke_takes_no_question_from_another_that_waits_for_it() {
    let restart = |app: &str| calls("app_restart", &format!(r#"{{"app":"{app}"}}"#));
    let scripts = [restart("b"), restart("a"), restart("a"), Scripted::says("Ok."), Scripted::says("Ok.")];
    let (home, disk) = home(scripts).await;
    let (owner, role) = (Caller::owner(), LiveRole::default());
    let lowered = Caller::chrome(Principal::owner(), Scope::EVERYTHING, role.clone());
    home.ask(&lowered, Target::New, "b").await;
    // Whoever asks next takes back what is not allowed any more, and breaks, because that cannot be recorded.
    role.lower();
    let (both_wait, wait) = mpsc::channel();
    *disk.2.lock().unwrap() = Some(wait);
    let (broken, question) = home.ask(&owner, Target::New, "a").await;
    let (waits, _) = home.ask(&owner, Target::New, "a").await;
    drop(both_wait);
    assert!(matches!(end(&home.listen(broken.turn).await), Event::Failed { failure: Failure::Store, .. }));
    let ids = home.assistant.pending(&owner).iter().map(|question| question.id).collect::<Vec<_>>();
    assert_eq!(ids, [question.id]);
    // Something new is said where it broke, so what is left of it is closed.
    home.assistant.chat(&owner, Target::Conversation(broken.conversation), "well?").await.unwrap();
    let answer = home.answer(&question, Decision::Confirm).await.unwrap();
    assert_eq!((answer.outcome, home.restarts()), (Settled::Done, 1));
    for (turn, outcome) in [(broken.turn, Settled::Cancelled), (waits.turn, Settled::Done)] {
        let (Event::Finished(Finished { receipts, .. }) | Event::Failed { receipts, .. }) =
            end(&home.listen(turn).await).clone()
        else {
            panic!("it has an end");
        };
        assert_eq!(receipts.iter().map(|receipt| receipt.outcome).collect::<Vec<_>>(), [outcome]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_broken_turn_has_read_still_taints_its_conversation() {
    // The turn reads a log, and then the commit of its last answer fails.
    for fails_at in 2..6 {
        let (home, disk) = home([
            calls("app_logs", r#"{"app":"nextcloud"}"#),
            Scripted::says("Look."),
            calls("web_search", r#"{"text":"the secret"}"#),
            Scripted::says("Ok."),
        ])
        .await;
        let owner = Caller::owner();
        disk.1.store(fails_at, SeqCst);
        let began = home.assistant.chat(&owner, Target::New, "look").await.unwrap();
        home.listen(began.turn).await;
        let read = home.model.requests().len() > 1;
        disk.1.store(-1, SeqCst);
        home.assistant.chat(&owner, Target::Conversation(began.conversation), "search").await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let sent = home.node.sent.lock().unwrap().clone();
        assert!(
            !read || sent.is_empty(),
            "the log was read, then {sent:?} went out unasked (commit {fails_at})"
        );
    }
}
