//! What the assistant asks of its host: small traits, the reading half apart from the controlling one, so that a read
//! is never given anything that could change the node.
//!
//! Every call receives the [`Caller`](crate::Caller), so that a daemon serves it with the same handlers and role check
//! as that person's direct call.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// What a host's method returns: write its body as `Box::pin(async move { … })`. Dropping it cancels.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + Send + 'a>>;

/// Why the host could not answer: a sentence for people and models, and the cause for the operator's log.
#[derive(Debug)]
pub struct HostError {
    says: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl HostError {
    /// `says` must be the host's own words (it may reach a model), what others said belongs into `caused_by`.
    pub fn new(says: impl Into<String>) -> Self {
        Self { says: says.into(), cause: None }
    }

    /// With the cause, which only the operator sees.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)
    }
}

impl Error for HostError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
