//! Indexes that others wrote: older versions, newer ones, damaged ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use archy_content::*;

use crate::shelf::{Shelf, tracks};
use crate::text_reader::options;

/// One for every version before the present one.
const OLDER: [&str; 2] = [include_str!("../fixtures/index-v1.sql"), include_str!("../fixtures/index-v2.sql")];

fn write(index: &Path, sql: &str) {
    fs::create_dir_all(index).unwrap();
    rusqlite::Connection::open(index.join("music.db")).unwrap().execute_batch(sql).unwrap();
}

fn version(database: &Path) -> i64 {
    rusqlite::Connection::open(database)
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[test]
fn every_older_version_is_opened_with_all_that_it_knew() {
    for (older, sql) in (1..).zip(OLDER) {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), sql);
        let library = Library::open(directory.path(), options()).unwrap();
        assert_eq!(version(&directory.path().join("music.db")), i64::try_from(OLDER.len()).unwrap() + 1);
        let track = library.track("0123456789abcdef".parse().unwrap()).unwrap();
        assert_eq!(track.title.unwrap().shown, "Bicycle Race");
        let user = UserData {
            added: Timestamp(100),
            plays: 7,
            played: Some(Timestamp(300)),
            favourite: Some(Timestamp(250)),
        };
        assert_eq!(track.user, user);
        let albums = library.albums(&Page::default()).unwrap().items;
        assert_eq!(albums.iter().map(|album| &*album.title.shown).collect::<Vec<_>>(), ["Jazz"]);
        assert_eq!(library.album_tracks(albums[0].id).unwrap().len(), 2);
        assert_eq!(library.playlists(&Page::default()).unwrap().items, []);
        let found = library.search(&Search::words("bicyc"), 9).unwrap().tracks.items;
        assert_eq!(found.iter().map(|track| track.id).collect::<Vec<_>>(), [track.id]);
        assert_eq!(version(&directory.path().join(format!("music.v{older}.db"))), older);
    }
}

#[test]
fn a_newer_index_is_refused_and_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "CREATE TABLE of_tomorrow (x); PRAGMA user_version = 99;");
    let before = fs::read(directory.path().join("music.db")).unwrap();
    let refused = Library::open(directory.path(), options()).unwrap_err();
    assert!(matches!(refused, LibraryError::Newer { found: 99, .. }), "{refused}");
    assert!(refused.to_string().contains("newer version"), "{refused}");
    assert!(fs::read(directory.path().join("music.db")).unwrap() == before);
}

/// A shelf whose library is closed again, with what its tracks were.
fn closed() -> (tempfile::TempDir, std::path::PathBuf, TrackId, TrackId) {
    let directory = tempfile::tempdir().unwrap();
    let (music, index) = (directory.path().join("music"), directory.path().join("index"));
    for (name, text) in [
        ("a/1.mp3", "title=One\nalbum=A\nartist=X\ntrack=1\naudio=1\n"),
        ("a/2.mp3", "title=Two\nalbum=A\nartist=X\ntrack=2\naudio=2\n"),
    ] {
        fs::create_dir_all(music.join("a")).unwrap();
        fs::write(music.join(name), text).unwrap();
    }
    let library = open(&index, &music);
    let id = |name: &str| library.track_at(&music.join(name)).unwrap().unwrap();
    let (one, two) = (id("a/1.mp3"), id("a/2.mp3"));
    library.played(one).unwrap();
    library.played(one).unwrap();
    library.set_favourite(Favourable::Track(two), Favourite::Yes).unwrap();
    let album = library.albums(&Page::default()).unwrap().items.remove(0);
    library.set_favourite(Favourable::Album(album.id), Favourite::Yes).unwrap();
    (directory, index, one, two)
}

fn open(index: &Path, music: &Path) -> Library {
    let library = Library::open(index, options()).unwrap();
    library.set_roots(&[music.to_path_buf()]).unwrap();
    library.scan(&crate::shelf::at_once(), &Stop::default(), &mut |_| ()).unwrap();
    library
}

