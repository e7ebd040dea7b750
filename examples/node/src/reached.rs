//! Whether a model's server could be reached at all: where there was no connection, nothing was sent.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use archy_assistant::{
    Backend, BackendError, BackendFacts, BackendFault, Mind, Ollama, ReplyEvent, ReplyStream, Request,
};
use futures_core::Stream;
use tokio::net::TcpStream;

use crate::backends::Entry;
use crate::cards::Cards;
use crate::model;

/// How long a server may take to accept.
const PATIENCE: Duration = Duration::from_secs(3);

/// A model whose [`BackendFault::Unreachable`] means that no connection was made. A server that takes one and does not
/// answer has broken off: it may have what was said.
pub(crate) struct Reached {
    model: Model,
    /// The host and port of its server, or of the proxy before it; none where they cannot be told from the URL.
    server: Option<(String, u16)>,
}

#[derive(Clone)]
enum Model {
    Known(Arc<dyn Backend>),
    First(Arc<First>),
}

/// The first model of an Ollama server that can call tools, looked for when it is asked: the server was not there before.
pub(crate) struct First {
    entry: Entry,
    cards: Cards,
    /// What people call it, whichever model is found.
    name: String,
    found: OnceLock<Ollama>,
}

impl First {
    pub(crate) fn new(entry: Entry, cards: Cards) -> Self {
        let name = format!("{} at {}", entry.name, entry.url);
        Self { entry, cards, name, found: OnceLock::new() }
    }

    async fn model(&self) -> Result<Ollama, BackendError> {
        if let Some(found) = self.found.get() {
            return Ok(found.clone());
        }
        let fault = |detail: String| BackendError { class: BackendFault::Unsuitable, detail };
        let models = model::able(&self.entry).await?;
        // The request was made for what runs where the owner says; a cloud is none of that.
        let first = models.into_iter().find(|model| !model.cloud || !self.entry.is_home());
        let first = first.ok_or_else(|| fault("no model there can call tools".to_owned()))?;
        let card = self.cards.of(&self.entry, &first.name).map(|measured| measured.card);
        let model =
            model::ollama(&self.entry, &first.name, card).map_err(|error| fault(error.to_string()))?;
        Ok(self.found.get_or_init(|| model).clone())
    }
}

impl Reached {
    pub(crate) fn new(model: Arc<dyn Backend>, server: Option<(String, u16)>) -> Self {
        Self { model: Model::Known(model), server }
    }

    pub(crate) fn first(first: First, server: Option<(String, u16)>) -> Self {
        Self { model: Model::First(Arc::new(first)), server }
    }
}

impl Backend for Reached {
    fn facts(&self) -> BackendFacts {
        match &self.model {
            Model::Known(model) => model.facts(),
            Model::First(first) => BackendFacts {
                name: first.name.clone(),
                locality: first.found.get().map_or(first.entry.locality, |found| found.facts().locality),
                mind: Mind::Model,
                may_receive: first.entry.may_receive,
            },
        }
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let (model, server) = (self.model.clone(), self.server.clone());
        let connecting = async move {
            if let Some(server) = server {
                let connected = tokio::time::timeout(PATIENCE, TcpStream::connect(server)).await;
                if !matches!(connected, Ok(Ok(_))) {
                    return Err(no_connection());
                }
            }
            match model {
                Model::Known(model) => Ok(model.reply(request)),
                // Nothing of the request is sent before a model is found.
                Model::First(first) => Ok(first.model().await?.reply(request)),
            }
        };
        Box::pin(Replying::Connecting(Box::pin(connecting)))
    }
}

fn no_connection() -> BackendError {
    BackendError { class: BackendFault::Unreachable, detail: "no connection could be made".to_owned() }
}

enum Replying {
    /// Ends with the reply, or without one where there is none.
    Connecting(Pin<Box<dyn Future<Output = Result<ReplyStream, BackendError>> + Send>>),
    Connected(ReplyStream),
    Over,
}

impl Stream for Replying {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match &mut *self {
                Self::Connecting(connecting) => match ready!(connecting.as_mut().poll(context)) {
                    Ok(reply) => *self = Self::Connected(reply),
                    Err(error) => {
                        *self = Self::Over;
                        return Poll::Ready(Some(Err(error)));
                    }
                },
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
