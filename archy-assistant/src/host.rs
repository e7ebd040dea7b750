//! What the assistant asks of its host: small traits, the reading half apart from the controlling one, so that a read
//! is never given anything that could change the node.
//!
//! Every call receives the [`Caller`](crate::Caller), so that a daemon serves it with the same handlers and role check
//! as that person's direct call. `docs/embedding.md` shows how a daemon's own RPC methods map to them. A trait that a node
//! does not give means that its tools are absent.

mod apps;
mod assistant;
mod balances;
mod bitcoin;
mod files;
mod network;
mod notes;
mod settings;
mod system;

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

pub use apps::{App, AppControl, AppId, AppState, AppStatus, Apps, BadAppId, Observed, Running};
pub use assistant::Minds;
pub use balances::{Balance, Balances, Purse};
pub use bitcoin::{Bitcoin, BitcoinStatus, Chain};
pub use files::{BadPath, Entries, Entry, EntryKind, FileStart, Files, SharedPath};
pub use network::{BadPeerId, Interface, Network, NetworkStatus, Peer, PeerId, Peers};
pub use notes::{Note, Notes};
pub use settings::{BadSettingKey, Choice, Setting, SettingControl, SettingKey, SettingRule, Settings};
pub use system::{Disk, Memory, System, SystemStatus};

use crate::Cause;

/// What a host's method returns: write its body as `Box::pin(async move { … })`. Dropping it cancels.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + Send + 'a>>;

/// Why the host, or a tool over it, did not do it, for two audiences: a sentence for people and models, and the cause
/// for the operator's log, which `{:?}` does not print.
#[derive(Debug)]
pub struct HostError {
    says: String,
    cause: Option<Cause>,
}

impl HostError {
    /// `says` must be the node's own words (it may reach a model); what others said belongs into `caused_by`.
    pub fn new(says: impl Into<String>) -> Self {
        Self { says: says.into(), cause: None }
    }

    /// With the cause, which only the operator sees.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        self.cause = Some(cause.into());
        self
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)?;
        weak!(
            CauseIsTold,
            if let Some(cause) = &self.cause {
                write!(f, ": {}", cause.source())?;
            }
        );
        Ok(())
    }
}

impl Error for HostError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(Cause::source)
    }
}
