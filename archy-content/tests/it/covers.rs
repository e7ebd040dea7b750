//! Which picture stands for an album.

use std::fs;

use archy_content::*;

use crate::shelf::Shelf;

fn song(number: u32, more: &str) -> String {
    format!("title=No. {number}\nalbum=Jazz\nartist=Queen\ntrack={number}\naudio={number}\n{more}\n")
}

/// The cover of the only album, as the reader of these tests writes it.
fn cover(shelf: &Shelf, pixels: u32) -> Option<String> {
    let album = shelf.library.albums(&Page::default()).unwrap().items[0].id;
    let cover = shelf.library.cover(album, pixels).unwrap()?;
    Some(String::from_utf8(fs::read(cover.file).unwrap()).unwrap())
}

fn of(files: &[(&str, &str)]) -> Option<String> {
    let shelf = Shelf::new();
    for (place, text) in files {
        let number =
            place.chars().filter_map(|letter| letter.to_digit(10)).fold(0, |sum, digit| sum * 10 + digit);
        if place.contains(".mp3") {
            shelf.put(place, &song(number, text))
        } else {
            shelf.put(place, text)
        };
    }
    shelf.scan();
    cover(&shelf, 200)
}

#[test]
fn the_picture_that_most_tracks_carry_stands_for_the_album() {
    for (files, expected) in [
        (
            &[("a/1.mp3", "front=7"), ("a/2.mp3", "front=7"), ("a/3.mp3", "front=9"), ("a/cover.jpg", "x")][..],
            Some("1.mp3 Some(0) 256"),
        ),
        (&[("a/1.mp3", "picture=3\nfront=7"), ("a/2.mp3", "picture=3\nfront=7")], Some("1.mp3 Some(1) 256")),
        // One odd track's picture is nobody's while there is a better one, and better than none.
        (&[("a/1.mp3", "front=7"), ("a/2.mp3", ""), ("a/Folder.JPG", "x")], Some("Folder.JPG None 256")),
        (&[("a/1.mp3", "front=7"), ("a/2.mp3", "")], Some("1.mp3 Some(0) 256")),
        (
            &[("a/1.mp3", "front=7"), ("a/2.mp3", "front=8"), ("a/3.mp3", "front=9"), ("a/front.png", "x")],
            Some("front.png None 256"),
        ),
        (
            &[("a/1.mp3", ""), ("a/back.jpg", "x"), ("a/folder.gif", "x"), ("a/cover.webp", "x")],
            Some("cover.webp None 256"),
        ),
        (&[("a/1.mp3", ""), ("a/cover.jpg", "no"), ("a/folder.jpg", "x")], Some("folder.jpg None 256")),
        (&[("a/1.mp3", "")], None),
    ] {
        assert_eq!(of(files).as_deref(), expected, "{files:?}");
    }
}

#[test]
fn a_discs_picture_is_not_shown_for_all_while_the_album_has_one() {
    let discs = [("a/CD1/1.mp3", "disc=1"), ("a/CD2/2.mp3", "disc=2"), ("a/CD2/folder.jpg", "x")];
    assert_eq!(of(&discs).as_deref(), Some("folder.jpg None 256"));
    let whole = [&discs[..], &[("a/cover.png", "x")]].concat();
    assert_eq!(of(&whole).as_deref(), Some("cover.png None 256"));
}

#[test]
fn a_copy_is_made_once_for_each_size_and_again_when_the_picture_changed() {
    let shelf = Shelf::new();
    shelf.put("a/1.mp3", &song(1, "")).put("a/cover.jpg", "x");
    shelf.scan();
    let album = shelf.library.albums(&Page::default()).unwrap().items[0].id;
    let tag = |pixels| shelf.library.cover(album, pixels).unwrap().unwrap().tag;
    let (small, large) = (tag(1), tag(9_999));
    assert_eq!([&small[17..], &large[17..]], ["128", "512"]);
    let kept = shelf.index.join("covers").join(format!("{small}.jpg"));
    fs::write(&kept, "kept").unwrap();
    assert_eq!(cover(&shelf, 128).as_deref(), Some("kept"), "it is not made again");
    shelf.put("a/cover.jpg", "another one");
    shelf.scan();
    assert_ne!(tag(1), small);
    assert_eq!(cover(&shelf, 128).as_deref(), Some("cover.jpg None 128"));
}
