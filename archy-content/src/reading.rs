//! What one audio file says about itself, in the words of musicians: no container, tag format or crate shows through.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::walk::refused;
use crate::{Fingerprint, PictureAt};

/// Everything that was read from one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reading {
    /// What its tags say, all of them merged.
    pub tags: Tags,
    /// How it sounds.
    pub audio: Audio,
    /// The pictures in it, in its own order; none of their bytes.
    pub pictures: Vec<Picture>,
    /// Of the audio bytes alone: the same after every change of tags or name.
    pub fingerprint: Option<Fingerprint>,
    /// What was strange and could still be read, as lines for the scan log.
    pub oddities: Vec<Oddity>,
}

/// What a file's tags say. Empty where they say nothing: nothing is guessed from a file's name here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tags {
    /// The track's title, and how it sorts.
    pub title: Option<Name>,
    /// The album's title, and how it sorts.
    pub album: Option<Name>,
    /// As the sleeve prints it, like “Queen feat. David Bowie”.
    pub artist_shown: Option<String>,
    /// Whoever plays on the track, wrote it or made it, each once per role, in the tags' order.
    pub credits: Vec<Credit>,
    /// As the sleeve prints the artist of the whole album.
    pub album_artist_shown: Option<String>,
    /// The artists of the whole album. Empty where no tag says so; the library then decides, and says why.
    pub album_artists: Vec<Credit>,
    /// Whether the tags call the album a compilation.
    pub compilation: Option<bool>,
    /// The track's place on its disc.
    pub track: Place,
    /// The disc's place in its album.
    pub disc: Place,
    /// The disc's own title.
    pub disc_subtitle: Option<String>,
    /// When the recording came out first.
    pub original_date: Option<Date>,
    /// When this edition came out.
    pub release_date: Option<Date>,
    /// When it was recorded, or the one date of files that know only one.
    pub date: Option<Date>,
    /// Genres by name, without codes.
    pub genres: Vec<String>,
    /// What tells this edition from others: “Deluxe”, a barcode, a catalogue number.
    pub edition: Edition,
    /// Ids of `MusicBrainz`.
    pub musicbrainz: MusicBrainz,
    /// How loud it is.
    pub gain: Gain,
    /// Words that are sung, as the file has them; with times where they have such.
    pub lyrics: Option<String>,
    /// Whether it is marked as explicit (`Some(true)`) or clean.
    pub explicit: Option<bool>,
    /// A comment that a person wrote.
    pub comment: Option<String>,
    /// Whether it is a podcast or an audio book, as the file says.
    pub spoken: bool,
}

/// A name, and how it sorts if that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// As it is shown.
    pub shown: String,
    /// As it sorts: “Beatles, The”.
    pub sort: Option<String>,
}

/// One name in one role.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Credit {
    /// The artist's name.
    pub name: String,
    /// As it sorts.
    pub sort: Option<String>,
    /// The artist's `MusicBrainz` id, in lower case with hyphens.
    pub musicbrainz: Option<String>,
    /// What they did.
    pub role: Role,
}

/// What somebody did on a recording.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Role {
    /// The artist.
    Main,
    /// “feat.”
    Featured,
    /// Wrote the music.
    Composer,
    /// Wrote the words.
    Lyricist,
    /// Conducted.
    Conductor,
    /// Arranged.
    Arranger,
    /// Produced.
    Producer,
    /// Recorded it.
    Engineer,
    /// Mixed it.
    Mixer,
    /// Made another mix of it.
    Remixer,
    /// Mixed it into others.
    DjMixer,
    /// Played or sang; the instrument if it is said.
    Performer(String),
}

/// A place in a row, and how long the row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// From 1.
    pub number: Option<u32>,
    /// How many there are.
    pub total: Option<u32>,
}

/// A date of any precision, from the year 1000 to 2100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// 1 to 12.
    pub month: Option<u8>,
    /// 1 to 31; only with a month.
    pub day: Option<u8>,
}

/// What tells editions of one album apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Edition {
    /// “Deluxe Edition”, “Remastered”.
    pub version: Option<String>,
    /// The label.
    pub label: Option<String>,
    /// The label's number for it.
    pub catalogue: Option<String>,
    /// The barcode.
    pub barcode: Option<String>,
    /// “CD”, “Vinyl”.
    pub media: Option<String>,
    /// “album”, “single”, “live”, in lower case.
    pub kinds: Vec<String>,
}

/// Ids of `MusicBrainz`, in lower case with hyphens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MusicBrainz {
    /// Of the release: this edition.
    pub release: Option<String>,
    /// Of the group of all editions.
    pub release_group: Option<String>,
    /// Of the recording: the same on every album.
    pub recording: Option<String>,
    /// Of the track on this release.
    pub track: Option<String>,
}