fn is_rebuilt(directory: &Path, index: &Path, one: TrackId, two: TrackId) {
    let music = directory.join("music");
    // It moved while the index was broken, too.
    fs::rename(music.join("a/2.mp3"), music.join("moved.mp3")).unwrap();
    let library = open(index, &music);
    let (one, two) = (library.track(one).unwrap(), library.track(two).unwrap());
    assert_eq!((one.user.plays, one.file.shown.as_str()), (2, "a/1.mp3"));
    assert_eq!((two.user.favourite.is_some(), two.file.shown.as_str()), (true, "moved.mp3"));
    assert_eq!(one.availability, Availability::Present);
    assert_eq!(tracks(index).len(), 2);
    let albums = library.albums(&Page::default()).unwrap().items;
    assert_eq!(albums.iter().filter(|album| album.favourite.is_some()).count(), 1);
    let aside = fs::read_dir(index).unwrap().any(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.starts_with("music.damaged-") && !name.contains(".db-")
    });
    assert!(
        aside,
        "{:?}",
        fs::read_dir(index).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    );
    assert!(library.status().unwrap().warnings[0].contains("damaged"));
}

#[test]
fn what_is_no_database_is_set_aside_and_what_only_it_knew_comes_back() {
    let (directory, index, one, two) = closed();
    fs::write(index.join("music.db"), "this is no database, and long enough to say so".repeat(100)).unwrap();
    is_rebuilt(directory.path(), &index, one, two);
}

#[test]
fn damage_that_is_found_later_sets_the_index_aside_when_it_is_opened_again() {
    let (directory, index, one, two) = closed();
    let mut bytes = fs::read(index.join("music.db")).unwrap();
    for byte in &mut bytes[4096..] {
        *byte = 0x5a;
    }
    fs::write(index.join("music.db"), bytes).unwrap();
    is_rebuilt(directory.path(), &index, one, two);
}

/// Whatever page is overwritten and whenever that is noticed: after at most two openings everything is as it was, and
/// the library still knows its folders.
#[test]
fn damage_to_any_page_costs_no_id_and_no_folder() {
    const PAGE: usize = 4096;
    let shelf = Shelf::new();
    for number in 0..150 {
        let (artist, album) = (number % 7, number / 10);
        shelf.put(
            &format!("{album}/{number}.mp3"),
            &format!(
                "title=Song {number}\nalbum=Album {album}\nartist=Artist {artist}\ntrack={number}\naudio={number}\n"
            ),
        );
    }
    shelf.scan();
    shelf.library.played(shelf.id("3/33.mp3")).unwrap();
    let (music, before) = (shelf.music.clone(), shelf.tracks());
    let place = tempfile::tempdir().unwrap();
    let whole = place.path().join("whole.db");
    rusqlite::Connection::open(shelf.index.join("music.db"))
        .unwrap()
        .execute("VACUUM INTO ?1", [whole.to_str().unwrap()])
        .unwrap();
    let (whole, kept) = (fs::read(whole).unwrap(), fs::read(shelf.index.join("music.kept.jsonl")).unwrap());
    let mut rebuilt = 0;
    for page in 0..whole.len() / PAGE {
        let index = place.path().join(format!("index {page}"));
        fs::create_dir(&index).unwrap();
        let mut damaged = whole.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0x5a);
        fs::write(index.join("music.db"), damaged).unwrap();
        fs::write(index.join("music.kept.jsonl"), &kept).unwrap();
        let tried = looked_at(&index).or_else(|_| looked_at(&index));
        let (roots, ids, plays, was_rebuilt) = tried.unwrap_or_else(|error| panic!("page {page}: {error}"));
        assert!(ids == before, "page {page}");
        assert_eq!(plays, 1, "page {page}");
        rebuilt += u32::from(was_rebuilt);
        assert_eq!(roots, [music.as_path()], "page {page}");
    }
    assert!(rebuilt > 20, "{rebuilt} of {}", whole.len() / PAGE);
}

/// The roots, where each track is after a scan, how often all were played, and whether the index had been rebuilt.
type LookedAt = (Vec<std::path::PathBuf>, BTreeMap<TrackId, (String, bool)>, u32, bool);

fn looked_at(index: &Path) -> Result<LookedAt, LibraryError> {
    let library = Library::open(index, options())?;
    library.search(&Search::words("song 33"), 5)?;
    library.scan(&crate::shelf::at_once(), &Stop::default(), &mut |_| ())?;
    let (mut listed, mut plays) = (BTreeMap::new(), 0);
    library.export(&mut |row| {
        if let Exported::Track { track, .. } = row {
            plays += track.user.plays;
            listed.insert(track.id, (track.file.shown, track.availability == Availability::Present));
        }
        Ok::<(), LibraryError>(())
    })?;
    Ok((library.roots()?, listed, plays, library.rebuilt().is_some()))
}

