//! The fingerprint of the audio in a file, which no change of its tags or name changes.
//!
//! Three windows of the audio bytes and their count, not all of them: a library of thousands of files is looked at
//! in a fraction of a second. FLAC files carry the MD5 of their samples, which a new compression keeps too. Ogg pages
//! are numbered through, so that longer tags change every page's head: there only what the pages carry counts.
//! Two files that differ only between the windows have equal fingerprints.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use twox_hash::XxHash3_128;

use super::sniff::Kind;
use crate::Fingerprint;

/// Bytes that are looked at in each of three places.
const WINDOW: u64 = 16 << 10;
/// What holds a page of usual size wherever it begins.
const PAGES: u64 = 32 << 10;
/// More parts than this before the audio are no file that anyone plays.
const MOST_PARTS: usize = 10_000;

/// The fingerprint of the audio in a file of this length. None where there is no audio, or not where it should be.
pub(crate) fn fingerprint(kind: Kind, from: &mut (impl Read + Seek), length: u64) -> Option<Fingerprint> {
    let audio = match kind {
        Kind::Flac => match flac(from, length).ok()?? {
            Ok(samples) => return Some(Fingerprint(XxHash3_128::oneshot(&samples))),
            Err(audio) => audio,
        },
        Kind::Vorbis | Kind::Opus | Kind::Speex => return pages(kind, from, length).ok()?,
        Kind::Mpeg | Kind::Aac | Kind::Ape | Kind::Musepack | Kind::WavPack => {
            between_tags(from, length).ok()?
        }
        Kind::Mp4 => boxes(from, length).ok()??,
        Kind::Wav => chunk(from, length, *b"data", u32::from_le_bytes).ok()??,
        Kind::Aiff => chunk(from, length, *b"SSND", u32::from_be_bytes).ok()??,
    };
    windows(from, audio).ok()?
}

fn windows(from: &mut (impl Read + Seek), audio: Range<u64>) -> io::Result<Option<Fingerprint>> {
    let long = audio.end.saturating_sub(audio.start);
    if long == 0 {
        return Ok(None);
    }
    let mut seen = long.to_le_bytes().to_vec();
    if long <= 3 * WINDOW {
        seen.extend(bytes(from, audio.start, long)?);
    } else {
        for at in [0, long / 2 - WINDOW / 2, long - WINDOW] {
            seen.extend(bytes(from, audio.start + at, WINDOW)?);
        }
    }
    Ok(Some(Fingerprint(XxHash3_128::oneshot(&seen))))
}

