//! A music library that people would trust with their collection: one index of what is heard, with ids that last.

mod reading;

pub use reading::*;
