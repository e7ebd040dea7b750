//! The library's decoder itself, of which it shows nothing.

#[expect(dead_code, reason = "only some of it is measured")]
#[path = "../../src/backend/events.rs"]
pub(crate) mod events;
#[expect(dead_code, reason = "only some of it is measured")]
#[path = "../../src/backend/frame.rs"]
pub(crate) mod frame;
