//! Every kind of file says the same when it means the same, and keeps its fingerprint when its tags change.

#![allow(clippy::unwrap_used, reason = "a test may fail so, here too")]

use std::path::Path;

use archy_content::{Credit, DirectReader, FileReader, Fingerprint, Place, Reading, Role, Unreadable};

use crate::sound;

pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Reading, Unreadable> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    DirectReader.read(&file)
}

fn main_artist(name: &str) -> Credit {
    Credit { name: name.to_owned(), sort: None, musicbrainz: None, role: Role::Main }
}

#[test]
fn every_kind_says_the_same() {
    for (name, bytes) in sound::each_kind() {
        let reading = read(name, &bytes).unwrap();
        let tags = &reading.tags;
        let title = tags.title.as_ref().map(|title| title.shown.as_str());
        let album = tags.album.as_ref().map(|album| album.shown.as_str());
        assert_eq!((title, album), (Some("Title"), Some("Album")), "{name}");
        assert_eq!(tags.credits, ["One", "Two"].map(main_artist), "{name}");
        assert_eq!(tags.artist_shown.as_deref(), Some("One, Two"), "{name}");
        assert_eq!(tags.track, Place { number: Some(3), total: Some(12) }, "{name}");
        assert_eq!(reading.oddities, [], "{name}");
        assert!(reading.fingerprint.is_some(), "{name}");
        assert!(reading.audio.milliseconds.is_some(), "{name}: {:?}", reading.audio);
        assert_eq!(reading.audio.channels, Some(1), "{name}");
    }
}

#[test]
fn a_picture_is_listed_and_given() {
    for (name, bytes) in sound::each_kind() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let reading = DirectReader.read(&file).unwrap();
        let with = ["id3v2.mp3", "mp4.m4a", "wav.wav", "aiff.aiff"].contains(&name);
        let listed: Vec<(bool, u64)> =
            reading.pictures.iter().map(|picture| (picture.front, picture.bytes)).collect();
        assert_eq!(listed, if with { vec![(true, 12)] } else { Vec::new() }, "{name}");
        if with {
            assert_eq!(DirectReader.picture(&file, 0, 100).as_deref(), Ok(&b"\x89PNG picture"[..]), "{name}");
            assert_eq!(DirectReader.picture(&file, 0, 4).as_deref(), Ok(&b"\x89PNG"[..]), "{name}");
        }
        assert!(DirectReader.picture(&file, 1, 100).is_err(), "{name}");
    }
}

fn fingerprint(name: &str, bytes: &[u8]) -> Fingerprint {
    read(name, bytes).unwrap().fingerprint.unwrap_or_else(|| panic!("{name} has no fingerprint"))
}

