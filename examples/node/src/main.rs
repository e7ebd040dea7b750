//! A small real node that embeds the assistant.
fn main() {}
