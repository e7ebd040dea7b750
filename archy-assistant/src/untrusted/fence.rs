//! The fence: how text that others wrote enters a prompt. It is data between markers that it cannot forge.
//!
//! `<<<U 4f…c1 {"from":"the log of nextcloud","text":"…"} U 4f…c1>>>`: everything that others chose is inside one line
//! of JSON, and the markers hold 128 random bits that were drawn after the text was fixed. The fence makes quoting
//! plain to a model; no promise of the node rests on a model heeding it.

use super::Untrusted;

/// The nonce of one tool result's fences. It is stored with the result, so that a prompt's prefix stays byte-stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Fence(pub(crate) u128);

impl Fence {
    /// The text between its markers, on one line of ASCII markers and JSON.
    pub(crate) fn wrap(self, _text: &Untrusted) -> String {
        todo!()
    }
}
