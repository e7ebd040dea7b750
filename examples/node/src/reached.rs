//! Whether a model's server could be reached at all: where there was no connection, nothing was sent.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use archy_assistant::{
    Backend, BackendError, BackendFacts, BackendFault, Ollama, ReplyEvent, ReplyStream, Request,
};
use futures_core::Stream;
use tokio::net::TcpStream;

/// How long a server may take to accept.
const PATIENCE: Duration = Duration::from_secs(3);

/// A model whose [`BackendFault::Unreachable`] means that no connection was made. A server that takes one and does not
/// answer has broken off: it may have what was said.
pub(crate) struct Reached {
    model: Ollama,
    /// Its host and port; none where they cannot be told from the URL.
    server: Option<(String, u16)>,
}

impl Reached {
    pub(crate) fn new(model: Ollama, server: Option<(String, u16)>) -> Self {
        Self { model, server }
    }
}

impl Backend for Reached {
    fn facts(&self) -> BackendFacts {
        self.model.facts()
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let (model, server) = (self.model.clone(), self.server.clone());
        let connecting = async move {
            let connected = match server {
                Some(server) => tokio::time::timeout(PATIENCE, TcpStream::connect(server)).await,
                None => return Some(model.reply(request)),
            };
            connected.ok()?.ok()?;
            Some(model.reply(request))
        };
        Box::pin(Replying::Connecting(Box::pin(connecting)))
    }
}

enum Replying {
    /// Ends with the reply, or without one where there is no connection.
    Connecting(Pin<Box<dyn Future<Output = Option<ReplyStream>> + Send>>),
    Connected(ReplyStream),
    Over,
}

impl Stream for Replying {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match &mut *self {
                Self::Connecting(connecting) => {
                    let Some(reply) = ready!(connecting.as_mut().poll(context)) else {
                        *self = Self::Over;
                        let detail = "no connection could be made".to_owned();
                        let error = BackendError { class: BackendFault::Unreachable, detail };
                        return Poll::Ready(Some(Err(error)));
                    };
                    *self = Self::Connected(reply);
                }
                Self::Connected(reply) => {
                    let event = ready!(reply.as_mut().poll_next(context));
                    return Poll::Ready(event.map(|event| event.map_err(after_connecting)));
                }
                Self::Over => return Poll::Ready(None),
            }
        }
    }
}

fn after_connecting(error: BackendError) -> BackendError {
    match error.class {
        BackendFault::Unreachable => BackendError { class: BackendFault::Broken, ..error },
        _ => error,
    }
}
