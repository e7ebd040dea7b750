//! Why a request was not done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stable codes of refusals, beside those of JSON-RPC itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// There is no method of this name.
    NoMethod,
    /// The parameters are not those of the method, or a text is empty or too long.
    BadParams,
    /// Nobody known asks: log in.
    Unauthenticated,
    /// Whoever asks may not do this, or not from here.
    Forbidden,
    /// There is no such conversation, turn or question for whoever asks.
    Unknown,
    /// The conversation has a turn running, or something is being done on the node.
    Busy,
    /// Too much at once; try again in a moment.
    RateLimited,
    /// A question has to be shown for 700 ms before an answer counts.
    TooSoon,
    /// The node is shutting down.
    Stopping,
    /// The node could not read or write its store.
    Store,
    /// A refusal that this version of the types has no word for.
    #[serde(other)]
    Other,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::NoMethod,
        Self::BadParams,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::Unknown,
        Self::Busy,
        Self::RateLimited,
        Self::TooSoon,
        Self::Stopping,
        Self::Store,
        Self::Other,
    ];

    /// The number in a JSON-RPC error.
    pub const fn number(self) -> i32 {
        match self {
            Self::NoMethod => -32601,
            Self::BadParams => -32602,
            Self::Unauthenticated => -32050,
            Self::Forbidden => -32051,
            Self::RateLimited => -32053,
            Self::Busy => -32056,
            Self::Unknown => -32057,
            Self::TooSoon => -32058,
            Self::Stopping => -32059,
            Self::Store => -32060,
            Self::Other => -32099,
        }
    }
}

/// A refusal: nothing was done, unless its method says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// What a program decides by.
    pub code: Code,
    /// What a person reads.
    pub says: String,
}

impl Fault {
    /// With these words.
    pub fn new(code: Code, says: impl Into<String>) -> Self {
        Self { code, says: says.into() }
    }
}
