//! What the tools do, over a node in memory.

mod apps;
mod node;
mod reads;
mod search;
mod set;
mod settings;
