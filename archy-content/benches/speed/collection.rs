//! A collection that is the same on every machine: MP3 files of some 80 kB with tags as shops write them, every tenth
//! album with two discs, two of five with a cover in each file.

use std::fs;
use std::path::{Path, PathBuf};

const WORDS: [&str; 24] = [
    "Love", "Night", "Blue", "River", "Größe", "Heart", "Street", "Moon", "Łódź", "Fire", "Dance", "Rain",
    "Gold", "Summer", "東京", "Dream", "Ocean", "Wild", "Home", "Storm", "Light", "Høyem", "Stone", "Winter",
];

pub(crate) fn make(music: &Path, tracks: usize) {
    for number in 0..tracks {
        let (album, place) = (number / 10, number % 10);
        let artist = album / 3;
        let compilation = album % 16 == 0;
        let disc = if album % 10 == 0 { place / 5 + 1 } else { 1 };
        let mut folder = music.join(name("Artist", artist)).join(name("Album", album));
        if album % 10 == 0 {
            folder.push(format!("CD {disc}"));
        }
        fs::create_dir_all(&folder).unwrap();
        let by = name("Artist", if compilation { artist + place } else { artist });
        let mut frames = Vec::new();
        let year = (1960 + album % 60).to_string();
        for (id, text) in [
            ("TIT2", name("Song", number)),
            ("TPE1", by),
            ("TPE2", if compilation { "Various Artists".to_owned() } else { name("Artist", artist) }),
            ("TALB", name("Album", album)),
            ("TRCK", format!("{}/10", place + 1)),
            ("TPOS", format!("{disc}/{}", if album % 10 == 0 { 2 } else { 1 })),
            ("TDRC", year),
            ("TCON", ["Rock", "Jazz", "Pop", "Metal", "Folk"][album % 5].to_owned()),
            ("TCOM", name("Composer", number % 97)),
        ] {
            frame(&mut frames, id, &[&[3], text.as_bytes()].concat());
        }
        if album % 2 == 0 {
            let id = |of: usize, kind: usize| format!("{of:08x}-0000-4000-8000-{kind:012x}");
            for (what, value) in [
                ("MusicBrainz Album Id", id(album, 1)),
                ("MusicBrainz Artist Id", id(artist, 2)),
                ("MusicBrainz Album Artist Id", id(artist, 2)),
                ("REPLAYGAIN_TRACK_GAIN", "-6.50 dB".to_owned()),
            ] {
                frame(&mut frames, "TXXX", &[&[3], what.as_bytes(), &[0], value.as_bytes()].concat());
            }
        }
        if album % 5 < 2 {
            let picture: Vec<u8> = (0..97_000_usize).map(|at| ((at * 31 + album) % 251) as u8).collect();
            frame(&mut frames, "APIC", &[&[3][..], b"image/jpeg\0", &[3, 0], &picture].concat());
        } else if place == 0 {
            fs::write(folder.join("cover.jpg"), [0xff, 0xd8, 0xff, 0xe0]).unwrap();
        }
        let mut file = [&b"ID3\x04\0\0"[..], &size(frames.len()), &frames].concat();
        let mut state = number as u32 | 1;
        for _ in 0..200 {
            file.extend([0xff, 0xfb, 0x90, 0]);
            file.extend((0..413).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8 & 0x7f
            }));
        }
        fs::write(folder.join(format!("{:02} {}.mp3", place + 1, name("Song", number))), file).unwrap();
    }
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if archy_content::is_audio_name(&entry.path()) {
                files.push(entry.path());
            }
        }
    }
    files
}

fn name(what: &str, number: usize) -> String {
    format!("{} {} {what} {number}", WORDS[number * 7 % 24], WORDS[(number / 24 + number) % 24])
}

fn frame(frames: &mut Vec<u8>, id: &str, body: &[u8]) {
    frames.extend_from_slice(id.as_bytes());
    frames.extend(size(body.len()));
    frames.extend([0, 0]);
    frames.extend_from_slice(body);
}

fn size(bytes: usize) -> [u8; 4] {
    [bytes >> 21, bytes >> 14, bytes >> 7, bytes].map(|part| (part & 0x7f) as u8)
}
