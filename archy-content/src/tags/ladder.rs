//! How a file is read: strictly where that works, and ever more forgiving where it does not.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::behind::Behind;
use super::lofty::{self, Rung};
use super::raw::{Form, RawFile, Tag};
use super::sniff::Kind;
use super::{essence, frames};
use crate::{Audio, Oddity, Unreadable};

/// Bytes that one item of a file may take in memory.
const MOST_MEMORY: u64 = 64 << 20;
/// Texts of a second look that are looked for among those of the first.
const MOST_COMPARED: usize = 100;
/// A week: no recording is longer, and every damaged header's number is.
const LONGEST: u128 = 7 * 24 * 3_600 * 1_000;

/// Goes down the ladder until a rung holds. What no rung gives may still stand in text frames.
pub(crate) fn raw(
    kind: Kind,
    length: u64,
    wanted: Option<usize>,
    from: &mut BufReader<File>,
) -> Result<(RawFile, Vec<Oddity>), Unreadable> {
    let (mut read, mut oddities) = match down(kind, length, wanted, from) {
        Ok((read, oddities)) => (Ok(read), oddities),
        Err(error @ Unreadable::Damaged { .. }) => {
            (Err(error), vec![Oddity::DamagedTag, Oddity::ImpossibleAudio])
        }
        Err(error) => return Err(error),
    };
    let is_id3v2 = |tag: &&Tag| tag.form == Form::Id3v2;
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
        let known = place > 0
            && found.items.iter().take(MOST_COMPARED).all(|item| raw.tags[place - 1].items.contains(item));
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

fn down(
    kind: Kind,
    length: u64,
    wanted: Option<usize>,
    from: &mut BufReader<File>,
) -> Result<(RawFile, Vec<Oddity>), Unreadable> {
    // Nothing in a file is larger than the file, and nothing here unpacks.
    let most = usize::try_from((length + (64 << 10)).min(MOST_MEMORY)).unwrap_or(usize::MAX);
    let behind = essence::after_id3v2(from, length)?;
    // Each with what it means when only it holds. The last leaves out a tag that nothing can be made of.
    let rungs = [
        (Rung::BestAttempt, 0, None),
        (Rung::Relaxed, 0, Some(Oddity::DamagedTag)),
        (Rung::TagsOnly, 0, Some(Oddity::ImpossibleAudio)),
        (Rung::Relaxed, behind, Some(Oddity::DamagedTag)),
    ];
    let mut says = String::new();
    for (rung, start, oddity) in rungs.into_iter().take(if behind == 0 { 3 } else { 4 }) {
        from.seek(SeekFrom::Start(start))?;
        match catch_unwind(AssertUnwindSafe(|| {
            lofty::read(kind, rung, most, wanted, Behind { from: &mut *from, start })
        })) {
            Ok(Ok(raw)) => return Ok((raw, oddity.into_iter().collect())),
            Ok(Err(Unreadable::Damaged { says: why })) => says = why,
            Ok(Err(other)) => return Err(other),
            Err(_) => "the reader gave up on it".clone_into(&mut says),
        }
    }
    Err(Unreadable::Damaged { says })
}

/// The audio as it can be: what cannot be is left out and told.
pub(crate) fn possible(raw: &RawFile, length: u64, oddities: &mut Vec<Oddity>) -> Audio {
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
