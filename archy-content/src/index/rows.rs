//! Writes what was found and read of one file. Keys of names and genres that were looked up are remembered for the next
//! file.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::touched::Touched;
use super::words::Kind;
use crate::fold::fold;
use crate::id::Random;
use crate::identity::Content;
use crate::walk::Found;
use crate::{Credit, Date, LibraryError, Name, Oddity, Reading, Role, Tags, Timestamp, TrackId, Unreadable};

/// The role of an album's artists in `credits`.
const ALBUM_ARTIST: i64 = 20;

/// Keys that are known. Thrown away when a transaction is rolled back.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    names: HashMap<(String, String), (i64, String)>,
    genres: HashMap<String, i64>,
}

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
             album_peak, r128, r128_album, explicit, spoken, comment, album_fold, declared_fold, artist_fold, edition_fold) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, \
             ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43)",
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

fn put_credits(
    database: &Connection,
    remembered: &mut Remembered,
    touched: &mut Touched,
    key: i64,
    tags: &Tags,
) -> Result<(), LibraryError> {
    let mut place = 0;
    let mut put = |credit: &Credit, role: i64, detail: Option<&str>| -> Result<(), LibraryError> {
        let name = name(database, remembered, touched, credit)?;
        database
            .prepare_cached(
                "INSERT INTO credits (track, place, role, detail, name) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![key, place, role, detail, name])?;
        place += 1;
        Ok(())
    };
    for credit in &tags.credits {
        let (role, detail) = role_number(&credit.role);
        put(credit, role, detail)?;
    }
    let nobody = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let alone =
        |text: &str| Credit { name: text.to_owned(), sort: None, musicbrainz: None, role: Role::Main };
    // Whoever gives no list of artists still shows one.
    if !tags.credits.iter().any(|credit| credit.role == Role::Main)
        && let (false, Some(shown)) = (nobody(&tags.artist_shown), &tags.artist_shown)
    {
        put(&alone(shown), 0, None)?;
    }
    for credit in &tags.album_artists {
        put(credit, ALBUM_ARTIST, None)?;
    }
    if tags.album_artists.is_empty()
        && let (false, Some(shown)) = (nobody(&tags.album_artist_shown), &tags.album_artist_shown)
    {
        put(&alone(shown), ALBUM_ARTIST, None)?;
    }
    Ok(())
}

/// The number of a role in `credits`.
pub(crate) fn role_number(role: &Role) -> (i64, Option<&str>) {
    match role {
        Role::Main => (0, None),
        Role::Featured => (1, None),
        Role::Composer => (2, None),
        Role::Lyricist => (3, None),
        Role::Conductor => (4, None),
        Role::Arranger => (5, None),
        Role::Producer => (6, None),
        Role::Engineer => (7, None),
        Role::Mixer => (8, None),
        Role::Remixer => (9, None),
        Role::DjMixer => (10, None),
        Role::Performer(instrument) => (11, (!instrument.is_empty()).then_some(instrument)),
    }
}

/// The role of a number; `None` for an album's artist.
pub(crate) fn role(number: i64, detail: Option<String>) -> Option<Role> {
    Some(match number {
        0 => Role::Main,
        1 => Role::Featured,
        2 => Role::Composer,
        3 => Role::Lyricist,
        4 => Role::Conductor,
        5 => Role::Arranger,
        6 => Role::Producer,
        7 => Role::Engineer,
        8 => Role::Mixer,
        9 => Role::Remixer,
        10 => Role::DjMixer,
        11 => Role::Performer(detail.unwrap_or_default()),
        _ => return None,
    })
}

fn name(
    database: &Connection,
    remembered: &mut Remembered,
    touched: &mut Touched,
    credit: &Credit,
) -> Result<i64, LibraryError> {
    let at = (credit.name.clone(), credit.musicbrainz.clone().unwrap_or_default());
    if let Some((key, folded)) = remembered.names.get(&at) {
        if !touched.names.contains(folded) {
            touched.names.insert(folded.clone());
        }
        return Ok(*key);
    }
    let known = database
        .prepare_cached("SELECT key, fold, sort IS NULL FROM names WHERE shown = ?1 AND musicbrainz = ?2")?
        .query_row([&at.0, &at.1], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?)))
        .optional()?;
    let (key, folded) = if let Some((key, folded, unsorted)) = known {
        if unsorted && credit.sort.is_some() {
            database
                .prepare_cached("UPDATE names SET sort = ?2 WHERE key = ?1")?
                .execute(params![key, credit.sort])?;
        }
        (key, folded)
    } else {
        let folded = fold(&credit.name);
        database
            .prepare_cached("INSERT INTO names (shown, sort, fold, musicbrainz) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![at.0, credit.sort, folded, at.1])?;
        (database.last_insert_rowid(), folded)
    };
    touched.names.insert(folded.clone());
    remembered.names.insert(at, (key, folded));
    Ok(key)
}

fn put_genres(
    database: &Connection,
    remembered: &mut Remembered,
    key: i64,
    genres: &[String],
) -> Result<(), LibraryError> {
    for (place, genre) in (0_i64..).zip(genres) {
        let folded = fold(genre);
        let known = if let Some(known) = remembered.genres.get(&folded) {
            *known
        } else {
            database
                .prepare_cached("INSERT OR IGNORE INTO genres (name, fold) VALUES (?1, ?2)")?
                .execute([genre, &folded])?;
            let known = database
                .prepare_cached("SELECT key FROM genres WHERE fold = ?1")?
                .query_row([&folded], |row| row.get(0))?;
            remembered.genres.insert(folded, known);
            known
        };
        database
            .prepare_cached("INSERT INTO track_genres (track, place, genre) VALUES (?1, ?2, ?3)")?
            .execute(params![key, place, known])?;
    }
    Ok(())
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
