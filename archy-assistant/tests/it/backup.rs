//! Copies of everything, put back on purpose or not.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(feature = "sqlite")]
mod on_disk;

use std::sync::{Arc, Mutex};

use archy_assistant::*;

use crate::audit::{copy, facts};
use crate::home::*;

fn restart(app: &str) -> Script {
    Scripted::calls([("app_restart", &format!(r#"{{"app":"{app}"}}"#))])
}

#[derive(Default)]
struct Witness(Mutex<Option<Sealed>>);

impl HeadWitness for Witness {
    fn remember(&self, head: &Sealed) -> std::io::Result<()> {
        *self.0.lock().unwrap() = Some(head.clone());
        Ok(())
    }
    fn recall(&self) -> std::io::Result<Option<Sealed>> {
        Ok(self.0.lock().unwrap().clone())
    }
}

/// A home whose question waits, and a copy of its store from then; afterwards somebody has closed everything.
async fn copied_while_it_waits(witness: &Arc<Witness>) -> (Home, Confirmation, Arc<dyn Store>) {
    let model = Scripted::new([restart("hello"), Scripted::says("Ok.")]);
    let home = Home::opened(model, Arc::new(MemoryStore::new()), Arc::default(), |builder| {
        builder.with_head_witness(Arc::clone(witness) as Arc<dyn HeadWitness>)
    })
    .open_all()
    .await;
    let (_, question) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    let copied = copy(&home.store);
    home.assistant.close_all(&Caller::owner()).await.unwrap();
    (home, question, copied)
}

#[tokio::test(start_paused = true)]
async fn what_waited_in_a_restored_copy_is_void_and_the_restore_is_written_down() {
    let witness = Arc::default();
    let (home, question, copied) = copied_while_it_waits(&witness).await;
    let restored = Home::opened(Scripted::new([]), copied, Arc::clone(&home.node), |builder| {
        builder.with_head_witness(Arc::clone(&witness) as Arc<dyn HeadWitness>).with_restored_copy()
    });
    assert_eq!((restored.assistant.opened(), restored.assistant.is_held()), (Opened::Restored, false));
    let owner = Caller::owner();
    assert_eq!(restored.assistant.pending(&owner), []);
    let answer = restored.assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await;
    assert_eq!((answer.unwrap().outcome, restored.restarts()), (Settled::Voided, 0));
    let facts = facts(&restored.assistant);
    let tail = [Fact::Asked, Fact::Restored, Fact::Opened, Fact::Settled(Settled::Voided)];
    assert_eq!(facts[facts.len() - 4..], tail);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_was_rolled_back_opens_nothing_that_was_closed_since() {
    let witness = Arc::default();
    let (home, question, copied) = copied_while_it_waits(&witness).await;
    let rolled_back =
        Home::opened(Scripted::new([restart("hello")]), copied, Arc::clone(&home.node), |builder| {
            builder.with_head_witness(Arc::clone(&witness) as Arc<dyn HeadWitness>)
        });
    // Ten categories were closed and the question was withdrawn after the copy.
    let opened = Opened::RolledBack { remembered: 23, found: 12 };
    assert_eq!((rolled_back.assistant.opened(), rolled_back.assistant.is_held()), (opened, true));
    let owner = Caller::owner();
    assert_eq!(rolled_back.assistant.grants(&owner).unwrap(), Categories::ALL, "so the copy has it");
    rolled_back.say("restart hello").await;
    let answer = rolled_back.assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm);
    assert_eq!((answer.await.unwrap().outcome, rolled_back.restarts()), (Settled::Voided, 0));
    assert!(facts(&rolled_back.assistant).contains(&Fact::RolledBack { remembered: 23, found: 12 }));
}

#[test]
fn a_file_remembers_the_last_head_and_only_its_owner_reads_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("head");
    let witness = FileWitness::new(&file);
    assert_eq!(witness.recall().unwrap(), None);
    for bytes in [vec![1; 88], vec![2; 88]] {
        witness.remember(&Sealed::from_bytes(bytes.clone())).unwrap();
        assert_eq!(FileWitness::new(&file).recall().unwrap(), Some(Sealed::from_bytes(bytes)));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}
