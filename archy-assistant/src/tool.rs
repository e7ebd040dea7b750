//! Tools: a [`Read`] and a [`Write`] are different traits, and only a `Write` can be handed an [`Approved`] change.

mod args;
mod erased;
mod plan;
mod toolbox;

use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use args::ArgsError;
pub(crate) use erased::{Claim, Pending, Soon, planned_read};
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

/// Why a tool did not do it. A tool hands on what its host says with `?`, so it is the same type.
pub type ToolError = HostError;
