//! The parts of the example node that others than its own program use: tests, and the request cases.

pub mod apps;
pub mod fake_home;
pub mod hello;
pub mod time_zones;
