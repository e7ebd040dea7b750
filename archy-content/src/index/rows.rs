//! Writes what was found and read of one file.

use rusqlite::{Connection, OptionalExtension, params};

use super::credits::{Remembered, put_credits, put_genres};
use super::touched::Touched;
use super::words::Kind;
use crate::fold::fold;
use crate::id::Random;
use crate::identity::Content;
use crate::walk::Found;
use crate::{Date, LibraryError, Name, Oddity, Reading, Role, Tags, Timestamp, TrackId, Unreadable};

/// A new file, with an id of its own.
pub(crate) fn add_file(
    database: &Connection,
    folder: i64,
    found: &Found,
    content: &Content,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    database
        .prepare_cached(
            "INSERT INTO files (folder, name, shown, size, modified, device, inode, since, fingerprint, mb_track, mb_recording, \
             likeness, milliseconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            folder,
            found.name,
            String::from_utf8_lossy(&found.name),
            found.size,
            found.modified,
            found.device,
            found.inode,
            now.0,
            content.fingerprint.map(|f| f.0.to_be_bytes()),
            content.mb_track,
            content.mb_recording,
            content.likeness,
            content.milliseconds
        ])?;
    let key = database.last_insert_rowid();
    database
        .prepare_cached("INSERT INTO track_user (file, id, added) VALUES (?1, ?2, ?3)")?
        .execute(params![key, TrackId::random()?, now.0])?;
    Ok(key)
}

/// A known file lies here, like this.
pub(crate) fn place_file(
    database: &Connection,
    key: i64,
    folder: i64,
    found: &Found,
    now: Timestamp,
) -> Result<(), LibraryError> {
    database
        .prepare_cached(
            "UPDATE files SET folder = ?2, name = ?3, shown = ?4, size = ?5, modified = ?6, device = ?7, inode = ?8, \
             since = iif(state = 0, since, ?9), state = 0 WHERE key = ?1",
        )?
        .execute(params![
            key,
            folder,
            found.name,
            String::from_utf8_lossy(&found.name),
            found.size,
            found.modified,
            found.device,
            found.inode,
            now.0
        ])?;
    Ok(())
}

/// The track is away: its file is not where it was.
pub(crate) fn lift_file(database: &Connection, key: i64, now: Timestamp) -> Result<(), LibraryError> {
    database
        .prepare_cached("UPDATE files SET state = 2, since = ?2 WHERE key = ?1 AND state < 2")?
        .execute([key, now.0])?;
    Ok(())
}

/// The file could not be read. What was known of its track goes: it says nothing any more.
pub(crate) fn put_failure(
    database: &Connection,
    touched: &mut Touched,
    key: i64,
    why: &Unreadable,
) -> Result<(), LibraryError> {
    let (what, says) = words_for(why);
    touched.track(database, key)?;
    database.prepare_cached("DELETE FROM tracks WHERE key = ?1")?.execute([key])?;
    database
        .prepare_cached("UPDATE files SET why = ?2, says = ?3 WHERE key = ?1")?
        .execute(params![key, what, says])?;
    touched.tracks.insert(key);
    touched.words_of(key, Kind::Track, false);
    Ok(())
}

/// Why a file could not be read: a word, and what is wrong.
pub(crate) fn words_for(why: &Unreadable) -> (&'static str, &str) {
    match why {
        Unreadable::NotSupported { kind } => ("not-supported", kind),
        Unreadable::Damaged { says } => ("damaged", says),
        Unreadable::Empty => ("empty", "the file is empty"),
        Unreadable::Hostile { says } => ("hostile", says),
        Unreadable::NotGiven { says } => ("not-given", says),
    }
}

/// What a file is known by elsewhere.
pub(crate) fn content(reading: &Reading) -> Content {
    let tags = &reading.tags;
    let by = declared(tags).or_else(|| artist(tags));
    let likeness = tags.title.as_ref().filter(|_| tags.album.is_some() || by.is_some()).map(|title| {
        hash(&[
            &tags.album.as_ref().map(|album| fold(&album.shown)).unwrap_or_default(),
            &by.unwrap_or_default(),
            &tags.disc.number.unwrap_or(1).to_string(),
            &tags.track.number.unwrap_or_default().to_string(),
            &fold(&title.shown),
        ])
    });
    Content {
        fingerprint: reading.fingerprint,
        mb_track: tags.musicbrainz.track.clone(),
        mb_recording: tags.musicbrainz.recording.clone(),
        likeness,
        milliseconds: reading.audio.milliseconds.map(i64::from),
    }
}

