//! Whatever happens to a collection between scans, the index is what a fresh scan would make of it, and what was known keeps
//! its id.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use archy_content::*;
use proptest::prelude::*;

use crate::shelf::{Shelf, at_once};
use crate::text_reader::options;

/// Something that happens. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Step {
    Add { folder: usize, tags: [u8; 6] },
    Remove(usize),
    PutBack(usize),
    Rename { song: usize, folder: usize },
    ChangeCase(usize),
    Swap(usize, usize),
    Retag { song: usize, tags: [u8; 6] },
    RetagAnew { song: usize, tags: [u8; 6] },
    Encode(usize),
    MoveFolder { from: usize, to: usize },
    Unmount,
    Scan,
}

const FOLDERS: [&str; 8] = ["", "A", "A/CD1", "A/CD2", "B", "B/x y", "C/\u{e9}", "C"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tags = || any::<[u8; 6]>();
    let step = prop_oneof![
        6 => (0..8_usize, tags()).prop_map(|(folder, tags)| Step::Add { folder, tags }),
        1 => (0..20_usize).prop_map(Step::Remove),
        1 => (0..20_usize).prop_map(Step::PutBack),
        2 => (0..20_usize, 0..8_usize).prop_map(|(song, folder)| Step::Rename { song, folder }),
        1 => (0..20_usize).prop_map(Step::ChangeCase),
        1 => (0..20_usize, 0..20_usize).prop_map(|(a, b)| Step::Swap(a, b)),
        2 => (0..20_usize, tags()).prop_map(|(song, tags)| Step::Retag { song, tags }),
        2 => (0..20_usize, tags()).prop_map(|(song, tags)| Step::RetagAnew { song, tags }),
        1 => (0..20_usize).prop_map(Step::Encode),
        1 => (0..8_usize, 0..8_usize).prop_map(|(from, to)| Step::MoveFolder { from, to }),
        1 => Just(Step::Unmount),
        4 => Just(Step::Scan),
    ];
    prop::collection::vec(step, 1..40)
}

/// A song, wherever its file is.
#[derive(Clone, Debug)]
struct Song {
    number: usize,
    audio: usize,
    tags: [u8; 6],
    /// `None` while it is removed.
    place: Option<PathBuf>,
    /// What the index knew of it at the last scan that saw it: its id, and its audio.
    known: Option<(TrackId, usize)>,
    /// Whether its tags are those that the index knows.
    retagged: bool,
}

impl Song {
    fn text(&self) -> String {
        let [album, by, declared, release, disc, year] = self.tags;
        let mut text =
            format!("title=Song {}\ntrack={}\nms=200000\naudio={}\n", self.number, self.number, self.audio);
        let mut say = |field: &str, value: Option<&str>| {
            if let Some(value) = value {
                writeln!(text, "{field}={value}").unwrap();
            }
        };
        // A song without album and artist has nothing but its path to be known by when it is encoded anew.
        let nobody = (album % 4 == 3).then_some("Cat");
        say("album", [Some("One"), Some("one!"), Some("Two"), None][usize::from(album % 4)]);
        say(
            "artist",
            [Some("Ann"), Some("ann"), Some("Bob"), Some("Ann#a1"), Some("Ann#a2"), nobody]
                [usize::from(by % 6)],
        );
        say("albumartist", [None, None, Some("Ann"), Some("Bob"), Some("Ann#a1")][usize::from(declared % 5)]);
        say("release", [None, None, None, Some("r1"), Some("r2")][usize::from(release % 5)]);
        say("disc", [None, None, Some("1"), Some("2")][usize::from(disc % 4)]);
        say("year", [None, Some("1990"), Some("2020")][usize::from(year % 3)]);
        text
    }
}

struct World {
    shelf: Shelf,
    songs: Vec<Song>,
    clock: u64,
    audio: usize,
}

