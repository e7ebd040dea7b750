//! The only file that knows the crate `lofty`: it turns a file into keys and values, and makes nothing of them.
//!
//! 0.24.0, and not the 0.25 that came after it: there nested chapter frames are read by recursion, so that a tag of
//! 822 bytes ends the process. On the corpus both read the same, and they panic at the same two places.

use std::io::{Read, Seek};

use lofty::ape::{ApeFile, ApeTag};
use lofty::config::{GlobalOptions, ParseOptions, ParsingMode, apply_global_options};
use lofty::error::{ErrorKind, LoftyError};
use lofty::file::AudioFile;
use lofty::flac::FlacFile;
use lofty::id3::v1::Id3v1Tag;
use lofty::id3::v2::{ChannelType, Frame, Id3v2Tag};
use lofty::iff::aiff::{AiffFile, AiffTextChunks};
use lofty::iff::wav::{RiffInfoList, WavFile};
use lofty::mp4::{AtomData, AtomIdent, Ilst, Mp4Codec, Mp4File};
use lofty::mpeg::{Layer, MpegFile};
use lofty::musepack::MpcFile;
use lofty::ogg::{OggPictureStorage, OpusFile, SpeexFile, VorbisComments, VorbisFile};
use lofty::picture::{Picture, PictureType};
use lofty::properties::FileProperties;
use lofty::tag::ItemValue;
use lofty::{TextEncoding, aac::AacFile, wavpack::WavPackFile};

use super::raw::{Form, RawFile, Tag};
use super::sniff::Kind;
use crate::Unreadable;

/// How a file is read: each rung forgives more than the one before, and the last looks at no audio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    BestAttempt,
    Relaxed,
    TagsOnly,
}

/// Reads a file from its beginning. No single item may take more than `most` bytes of memory; of the pictures only the
/// wanted one's bytes are kept.
///
/// May panic on a hostile file: the caller catches that and goes to the next rung.
pub(crate) fn read(
    kind: Kind,
    rung: Rung,
    most: usize,
    wanted: Option<usize>,
    mut from: impl Read + Seek,
) -> Result<RawFile, Unreadable> {
    // The limit belongs to the thread, so it is set where it is needed.
    let limits = GlobalOptions::new()
        .allocation_limit(most)
        .preserve_format_specific_items(false)
        .use_custom_resolvers(false);
    apply_global_options(limits);
    let mode = if rung == Rung::BestAttempt { ParsingMode::BestAttempt } else { ParsingMode::Relaxed };
    let how = ParseOptions::new().parsing_mode(mode).read_properties(rung != Rung::TagsOnly);
    let from = &mut from;
    let mut raw = RawFile { wanted, ..RawFile::of(kind) };
    let read = match kind {
        Kind::Mpeg => MpegFile::read_from(from, how).map(|file| {
            raw.id3v2(file.id3v2());
            raw.ape(file.ape());
            raw.id3v1(file.id3v1());
            let codec = match file.properties().layer() {
                Layer::Layer1 => "mp1",
                Layer::Layer2 => "mp2",
                Layer::Layer3 => "mp3",
            };
            raw.audio(Some(codec), *file.properties());
        }),
        Kind::Aac => AacFile::read_from(from, how).map(|file| {
            raw.id3v2(file.id3v2());
            raw.id3v1(file.id3v1());
            raw.audio(None, *file.properties());
        }),
        Kind::Flac => FlacFile::read_from(from, how).map(|file| {
            raw.vorbis(file.vorbis_comments());
            raw.id3v2(file.id3v2());
            file.pictures().iter().for_each(|(picture, _)| raw.add(picture));
            raw.audio(None, *file.properties());
        }),
        Kind::Vorbis => VorbisFile::read_from(from, how).map(|file| {
            raw.vorbis(Some(file.vorbis_comments()));
            raw.audio(None, *file.properties());
        }),
        Kind::Opus => OpusFile::read_from(from, how).map(|file| {
            raw.vorbis(Some(file.vorbis_comments()));
            raw.audio(None, *file.properties());
        }),
        Kind::Speex => SpeexFile::read_from(from, how).map(|file| {
            raw.vorbis(Some(file.vorbis_comments()));
            raw.audio(None, *file.properties());
        }),
        Kind::Mp4 => Mp4File::read_from(from, how).map(|file| {
            raw.mp4(file.ilst());
            let codec = match file.properties().codec() {
                Mp4Codec::AAC => "aac",
                Mp4Codec::ALAC => "alac",
                Mp4Codec::MP3 => "mp3",
                Mp4Codec::FLAC => "flac",
                _ => "mp4",
            };
            raw.audio(Some(codec), file.properties().clone());
        }),
        Kind::Ape => ApeFile::read_from(from, how).map(|file| {
            raw.ape(file.ape());
            raw.id3v2(file.id3v2());
            raw.id3v1(file.id3v1());
            raw.audio(None, file.properties().clone());
        }),
        Kind::Musepack => MpcFile::read_from(from, how).map(|file| {
            raw.ape(file.ape());
            raw.id3v2(file.id3v2());
            raw.id3v1(file.id3v1());
            raw.audio(None, file.properties().clone());
        }),
        Kind::WavPack => WavPackFile::read_from(from, how).map(|file| {
            raw.ape(file.ape());
            raw.id3v1(file.id3v1());
            raw.audio(None, *file.properties());
        }),
        Kind::Wav => WavFile::read_from(from, how).map(|file| {
            raw.id3v2(file.id3v2());
            raw.riff_info(file.riff_info());
            raw.audio(None, *file.properties());
        }),
        Kind::Aiff => AiffFile::read_from(from, how).map(|file| {
            raw.id3v2(file.id3v2());
            raw.aiff_text(file.text_chunks());
            raw.audio(None, file.properties().clone());
        }),
    };
    read.map(|()| raw).map_err(unreadable)
}

