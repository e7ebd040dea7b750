//! `music search`.

use archy_content::{Album, Artist, Availability, Library, Search, Track};
use serde_json::json;

use super::columns::{Columns, count, duration};
use crate::cli::Wanted;
use crate::exit::{Exit, Trouble};
use crate::terminal::{Terminal, tell};

pub(super) fn search(terminal: Terminal, library: &Library, wanted: Wanted) -> Result<Exit, Trouble> {
    let mut search = Search::words(&wanted.words.join(" "));
    search.artist = wanted.artist;
    search.album = wanted.album;
    search.years = wanted.years;
    search.genre = wanted.genre;
    let found = library.search(&search, wanted.most.into())?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "found": found}))?;
    for slip in found.slips.iter().filter(|slip| !slip.meant.is_empty()) {
        tell(&format!("Nothing has “{}”; looked for: {}", slip.typed, slip.meant.join(", ")));
    }
    if !found.artists.items.is_empty() {
        terminal.line("Artists")?;
        let mut columns = Columns::default();
        found.artists.items.iter().for_each(|artist| columns.row(artist_row(artist)));
        columns.print(terminal)?;
    }
    if !found.albums.items.is_empty() {
        terminal.line("Albums")?;
        albums(&found.albums.items).print(terminal)?;
    }
    if !found.tracks.items.is_empty() {
        terminal.line("Tracks")?;
        let mut columns = Columns::default();
        found.tracks.items.iter().for_each(|track| columns.row(track_row(track)));
        columns.print(terminal)?;
    }
    let more = [found.artists.next.is_some(), found.albums.next.is_some(), found.tracks.next.is_some()];
    if more.contains(&true) {
        tell("There is more; ask with more words, or with --most.");
    }
    if found.artists.items.is_empty() && found.albums.items.is_empty() && found.tracks.items.is_empty() {
        terminal.line("Nothing was found.")?;
    }
    Ok(Exit::Done)
}

fn artist_row(artist: &Artist) -> [String; 4] {
    let name = artist.name.shown.clone();
    [name, count(artist.albums.into(), "album"), count(artist.tracks.into(), "track"), artist.id.to_string()]
}

/// Albums in rows.
pub(super) fn albums(albums: &[Album]) -> Columns {
    let mut columns = Columns::default();
    for album in albums {
        let year = album.year.map_or(String::new(), |year| year.to_string());
        let title = match &album.edition.version {
            Some(version) => format!("{} ({version})", album.title.shown),
            None => album.title.shown.clone(),
        };
        let tracks = count(album.tracks.into(), "track");
        columns.row([year, title, album.artist_shown.clone(), tracks, album.id.to_string()]);
    }
    columns
}

fn track_row(track: &Track) -> [String; 5] {
    let album = track.album_title.as_ref().map_or(String::new(), |album| album.shown.clone());
    let long = track.audio.milliseconds.map_or(String::new(), |long| duration(long.into()));
    let artist = track.artist_shown.clone().unwrap_or_default();
    [title(track), artist, album, long, away(track).to_owned()]
}

/// The title of a track; its file's name where it has none.
pub(super) fn title(track: &Track) -> String {
    match &track.title {
        Some(title) => title.shown.clone(),
        None => track.file.shown.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

/// Whether it is away, in a word.
pub(super) fn away(track: &Track) -> &'static str {
    match track.availability {
        Availability::Present => "",
        Availability::Missing { .. } => "missing",
        Availability::Unknown { .. } => "away",
    }
}
