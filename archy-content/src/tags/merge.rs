//! All tags of a file as one: for each field the most trusted tag that has it.
//!
//! The order is the one in which a file's tags are handed in: the format's own before what was added to it (Vorbis
//! comments before ID3v2 in FLAC, APE before ID3v1, ID3v2 before RIFF INFO), and ID3v1 last of all, since it cuts
//! everything after thirty bytes. A field is never put together from two tags.

use super::keys::{Field, field};
use super::mojibake::{Verdict, judge, repair};
use super::raw::{Form, Item, Tag};
use crate::Oddity;

/// No field has more values than this that mean something.
const MOST_VALUES: usize = 256;
/// No file has more fields that the library knows: every instrument is one.
const MOST_FIELDS: usize = 256;
/// Characters of a name.
const LONGEST_NAME: usize = 1_000;
/// Characters of a comment or of lyrics.
const LONGEST_TEXT: usize = 100_000;

/// The values of one field, from one tag.
struct Kept {
    field: Field,
    tag: usize,
    values: Vec<(String, bool)>,
    /// The last tag that was compared with these values: its first value is enough.
    compared: usize,
}

/// The merged fields.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    all: Vec<(Field, Vec<String>)>,
}

impl Fields {
    /// The values of a field, in their tag's order.
    pub(crate) fn values(&self, field: &Field) -> &[String] {
        self.all
            .iter()
            .find(|(known, _)| known == field)
            .map(|(_, values)| values.as_slice())
            .unwrap_or_default()
    }

    /// The first value of a field.
    pub(crate) fn first(&self, field: &Field) -> Option<&str> {
        self.values(field).first().map(String::as_str)
    }

    /// All fields with their values, in the order of the tags.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Field, &[String])> {
        self.all.iter().map(|(field, values)| (field, values.as_slice()))
    }
}

/// Merges the tags, the most trusted first, and repairs what was written in another encoding than it says.
pub(crate) fn merge(tags: &[Tag], oddities: &mut Vec<Oddity>) -> Fields {
    let mut kept = Vec::<Kept>::new();
    for (place, tag) in tags.iter().enumerate() {
        for item in &tag.items {
            let Some(field) = field(tag.form, &item.key) else { continue };
            let more = kept.len() < MOST_FIELDS;
            match kept.iter_mut().find(|known| known.field == field) {
                None if more => {
                    kept.push(Kept { field, tag: place, values: vec![value(item)], compared: place });
                }
                Some(known) if known.tag == place && known.values.len() < MOST_VALUES => {
                    known.values.push(value(item));
                }
                Some(known) if known.compared < place => {
                    known.compared = place;
                    contradiction(known, tag.form, item, oddities);
                }
                _ => {}
            }
        }
    }
    let doubtful =
        || kept.iter().flat_map(|field| &field.values).filter(|(text, latin1)| *latin1 && !text.is_ascii());
    let verdict = judge(doubtful().map(|(text, _)| text.as_str()));
    match verdict {
        Verdict::Latin1 => {}
        Verdict::Is(encoding) => oddities.push(Oddity::Mojibake(encoding.name().to_ascii_lowercase())),
        Verdict::Unclear => oddities.push(Oddity::PerhapsMojibake),
    }
    let repaired = |(text, latin1): (String, bool)| match verdict {
        Verdict::Is(encoding) if latin1 => repair(&text, encoding).unwrap_or(text),
        _ => text,
    };
    let fields = kept.into_iter().filter_map(|kept| {
        let long = matches!(kept.field, Field::Lyrics | Field::Comment);
        let values = kept.values.into_iter().map(repaired).map(|text| clean(&text, long));
        let values: Vec<String> = values.filter(|text| !text.is_empty()).collect();
        (!values.is_empty()).then_some((kept.field, values))
    });
    Fields { all: fields.collect() }
}

fn value(item: &Item) -> (String, bool) {
    (item.value.clone(), item.latin1)
}

/// Tells of two tags that name different things. One that was cut short, or has lost its letters, only says less.
fn contradiction(known: &Kept, form: Form, item: &Item, oddities: &mut Vec<Oddity>) {
    let name = match known.field {
        Field::Title => "title",
        Field::Album => "album",
        Field::Artist => "artist",
        _ => return,
    };
    let plain = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let mine: String = known.values.iter().map(|(text, _)| plain(text)).collect();
    let other = plain(&item.value);
    let lossy =
        form == Form::Id3v1 && (!item.value.is_ascii() || !mine.is_ascii() || item.value.contains('?'));
    let told = Oddity::Contradiction(name.to_owned());
    if !lossy && !mine.contains(&other) && !other.contains(&mine) && !oddities.contains(&told) {
        oddities.push(told);
    }
}

/// Without what moves a cursor or turns text around; of bounded length. Long texts keep their lines.
fn clean(text: &str, long: bool) -> String {
    let most = if long { LONGEST_TEXT } else { LONGEST_NAME };
    let harmless = |c: char| match c {
        '\n' | '\t' | '\r' if long => Some(c),
        _ if c.is_whitespace() => Some(' '),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => None,
        _ => (!c.is_control()).then_some(c),
    };
    text.chars().filter_map(harmless).take(most).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(form: Form, items: &[(&str, &str)]) -> Tag {
        let mut tag = Tag::new(form);
        for (key, value) in items {
            tag.push(key, value, form == Form::Id3v1);
        }
        tag
    }

    #[test]
    fn the_most_trusted_tag_that_has_a_field_gives_it() {
        let long = "A title that is longer than thirty characters are";
        let id3v2 = tag(Form::Id3v2, &[("TIT2", long), ("TPE1", "One\0Two")]);
        let ape =
            tag(Form::Ape, &[("Title", "Another"), ("replaygain_track_gain", "-3 dB"), ("Artist", "One")]);
        let id3v1 = tag(Form::Id3v1, &[("title", &long[..30]), ("album", "Only here"), ("genre", "17")]);
        let mut oddities = Vec::new();
        let fields = merge(&[id3v2, ape, id3v1], &mut oddities);
        assert_eq!(fields.values(&Field::Title), [long]);
        assert_eq!(fields.values(&Field::Artist), ["One", "Two"]);
        assert_eq!(fields.values(&Field::TrackGain), ["-3 dB"]);
        assert_eq!(fields.values(&Field::Album), ["Only here"]);
        assert_eq!(fields.values(&Field::Genre), ["17"]);
        assert_eq!(oddities, [Oddity::Contradiction("title".to_owned())]);
    }

    /// A frame of NULs is a list of as many values: 8 s were once spent on one file.
    #[test]
    fn many_values_take_no_time_that_grows_with_their_square() {
        let mut tag = Tag::new(Form::Id3v2);
        tag.push("TPE1", &"name\0".repeat(10_000), true);
        (0..20_000).for_each(|n| tag.push(&format!("TMCL:instrument {n}"), "name", false));
        let fields = merge(&[tag.clone(), tag], &mut Vec::new());
        assert_eq!(fields.values(&Field::Artist).len(), MOST_VALUES);
        assert_eq!(fields.iter().count(), MOST_FIELDS);
    }

    #[test]
    fn texts_are_harmless_and_bounded() {
        assert_eq!(clean("a\u{202e}b\nc\u{0}\u{7}d", false), "ab cd");
        assert_eq!(clean(" a\nb\u{7} ", true), "a\nb");
        assert_eq!(clean(&"é".repeat(5_000), false).chars().count(), LONGEST_NAME);
    }
}
