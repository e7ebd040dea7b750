//! Keys and tokens: a type that cannot print itself.

use std::fmt;

/// Bytes that must not be shown. Overwritten when dropped, as far as a program can promise that.
///
/// ```
/// let key = archy_assistant::Secret::new(*b"0123456789abcdef");
/// assert_eq!(format!("{key:?}"), "Secret");
/// ```
pub struct Secret(Vec<u8>);

impl Secret {
    /// Takes the bytes; what they were copied from is the caller's to clear.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// A new secret of 32 random bytes.
    pub fn random() -> Self {
        let (a, b) = (crate::id::random(), crate::id::random());
        Self([a.to_be_bytes(), b.to_be_bytes()].concat())
    }

    /// The bytes, for handing them to what needs them.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.fill(0);
        std::hint::black_box(&self.0);
    }
}
