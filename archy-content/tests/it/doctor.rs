//! What is odd is found with its reason, and all that is known can be written out.

use archy_content::*;
use serde_json::Value;

use crate::shelf::Shelf;

fn findings(shelf: &Shelf) -> Vec<(Odd, String, String)> {
    let mut found = Vec::new();
    shelf.library.doctor(&mut |finding| found.push((finding.what, finding.about, finding.why))).unwrap();
    found
}

fn song(number: u32, more: &str) -> String {
    format!("title=No. {number}\ntrack={number}\naudio={number}\n{more}\n")
}

#[test]
fn a_tidy_collection_has_nothing_odd() {
    let shelf = Shelf::new();
    for number in 1..5 {
        shelf.put(&format!("a/{number}.mp3"), &song(number, "album=Jazz\nartist=Queen\nalbumartist=Queen"));
    }
    shelf.scan();
    assert_eq!(findings(&shelf), []);
}

#[test]
fn an_album_that_is_listed_twice_is_told_with_what_differs() {
    let shelf = Shelf::new();
    let release = |id: &str| format!("album=Jazz\nartist=Queen\nalbumartist=Queen\nrelease={id}");
    shelf.put("a/1.mp3", &song(1, &release("aaaa"))).put("b/2.mp3", &song(2, &release("bbbb")));
    shelf.scan();
    let found = findings(&shelf);
    assert_eq!(found.len(), 1, "{found:?}");
    let (what, about, why) = &found[0];
    assert_eq!((what, &**about), (&Odd::SplitAlbum, "Jazz"));
    assert!(why.contains("release-id: “aaaa” and “bbbb”"), "{why}");
}

#[test]
fn every_kind_of_oddity_has_its_reason() {
    let shelf = Shelf::new();
    shelf
        .put("va/1.mp3", &song(1, "album=Hits\nartist=Queen"))
        .put("va/2.mp3", &song(2, "album=Hits\nartist=Abba"))
        .put("copy/3.mp3", &song(3, "album=X\nartist=Y\nalbumartist=Y"))
        .put("copy/4.mp3", &song(4, "album=X\nartist=Y\nalbumartist=Y").replace("audio=4", "audio=3"))
        .put("plain/recording.mp3", "audio=9")
        .put("loose.mp3", "audio=10")
        .put("bad/1.mp3", "damaged=no frame");
    shelf.scan();
    let expected = [
        (
            Odd::MissingAlbumArtist,
            "Hits",
            "2 tracks by 2 artists name no artist of the album; it is listed under “Various Artists”",
        ),
        (Odd::Duplicate, "No. 3", "the same audio lies in 2 files"),
        (
            Odd::Untitled,
            shelf.music.to_str().unwrap(),
            "a track has no title; it is listed by its file's name",
        ),
        (Odd::Untitled, "plain", "a track has no title; it is listed by its file's name"),
        (Odd::Unreadable, "1.mp3", "no frame"),
    ];
    let found = findings(&shelf);
    let found: Vec<_> = found.iter().map(|(what, about, why)| (*what, &**about, &**why)).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_export_has_everything_once() {
    let shelf = Shelf::new();
    for number in 1..=3 {
        shelf.put(&format!("a/{number}.mp3"), &song(number, "album=Jazz\nartist=Queen"));
    }
    shelf.put("a/list.m3u", "1.mp3\n").put("a/bad.mp3", "damaged=x");
    shelf.scan();
    let mut lines: Vec<Value> = Vec::new();
    shelf
        .library
        .export::<LibraryError>(&mut |line| {
            lines.push(serde_json::to_value(&line).unwrap());
            Ok(())
        })
        .unwrap();
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    let expected =
        ["library", "artist", "album", "track", "track", "track", "playlist", "unreadable", "scan"];
    assert_eq!(kinds, expected);
    assert_eq!(lines[0]["version"], 1);
    assert_eq!(lines[3]["title"]["shown"], "No. 1");
    assert_eq!(lines[3]["path"], shelf.music.join("a/1.mp3").to_str().unwrap());
    assert_eq!(lines[6]["list"][0]["track"], lines[3]["id"]);
}
