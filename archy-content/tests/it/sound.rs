//! Tiny audio files of every kind that is read, made byte by byte: a few hundred bytes each, with whatever tags.

#![allow(clippy::unwrap_used, reason = "a test may fail so, here too")]

/// A key and its value.
pub(crate) type Pair<'a> = (&'a str, &'a str);

/// MPEG 2 layer III, 8 kbit/s, 24 kHz: frames of 24 bytes.
pub(crate) fn mpeg(frames: usize, fill: u8) -> Vec<u8> {
    [&[0xff, 0xf3, 0x14, 0xc0][..], &[fill; 20]].concat().repeat(frames)
}

fn safe(size: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| u8::try_from((size >> shift) & 0x7f).unwrap())
}

fn long(size: usize) -> u32 {
    u32::try_from(size).unwrap()
}

/// A frame of ID3v2.3 or 2.4; in both its size is the same below 128 bytes.
pub(crate) fn frame(id: &str, body: &[u8]) -> Vec<u8> {
    [id.as_bytes(), &safe(body.len()), &[0, 0], body].concat()
}

/// A text frame in UTF-8 (encoding 3).
pub(crate) fn text(id: &str, value: &str) -> Vec<u8> {
    frame(id, &[&[3], value.as_bytes()].concat())
}

/// A text frame whose bytes are called Latin-1.
pub(crate) fn latin1(id: &str, bytes: &[u8]) -> Vec<u8> {
    frame(id, &[&[0], bytes].concat())
}

/// A text that the user named.
pub(crate) fn user_text(name: &str, value: &str) -> Vec<u8> {
    frame("TXXX", &[&[3], name.as_bytes(), &[0], value.as_bytes()].concat())
}

/// A picture: 3 is the front cover.
pub(crate) fn picture(kind: u8, bytes: &[u8]) -> Vec<u8> {
    frame("APIC", &[b"\x03image/png\0", &[kind, 0][..], bytes].concat())
}

/// A front cover of any size, for a tag of version 3.
pub(crate) fn large_picture(bytes: &[u8]) -> Vec<u8> {
    let body = [b"\0image/png\0\x03\0", bytes].concat();
    [b"APIC", &long(body.len()).to_be_bytes()[..], &[0, 0], &body].concat()
}

pub(crate) fn id3v2(version: u8, frames: &[Vec<u8>]) -> Vec<u8> {
    let frames = frames.concat();
    [b"ID3", &[version, 0, 0][..], &safe(frames.len()), &frames].concat()
}

pub(crate) fn id3v1(
    title: &[u8],
    artist: &[u8],
    album: &[u8],
    year: [u8; 4],
    track: u8,
    genre: u8,
) -> Vec<u8> {
    let field = |bytes: &[u8]| {
        let mut field = bytes[..bytes.len().min(30)].to_vec();
        field.resize(30, 0);
        field
    };
    [b"TAG", &field(title)[..], &field(artist), &field(album), &year, &[0; 29], &[track, genre]].concat()
}

