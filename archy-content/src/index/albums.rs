//! Applies `grouping` to the tracks that a transaction touched, and keeps each album's id: an album is the row that has
//! its key already, or else the one that most of its tracks were in and that has no key of its own any more.

mod describe;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::touched::Touched;
use super::words::Kind;
use crate::grouping::{Group, Member, album_folder, group};
use crate::id::Random;
use crate::{AlbumId, LibraryError, Timestamp};

/// A track as it is grouped and as its album is described by it.
#[derive(Debug, Default)]
pub(crate) struct Grouped {
    pub(crate) member: Member,
    pub(crate) album: Option<i64>,
    pub(crate) title: Option<String>,
    pub(crate) sort: Option<String>,
    pub(crate) artist_shown: Option<String>,
    pub(crate) album_artist_shown: Option<String>,
    pub(crate) original_date: Option<i64>,
    pub(crate) release_date: Option<i64>,
    pub(crate) date: Option<i64>,
    pub(crate) release_group: Option<String>,
    pub(crate) edition: [Option<String>; 6],
    pub(crate) gain: Option<f64>,
    pub(crate) peak: Option<f64>,
    pub(crate) milliseconds: i64,
}

const COLUMNS: &str = "SELECT t.key, d.root, d.path, t.album_fold, t.declared_fold, t.artist_fold, t.edition_fold, t.mb_release, \
     t.disc, t.number, t.release_date, t.date, t.original_date, t.compilation, t.album, t.album_title, t.album_sort, \
     t.artist_shown, t.album_artist_shown, t.mb_release_group, t.edition, t.label, t.catalogue, t.barcode, t.media, t.kinds, \
     t.album_gain, t.album_peak, f.milliseconds \
     FROM tracks t JOIN files f ON f.key = t.key JOIN folders d ON d.key = f.folder";

/// Groups anew what was touched.
pub(super) fn regroup(
    database: &Connection,
    touched: &mut Touched,
    scan: i64,
    now: Timestamp,
) -> Result<(), LibraryError> {
    let mut before: BTreeSet<i64> = std::mem::take(&mut touched.albums);
    let mut titles = std::mem::take(&mut touched.titles);
    // What is missing may have been called otherwise than what is left of its album.
    let mut called = database.prepare_cached(
        "SELECT DISTINCT t.album_fold FROM tracks t JOIN files f ON f.key = t.key \
         WHERE t.album = ?1 AND t.album_fold IS NOT NULL AND f.state < 2",
    )?;
    for album in &before {
        for title in called.query_map([album], |row| row.get(0))? {
            titles.insert(title?);
        }
    }
    let tracks = gather(database, titles, std::mem::take(&mut touched.releases))?;
    let members: Vec<Member> = tracks.values().map(|track| track.member.clone()).collect();
    let groups = group(&members);
    before.extend(tracks.values().filter_map(|track| track.album));
    let rows = choose_rows(database, &groups, &tracks, &before, scan)?;
    // Keys change hands among these rows; none may be in the way of another.
    for (group, row) in groups.iter().zip(&rows) {
        database
            .prepare_cached("UPDATE albums SET grouping = NULL WHERE key = ?1 AND grouping IS NOT ?2")?
            .execute(params![row, group.key])?;
        database
            .prepare_cached("UPDATE albums SET grouping = NULL WHERE grouping = ?2 AND key IS NOT ?1")?
            .execute(params![row, group.key])?;
    }
    for (group, row) in groups.iter().zip(&rows) {
        let of_group: Vec<&Grouped> = group.tracks.iter().filter_map(|key| tracks.get(key)).collect();
        let album = match row {
            Some(row) => *row,
            None => make(database, touched, scan, now)?,
        };
        describe::describe(database, touched, album, group, &of_group)?;
        for track in of_group {
            if track.album != Some(album) {
                database
                    .prepare_cached("UPDATE tracks SET album = ?2 WHERE key = ?1")?
                    .execute([track.member.track, album])?;
            }
        }
        before.remove(&album);
    }
    for album in before {
        empty(database, touched, album, now)?;
    }
    Ok(())
}

/// The tracks that are there with these titles and releases, and with those that they lead to.
fn gather(
    database: &Connection,
    mut titles: BTreeSet<String>,
    mut releases: BTreeSet<String>,
) -> Result<BTreeMap<i64, Grouped>, LibraryError> {
    let mut tracks = BTreeMap::new();
    let (mut titles_done, mut releases_done) = (BTreeSet::new(), BTreeSet::new());
    let mut by_title =
        database.prepare_cached(&format!("{COLUMNS} WHERE t.album_fold = ?1 AND f.state < 2"))?;
    let mut by_release = database.prepare_cached(&format!(
        "{COLUMNS} WHERE t.mb_release = ?1 AND t.album_fold IS NOT NULL AND f.state < 2"
    ))?;
    while !titles.is_empty() || !releases.is_empty() {
        let mut found = Vec::new();
        for title in std::mem::take(&mut titles) {
            for row in by_title.query_map([&title], grouped)? {
                found.push(row?);
            }
            titles_done.insert(title);
        }
        for release in std::mem::take(&mut releases) {
            for row in by_release.query_map([&release], grouped)? {
                found.push(row?);
            }
            releases_done.insert(release);
        }
        for track in found {
            if !titles_done.contains(&track.member.album) {
                titles.insert(track.member.album.clone());
            }
            if let Some(release) = &track.member.release
                && !releases_done.contains(release)
            {
                releases.insert(release.clone());
            }
            tracks.insert(track.member.track, track);
        }
    }
    Ok(tracks)
}

