//! Reads `.m3u`, `.m3u8` and `.pls`: what they say, and which paths that may mean. Pure.

use std::borrow::Cow;

use crate::percent::unescape;
use crate::walk::join;

/// One entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As the file has it, for people.
    pub(crate) said: String,
    /// The bytes of it, if they are another text than that.
    pub(crate) raw: Option<Vec<u8>>,
    pub(crate) title: Option<String>,
    pub(crate) milliseconds: Option<i64>,
}

/// What a playlist says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) title: Option<String>,
    pub(crate) entries: Vec<Entry>,
}

/// Reads a playlist of this name.
pub(crate) fn parse(name: &[u8], bytes: &[u8]) -> Said {
    let bytes = utf16(bytes).map_or(Cow::Borrowed(bytes), |text| Cow::Owned(text.into_bytes()));
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let lines = bytes
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    if name.to_ascii_lowercase().ends_with(b".pls") { pls(lines) } else { m3u(lines) }
}

fn m3u<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Said {
    let mut said = Said::default();
    let (mut title, mut milliseconds) = (None, None);
    for line in lines {
        if let Some(about) = line.strip_prefix(b"#EXTINF:") {
            let about = text(about);
            let (length, name) = about.split_once(',').unwrap_or((&about, ""));
            let seconds =
                length.split(|c: char| c.is_ascii_whitespace()).next().and_then(|n| n.parse::<f64>().ok());
            milliseconds = seconds.and_then(length_of);
            title = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        } else if let Some(name) = line.strip_prefix(b"#PLAYLIST:") {
            said.title = Some(text(name).trim().to_owned()).filter(|name| !name.is_empty());
        } else if line[0] != b'#' {
            said.entries.push(Entry {
                title: title.take(),
                milliseconds: milliseconds.take(),
                ..entry(line)
            });
        }
    }
    said
}

fn pls<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Said {
    let mut entries: std::collections::BTreeMap<u32, Entry> = std::collections::BTreeMap::new();
    for line in lines {
        let Some(is) = line.iter().position(|byte| *byte == b'=') else { continue };
        let (field, value) = (text(&line[..is]).trim().to_ascii_lowercase(), line[is + 1..].trim_ascii());
        let numbered = |word: &str| field.strip_prefix(word).and_then(|number| number.parse::<u32>().ok());
        if let Some(number) = numbered("file") {
            let at = entries.entry(number).or_default();
            let Entry { said, raw, .. } = entry(value);
            (at.said, at.raw) = (said, raw);
        } else if let Some(number) = numbered("title") {
            entries.entry(number).or_default().title = Some(text(value));
        } else if let Some(number) = numbered("length") {
            entries.entry(number).or_default().milliseconds = text(value).parse().ok().and_then(length_of);
        }
    }
    Said { title: None, entries: entries.into_values().filter(|entry| !entry.said.is_empty()).collect() }
}

fn entry(line: &[u8]) -> Entry {
    let raw = std::str::from_utf8(line).is_err().then(|| line.to_vec());
    Entry { said: text(line), raw, ..Entry::default() }
}

/// Milliseconds of seconds; a stream's -1 is none.
fn length_of(seconds: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "it is between 0 and a year")]
    (0.0..=31_536_000.0).contains(&seconds).then_some((seconds * 1_000.0) as i64)
}

/// UTF-8, or what Windows wrote before it.
fn text(bytes: &[u8]) -> String {
    const ODD: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            bytes
                .iter()
                .map(|byte| {
                    if (0x80..0xa0).contains(byte) {
                        ODD[usize::from(byte - 0x80)]
                    } else {
                        char::from(*byte)
                    }
                })
                .collect()
        }
    }
}

