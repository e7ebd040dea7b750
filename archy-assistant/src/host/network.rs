//! The network, and the peers that the node knows.

use std::fmt;
use std::net::IpAddr;

use super::Answer;
use crate::{Caller, Timestamp, Untrusted};

/// How the node is connected.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkStatus {
    /// Whether the internet was reachable when last tried, where it was tried. Answering must not try it: a read reaches
    /// nobody outside.
    pub online: Option<bool>,
    /// Its interfaces, those of the machine alone (loopback) left out.
    pub interfaces: Vec<Interface>,
}

/// One interface, counted since the machine came up.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// What the system or its owner calls it.
    pub name: Untrusted,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
    /// Bytes received.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
}

/// Names a peer: 1 to 128 of letters, digits, `-`, `_`, `.` and `:`, as keys and onion names are written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(String);

/// A peer's id is 1 to 128 of ASCII letters, digits, `-`, `_`, `.` and `:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPeerId;

impl PeerId {
    /// Takes the id that the peer was authenticated by.
    ///
    /// # Errors
    /// [`BadPeerId`] when anything else stands in it.
    pub fn new(id: impl Into<String>) -> Result<Self, BadPeerId> {
        let id = id.into();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        if (1..=128).contains(&id.len()) && id.bytes().all(plain) { Ok(Self(id)) } else { Err(BadPeerId) }
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for BadPeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a peer's id is 1 to 128 of letters, digits, -, _, . and :")
    }
}

impl std::error::Error for BadPeerId {}

/// Another node, or a radio, that this one knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    /// What it was authenticated by.
    pub id: PeerId,
    /// What it calls itself.
    pub name: Untrusted,
    /// Whether it is connected now.
    pub connected: bool,
    /// When it was last heard of.
    pub seen: Option<Timestamp>,
}

/// Reads the network's state. Called by the tool `network_status`; it reaches nobody outside.
pub trait Network: Send + Sync + 'static {
    /// How the node is connected.
    ///
    /// # Errors
    /// When it cannot be read.
    fn status<'a>(&'a self, caller: &'a Caller) -> Answer<'a, NetworkStatus>;
}

/// Reads whom the node knows. Called by the tools `peers_list` and `node_search`; it reaches nobody outside. A node
/// that can have no peers does not give it.
pub trait Peers: Send + Sync + 'static {
    /// The peers, connected or not, in a stable order.
    ///
    /// # Errors
    /// When they cannot be read.
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Peer>>;
}
