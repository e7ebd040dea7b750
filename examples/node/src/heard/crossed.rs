//! What went to a backend that is not the owner's, and who goes on in whose place: as data, and as the node says it.

use std::fmt;

use archy_assistant::{BackendFault, Categories, Category};
use serde::Serialize;

/// One backend that went on in another's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Switched {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) why: BackendFault,
    pub(super) leaves: Categories,
}

/// What went to a backend that is not the owner's, in all requests of the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Crossed {
    pub(super) backend: String,
    pub(super) requests: u32,
    pub(super) messages: u32,
    pub(super) bytes: u64,
    pub(super) holds: Categories,
    /// Whether it answered anything; it may have got all of this without.
    pub(super) arrived: bool,
}

impl Crossed {
    /// Adds what went there in another request.
    pub(super) fn add(&mut self, more: &Self) {
        self.requests += more.requests;
        self.messages = self.messages.saturating_add(more.messages);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.holds = self.holds.union(more.holds);
    }
}

impl fmt::Display for Crossed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, requests, messages, bytes, holds, arrived } = self;
        let sent = if *arrived { "Sent" } else { "May have been sent" };
        let times = if *requests == 1 { String::new() } else { format!(" in {requests} requests") };
        let plural = if *messages == 1 { "" } else { "s" };
        write!(f, "{sent} to {backend}{times}: {messages} message{plural}, {}, {}", size(*bytes), of(*holds))
    }
}

/// What rests on these.
fn of(categories: Categories) -> String {
    match categories {
        Categories::NONE => "no data of the node".to_owned(),
        categories => format!("data of: {categories}"),
    }
}

/// So many bytes, to be read by people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        // Tenths of a thousand, rounded up.
        1000..1_000_000 => format!("{}.{} kB", bytes.div_ceil(100) / 10, bytes.div_ceil(100) % 10),
        _ => format!("{}.{} MB", bytes.div_ceil(100_000) / 10, bytes.div_ceil(100_000) % 10),
    }
}

/// What a person is told when another backend goes on.
pub(crate) fn goes_on(from: &str, to: &str, why: BackendFault, leaves: Categories) -> String {
    let how = if why == BackendFault::Unreachable { "cannot be reached" } else { "does not answer" };
    match leaves {
        Categories::NONE => format!("{from} {how}; {to} goes on."),
        leaves => format!("{from} {how}; {to} goes on, and gets {}.", of(leaves)),
    }
}

/// What a person is told when something stays.
pub(crate) fn stays(category: Category, backend: &str) -> String {
    format!("What rests on {category} is shown to you and does not go to {backend}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_is_one_line() {
        let one = |messages, bytes, holds| Crossed {
            backend: "claude".to_owned(),
            requests: 1,
            messages,
            bytes,
            holds,
            arrived: true,
        };
        let system = Categories::only(Category::System);
        for (crossed, says) in [
            (one(1, 999, Categories::NONE), "Sent to claude: 1 message, 999 bytes, no data of the node"),
            (one(4, 1000, system), "Sent to claude: 4 messages, 1.0 kB, data of: system"),
            (one(4, 1201, system), "Sent to claude: 4 messages, 1.3 kB, data of: system"),
            (one(4, 999_901, system), "Sent to claude: 4 messages, 1000.0 kB, data of: system"),
            (one(4, 262_144_000, system), "Sent to claude: 4 messages, 262.2 MB, data of: system"),
        ] {
            assert_eq!(crossed.to_string(), says);
        }
        let mut both = Crossed { arrived: false, ..one(1, 100, Categories::NONE) };
        both.add(&one(4, 1100, system));
        let says = "May have been sent to claude in 2 requests: 5 messages, 1.2 kB, data of: system";
        assert_eq!(both.to_string(), says);
    }
}