/// The same audio with other tags, and other audio with the same tags.
#[test]
fn a_fingerprint_is_of_the_audio_alone() {
    use sound::*;
    let audio: Vec<u8> = (0..100_000_u32).map(|n| u8::try_from(n * 7 % 251).unwrap()).collect();
    let mut other = audio.clone();
    other[50_000] ^= 1;
    let big = "x".repeat(3_000);
    let few: &[Pair<'_>] = &[("TITLE", "a")];
    let many: &[Pair<'_>] = &[("TITLE", "b"), ("COMMENT", &big), ("ARTIST", "c")];
    let small_id3 = id3v2(4, &[text("TIT2", "a")]);
    let large_id3 = id3v2(4, &(0..50).map(|n| text("TPE1", &format!("{n}"))).collect::<Vec<_>>());
    let v1 = id3v1(b"t", b"a", b"l", *b"1999", 1, 2);
    let lyrics = [b"LYRICSBEGININD0000200", &b"000021LYRICS200"[..]].concat();
    let frames = |fill| mpeg(4_000, fill);
    let triples: Vec<(&str, [Vec<u8>; 3])> = vec![
        (
            "a.mp3",
            [
                [&small_id3[..], &frames(1)].concat(),
                [&large_id3[..], &small_id3, &frames(1), &lyrics, &ape_tag(&[("Title", "x")]), &v1].concat(),
                [&small_id3[..], &frames(2)].concat(),
            ],
        ),
        (
            "a.flac",
            [
                flac([1; 16], few, &audio),
                flac([1; 16], many, b"packed otherwise"),
                flac([2; 16], few, &audio),
            ],
        ),
        ("b.flac", [flac([0; 16], few, &audio), flac([0; 16], many, &audio), flac([0; 16], few, &other)]),
        ("a.ogg", [vorbis(few, &audio), vorbis(many, &audio), vorbis(few, &other)]),
        ("a.opus", [opus(few, &audio), opus(many, &audio), opus(few, &other)]),
        ("a.spx", [speex(few, &audio), speex(many, &audio), speex(few, &other)]),
        (
            "a.m4a",
            [
                mp4(&[mp4_text("©nam", &["a"])], &audio),
                mp4(&[mp4_text("©nam", &["b", &big])], &audio),
                mp4(&[mp4_text("©nam", &["a"])], &other),
            ],
        ),
        ("a.wav", [wav(&[], b"", &audio), wav(&[("INAM", "a")], &large_id3, &audio), wav(&[], b"", &other)]),
        (
            "a.aiff",
            [aiff(&[], b"", &audio), aiff(&[("NAME", "ab")], &large_id3, &audio), aiff(&[], b"", &other)],
        ),
        ("a.ape", [ape(b"", &audio), [&ape(&ape_tag(few), &audio)[..], &v1].concat(), ape(b"", &other)]),
        ("a.wv", [wavpack(b"", &audio), wavpack(&ape_tag(many), &audio), wavpack(b"", &other)]),
        (
            "a.mpc",
            [
                musepack(b"", &audio[..99]),
                musepack(&ape_tag(few), &audio[..99]),
                musepack(b"", &audio[1..100]),
            ],
        ),
    ];
    for (name, [one, retagged, different]) in &triples {
        let one = fingerprint(name, one);
        assert_eq!(one, fingerprint(name, retagged), "{name}: new tags");
        assert_ne!(one, fingerprint(name, different), "{name}: other audio");
    }
}

#[test]
fn what_holds_no_audio_has_no_fingerprint() {
    for bytes in [sound::wav(&[], b"", b""), sound::mp4(&[], b""), sound::flac([0; 16], &[], b"")] {
        let name = match &bytes[..4] {
            b"RIFF" => "a.wav",
            b"fLaC" => "a.flac",
            _ => "a.m4a",
        };
        assert_eq!(read(name, &bytes).unwrap().fingerprint, None, "{name}");
    }
}

#[test]
fn what_is_not_read_is_named_and_never_guessed() {
    let kind = |kind: &str| Err(Unreadable::NotSupported { kind: kind.to_owned() });
    let table: &[(&str, &[u8], Result<Reading, Unreadable>)] = &[
        ("a.dsf", b"DSD \x1c\0\0\0", kind("DSD (dsf)")),
        ("a.mp3", b"DSD \x1c\0\0\0", kind("DSD (dsf)")),
        ("a.dff", b"FRM8", kind("DSD (dff)")),
        ("a.wma", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", kind("Windows Media (wma)")),
        ("a.tta", b"TTA1", kind("True Audio (tta)")),
        ("a.tak", b"tBaK", kind("TAK (tak)")),
        ("a.ofr", b"OFR ", kind("OptimFROG (ofr)")),
        ("a.mka", b"\x1a\x45\xdf\xa3", kind("Matroska or WebM (mka)")),
        ("a.mp3", b"\x1a\x45\xdf\xa3", kind("Matroska or WebM (mka)")),
        ("a.ac3", b"\x0b\x77", kind("Dolby Digital (ac3)")),
        ("a.mid", b"MThd", kind("MIDI (mid)")),
        ("a.it", b"IMPM", kind("tracker module")),
        ("a.mod", b"no mark", kind("tracker module")),
        ("a.txt", b"fLaC", kind("a file whose name is not one of audio")),
        ("a.mp3", b"", Err(Unreadable::Empty)),
        ("a.flac", b"", Err(Unreadable::Empty)),
        ("a.flac", b"not flac", Err(Unreadable::Damaged { says: "not what its name says".to_owned() })),
    ];
    for (name, bytes, wanted) in table {
        assert_eq!(read(name, bytes), *wanted, "{name}");
    }
    let missing = DirectReader.read(Path::new("/nowhere/a.mp3"));
    assert!(matches!(missing, Err(Unreadable::NotGiven { .. })), "{missing:?}");
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("folder.mp3");
    std::fs::create_dir(&inner).unwrap();
    assert_eq!(DirectReader.read(&inner), Err(Unreadable::NotGiven { says: "it is not a file".to_owned() }));
}
