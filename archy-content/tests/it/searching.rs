//! What is typed, and what is found.

use archy_content::*;

use crate::shelf::Shelf;

/// Title, album, artist, year, genre.
const TRACKS: &[(&str, &str, &str, u16, &str)] = &[
    ("Come Together", "Abbey Road", "The Beatles", 1969, "Rock"),
    ("Here Comes the Sun", "Abbey Road", "The Beatles", 1969, "Rock"),
    ("Yesterday", "Help!", "The Beatles", 1965, "Rock"),
    ("Yesterday Once More", "Now & Then", "Carpenters", 1973, "Pop"),
    ("Killer Queen", "Sheer Heart Attack", "Queen", 1974, "Rock"),
    ("Bicycle Race", "Jazz", "Queen", 1978, "Rock"),
    ("Queen of the Reich", "Queensrÿche", "Queensrÿche", 1983, "Metal"),
    ("Größer", "Größenwahn", "Wir sind Helden", 2005, "Pop"),
    ("Kystens fall", "Høyem", "Sivert Høyem", 2010, "Rock"),
    ("Łódź", "Miasta", "Dezerter", 1987, "Punk"),
    ("東京は夜の七時", "東京", "ピチカート・ファイヴ", 1993, "J-Pop"),
    ("Back in Black", "Back in Black", "AC/DC", 1980, "Rock"),
    ("99 Problems", "The Black Album", "Jay-Z", 2003, "Hip-Hop"),
    ("All the Small Things", "Enema of the State", "Blink-182", 1999, "Punk"),
    ("Enter Sandman", "Metallica", "Metallica", 1991, "Metal"),
    ("Me and Giuliani Down by the School Yard", "Louden Up Now", "!!!", 2004, "Rock"),
    ("Группа крови", "Группа крови", "Кино", 1988, "Рок"),
    ("The The", "Soul Mining", "The The", 1983, "Pop"),
    ("Don’t Stop Me Now", "Jazz", "Queen", 1978, "Rock"),
    ("OR NOT \"near\"", "AND*", "NOT", 2000, "Noise"),
];

fn shelf() -> Shelf {
    let shelf = Shelf::new();
    for (place, (title, album, artist, year, genre)) in TRACKS.iter().enumerate() {
        let text = format!(
            "title={title}\nalbum={album}\nartist={artist}\nalbumartist={artist}\nyear={year}\ngenre={genre}\naudio={place}\n"
        );
        shelf.put(&format!("{artist}/{album}/{place:02}.mp3").replace("AC/DC", "AC-DC"), &text);
    }
    shelf.put("untagged/Live at the Barn 1998.mp3", "audio=barn\n");
    shelf.scan();
    shelf
}

fn titles(tracks: &[Track]) -> Vec<&str> {
    tracks.iter().map(|track| track.title.as_ref().map_or("", |title| &title.shown)).collect()
}

/// Artists, albums and tracks as one line.
fn found(shelf: &Shelf, search: &Search) -> String {
    let found = shelf.library.search(search, 3).unwrap();
    let artists: Vec<_> = found.artists.items.iter().map(|artist| &*artist.name.shown).collect();
    let albums: Vec<_> = found.albums.items.iter().map(|album| &*album.title.shown).collect();
    let tracks = titles(&found.tracks.items);
    format!("{} | {} | {}", artists.join(", "), albums.join(", "), tracks.join(", "))
}

#[test]
fn things_are_found_as_people_type_them() {
    let shelf = shelf();
    for (typed, expected) in [
        ("beatles", "The Beatles | Abbey Road, Help! | Come Together, Here Comes the Sun, Yesterday"),
        ("the beatles", "The Beatles | Abbey Road, Help! | Come Together, Here Comes the Sun, Yesterday"),
        ("BEAT", "The Beatles | Abbey Road, Help! | Come Together, Here Comes the Sun, Yesterday"),
        ("road abbey beat", " | Abbey Road | Come Together, Here Comes the Sun"),
        ("sun here", " |  | Here Comes the Sun"),
        ("yesterday", " |  | Yesterday, Yesterday Once More"),
        (
            "queen",
            "Queen, Queensrÿche | Queensrÿche, Jazz, Sheer Heart Attack | Queen of the Reich, Killer Queen, Bicycle Race",
        ),
        ("grosse", " | Größenwahn | Größer"),
        ("größer", " |  | Größer"),
        ("hoyem", "Sivert Høyem | Høyem | Kystens fall"),
        ("lodz", " |  | Łódź"),
        ("京", " | 東京 | 東京は夜の七時"),
        ("夜の", " |  | 東京は夜の七時"),
        ("京東", " |  | "),
        ("ファイヴ", "ピチカート・ファイヴ | 東京 | 東京は夜の七時"),
        ("acdc", "AC/DC | Back in Black | Back in Black"),
        ("ac/dc", "AC/DC | Back in Black | Back in Black"),
        ("ac dc", "AC/DC | Back in Black | Back in Black"),
        ("jay z", "Jay-Z | The Black Album | 99 Problems"),
        ("jayz", "Jay-Z | The Black Album | 99 Problems"),
        ("blink 182", "Blink-182 | Enema of the State | All the Small Things"),
        ("black album", " | The Black Album | 99 Problems"),
        ("metalica", "Metallica | Metallica | Enter Sandman"),
        ("beatels", "The Beatles | Abbey Road, Help! | Come Together, Here Comes the Sun, Yesterday"),
        ("yestreday", " |  | Yesterday, Yesterday Once More"),
        ("!!!", "!!! |  | "),
        ("кино", "Кино | Группа крови | Группа крови"),
        (
            "the the",
            "The The, The Beatles | Enema of the State, The Black Album, Abbey Road | The The, Me and Giuliani Down by the School Yard, All the Small Things",
        ),
        ("dont stop me", " |  | Don’t Stop Me Now"),
        ("barn 1998", " |  | "),
        ("OR NOT", " |  | OR NOT \"near\""),
        ("\"", " |  | "),
        ("and*", " | AND* | Me and Giuliani Down by the School Yard, OR NOT \"near\""),
        ("zzz", " |  | "),
    ] {
        assert_eq!(found(&shelf, &Search::words(typed)), expected, "{typed}");
    }
}

