//! What the assistant's tools see of this machine: one file per trait of the host.

mod apps;
mod files;
mod network;
mod settings;
mod system;

pub(crate) use apps::MachineApps;
pub(crate) use files::SharedFolder;
pub(crate) use network::MachineNetwork;
pub(crate) use settings::SettingsFile;
pub(crate) use system::Machine;

use archy_assistant::HostError;

/// Does on a thread of its own what waits for the disk or for processes. Dropping the future does not stop it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, HostError> + Send + 'static,
) -> Result<T, HostError> {
    let failed = |error| HostError::new("it failed inside the node").caused_by(error);
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}
