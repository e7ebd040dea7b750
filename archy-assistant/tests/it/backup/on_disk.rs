//! Copies, rollbacks and erasing with a store and a witness in files.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::path::Path;
use std::sync::Arc;

use archy_assistant::*;

use super::restart;
use crate::audit::facts;
use crate::home::*;

fn open(directory: &Path, scripts: Vec<Script>, restored: bool) -> Home {
    let store = Arc::new(SqliteStore::open(directory.join("archy.db")).unwrap());
    Home::opened(Scripted::new(scripts), store, Arc::default(), |builder| {
        let witness = Arc::new(FileWitness::new(directory.join("head")));
        let builder = builder.with_head_witness(witness);
        if restored { builder.with_restored_copy() } else { builder }
    })
}

/// Whether these words are anywhere in the files of the directory.
fn holds(directory: &Path, words: &str) -> bool {
    let mut files = std::fs::read_dir(directory).unwrap();
    files.any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes.windows(words.len()).any(|part| part == words.as_bytes())
    })
}

#[tokio::test]
async fn a_copy_made_while_a_turn_waits_is_whole_and_an_older_one_put_back_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let owner = Caller::owner();
    let scripts = vec![restart("hello"), Scripted::says("Never mind."), Scripted::says("More.")];
    let home = open(directory.path(), scripts, false).open_all().await;
    let (began, question) = home.ask(&owner, Target::New, "restart hello").await;
    let backup = directory.path().join("backup");
    home.assistant.backup(&owner, &backup).await.unwrap();
    assert!(home.assistant.backup(&owner, &backup).await.is_err(), "it is not written over");
    home.assistant.confirm(&owner, question.id, &question.digest, Decision::Deny).await.unwrap();
    home.listen(began.turn).await;
    home.say("more").await;
    drop(home);

    let put_back = || {
        std::fs::copy(&backup, directory.path().join("archy.db")).unwrap();
    };
    put_back();
    let noticed = open(directory.path(), vec![], false);
    let opened = noticed.assistant.opened();
    assert_eq!(opened, Opened::RolledBack { remembered: 15, found: 13 });
    assert!(noticed.assistant.is_held());
    drop(noticed);

    put_back();
    let restored = open(directory.path(), vec![Scripted::says("Back again.")], true);
    assert_eq!((restored.assistant.opened(), restored.assistant.is_held()), (Opened::Restored, false));
    let all = facts(&restored.assistant);
    let tail = [Fact::Asked, Fact::CopiedOut, Fact::Restored, Fact::Opened, Fact::Settled(Settled::Voided)];
    assert_eq!(all[all.len() - 5..], tail);
    let turned = restored.assistant.history(&owner, began.conversation, None, 9).unwrap();
    assert_eq!(turned.items[0].said.0.as_str(), "restart hello");
    assert_eq!(said(&restored.say("are you there?").await), "Back again.");
    let verified = restored.assistant.audit_verify(&owner).await.unwrap();
    assert!(matches!(verified, Verified::Sound { first: 1, .. }), "{verified:?}");
}

#[tokio::test]
async fn what_was_forgotten_or_erased_is_not_in_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let owner = Caller::owner();
    let scripts = ["a nightingale-answer", "a magpie-answer"].map(Scripted::says).to_vec();
    let home = open(directory.path(), scripts, false).open_all().await;
    home.say("nightingale-said").await;
    home.say("magpie-said").await;
    let listed = home.assistant.conversations(&owner, None, 9).unwrap().items;
    assert!(holds(directory.path(), "nightingale"));
    home.assistant.forget(&owner, listed[1].id).await.unwrap();
    assert!(!holds(directory.path(), "nightingale"));
    assert!(holds(directory.path(), "magpie"));
    home.assistant.erase(&owner).await.unwrap();
    for words in ["magpie", "grant-opened", "\"apps\""] {
        assert!(!holds(directory.path(), words), "{words}");
    }
    drop(home);
    let again = open(directory.path(), vec![], false);
    assert_eq!((again.assistant.opened(), again.assistant.is_held()), (Opened::Sound, false));
    assert_eq!(facts(&again.assistant), [Fact::Erased, Fact::Opened]);
    assert_eq!(again.assistant.grants(&owner).unwrap(), Categories::NONE);
}

#[tokio::test]
async fn a_directory_that_was_deleted_is_a_fresh_node_with_everything_closed() {
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("data");
    std::fs::create_dir(&inside).unwrap();
    drop(open(&inside, vec![], false).open_all().await);
    std::fs::remove_dir_all(&inside).unwrap();
    std::fs::create_dir(&inside).unwrap();
    let fresh = open(&inside, vec![], false);
    assert_eq!(fresh.assistant.opened(), Opened::Fresh);
    assert_eq!(fresh.assistant.grants(&Caller::owner()).unwrap(), Categories::NONE);
}