#[expect(clippy::needless_pass_by_value, reason = "so it stands where an error is turned into another")]
fn unreadable(error: LoftyError) -> Unreadable {
    match error.kind() {
        ErrorKind::Io(error) => error.into(),
        ErrorKind::TooMuchData | ErrorKind::SizeMismatch => {
            Unreadable::Damaged { says: "a part of it has an impossible size".to_owned() }
        }
        _ => Unreadable::Damaged { says: error.to_string() },
    }
}

impl RawFile {
    fn audio(&mut self, codec: Option<&str>, properties: impl Into<FileProperties>) {
        let properties = properties.into();
        self.milliseconds = properties.duration().as_millis();
        if let Some(codec) = codec {
            codec.clone_into(&mut self.audio.codec);
        }
        self.audio.rate = properties.sample_rate();
        self.audio.channels = properties.channels();
        self.audio.depth = properties.bit_depth();
        self.audio.bitrate = properties.audio_bitrate();
    }

    fn add(&mut self, picture: &Picture) {
        self.add_picture(picture.pic_type() == PictureType::CoverFront, picture.data());
    }

    fn id3v2(&mut self, from: Option<&Id3v2Tag>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::Id3v2);
        let latin1 = |encoding: TextEncoding| encoding == TextEncoding::Latin1;
        for frame in from {
            match frame {
                Frame::Text(text) => tag.push(frame.id_str(), &text.value, latin1(text.encoding)),
                Frame::UserText(text) => {
                    tag.push(&format!("TXXX:{}", text.description), &text.content, latin1(text.encoding));
                }
                Frame::Timestamp(time) => tag.push(frame.id_str(), &time.timestamp.to_string(), false),
                // Programs keep settings in comments that have a description.
                Frame::Comment(text) if text.description.is_empty() => {
                    tag.push("COMM", &text.content, latin1(text.encoding));
                }
                Frame::UnsynchronizedText(text) => tag.push("USLT", &text.content, latin1(text.encoding)),
                Frame::UniqueFileIdentifier(id) => {
                    tag.push(&format!("UFID:{}", id.owner), &String::from_utf8_lossy(&id.identifier), false);
                }
                Frame::KeyValue(pairs) => {
                    for (role, name) in &pairs.key_value_pairs {
                        tag.push(&format!("{}:{role}", frame.id_str()), name, latin1(pairs.encoding));
                    }
                }
                Frame::RelativeVolumeAdjustment(volume) => {
                    if let Some(master) = volume.channels.get(&ChannelType::MasterVolume) {
                        let decibels = f32::from(master.volume_adjustment) / 512.0;
                        tag.push(&format!("RVA2:{}", volume.identification), &decibels.to_string(), false);
                    }
                }
                Frame::Picture(picture) => self.add(&picture.picture),
                Frame::Binary(_) if frame.id_str() == "PCST" => tag.push("PCST", "1", false),
                _ => {}
            }
        }
        self.tags.push(tag);
    }

    fn ape(&mut self, from: Option<&ApeTag>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::Ape);
        for item in from {
            match item.value() {
                ItemValue::Text(text) => tag.push(item.key(), text, false),
                ItemValue::Binary(bytes) if item.key().to_ascii_lowercase().starts_with("cover art") => {
                    if let Ok(picture) = Picture::from_ape_bytes(item.key(), bytes) {
                        self.add(&picture);
                    }
                }
                _ => {}
            }
        }
        self.tags.push(tag);
    }

    fn id3v1(&mut self, from: Option<&Id3v1Tag>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::Id3v1);
        let texts = [
            ("title", &from.title),
            ("artist", &from.artist),
            ("album", &from.album),
            ("comment", &from.comment),
        ];
        for (key, value) in texts {
            tag.push(key, value.as_deref().unwrap_or_default(), true);
        }
        let numbers = [
            ("year", from.year),
            ("track", from.track_number.map(u16::from)),
            ("genre", from.genre.map(u16::from)),
        ];
        for (key, value) in numbers {
            tag.push(key, &value.map(|n| n.to_string()).unwrap_or_default(), false);
        }
        self.tags.push(tag);
    }

    fn vorbis(&mut self, from: Option<&VorbisComments>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::Vorbis);
        from.items().for_each(|(key, value)| tag.push(key, value, false));
        from.pictures().iter().for_each(|(picture, _)| self.add(picture));
        self.tags.push(tag);
    }

    fn mp4(&mut self, from: Option<&Ilst>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::Mp4);
        for atom in from {
            let key = match atom.ident() {
                AtomIdent::Fourcc(four) => four.iter().map(|&b| char::from(b)).collect(),
                AtomIdent::Freeform { name, .. } => format!("----:{name}"),
            };
            for data in atom.data() {
                match data {
                    AtomData::UTF8(text) | AtomData::UTF16(text) => tag.push(&key, text, false),
                    AtomData::SignedInteger(number) => tag.push(&key, &number.to_string(), false),
                    AtomData::UnsignedInteger(number) => tag.push(&key, &number.to_string(), false),
                    AtomData::Bool(yes) => tag.push(&key, if *yes { "1" } else { "0" }, false),
                    // The first picture is what players show.
                    AtomData::Picture(picture) => {
                        let front = self.pictures.is_empty();
                        self.add_picture(front, picture.data());
                    }
                    AtomData::Unknown { data, .. } => match (key.as_str(), data.as_slice()) {
                        ("trkn" | "disk", [_, _, a, b, c, d, ..]) => {
                            let of = [u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d])];
                            tag.push(&key, &format!("{}/{}", of[0], of[1]), false);
                        }
                        (_, [one]) => tag.push(&key, &one.to_string(), false),
                        _ => {}
                    },
                }
            }
        }
        self.tags.push(tag);
    }

    fn riff_info(&mut self, from: Option<&RiffInfoList>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::RiffInfo);
        from.into_iter().for_each(|(key, value)| tag.push(key, value, false));
        self.tags.push(tag);
    }

    fn aiff_text(&mut self, from: Option<&AiffTextChunks>) {
        let Some(from) = from else { return };
        let mut tag = Tag::new(Form::AiffText);
        tag.push("NAME", from.name.as_deref().unwrap_or_default(), false);
        tag.push("AUTH", from.author.as_deref().unwrap_or_default(), false);
        from.annotations.iter().flatten().for_each(|text| tag.push("ANNO", text, false));
        self.tags.push(tag);
    }
}
