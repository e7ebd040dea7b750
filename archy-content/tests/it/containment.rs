//! A file that ends its reader, never lets it go or takes all memory costs one line, and no other file anything.

#![allow(clippy::unwrap_used, reason = "a test may fail so, here too")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use archy_content::{ChildReader, DirectReader, FileReader, Patience, PictureAt, Reading, Unreadable};
use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, Rgb, RgbImage};
use tempfile::TempDir;

use crate::sound;

fn child(arguments: &[&str]) -> ChildReader {
    let mut program = Command::new(env!("CARGO_BIN_EXE_archy-content-test-reader"));
    program.args(arguments);
    ChildReader::new(program)
}

/// Files with these names, each the same good MP3.
fn files(names: &[String]) -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let song = [sound::id3v2(4, &[sound::text("TIT2", "Title")]), sound::mpeg(20, 1)].concat();
    let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
    for file in &files {
        std::fs::write(file, &song).unwrap();
    }
    (folder, files)
}

fn read_all(reader: &mut dyn FileReader, files: &[PathBuf]) -> Vec<(usize, Result<Reading, Unreadable>)> {
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut all = Vec::new();
    reader.read_all(&files, &mut |place, reading| {
        all.push((place, reading));
        ControlFlow::Continue(())
    });
    all
}

#[test]
fn a_child_reads_what_is_read_directly() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (name, bytes) in sound::each_kind() {
        files.push(folder.path().join(name));
        std::fs::write(files.last().unwrap(), bytes).unwrap();
    }
    files.push(folder.path().join("missing.mp3"));
    let mut reader = child(&[]);
    let direct = read_all(&mut DirectReader, &files);
    assert_eq!(read_all(&mut reader, &files), direct);
    assert_eq!(
        files.iter().map(|file| reader.read(file)).collect::<Vec<_>>(),
        direct.into_iter().map(|one| one.1).collect::<Vec<_>>()
    );
    assert_eq!(reader.picture(&files[0], 0, 5), DirectReader.picture(&files[0], 0, 5));
    assert_eq!(reader.picture(&files[0], 7, 5), DirectReader.picture(&files[0], 7, 5));
    assert!(reader.peak_memory().is_some_and(|peak| peak < 64 << 20));
}

#[test]
fn hostile_files_cost_one_line_each_and_the_others_nothing() {
    // More than are asked ahead, with hostile ones among them, at both ends and beside each other.
    let hostile = [(0, "die"), (1, "leave"), (70, "die"), (71, "work"), (130, "grow"), (199, "die")];
    let name = |n: usize| match hostile.iter().find(|(place, _)| *place == n) {
        Some((_, what)) => format!("{what}-{n}.mp3"),
        None => format!("song-{n}.mp3"),
    };
    let (_folder, files) = files(&(0..200).map(name).collect::<Vec<_>>());
    let patience = Patience { work: Duration::from_millis(400), storage: Duration::from_secs(60) };
    let mut reader = child(&["--misbehave"]).with_patience(patience);
    let all = read_all(&mut reader, &files);
    let told: Vec<(usize, Option<String>)> = all
        .into_iter()
        .map(|(place, reading)| match reading {
            Ok(_) => (place, None),
            Err(Unreadable::Hostile { says }) => (place, Some(says)),
            Err(other) => panic!("{place}: {other:?}"),
        })
        .collect();
    let says = |n: usize| match hostile.iter().find(|(place, _)| *place == n)?.1 {
        "leave" => Some("it ended the reader".to_owned()),
        "work" => Some("reading it took more than 0.4 s".to_owned()),
        _ => Some("it ended the reader (signal 6)".to_owned()),
    };
    assert_eq!(told, (0..200).map(|n| (n, says(n))).collect::<Vec<_>>());
    assert!(reader.read(&files[2]).is_ok(), "and it goes on");
}

/// epoupon/lms#166: pictures over ten megabytes. They are given, and no more memory stays taken than one needs.
#[test]
fn a_large_picture_is_listed_and_given() {
    let picture: Vec<u8> =
        [&b"\x89PNG"[..], &(0..20_u32 << 20).map(|n| n.to_le_bytes()[1]).collect::<Vec<_>>()].concat();
    let m4a = sound::mp4(&[sound::mp4_cover(&picture)], b"audio");
    let mp3 = [sound::id3v2(3, &[sound::large_picture(&picture)]), sound::mpeg(20, 1)].concat();
    let folder = tempfile::tempdir().unwrap();
    let mut reader = child(&[]);
    for (name, bytes) in [("a.m4a", m4a), ("a.mp3", mp3)] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let pictures = reader.read(&file).unwrap().pictures;
        assert_eq!(
            pictures.iter().map(|picture| picture.bytes).collect::<Vec<_>>(),
            [picture.len() as u64],
            "{name}"
        );
        assert!(reader.picture(&file, 0, 32 << 20) == Ok(picture.clone()), "{name}");
    }
    assert!(reader.peak_memory().is_some_and(|peak| peak < 128 << 20), "{:?}", reader.peak_memory());
}