/// How loud it is. Nothing is invented: what the file does not say is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gain {
    /// `ReplayGain` of the track in dB, for a reference of 89 dB (−18 LUFS).
    pub track: Option<f32>,
    /// Its peak, 1.0 is full scale.
    pub track_peak: Option<f32>,
    /// Of the album in dB.
    pub album: Option<f32>,
    /// The album's peak.
    pub album_peak: Option<f32>,
    /// `R128_TRACK_GAIN` of Opus in dB (reference −23 LUFS: 5 dB lower than `ReplayGain`'s).
    pub r128_track: Option<f32>,
    /// `R128_ALBUM_GAIN`.
    pub r128_album: Option<f32>,
}

/// How a file sounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Audio {
    /// Container and codec as people call them: `mp3`, `flac`, `aac`, `alac`, `opus`, `vorbis`, `wav`, ….
    pub codec: String,
    /// Milliseconds; `None` if the file does not say, or says what cannot be.
    pub milliseconds: Option<u32>,
    /// Samples a second.
    pub rate: Option<u32>,
    /// Channels.
    pub channels: Option<u8>,
    /// Bits a sample, of lossless codecs.
    pub depth: Option<u8>,
    /// Thousand bits a second.
    pub bitrate: Option<u32>,
}

/// A picture in a file; [`FileReader::picture`] gives its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Whether it says that it is the front cover.
    pub front: bool,
    /// Its size in bytes.
    pub bytes: u64,
    /// Of its bytes, where they were cheap to have: equal pictures have equal hashes.
    pub hash: Option<u64>,
}

/// Something strange in a file that could be read all the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Oddity {
    /// This text had been written in another encoding than it said, and was repaired: the encoding.
    Mojibake(String),
    /// Text that looks wrong and could not be repaired with certainty.
    PerhapsMojibake,
    /// A part of its tags was damaged and left out.
    DamagedTag,
    /// Its length, rate or channels were impossible and left out.
    ImpossibleAudio,
    /// Two of its tags contradict each other; the field.
    Contradiction(String),
}

/// Why a file could not be read. One bad file is one line in the scan log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "why")]
#[non_exhaustive]
pub enum Unreadable {
    /// It is audio of a kind that is not read here: its name, like “DSD (dsf)”.
    NotSupported {
        /// The kind.
        kind: String,
    },
    /// It is none of the kinds that its name says, or damaged beyond reading.
    Damaged {
        /// What is wrong, in words.
        says: String,
    },
    /// It is empty.
    Empty,
    /// Reading it ended the reader, or took too long or too much memory: it is not tried again until it changes.
    Hostile {
        /// What happened, in words.
        says: String,
    },
    /// The file system did not give it.
    NotGiven {
        /// What the system said.
        says: String,
    },
}

/// What a file has too little of is its own fault; whatever else the system says is not, and it is read another time.
impl From<&io::Error> for Unreadable {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            // A place before the beginning is asked for where a file is shorter than its own parts say.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => {
                Self::Damaged { says: "it ends too early".to_owned() }
            }
            // What no system call said is a parser's word.
            _ if error.raw_os_error().is_none() => Self::Damaged { says: error.to_string() },
            _ => Self::NotGiven { says: refused(error) },
        }
    }
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::from(&error)
    }
}

/// Reads files. What they hold may be hostile; an implementation that the library is given must survive that.
pub trait FileReader: Send {
    /// What the file says. `Err` is about this file alone: the next one can be read.
    ///
    /// # Errors
    ///
    /// Why it could not be read.
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable>;

    /// Reads many files: `each` is told, in the order of `files`, which one and what it says. An implementation for
    /// which a question has a price of its own asks them together; this one asks one after the other.
    ///
    /// `each` returning `Break` ends it soon: what was asked ahead is thrown away, and the reader stays usable.
    fn read_all(
        &mut self,
        files: &[&Path],
        each: &mut dyn FnMut(usize, Result<Reading, Unreadable>) -> ControlFlow<()>,
    ) {
        for (place, file) in files.iter().enumerate() {
            let reading = self.read(file);
            if each(place, reading).is_break() {
                return;
            }
        }
    }

    /// The bytes of the picture with this place in [`Reading::pictures`], at most `most` of them.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn picture(&mut self, file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable>;

    /// A picture as a JPEG whose longer side has at most so many pixels. Asked when a cover is first looked at. A reader
    /// that makes none says that it does not support it, as this one does; then there are no covers.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn thumbnail(&mut self, _of: PictureAt<'_>, _side: u32) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::NotSupported { kind: "pictures".to_owned() })
    }
}
