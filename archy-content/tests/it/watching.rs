//! What changes is found without being asked for.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use archy_content::*;

use crate::shelf::{Shelf, at_once};

/// A library that is watched until the test ends.
struct Watch {
    stop: Stop,
    events: Receiver<WatchEvent>,
    thread: Option<JoinHandle<Result<(), LibraryError>>>,
}

impl Watch {
    fn of(shelf: &Shelf) -> Self {
        let mut options = WatchOptions::default();
        options.quiet = Duration::from_millis(30);
        options.scan = at_once();
        let (stop, (to, events)) = (Stop::default(), channel());
        let (library, stopped) = (shelf.library.clone(), stop.clone());
        let thread = thread::spawn(move || {
            library.watch(&options, &stopped, &mut |event| {
                let _ = to.send(event);
            })
        });
        let watch = Self { stop, events, thread: Some(thread) };
        watch.until("the first scan", |event| matches!(event, WatchEvent::Done(_)));
        watch
    }

    fn until(&self, what: &str, wanted: impl Fn(&WatchEvent) -> bool) -> WatchEvent {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let event =
                self.events.recv_timeout(left).unwrap_or_else(|_| panic!("waited in vain for {what}"));
            if wanted(&event) {
                return event;
            }
        }
    }

    /// Waits until the library is so, looking after every scan.
    fn until_there(&self, of: &Shelf, albums: &[(&str, usize)]) {
        let wanted: Vec<_> = albums.iter().map(|(title, tracks)| ((*title).to_owned(), *tracks)).collect();
        let now =
            || of.albums().into_iter().map(|(title, _, tracks)| (title, tracks.len())).collect::<Vec<_>>();
        while now() != wanted {
            self.until(&format!("{wanted:?}, there is {:?}", now()), |event| {
                matches!(event, WatchEvent::Done(_))
            });
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(thread::panicking() || matches!(ended, Ok(Ok(()))), "{ended:?}");
        }
    }
}

fn song(album: &str, number: u32) -> String {
    format!("title=No. {number}\nalbum={album}\nartist=Queen\ntrack={number}\naudio={album}{number}\n")
}

/// Of the only track.
fn state(shelf: &Shelf) -> Availability {
    shelf.library.search_tracks(&Search::default(), &Page::default()).unwrap().items[0].availability
}

fn album(folder: &Path, name: &str) {
    fs::create_dir_all(folder).unwrap();
    for number in 1..=5 {
        fs::write(folder.join(format!("{number}.mp3")), song(name, number)).unwrap();
    }
}

#[test]
fn copied_moved_and_removed_albums_are_noticed() {
    let shelf = Shelf::new();
    let watch = Watch::of(&shelf);
    for number in 0..5 {
        album(&shelf.music.join(format!("copied/{number}")), &format!("Copied {number}"));
    }
    let copied: Vec<_> = (0..5).map(|number| format!("Copied {number}")).collect();
    let mut wanted: Vec<_> = copied.iter().map(|name| (&**name, 5)).collect();
    watch.until_there(&shelf, &wanted);
    let id = shelf.id("copied/0/1.mp3");

    album(&shelf.music.with_file_name("outside"), "Moved");
    fs::rename(shelf.music.with_file_name("outside"), shelf.music.join("moved")).unwrap();
    wanted.push(("Moved", 5));
    watch.until_there(&shelf, &wanted);

    shelf.rename("copied/0", "elsewhere/0").remove("copied/1/1.mp3");
    wanted[1].1 = 4;
    watch.until_there(&shelf, &wanted);
    while shelf.library.track_at(&shelf.music.join("elsewhere/0/1.mp3")).unwrap() != Some(id) {
        watch.until("the folder that moved", |event| matches!(event, WatchEvent::Done(_)));
    }
}

#[test]
fn a_retagged_file_is_read_again() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("Jazz", 1));
    let watch = Watch::of(&shelf);
    watch.until_there(&shelf, &[("Jazz", 1)]);
    shelf.put("a/1.mp3", &song("Jazz", 1).replace("album=Jazz", "album=Jazz (Deluxe)"));
    watch.until_there(&shelf, &[("Jazz (Deluxe)", 1)]);
}

#[test]
fn it_is_said_how_it_is_watched_and_one_watches_at_a_time() {
    let shelf = Shelf::new();
    assert_eq!(shelf.library.watched(), None);
    let watch = Watch::of(&shelf);
    let root = shelf.music.to_string_lossy().into_owned();
    assert_eq!(shelf.library.watched(), Some(vec![Watched { root, how: How::Events }]));
    let second = shelf.library.watch(&WatchOptions::default(), &Stop::default(), &mut |_| ());
    assert!(matches!(second, Err(LibraryError::Scanning)), "{second:?}");
    drop(watch);
    assert_eq!(shelf.library.watched(), None);
}

#[test]
fn a_root_that_is_away_is_polled_and_told_when_it_is_back() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("Jazz", 1));
    shelf.scan();
    let away = shelf.music.with_file_name("away");
    fs::rename(&shelf.music, &away).unwrap();
    let watch = Watch::of(&shelf);
    let why = "it is away".to_owned();
    assert_eq!(shelf.library.watched().unwrap()[0].how, How::Polls { why });
    assert!(matches!(state(&shelf), Availability::Unknown { .. }));
    fs::rename(&away, &shelf.music).unwrap();
    let events =
        |event: &WatchEvent| matches!(event, WatchEvent::Watching(roots) if roots[0].how == How::Events);
    watch.until("events", events);
    watch.until("a scan", |event| matches!(event, WatchEvent::Done(_)));
    assert_eq!(state(&shelf), Availability::Present);
}