/// What the file says. `fresh`: nothing of it was in the index before.
pub(crate) fn put_reading(
    database: &Connection,
    remembered: &mut Remembered,
    touched: &mut Touched,
    key: i64,
    reading: &Reading,
    fresh: bool,
) -> Result<(), LibraryError> {
    let mut album = None;
    if !fresh {
        touched.track(database, key)?;
        album = database
            .prepare_cached("SELECT album FROM tracks WHERE key = ?1")?
            .query_row([key], |row| row.get::<_, Option<i64>>(0))
            .optional()?
            .flatten();
        database.prepare_cached("DELETE FROM tracks WHERE key = ?1")?.execute([key])?;
        put_content(database, key, &content(reading))?;
    }
    put_track(database, touched, key, album, reading)?;
    put_credits(database, remembered, touched, key, &reading.tags)?;
    put_genres(database, remembered, key, &reading.tags.genres)?;
    for (place, picture) in (0_i64..).zip(&reading.pictures) {
        database
            .prepare_cached(
                "INSERT INTO pictures (track, place, front, bytes, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                key,
                place,
                picture.front,
                picture.bytes.cast_signed(),
                picture.hash.map(u64::cast_signed)
            ])?;
    }
    if let Some(words) = &reading.tags.lyrics {
        database
            .prepare_cached("INSERT INTO lyrics (track, words) VALUES (?1, ?2)")?
            .execute(params![key, words])?;
    }
    for (place, oddity) in (0_i64..).zip(&reading.oddities) {
        let (what, says) = match oddity {
            Oddity::Mojibake(encoding) => ("mojibake", Some(encoding)),
            Oddity::PerhapsMojibake => ("perhaps-mojibake", None),
            Oddity::DamagedTag => ("damaged-tag", None),
            Oddity::ImpossibleAudio => ("impossible-audio", None),
            Oddity::Contradiction(field) => ("contradiction", Some(field)),
        };
        database
            .prepare_cached("INSERT INTO oddities (track, place, what, says) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key, place, what, says])?;
    }
    touched.tracks.insert(key);
    touched.words_of(key, Kind::Track, fresh);
    Ok(())
}

fn put_content(database: &Connection, key: i64, content: &Content) -> Result<(), LibraryError> {
    database
        .prepare_cached(
            "UPDATE files SET why = NULL, says = NULL, fingerprint = ?2, mb_track = ?3, mb_recording = ?4, likeness = ?5, \
             milliseconds = ?6 WHERE key = ?1",
        )?
        .execute(params![
            key,
            content.fingerprint.map(|f| f.0.to_be_bytes()),
            content.mb_track,
            content.mb_recording,
            content.likeness,
            content.milliseconds
        ])?;
    Ok(())
}

fn put_track(
    database: &Connection,
    touched: &mut Touched,
    key: i64,
    album: Option<i64>,
    reading: &Reading,
) -> Result<(), LibraryError> {
    let (tags, audio, gain) = (&reading.tags, &reading.audio, &reading.tags.gain);
    let shown = |name: &Option<Name>| name.as_ref().map(|name| name.shown.clone());
    let sort = |name: &Option<Name>| name.as_ref().and_then(|name| name.sort.clone());
    let album_fold = tags.album.as_ref().map(|name| fold(&name.shown)).filter(|folded| !folded.is_empty());
    let edition = &tags.edition;
    let told_apart = [&edition.version, &edition.barcode, &edition.catalogue].into_iter().flatten().next();
    let kinds = (!edition.kinds.is_empty()).then(|| edition.kinds.join("; "));
    touched.titles.extend(album_fold.clone());
    if album_fold.is_some() {
        touched.releases.extend(tags.musicbrainz.release.clone());
    }
    database
        .prepare_cached(
            "INSERT INTO tracks (key, album, title, title_sort, artist_shown, album_title, album_sort, album_artist_shown, disc, discs, \
             disc_subtitle, number, numbers, original_date, release_date, date, compilation, edition, label, catalogue, barcode, \
             media, kinds, mb_release, mb_release_group, codec, rate, channels, depth, bitrate, gain, peak, album_gain, \
             album_peak, r128, r128_album, explicit, spoken, comment, album_fold, declared_fold, artist_fold, edition_fold, \
             title_fold) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, \
             ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44)",
        )?
        .execute(params![
            key,
            album_fold.as_ref().and(album),
            shown(&tags.title),
            sort(&tags.title),
            tags.artist_shown,
            shown(&tags.album),
            sort(&tags.album),
            tags.album_artist_shown,
            tags.disc.number,
            tags.disc.total,
            tags.disc_subtitle,
            tags.track.number,
            tags.track.total,
            tags.original_date.map(number),
            tags.release_date.map(number),
            tags.date.map(number),
            tags.compilation,
            edition.version,
            edition.label,
            edition.catalogue,
            edition.barcode,
            edition.media,
            kinds,
            tags.musicbrainz.release,
            tags.musicbrainz.release_group,
            audio.codec,
            audio.rate,
            audio.channels,
            audio.depth,
            audio.bitrate,
            gain.track,
            gain.track_peak,
            gain.album,
            gain.album_peak,
            gain.r128_track,
            gain.r128_album,
            tags.explicit,
            tags.spoken,
            tags.comment,
            album_fold,
            declared(tags),
            artist(tags),
            told_apart.map(|text| fold(text)),
            tags.title.as_ref().map(|title| fold(&title.shown)).unwrap_or_default(),
        ])?;
    Ok(())
}

/// The declared artist of the album, folded.
fn declared(tags: &Tags) -> Option<String> {
    let names: Vec<String> = tags.album_artists.iter().map(|credit| fold(&credit.name)).collect();
    let folded = if names.is_empty() {
        fold(tags.album_artist_shown.as_deref().unwrap_or_default())
    } else {
        names.join(" ")
    };
    (!folded.is_empty()).then_some(folded)
}

/// The track's first main artist, folded.
fn artist(tags: &Tags) -> Option<String> {
    let main = tags.credits.iter().find(|credit| credit.role == Role::Main).map(|credit| &credit.name);
    main.or(tags.artist_shown.as_ref()).map(|name| fold(name)).filter(|folded| !folded.is_empty())
}

/// `yyyymmdd`.
fn number(date: Date) -> i64 {
    i64::from(date.year) * 10_000
        + i64::from(date.month.unwrap_or(0)) * 100
        + i64::from(date.day.unwrap_or(0))
}

/// FNV-1a of the texts, each ended.
fn hash(texts: &[&str]) -> i64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash.cast_signed()
}
