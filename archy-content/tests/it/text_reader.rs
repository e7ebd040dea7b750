//! A reader of files that are text: `title=…`, one field a line. What stands after a line `audio=…` is the “audio”, of
//! which the fingerprint is made.

use std::path::Path;

use archy_content::*;

/// Reads such files.
#[derive(Debug, Default)]
pub(crate) struct TextReader;

/// Options with this reader, and the clock of the system.
pub(crate) fn options() -> LibraryOptions {
    LibraryOptions::new(|| Box::new(TextReader))
}

impl FileReader for TextReader {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        let bytes = std::fs::read(file).map_err(|error| Unreadable::NotGiven { says: error.to_string() })?;
        parse(&String::from_utf8_lossy(&bytes))
    }

    fn picture(&mut self, _: &Path, _: usize, _: u64) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::Damaged { says: "no picture".to_owned() })
    }

    /// Says which picture it would be. A side-car that holds `no` is none.
    fn thumbnail(&mut self, of: PictureAt<'_>, side: u32) -> Result<Vec<u8>, Unreadable> {
        let name = of.file.file_name().unwrap().to_string_lossy();
        match (of.index, std::fs::read(of.file)) {
            (None, Ok(bytes)) if bytes == b"no" => Err(Unreadable::Damaged { says: "no picture".to_owned() }),
            (index, _) => Ok(format!("{name} {index:?} {side}").into_bytes()),
        }
    }
}

fn parse(text: &str) -> Result<Reading, Unreadable> {
    if text.is_empty() {
        return Err(Unreadable::Empty);
    }
    let mut reading = Reading::default();
    "text".clone_into(&mut reading.audio.codec);
    let name = |value: &str| Some(Name { shown: value.to_owned(), sort: None });
    for line in text.lines() {
        let (field, value) = line.split_once('=').unwrap_or((line, ""));
        let tags = &mut reading.tags;
        let number = || value.parse().ok();
        match field {
            "title" => tags.title = name(value),
            "album" => tags.album = name(value),
            "artist" => {
                tags.artist_shown.get_or_insert_with(|| plain(value));
                tags.credits.push(credit(value, Role::Main));
            }
            "feat" => tags.credits.push(credit(value, Role::Featured)),
            "composer" => tags.credits.push(credit(value, Role::Composer)),
            "albumartist" => {
                tags.album_artist_shown.get_or_insert_with(|| plain(value));
                tags.album_artists.push(credit(value, Role::Main));
            }
            "compilation" => tags.compilation = Some(value == "1"),
            "track" => tags.track.number = number(),
            "disc" => tags.disc.number = number(),
            "year" => tags.release_date = Some(Date { year: value.parse().unwrap(), month: None, day: None }),
            "genre" => tags.genres.push(value.to_owned()),
            "version" => tags.edition.version = Some(value.to_owned()),
            "release" => tags.musicbrainz.release = Some(value.to_owned()),
            "recording" => tags.musicbrainz.recording = Some(value.to_owned()),
            "mbtrack" => tags.musicbrainz.track = Some(value.to_owned()),
            "ms" => reading.audio.milliseconds = number(),
            "audio" => {
                reading.fingerprint = Some(Fingerprint(value.bytes().fold(7, |hash: u128, byte| {
                    hash.wrapping_mul(0x0100_0000_01b3).wrapping_add(u128::from(byte))
                })));
            }
            "picture" | "front" => {
                let hash = value.parse().unwrap();
                reading.pictures.push(Picture { front: field == "front", bytes: hash, hash: Some(hash) });
            }
            "damaged" => return Err(Unreadable::Damaged { says: value.to_owned() }),
            "panic" => panic!("{value}"),
            _ => {}
        }
    }
    Ok(reading)
}

fn plain(value: &str) -> String {
    value.split('#').next().unwrap().to_owned()
}

/// `name` or `name#id`.
fn credit(value: &str, role: Role) -> Credit {
    let (name, id) = value.split_once('#').map_or((value, None), |(name, id)| (name, Some(id.to_owned())));
    Credit { name: name.to_owned(), sort: None, musicbrainz: id, role }
}
