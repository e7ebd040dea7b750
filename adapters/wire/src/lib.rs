//! What the page, a voice app or another client and the node's JSON-RPC door say to each other.
//!
//! Only shapes: nothing here decides anything. Ids and digests are lower-case hexadecimal, times are milliseconds since
//! 1970 by the node's clock, and every text may be put on a screen as it is. Requests refuse fields that they do not know;
//! in answers a client passes over fields and values that it does not know, so that a node may be newer than its page.

mod asking;
mod event;
mod fault;
mod history;
mod mesh;
mod owner;

pub use asking::{
    Began, Browsed, Cancel, Chat, Confirm, ConfirmShown, Confirmation, Decision, EventsRead, Nothing,
    Pending, ReadEvents, ReportBrowsed, Resolution, Tool, Tools,
};
pub use event::{Effect, End, Event, Locality, Mind, Numbered, Receipt, Settled, Usage};
pub use fault::{Code, Fault};
pub use history::{Conversations, Exported, Found, FoundTurn, History, Summary, Turned, Turns};
pub use mesh::{MeshConfigure, MeshContact, MeshStatus, MeshStrangers};
pub use owner::{Audit, AuditLine, AuditPage, Category, Grants, GrantsRead, Verified};