/// The text of a file that begins with a mark of UTF-16.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (read, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let units: Vec<u16> = rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Where an entry may lie: below the root `root`, if the playlist lies in `folder` of it. Several readings, the likeliest
/// first; none for what leads out of every root, or to the network.
pub(crate) fn paths(said: &[u8], root: &[u8], folder: &[u8]) -> Vec<Vec<u8>> {
    let mut readings: Vec<Vec<u8>> = Vec::new();
    let plain = match said.strip_prefix(b"file://") {
        Some(url) => unescape(url),
        None if said.windows(3).any(|three| three == b"://") => return readings,
        None => said.to_vec(),
    };
    let slashed: Vec<u8> = plain.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    for path in [plain, slashed] {
        let inside = if path.first() == Some(&b'/') {
            let below = path.strip_prefix(root).filter(|rest| rest.first() == Some(&b'/') || root == b"/");
            below.and_then(|below| walked(&[], below))
        } else {
            walked(folder, &path)
        };
        if let Some(inside) = inside
            && !readings.contains(&inside)
        {
            readings.push(inside);
        }
    }
    readings
}

/// The path from a folder; `None` if it leads above the root.
fn walked(folder: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = folder.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.iter().fold(Vec::new(), |path, part| join(&path, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, bytes: &[u8]) -> Vec<(String, Option<String>, Option<i64>)> {
        let said = parse(name.as_bytes(), bytes);
        said.entries.into_iter().map(|entry| (entry.said, entry.title, entry.milliseconds)).collect()
    }

    #[test]
    fn m3u_with_mark_windows_lines_and_titles() {
        let text = "\u{feff}#EXTM3U\r\n#PLAYLIST:Mine\r\n#EXTINF:123,Queen - Jazz\r\na b.mp3\r\n\r\n#EXTINF:-1,\r\nc.mp3\r\n# no\r\n";
        assert_eq!(
            said("x.M3U8", text.as_bytes()),
            [("a b.mp3".into(), Some("Queen - Jazz".into()), Some(123_000)), ("c.mp3".into(), None, None)]
        );
        assert_eq!(parse(b"x.m3u8", text.as_bytes()).title.as_deref(), Some("Mine"));
    }

    #[test]
    fn m3u_of_other_encodings() {
        assert_eq!(said("x.m3u", b"Bj\xf6rk \x96 J\xf3ga.mp3"), [("Björk – Jóga.mp3".into(), None, None)]);
        let wide: Vec<u8> = "\u{feff}Ł.mp3\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(said("x.m3u", &wide), [("Ł.mp3".into(), None, None)]);
    }

    #[test]
    fn pls_in_the_order_of_its_numbers() {
        let text =
            "[playlist]\nTitle2=B\nFile2=b.mp3\nFile1=a.mp3\nLength1=10\nNumberOfEntries=2\nTitle3=none\n";
        assert_eq!(
            said("x.pls", text.as_bytes()),
            [("a.mp3".into(), None, Some(10_000)), ("b.mp3".into(), Some("B".into()), None)]
        );
    }

    #[test]
    fn paths_stay_within_the_root() {
        let at = |said: &str| {
            let paths = paths(said.as_bytes(), b"/music", b"Lists/Mine");
            paths.into_iter().map(|path| String::from_utf8(path).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(at("a.mp3"), ["Lists/Mine/a.mp3"]);
        assert_eq!(at("../../Queen/./a.mp3"), ["Queen/a.mp3"]);
        assert_eq!(at("../../../etc/passwd"), [""; 0]);
        assert_eq!(at("/music/Queen/a.mp3"), ["Queen/a.mp3"]);
        assert_eq!(at("/musical/a.mp3"), [""; 0]);
        assert_eq!(at("/music/../etc/a.mp3"), [""; 0]);
        assert_eq!(at("..\\b.mp3"), ["Lists/Mine/..\\b.mp3", "Lists/b.mp3"]);
        assert_eq!(at("file:///music/a%20b.mp3"), ["a b.mp3"]);
        assert_eq!(at("http://radio/a.mp3"), [""; 0]);
    }
}
