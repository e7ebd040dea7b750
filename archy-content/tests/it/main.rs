//! The library from outside.

mod any_sequence;
mod killed;
mod old_and_broken;
mod reports_library;
mod scanning;
#[allow(dead_code, reason = "a vocabulary that the tests share")]
mod shelf;
mod speed;
mod text_reader;
