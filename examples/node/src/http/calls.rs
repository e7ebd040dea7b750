//! What each call of a session is held to, over HTTP and a WebSocket alike: its pace, how many are under way, and its end.

use std::sync::Arc;

use archy_wire::{Code, Fault};
use jsonrpsee::core::middleware::{Batch, Notification, RpcServiceT};
use jsonrpsee::server::MethodResponse;
use jsonrpsee::types::{ErrorObjectOwned, Request};
use tokio::sync::watch;
use tower::Layer;

use super::sessions::{SessionId, Sessions, log_in_first};

/// The one method that waits for something to happen.
const WAITS: &str = "assistant.events";

/// Holds calls to what their sessions may do.
#[derive(Clone)]
pub(super) struct Limits {
    pub(super) sessions: Arc<Sessions>,
    /// Whether the node is ending.
    pub(super) ending: watch::Receiver<bool>,
}

/// A service behind [`Limits`].
#[derive(Clone)]
pub(super) struct Limited<S> {
    inner: S,
    limits: Limits,
}

impl<S> Layer<S> for Limits {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited { inner, limits: self.clone() }
    }
}

impl<S> RpcServiceT for Limited<S>
where
    S: RpcServiceT<
            MethodResponse = MethodResponse,
            BatchResponse = MethodResponse,
            NotificationResponse = MethodResponse,
        > + Clone
        + Send
        + Sync
        + 'static,
{
    type MethodResponse = MethodResponse;
    type BatchResponse = MethodResponse;
    type NotificationResponse = MethodResponse;

    fn call<'a>(&self, request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let Self { inner, limits: Limits { sessions, mut ending } } = self.clone();
        async move {
            let (id, method) = (request.id().into_owned(), request.method_name().to_owned());
            let refused = |fault: Fault| {
                tracing::info!(?method, reason = fault.says, "refused");
                let error = ErrorObjectOwned::owned(fault.code.number(), fault.says, Some(fault.code));
                MethodResponse::error(id.clone(), error)
            };
            let stopping = || Fault::new(Code::Stopping, "the node is shutting down");
            let session = request.extensions().get::<SessionId>().copied();
            let begun = session.ok_or_else(log_in_first).and_then(|session| sessions.begin(session));
            let mut under_way = match begun {
                Ok(under_way) => under_way,
                Err(fault) => return refused(fault),
            };
            let ended = tokio::select! {
                biased;
                answer = inner.call(request) => return answer,
                () = under_way.logged_out() => log_in_first(),
                _ = ending.wait_for(|ending| *ending), if method == WAITS => stopping(),
            };
            // What was begun goes on without whoever asked for it. At the end of the node everybody is logged out.
            let is_ending = *ending.borrow();
            refused(if is_ending { stopping() } else { ended })
        }
    }

    fn batch<'a>(&self, requests: Batch<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        // The server takes none.
        self.inner.batch(requests)
    }

    fn notification<'a>(&self, told: Notification<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        // No method runs for one.
        self.inner.notification(told)
    }
}
