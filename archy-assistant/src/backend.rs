//! Who answers: the one trait behind which a model, a matcher or a script sits, and the neutral request that it reads.

#[cfg(all(test, feature = "http"))]
mod asked;
#[cfg(feature = "http")]
mod assemble;
#[cfg(feature = "http")]
mod budget;
#[cfg(feature = "http")]
pub(crate) mod card;
#[cfg(feature = "http")]
mod choice;
#[cfg(feature = "http")]
pub(crate) mod claude;
#[cfg(feature = "http")]
pub(crate) mod deadlines;
#[cfg(feature = "http")]
pub(crate) mod endpoint;
#[cfg(feature = "http")]
mod fault;
#[cfg(all(any(test, fuzzing), feature = "http"))]
#[cfg_attr(fuzzing, expect(dead_code, reason = "the tests feed in more ways"))]
mod fed;
#[cfg(feature = "http")]
mod field;
#[cfg(feature = "http")]
mod fit;
#[cfg(feature = "http")]
mod frames;
#[cfg(all(any(test, fuzzing), feature = "http"))]
pub mod fuzzing;
#[cfg(feature = "http")]
mod history;
#[cfg(feature = "http")]
mod lines;
#[cfg(feature = "http")]
mod listed;
#[cfg(feature = "http")]
mod measure;
#[cfg(feature = "http")]
pub(crate) mod ollama;
#[cfg(feature = "http")]
pub(crate) mod openai;
#[cfg(feature = "http")]
mod places;
#[cfg(feature = "http")]
mod prompt;
#[cfg(feature = "http")]
mod recovery;
#[cfg(feature = "http")]
mod schema;
mod scripted;
#[cfg(feature = "http")]
mod stream;
#[cfg(feature = "http")]
mod thinking;
#[cfg(feature = "http")]
mod transport;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;

#[cfg(feature = "http")]
pub(crate) use self::card::{Calling, ModelCard};
use crate::spec::Candidate;
#[cfg(feature = "http")]
use crate::turn::Content;
use crate::turn::Message;

use crate::{Categories, Destination, Effect, Elsewhere, Sentence, Spec};
pub(crate) use scripted::at_once;
pub use scripted::{Script, Scripted};

/// Something that answers a request with a stream of [`ReplyEvent`]s.
///
/// Called by the assistant for every model call of a turn; several replies may run at once. Dropping the stream cancels
/// the reply and must stop its work. The stream must end after [`ReplyEvent::End`], and that event may be sent only on
/// the vendor's genuine end marker: a stream that ends without it counts as cut, and nothing in it is run. An error is the
/// last item; what comes of it, [`BackendFault`] says.
///
/// ```
/// use std::pin::Pin;
/// use std::sync::Arc;
/// use std::task::{Context, Poll};
///
/// use archy_assistant::{
///     Backend, BackendError, BackendFacts, Categories, EndReason, Locality, Mind, ReplyEvent, ReplyStream, Request,
/// };
/// use futures_core::Stream;
///
/// /// Counts what was said.
/// struct Counts;
///
/// impl Backend for Counts {
///     fn facts(&self) -> BackendFacts {
///         BackendFacts {
///             name: "counts".to_owned(),
///             locality: Locality::OnNode,
///             mind: Mind::Rules,
///             may_receive: Categories::NONE,
///         }
///     }
///
///     fn reply(&self, request: Arc<Request>) -> ReplyStream {
///         let text = format!("There are {} messages.", request.messages.len());
///         Box::pin(Counted(vec![ReplyEvent::End(EndReason::Complete), ReplyEvent::Text(text)]))
///     }
/// }
///
/// /// What is still to be said, the last first.
/// struct Counted(Vec<ReplyEvent>);
///
/// impl Stream for Counted {
///     type Item = Result<ReplyEvent, BackendError>;
///
///     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///         Poll::Ready(self.0.pop().map(Ok))
///     }
/// }
/// # assert_eq!(Counts.facts().name, "counts");
/// ```
pub trait Backend: Send + Sync + 'static {
    /// What the owner declared and what is known of it. Called for every request: answer from memory.
    fn facts(&self) -> BackendFacts;

    /// Starts to answer, at once: what takes time is done while the stream is polled.
    fn reply(&self, request: Arc<Request>) -> ReplyStream;
}

/// The events of one reply.
pub type ReplyStream = Pin<Box<dyn Stream<Item = Result<ReplyEvent, BackendError>> + Send>>;

/// What is known of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendFacts {
    /// What people call it: `ollama qwen3:8b`.
    pub name: String,
    /// Where it runs, as its owner declared.
    pub locality: Locality,
    /// Whether a model answers, or rules do.
    pub mind: Mind,
    /// The categories whose data the owner lets go there; matters only for [`Locality::Remote`].
    pub may_receive: Categories,
}

