//! The node as it runs: real processes, real files.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod apps;
mod hello;
mod node;
