//! The first set of tools, over the traits of [`host`](crate::host).
//!
//! Each file holds the tools over one trait. The reads (`apps`, `settings`, `files`, …) are given reading halves only;
//! all that can change the node is in `app_control` and `setting_control`.

mod app_control;
mod apps;
mod assistant;
mod balances;
mod bitcoin;
mod candidates;
mod files;
mod first;
mod languages;
mod meant;
mod network;
mod notes;
mod search;
mod setting_control;
mod setting_value;
mod settings;
pub(crate) mod specs;
mod system;

pub use first::FirstTools;

#[cfg(test)]
mod tests;
