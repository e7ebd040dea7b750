//! A turn: one thing said, until the final reply. What happens in it is decided here, purely: inputs in, actions out.

mod message;

pub use message::{CallId, Content, Message, Outcome, ToolCall};
