//! Killed at any moment, the next start goes on: nothing is listed twice, ids stay.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use archy_content::*;

use crate::shelf::{at_once, tracks};
use crate::text_reader::{TextReader, options};

/// Where a child finds what it works on.
const PLACE: &str = "ARCHY_TEST_PLACE";

fn open(place: &Path) -> Library {
    let library = Library::open(&place.join("index"), options()).unwrap();
    library.set_roots(&[place.join("music")]).unwrap();
    library
}

fn scan(library: &Library, each: &mut dyn FnMut(ScanEvent)) {
    let mut options = at_once();
    options.batch = 3;
    library.scan(&options, &Stop::default(), each).unwrap();
}

/// A reader whose small copies are large, so that writing one takes a while; it says a word when that begins.
struct LargeCovers(Vec<u8>);

impl FileReader for LargeCovers {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        TextReader.read(file)
    }

    fn picture(&mut self, file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
        TextReader.picture(file, index, most)
    }

    fn thumbnail(&mut self, _: PictureAt<'_>, _: u32) -> Result<Vec<u8>, Unreadable> {
        println!("opened");
        Ok(self.0.clone())
    }
}

fn large_cover() -> Vec<u8> {
    vec![7; 16 << 20]
}

fn with_large_covers(place: &Path) -> Library {
    let options = LibraryOptions::new(|| Box::new(LargeCovers(large_cover())));
    Library::open(&place.join("index"), options).unwrap()
}

/// As `works_until_it_is_killed`: it looks at a cover, removes it, and looks again.
#[test]
fn makes_covers_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "this is where a child is told what to do")]
    let Some(place) = std::env::var_os(PLACE) else { return };
    let library = with_large_covers(Path::new(&place));
    let album = library.albums(&Page::first(1)).unwrap().items[0].id;
    loop {
        fs::remove_file(library.cover(album, 128).unwrap().unwrap().file).unwrap();
    }
}

/// The program that the others kill; run as a test among them it has no place to work on, and ends at once. It says a word
/// for every batch that it has committed.
#[test]
fn works_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "this is where a child is told what to do")]
    let Some(place) = std::env::var_os(PLACE) else { return };
    let library = open(Path::new(&place));
    println!("opened");
    scan(&library, &mut |event| {
        if let ScanEvent::Written { .. } = event {
            println!("committed");
        }
    });
    println!("done");
}

fn start(place: &Path) -> Child {
    start_test("killed::works_until_it_is_killed", place)
}

fn start_test(name: &str, place: &Path) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new(program)
        .args(["--exact", name, "--nocapture"])
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the child when it has said so many words, or has ended.
fn kill_after(mut child: Child, words: usize) {
    let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    said.filter(|line| ["opened", "committed", "done"].iter().any(|word| line.ends_with(word)))
        .take(words)
        .for_each(drop);
    child.kill().unwrap();
    child.wait().unwrap();
}

fn put(place: &Path, album: usize, number: usize) {
    let folder = place.join(format!("music/album {album:02}"));
    fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "title=Song {number}\nalbum=Album {album}\nartist=Artist {}\ntrack={number}\nms=1000\naudio={album} {number}\n",
        album % 3
    );
    fs::write(folder.join(format!("{number}.mp3")), text).unwrap();
}

/// Ids by place of what is there; fails if a place is there twice.
fn listed(place: &Path) -> BTreeMap<String, TrackId> {
    let mut listed = BTreeMap::new();
    for (id, (path, there)) in tracks(&place.join("index")) {
        if there {
            assert_eq!(listed.insert(path.clone(), id), None, "{path} is listed twice");
        }
    }
    listed
}

