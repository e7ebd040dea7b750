//! What the radio door promises, through its public API.

mod door;
mod radio;
mod real_radios;
mod rpc;
mod simulation;
mod world;
