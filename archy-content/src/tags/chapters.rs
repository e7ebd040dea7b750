//! How deep the chapter frames of an ID3v2 tag are nested, before anything reads them.
//!
//! `CHAP` and `CTOC` frames hold frames, and so each other. A reader that follows them by recursion overflows its
//! stack on a tag of a few hundred bytes, and that ends the process. Nobody nests them on purpose.

use std::io::{BufReader, Read, Seek, SeekFrom};

/// A table of contents, its chapters, and room for what nobody has thought of.
const DEEPEST: usize = 8;
/// Of a longer chapter only this much is looked at.
const MOST: u64 = 4 << 20;
/// Frames of a tag that are looked at.
const MOST_FRAMES: usize = 100_000;

/// Whether the tag at this place nests its chapters deeper than anything that is meant. Passes over what is no chapter.
pub(crate) fn too_deep(from: &mut BufReader<impl Read + Seek>, at: u64) -> std::io::Result<bool> {
    from.seek(SeekFrom::Start(at))?;
    let mut head = [0; 10];
    if from.read_exact(&mut head).is_err() || !head.starts_with(b"ID3") {
        return Ok(false);
    }
    let safe_sizes = head[3] == 4;
    let mut left = number(&head[6..], 7);
    for _ in 0..MOST_FRAMES {
        if left < 10 || from.read_exact(&mut head).is_err() || head[0] == 0 {
            break;
        }
        let size = number(&head[4..8], if safe_sizes { 7 } else { 8 });
        left = (left - 10).saturating_sub(size);
        if !matches!(&head[..4], b"CHAP" | b"CTOC") {
            from.seek_relative(i64::try_from(size).unwrap_or(i64::MAX))?;
            continue;
        }
        let mut frame = head.to_vec();
        let looked = from.take(size.min(MOST)).read_to_end(&mut frame)? as u64;
        if nested(&frame, safe_sizes) {
            return Ok(true);
        }
        from.seek_relative(i64::try_from(size.saturating_sub(looked)).unwrap_or(i64::MAX))?;
    }
    Ok(false)
}

fn number(bytes: &[u8], shift: u32) -> u64 {
    bytes.iter().fold(0, |number, &byte| (number << shift) | u64::from(byte))
}

/// Walks the frames with a list of its own in place of recursion.
fn nested(tag: &[u8], safe_sizes: bool) -> bool {
    let mut open = vec![(tag, 0)];
    while let Some((mut frames, depth)) = open.pop() {
        while let Some((header, rest)) = frames.split_first_chunk::<10>() {
            if header[0] == 0 {
                break;
            }
            let shift = if safe_sizes { 7 } else { 8 };
            let size = header[4..8].iter().fold(0usize, |size, &byte| (size << shift) | usize::from(byte));
            let (body, after) = rest.split_at(size.min(rest.len()));
            frames = after;
            if let Some(inside) = inside(&header[..4], body) {
                if depth == DEEPEST {
                    return true;
                }
                open.push((inside, depth + 1));
            }
        }
    }
    false
}

/// The frames in a chapter or in a table of contents.
fn inside<'a>(id: &[u8], body: &'a [u8]) -> Option<&'a [u8]> {
    let after_text = |bytes: &'a [u8]| bytes.iter().position(|&byte| byte == 0).map(|end| &bytes[end + 1..]);
    match id {
        b"CHAP" => after_text(body)?.get(16..),
        b"CTOC" => {
            let (about, mut rest) = after_text(body)?.split_first_chunk::<2>()?;
            for _ in 0..about[1] {
                rest = after_text(rest)?;
            }
            Some(rest)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(deep: usize, id: [u8; 4]) -> Vec<u8> {
        (0..deep).fold(Vec::new(), |inner, _| {
            let head: &[u8] = if id == *b"CHAP" {
                &[b'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            } else {
                b"a\0\x03\x01b\0"
            };
            let size = u32::try_from(head.len() + inner.len()).unwrap();
            let safe = [21, 14, 7, 0].map(|shift| u8::try_from((size >> shift) & 0x7f).unwrap());
            [&id[..], &safe, &[0, 0], head, &inner].concat()
        })
    }

    #[test]
    fn what_is_meant_passes_and_a_bomb_does_not() {
        for id in [*b"CHAP", *b"CTOC"] {
            assert!(!nested(&nest(DEEPEST, id), true));
            assert!(nested(&nest(DEEPEST + 1, id), true));
            assert!(nested(&nest(2_000, id), true));
            let long: Vec<u8> = nest(1, id).repeat(3_000);
            assert!(!nested(&long, true), "many chapters after each other");
        }
    }
}
