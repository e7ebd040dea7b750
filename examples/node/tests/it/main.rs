//! The node as it runs: real processes, real files.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod apps;
mod ask;
mod audit;
mod copies;
mod disk;
mod hello;
mod input;
mod model;
mod node;
mod ollama;
mod screen;
mod sharing;
mod start;
mod terminal;
