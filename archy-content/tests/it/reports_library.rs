//! What users of other libraries reported, once each. The comment names the report.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use archy_content::*;

use crate::shelf::Shelf;
use crate::text_reader::{TextReader, options};

/// A track of an album, with more fields.
fn song(title: &str, album: &str, artist: &str, more: &str) -> String {
    format!("title={title}\nalbum={album}\nartist={artist}\naudio={album} {title}\nms=200000\n{more}")
}

fn albums(shelf: &Shelf) -> Vec<(String, String, usize)> {
    shelf.albums().into_iter().map(|(title, by, tracks)| (title, by, tracks.len())).collect()
}

fn one(title: &str, by: &str, tracks: usize) -> Vec<(String, String, usize)> {
    vec![(title.to_owned(), by.to_owned(), tracks)]
}

// Albums ------------------------------------------------------------------------------------------------------------

// navidrome#2867, #4926: the same album twice though “tags are identical”; the dates differed.
#[test]
fn an_album_whose_tracks_differ_in_their_dates_is_one() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "Jazz", "Queen", "albumartist=Queen\nyear=1978\ntrack=1"));
    shelf.put("a/2.mp3", &song("2", "Jazz", "Queen", "albumartist=Queen\nyear=2011\ntrack=2"));
    shelf.put("a/3.m4a", &song("3", "Jazz", "Queen", "albumartist=Queen\ntrack=3"));
    shelf.scan();
    assert_eq!(albums(&shelf), one("Jazz", "Queen", 3));
}

// navidrome#4594, and Symfonium's note that ids on half of the tracks make two albums.
#[test]
fn an_album_with_release_ids_on_half_of_its_tracks_is_one() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "Jazz", "Queen", "albumartist=Queen\nrelease=r1\ntrack=1"));
    shelf.put("a/2.mp3", &song("2", "Jazz", "Queen", "albumartist=Queen\ntrack=2"));
    shelf.scan();
    assert_eq!(albums(&shelf), one("Jazz", "Queen", 2));
    let differences = shelf.library.explain(shelf.id("a/1.mp3"), shelf.id("a/2.mp3")).unwrap();
    assert!(differences.together);
    let id = Difference { field: "release-id", a: "r1".to_owned(), b: String::new() };
    assert_eq!(differences.differences, [id]);
}

// navidrome#3480, #1495, #1624: without an album artist there is one album for each artist.
#[test]
fn a_sampler_without_album_artists_is_one_album_of_various_artists() {
    let shelf = Shelf::new();
    for (number, artist) in ["Ann", "Bob", "Cat"].into_iter().enumerate() {
        shelf.put(
            &format!("Sampler/{number}.mp3"),
            &song(artist, "Sampler", artist, &format!("track={number}")),
        );
    }
    shelf.scan();
    assert_eq!(albums(&shelf), one("Sampler", VARIOUS_ARTISTS, 3));
}

// navidrome#709: an album of one artist with a “Various Artists” half, by stray compilation tags.
#[test]
fn a_stray_compilation_tag_does_not_split_an_album() {
    let shelf = Shelf::new();
    shelf.put("a/1.m4a", &song("1", "Jazz", "Queen", "compilation=1\ntrack=1"));
    shelf.put("a/2.m4a", &song("2", "Jazz", "Queen", "track=2"));
    shelf.put("a/3.m4a", &song("3", "Jazz", "Queen", "track=3"));
    shelf.scan();
    assert_eq!(albums(&shelf), one("Jazz", "Queen", 3));
}

// beets#2669: unrelated files in one folder become an album of various artists.
#[test]
fn files_that_merely_lie_together_are_no_album() {
    let shelf = Shelf::new();
    shelf
        .put("Downloads/1.mp3", "title=One\nartist=Ann\naudio=1")
        .put("Downloads/2.mp3", "title=Two\nartist=Bob\naudio=2");
    shelf.scan();
    assert_eq!(albums(&shelf), []);
    assert_eq!(shelf.library.status().unwrap().tracks, 2);
}

