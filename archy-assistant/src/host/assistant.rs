//! What the assistant knows of itself: answered from memory by whoever puts it together.

use crate::BackendFacts;

/// Which backends answer. Called by the tool `assistant_status`; a closure will do:
///
/// ```
/// # use archy_assistant::{BackendFacts, host::Minds};
/// let minds = || Vec::<BackendFacts>::new();
/// assert_eq!(minds.in_order(), []);
/// ```
pub trait Minds: Send + Sync + 'static {
    /// The enabled ones, the one that is asked first at the front.
    fn in_order(&self) -> Vec<BackendFacts>;
}

impl<F: Fn() -> Vec<BackendFacts> + Send + Sync + 'static> Minds for F {
    fn in_order(&self) -> Vec<BackendFacts> {
        self()
    }
}
