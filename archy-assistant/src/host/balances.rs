//! How much money there is. Nothing here can spend, and nothing that could has a method anywhere.

use super::Answer;
use crate::Caller;

/// Money of one kind, in satoshi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// Where it lies.
    pub kind: Purse,
    /// What could be spent now.
    pub sats: u64,
    /// What is on its way in and not yet confirmed.
    pub pending_sats: u64,
}

/// Where money lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purse {
    /// In the chain.
    OnChain,
    /// In Lightning channels.
    Lightning,
    /// As ecash.
    Ecash,
}

impl Purse {
    /// The word that a person reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnChain => "on-chain",
            Self::Lightning => "lightning",
            Self::Ecash => "ecash",
        }
    }
}

/// Reads balances. Called by the tool `balances`.
pub trait Balances: Send + Sync + 'static {
    /// One entry per kind that the node has.
    ///
    /// # Errors
    /// When one cannot be read: a sum with a part missing would be wrong.
    fn balances<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Balance>>;
}
