//! The alphabet of what a person may see as it is: which characters hide, and which ones stack on others.
//!
//! The tables follow Unicode 18, as the crates for normal forms and confusable names do; a test compares them with an
//! independent copy for every character.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Whether `c` has no ink of its own, moves what stands around it, or looks different on every screen. Nothing of
/// this kind is shown: a space is U+0020, and a line ends where the node ends it.
pub(super) fn is_hidden(c: char) -> bool {
    use GeneralCategory as Is;
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    is_ignorable(c)
        || is_blank(c)
        || matches!(
            c.general_category(),
            Is::Control
                | Is::Format
                | Is::LineSeparator
                | Is::ParagraphSeparator
                | Is::SpaceSeparator
                | Is::PrivateUse
                | Is::Surrogate
                | Is::Unassigned
        )
}

/// The property `Default_Ignorable_Code_Point`. The category is no substitute: among these are letters (U+3164),
/// marks (U+034F) and characters that do not exist yet.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Letters, symbols and marks that are drawn as nothing, or as something else: the blank Braille pattern, the place
/// of an object, Egyptian blanks, the null note head, the Khitan filler.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{2800}' | '\u{fffc}' | '\u{13441}'..='\u{13442}' | '\u{16fe4}' | '\u{1d159}')
}

/// How a mark sits on the character before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// On top of it, below it or around it.
    Stacked,
    /// Beside it, with room of its own, as the vowels of many Indian scripts.
    Beside,
}

/// How `c` sits on the character before it, if it is a combining mark.
pub(super) fn mark(c: char) -> Option<Mark> {
    if c < '\u{300}' {
        return None;
    }
    match c.general_category() {
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => Some(Mark::Stacked),
        GeneralCategory::SpacingMark => Some(Mark::Beside),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory as Icu};
    use icu_properties::{CodePointMapData, CodePointSetData};

    use super::*;

    #[test]
    fn every_character_is_classed_as_an_independent_table_says() {
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let category = CodePointMapData::<Icu>::new();
        for c in '\0'..=char::MAX {
            assert_eq!(is_ignorable(c), ignorable.contains(c), "U+{:04X}", u32::from(c));
            let no_ink = match category.get(c) {
                Icu::Control
                | Icu::Format
                | Icu::LineSeparator
                | Icu::ParagraphSeparator
                | Icu::PrivateUse
                | Icu::Surrogate
                | Icu::Unassigned => true,
                Icu::SpaceSeparator => c != ' ',
                _ => is_blank(c),
            };
            assert_eq!(is_hidden(c), no_ink || ignorable.contains(c), "U+{:04X}", u32::from(c));
            let sits = match category.get(c) {
                Icu::NonspacingMark | Icu::EnclosingMark => Some(Mark::Stacked),
                Icu::SpacingMark => Some(Mark::Beside),
                _ => None,
            };
            assert_eq!(mark(c), sits, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn what_the_category_misses_is_hidden_all_the_same() {
        for c in
            "\u{34f}\u{115f}\u{3164}\u{fe0f}\u{2800}\u{e0100}\u{1d173}\u{1bca0}\u{2065}\u{fffc}\u{a0}".chars()
        {
            assert!(is_hidden(c), "U+{:04X}", u32::from(c));
        }
    }
}
