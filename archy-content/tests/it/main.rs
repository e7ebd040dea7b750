//! The library from outside.

mod scanning;
#[allow(dead_code, reason = "a vocabulary that the tests share")]
mod shelf;
mod text_reader;
