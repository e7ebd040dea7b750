//! What the tags of one file hold before anything is made of it: keys and values as each tag format spells them.

use twox_hash::XxHash3_64;

use super::sniff::Kind;
use crate::{Audio, Picture};

/// The kind of a tag: what its keys mean, and how far it is trusted where several tags disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Vorbis,
    Mp4,
    Id3v2,
    Ape,
    RiffInfo,
    AiffText,
    /// Last: thirty bytes a field, in an encoding that nobody wrote down.
    Id3v1,
}

/// One value. A field with several values is several of these, in the tag's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) key: String,
    pub(crate) value: String,
    /// Written in an encoding that is called Latin-1, and often is not.
    pub(crate) latin1: bool,
}

/// No tag has more values than this that anyone wrote.
const MOST_ITEMS: usize = 20_000;

/// One tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) form: Form,
    pub(crate) items: Vec<Item>,
}

impl Tag {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, items: Vec::new() }
    }

    /// Adds each of the values that a text holds: NUL stands between those of ID3v2.4 and APE.
    pub(crate) fn push(&mut self, key: &str, value: &str, latin1: bool) {
        for one in value.split('\0') {
            let one = one.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            if self.items.len() == MOST_ITEMS {
                return;
            }
            if !one.is_empty() {
                self.items.push(Item { key: key.to_owned(), value: one.to_owned(), latin1 });
            }
        }
    }
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawFile {
    /// The most trusted first.
    pub(crate) tags: Vec<Tag>,
    pub(crate) pictures: Vec<Picture>,
    /// Which picture's bytes are wanted; those of the others are not kept.
    pub(crate) wanted: Option<usize>,
    /// The bytes of that one.
    pub(crate) picture: Option<Vec<u8>>,
    /// As the file says, possible or not.
    pub(crate) audio: Audio,
    /// Milliseconds before anything was cut off.
    pub(crate) milliseconds: u128,
}

impl RawFile {
    /// Adds a picture.
    pub(crate) fn add_picture(&mut self, front: bool, bytes: &[u8]) {
        if self.wanted == Some(self.pictures.len()) {
            self.picture = Some(bytes.to_vec());
        }
        let hash = Some(XxHash3_64::oneshot(bytes));
        self.pictures.push(Picture { front, bytes: bytes.len() as u64, hash });
    }

    /// Nothing but its kind.
    pub(crate) fn of(kind: Kind) -> Self {
        let codec = match kind {
            Kind::Mpeg => "mp3",
            Kind::Aac => "aac",
            Kind::Flac => "flac",
            Kind::Vorbis => "vorbis",
            Kind::Opus => "opus",
            Kind::Speex => "speex",
            Kind::Mp4 => "mp4",
            Kind::Ape => "ape",
            Kind::Musepack => "musepack",
            Kind::WavPack => "wavpack",
            Kind::Wav => "wav",
            Kind::Aiff => "aiff",
        };
        Self { audio: Audio { codec: codec.to_owned(), ..Audio::default() }, ..Self::default() }
    }
}
