//! The library from outside.