#[test]
fn a_schema_that_lost_a_table_is_damage() {
    let (directory, index, one, two) = closed();
    rusqlite::Connection::open(index.join("music.db")).unwrap().execute_batch("DROP TABLE tracks").unwrap();
    is_rebuilt(directory.path(), &index, one, two);
}

#[test]
fn a_folder_in_the_place_of_the_database_is_told() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("music.db")).unwrap();
    let refused = Library::open(directory.path(), options()).unwrap_err().to_string();
    assert!(refused.ends_with("music.db cannot hold the music index: is a directory"), "{refused}");
}

#[test]
fn a_side_file_that_was_cut_costs_what_was_cut() {
    let (directory, index, one, two) = closed();
    fs::remove_file(index.join("music.db")).unwrap();
    let kept = index.join("music.kept.jsonl");
    let mut text = fs::read(&kept).unwrap();
    text.extend_from_slice(b"{\"is\":\"track\",\"id\":\"00");
    fs::write(&kept, text).unwrap();
    let library = open(&index, &directory.path().join("music"));
    assert_eq!(library.track(one).unwrap().user.plays, 2);
    library.played(two).unwrap();
    drop(library);
    fs::remove_file(index.join("music.db")).unwrap();
    let library = open(&index, &directory.path().join("music"));
    assert_eq!(library.track(two).unwrap().user.plays, 1);
}

/// What was kept is taken over by an index once, when it is new: not by one whose owner has emptied it.
#[test]
fn a_library_that_was_emptied_opens_and_stays_empty() {
    let (directory, index, one, _) = closed();
    let library = Library::open(&index, options()).unwrap();
    library.set_roots(&[]).unwrap();
    assert_eq!(library.forget_missing(None).unwrap(), 2);
    drop(library);
    let library = Library::open(&index, options()).unwrap();
    assert!(matches!(library.track(one), Err(LibraryError::Unknown { .. })));
    assert_eq!((library.roots().unwrap(), library.rebuilt()), (Vec::new(), None));
    drop(library);
    let library = open(&index, &directory.path().join("music"));
    assert_eq!(tracks(&index).len(), 2);
    assert!(!tracks(&index).contains_key(&one), "it is another one since it was forgotten");
    drop(library);
}

/// Two processes have the side file open, and one of them writes it anew.
#[test]
fn what_one_process_keeps_is_not_lost_when_another_writes_the_side_file_anew() {
    let (directory, index, one, two) = closed();
    let [a, b] = [(); 2].map(|()| Library::open(&index, options()).unwrap());
    let size = || fs::metadata(index.join("music.kept.jsonl")).unwrap().len();
    for _ in 0..1_200 {
        b.played(two).unwrap();
    }
    let grown = size();
    fs::write(directory.path().join("music/new.mp3"), "title=New\naudio=new\n").unwrap();
    b.scan(&crate::shelf::at_once(), &Stop::default(), &mut |_| ()).unwrap();
    assert!(size() < grown / 100, "it was written anew");
    a.played(one).unwrap();
    drop((a, b));
    fs::remove_file(index.join("music.db")).unwrap();
    let library = open(&index, &directory.path().join("music"));
    let plays = |id| library.track(id).unwrap().user.plays;
    assert_eq!((plays(one), plays(two)), (3, 1_200));
}

#[test]
fn playlists_keep_their_ids_through_a_rebuild() {
    let (directory, index, _, two) = closed();
    let music = directory.path().join("music");
    fs::write(music.join("mine.m3u8"), "a/2.mp3\n").unwrap();
    let list = open(&index, &music).playlists(&Page::default()).unwrap().items.remove(0);
    fs::remove_file(index.join("music.db")).unwrap();
    let library = open(&index, &music);
    assert_eq!(library.playlists(&Page::default()).unwrap().items, std::slice::from_ref(&list));
    assert_eq!(library.playlist(list.id).unwrap()[0].track, Some(two));
}

#[test]
fn what_the_owner_forgot_does_not_come_back() {
    let shelf = Shelf::new();
    shelf.put("1.mp3", "title=One\naudio=1\n").put("2.mp3", "title=Two\naudio=2\n").scan();
    let one = shelf.id("1.mp3");
    shelf.library.played(one).unwrap();
    shelf.remove("1.mp3").scan();
    assert_eq!(shelf.library.forget_missing(None).unwrap(), 1);
    assert!(matches!(shelf.library.track(one), Err(LibraryError::Unknown { .. })));
    shelf.put("1.mp3", "title=One\naudio=1\n").scan();
    assert_ne!(shelf.id("1.mp3"), one);
}
