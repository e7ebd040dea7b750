//! What an album is called, by what its tracks say.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::Grouped;
use crate::LibraryError;
use crate::fold::{fold, fold_for_sorting};
use crate::grouping::{By, Group, VARIOUS_ARTISTS, VARIOUS_ARTISTS_ID, most};
use crate::index::touched::Touched;
use crate::index::words::Kind;

/// Writes the album's row and its artists.
pub(super) fn describe(
    database: &Connection,
    touched: &mut Touched,
    album: i64,
    group: &Group,
    tracks: &[&Grouped],
) -> Result<(), LibraryError> {
    let title = most(tracks.iter().filter_map(|t| t.title.as_deref())).unwrap_or_default();
    let sort = most(tracks.iter().filter_map(|t| t.sort.as_deref()));
    let names = artists(database, group, tracks)?;
    let shown = match &group.by {
        By::Declared(_) => {
            most(tracks.iter().filter_map(|t| t.album_artist_shown.as_deref())).map(str::to_owned)
        }
        By::Various => Some(VARIOUS_ARTISTS.to_owned()),
        By::Most(_) | By::Nobody => None,
    };
    let shown = match shown {
        Some(shown) => shown,
        None => joined(database, &names)?,
    };
    let date = |of: fn(&Grouped) -> Option<i64>| most(tracks.iter().filter_map(|t| of(t)));
    let (original, release) = (date(|t| t.original_date), date(|t| t.release_date));
    let year = original.or(release).or_else(|| date(|t| t.date)).map(|date| date / 10_000);
    let edition = |at: usize| most(tracks.iter().filter_map(move |t| t.edition[at].as_deref()));
    let number = |of: fn(&Grouped) -> Option<f64>| {
        most(tracks.iter().filter_map(|t| of(t)).map(f64::to_bits)).map(f64::from_bits)
    };
    let discs: BTreeSet<u32> = tracks.iter().filter_map(|t| t.member.disc).collect();
    let compilation =
        group.by == By::Various || tracks.iter().filter(|t| t.member.compilation).count() * 2 > tracks.len();
    let before: (String, String, Option<String>, bool) = database
        .prepare_cached("SELECT title, artist_shown, grouping, gone IS NULL FROM albums WHERE key = ?1")?
        .query_row([album], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    database
        .prepare_cached(
            "UPDATE albums SET grouping = ?2, title = ?3, sort = ?4, sorting = ?5, artist_shown = ?6, edition = ?7, label = ?8, \
             catalogue = ?9, barcode = ?10, media = ?11, kinds = ?12, compilation = ?13, original_date = ?14, release_date = ?15, \
             year = ?16, mb_release = ?17, mb_release_group = ?18, gain = ?19, peak = ?20, tracks = ?21, discs = ?22, \
             milliseconds = ?23, gone = NULL WHERE key = ?1",
        )?
        .execute(params![
            album,
            group.key,
            title,
            sort,
            fold_for_sorting(sort.unwrap_or(title)),
            shown,
            edition(0),
            edition(1),
            edition(2),
            edition(3),
            edition(4),
            edition(5),
            compilation,
            original,
            release,
            year,
            group.release,
            most(tracks.iter().filter_map(|t| t.release_group.as_deref())),
            number(|t| t.gain),
            number(|t| t.peak),
            count(tracks.len()),
            count(discs.len().max(1)),
            tracks.iter().map(|t| t.milliseconds).sum::<i64>(),
        ])?;
    if before.2.as_deref() != Some(&group.key) {
        touched.kept_albums.insert(album);
    }
    if (&*before.0, &*before.1, before.3) != (title, &*shown, true) {
        touched.words_of(album, Kind::Album, false);
    }
    credit(database, touched, album, &names)
}

/// The names that the album's artists are credited by.
fn artists(database: &Connection, group: &Group, tracks: &[&Grouped]) -> Result<Vec<i64>, LibraryError> {
    let roles = match &group.by {
        By::Various => return Ok(vec![various(database)?]),
        By::Nobody => return Ok(Vec::new()),
        By::Declared(_) => "role = 20",
        By::Most(_) => "role = 0",
    };
    // Of the track that says it as most do, the first one.
    let of = |track: &&&Grouped| match &group.by {
        By::Declared(artist) => track.member.declared == *artist,
        By::Most(artist) => track.member.artist == *artist,
        By::Various | By::Nobody => false,
    };
    let shown = |track: &Grouped| match &group.by {
        By::Declared(_) => track.album_artist_shown.clone(),
        _ => track.artist_shown.clone(),
    };
    let usual = most(tracks.iter().filter(of).map(|t| shown(t)));
    let Some(track) = tracks.iter().filter(of).find(|t| Some(shown(t)) == usual) else {
        return Ok(Vec::new());
    };
    let mut names = database
        .prepare_cached(&format!("SELECT name FROM credits WHERE track = ?1 AND {roles} ORDER BY place"))?;
    let mut names: Vec<i64> =
        names.query_map([track.member.track], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if matches!(group.by, By::Most(_)) {
        // The others are guests of this track.
        names.truncate(1);
    }
    Ok(names)
}

fn joined(database: &Connection, names: &[i64]) -> Result<String, LibraryError> {
    let mut shown = database.prepare_cached("SELECT shown FROM names WHERE key = ?1")?;
    let names: Vec<String> =
        names.iter().map(|name| shown.query_row([name], |row| row.get(0))).collect::<Result<_, _>>()?;
    Ok(names.join(", "))
}

fn various(database: &Connection) -> Result<i64, LibraryError> {
    let known = database
        .prepare_cached("SELECT key FROM names WHERE shown = ?1 AND musicbrainz = ?2")?
        .query_row([VARIOUS_ARTISTS, VARIOUS_ARTISTS_ID], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    database
        .prepare_cached("INSERT INTO names (shown, fold, musicbrainz) VALUES (?1, ?2, ?3)")?
        .execute([VARIOUS_ARTISTS, &fold(VARIOUS_ARTISTS), VARIOUS_ARTISTS_ID])?;
    Ok(database.last_insert_rowid())
}

fn credit(
    database: &Connection,
    touched: &mut Touched,
    album: i64,
    names: &[i64],
) -> Result<(), LibraryError> {
    let mut there =
        database.prepare_cached("SELECT name FROM album_artists WHERE album = ?1 ORDER BY place")?;
    let before: Vec<i64> = there.query_map([album], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if before == names {
        return Ok(());
    }
    database.prepare_cached("DELETE FROM album_artists WHERE album = ?1")?.execute([album])?;
    for (place, name) in (0_i64..).zip(names) {
        database
            .prepare_cached("INSERT INTO album_artists (album, place, name) VALUES (?1, ?2, ?3)")?
            .execute(params![album, place, name])?;
    }
    let mut fold = database.prepare_cached("SELECT fold FROM names WHERE key = ?1")?;
    for name in before.iter().chain(names) {
        touched.names.insert(fold.query_row([name], |row| row.get(0))?);
    }
    Ok(())
}

fn count(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}