impl World {
    fn write(&mut self, place: &Path, text: &str) {
        self.clock += 1;
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
        // Two changes within one tick of the kernel's clock would look like none.
        let when = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + self.clock);
        File::options().write(true).open(place).unwrap().set_modified(when).unwrap();
    }

    /// The song of this number among those that are there.
    fn there(&self, choice: usize) -> Option<usize> {
        let there: Vec<usize> = (0..self.songs.len()).filter(|at| self.songs[*at].place.is_some()).collect();
        (!there.is_empty()).then(|| there[choice % there.len()])
    }

    fn free(&self, folder: usize, name: &str) -> Option<PathBuf> {
        let folder = self.shelf.music.join(FOLDERS[folder]);
        let taken = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .any(|entry| entry.unwrap().file_name().to_string_lossy().eq_ignore_ascii_case(name));
        (!taken).then(|| folder.join(name))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each thing that happens")]
    fn step(&mut self, step: &Step) {
        match step {
            Step::Add { folder, tags } => {
                let number = self.songs.len();
                self.audio += 1;
                let Some(place) = self.free(*folder, &format!("{:02}.mp3", number % 7)) else { return };
                let song = Song {
                    number,
                    audio: self.audio,
                    tags: *tags,
                    place: Some(place.clone()),
                    known: None,
                    retagged: false,
                };
                self.write(&place, &song.text());
                self.songs.push(song);
            }
            Step::Remove(song) => {
                if let Some(at) = self.there(*song) {
                    fs::remove_file(self.songs[at].place.take().unwrap()).unwrap();
                }
            }
            Step::PutBack(song) => {
                let away: Vec<usize> =
                    (0..self.songs.len()).filter(|at| self.songs[*at].place.is_none()).collect();
                if away.is_empty() {
                    return;
                }
                let at = away[song % away.len()];
                if let Some(place) = self.free(song % 8, &format!("back {at}.mp3")) {
                    self.write(&place, &self.songs[at].text());
                    self.songs[at].place = Some(place);
                }
            }
            Step::Rename { song, folder } => {
                let Some(at) = self.there(*song) else { return };
                let name = format!("{:02}.mp3", song % 9);
                if let Some(place) = self.free(*folder, &name) {
                    fs::create_dir_all(place.parent().unwrap()).unwrap();
                    fs::rename(self.songs[at].place.replace(place.clone()).unwrap(), place).unwrap();
                }
            }
            Step::ChangeCase(song) => {
                let Some(at) = self.there(*song) else { return };
                let place = self.songs[at].place.clone().unwrap();
                let name = place.file_name().unwrap().to_string_lossy();
                let other = if name.ends_with("mp3") { name.to_uppercase() } else { name.to_lowercase() };
                let other = place.with_file_name(other);
                fs::rename(place, &other).unwrap();
                self.songs[at].place = Some(other);
            }
            Step::Swap(a, b) => {
                let (Some(a), Some(b)) = (self.there(*a), self.there(*b)) else { return };
                if a != b {
                    let (x, y) = (self.songs[a].place.clone().unwrap(), self.songs[b].place.clone().unwrap());
                    let between = self.shelf.music.with_file_name("between");
                    fs::rename(&x, &between).unwrap();
                    fs::rename(&y, &x).unwrap();
                    fs::rename(&between, &y).unwrap();
                    (self.songs[a].place, self.songs[b].place) = (Some(y), Some(x));
                }
            }
            Step::Retag { song, tags } => {
                if let Some(at) = self.there(*song) {
                    (self.songs[at].tags, self.songs[at].retagged) = (*tags, true);
                    let place = self.songs[at].place.clone().unwrap();
                    self.write(&place, &self.songs[at].text());
                }
            }
            Step::RetagAnew { song, tags } => {
                if let Some(at) = self.there(*song) {
                    (self.songs[at].tags, self.songs[at].retagged) = (*tags, true);
                    let place = self.songs[at].place.clone().unwrap();
                    let written = self.shelf.music.with_file_name("written");
                    self.write(&written, &self.songs[at].text());
                    fs::rename(written, place).unwrap();
                }
            }
            Step::Encode(song) => {
                let Some(at) = self.there(*song) else { return };
                let place = self.songs[at].place.clone().unwrap();
                let other =
                    place.with_extension(if place.extension().unwrap() == "ogg" { "mp3" } else { "ogg" });
                if other.exists() || self.songs[at].retagged {
                    return;
                }
                self.audio += 1;
                self.songs[at].audio = self.audio;
                fs::remove_file(place).unwrap();
                self.write(&other, &self.songs[at].text());
                self.songs[at].place = Some(other);
            }
            Step::MoveFolder { from, to } => {
                let (from, to) = (
                    self.shelf.music.join(FOLDERS[*from]),
                    self.shelf.music.join(FOLDERS[*to]).join("moved"),
                );
                if from == self.shelf.music || !from.exists() || to.exists() || to.starts_with(&from) {
                    return;
                }
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::rename(&from, &to).unwrap();
                for place in self.songs.iter_mut().filter_map(|song| song.place.as_mut()) {
                    if let Ok(inside) = place.strip_prefix(&from) {
                        *place = to.join(inside);
                    }
                }
            }
            Step::Unmount => {
                let away = self.shelf.music.with_file_name("away");
                fs::rename(&self.shelf.music, &away).unwrap();
                fs::create_dir(&self.shelf.music).unwrap();
                let before = self.shelf.tracks();
                self.shelf.scan();
                assert_eq!(self.shelf.tracks(), before);
                fs::remove_dir(&self.shelf.music).unwrap();
                fs::rename(away, &self.shelf.music).unwrap();
            }
            Step::Scan => self.scan(),
        }
    }

    fn scan(&mut self) {
        let report = self.shelf.scan();
        let mut ids = BTreeMap::new();
        for song in &mut self.songs {
            let Some(place) = &song.place else { continue };
            let id = self.shelf.library.track_at(place).unwrap();
            let id =
                id.unwrap_or_else(|| panic!("song {} is not listed at {}", song.number, place.display()));
            assert_eq!(ids.insert(id, song.number), None, "two songs have one id");
            if let Some((known, audio)) = song.known
                // Encoded anew it is known by its tags alone; of a suspect root those are not believed.
                && (audio == song.audio || (!song.retagged && report.roots_away == 0))
            {
                assert_eq!(id, known, "song {} at {}", song.number, place.display());
            }
            (song.known, song.retagged) = (Some((id, song.audio)), false);
        }
        let there = self.shelf.tracks().into_values().filter(|(_, there)| *there).count();
        assert_eq!(there, ids.len(), "something is listed twice");
    }
}

