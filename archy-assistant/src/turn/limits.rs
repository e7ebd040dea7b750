//! How much one turn, one caller and the whole assistant may use. Each limit ends in a clear error.

use std::time::Duration;

/// The limits of an assistant. The defaults suit a home node.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message that a person says.
    pub said: usize,
    /// Requests to a backend in one turn, besides the last one without tools.
    pub steps: u32,
    /// Calls in one reply.
    pub calls: usize,
    /// Bytes of text in one reply.
    pub text: usize,
    /// Bytes of foreign text in one leaf of a result, as a prompt carries it.
    pub leaf: usize,
    /// Messages of the conversation that a request carries at most; the last turn whole in any case. Where there are
    /// more, half of them are left out at once: a server that keeps what it has read reads little anew then.
    pub history: usize,
    /// Time that a turn may take, without the time in which a person decides.
    pub turn: Duration,
    /// Time that one read may take.
    pub read: Duration,
    /// Time that a page may take for a browser action: somebody may have to press something.
    pub browser: Duration,
    /// Time after which an effect that has not ended counts as one whose outcome is not known. It is not stopped.
    pub effect: Duration,
    /// Turns that run at once.
    pub turns: usize,
    /// Turns that one principal has running at once.
    pub turns_per_principal: usize,
    /// Messages of one principal in a minute; all at once or spread, as they come.
    pub said_per_minute: u32,
    /// Messages of all relayed callers together in a minute.
    pub relayed_per_minute: u32,
    /// Questions to a person that one conversation may ask within five minutes.
    pub proposals: usize,
    /// How long a person may take to decide: 30 to 300 seconds.
    pub decide_within: Duration,
    /// Bytes of messages that go to a remote backend in one turn, where a person has agreed to it. Each request of the turn
    /// counts in full, whatever a backend leaves out of it; one that a server refused before it answered, and that is sent
    /// again with no more in it, counts once.
    pub leaving: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            said: 8 * 1024,
            steps: 8,
            calls: 16,
            text: 64 * 1024,
            leaf: 4 * 1024,
            history: 40,
            turn: Duration::from_secs(600),
            read: Duration::from_secs(30),
            browser: Duration::from_secs(30),
            effect: Duration::from_secs(300),
            turns: 8,
            turns_per_principal: 4,
            said_per_minute: 60,
            relayed_per_minute: 60,
            proposals: 6,
            decide_within: Duration::from_secs(120),
            leaving: 256 * 1024,
        }
    }
}
