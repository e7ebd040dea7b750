//! Messages that do not get to their beginning.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::sync::Arc;

use archy_assistant::*;

use crate::faulty::{Fault, Faulty};
use crate::home::*;

#[tokio::test(start_paused = true)]
async fn a_message_whose_caller_went_away_does_not_keep_the_conversation_busy() {
    for steps in 0..20 {
        let home = Home::new([Scripted::says("Hi.")]).await;
        let owner = Caller::owner();
        let chat = home.assistant.chat(&owner, Target::New, "hello");
        let soon = async {
            for _ in 0..steps {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { biased; _ = chat => {}, () = soon => {} }
        assert!(home.assistant.shutdown(std::time::Duration::from_secs(1)).await, "{steps}");
        assert_eq!(home.assistant.stats().turns, 0, "{steps}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_could_not_be_kept_leaves_nothing_running() {
    let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
    let home = Home::with(
        Scripted::new([]),
        Arc::clone(&store) as Arc<dyn Store>,
        Arc::default(),
        Limits::default(),
    );
    store.fail_after(0, Fault::Once);
    let refused = home.assistant.chat(&Caller::owner(), Target::New, "hello").await;
    assert!(matches!(refused, Err(Refused::Store(StoreError::Full(_)))), "{refused:?}");
    assert_eq!(home.assistant.stats(), Stats::default());
}
