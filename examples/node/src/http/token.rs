//! What lets somebody in. It cannot print itself, and only its hash is kept.

use std::fmt::Write as _;

use archy_assistant::Secret;
use sha2::{Digest as _, Sha256};

/// 256 random bits, given out once.
pub(super) struct Token(Secret);

/// What is kept of one. It is found by its hash, so that how long a look takes says nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Kept([u8; 32]);

impl Token {
    pub(super) fn random() -> Self {
        Self(Secret::random())
    }

    /// As text, for the one to whom it is given.
    pub(super) fn text(&self) -> String {
        self.0.expose().iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    pub(super) fn kept(&self) -> Kept {
        Kept::of(&self.text())
    }
}

impl Kept {
    pub(super) fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}
