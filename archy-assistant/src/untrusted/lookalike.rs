//! Names that can be taken for others: whoever names an app, a peer or a file may try to pass for something known.
//!
//! After Unicode Technical Standard 39. A name that mixes scripts within a word gives itself away; one that is wholly
//! of another script (`сосо` in Cyrillic) does not, and is only found beside the name that it copies.

use unicode_normalization::UnicodeNormalization;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection, skeleton};

use super::{Untrusted, alphabet};

/// Whether `name` must be shown with its id: within a word it mixes scripts that are not written together, or it looks
/// like one of `others`, which are the names of the other things that it could be taken for, or nothing of it is
/// visible. Upper and lower case, spaces, and characters that do not show make no difference.
///
/// When in doubt it says yes: an id too many is no harm.
pub(crate) fn needs_id<'a>(name: &Untrusted, others: impl IntoIterator<Item = &'a Untrusted>) -> bool {
    let looks = looks(&name.text);
    looks.iter().any(String::is_empty)
        || words(&name.text).any(|word| word.detect_restriction_level() > RestrictionLevel::HighlyRestrictive)
        || others.into_iter().any(|other| self::looks(&other.text).iter().any(|look| looks.contains(look)))
}

/// What the name looks like: as it is written, and with compatible characters (`ⓑ`, `ﬁ`) replaced, as it is, in small
/// letters and in capitals. The replacing alone would lose copies: it makes `ϲ` a sigma, though it looks like `c`. Case
/// comes before the skeleton, which tells `I` from `i`; capitals also turn `ß` into `SS`.
fn looks(name: &str) -> [String; 4] {
    let seen = |c: &char| !c.is_whitespace() && !alphabet::is_hidden(*c);
    let written: String = name.nfc().filter(seen).collect();
    let plain: String = name.nfkc().filter(seen).collect();
    [plain.to_lowercase(), plain.to_uppercase(), plain, written].map(|name| skeleton(&name).collect())
}

/// The runs of letters, digits and their marks; what does not show does not part them.
fn words(name: &str) -> impl Iterator<Item = String> {
    let seen: String = name.nfc().filter(|&c| c == ' ' || !alphabet::is_hidden(c)).collect();
    let parts = |c: char| !c.is_alphanumeric() && alphabet::mark(c).is_none();
    seen.split(parts).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests;
