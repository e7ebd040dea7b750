//! How long an MPEG stream is whose head does not say so and whose frames differ in size.
//!
//! The first frame's bitrate is what readers multiply with, and of a stream that begins with silence that makes four
//! seconds out of thirty. Frames from places all along it, each of which stands for as many bytes, are near the truth.

use std::io::{self, Read, Seek};
use std::ops::Range;

use super::essence::bytes;

/// Places that are looked at.
const PLACES: u64 = 16;
/// Bytes that are looked at in each of them: five of the largest frames.
const WINDOW: u64 = 6 << 10;
/// Frames that must follow each other before they are believed.
const ROW: usize = 3;

/// One frame's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// Version, layer and rate, which never change in a stream.
    kind: (u8, u8),
    kilobits: u32,
    bytes: usize,
    microseconds: u64,
}

/// Milliseconds and thousand bits a second. None where the head says the length, or all frames have one size: then
/// the first one's rate is right.
pub(crate) fn varying(from: &mut (impl Read + Seek), audio: Range<u64>) -> io::Result<Option<(u64, u64)>> {
    let long = audio.end.saturating_sub(audio.start);
    let begun = bytes(from, audio.start, WINDOW.min(long))?;
    let first = (0..begun.len()).find(|&place| row(&begun, place)).map(|place| &begun[place..]);
    let Some(first) = first.filter(|first| !says_its_length(first)) else { return Ok(None) };
    let mut rates: Vec<u32> = head(first).map(|frame| frame.kilobits).into_iter().collect();
    let (mut all_bytes, mut microseconds) = (0_u64, 0);
    for number in 0..PLACES {
        // In the middle of what it stands for.
        let at = long.saturating_sub(WINDOW) / (2 * PLACES) * (2 * number + 1);
        let window = bytes(from, audio.start + at, WINDOW.min(long))?;
        let Some(mut place) = (0..window.len()).find(|&place| row(&window, place)) else { continue };
        while let Some(frame) = window.get(place..).and_then(head) {
            place += frame.bytes;
            all_bytes += frame.bytes as u64;
            microseconds += frame.microseconds;
            rates.push(frame.kilobits);
        }
    }
    rates.sort_unstable();
    rates.dedup();
    if rates.len() < 2 || microseconds == 0 || all_bytes == 0 {
        return Ok(None);
    }
    Ok(Some((long.saturating_mul(microseconds) / all_bytes / 1_000, all_bytes * 8_000 / microseconds)))
}

fn row(window: &[u8], mut place: usize) -> bool {
    let Some(first) = window.get(place..).and_then(head) else { return false };
    (0..ROW).all(|_| match window.get(place..).and_then(head) {
        Some(frame) if frame.kind == first.kind => {
            place += frame.bytes;
            true
        }
        _ => false,
    })
}

fn says_its_length(window: &[u8]) -> bool {
    let frame = &window[..window.len().min(200)];
    [b"Xing", b"Info", b"VBRI"].iter().any(|mark| frame.windows(4).any(|four| four == *mark))
}

/// A frame of layer III or II.
fn head(bytes: &[u8]) -> Option<Frame> {
    let &[0xff, second, third, ..] = bytes else { return None };
    if second & 0xe0 != 0xe0 {
        return None;
    }
    let (version, layer) = ((second >> 3) & 3, (second >> 1) & 3);
    let table: [u32; 14] = match (version, layer) {
        (3, 1) => [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        (3, 2) => [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        (0 | 2, 1 | 2) => [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        _ => return None,
    };
    let kilobits = *table.get(usize::from(third >> 4).checked_sub(1)?)?;
    let rate: u32 = *[44_100, 48_000, 32_000].get(usize::from((third >> 2) & 3))?;
    let rate = match version {
        3 => rate,
        2 => rate / 2,
        _ => rate / 4,
    };
    let samples = if layer == 1 && version != 3 { 576 } else { 1_152 };
    let padding = u32::from((third >> 1) & 1);
    Some(Frame {
        kind: (second & 0xfe, third & 0x0c),
        kilobits,
        bytes: usize::try_from(samples / 8 * kilobits * 1_000 / rate + padding).ok()?,
        microseconds: u64::from(samples) * 1_000_000 / u64::from(rate),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// MPEG 1 layer III at 44.1 kHz, of one of the bitrates.
    fn frames(index: u8, many: usize) -> Vec<u8> {
        let head = [0xff, 0xfb, index << 4, 0];
        let long = super::head(&head).unwrap().bytes;
        let mut frame = head.to_vec();
        frame.resize(long, 0);
        frame.repeat(many)
    }

    fn told(stream: Vec<u8>) -> Option<(u64, u64)> {
        let long = stream.len() as u64;
        varying(&mut Cursor::new(stream), 0..long).unwrap()
    }

    #[test]
    fn a_stream_of_frames_of_different_sizes_is_as_long_as_its_frames() {
        // Silence first: 100 frames of 32 and 1,000 of 192 kbit/s, of 26.122 ms each: 28.7 s; the first frame says 161.
        let (long, rate) = told([frames(1, 100), frames(11, 1_000)].concat()).unwrap();
        assert!((25_000..33_000).contains(&long), "{long} ms");
        assert!((150..=192).contains(&rate), "{rate} kbit/s");
    }

    #[test]
    fn what_is_said_or_the_same_all_along_is_left_alone() {
        assert_eq!(told(frames(9, 1_000)), None);
        let mut with_head = [frames(1, 1), frames(9, 500)].concat();
        with_head[36..40].copy_from_slice(b"Xing");
        assert_eq!(told(with_head), None);
        assert_eq!(told(vec![0; 50_000]), None);
        assert_eq!(told(Vec::new()), None);
    }
}
