//! Bytes of any kind as text, and back.

use std::fmt::Write as _;

/// Bytes of a path as text: what is not UTF-8, and `%`, as `%` and two digits.
pub(crate) fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter == '%' { text.push_str("%25") } else { text.push(letter) }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

/// The bytes again; also those of an address, in which `%20` is a space.
pub(crate) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        if *first == b'%'
            && let Some(byte) = digits.and_then(|two| u8::from_str_radix(two, 16).ok())
        {
            out.push(byte);
            rest = &after[2..];
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_bytes_comes_back() {
        for path in [&b"plain"[..], "\u{f6}l 100%.mp3".as_bytes(), b"\xff\xfe%41", b""] {
            assert_eq!(unescape(escape(path).as_bytes()), path);
        }
    }
}
