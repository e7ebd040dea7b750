//! The library's decoder itself, of which it shows nothing.

#[expect(dead_code, reason = "only some of it is measured")]
#[path = "../../src/backend/frames.rs"]
pub(crate) mod frames;
#[expect(dead_code, reason = "only some of it is measured")]
#[path = "../../src/backend/lines.rs"]
pub(crate) mod lines;
