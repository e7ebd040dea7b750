//! A turn: one thing said, until the final reply. What happens in it is decided here, purely: inputs in, actions out.

mod event;
#[cfg(test)]
mod every_order;
pub(crate) mod input;
pub(crate) mod journal;
mod limits;
mod machine;
mod message;
mod repeat;

pub use event::{End, Event, Failure, Finished, Limited, Receipt, Settled};
pub use journal::Numbered;
pub use limits::Limits;
pub(crate) use machine::{Do, Machine};
pub use message::{CallId, Content, Message, Outcome, ToolCall};
