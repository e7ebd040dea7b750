//! A backend that plays a script: for tests, benchmarks and examples that must run without a network.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;

use super::{
    Backend, BackendError, BackendFacts, BackendFault, EndReason, Locality, Mind, ReplyEvent, ReplyStream,
    Request,
};
use crate::Categories;

/// One reply of a script: what comes, in order. A script that ends without [`ReplyEvent::End`] is a stream that was cut.
pub type Script = Vec<Result<ReplyEvent, BackendError>>;

/// Plays one script for each request, in order, and keeps the requests for whoever wants to look at them. When the
/// scripts are used up it cannot be reached.
///
/// ```
/// use archy_assistant::Scripted;
/// let backend = Scripted::new([Scripted::says("Hello.")]);
/// assert!(backend.requests().is_empty());
/// ```
#[derive(Debug)]
pub struct Scripted {
    facts: BackendFacts,
    scripts: Mutex<VecDeque<Script>>,
    requests: Mutex<Vec<Arc<Request>>>,
}

impl Scripted {
    /// A model on the node that plays these scripts.
    pub fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let facts = BackendFacts {
            name: "scripted".to_owned(),
            locality: Locality::OnNode,
            mind: Mind::Model,
            may_receive: Categories::NONE,
        };
        Self { facts, scripts: Mutex::new(scripts.into_iter().collect()), requests: Mutex::default() }
    }

    /// The same somewhere else, where this may go.
    #[must_use]
    pub fn remote(mut self, may_receive: Categories) -> Self {
        self.facts = BackendFacts {
            name: "scripted, remote".to_owned(),
            locality: Locality::Remote,
            may_receive,
            ..self.facts
        };
        self
    }

    /// The same under another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.facts.name);
        self
    }

    /// A reply that says this.
    pub fn says(text: &str) -> Script {
        vec![Ok(ReplyEvent::Text(text.to_owned())), Ok(ReplyEvent::End(EndReason::Complete))]
    }

    /// A reply that calls these tools with this JSON.
    pub fn calls<const N: usize>(calls: [(&str, &str); N]) -> Script {
        let call = |(tool, args): (&str, &str)| {
            Ok(ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() })
        };
        calls.into_iter().map(call).chain([Ok(ReplyEvent::End(EndReason::Complete))]).collect()
    }

    /// Also plays this, after what it has.
    pub fn then(&self, script: Script) {
        lock(&self.scripts).push_back(script);
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        lock(&self.requests).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Backend for Scripted {
    fn facts(&self) -> BackendFacts {
        self.facts.clone()
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        lock(&self.requests).push(request);
        let used_up = || {
            vec![Err(BackendError {
                class: BackendFault::Unreachable,
                detail: "the script is used up".to_owned(),
            })]
        };
        let script = lock(&self.scripts).pop_front().unwrap_or_else(used_up);
        at_once(script)
    }
}

/// A reply whose events are all there already.
pub(crate) fn at_once(events: Script) -> ReplyStream {
    Box::pin(AtOnce(events.into()))
}

struct AtOnce(VecDeque<Result<ReplyEvent, BackendError>>);

impl Stream for AtOnce {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front())
    }
}