// navidrome#2572: “Title (Album)” and “Title (Single)” are merged, because brackets are ignored.
#[test]
fn what_stands_in_brackets_tells_albums_apart() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "Title (Album)", "Ann", "albumartist=Ann"));
    shelf.put("a/2.mp3", &song("1", "Title (Single)", "Ann", "albumartist=Ann"));
    shelf.scan();
    assert_eq!(albums(&shelf).len(), 2);
}

// jellyfin#9623: artists of one name are merged despite their MusicBrainz ids.
#[test]
fn two_artists_of_one_name_with_two_ids_are_two() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "A", "Nirvana#us", "")).put("b/1.mp3", &song("1", "B", "Nirvana#uk", ""));
    shelf.scan();
    let artists = shelf.library.artists(&Page::default()).unwrap().items;
    let ids: Vec<_> = artists.iter().map(|a| (&*a.name.shown, a.musicbrainz.as_deref(), a.tracks)).collect();
    assert_eq!(ids, [("Nirvana", Some("us"), 1), ("Nirvana", Some("uk"), 1)]);
}

// epoupon/lms#481, jellyfin#9539, airsonic#625: an album for each disc or for each disc's folder.
#[test]
fn folders_of_discs_are_one_album() {
    let shelf = Shelf::new();
    shelf.put("Queen/Live/CD1/1.mp3", &song("a", "Live", "Queen", "albumartist=Queen\ntrack=1"));
    shelf.put("Queen/Live/CD 2/1.mp3", &song("b", "Live", "Queen", "albumartist=Queen\ntrack=1"));
    shelf.put("Queen/Live/Disc 3/1.mp3", &song("c", "Live", "Queen", "albumartist=Queen\ntrack=1"));
    shelf.scan();
    assert_eq!(shelf.albums(), [("Live".into(), "Queen".into(), vec!["a".into(), "b".into(), "c".into()])]);
}

// beets#1339: `(CD1)X` and `(CD2)X` are not seen as one.
#[test]
fn discs_in_brackets_before_the_title_are_one_album() {
    let shelf = Shelf::new();
    shelf.put("Live/(CD1) X/1.mp3", &song("a", "Live", "Ann", "track=1"));
    shelf.put("Live/(CD2) X/1.mp3", &song("b", "Live", "Bob", "track=1"));
    shelf.scan();
    assert_eq!(albums(&shelf), one("Live", VARIOUS_ARTISTS, 2));
}

// Moves -------------------------------------------------------------------------------------------------------------

// navidrome#2068, #2149, Clementine#1241: renaming or moving clears ratings, stars and plays.
#[test]
fn moving_a_folder_keeps_plays_and_favourites() {
    let shelf = Shelf::new();
    shelf.put("Queen/Jazz/1.mp3", &song("1", "Jazz", "Queen", "track=1"));
    shelf.scan();
    let id = shelf.id("Queen/Jazz/1.mp3");
    let album = shelf.track("Queen/Jazz/1.mp3").album.unwrap();
    shelf.library.played(id).unwrap();
    shelf.library.set_favourite(Favourable::Album(album), Favourite::Yes).unwrap();
    shelf.rename("Queen/Jazz", "Rock/Queen - Jazz").scan();
    let track = shelf.track("Rock/Queen - Jazz/1.mp3");
    assert_eq!((track.id, track.user.plays, track.album), (id, 1, Some(album)));
    assert!(shelf.library.album(album).unwrap().favourite.is_some());
}

// navidrome#2482: replacing the mp3 by a flac resets all.
#[test]
fn a_better_encoding_of_a_song_is_the_same_track() {
    let shelf = Shelf::new();
    shelf
        .put("a/1.mp3", &song("1", "Jazz", "Queen", "track=1"))
        .put("a/2.mp3", &song("2", "Jazz", "Queen", "track=2"));
    shelf.scan();
    let id = shelf.id("a/1.mp3");
    shelf.remove("a/1.mp3");
    shelf.put("a/01 - One.flac", &song("1", "Jazz", "Queen", "track=1\nms=201500\naudio=lossless"));
    shelf.scan();
    assert_eq!(shelf.id("a/01 - One.flac"), id);
}