#[test]
fn a_track_without_a_title_is_found_by_its_files_name() {
    let tracks = shelf().library.search_tracks(&Search::words("barn 1998"), &Page::default()).unwrap().items;
    assert_eq!(
        tracks.iter().map(|track| &*track.file.shown).collect::<Vec<_>>(),
        ["untagged/Live at the Barn 1998.mp3"]
    );
}

#[test]
fn filters_narrow_and_need_no_words() {
    let shelf = shelf();
    let search = |words: &str, set: fn(&mut Search)| {
        let mut search = Search::words(words);
        set(&mut search);
        found(&shelf, &search)
    };
    for (got, expected) in [
        (
            search("", |s| s.artist = Some("queen".into())),
            "Queen, Queensrÿche | Jazz, Queensrÿche, Sheer Heart Attack | Bicycle Race, Don’t Stop Me Now, Killer Queen",
        ),
        (search("race", |s| s.artist = Some("queen".into())), " |  | Bicycle Race"),
        (
            search("", |s| s.years = Some(1969..=1973)),
            " | Abbey Road, Now & Then | Come Together, Here Comes the Sun, Yesterday Once More",
        ),
        (
            search("", |s| s.genre = Some("punk".into())),
            " | Enema of the State, Miasta | All the Small Things, Łódź",
        ),
        (search("queen", |s| s.album = Some("jazz".into())), " | Jazz | Bicycle Race, Don’t Stop Me Now"),
        (search("queen", |s| s.years = Some(1980..=1990)), " | Queensrÿche | Queen of the Reich"),
    ] {
        assert_eq!(got, expected);
    }
}

#[test]
fn a_slip_is_named_and_nothing_is_said_of_words_that_are_there() {
    let shelf = shelf();
    let slips = |words: &str| shelf.library.search(&Search::words(words), 3).unwrap().slips;
    let meant = vec!["metallica".to_owned()];
    assert_eq!(slips("mettalica"), [Slip { typed: "mettalica".to_owned(), meant }]);
    assert_eq!(slips("xyzzy"), [Slip { typed: "xyzzy".to_owned(), meant: Vec::new() }]);
    assert_eq!(slips("queen"), []);
}

#[test]
fn pages_hold_everything_once_whatever_their_length() {
    let shelf = shelf();
    for words in ["queen", "", "the", "b"] {
        let search = Search::words(words);
        let all = shelf.library.search_tracks(&search, &Page::first(1_000)).unwrap();
        assert_eq!(all.next, None);
        for limit in 1..4 {
            let (mut pages, mut page) = (Vec::new(), Page::first(limit));
            loop {
                let found = shelf.library.search_tracks(&search, &page).unwrap();
                pages.extend(found.items);
                let Some(next) = found.next else { break };
                page.after = Some(next.to_string().parse().unwrap());
            }
            assert_eq!(titles(&pages), titles(&all.items), "{words} by {limit}");
        }
    }
}

#[test]
fn what_was_renamed_is_found_by_its_new_name_alone() {
    let shelf = shelf();
    shelf.put("Queen/Jazz/05.mp3", "title=Tricycle Race\nalbum=Jazz\nartist=Queen\naudio=5\n");
    shelf.scan();
    assert_eq!(found(&shelf, &Search::words("bicycle")), " |  | ");
    assert_eq!(found(&shelf, &Search::words("tricycle")), " |  | Tricycle Race");
}
