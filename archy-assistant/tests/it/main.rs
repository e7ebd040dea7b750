//! What the assistant promises, through its public API.

mod asking;
mod home;
#[cfg(feature = "http")]
mod ollama;
#[cfg(feature = "http")]
mod raw_server;
mod store;
mod turns;
