//! Reads one file in this process. What is asked of a stranger's file goes through [`crate::ChildReader`].

mod behind;
mod chapters;
mod credits;
mod dates;
mod essence;
mod frames;
mod gain;
mod genres;
mod keys;
mod lofty;
mod meaning;
mod merge;
mod mojibake;
mod mpeg;
mod numbers;
mod raw;
mod sniff;

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use twox_hash::XxHash3_64;

use self::behind::Behind;
use self::lofty::Rung;
use self::raw::{Form, RawFile};
use self::sniff::Kind;
pub use self::sniff::is_audio_name;
use crate::{Audio, Oddity, Picture, Reading, Unreadable};

/// Bytes that one item of a file may take in memory.
const MOST_MEMORY: u64 = 64 << 20;
/// A week: no recording is longer, and every damaged header's number is.
const LONGEST: u128 = 7 * 24 * 3_600 * 1_000;

/// What a file says.
pub(crate) fn read(file: &Path) -> Result<Reading, Unreadable> {
    let opened = open(file)?;
    let (mut from, kind, length) = (opened.from, opened.kind, opened.length);
    let (mut raw, mut oddities) = raw(kind, length, &mut from)?;
    if kind == Kind::Mpeg && raw.milliseconds > 0 {
        let audio = essence::between_tags(from.get_mut(), length);
        if let Ok(Some((long, rate))) = audio.and_then(|audio| mpeg::varying(from.get_mut(), audio)) {
            raw.milliseconds = u128::from(long);
            raw.audio.bitrate = u32::try_from(rate).ok();
        }
    }
    let fields = merge::merge(&raw.tags, &mut oddities);
    let mut tags = meaning::tags(&fields);
    // Nobody names music so.
    tags.spoken |= file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("m4b"));
    let audio = possible(&raw, length, &mut oddities);
    let pictures = raw.pictures.iter().map(|picture| Picture {
        front: picture.front,
        bytes: picture.bytes.len() as u64,
        hash: Some(XxHash3_64::oneshot(&picture.bytes)),
    });
    let pictures = pictures.collect();
    let fingerprint = essence::fingerprint(kind, from.get_mut(), length);
    Ok(Reading { tags, audio, pictures, fingerprint, oddities })
}

/// The bytes of one of a file's pictures.
pub(crate) fn picture(file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
    let opened = open(file)?;
    let (raw, _) = raw(opened.kind, opened.length, &mut { opened.from })?;
    let none = || Unreadable::Damaged { says: "it has no such picture".to_owned() };
    let mut bytes = raw.pictures.into_iter().nth(index).ok_or_else(none)?.bytes;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(bytes)
}

struct Opened {
    from: BufReader<File>,
    kind: Kind,
    length: u64,
}

fn open(file: &Path) -> Result<Opened, Unreadable> {
    let not_given = |error: std::io::Error| Unreadable::NotGiven { says: error.to_string() };
    // Opening a pipe would wait for whoever writes it.
    let about = std::fs::metadata(file).map_err(not_given)?;
    if !about.is_file() {
        return Err(Unreadable::NotGiven { says: "it is not a file".to_owned() });
    }
    if about.len() == 0 {
        return Err(Unreadable::Empty);
    }
    let mut from = BufReader::new(File::open(file).map_err(not_given)?);
    let kind = sniff::kind(file, &mut from)?;
    let tag = match kind {
        Kind::Wav => essence::chunk(&mut from, about.len(), *b"id3 ", u32::from_le_bytes),
        Kind::Aiff => essence::chunk(&mut from, about.len(), *b"id3 ", u32::from_be_bytes),
        _ => Ok(Some(0..0)),
    };
    if let Ok(Some(tag)) = tag
        && chapters::too_deep(&mut from, tag.start).map_err(not_given)?
    {
        return Err(Unreadable::Hostile { says: "its chapters are nested too deep".to_owned() });
    }
    Ok(Opened { from, kind, length: about.len() })
}

