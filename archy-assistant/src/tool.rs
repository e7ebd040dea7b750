//! Tools: a [`Read`] and a [`Write`] are different traits, and only a `Write` can be handed an [`Approved`] change.

mod args;
mod erased;
mod plan;
mod toolbox;

use std::error::Error;
use std::fmt;
use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use args::ArgsError;
pub(crate) use erased::{Claim, Pending, planned_read};
pub use plan::{Approved, ConfirmText, Plan, Undo};
pub(crate) use toolbox::{Body, Judged, Tool};
pub use toolbox::{Toolbox, ToolboxError};

use crate::{Caller, Datum, HostError, Spec};

/// A tool that changes nothing on the node. It is built from reading halves of the host only.
///
/// ```
/// use archy_assistant::{Caller, Category, Datum, NoArgs, Read, Spec, ToolError};
/// struct Uptime;
/// impl Read for Uptime {
///     type Args = NoArgs;
///     fn spec(&self) -> Spec {
///         Spec::new("uptime", Category::System, "Since when the node runs.").phrase("how long have you been up")
///     }
///     async fn read(&self, _: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
///         Ok(Datum::Seconds(86_400))
///     }
/// }
/// ```
pub trait Read: Send + Sync + 'static {
    /// The arguments: a plain struct with `#[serde(deny_unknown_fields)]`, no tagged, flattened or untagged parts.
    type Args: DeserializeOwned + Serialize + JsonSchema + Send;

    /// The declaration. Called once, when the toolbox is made.
    fn spec(&self) -> Spec;

    /// Reads. Runs beside other reads; dropping the future cancels it.
    fn read(
        &self,
        caller: &Caller,
        args: Self::Args,
    ) -> impl Future<Output = Result<Datum, ToolError>> + Send;
}

/// A tool that changes the node, in two steps with a person between them.
pub trait Write: Send + Sync + 'static {
    /// The arguments, as for a [`Read`].
    type Args: DeserializeOwned + Serialize + JsonSchema + Send;
    /// What the effect depends on and nothing else; compared by equality just before it runs. No maps with a random
    /// order and no floating point: it is part of the confirmation's digest.
    type Change: Serialize + PartialEq + Send + Sync + 'static;

    /// The declaration. Called once, when the toolbox is made.
    fn spec(&self) -> Spec;

    /// What the call would change, without changing anything. Called when the write is proposed and again when it was
    /// confirmed: where the two changes differ, nothing runs.
    fn plan(
        &self,
        caller: &Caller,
        args: Self::Args,
    ) -> impl Future<Output = Result<Plan<Self::Change>, ToolError>> + Send;

    /// Runs the change, once. It reports what it *observed* afterwards.
    fn apply(
        &self,
        caller: &Caller,
        change: Approved<Self::Change>,
    ) -> impl Future<Output = Result<Datum, ToolError>> + Send;
}

/// The arguments of a tool that takes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// Why a tool did not do it, for two audiences: a sentence for the model and the person, a cause for the operator.
#[derive(Debug)]
pub struct ToolError {
    says: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// `says` must be the node's own words: what others said belongs into `caused_by`.
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

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<HostError> for ToolError {
    fn from(error: HostError) -> Self {
        Self { says: error.to_string(), cause: Some(Box::new(error)) }
    }
}
