//! The parts of the example node that need no assistant, as a library, so that tests can reach them.

pub mod apps;
pub mod hello;
