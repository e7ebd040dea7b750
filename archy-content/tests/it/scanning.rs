//! A scan: what it finds, what it leaves alone, and what it does when something vanished.

use archy_content::*;

use crate::shelf::Shelf;

const SONG: &str =
    "title=Bicycle Race\nalbum=Jazz\nartist=Queen\nalbumartist=Queen\ntrack=4\nms=181000\naudio=bicycle\n";

#[test]
fn what_lies_in_a_root_is_listed() {
    let shelf = Shelf::new();
    shelf.put("Queen/Jazz/04.mp3", SONG).put("Queen/Jazz/cover.jpg", "x").put("notes.txt", "x");
    let report = shelf.scan();
    assert_eq!((report.found, report.read, report.added, report.failed), (1, 1, 1, 0));
    assert_eq!(shelf.albums(), [("Jazz".into(), "Queen".into(), vec!["Bicycle Race".into()])]);
    let track = shelf.track("Queen/Jazz/04.mp3");
    assert_eq!(track.place, Place { number: Some(4), total: None });
    assert_eq!(track.audio.milliseconds, Some(181_000));
    assert_eq!(track.availability, Availability::Present);
    assert_eq!(track.credits.iter().map(|credit| &*credit.name).collect::<Vec<_>>(), ["Queen"]);
    let artists = shelf.library.artists(&Page::default()).unwrap().items;
    assert_eq!(
        artists.iter().map(|a| (&*a.name.shown, a.albums, a.tracks)).collect::<Vec<_>>(),
        [("Queen", 1, 1)]
    );
}

#[test]
fn unchanged_files_are_not_opened() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", SONG).put("a/2.mp3", "damaged=yes");
    assert_eq!(shelf.scan().read, 2);
    let again = shelf.scan();
    assert_eq!((again.found, again.unchanged, again.read), (2, 2, 0));
    shelf.put("a/1.mp3", &format!("{SONG}genre=Rock\n"));
    assert_eq!(shelf.scan().read, 1);
    assert_eq!(shelf.track("a/1.mp3").genres, ["Rock"]);
}

#[test]
fn a_moved_and_renamed_file_keeps_its_id_and_is_not_opened() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", SONG);
    shelf.scan();
    let id = shelf.id("a/1.mp3");
    shelf.rename("a/1.mp3", "b/c/2.mp3");
    let report = shelf.scan();
    assert_eq!((report.read, report.moved, report.missing), (0, 1, 0));
    assert_eq!(shelf.id("b/c/2.mp3"), id);
    assert_eq!(shelf.tracks().len(), 1);
}

#[test]
fn a_bad_file_costs_one_line() {
    let shelf = Shelf::new();
    shelf
        .put("a/1.mp3", SONG)
        .put("a/2.mp3", "damaged=no frame")
        .put("a/3.mp3", "")
        .put("a/4.mp3", "panic=oops");
    let report = shelf.scan();
    assert_eq!((report.read, report.failed), (4, 3));
    let log = shelf.library.scan_log(&Page::first(1)).unwrap().items.remove(0);
    let mut lines: Vec<_> = log.lines.into_iter().map(|line| (line.place, line.what)).collect();
    lines.sort();
    let expected = [("a/2.mp3", "damaged"), ("a/3.mp3", "empty"), ("a/4.mp3", "hostile")];
    assert_eq!(lines, expected.map(|(place, what)| (place.to_owned(), what.to_owned())));
    assert_eq!(shelf.scan().read, 0);
}
