//! What the radio door promises, through its public API.

mod door;
mod simulation;
mod world;
