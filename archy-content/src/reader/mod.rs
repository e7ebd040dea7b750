//! Who reads files: a process of its own, because a stranger's file may end whoever reads it.
//!
//! [`ChildReader`] is what a library is given. It starts a program that does nothing but [`serve_reader`], asks it for
//! many files ahead, and survives whatever they do to it. [`DirectReader`] reads in the process that calls it.

mod child;
mod direct;
mod frames;
mod serve;

pub use child::{ChildReader, Patience};
pub use direct::DirectReader;
pub use serve::serve_reader;