// navidrome#6166: moving a file to another library changes its id.
#[test]
fn a_file_that_moves_to_another_root_keeps_its_id() {
    let shelf = Shelf::new();
    let second = tempfile::tempdir().unwrap();
    shelf.library.set_roots(&[shelf.music.clone(), second.path().to_path_buf()]).unwrap();
    shelf.put("1.mp3", &song("1", "Jazz", "Queen", "")).put("2.mp3", &song("2", "Jazz", "Queen", ""));
    shelf.scan();
    let id = shelf.id("1.mp3");
    fs::copy(shelf.music.join("1.mp3"), second.path().join("one.mp3")).unwrap();
    shelf.remove("1.mp3").scan();
    assert_eq!(shelf.library.track_at(&second.path().join("one.mp3")).unwrap(), Some(id));
}

// navidrome#3953: two rows on one path after retagging and renaming at once.
#[test]
fn files_that_were_retagged_and_renamed_at_once_are_listed_once() {
    let shelf = Shelf::new();
    for number in 1..=3 {
        shelf.put(
            &format!("a/{number}.mp3"),
            &song(&number.to_string(), "Jazz", "Queen", &format!("track={number}")),
        );
    }
    shelf.scan();
    let ids = [1, 2, 3].map(|number| shelf.id(&format!("a/{number}.mp3")));
    // One new first track: 3 becomes 4, 2 becomes 3, 1 becomes 2, each written anew.
    for number in (1..=3).rev() {
        let text = fs::read_to_string(shelf.music.join(format!("a/{number}.mp3"))).unwrap();
        shelf.remove(&format!("a/{number}.mp3"));
        shelf.put(&format!("a/{}.mp3", number + 1), &format!("{text}\ntrack={}", number + 1));
    }
    shelf.put("a/1.mp3", &song("Intro", "Jazz", "Queen", "track=1"));
    shelf.scan();
    assert_eq!([2, 3, 4].map(|number| shelf.id(&format!("a/{number}.mp3"))), ids);
    assert_eq!(shelf.tracks().len(), 4);
}

// Mounts ------------------------------------------------------------------------------------------------------------

// navidrome#3406, #1668, Clementine#1161, owntone#690: a share that goes offline empties the library.
#[test]
fn a_root_that_is_not_mounted_loses_nothing() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "Jazz", "Queen", "")).scan();
    let before = shelf.tracks();
    let away = shelf.music.with_file_name("away");
    fs::rename(&shelf.music, &away).unwrap();
    assert_eq!(shelf.scan().roots_away, 1);
    fs::create_dir(&shelf.music).unwrap();
    assert_eq!(shelf.scan().roots_away, 1);
    assert_eq!(shelf.tracks(), before);
    let track = shelf.library.track(*before.keys().next().unwrap()).unwrap();
    assert!(matches!(track.availability, Availability::Unknown { .. }), "{:?}", track.availability);
    assert!(matches!(shelf.library.status().unwrap().roots[0].state, RootState::Offline { .. }));
    fs::remove_dir(&shelf.music).unwrap();
    fs::rename(&away, &shelf.music).unwrap();
    let back = shelf.scan();
    assert_eq!((back.read, back.unchanged, back.roots_away), (0, 1, 0));
    assert_eq!(shelf.tracks(), before);
}

// nc-music/music#138: one click on “unavailable files” wiped 69,000 songs.
#[test]
fn forgetting_what_is_missing_spares_what_is_offline() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "Jazz", "Queen", "")).scan();
    fs::rename(&shelf.music, shelf.music.with_file_name("away")).unwrap();
    shelf.scan();
    assert_eq!(shelf.library.forget_missing(None).unwrap(), 0);
    assert_eq!(shelf.tracks().len(), 1);
}