/// Goes down the ladder until a rung holds. What no rung gives may still stand in text frames.
fn raw(kind: Kind, length: u64, from: &mut BufReader<File>) -> Result<(RawFile, Vec<Oddity>), Unreadable> {
    let (mut read, mut oddities) = match ladder(kind, length, from) {
        Ok((read, oddities)) => (Ok(read), oddities),
        Err(error @ Unreadable::Damaged { .. }) => {
            (Err(error), vec![Oddity::DamagedTag, Oddity::ImpossibleAudio])
        }
        Err(error) => return Err(error),
    };
    let is_id3v2 = |tag: &&raw::Tag| tag.form == Form::Id3v2;
    let lost = |raw: &RawFile| match raw.tags.iter().find(is_id3v2) {
        Some(tag) => !tag.items.iter().any(|item| item.key == "TIT2"),
        // What was damaged and left out may have been one.
        None => !oddities.is_empty(),
    };
    if read.as_ref().map_or(true, lost)
        && let Some(found) = frames::texts(from)
    {
        let mut raw = read.unwrap_or_else(|_| RawFile::of(kind));
        let place = raw.tags.iter().position(|tag| tag.form == Form::Id3v2).map_or(0, |place| place + 1);
        let known = place > 0 && found.items.iter().all(|item| raw.tags[place - 1].items.contains(item));
        if !known {
            raw.tags.insert(place, found);
            if !oddities.contains(&Oddity::DamagedTag) {
                oddities.push(Oddity::DamagedTag);
            }
        }
        read = Ok(raw);
    }
    read.map(|raw| (raw, oddities))
}

fn ladder(kind: Kind, length: u64, from: &mut BufReader<File>) -> Result<(RawFile, Vec<Oddity>), Unreadable> {
    let not_given = |error: std::io::Error| Unreadable::NotGiven { says: error.to_string() };
    // Nothing in a file is larger than the file, and nothing here unpacks.
    let most = usize::try_from((length + (64 << 10)).min(MOST_MEMORY)).unwrap_or(usize::MAX);
    let behind = essence::after_id3v2(from, length).map_err(not_given)?;
    // Each with what it means when only it holds. The last leaves out a tag that nothing can be made of.
    let rungs = [
        (Rung::BestAttempt, 0, None),
        (Rung::Relaxed, 0, Some(Oddity::DamagedTag)),
        (Rung::TagsOnly, 0, Some(Oddity::ImpossibleAudio)),
        (Rung::Relaxed, behind, Some(Oddity::DamagedTag)),
    ];
    let mut says = String::new();
    for (rung, start, oddity) in rungs.into_iter().take(if behind == 0 { 3 } else { 4 }) {
        from.seek(SeekFrom::Start(start)).map_err(not_given)?;
        match catch_unwind(AssertUnwindSafe(|| {
            lofty::read(kind, rung, most, Behind { from: &mut *from, start })
        })) {
            Ok(Ok(raw)) => return Ok((raw, oddity.into_iter().collect())),
            Ok(Err(error)) => says = error,
            Err(_) => "the reader gave up on it".clone_into(&mut says),
        }
    }
    Err(Unreadable::Damaged { says })
}

/// The audio as it can be: what cannot be is left out and told.
fn possible(raw: &RawFile, length: u64, oddities: &mut Vec<Oddity>) -> Audio {
    let mut audio = raw.audio.clone();
    let lossless = matches!(audio.codec.as_str(), "flac" | "alac" | "ape" | "wavpack" | "wav" | "aiff");
    // Silence packs to nothing where nothing is lost; all others need a thousand bits a second.
    let most = if lossless { LONGEST } else { LONGEST.min(u128::from(length) * 8) };
    let mut odd = raw.milliseconds > most;
    audio.milliseconds =
        u32::try_from(raw.milliseconds).ok().filter(|&long| long > 0 && u128::from(long) <= most);
    let mut keep = |known: bool, can_be: bool| {
        odd |= known && !can_be;
        can_be
    };
    audio.rate = audio.rate.filter(|&rate| keep(rate > 0, (1_000..=3_072_000).contains(&rate)));
    audio.channels = audio.channels.filter(|&channels| keep(channels > 0, (1..=64).contains(&channels)));
    audio.depth = audio.depth.filter(|&depth| keep(depth > 0, (1..=64).contains(&depth)));
    audio.bitrate = audio.bitrate.filter(|&rate| keep(rate > 0, (1..=100_000).contains(&rate)));
    if odd && !oddities.contains(&Oddity::ImpossibleAudio) {
        oddities.push(Oddity::ImpossibleAudio);
    }
    audio
}
