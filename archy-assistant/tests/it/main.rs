//! What the assistant promises, through its public API.

mod asking;
mod audit;
mod backup;
mod erase;
mod faulty;
mod gone;
mod home;
#[cfg(feature = "http")]
mod ollama;
#[cfg(feature = "http")]
mod raw_server;
mod store;
mod turns;
