//! The node as it runs: real processes, real files.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod apps;
mod ask;
mod audit;
mod backends;
mod browser;
mod calls;
mod cards;
mod copies;
mod deployed;
mod disk;
mod doctor;
mod door;
mod ends;
mod export;
mod hello;
mod input;
mod keys;
mod logins;
mod lying_about;
mod mesh;
mod model;
mod music;
mod node;
mod ollama;
mod played;
mod screen;
mod served;
mod sharing;
mod socks;
mod start;
mod strangers;
mod terminal;
