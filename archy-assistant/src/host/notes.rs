//! The owner's notes.

use super::Answer;
use crate::{Caller, Timestamp, Untrusted};

/// A note that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its title or first line.
    pub title: Untrusted,
    /// The part that fits the search, at most a few lines.
    pub excerpt: Untrusted,
    /// When it was last changed.
    pub changed: Option<Timestamp>,
}

/// Searches the notes. Called by the tools `notes_search` and `node_search`.
pub trait Notes: Send + Sync + 'static {
    /// The notes that hold all words of `query`, best first, at most `at_most`.
    ///
    /// # Errors
    /// When they cannot be searched; where nothing fits, the list is empty.
    fn search<'a>(&'a self, caller: &'a Caller, query: &'a str, at_most: usize) -> Answer<'a, Vec<Note>>;
}
