//! What the owner can see and verify afterwards, and what is done when it does not fit.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use archy_assistant::*;
use sha2::{Digest as _, Sha256};

use crate::faulty::{Fault, Faulty};
use crate::home::*;
use crate::store::all;

fn restart(app: &str) -> Script {
    Scripted::calls([("app_restart", &format!(r#"{{"app":"{app}"}}"#))])
}

/// The facts of the audit, oldest first.
pub(crate) fn facts(assistant: &Assistant) -> Vec<Fact> {
    let page = assistant.audit(&Caller::owner(), None, usize::MAX).unwrap();
    page.items.into_iter().rev().map(|line| line.fact).collect()
}

/// The store as somebody could have copied it.
pub(crate) fn copy(store: &Arc<dyn Store>) -> Arc<dyn Store> {
    let copied = MemoryStore::new();
    for table in Table::ALL {
        for (key, value) in all(&**store, table, b"") {
            copied.commit(&Batch::new().put(table, key, value), Durability::Kept).unwrap();
        }
    }
    Arc::new(copied)
}

/// Someone else at the chrome, and the owner where others can write.
fn not_the_owner_here() -> [Caller; 2] {
    let guest = Caller::chrome(Principal::new("guest").unwrap(), Scope::EVERYTHING, OwnerRole);
    let radio =
        Caller::relayed(Principal::owner(), Scope::EVERYTHING, Door::Radio, Principal::owner(), OwnerRole);
    [guest, radio]
}

#[tokio::test(start_paused = true)]
async fn the_way_of_a_write_can_be_read_page_by_page() {
    let home = Home::new([restart("hello"), Scripted::says("Restarted.")]).await;
    let (began, question) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    home.answer(&question, Decision::Confirm).await.unwrap();
    home.listen(began.turn).await;

    let audit = |before| home.assistant.audit(&Caller::owner(), before, 2).unwrap();
    let newest = audit(None);
    let settled = Line {
        seq: 14,
        at: newest.items[0].at,
        fact: Fact::Settled(Settled::Done),
        principal: Some(Principal::owner()),
        turn: Some(began.turn),
        confirmation: Some(question.id),
        digest: Some(question.digest),
    };
    let executing = Line { seq: 13, at: newest.items[1].at, fact: Fact::Executing, ..settled.clone() };
    assert_eq!(newest, Page { items: vec![settled, executing], older: Some(13) });
    let older = audit(newest.older);
    assert_eq!(older.items.iter().map(|line| line.seq).collect::<Vec<_>>(), [12, 11]);
    assert_eq!(older.items[0].fact, Fact::Asked);
    let first = audit(Some(2));
    assert_eq!((first.items.len(), first.items[0].fact.clone(), first.older), (1, Fact::Opened, None));
    let sound = Verified::Sound { first: 1, last: 14 };
    assert_eq!(home.assistant.audit_verify(&Caller::owner()).await.unwrap(), sound);
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_at_the_chrome_reads_it_copies_or_erases() {
    let home = Home::new([]).await;
    for caller in not_the_owner_here() {
        let assistant = &home.assistant;
        let refusals = [
            assistant.audit(&caller, None, 9).err(),
            assistant.audit_verify(&caller).await.err(),
            assistant.audit_export(&caller, &mut Vec::new()).err(),
            assistant.audit_acknowledge(&caller).await.err(),
            assistant.backup(&caller, "/nowhere").await.err(),
            assistant.erase(&caller).await.err(),
        ];
        for refused in refusals {
            assert!(matches!(refused, Some(Refused::NotHere)), "{caller:?} {refused:?}");
        }
    }
    assert_eq!(facts(&home.assistant).len(), 11);
}

#[tokio::test(start_paused = true)]
async fn no_line_holds_a_word_that_was_said_read_or_changed() {
    const CANARIES: [&str; 5] = ["canary-said", "canary-app", "canary-log", "canary-answer", "canary-sent"];
    let model = Scripted::new([
        Scripted::calls([("app_logs", r#"{"app":"canary-app"}"#)]),
        Scripted::calls([("app_restart", r#"{"app":"canary-app"}"#)]),
        Scripted::calls([("web_search", r#"{"text":"canary-sent"}"#)]),
        Scripted::says("canary-answer"),
    ])
    .remote(Categories::ALL);
    let home =
        Home::with(model, Arc::new(MemoryStore::new()), Arc::default(), Limits::default()).open_all().await;
    *home.node.log.lock().unwrap() = "canary-log".to_owned();
    let (began, question) = home.ask(&Caller::owner(), Target::New, "canary-said").await;
    home.answer(&question, Decision::Confirm).await.unwrap();
    let question = loop {
        match home.assistant.pending(&Caller::owner()).first() {
            Some(next) if next.id != question.id => break next.clone(),
            _ => tokio::task::yield_now().await,
        }
    };
    home.answer(&question, Decision::Confirm).await.unwrap();
    home.listen(began.turn).await;
    assert_eq!(*home.node.sent.lock().unwrap(), ["canary-sent"]);
    home.assistant.forget(&Caller::owner(), began.conversation).await.unwrap();

    let crossed = facts(&home.assistant).iter().filter(|fact| matches!(fact, Fact::Crossed { .. })).count();
    assert_eq!(crossed, 4);
    for (_, value) in all(&*home.store, Table::Audit, b"") {
        let text = String::from_utf8_lossy(&value);
        for canary in CANARIES {
            assert!(!text.contains(canary), "{text}");
        }
        // Nor its plain digest, from which a short text could be guessed.
        let digest = Sha256::digest("canary-said");
        assert!(!text.contains(&hex(&digest)), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_export_can_be_verified_with_its_documentation_alone() {
    let home = Home::new([Scripted::says("Hi.")]).await;
    home.say("hello").await;
    let mut exported = Vec::new();
    home.assistant.audit_export(&Caller::owner(), &mut exported).unwrap();
    let exported = String::from_utf8(exported).unwrap();
    let (lines, head) = exported.trim_end().rsplit_once('\n').unwrap();
    let mut before = [0; 32];
    for line in lines.lines() {
        let (hash, json) = (&line[9..73], &line[82..line.len() - 1]);
        let parts = [&before[..], &(json.len() as u64).to_be_bytes(), json.as_bytes()];
        before = Sha256::digest(parts.concat()).into();
        assert_eq!(hash, hex(&before), "{line}");
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    let numbers = [lines.lines().count() as u64, 1, 0].map(u64::to_be_bytes).concat();
    let body = hex(&[&numbers[..], &before].concat());
    assert_eq!(head.len(), r#"{"head":""}"#.len() + 2 * 88);
    assert!(head.starts_with(&format!(r#"{{"head":"{body}"#)), "{head}");

    let odd = Batch::new().put(Table::Audit, 3_u64.to_be_bytes(), "no line");
    home.store.commit(&odd, Durability::Kept).unwrap();
    let mut exported = Vec::new();
    home.assistant.audit_export(&Caller::owner(), &mut exported).unwrap();
    let third = String::from_utf8(exported).unwrap().lines().nth(2).unwrap().to_owned();
    assert_eq!(third, r#"{"key":"0000000000000003","value":"6e6f206c696e65"}"#);
    let broken = Verified::Broken(Broken { line: 3, flaw: Flaw::Edited });
    assert_eq!(home.assistant.audit_verify(&Caller::owner()).await.unwrap(), broken);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[tokio::test(start_paused = true)]
async fn while_a_damaged_audit_is_not_acknowledged_everything_counts_as_closed() {
    let home = Home::new([]).await;
    let owner = Caller::owner();
    home.store.commit(&Batch::new().remove(Table::Audit, 11_u64.to_be_bytes()), Durability::Kept).unwrap();
    let again = |scripts: Vec<Script>| {
        let (store, node) = (Arc::clone(&home.store), Arc::clone(&home.node));
        Home::with(Scripted::new(scripts), store, node, Limits::default())
    };
    let held = again(vec![restart("hello"), Scripted::calls([("disk_status", "{}")]), Scripted::says("No.")]);
    let broken = Broken { line: 11, flaw: Flaw::CutTail };
    assert_eq!((held.assistant.opened(), held.assistant.is_held()), (Opened::Damaged(broken), true));
    let events = held.say("restart hello").await;
    assert_eq!(end(&events), &finished(End::Answered, vec![]));
    assert_eq!((held.restarts(), said(&events).as_str()), (0, "No."));
    assert_eq!(held.model.requests()[0].tools.len(), 0, "nothing is offered");
    let ran = |event: &Event| matches!(event, Event::ToolStarted { .. });
    assert!(!events.iter().any(ran), "neither a read nor a write: {events:?}");
    assert_eq!(held.assistant.pending(&owner), []);
    assert_eq!(held.assistant.grants(&owner).unwrap(), Categories::ALL, "what was opened stays written");

    held.assistant.audit_acknowledge(&owner).await.unwrap();
    assert!(!held.assistant.is_held());
    let open = again(vec![restart("hello"), Scripted::says("Done.")]);
    assert_eq!(open.assistant.opened(), Opened::Sound);
    let (_, question) = open.ask(&owner, Target::New, "restart hello").await;
    assert_eq!(open.answer(&question, Decision::Confirm).await.unwrap().outcome, Settled::Done);
    let acknowledged = facts(&open.assistant);
    assert!(acknowledged.contains(&Fact::Damaged(broken)) && acknowledged.contains(&Fact::Acknowledged));
}

#[tokio::test(start_paused = true)]
async fn a_second_process_is_noticed_and_the_first_does_nothing_more() {
    let home = Home::new([restart("hello"), Scripted::says("Not recorded.")]).await;
    let (_, question) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    let other =
        Home::with(Scripted::new([]), Arc::clone(&home.store), Arc::clone(&home.node), Limits::default());
    let answer = home.answer(&question, Decision::Confirm).await.unwrap();
    assert_eq!((answer.outcome, home.restarts()), (Settled::Failed, 0));
    let refused = home.assistant.close_all(&Caller::owner()).await;
    assert!(matches!(refused, Err(Refused::Store(StoreError::InUse))), "{refused:?}");
    let verified = other.assistant.audit_verify(&Caller::owner()).await.unwrap();
    assert!(matches!(verified, Verified::Sound { first: 1, .. }), "{verified:?}");
}

#[tokio::test(start_paused = true)]
async fn at_whatever_commit_the_disk_fails_no_effect_is_without_its_intent_and_none_happens_twice() {
    for how in [Fault::Once, Fault::FromThenOn, Fault::Lies] {
        let mut outcomes = Vec::new();
        for passing in 0.. {
            let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
            let model = Scripted::new([restart("hello"), Scripted::says("Done.")]);
            let home =
                Home::with(model, Arc::clone(&store) as Arc<dyn Store>, Arc::default(), Limits::default())
                    .open_all()
                    .await;
            store.fail_after(passing, how);
            if let Ok(began) = home.assistant.chat(&Caller::owner(), Target::New, "restart hello").await {
                let mut events = home.assistant.events(&Caller::owner(), began.turn, None).unwrap();
                while let Some(numbered) = events.next().await {
                    if let Event::ConfirmationRequired { id, .. } = numbered.event {
                        let pending = home.assistant.pending(&Caller::owner());
                        // Nothing waits when the disk lied about the question: it is only in the journal.
                        if let Some(question) = pending.iter().find(|question| question.id == id) {
                            let _ = home.answer(question, Decision::Confirm).await;
                        }
                    }
                }
            }
            let fell = store.commits() > passing;
            store.mend();
            let intents =
                facts(&home.assistant).iter().filter(|fact| matches!(fact, Fact::Executing)).count();
            let effects = home.restarts() as usize;
            assert!(effects <= intents && intents <= 1, "{how:?} {passing}: {effects} {intents}");
            outcomes.push((effects, intents));

            let again = Home::with(
                Scripted::new([]),
                Arc::clone(&store) as Arc<dyn Store>,
                Arc::clone(&home.node),
                Limits::default(),
            );
            assert_eq!((home.restarts() as usize, again.assistant.opened()), (effects, Opened::Sound));
            let verified = again.assistant.audit_verify(&Caller::owner()).await.unwrap();
            assert!(matches!(verified, Verified::Sound { first: 1, .. }), "{how:?} {passing} {verified:?}");
            if !fell {
                break;
            }
        }
        assert_eq!((outcomes[0], *outcomes.last().unwrap()), ((0, 0), (1, 1)), "{how:?} {outcomes:?}");
        assert!(outcomes.len() > 6, "{how:?} {outcomes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_scrubbing_that_failed_leaves_an_audit_that_goes_on() {
    let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
    let home = Home::with(
        Scripted::new([Scripted::says("Hi.")]),
        Arc::clone(&store) as Arc<dyn Store>,
        Arc::default(),
        Limits::default(),
    );
    home.say("hello").await;
    let owner = Caller::owner();
    let conversation = home.assistant.conversations(&owner, None, 9).unwrap().items[0].id;
    store.fail_after(0, Fault::Lies);
    let refused = home.assistant.forget(&owner, conversation).await;
    assert!(matches!(refused, Err(Refused::Store(StoreError::Full(_)))), "{refused:?}");
    home.assistant.open_category(&owner, Category::Apps).await.unwrap();
    let facts = facts(&home.assistant);
    assert_eq!(facts[facts.len() - 2..], [Fact::Forgotten(conversation), Fact::GrantOpened(Category::Apps)]);
    let verified = home.assistant.audit_verify(&owner).await.unwrap();
    assert_eq!(verified, Verified::Sound { first: 1, last: 3 });
    assert_eq!(home.node.restarts.load(Ordering::SeqCst), 0);
}

/// What the audit says of what may go to a backend, oldest first.
fn may_receive(store: &Arc<dyn Store>, at_start: Option<Scripted>) -> Vec<Option<Categories>> {
    let backend = at_start.unwrap_or_else(|| Scripted::new([]).named("another"));
    let home = Home::with(backend, Arc::clone(store), Arc::default(), Limits::default());
    let one = |fact| match fact {
        Fact::MayReceive { backend, categories } => {
            assert_eq!(backend, "far away");
            Some(categories)
        }
        _ => None,
    };
    facts(&home.assistant).into_iter().filter_map(one).collect()
}

#[tokio::test(start_paused = true)]
async fn what_may_go_to_a_remote_backend_is_written_at_the_start_at_which_it_has_changed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let far = |may| Some(Scripted::new([]).remote(may).named("far away"));
    let (none, system) = (Categories::NONE, Categories::only(Category::System));
    let both = system.with(Category::Apps);
    let mut told = Vec::new();
    for (listed, line) in [
        (Some(Scripted::new([]).named("far away")), None),
        (far(none), None),
        (far(system), Some(Some(system))),
        (far(system), None),
        // It may not be listed for once, as where a command line names another.
        (None, None),
        (far(system), None),
        (far(both), Some(Some(both))),
        (Some(Scripted::new([]).named("far away")), Some(None)),
        (Some(Scripted::new([]).named("far away")), None),
        (far(both), Some(Some(both))),
        (far(none), Some(Some(none))),
        (far(none), None),
    ] {
        told.extend(line);
        assert_eq!(may_receive(&store, listed), told);
    }
    // A record that cannot be read hides nothing.
    store.commit(&Batch::new().put(Table::Meta, b"may-receive", b"{".to_vec()), Durability::Kept).unwrap();
    told.push(Some(system));
    assert_eq!(may_receive(&store, far(system)), told);
    let home = Home::with(Scripted::new([]), Arc::clone(&store), Arc::default(), Limits::default());
    let verified = home.assistant.audit_verify(&Caller::owner()).await.unwrap();
    assert!(matches!(verified, Verified::Sound { first: 1, .. }), "{verified:?}");
}

#[test]
fn where_it_cannot_be_written_that_more_may_go_nothing_is_opened() {
    let inner: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let far = |may| Scripted::new([]).remote(may).named("far away");
    assert_eq!(may_receive(&inner, Some(far(Categories::NONE))), []);
    let faulty = Arc::new(Faulty::new(Arc::clone(&inner)));
    // The line of the start is written, the one after it is not.
    faulty.fail_after(1, Fault::Once);
    let store: Arc<dyn Store> = Arc::clone(&faulty) as Arc<dyn Store>;
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let backend: Arc<dyn Backend> = Arc::new(far(Categories::ALL));
    let opened = Assistant::builder([backend], Toolbox::new(), grants)
        .with_store(store)
        .with_audit_key(Secret::new(*b"the audit's key"))
        .open();
    assert!(matches!(opened, Err(OpenError::Store(StoreError::Full(_)))), "{opened:?}");
    assert_eq!(may_receive(&inner, Some(far(Categories::ALL))), [Some(Categories::ALL)]);
}
