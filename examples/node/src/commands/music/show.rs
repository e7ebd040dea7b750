//! `music album` and `music artist`: one of them, by its id or the best one for some words.

use archy_content::{Album, Library, Page, Search, Track};
use serde_json::json;

use super::columns::{Columns, count, duration};
use super::search::{albums, away, title};
use crate::exit::{Exit, Trouble};
use crate::terminal::{Terminal, tell};

/// So many others are named.
const OTHERS: usize = 5;

pub(super) fn album(terminal: Terminal, library: &Library, words: &str) -> Result<Exit, Trouble> {
    let mut found = match words.parse() {
        Ok(id) => vec![library.album(id)?],
        Err(_) => library.search_albums(&Search::words(words), &Page::first(1 + OTHERS))?.items,
    };
    if found.is_empty() {
        return Err(none("album", words));
    }
    let others = found.split_off(1);
    let album = found.remove(0);
    let tracks = library.album_tracks(album.id)?;
    terminal.document(
        &json!({"version": 1, "exit": Exit::Done, "album": album, "tracks": tracks, "others": others}),
    )?;
    head(terminal, &album)?;
    let mut disc = None;
    let mut columns = Columns::default();
    for track in &tracks {
        if album.discs > 1 && track.disc.number != disc {
            disc = track.disc.number;
            columns.print(terminal)?;
            columns = Columns::default();
            let number = disc.map_or("?".to_owned(), |number| number.to_string());
            let subtitle =
                track.disc_subtitle.as_deref().map(|title| format!(": {title}")).unwrap_or_default();
            terminal.quoting(&format!("  Disc {number}{subtitle}"))?;
        }
        columns.row(row(track, &album));
    }
    columns.print(terminal)?;
    if !others.is_empty() {
        tell("Others that it may be:");
        if !terminal.json {
            albums(&others).print(terminal)?;
        }
    }
    Ok(Exit::Done)
}

fn head(terminal: Terminal, album: &Album) -> Result<(), Trouble> {
    let edition = &album.edition;
    terminal.quoting(&format!("{} · {}", album.title.shown, album.artist_shown))?;
    let year = album.year.map(|year| year.to_string());
    let told = [year, edition.version.clone(), edition.label.clone(), edition.media.clone()];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let about = [
        told.join(", "),
        count(album.tracks.into(), "track"),
        duration(album.milliseconds),
        album.id.to_string(),
    ];
    let about: Vec<String> = about.into_iter().filter(|part| !part.is_empty()).collect();
    terminal.quoting(&format!("  {}", about.join(" · ")))
}

fn row(track: &Track, album: &Album) -> [String; 5] {
    let number = track.place.number.map_or(String::new(), |number| format!("{number:2}"));
    let artist =
        track.artist_shown.clone().filter(|artist| *artist != album.artist_shown).unwrap_or_default();
    let long = track.audio.milliseconds.map_or(String::new(), |long| duration(long.into()));
    [number, title(track), artist, long, away(track).to_owned()]
}

pub(super) fn artist(terminal: Terminal, library: &Library, words: &str) -> Result<Exit, Trouble> {
    let mut found = match words.parse() {
        Ok(id) => vec![library.artist(id)?],
        Err(_) => library.search_artists(&Search::words(words), &Page::first(1 + OTHERS))?.items,
    };
    if found.is_empty() {
        return Err(none("artist", words));
    }
    let others = found.split_off(1);
    let artist = found.remove(0);
    let theirs = library.artist_albums(artist.id)?;
    terminal.document(
        &json!({"version": 1, "exit": Exit::Done, "artist": artist, "albums": theirs, "others": others}),
    )?;
    let (by, on) = (count(artist.albums.into(), "album"), count(artist.tracks.into(), "track"));
    terminal.quoting(&format!("{} · {by}, on {on} · {}", artist.name.shown, artist.id))?;
    albums(&theirs).print(terminal)?;
    if !others.is_empty() {
        let names: Vec<_> = others.iter().map(|artist| &*artist.name.shown).collect();
        tell(&format!("Others that it may be: {}", names.join(", ")));
    }
    Ok(Exit::Done)
}

fn none(what: &str, words: &str) -> Trouble {
    Trouble::bad_input(format!("there is no {what} with the words “{words}”"))
}
