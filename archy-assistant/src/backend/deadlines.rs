//! How long a backend may take.

use std::time::Duration;

/// How long each step of a request may take. Cancelling is dropping the stream, at any step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until an Ollama server has loaded the model; from a slow disk this takes minutes.
    pub load: Duration,
    /// From then until the reply begins: the model reads the whole request first, others may be before it in the queue.
    pub first: Duration,
    /// Between two pieces of a reply. A model that writes a call is silent until the call is whole.
    pub silence: Duration,
}

impl Default for Deadlines {
    /// 3, 180, 120 and 60 seconds.
    fn default() -> Self {
        let [connect, load, first, silence] = [3, 180, 120, 60].map(Duration::from_secs);
        Self { connect, load, first, silence }
    }
}