/// One track, as grouping sees it; `None` if it is in no album or not there.
pub(crate) fn one(database: &Connection, key: i64) -> Result<Option<Grouped>, LibraryError> {
    let mut by_key =
        database.prepare_cached(&format!("{COLUMNS} WHERE t.key = ?1 AND t.album_fold IS NOT NULL"))?;
    Ok(by_key.query_row([key], grouped).optional()?)
}

fn grouped(row: &Row<'_>) -> rusqlite::Result<Grouped> {
    let path: Vec<u8> = row.get(2)?;
    let (folder, disc) = album_folder(&path);
    let year = |at| {
        row.get::<_, Option<i64>>(at).map(|date| date.and_then(|date| u16::try_from(date / 10_000).ok()))
    };
    let text = |at| row.get::<_, Option<String>>(at);
    let number = |at| row.get::<_, Option<u32>>(at);
    Ok(Grouped {
        member: Member {
            track: row.get(0)?,
            folder: (row.get(1)?, folder.to_vec()),
            album: row.get(3)?,
            declared: text(4)?.unwrap_or_default(),
            artist: text(5)?.unwrap_or_default(),
            edition: text(6)?.unwrap_or_default(),
            release: text(7)?,
            disc: number(8)?.or(disc),
            number: number(9)?,
            year: year(10)?.or(year(11)?).or(year(12)?),
            compilation: row.get::<_, Option<bool>>(13)?.unwrap_or_default(),
        },
        album: row.get(14)?,
        title: text(15)?,
        sort: text(16)?,
        artist_shown: text(17)?,
        album_artist_shown: text(18)?,
        original_date: row.get(12)?,
        release_date: row.get(10)?,
        date: row.get(11)?,
        release_group: text(19)?,
        edition: [text(20)?, text(21)?, text(22)?, text(23)?, text(24)?, text(25)?],
        gain: row.get(26)?,
        peak: row.get(27)?,
        milliseconds: row.get::<_, Option<i64>>(28)?.unwrap_or_default(),
    })
}

/// Which row each group is; `None` for a new album.
fn choose_rows(
    database: &Connection,
    groups: &[Group],
    tracks: &BTreeMap<i64, Grouped>,
    before: &BTreeSet<i64>,
    scan: i64,
) -> Result<Vec<Option<i64>>, LibraryError> {
    let mut rows: Vec<Option<i64>> = Vec::with_capacity(groups.len());
    let mut claimed = BTreeSet::new();
    let mut made: HashMap<i64, i64> = HashMap::new();
    let mut by_key = database.prepare_cached("SELECT key, made FROM albums WHERE grouping = ?1")?;
    for group in groups {
        let row: Option<(i64, i64)> =
            by_key.query_row([&group.key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        rows.push(row.map(|(key, made_in)| {
            claimed.insert(key);
            made.insert(key, made_in);
            key
        }));
    }
    let mut shares: BTreeMap<(i64, usize), usize> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for album in group.tracks.iter().filter_map(|key| tracks.get(key)?.album) {
            if before.contains(&album) && !claimed.contains(&album) {
                *shares.entry((album, at)).or_default() += 1;
            }
        }
    }
    let mut shares: Vec<_> = shares.into_iter().map(|((album, at), share)| (share, album, at)).collect();
    shares.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut used = BTreeSet::new();
    for (_, album, at) in shares {
        // A row that this very scan made, for the first of an album's tracks, gives way to the one that the rest was in.
        let free = match rows[at] {
            None => true,
            Some(row) => made.get(&row) == Some(&scan) && row > album,
        };
        if free && used.insert(album) {
            made.remove(&rows[at].unwrap_or_default());
            rows[at] = Some(album);
        }
    }
    Ok(rows)
}

fn make(
    database: &Connection,
    touched: &mut Touched,
    scan: i64,
    now: Timestamp,
) -> Result<i64, LibraryError> {
    database
        .prepare_cached(
            "INSERT INTO albums (title, sorting, artist_shown, compilation, tracks, discs, milliseconds, made) \
             VALUES ('', '', '', 0, 0, 0, 0, ?1)",
        )?
        .execute([scan])?;
    let key = database.last_insert_rowid();
    database
        .prepare_cached("INSERT INTO album_user (album, id, added) VALUES (?1, ?2, ?3)")?
        .execute(params![key, AlbumId::random()?, now.0])?;
    touched.words_of(key, Kind::Album, true);
    Ok(key)
}

/// An album that no track is in that is there: it stays for those that are missing, else it is gone.
fn empty(
    database: &Connection,
    touched: &mut Touched,
    album: i64,
    now: Timestamp,
) -> Result<(), LibraryError> {
    let left: bool = database
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM tracks WHERE album = ?1)")?
        .query_row([album], |row| row.get(0))?;
    database
        .prepare_cached("UPDATE albums SET tracks = 0, gone = ?2 WHERE key = ?1")?
        .execute(params![album, (!left).then_some(now.0)])?;
    if !left {
        database.prepare_cached("DELETE FROM album_artists WHERE album = ?1")?.execute([album])?;
    }
    touched.words_of(album, Kind::Album, false);
    Ok(())
}
