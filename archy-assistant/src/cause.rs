//! What lies behind an error: for the operator, who asks for it on purpose.

use std::error::Error;
use std::fmt;

/// The cause of an error, in the words of a library, a host or a server: they may name paths, hold a key or be written
/// by others. So `{:?}` of a cause, and of every error that has one, does not print it; whoever walks
/// [`Error::source`] of the error finds it.
///
/// ```
/// use archy_assistant::StoreError;
/// use std::error::Error;
/// let error = StoreError::Failed("the key is 1234".into());
/// assert_eq!(format!("{error:?}"), "Failed(Cause(..))");
/// assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("the key is 1234"));
/// ```
pub struct Cause(Box<dyn Error + Send + Sync>);

impl Cause {
    /// The cause itself, for an error's `source`.
    pub(crate) fn source(&self) -> &(dyn Error + 'static) {
        &*self.0
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Cause {
    fn from(cause: E) -> Self {
        Self(cause.into())
    }
}

/// Says that there is a cause, and nothing of it.
impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cause(..)")
    }
}
