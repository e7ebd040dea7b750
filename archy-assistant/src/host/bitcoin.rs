//! The Bitcoin node.

use super::Answer;
use crate::{Caller, Timestamp};

/// How the Bitcoin node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitcoinStatus {
    /// The chain that it follows.
    pub chain: Chain,
    /// The height of the last block that it has verified.
    pub blocks: u64,
    /// The height of the best header that it knows.
    pub headers: u64,
    /// How much of the chain is verified, in hundredths rounded down: 100 means fully synced.
    pub synced_percent: u8,
    /// When the last verified block was made.
    pub block_time: Option<Timestamp>,
    /// How many peers it is connected to.
    pub peers: Option<u32>,
    /// How many transactions wait in its mempool.
    pub waiting: Option<u64>,
    /// What is paid per virtual byte to be confirmed in about half an hour, in satoshi rounded up.
    pub fee_sats: Option<u64>,
}

/// A chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// The one whose coins are worth something.
    Main,
    /// A public test network.
    Test,
    /// A signed test network.
    Signet,
    /// A test network on one machine.
    Regtest,
}

impl Chain {
    /// The word that a person reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
            Self::Signet => "signet",
            Self::Regtest => "regtest",
        }
    }
}

/// Reads the Bitcoin node's state. Called by the tool `bitcoin_status`. There is no method that sends, signs or mines.
pub trait Bitcoin: Send + Sync + 'static {
    /// How it is now.
    ///
    /// # Errors
    /// When it does not run or does not answer.
    fn status<'a>(&'a self, caller: &'a Caller) -> Answer<'a, BitcoinStatus>;
}
