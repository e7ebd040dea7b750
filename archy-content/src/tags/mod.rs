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
mod ladder;
mod lofty;
mod meaning;
mod merge;
mod mojibake;
mod mpeg;
mod numbers;
mod raw;
mod sniff;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use self::sniff::Kind;
pub use self::sniff::is_audio_name;
use crate::{Reading, Unreadable};

/// What a file says.
pub(crate) fn read(file: &Path) -> Result<Reading, Unreadable> {
    let opened = open(file)?;
    let (mut from, kind, length) = (opened.from, opened.kind, opened.length);
    let (mut raw, mut oddities) = ladder::raw(kind, length, None, &mut from)?;
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
    let audio = ladder::possible(&raw, length, &mut oddities);
    let fingerprint = essence::fingerprint(kind, from.get_mut(), length);
    Ok(Reading { tags, audio, pictures: raw.pictures, fingerprint, oddities })
}

/// The bytes of one of a file's pictures.
pub(crate) fn picture(file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
    let opened = open(file)?;
    let (raw, _) = ladder::raw(opened.kind, opened.length, Some(index), &mut { opened.from })?;
    let none = || Unreadable::Damaged { says: "it has no such picture".to_owned() };
    let mut bytes = raw.picture.ok_or_else(none)?;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(bytes)
}

struct Opened {
    from: BufReader<File>,
    kind: Kind,
    length: u64,
}

fn open(file: &Path) -> Result<Opened, Unreadable> {
    // Opening a pipe would wait for whoever writes it.
    let about = std::fs::metadata(file)?;
    if !about.is_file() {
        return Err(Unreadable::NotGiven { says: "it is not a file".to_owned() });
    }
    if about.len() == 0 {
        return Err(Unreadable::Empty);
    }
    let mut from = BufReader::new(File::open(file)?);
    let kind = sniff::kind(file, &mut from)?;
    let tag = match kind {
        Kind::Wav => essence::chunk(&mut from, about.len(), *b"id3 ", u32::from_le_bytes),
        Kind::Aiff => essence::chunk(&mut from, about.len(), *b"id3 ", u32::from_be_bytes),
        _ => Ok(Some(0..0)),
    };
    if let Ok(Some(tag)) = tag
        && chapters::too_deep(&mut from, tag.start)?
    {
        return Err(Unreadable::Hostile { says: "its chapters are nested too deep".to_owned() });
    }
    Ok(Opened { from, kind, length: about.len() })
}
