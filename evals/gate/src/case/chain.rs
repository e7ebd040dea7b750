//! What a case says of a model at home and the remote ones behind it.

use archy_assistant::WhenLocalIsDown;

use super::{Case, Dim};

/// What a model at home does to have the conversation sent elsewhere, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// Nobody can reach it.
    Down,
    /// Its stream ends with nothing in it.
    Cut,
    /// It cannot take more now.
    Busy,
    /// It cannot for longer than anybody waits.
    BusyForLong,
    /// It says what it used, then breaks.
    BreaksAfterUsage,
    /// It says something, then breaks.
    BreaksAfterText,
    /// It calls something, then breaks.
    BreaksAfterCall,
    /// It answers a turn's first request, then cannot be reached.
    DownLater,
    /// It answers every second request.
    Flaps,
    /// It answers.
    Well,
    /// It calls, with much that only it can read, then cannot be reached.
    LeavesOpaque,
    /// It calls and calls, and never ends.
    Floods,
    /// It never says anything.
    Hangs,
    /// It reads, puts what it read into the arguments of a call, then cannot be reached.
    Smuggles,
}

impl Case {
    /// Whether a model at home is listed and remote ones behind it.
    pub fn is_chain(self) -> bool {
        self.of(Dim::Chain) != 0
    }

    /// What the model at home does.
    pub fn home(self) -> Home {
        [
            Home::Down,
            Home::Cut,
            Home::Busy,
            Home::BusyForLong,
            Home::BreaksAfterUsage,
            Home::BreaksAfterText,
            Home::BreaksAfterCall,
            Home::DownLater,
            Home::Flaps,
            Home::Well,
            Home::LeavesOpaque,
            Home::Floods,
            Home::Hangs,
            Home::Smuggles,
        ][self.of(Dim::Home)]
    }

    /// What the owner has said.
    pub fn when(self) -> WhenLocalIsDown {
        [WhenLocalIsDown::Ask, WhenLocalIsDown::Fail, WhenLocalIsDown::UseRemote][self.of(Dim::When)]
    }

    /// Bytes of messages that may leave in one turn once somebody agreed; `None` for what the library takes by itself.
    pub fn leaving(self) -> Option<u64> {
        (self.of(Dim::Chain) == 6).then_some(120)
    }

    /// Whether the owner opens everything once somebody has said yes.
    pub fn opens_after_yes(self) -> bool {
        self.of(Dim::Owner) == 20
    }
}
