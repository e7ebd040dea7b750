//! The node's apps: started, stopped and watched, and not lost when the node itself ends.
//!
//! An app is a small manifest, `DATA/apps/ID.toml`. What is kept about it lies in `DATA/apps/run/ID/`: the record of its
//! process, its log and its locks. Three processes take part:
//!
//! - the **node** holds a [`Supervisor`]; it may be killed at any time and there may be several;
//! - one **shim** per running app (`archy-node app-shim`, a session of its own) holds the app's lock, so that no app runs
//!   twice, writes its output to a log of bounded size, and records how it ended;
//! - the **app** leads a session of its own. Its identity (pid, start time, boot id) is on the disk before its command is.
//!
//! A node finds an app again by that identity; nothing is ever signalled by pid alone. What an app leaves in its
//! session is ended with it; an app that moves itself to another session (a classic daemon) is not followed.
//!
//! Whoever runs the node under systemd wants `KillMode=process`, or systemd ends the apps with the node.

mod catalog;
mod error;
mod folder;
mod log;
mod manifest;
mod process;
mod record;
mod restarts;
mod shim;
mod start;
mod status;
mod stop;
mod supervisor;

pub use error::AppsError;
pub use shim::run as shim;
pub use status::{App, Restarted, Running, Status};
pub use supervisor::Supervisor;
