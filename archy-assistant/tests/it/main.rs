//! What the assistant promises, through its public API.

mod asking;
mod audit;
mod backup;
mod browsing;
mod chain;
mod erase;
mod failing;
mod faulty;
mod gate;
mod gone;
mod home;
#[cfg(feature = "sqlite")]
mod kill;
#[cfg(feature = "http")]
mod ollama;
mod question_model;
mod races;
#[cfg(feature = "http")]
mod raw_server;
#[cfg(feature = "http")]
mod real_server;
#[cfg(feature = "http")]
mod replies;
#[cfg(feature = "http")]
mod same_conversation;
mod secrets;
mod store;
#[cfg(feature = "http")]
mod streaming;
mod troubled;
mod turns;
mod while_waiting;
