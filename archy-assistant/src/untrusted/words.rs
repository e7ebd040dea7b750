//! The words of a name that others gave, for comparing with what a person said. They are never shown or sent.

use super::Untrusted;

/// Calls `visit` for each run of letters and digits, in lower case.
pub(crate) fn visit(text: &Untrusted, visit: &mut dyn FnMut(&str)) {
    for word in text.text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        visit(&word.to_lowercase());
    }
}
