//! What the tests of every backend need: a request, patience, and all events of a reply.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::*;
use serde_json::json;

pub(crate) type Events = Vec<Result<ReplyEvent, BackendError>>;

pub(crate) const SHORT: Duration = Duration::from_millis(100);
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Deadlines of which a test shortens the one that it is about.
pub(crate) fn patient() -> Deadlines {
    Deadlines { connect: LONG, load: LONG, first: LONG, silence: LONG }
}

pub(crate) fn request() -> Arc<Request> {
    let spec = Spec::new("disk_status", Category::System, "How much space the disks have.");
    let offer = Offer {
        spec: Arc::new(spec),
        effect: Effect::Read,
        schema: Arc::new(json!({ "type": "object" })),
        candidates: vec![],
    };
    let said =
        Message { label: Label::default(), content: Content::Said("How full is the disk?".to_owned()) };
    Arc::new(Request {
        tools: vec![offer],
        elsewhere: Arc::new([]),
        messages: vec![said],
        calls: Calls::Allowed,
        max_text: 4000,
    })
}

pub(crate) async fn next(stream: &mut ReplyStream) -> Option<Result<ReplyEvent, BackendError>> {
    poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

pub(crate) async fn all(mut stream: ReplyStream) -> Events {
    let mut events = Vec::new();
    while let Some(event) = next(&mut stream).await {
        events.push(event);
    }
    events
}

pub(crate) async fn class(stream: ReplyStream) -> BackendFault {
    all(stream).await.pop().expect("something came").expect_err("the last is an error").class
}

pub(crate) fn text(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.to_owned())
}
