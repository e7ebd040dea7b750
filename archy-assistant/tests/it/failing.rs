//! A backend that fails somewhere: what of its reply counts, and who answers instead.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use archy_assistant::*;
use futures_core::Stream;

use crate::home::*;

/// A backend whose events come one by one, with a pause before each, as they do over a network.
struct Halting(Arc<Scripted>);

struct Pauses {
    stream: ReplyStream,
    paused: bool,
}

impl Backend for Halting {
    fn facts(&self) -> BackendFacts {
        self.0.facts()
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        Box::pin(Pauses { stream: self.0.reply(request), paused: false })
    }
}

impl Stream for Pauses {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.paused = !self.paused;
        if self.paused {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.stream.as_mut().poll_next(context)
    }
}

fn broken() -> Result<ReplyEvent, BackendError> {
    Err(BackendError { class: BackendFault::Broken, detail: "the connection was lost".to_owned() })
}

/// A home whose model pauses, with the rules behind it.
async fn home(scripts: impl IntoIterator<Item = Script>) -> Home {
    let (node, store): (Arc<Node>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let model = Arc::new(Scripted::new(scripts));
    let backends: [Arc<dyn Backend>; 2] = [Arc::new(Halting(Arc::clone(&model))), Arc::new(Phrases)];
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let assistant = Assistant::builder(backends, toolbox(&node), grants)
        .with_store(Arc::clone(&store))
        .with_sink(Arc::new(PollPending))
        .open()
        .expect("opens");
    Home { node, model, store, assistant }.open_all().await
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_reply_was_cut_afterwards_never_runs_not_even_beside_the_calls_of_the_rules() {
    let args = r#"{"app":"hello"}"#.to_owned();
    let cut = vec![Ok(ReplyEvent::Call { tool: "app_restart".to_owned(), args }), broken()];
    let home = home([cut]).await;
    let events = home.say("how much space is left").await;
    let failure = Failure::Backend(BackendFault::Broken);
    assert_eq!(end(&events), &Event::Failed { failure, receipts: vec![] });
    assert!(!events.iter().any(|event| matches!(event, Event::ToolStarted { .. })));
    assert_eq!((home.assistant.pending(&Caller::owner()), home.restarts()), (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_broke_before_anything_was_seen_is_answered_by_the_rules_if_they_are_sure() {
    let usage = Usage { input: Some(7), output: None };
    let home = home([vec![Ok(ReplyEvent::Usage(usage)), broken()]]).await;
    let events = home.say("how much space is left").await;
    assert_eq!(said(&events), "Free: 1 GB.");
    assert!(events.contains(&Event::BackendSwitched {
        from: "scripted".to_owned(),
        to: "phrases".to_owned(),
        why: BackendFault::Broken,
        leaves: Categories::NONE,
    }));
    assert!(
        matches!(end(&events), Event::Finished(finished) if finished.usage == usage),
        "what it used is not lost"
    );
}

#[tokio::test(start_paused = true)]
async fn rules_that_are_not_sure_do_not_answer_for_a_model() {
    let home = home([vec![broken()], vec![broken()]]).await;
    let failure = Failure::Backend(BackendFault::Broken);
    assert_eq!(end(&home.say("write me a poem").await), &Event::Failed { failure, receipts: vec![] });
}

#[tokio::test(start_paused = true)]
async fn a_write_that_is_done_is_not_proposed_again_when_the_model_fails_afterwards() {
    let empty = vec![Ok(ReplyEvent::End(EndReason::Complete))];
    let home = home([Scripted::calls([("app_restart", r#"{"app":"hello"}"#)]), empty, vec![broken()]]).await;
    let (began, question) = home.ask(&Caller::owner(), Target::New, "restart hello").await;
    home.answer(&question, Decision::Confirm).await.unwrap();
    let events = home.listen(began.turn).await;
    let asked = events.iter().filter(|event| matches!(event, Event::ConfirmationRequired { .. })).count();
    assert_eq!((asked, home.restarts()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_never_ends_is_stopped_whatever_it_is_made_of() {
    let floods: [fn() -> ReplyEvent; 4] = [
        || ReplyEvent::Text(String::new()),
        || ReplyEvent::Opaque("x".repeat(4096)),
        || ReplyEvent::Usage(Usage::default()),
        || ReplyEvent::Sentence(Sentence::default()),
    ];
    for flood in floods {
        let home = Home::new([(0..100_000).map(|_| Ok(flood())).collect()]).await;
        let events = home.say("hello").await;
        let failure = Failure::Limit(Limited::Text);
        assert_eq!(end(&events), &Event::Failed { failure, receipts: vec![] });
    }
}

#[tokio::test(start_paused = true)]
async fn the_words_of_an_error_do_not_go_where_their_category_may_not() {
    let remote =
        Scripted::new([Scripted::calls([("app_restart", r#"{"app":"nothing"}"#)]), Scripted::says("Ok.")])
            .remote(Categories::only(Category::System));
    let home =
        Home::with(remote, Arc::new(MemoryStore::new()), Arc::default(), Limits::default()).open_all().await;
    home.say("restart nothing").await;
    let second = home.model.requests()[1].clone();
    let last = second.messages.last().map(|message| &message.content);
    assert!(matches!(last, Some(Content::Result { outcome: Outcome::Withheld, .. })));
}