// MPD#1492: a song that is away for a while loses its rating.
#[test]
fn what_is_missing_is_kept_for_the_grace_period_and_favourites_for_ever() {
    struct Fixed(std::sync::Arc<std::sync::atomic::AtomicI64>);
    impl Clock for Fixed {
        fn now_nanos(&self) -> i64 {
            self.0.load(std::sync::atomic::Ordering::Relaxed) * 1_000_000_000
        }
    }
    let clock = std::sync::Arc::new(std::sync::atomic::AtomicI64::new(2_000_000_000));
    let shelf = Shelf::with(options().with_clock(Fixed(clock.clone())));
    for number in 1..=9 {
        shelf.put(&format!("{number}.mp3"), &song(&number.to_string(), "Jazz", "Queen", ""));
    }
    shelf.scan();
    let (plain, loved) = (shelf.id("1.mp3"), shelf.id("2.mp3"));
    shelf.library.set_favourite(Favourable::Track(loved), Favourite::Yes).unwrap();
    let text = fs::read_to_string(shelf.music.join("2.mp3")).unwrap();
    shelf.remove("1.mp3").remove("2.mp3").scan();
    assert!(matches!(shelf.library.track(plain).unwrap().availability, Availability::Missing { .. }));
    clock.fetch_add(31 * 24 * 3600, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(shelf.scan().forgotten, 2);
    assert!(matches!(shelf.library.track(plain), Err(LibraryError::Unknown { .. })));
    shelf.put("back/2.mp3", &text).scan();
    assert_eq!(shelf.id("back/2.mp3"), loved);
    assert!(shelf.track("back/2.mp3").user.favourite.is_some());
}

// MPD#1897: ratings are reset when the music directory is another one.
#[test]
fn a_library_that_moves_to_another_disk_keeps_its_ids() {
    let shelf = Shelf::new();
    shelf
        .put("a/1.mp3", &song("1", "Jazz", "Queen", ""))
        .put("a/2.mp3", &song("2", "Jazz", "Queen", ""))
        .scan();
    let ids = [shelf.id("a/1.mp3"), shelf.id("a/2.mp3")];
    let other = tempfile::tempdir().unwrap();
    for name in ["1.mp3", "2.mp3"] {
        fs::create_dir_all(other.path().join("b")).unwrap();
        fs::copy(shelf.music.join("a").join(name), other.path().join("b").join(name)).unwrap();
    }
    shelf.library.set_roots(&[other.path().to_path_buf()]).unwrap();
    shelf.scan();
    let there =
        ["1.mp3", "2.mp3"].map(|name| shelf.library.track_at(&other.path().join("b").join(name)).unwrap());
    assert_eq!(there, ids.map(Some));
}

// navidrome#2149, Clementine#1241: the whole collection is renamed, or its disk is mounted elsewhere.
#[test]
fn a_library_that_lies_elsewhere_as_a_whole_is_known_there() {
    let shelf = Shelf::new();
    shelf
        .put("a/1.mp3", &song("1", "Jazz", "Queen", ""))
        .put("a/2.mp3", &song("2", "Jazz", "Queen", ""))
        .scan();
    let ids = [shelf.id("a/1.mp3"), shelf.id("a/2.mp3")];
    let other = tempfile::tempdir().unwrap();
    let there = other.path().join("moved");
    fs::create_dir(&there).unwrap();
    assert_eq!(shelf.library.root_before(&there).unwrap(), None, "the old one is where it was");
    fs::remove_dir(&there).unwrap();
    fs::rename(&shelf.music, &there).unwrap();
    assert_eq!(shelf.library.root_before(other.path()).unwrap(), None, "nothing of it lies right there");
    // The folder that a disk was mounted on is there still.
    fs::create_dir(&shelf.music).unwrap();
    assert_eq!(shelf.library.root_before(&there).unwrap(), Some(shelf.music.clone()));
    shelf.library.move_root(&shelf.music, &there).unwrap();
    shelf.scan();
    let now = ["a/1.mp3", "a/2.mp3"].map(|name| shelf.library.track_at(&there.join(name)).unwrap());
    assert_eq!(now, ids.map(Some));
    fs::remove_dir(&shelf.music).unwrap();
}

// Names -------------------------------------------------------------------------------------------------------------

// quodlibet#1218, amane#108, slimserver#705, epoupon/lms#627: duplicates by case, and by NFC and NFD.
#[test]
fn another_spelling_of_a_path_is_the_same_file() {
    let shelf = Shelf::new();
    shelf.put("Bj\u{f6}rk/Jo\u{301}ga.mp3", "title=Jóga\nartist=Björk\naudio=joga").scan();
    let id = shelf.id("Bj\u{f6}rk/Jo\u{301}ga.mp3");
    // As a file server does it: another folder, another file, the same bytes.
    let text = fs::read_to_string(shelf.music.join("Bj\u{f6}rk/Jo\u{301}ga.mp3")).unwrap();
    shelf.remove("Bj\u{f6}rk").put("bjo\u{308}rk/J\u{f3}GA.MP3", &text.replace("audio=joga", "")).scan();
    assert_eq!(shelf.id("bjo\u{308}rk/J\u{f3}GA.MP3"), id);
    assert_eq!(shelf.tracks().len(), 1);
}

// Clementine#3349, Lidarr#1115, sonora#637: a name that is no text ends the scan.
#[test]
fn names_that_are_no_text_and_very_long_names_are_listed() {
    let shelf = Shelf::new();
    let odd = OsStr::from_bytes(b"f\xff\xfe\x80.mp3");
    fs::write(shelf.music.join(odd), song("Odd", "A", "X", "")).unwrap();
    let long = format!("{}.mp3", "x".repeat(251));
    shelf.put(&long, &song("Long", "A", "X", ""));
    assert_eq!(shelf.scan().added, 2);
    let track =
        shelf.library.track(shelf.library.track_at(&shelf.music.join(odd)).unwrap().unwrap()).unwrap();
    assert_eq!(track.file.path, shelf.music.join(odd));
    assert_eq!(track.file.shown, "f\u{fffd}\u{fffd}\u{fffd}.mp3");
    assert_eq!(shelf.scan().unchanged, 2);
}

// Loops and junk ----------------------------------------------------------------------------------------------------

// navidrome#5334, jellyfin#10687: a link to `..` makes endless copies, or stalls the scan.
#[test]
fn a_loop_of_links_is_walked_once_and_said() {
    let shelf = Shelf::new();
    shelf.put("a/b/1.mp3", &song("1", "A", "X", ""));
    symlink("..", shelf.music.join("a/b/up")).unwrap();
    symlink(&shelf.music, shelf.music.join("a/root")).unwrap();
    symlink("b/1.mp3", shelf.music.join("a/same.mp3")).unwrap();
    symlink("nowhere", shelf.music.join("a/broken.mp3")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("2.mp3"), song("2", "A", "X", "")).unwrap();
    symlink(outside.path(), outside.path().join("again")).unwrap();
    symlink(outside.path(), shelf.music.join("linked")).unwrap();
    assert_eq!(shelf.scan().found, 2);
    shelf.id("a/b/1.mp3");
    shelf.id("linked/2.mp3");
    let log = shelf.library.scan_log(&Page::first(1)).unwrap().items.remove(0);
    let mut said: Vec<_> = log.lines.iter().map(|line| (&*line.place, &*line.what)).collect();
    said.sort_unstable();
    let expected = [
        ("a/b/up", "listed-already"),
        ("a/broken.mp3", "odd"),
        ("a/root", "listed-already"),
        ("linked/again", "listed-already"),
    ];
    assert_eq!(said, expected);
}

// astra#221, ipodrocks#77, fruitbox#6, rsgain#112, Emby#3305, navidrome#3206: every song twice, or no scan at all, because
// of what other systems leave behind.
#[test]
fn what_other_systems_leave_behind_is_no_music() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "A", "X", ""));
    for junk in [
        "a/._1.mp3",
        "a/.AppleDouble/1.mp3",
        "a/@eaDir/1.mp3",
        "#recycle/1.mp3",
        "#snapshot/1.mp3",
        "@Recycle/1.mp3",
        "$RECYCLE.BIN/1.mp3",
        "System Volume Information/1.mp3",
        "lost+found/1.mp3",
        ".Trash-1000/1.mp3",
    ] {
        shelf.put(junk, "damaged=junk");
    }
    shelf.put("...And Justice for All/1.mp3", &song("Blackened", "…And Justice for All", "Metallica", ""));
    let report = shelf.scan();
    assert_eq!((report.found, report.failed), (2, 0));
}