#[test]
fn a_scan_that_is_killed_after_any_commit_goes_on_and_lists_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    for album in 0..8 {
        (0..4).for_each(|number| put(place, album, number));
    }
    let mut known: BTreeMap<String, TrackId> = BTreeMap::new();
    for words in 0..10 {
        kill_after(start(place), words);
        if place.join("index/music.db").exists() && words > 0 {
            let now = listed(place);
            for (path, id) in &known {
                assert_eq!(now.get(path), Some(id), "{path} after {words}");
            }
            known = now;
        }
    }
    scan(&open(place), &mut |_| ());
    let all = listed(place);
    assert_eq!(all.len(), 32);
    assert!(known.iter().all(|(path, id)| all[path] == *id));
    let albums = open(place).albums(&Page::first(100)).unwrap().items;
    assert_eq!(albums.iter().map(|album| album.tracks).collect::<Vec<_>>(), [4; 8]);
}

#[test]
fn ids_stay_when_a_scan_of_moved_and_retagged_files_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    for album in 0..6 {
        (0..4).for_each(|number| put(place, album, number));
    }
    scan(&open(place), &mut |_| ());
    let before = listed(place);
    for words in 1..9 {
        // Every album moves to another folder and back, and every file of it is written anew.
        let name = |album: usize, moved: bool| {
            place.join("music").join(format!("album {album:02}{}", if moved { " moved" } else { "" }))
        };
        for album in 0..6 {
            let (from, to) = (name(album, words % 2 == 0), name(album, words % 2 == 1));
            fs::rename(from, &to).unwrap();
            for number in 0..4 {
                let file = to.join(format!("{number}.mp3"));
                let text = fs::read_to_string(&file).unwrap();
                fs::write(&file, format!("{text}genre=Genre {words}\n")).unwrap();
            }
        }
        kill_after(start(place), words);
    }
    scan(&open(place), &mut |_| ());
    assert_eq!(listed(place), before);
    assert_eq!(tracks(&place.join("index")).len(), 24);
}

#[test]
fn a_migration_that_is_killed_is_taken_whole_or_not_at_all() {
    for round in 0..12_u64 {
        let directory = tempfile::tempdir().unwrap();
        let index = directory.path().join("index");
        fs::create_dir_all(directory.path().join("music")).unwrap();
        fs::create_dir_all(&index).unwrap();
        let old = rusqlite::Connection::open(index.join("music.db")).unwrap();
        old.execute_batch(include_str!("../fixtures/index-v1.sql")).unwrap();
        drop(old);
        let mut child = start(directory.path());
        // Anywhere between its start and the end of its work; which of both comes first does not matter.
        std::thread::sleep(Duration::from_millis(round));
        child.kill().unwrap();
        child.wait().unwrap();
        let library = open(directory.path());
        let track = library.track("0123456789abcdef".parse().unwrap()).unwrap();
        assert_eq!((track.user.plays, track.title.unwrap().shown.as_str()), (7, "Bicycle Race"));
    }
}

#[test]
fn a_cover_that_was_being_written_is_there_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    put(place, 1, 1);
    fs::write(place.join("music/album 01/cover.jpg"), "a picture").unwrap();
    scan(&open(place), &mut |_| ());
    let whole = large_cover();
    for round in 0..20_u64 {
        let mut child = start_test("killed::makes_covers_until_it_is_killed", place);
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(said.any(|line| line.ends_with("opened")), "it makes one");
        // Anywhere in the writing and naming of it.
        std::thread::sleep(Duration::from_micros(round * 700));
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = fs::read_dir(place.join("index/covers")).into_iter().flatten();
        for file in kept
            .map(|entry| entry.unwrap().path())
            .filter(|file| file.extension().is_some_and(|end| end == "jpg"))
        {
            let bytes = fs::read(&file).unwrap();
            assert!(bytes == whole, "{} bytes after {round}", bytes.len());
        }
    }
    let library = with_large_covers(place);
    let album = library.albums(&Page::first(1)).unwrap().items[0].id;
    let cover = library.cover(album, 128).unwrap().unwrap();
    assert!(fs::read(cover.file).unwrap() == whole);
}
