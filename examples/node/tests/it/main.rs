//! The node as it runs: real processes, real files.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod apps;
mod ask;
mod hello;
mod input;
mod model;
mod node;
mod sharing;
mod terminal;
