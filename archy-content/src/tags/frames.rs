//! A second, forgiving look at an ID3v2 tag of which the first gave no title: text frames only.
//!
//! Programs have written tags that their own readers can read: iTunes gave ID3v2.4 frames the sizes of 2.3, so that
//! everything behind a picture was lost to whoever believes the version; others flag extended headers that are not
//! there.

use std::io::{Read, Seek, SeekFrom};

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::raw::{Form, Tag};

/// Bytes of a tag that are looked at: text stands before or between pictures of usual size.
const MOST: u64 = 16 << 20;
/// Frames of a tag.
const MOST_FRAMES: usize = 4_096;

/// The text frames of the tag at the file's beginning; None where there is none of version 3 or 4, or no text in it.
pub(crate) fn texts(from: &mut (impl Read + Seek)) -> Option<Tag> {
    let mut header = [0; 10];
    from.seek(SeekFrom::Start(0)).ok()?;
    from.read_exact(&mut header).ok()?;
    let [b'I', b'D', b'3', version @ 3..=4, _, flags, long @ ..] = header else { return None };
    let mut bytes = Vec::new();
    from.take(number(&long, 7).min(MOST)).read_to_end(&mut bytes).ok()?;
    // 2.3 spreads the whole tag; 2.4 each frame, which says so itself.
    if flags & 0x80 != 0 && version == 3 {
        bytes = gathered(&bytes);
    }
    let extended = if flags & 0x40 == 0 { 0 } else { extended(&bytes, version) };
    let mut rest = bytes.get(extended..)?;
    let mut tag = Tag::new(Form::Id3v2);
    for _ in 0..MOST_FRAMES {
        let Some((head, after)) = rest.split_first_chunk::<10>().filter(|(head, _)| is_id(&head[..4])) else {
            break;
        };
        let long = size(head, after, version);
        let (body, next) = after.split_at(long.min(after.len()));
        rest = next;
        let id = String::from_utf8_lossy(&head[..4]);
        // Packed and encrypted ones stay closed.
        let closed = if version == 4 { head[9] & 0x0c } else { head[9] & 0xc0 } != 0;
        if id.starts_with('T') && !closed {
            let spread = version == 4 && (head[9] & 2 != 0 || flags & 0x80 != 0);
            text(&id, &if spread { gathered(body) } else { body.to_vec() }, &mut tag);
        }
    }
    (!tag.items.is_empty()).then_some(tag)
}

fn number(bytes: &[u8], shift: u32) -> u64 {
    bytes.iter().fold(0, |number, &byte| (number << shift) | u64::from(byte))
}

fn is_id(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Where the frames begin behind an extended header: where one stands. Nowhere else but at once, if none does.
fn extended(bytes: &[u8], version: u8) -> usize {
    let said =
        bytes.get(..4).map_or(0, |size| if version == 4 { number(size, 7) } else { number(size, 8) + 4 });
    let said = usize::try_from(said).unwrap_or(0);
    if bytes.get(said..said.saturating_add(4)).is_some_and(is_id) { said } else { 0 }
}

/// A frame's size. In 2.4 the one of its two meanings that leads to another frame, or to the end.
fn size(head: &[u8; 10], after: &[u8], version: u8) -> usize {
    let read = |shift| usize::try_from(number(&head[4..8], shift)).unwrap_or(usize::MAX);
    let (safe, plain) = (read(7), read(8));
    let leads = |size: usize| match after.get(size..) {
        None => false,
        Some(rest) => rest.len() < 10 || rest[0] == 0 || is_id(&rest[..4]),
    };
    if version == 4 && (leads(safe) || !leads(plain)) { safe } else { plain }
}

/// Without the zeros that were put between bytes that looked like the beginning of audio.
fn gathered(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut before = 0;
    for &byte in bytes {
        if !(before == 0xff && byte == 0) {
            out.push(byte);
        }
        before = byte;
    }
    out
}

fn text(id: &str, body: &[u8], tag: &mut Tag) {
    let Some((&encoding, bytes)) = body.split_first() else { return };
    let decoded = match encoding {
        0 => bytes.iter().map(|&byte| char::from(byte)).collect(),
        1 | 2 => match bytes {
            [0xff, 0xfe, rest @ ..] => UTF_16LE.decode_without_bom_handling(rest).0.replace('\u{feff}', ""),
            [0xfe, 0xff, rest @ ..] | rest => {
                UTF_16BE.decode_without_bom_handling(rest).0.replace('\u{feff}', "")
            }
        },
        3 => String::from_utf8_lossy(bytes).into_owned(),
        _ => return,
    };
    if id == "TXXX" {
        if let Some((name, value)) = decoded.split_once('\0') {
            tag.push(&format!("TXXX:{name}"), value, encoding == 0);
        }
    } else {
        tag.push(id, &decoded, encoding == 0);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn told(version: u8, flags: u8, body: &[u8]) -> Vec<(String, String)> {
        let size = [21, 14, 7, 0].map(|shift| u8::try_from((body.len() >> shift) & 0x7f).unwrap());
        let file = [b"ID3", &[version, 0, flags][..], &size, body].concat();
        let items = texts(&mut Cursor::new(file)).map(|tag| tag.items).unwrap_or_default();
        items.into_iter().map(|item| (item.key, item.value)).collect()
    }

    #[test]
    fn frames_behind_one_with_a_size_of_the_older_version_are_read() {
        // 200 bytes: C8 in one byte, where 2.4 writes 01 48.
        let picture = [&b"APIC\0\0\0\xc8\0\0"[..], &[7; 200]].concat();
        let body = [&picture[..], b"TIT2\0\0\0\x06\0\0\x03Title"].concat();
        assert_eq!(told(4, 0, &body), [("TIT2".to_owned(), "Title".to_owned())]);
    }

    #[test]
    fn an_extended_header_is_passed_over_and_one_that_is_not_there_too() {
        let frame = b"TPE1\0\0\0\x05\0\0\x01\xff\xfeA\0";
        let wanted = [("TPE1".to_owned(), "A".to_owned())];
        assert_eq!(told(3, 0x40, &[&b"\0\0\0\x06\0\0\0\0\0\0"[..], frame].concat()), wanted);
        assert_eq!(told(3, 0x40, frame), wanted);
        assert_eq!(told(3, 0, b"nothing at all"), []);
    }
}