/// A small copy of what a file carries is made where files are read: a JPEG in each kind of tag, on its side as the camera
/// says, and small on the way back.
#[test]
fn a_carried_picture_comes_back_small_and_upright() {
    let mut jpeg = Vec::new();
    let red_left =
        RgbImage::from_fn(1_200, 600, |x, _| if x < 600 { Rgb([250, 0, 0]) } else { Rgb([0, 0, 250]) });
    JpegEncoder::new(&mut jpeg).encode_image(&red_left).unwrap();
    jpeg.splice(2..2, TURNED.iter().copied());
    let folder = tempfile::tempdir().unwrap();
    let mut reader = child(&[]);
    let m4a = sound::mp4(&[sound::mp4_cover(&jpeg)], b"audio");
    let mp3 = [sound::id3v2(3, &[sound::large_picture(&jpeg)]), sound::mpeg(20, 1)].concat();
    for (name, bytes) in [("a.m4a", m4a), ("a.mp3", mp3)] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let small = reader.thumbnail(PictureAt { file: &file, index: Some(0) }, 256).unwrap();
        assert!(small.len() < 20_000, "{name}: {} bytes", small.len());
        let small = image::load_from_memory_with_format(&small, ImageFormat::Jpeg).unwrap().to_rgb8();
        assert_eq!(small.dimensions(), (128, 256), "{name}");
        // What was left is at the top when a picture is turned by a quarter, clockwise.
        let (top, bottom) = (small.get_pixel(64, 20).0, small.get_pixel(64, 236).0);
        assert!(
            top[0] > 200 && top[2] < 50 && bottom[2] > 200 && bottom[0] < 50,
            "{name}: {top:?} {bottom:?}"
        );
    }
}

/// A JPEG's segment with an Exif block of one entry: orientation 6, to be turned by a quarter.
const TURNED: &[u8] =
    b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

/// A text that is called a song has its end where a tag would be; a broken disk is another thing, and asked again.
#[test]
fn what_is_too_short_is_damaged_and_what_the_disk_refuses_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let short = folder.path().join("notes.mp3");
    std::fs::write(&short, "hello\n").unwrap();
    assert_eq!(child(&[]).read(&short), Err(Unreadable::Damaged { says: "it ends too early".to_owned() }));
    let refused = std::io::Error::from_raw_os_error(5);
    assert_eq!(Unreadable::from(&refused), Unreadable::NotGiven { says: refused.to_string() });
}

/// A disk that spins up is no hostile file: what gives nothing and works on nothing is asked again another time.
#[test]
fn storage_that_gives_nothing_is_not_the_files_fault() {
    let (_folder, files) = files(&["wait-1.mp3".to_owned(), "song.mp3".to_owned()]);
    let patience = Patience { work: Duration::from_millis(200), storage: Duration::from_millis(400) };
    let mut reader = child(&["--misbehave"]).with_patience(patience);
    let says = "the storage gave nothing for 0.4 s".to_owned();
    assert_eq!(reader.read(&files[0]), Err(Unreadable::NotGiven { says }));
    assert!(reader.read(&files[1]).is_ok());
}

#[test]
fn reading_many_can_be_ended_and_the_reader_stays_good() {
    let (_folder, files) = files(&(0..300).map(|n| format!("song-{n}.mp3")).collect::<Vec<_>>());
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut reader = child(&[]);
    let mut seen = Vec::new();
    reader.read_all(&paths, &mut |place, _| {
        seen.push(place);
        if place == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
    let song = reader.read(&files[7]).unwrap();
    assert_eq!(song.tags.title.map(|title| title.shown).as_deref(), Some("Title"));
    assert_eq!(read_all(&mut reader, &files).len(), 300);
}

#[test]
fn a_program_that_cannot_be_started_is_told_of_each_file() {
    let (_folder, files) = files(&["a.mp3".to_owned(), "b.mp3".to_owned()]);
    let mut reader = ChildReader::new(Command::new("/nowhere/reader"));
    let all = read_all(&mut reader, &files);
    assert!(
        matches!(
            all.as_slice(),
            [(0, Err(Unreadable::NotGiven { .. })), (1, Err(Unreadable::NotGiven { .. }))]
        ),
        "{all:?}"
    );
}

/// A dead asker's reader does not stay: its input ends, and so does it.
#[test]
fn a_reader_ends_with_whoever_asks() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_archy-content-test-reader"));
    let mut reader =
        program.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(reader.stdin.take());
    assert!(reader.wait().unwrap().success());
}
