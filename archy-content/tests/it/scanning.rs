//! A scan: what it finds, what it leaves alone, and what it does when something vanished.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use archy_content::*;

use crate::shelf::Shelf;
use crate::text_reader::TextReader;

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

#[test]
fn what_cannot_be_read_is_unknown_and_not_missing() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", SONG).put("b/2.mp3", "title=Two\naudio=2");
    shelf.scan();
    // Its folder is empty and on another device than before: the place of a mount without its mount.
    let id = shelf.id("a/1.mp3");
    let database = rusqlite::Connection::open(shelf.index.join("music.db")).unwrap();
    database.execute("UPDATE folders SET device = device + 1 WHERE shown = 'a'", []).unwrap();
    shelf.remove("a/1.mp3");
    let report = shelf.scan();
    assert_eq!((report.missing, report.found), (0, 1));
    assert!(matches!(shelf.library.track(id).unwrap().availability, Availability::Unknown { .. }));
    shelf.put("a/1.mp3", SONG).scan();
    assert_eq!(shelf.id("a/1.mp3"), id);
    assert_eq!(shelf.track("a/1.mp3").availability, Availability::Present);
}

#[test]
fn a_scan_of_some_folders_sees_a_move_from_another() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", SONG).put("b/2.mp3", "title=Two\naudio=2").scan();
    let id = shelf.id("a/1.mp3");
    shelf.rename("a/1.mp3", "b/1.mp3");
    let mut options = crate::shelf::at_once();
    options.only = vec![shelf.music.join("b/not/there")];
    shelf.library.scan(&options, &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!(shelf.id("b/1.mp3"), id);
    options.only = vec![shelf.music.join("b")];
    shelf.remove("b/2.mp3");
    let report = shelf.library.scan(&options, &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!((report.found, report.missing), (1, 1));
}

#[test]
fn a_scan_that_is_stopped_goes_on_the_next_time() {
    let shelf = Shelf::new();
    for number in 0..30 {
        shelf.put(&format!("{number:02}/1.mp3"), &format!("title={number}\naudio={number}\n"));
    }
    let (mut options, stop) = (crate::shelf::at_once(), Stop::default());
    options.batch = 2;
    let stopped = shelf.library.scan(&options, &stop, &mut |event| {
        if let ScanEvent::Written { .. } = event {
            stop.set();
        }
    });
    assert!(matches!(stopped, Err(LibraryError::Cancelled)), "{stopped:?}");
    let before = shelf.tracks();
    assert_eq!(before.len(), 2);
    assert_eq!(shelf.scan().read, 28);
    assert!(before.keys().all(|id| shelf.tracks().contains_key(id)));
}

#[test]
fn a_track_that_was_still_being_copied_elsewhere_is_not_told_as_missing() {
    let shelf = Shelf::new();
    shelf
        .put("a/1.mp3", SONG)
        .put("a/2.mp3", "title=B\naudio=2\n")
        .put("a/3.mp3", "title=C\naudio=3\n")
        .scan();
    let id = shelf.id("a/1.mp3");
    shelf.remove("a").put("b/1.mp3", SONG).put("b/2.mp3", "title=B\naudio=2\n");
    let mut options = ScanOptions::default();
    (options.settle, options.unsettled) = (Duration::from_millis(500), Unsettled::Awaited);
    let report = shelf.library.scan(&options, &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!((report.read, report.moved, report.missing, report.unsettled), (2, 2, 1, 0));
    assert_eq!(shelf.id("b/1.mp3"), id);
}

/// What lies behind a link is not gone while the link is there: its disk is.
#[test]
fn what_a_link_leads_to_is_unknown_while_it_leads_nowhere() {
    let shelf = Shelf::new();
    let disk = tempfile::tempdir().unwrap();
    let (folder, away) = (disk.path().join("mounted"), disk.path().join("unmounted"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("1.mp3"), SONG).unwrap();
    std::fs::write(folder.join("2.mp3"), "title=Two\naudio=2\n").unwrap();
    std::os::unix::fs::symlink(&folder, shelf.music.join("disk")).unwrap();
    std::os::unix::fs::symlink(folder.join("2.mp3"), shelf.music.join("link.mp3")).unwrap();
    shelf.put("here.mp3", "title=Here\naudio=3\n").scan();
    let known = shelf.tracks();
    std::fs::rename(&folder, &away).unwrap();
    let report = shelf.scan();
    assert_eq!((report.missing, report.found), (0, 1));
    let unknown = |path| matches!(shelf.track(path).availability, Availability::Unknown { .. });
    assert!(unknown("disk/1.mp3") && unknown("link.mp3") && !unknown("here.mp3"));
    std::fs::rename(&away, &folder).unwrap();
    assert_eq!(shelf.scan().missing, 0);
    assert_eq!(shelf.tracks(), known);
}

/// A disk is mounted somewhere below a root, and holds folders of artists: its own place has no row of its own.
#[test]
fn the_empty_place_of_a_disk_makes_what_lay_there_unknown() {
    let shelf = Shelf::new();
    shelf.put("disk/Queen/Jazz/04.mp3", SONG).put("here.mp3", "title=Here\naudio=3\n").scan();
    // It was another device.
    rusqlite::Connection::open(shelf.index.join("music.db"))
        .unwrap()
        .execute("UPDATE folders SET device = device + 1 WHERE shown LIKE 'disk/%'", [])
        .unwrap();
    let known = shelf.tracks();
    shelf.rename("disk/Queen", "../unmounted");
    assert_eq!(shelf.scan().missing, 0);
    let availability = shelf.track("disk/Queen/Jazz/04.mp3").availability;
    assert!(matches!(availability, Availability::Unknown { .. }), "{availability:?}");
    shelf.rename("../unmounted", "disk/Queen").scan();
    assert_eq!(shelf.tracks(), known);
}

#[test]
fn a_root_is_not_taken_out_and_nothing_forgotten_in_the_middle_of_a_scan() {
    let shelf = Shelf::new();
    shelf.put("1.mp3", SONG);
    let mut tried = Vec::new();
    let library = &shelf.library;
    library
        .scan(&crate::shelf::at_once(), &Stop::default(), &mut |event| {
            if let ScanEvent::Written { .. } = event {
                tried.push(library.set_roots(&[]));
            }
        })
        .unwrap();
    assert!(matches!(tried.as_slice(), [Err(LibraryError::Scanning)]), "{tried:?}");
    library.set_roots(&[]).unwrap();
    assert_eq!(library.status().unwrap().missing, 1);
}

#[test]
fn a_slow_scan_stops_at_once() {
    let shelf = Shelf::new();
    for number in 0..40 {
        shelf.put(&format!("{number:02}.mp3"), &format!("title={number}\naudio={number}\n"));
    }
    let (mut options, stop) = (crate::shelf::at_once(), Stop::default());
    // Forty seconds, if it were to wait for its turn.
    options.files_per_second = Some(1);
    options.workers = 1;
    let begun = std::time::Instant::now();
    let stopped = shelf.library.scan(&options, &stop, &mut |event| {
        if let ScanEvent::Reading { .. } = event {
            stop.set();
        }
    });
    assert!(matches!(stopped, Err(LibraryError::Cancelled)), "{stopped:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_reader_that_cannot_be_made_is_no_fault_of_the_files() {
    let shelf = Shelf::with(LibraryOptions::new(|| panic!("no reader here")));
    shelf.put("1.mp3", SONG);
    let report = shelf.scan();
    assert_eq!((report.read, report.failed), (1, 1));
    assert_eq!(shelf.library.unreadable().unwrap()[0].says, "the reader could not be made");
}

#[test]
fn words_beside_a_file_are_found_and_those_in_it_come_first() {
    let shelf = Shelf::new();
    shelf
        .put("a/1.mp3", SONG)
        .put("a/1.LRC", "\u{feff}[00:01.00]I want to ride\n")
        .put("a/2.mp3", "title=Two\naudio=2\n")
        .put("a/other.lrc", "no")
        .scan();
    let words = |path| shelf.library.lyrics(shelf.id(path)).unwrap();
    assert_eq!((words("a/1.mp3").as_deref(), words("a/2.mp3")), (Some("[00:01.00]I want to ride"), None));
    std::fs::write(shelf.music.join("a/1.LRC"), b"caf\xe9").unwrap();
    assert_eq!(words("a/1.mp3").as_deref(), Some("caf\u{e9}"));
}

#[test]
fn scans_that_find_nothing_to_do_do_not_push_out_those_that_did() {
    let shelf = Shelf::new();
    shelf.put("1.mp3", SONG).put("bad.mp3", "damaged=no frame").scan();
    for _ in 0..120 {
        shelf.scan();
    }
    let log = shelf.library.scan_log(&Page::default()).unwrap().items;
    assert_eq!(log.iter().map(|scan| (scan.number, scan.read)).collect::<Vec<_>>(), [(121, 0), (1, 2)]);
    assert_eq!(log[1].lines[0].says, "no frame");
}

/// Reads a file when it may: whoever listens to the scan allows the next one.
struct Allowed(Arc<Mutex<Receiver<()>>>);

impl FileReader for Allowed {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        match self.0.lock().unwrap().recv_timeout(Duration::from_secs(20)) {
            Ok(()) => TextReader.read(file),
            Err(_) => Err(Unreadable::Damaged { says: "nobody heard of the one before".to_owned() }),
        }
    }

    fn picture(&mut self, _: &Path, _: usize, _: u64) -> Result<Vec<u8>, Unreadable> {
        unreachable!("no pictures here")
    }
}

#[test]
fn each_file_that_was_read_is_told_long_before_its_batch_is_written() {
    let (allow, allowed) = channel();
    let allowed = Arc::new(Mutex::new(allowed));
    let shelf = Shelf::with(LibraryOptions::new(move || Box::new(Allowed(Arc::clone(&allowed)))));
    for number in 0..30 {
        shelf.put(&format!("{number:02}.mp3"), &format!("title={number}\naudio={number}\n"));
    }
    allow.send(()).unwrap();
    let mut told = Vec::new();
    let report = shelf
        .library
        .scan(&crate::shelf::at_once(), &Stop::default(), &mut |event| match event {
            ScanEvent::Reading { read, of, .. } => {
                told.push((read, of));
                allow.send(()).unwrap();
            }
            ScanEvent::Written { read } => told.push((read, 0)),
            _ => {}
        })
        .unwrap();
    assert_eq!((report.read, report.failed), (30, 0));
    assert_eq!(told, (1..=30).map(|read| (read, 30)).chain([(30, 0)]).collect::<Vec<_>>());
}

#[test]
fn a_playlist_knows_its_tracks_and_keeps_them_when_they_move() {
    let shelf = Shelf::new();
    shelf
        .put("Queen/04.mp3", SONG)
        .put("Lists/mine.m3u8", "#EXTM3U\n#EXTINF:181,Bike\n../QUEEN/04.mp3\nhttp://radio/x\n");
    shelf.scan();
    let list = shelf.library.playlists(&Page::default()).unwrap().items.remove(0);
    assert_eq!((&*list.title, &*list.shown, list.entries, list.known), ("mine", "Lists/mine.m3u8", 2, 1));
    let id = shelf.id("Queen/04.mp3");
    let bike = PlaylistEntry { said: "../QUEEN/04.mp3".into(), title: Some("Bike".into()), track: Some(id) };
    let radio = PlaylistEntry { said: "http://radio/x".into(), title: None, track: None };
    assert_eq!(shelf.library.playlist(list.id).unwrap(), [bike.clone(), radio.clone()]);
    shelf.rename("Queen/04.mp3", "Rock/4.mp3").scan();
    assert_eq!(shelf.library.playlist(list.id).unwrap(), [bike, radio]);
    assert_eq!(shelf.id("Rock/4.mp3"), id);
}

#[test]
fn readers_go_on_while_the_index_is_written() {
    let shelf = Shelf::new();
    shelf.put("1.mp3", SONG).scan();
    let other = rusqlite::Connection::open(shelf.index.join("music.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE tracks SET title = 'half'").unwrap();
    assert_eq!(shelf.track("1.mp3").title.unwrap().shown, "Bicycle Race");
    other.execute_batch("ROLLBACK").unwrap();
}
