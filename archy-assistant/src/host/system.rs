//! The machine itself.

use super::Answer;
use crate::{Caller, Untrusted};

/// How the machine is. What the host cannot measure is absent, never zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemStatus {
    /// How long it has been up, in seconds.
    pub up_seconds: Option<u64>,
    /// How busy the processors are, in hundredths of all of them together.
    pub cpu_percent: Option<u8>,
    /// The hottest sensor, in whole degrees Celsius.
    pub celsius: Option<i16>,
    /// Its memory.
    pub memory: Option<Memory>,
}

/// Memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// What cannot be given to a new program.
    pub used: u64,
    /// All there is.
    pub total: u64,
}

/// A disk, or what else data is stored on.
#[derive(Debug, Clone, PartialEq)]
pub struct Disk {
    /// What it is called: a label or mount point.
    pub name: Untrusted,
    /// All its bytes.
    pub total: u64,
    /// The bytes that can still be written.
    pub free: u64,
}

/// Reads the machine's state. Called by the tools `system_status` and `disk_status`, once each.
pub trait System: Send + Sync + 'static {
    /// How the machine is now.
    ///
    /// # Errors
    /// When nothing of it can be measured.
    fn status<'a>(&'a self, caller: &'a Caller) -> Answer<'a, SystemStatus>;

    /// The disks, the one with the node's data first; each file system once.
    ///
    /// # Errors
    /// When they cannot be measured.
    fn disks<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Disk>>;
}
