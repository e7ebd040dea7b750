//! The question to a person, and what became of it.

/// Proof that a claim is durable. Made by the claim alone.
pub(crate) struct Claimed(());