/// As many bytes as there are, at most `many`.
pub(crate) fn bytes(from: &mut (impl Read + Seek), at: u64, many: u64) -> io::Result<Vec<u8>> {
    from.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::with_capacity(usize::try_from(many.min(PAGES * 2)).unwrap_or(0));
    from.take(many).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn array<const N: usize>(from: &mut (impl Read + Seek), at: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.seek(SeekFrom::Start(at))?;
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Where the ID3v2 tags at the beginning end.
pub(crate) fn after_id3v2(from: &mut (impl Read + Seek), length: u64) -> io::Result<u64> {
    let mut at = 0;
    while at + 10 <= length {
        let [b'I', b'D', b'3', _, _, flags, a, b, c, d] = array::<10>(from, at)? else { break };
        let size = [a, b, c, d].iter().fold(0u64, |size, byte| (size << 7) | u64::from(byte & 0x7f));
        at += 10 + size + if flags & 0x10 == 0 { 0 } else { 10 };
    }
    Ok(at.min(length))
}

/// What is left when every tag at either end is taken away, in whatever order they stand.
pub(crate) fn between_tags(from: &mut (impl Read + Seek), length: u64) -> io::Result<Range<u64>> {
    let (mut start, mut end) = (after_id3v2(from, length)?, length);
    if start + 32 <= end {
        let head = array::<32>(from, start)?;
        if head.starts_with(b"APETAGEX") {
            start = end.min(start + 32 + u64::from(little(&head[12..16])));
        }
    }
    for _ in 0..8 {
        let before = end;
        let left = end - start;
        if left >= 128 && array::<3>(from, end - 128)? == *b"TAG" {
            end -= 128;
        } else if left >= 32 && array::<8>(from, end - 32)? == *b"APETAGEX" {
            let foot = array::<32>(from, end - 32)?;
            let head = if foot[23] & 0x80 == 0 { 0 } else { 32 };
            end -= (u64::from(little(&foot[12..16])) + head).clamp(32, left);
        } else if left >= 15 && array::<9>(from, end - 9)? == *b"LYRICS200" {
            let size = array::<6>(from, end - 15)?;
            let size = std::str::from_utf8(&size).ok().and_then(|size| size.parse::<u64>().ok()).unwrap_or(0);
            end -= (size + 15).min(left);
        } else if left >= 20 && array::<3>(from, end - 10)? == *b"3DI" {
            let foot = array::<10>(from, end - 10)?;
            let size = foot[6..].iter().fold(0u64, |size, byte| (size << 7) | u64::from(byte & 0x7f));
            end -= (size + 20).min(left);
        }
        if end == before {
            break;
        }
    }
    Ok(start..end)
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| (number << 8) | u32::from(byte))
}

/// The samples' MD5 with their count and shape, or where the audio is if nobody wrote it.
fn flac(from: &mut (impl Read + Seek), length: u64) -> io::Result<Option<Result<Vec<u8>, Range<u64>>>> {
    let mut at = after_id3v2(from, length)?;
    if array::<4>(from, at)? != *b"fLaC" {
        return Ok(None);
    }
    at += 4;
    for place in 0..MOST_PARTS {
        let [about, a, b, c] = array::<4>(from, at)?;
        if place == 0 && about.trailing_zeros() >= 7 {
            // Rate, channels, depth and count of the samples, then their MD5.
            let shape = array::<24>(from, at + 4 + 10)?;
            if shape[8..].iter().any(|&byte| byte != 0) {
                return Ok(Some(Ok(shape.to_vec())));
            }
        }
        at += 4 + u64::from(u32::from_be_bytes([0, a, b, c]));
        if about & 0x80 != 0 {
            return Ok((at < length).then_some(Err(at..length)));
        }
    }
    Ok(None)
}

/// The largest `mdat`.
fn boxes(from: &mut (impl Read + Seek), length: u64) -> io::Result<Option<Range<u64>>> {
    let (mut at, mut largest) = (0, None::<Range<u64>>);
    for _ in 0..MOST_PARTS {
        if at + 8 > length {
            break;
        }
        let head = array::<8>(from, at)?;
        let short = u64::from(u32::from_be_bytes([head[0], head[1], head[2], head[3]]));
        let (header, size) = match short {
            0 => (8, length - at),
            1 => (16, u64::from_be_bytes(array::<8>(from, at + 8)?)),
            size => (8, size),
        };
        let end = at.saturating_add(size).min(length);
        let inside = (at + header).min(end)..end;
        if &head[4..] == b"mdat"
            && largest.as_ref().is_none_or(|best| inside.end - inside.start > best.end - best.start)
        {
            largest = Some(inside);
        }
        if size < header {
            break;
        }
        at = end;
    }
    Ok(largest)
}

/// What one chunk of a RIFF or an AIFF file holds.
pub(crate) fn chunk(
    from: &mut (impl Read + Seek),
    length: u64,
    wanted: [u8; 4],
    number: fn([u8; 4]) -> u32,
) -> io::Result<Option<Range<u64>>> {
    let mut at = 12;
    for _ in 0..MOST_PARTS {
        if at + 8 > length {
            break;
        }
        let [a, b, c, d, size @ ..] = array::<8>(from, at)?;
        let size = u64::from(number(size));
        if [a, b, c, d].eq_ignore_ascii_case(&wanted) {
            return Ok(Some(at + 8..(at + 8 + size).min(length)));
        }
        at += 8 + size + size % 2;
    }
    Ok(None)
}

/// Of an Ogg file: what the pages after the headers carry.
fn pages(kind: Kind, from: &mut (impl Read + Seek), length: u64) -> io::Result<Option<Fingerprint>> {
    let headers = match kind {
        Kind::Vorbis => 3,
        // Two, and as many as the first one says; nobody writes more.
        _ => 2,
    };
    let (mut at, mut packets) = (0, 0);
    for _ in 0..MOST_PARTS {
        if packets >= headers {
            break;
        }
        let head = array::<27>(from, at)?;
        if !head.starts_with(b"OggS") {
            return Ok(None);
        }
        let pieces = bytes(from, at + 27, u64::from(head[26]))?;
        packets += pieces.iter().filter(|&&piece| piece < 255).count();
        at += 27 + pieces.len() as u64 + pieces.iter().map(|&piece| u64::from(piece)).sum::<u64>();
    }
    let long = length.saturating_sub(at);
    if long == 0 || packets < headers {
        return Ok(None);
    }
    let mut seen = long.to_le_bytes().to_vec();
    for place in [0, long / 2, long.saturating_sub(PAGES)] {
        carried(&bytes(from, at + place, PAGES)?, &mut seen);
    }
    // A length alone is no evidence.
    Ok((seen.len() > 8).then(|| Fingerprint(XxHash3_128::oneshot(&seen))))
}

/// Adds what the whole pages in a window carry, from the first that begins in it.
fn carried(window: &[u8], into: &mut Vec<u8>) {
    let Some(first) = window.windows(5).position(|five| five == b"OggS\0") else { return };
    let mut rest = &window[first..];
    while rest.starts_with(b"OggS") && rest.len() >= 27 {
        let pieces = usize::from(rest[26]);
        let Some(table) = rest.get(27..27 + pieces) else { break };
        let size: usize = table.iter().map(|&piece| usize::from(piece)).sum();
        let Some(body) = rest.get(27 + pieces..27 + pieces + size) else { break };
        into.extend(table);
        into.extend(body);
        rest = &rest[27 + pieces + size..];
    }
}