// cmus#1168, vanilla#674: `.nomedia` hides music from some and must not for others.
#[test]
fn a_folder_is_left_out_by_its_ignore_file_and_by_nomedia_only_on_demand() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song("1", "A", "X", "")).put("a/demo/2.mp3", &song("2", "A", "X", ""));
    shelf
        .put("a/.ndignore", "# rough mixes\ndemo/\n")
        .put("b/3.mp3", &song("3", "A", "X", ""))
        .put("b/.archyignore", "");
    shelf.put("c/4.mp3", &song("4", "A", "X", "")).put("c/.nomedia", "");
    assert_eq!(shelf.scan().found, 2);
    let mut options = crate::shelf::at_once();
    options.walk.nomedia = Nomedia::LeftOut;
    let report = shelf.library.scan(&options, &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!((report.found, report.missing), (1, 1));
}

// Broken and unfinished files ---------------------------------------------------------------------------------------

// gonic#165: a folder that is scanned while it is copied stays empty for ever. audiobookshelf#1362: a file that is copied
// halfway fails and is not tried again.
#[test]
fn a_file_that_is_still_being_copied_is_read_when_it_is_whole() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", "title=hal");
    let report = shelf.library.scan(&ScanOptions::default(), &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!((report.read, report.unsettled), (0, 1));
    shelf.put("a/1.mp3", "title=whole\naudio=1");
    let file = fs::File::options().write(true).open(shelf.music.join("a/1.mp3")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    let report = shelf.library.scan(&ScanOptions::default(), &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!((report.read, report.unsettled), (1, 0));
    assert_eq!(shelf.track("a/1.mp3").title.unwrap().shown, "whole");
}

// DeaDBeeF#2727: one file crashes the program at every start. oc-music#921: one file ends the scan.
#[test]
fn a_file_that_ends_its_reader_is_not_tried_again_until_it_changes() {
    let shelf = Shelf::new();
    shelf.put("1.mp3", "panic=division by zero").put("2.mp3", &song("2", "A", "X", ""));
    assert_eq!(shelf.scan().read, 2);
    assert_eq!(shelf.scan().read, 0);
    let unreadable = shelf.library.unreadable().unwrap();
    assert_eq!(
        unreadable.iter().map(|file| (&*file.place, &*file.why)).collect::<Vec<_>>(),
        [("1.mp3", "hostile")]
    );
    shelf.put("1.mp3", &song("repaired", "A", "X", "")).scan();
    assert_eq!(shelf.library.unreadable().unwrap(), []);
}

// navidrome#6171: one “database is locked” throws away a scan of four hours.
#[test]
fn another_process_that_holds_the_lock_for_a_while_costs_nothing() {
    let shelf = Shelf::new();
    for number in 0..20 {
        shelf.put(&format!("{number}.mp3"), &song(&number.to_string(), "A", "X", ""));
    }
    let other = rusqlite::Connection::open(shelf.index.join("music.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let scan = scope.spawn(|| shelf.scan());
        // It has begun to wait, or will find the lock free: either way it must list all.
        std::thread::sleep(Duration::from_millis(100));
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(scan.join().unwrap().added, 20);
    });
}

// navidrome#1164: endless trying again of one bad entry of a folder, 80 million lines.
#[test]
fn a_file_that_the_system_does_not_give_costs_one_line_a_scan() {
    struct Refused;
    impl FileReader for Refused {
        fn read(&mut self, file: &std::path::Path) -> Result<Reading, Unreadable> {
            if file.ends_with("1.mp3") {
                return Err(Unreadable::NotGiven { says: "input/output error".to_owned() });
            }
            TextReader.read(file)
        }
        fn picture(&mut self, _: &std::path::Path, _: usize, _: u64) -> Result<Vec<u8>, Unreadable> {
            Err(Unreadable::Empty)
        }
    }
    let shelf = Shelf::with(LibraryOptions::new(|| Box::new(Refused)));
    shelf.put("1.mp3", "x").put("2.mp3", &song("2", "A", "X", ""));
    for _ in 0..2 {
        shelf.scan();
        let log = shelf.library.scan_log(&Page::first(1)).unwrap().items.remove(0);
        assert_eq!(log.lines.iter().map(|line| &*line.what).collect::<Vec<_>>(), ["not-given"]);
    }
}