/// An `APEv2` tag with its footer, and with a header.
pub(crate) fn ape_tag(items: &[Pair<'_>]) -> Vec<u8> {
    let body: Vec<u8> = items
        .iter()
        .flat_map(|(key, value)| {
            [&long(value.len()).to_le_bytes()[..], &[0; 4], key.as_bytes(), &[0], value.as_bytes()].concat()
        })
        .collect();
    let end = |flags: u32| {
        let numbers = [2_000, long(body.len() + 32), long(items.len()), flags].map(u32::to_le_bytes).concat();
        [b"APETAGEX", &numbers[..], &[0; 8]].concat()
    };
    [&end(0xa000_0000)[..], &body, &end(0x8000_0000)].concat()
}

fn comments(items: &[Pair<'_>]) -> Vec<u8> {
    let mut bytes = [&4_u32.to_le_bytes()[..], b"test", &long(items.len()).to_le_bytes()].concat();
    for (key, value) in items {
        bytes.extend(long(key.len() + 1 + value.len()).to_le_bytes());
        bytes.extend([key.as_bytes(), b"=", value.as_bytes()].concat());
    }
    bytes
}

/// One second of mono at 8 kHz and 16 bits, as the head says; its MD5 and whatever stands for audio.
pub(crate) fn flac(md5: [u8; 16], items: &[Pair<'_>], audio: &[u8]) -> Vec<u8> {
    let comments = comments(items);
    let samples = (8_000_u64 << 44) + (15 << 36) + 8_000;
    let info = [&[0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0][..], &samples.to_be_bytes(), &md5].concat();
    let block = |last: u8, kind: u8, body: &[u8]| {
        [&[last << 7 | kind][..], &long(body.len()).to_be_bytes()[1..], body].concat()
    };
    [b"fLaC", &block(0, 0, &info)[..], &block(1, 4, &comments), audio].concat()
}

/// An Ogg page with whole packets on it.
fn page(kind: u8, position: u64, number: u32, packets: &[&[u8]]) -> Vec<u8> {
    let mut table = Vec::new();
    for packet in packets {
        table.extend(std::iter::repeat_n(255, packet.len() / 255));
        table.push(u8::try_from(packet.len() % 255).unwrap());
    }
    let head = [b"OggS\0", &[kind][..], &position.to_le_bytes(), &7_u32.to_le_bytes(), &number.to_le_bytes()]
        .concat();
    let table = [&[u8::try_from(table.len()).unwrap()][..], &table].concat();
    let mut page = [&head[..], &[0; 4], &table, &packets.concat()].concat();
    let sum = page.iter().fold(0_u32, |sum, &byte| {
        (0..8).fold(sum ^ (u32::from(byte) << 24), |sum, _| {
            (sum << 1) ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 }
        })
    });
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    page
}

/// Pages of audio, one second each, after the headers.
fn ogg(first: &[u8], headers: &[&[u8]], rate: u64, audio: &[u8]) -> Vec<u8> {
    let mut file = page(2, 0, 0, &[first]);
    // Comments that fill more than one page number all the pages behind them anew.
    let mut number = 1;
    for header in headers {
        file.extend(page(0, 0, number, &[header]));
        number += 1 + long(header.len() / 4_000);
    }
    let chunks: Vec<&[u8]> = audio.chunks(200).collect();
    for (place, chunk) in chunks.iter().enumerate() {
        let kind = if place + 1 == chunks.len() { 4 } else { 0 };
        file.extend(page(kind, rate * (place as u64 + 1), number + long(place), &[chunk]));
    }
    file
}

pub(crate) fn vorbis(items: &[Pair<'_>], audio: &[u8]) -> Vec<u8> {
    let first = [
        b"\x01vorbis\0\0\0\0\x01",
        &8_000_u32.to_le_bytes()[..],
        &[0, 0, 0, 0, 0, 0x7d, 0, 0, 0, 0, 0, 0, 0xb8, 1],
    ]
    .concat();
    let comments = [b"\x03vorbis", &comments(items)[..], &[1]].concat();
    ogg(&first, &[&comments, b"\x05vorbis setup"], 8_000, audio)
}

pub(crate) fn opus(items: &[Pair<'_>], audio: &[u8]) -> Vec<u8> {
    let first = [b"OpusHead\x01\x01", &[0, 0][..], &48_000_u32.to_le_bytes(), &[0, 0, 0]].concat();
    let comments = [b"OpusTags", &comments(items)[..]].concat();
    ogg(&first, &[&comments], 48_000, audio)
}

pub(crate) fn speex(items: &[Pair<'_>], audio: &[u8]) -> Vec<u8> {
    let numbers = [1, 80, 8_000, 0, 4, 1, 8_000, 160, 0, 1, 0, 0, 0_u32].map(u32::to_le_bytes).concat();
    let mut first = [b"Speex   1.2", &[0; 17][..], &numbers].concat();
    first.resize(80, 0);
    ogg(&first, &[&comments(items)], 8_000, audio)
}

fn atom(name: &[u8], body: &[u8]) -> Vec<u8> {
    [&long(body.len() + 8).to_be_bytes()[..], name, body].concat()
}

fn data(kind: u32, value: &[u8]) -> Vec<u8> {
    atom(b"data", &[&kind.to_be_bytes()[..], &[0; 4], value].concat())
}

/// One text of iTunes: `©nam` and the like.
pub(crate) fn mp4_text(name: &str, values: &[&str]) -> Vec<u8> {
    let name: Vec<u8> = name.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    atom(&name, &values.iter().flat_map(|value| data(1, value.as_bytes())).collect::<Vec<u8>>())
}

/// One number: `stik` and the like are of kind 21, `trkn` and `disk` of kind 0.
pub(crate) fn mp4_number(name: [u8; 4], kind: u32, value: &[u8]) -> Vec<u8> {
    atom(&name, &data(kind, value))
}

/// One text with a name of its own.
pub(crate) fn mp4_free(name: &str, values: &[&str]) -> Vec<u8> {
    let mean = atom(b"mean", b"\0\0\0\0com.apple.iTunes");
    let name = atom(b"name", &[b"\0\0\0\0", name.as_bytes()].concat());
    let values: Vec<u8> = values.iter().flat_map(|value| data(1, value.as_bytes())).collect();
    atom(b"----", &[mean, name, values].concat())
}

/// A cover, which is a PNG.
pub(crate) fn mp4_cover(bytes: &[u8]) -> Vec<u8> {
    atom(b"covr", &data(14, bytes))
}

/// An m4a of one second at 8 kHz, with these atoms for its tags.
pub(crate) fn mp4(atoms: &[Vec<u8>], audio: &[u8]) -> Vec<u8> {
    let times = [0, 0, 8_000, 8_000_u32].map(u32::to_be_bytes).concat();
    let header = atom(b"mvhd", &[&[0; 4][..], &times, &[0; 80]].concat());
    let media = atom(b"mdhd", &[&[0; 4][..], &times, &[0; 4]].concat());
    let kind = |name: &[u8]| atom(b"hdlr", &[&[0; 8][..], name, &[0; 13]].concat());
    let codec = atom(
        b"mp4a",
        &[&[0, 0, 0, 0, 0, 0, 0, 1][..], &[0; 8], &[0, 1, 0, 16, 0, 0, 0, 0, 0x1f, 0x40, 0, 0]].concat(),
    );
    let table = atom(b"stsd", &[&[0, 0, 0, 0, 0, 0, 0, 1][..], &codec].concat());
    let inner = atom(b"minf", &atom(b"stbl", &table));
    let track = atom(b"trak", &atom(b"mdia", &[media, kind(b"soun"), inner].concat()));
    let list = atom(b"ilst", &atoms.concat());
    let tags = atom(b"udta", &atom(b"meta", &[&[0; 4][..], &kind(b"mdir"), &list].concat()));
    let movie = atom(b"moov", &[header, track, tags].concat());
    [atom(b"ftyp", b"M4A \0\0\0\0M4A "), movie, atom(b"mdat", audio)].concat()
}

fn chunk(name: &[u8], body: &[u8], number: fn(u32) -> [u8; 4]) -> Vec<u8> {
    let pad = &[0][..body.len() % 2];
    [name, &number(long(body.len())), body, pad].concat()
}

/// 16 bits, mono, 8 kHz. `info` are RIFF's own tags, `id3` a whole ID3v2 tag or nothing.
pub(crate) fn wav(info: &[Pair<'_>], id3: &[u8], audio: &[u8]) -> Vec<u8> {
    let le = u32::to_le_bytes;
    let format = [&[1, 0, 1, 0][..], &le(8_000), &le(16_000), &[2, 0, 16, 0]].concat();
    let mut body = [b"WAVE", &chunk(b"fmt ", &format, le)[..], &chunk(b"data", audio, le)].concat();
    if !info.is_empty() {
        let list: Vec<u8> = info
            .iter()
            .flat_map(|(key, value)| chunk(key.as_bytes(), &[value.as_bytes(), &[0]].concat(), le))
            .collect();
        body.extend(chunk(b"LIST", &[b"INFO", &list[..]].concat(), le));
    }
    if !id3.is_empty() {
        body.extend(chunk(b"ID3 ", id3, le));
    }
    chunk(b"RIFF", &body, le)
}

pub(crate) fn aiff(texts: &[Pair<'_>], id3: &[u8], audio: &[u8]) -> Vec<u8> {
    let be = u32::to_be_bytes;
    // 8,000 Hz as a number of ten bytes.
    let rate = [0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0];
    let common = [&[0, 1][..], &be(long(audio.len() / 2)), &[0, 16], &rate].concat();
    let mut body =
        [b"AIFF", &chunk(b"COMM", &common, be)[..], &chunk(b"SSND", &[&[0; 8], audio].concat(), be)].concat();
    for (key, value) in texts {
        body.extend(chunk(key.as_bytes(), value.as_bytes(), be));
    }
    if !id3.is_empty() {
        body.extend(chunk(b"ID3 ", id3, be));
    }
    chunk(b"FORM", &body, be)
}

/// Monkey's Audio 3.99: one frame of 8,000 samples.
pub(crate) fn ape(tag: &[u8], audio: &[u8]) -> Vec<u8> {
    let descriptor =
        [&3_990_u32.to_le_bytes()[..], &52_u32.to_le_bytes(), &24_u32.to_le_bytes(), &[0; 36]].concat();
    let numbers = [8_000, 8_000, 1_u32].map(u32::to_le_bytes).concat();
    let header = [&[0xd0, 7, 0, 0][..], &numbers, &[16, 0, 1, 0], &8_000_u32.to_le_bytes()].concat();
    [b"MAC ", &descriptor[..], &header, audio, tag].concat()
}

/// Musepack of stream version 8.
pub(crate) fn musepack(tag: &[u8], audio: &[u8]) -> Vec<u8> {
    let packet = |key: &[u8], body: &[u8]| [key, &[u8::try_from(body.len() + 3).unwrap()], body].concat();
    let header = packet(b"SH", &[1, 2, 3, 4, 8, 0x84, 0x58, 0, 0x1f, 0x08]);
    let gain = packet(b"RG", &[1, 0, 0, 0, 0, 0, 0, 0, 0]);
    [b"MPCK", &header[..], &gain, &packet(b"AP", audio), &packet(b"SE", &[]), tag].concat()
}

/// `WavPack`: one block of 8,000 samples, 16 bits, mono, 8 kHz.
pub(crate) fn wavpack(tag: &[u8], audio: &[u8]) -> Vec<u8> {
    let flags: u32 = 1 | 4 | 0x1800 | (1 << 23);
    let numbers = [8_000, 0, 8_000, flags, 0].map(u32::to_le_bytes).concat();
    let size = long(24 + audio.len());
    [b"wvpk", &size.to_le_bytes()[..], &0x410_u16.to_le_bytes(), &[0, 0], &numbers, audio, tag].concat()
}

/// One file of each kind, under a name that says what it is.
pub(crate) fn each_kind() -> Vec<(&'static str, Vec<u8>)> {
    let audio: Vec<u8> = (0..=255).cycle().take(400).collect();
    let pairs: &[Pair<'_>] = &[
        ("TITLE", "Title"),
        ("ARTIST", "One"),
        ("ARTIST", "Two"),
        ("ALBUM", "Album"),
        ("TRACKNUMBER", "3/12"),
    ];
    let ape_items: &[Pair<'_>] =
        &[("Title", "Title"), ("Artist", "One\0Two"), ("Album", "Album"), ("Track", "3/12")];
    let frames =
        [text("TIT2", "Title"), text("TPE1", "One\0Two"), text("TALB", "Album"), text("TRCK", "3/12")];
    let tag = id3v2(4, &[&frames[..], &[picture(3, b"\x89PNG picture")]].concat());
    let atoms = [
        mp4_text("©nam", &["Title"]),
        mp4_text("©ART", &["One", "Two"]),
        mp4_text("©alb", &["Album"]),
        mp4_number(*b"trkn", 0, &[0, 0, 0, 3, 0, 12, 0, 0]),
        mp4_free("MusicBrainz Album Id", &["00000000-0000-4000-8000-000000000001"]),
        mp4_cover(b"\x89PNG picture"),
    ];
    let v1 = id3v1(b"Title", b"One", b"Album", *b"1999", 3, 17);
    vec![
        ("id3v2.mp3", [tag.clone(), mpeg(20, 1), v1.clone()].concat()),
        ("three.mp3", [id3v2(3, &frames), mpeg(20, 1), ape_tag(ape_items), v1].concat()),
        ("flac.flac", flac([9; 16], pairs, &audio)),
        ("vorbis.ogg", vorbis(pairs, &audio)),
        ("opus.opus", opus(pairs, &audio)),
        ("speex.spx", speex(pairs, &audio)),
        ("mp4.m4a", mp4(&atoms, &audio)),
        (
            "wav.wav",
            wav(&[("INAM", "Title"), ("IART", "One"), ("IPRD", "Album"), ("ITRK", "3/12")], &tag, &audio),
        ),
        ("aiff.aiff", aiff(&[("NAME", "Title"), ("AUTH", "One")], &tag, &audio)),
        ("ape.ape", ape(&ape_tag(ape_items), &audio)),
        ("musepack.mpc", musepack(&ape_tag(ape_items), &audio[..100])),
        ("wavpack.wv", wavpack(&ape_tag(ape_items), &audio)),
    ]
}
