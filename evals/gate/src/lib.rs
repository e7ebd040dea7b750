//! Attacks the gate: models at home and far away, a caller, a person and a disk that do their worst, and a count of what
//! gets through.
//!
//! ```sh
//! cargo run --release -p archy-gate              # a million cases
//! cargo run --release -p archy-gate -- --cases 20000 --seed 7
//! cargo run --release -p archy-gate -- --one 0.0.0.0.0.0.0.0.1.0.0.0.0.0
//! ```
//!
//! Built with `RUSTFLAGS="--cfg archy_weak"` it instead leaves out one guard after the other, and each must be found.

pub mod canary;
pub mod case;
pub mod count;
pub mod disk;
pub mod model;
pub mod oracle;
pub mod play;
pub mod suite;
#[cfg(archy_weak)]
pub mod weak;
pub mod world;
