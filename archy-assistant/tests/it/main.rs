//! What the assistant promises, through its public API.

mod asking;
mod home;
mod turns;