/// All that a library shows of what is there, without ids and times.
fn shown(library: &Library) -> Vec<String> {
    let mut lines = Vec::new();
    let mut artists: BTreeMap<ArtistId, usize> = BTreeMap::new();
    for album in library.albums(&Page::first(1_000)).unwrap().items {
        let tracks = library.album_tracks(album.id).unwrap();
        let there: Vec<_> =
            tracks.into_iter().filter(|track| track.availability == Availability::Present).collect();
        if there.is_empty() {
            continue;
        }
        assert_eq!(album.tracks as usize, there.len());
        let by: Vec<_> = album.artists.iter().map(|artist| &artist.name).collect();
        album.artists.iter().for_each(|artist| *artists.entry(artist.artist).or_default() += 1);
        let mut about = vec![format!(
            "album {} by {} {by:?} {:?} {:?} {:?} {} {} ms",
            album.title.shown,
            album.artist_shown,
            album.year,
            album.musicbrainz.release,
            album.compilation,
            album.discs,
            album.milliseconds
        )];
        for track in there {
            about.push(format!("  {} {:?} {:?}", track.file.shown, track.title, track.disc));
        }
        lines.push(about.join("\n"));
    }
    lines.sort();
    lines.push("artists".to_owned());
    let mut names = Vec::new();
    for artist in library.artists(&Page::first(1_000)).unwrap().items {
        names.push(format!("{} {:?}", artist.name.shown, artist.musicbrainz));
    }
    names.sort();
    lines.extend(names);
    lines
}

fn check(steps: &[Step]) {
    let mut world = World { shelf: Shelf::new(), songs: Vec::new(), clock: 0, audio: 0 };
    // A root with nothing at all in it is taken for a mount that is not there.
    world.shelf.put("readme.txt", "");
    for step in steps {
        world.step(step);
    }
    world.scan();
    // Artists of what is missing are still listed, and a fresh scan cannot know them.
    world.shelf.library.forget_missing(None).unwrap();
    let fresh = tempfile::tempdir().unwrap();
    let library = Library::open(fresh.path(), options()).unwrap();
    library.set_roots(std::slice::from_ref(&world.shelf.music)).unwrap();
    library.scan(&at_once(), &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!(shown(&world.shelf.library), shown(&library));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_changes_is_a_fresh_scan_with_lasting_ids(steps in steps()) {
        check(&steps);
    }
}
