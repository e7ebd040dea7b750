//! The library from outside.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod any_sequence;
mod containment;
mod corpus;
mod covers;
mod doctor;
mod killed;
mod mutations;
mod old_and_broken;
mod reports_library;
mod reports_tags;
mod scanning;
mod searching;
mod shelf;
mod sound;
mod tags_every_kind;
mod text_reader;
mod watching;
