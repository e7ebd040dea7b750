//! A large library without a large disk: files of one line, read by a reader that makes up what they say from their
//! names. Its words are as unevenly common as those of real titles.

use std::fs;
use std::path::Path;
use std::time::Duration;

use archy_content::*;

const COMMON: [&str; 20] = [
    "the", "love", "of", "you", "me", "in", "a", "to", "and", "my", "night", "i", "on", "blue", "time",
    "live", "one", "day", "heart", "no",
];
const PARTS: [&str; 16] =
    ["ka", "lo", "mi", "ra", "ve", "sto", "in", "dor", "bel", "qu", "an", "er", "shi", "no", "ta", "gre"];

/// Numbers that look drawn and are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// A common word is often rolled, a rare one rarely.
    fn word(&mut self) -> String {
        let sides = [20, 200, 2_000, 8_000][self.roll(4)];
        let number = self.roll(sides);
        if let Some(word) = COMMON.get(number) {
            return (*word).to_owned();
        }
        format!("{}{}{}", PARTS[number % 16], PARTS[number / 16 % 16], PARTS[number / 256 % 16])
    }

    fn words(&mut self, most: usize) -> String {
        let count = 1 + self.roll(most);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

struct MadeUp;

impl FileReader for MadeUp {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        let number: usize = file.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        let (album, named) = (number / 10, |text: String| Some(Name { shown: text, sort: None }));
        let artist = Dice(Dice(album as u64).roll(4_000) as u64 + 1_000_000).words(3);
        let mut reading = Reading::default();
        reading.tags.title = named(Dice(number as u64 + 5_000_000).words(5));
        reading.tags.album = named(Dice(album as u64 + 9_000_000).words(4));
        reading.tags.artist_shown = Some(artist.clone());
        reading.tags.album_artist_shown = Some(artist.clone());
        let credit = Credit { name: artist, sort: None, musicbrainz: None, role: Role::Main };
        reading.tags.credits = vec![credit.clone()];
        reading.tags.album_artists = vec![credit];
        reading.tags.track.number = u32::try_from(number % 10 + 1).ok();
        reading.tags.genres = vec![["Rock", "Jazz", "Pop"][album % 3].to_owned()];
        reading.tags.date =
            Some(Date { year: u16::try_from(1960 + album % 60).unwrap(), month: None, day: None });
        "made up".clone_into(&mut reading.audio.codec);
        reading.fingerprint = Some(Fingerprint(number as u128));
        Ok(reading)
    }

    fn picture(&mut self, _: &Path, _: usize, _: u64) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::Empty)
    }
}

/// An index of so many tracks.
pub(crate) fn make(index: &Path, beside: &Path, tracks: usize) {
    let music = beside.join("made-up");
    for number in 0..tracks {
        let folder = music.join(format!("{}/{}", number / 1_000, number / 10));
        if number % 10 == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        fs::write(folder.join(format!("{number}.mp3")), "x").unwrap();
    }
    let library = Library::open(index, LibraryOptions::new(|| Box::new(MadeUp))).unwrap();
    library.set_roots(&[music]).unwrap();
    let mut scan = ScanOptions::default();
    scan.settle = Duration::ZERO;
    library.scan(&scan, &Stop::default(), &mut |_| ()).unwrap();
}

/// What people may type in such a library: one word to three, whole or half typed, common ones and rare ones.
pub(crate) fn queries() -> Vec<String> {
    let mut dice = Dice(42);
    let mut queries: Vec<String> = COMMON.map(str::to_owned).to_vec();
    queries.extend(["t", "l", "lo", "the lo", "love of", "of the", "the a", "you and me"].map(str::to_owned));
    while queries.len() < 2_000 {
        let mut words = dice.words(3);
        let cut = dice.roll(4);
        if words.len() > cut + 2 {
            words.truncate(words.len() - cut);
        }
        queries.push(words);
    }
    queries
}
