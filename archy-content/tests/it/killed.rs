//! Killed at any moment, the next start goes on: nothing is listed twice, ids stay.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use archy_content::*;

use crate::shelf::{at_once, tracks};
use crate::text_reader::options;

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

/// The program that the others kill; run as a test among them it has no place to work on, and ends at once. It says a word
/// for every batch that it has committed.
#[test]
fn works_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "this is where a child is told what to do")]
    let Some(place) = std::env::var_os(PLACE) else { return };
    let library = open(Path::new(&place));
    println!("opened");
    scan(&library, &mut |event| {
        if let ScanEvent::Reading { .. } = event {
            println!("committed");
        }
    });
    println!("done");
}

fn start(place: &Path) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new(program)
        .args(["--exact", "killed::works_until_it_is_killed", "--nocapture"])
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
