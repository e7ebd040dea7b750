//! What the radio door promises, through its public API.

mod door;
mod real_radios;
mod simulation;
mod world;