impl BackendFacts {
    /// Where its bytes go, as the policy reads it.
    pub fn destination(&self) -> Destination {
        match self.locality {
            Locality::OnNode | Locality::OwnNetwork => Destination::Own,
            Locality::Remote => Destination::Remote { may_receive: self.may_receive },
        }
    }
}

/// Where a backend runs: what the owner declared for its address, never inferred upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Locality {
    /// On this machine.
    OnNode,
    /// On another machine of the owner's.
    OwnNetwork,
    /// Anywhere else.
    Remote,
}

impl Locality {
    /// Whether it is one of the owner's own machines.
    pub fn is_home(self) -> bool {
        self != Self::Remote
    }
}

/// What answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mind {
    /// A language model.
    Model,
    /// Fixed rules, without a model.
    Rules,
}

/// What a backend is asked. Only a vendor's own folder turns it into that vendor's text.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tools of this caller, in a stable order. With [`Calls::None`] they may not be called, but their sentences
    /// still serve to answer.
    pub tools: Vec<Offer>,
    /// What is done elsewhere.
    pub elsewhere: Arc<[Elsewhere]>,
    /// The conversation, oldest first; the last one is what to answer.
    pub messages: Vec<Message>,
    /// Whether calls may be made.
    pub calls: Calls,
    /// At most so many bytes of text are taken: a longer reply ends the turn as failed.
    pub max_text: usize,
}

impl Request {
    /// What a person said last: its place among the messages, and the words.
    #[cfg(feature = "http")]
    pub(crate) fn last_said(&self) -> Option<(usize, &str)> {
        self.messages.iter().enumerate().rev().find_map(|(place, message)| match &message.content {
            Content::Said(text) => Some((place, &**text)),
            _ => None,
        })
    }
}

/// A tool as it is offered to a backend.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Its declaration.
    pub spec: Arc<Spec>,
    /// Whether it reads or proposes a write.
    pub effect: Effect,
    /// The JSON schema of its arguments, without references.
    pub schema: Arc<serde_json::Value>,
    /// For each slot, in the spec's order, what this caller may name now.
    pub candidates: Vec<Arc<[Candidate]>>,
}

/// Whether a reply may call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Calls {
    /// The offered ones.
    Allowed,
    /// None: the last request of a turn that must come to its end.
    None,
}

/// One step of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyEvent {
    /// Text of a model.
    Text(String),
    /// A sentence of the node's own (rules answer with it).
    Sentence(Sentence),
    /// A call, with its arguments as raw JSON text.
    Call {
        /// The name as the backend gave it.
        tool: String,
        /// Raw JSON text.
        args: String,
    },
    /// A call whose arguments were no JSON.
    BadCall {
        /// The name as the backend gave it.
        tool: String,
        /// What was wrong, for the backend to read.
        why: String,
    },
    /// A question back, with what can be chosen.
    AskBack {
        /// The question.
        question: Sentence,
        /// The choices, as the person could say them.
        choices: Vec<Sentence>,
    },
    /// Something a later request must carry back unchanged (a signed thinking block).
    Opaque(String),
    /// Tokens that it used; several such events are added up.
    Usage(Usage),
    /// The genuine end.
    End(EndReason),
}

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// It said what it wanted to say, or called what it wanted to call.
    Complete,
    /// It was cut by a length limit: its calls are not run.
    Length,
    /// The vendor refused.
    Refused,
}

/// Tokens used by a reply, as reported; absent counts stay absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input: Option<u64>,
    /// Tokens written.
    pub output: Option<u64>,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub fn and(self, more: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        Self { input: sum(self.input, more.input), output: sum(self.output, more.output) }
    }
}

/// Why a backend could not answer, in the one vocabulary for all vendors, with the vendor's own words beside it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BackendError {
    /// What a caller can do about it.
    pub class: BackendFault,
    /// The vendor's own words, for the operator; other people wrote them.
    pub detail: String,
}

/// The kinds of backend failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackendFault {
    /// Nothing listens there, or it did not answer in time.
    Unreachable,
    /// It is there and cannot take more now; perhaps after this long.
    Busy(Option<Duration>),
    /// It refused the key or the payment.
    Refused,
    /// The model is missing, or cannot do what is needed.
    Unsuitable,
    /// The request does not fit.
    TooLong,
    /// What came back breaks the protocol, or its end is missing.
    Broken,
    /// The model itself failed (unparsable call, crash): asking again may help.
    ModelFault,
}

impl std::fmt::Display for BackendError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.class {
            BackendFault::Unreachable => "the backend does not answer",
            BackendFault::Busy(_) => "the backend is busy",
            BackendFault::Refused => "the backend refused",
            BackendFault::Unsuitable => "the model is missing or cannot call tools",
            BackendFault::TooLong => "the request is too long for the model",
            BackendFault::Broken => "the backend's answer was cut or broken",
            BackendFault::ModelFault => "the model failed",
        })
    }
}

impl std::error::Error for BackendError {}
