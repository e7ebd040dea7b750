//! Which pictures may stand for an album, the best first.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};
use twox_hash::XxHash3_64;

use crate::grouping::album_folder;
use crate::walk::{below, join};
use crate::{AlbumId, LibraryError};

/// Names of pictures that stand for an album, the best first.
const NAMES: [&str; 5] = ["cover", "folder", "front", "album", "albumart"];
const ENDS: [&str; 5] = ["jpg", "jpeg", "png", "webp", "gif"];

/// A picture that may be the cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) file: PathBuf,
    pub(super) index: Option<usize>,
    /// Of its content where that is known; else of its place, size and time.
    known: u64,
}

impl Choice {
    /// By which a small copy of it is kept.
    pub(super) fn tag(&self, side: u32) -> String {
        format!("{:016x}-{side}", self.known)
    }
}

/// A track's folder and pictures.
struct Member {
    root: PathBuf,
    folder: Vec<u8>,
    folder_key: i64,
}

pub(super) fn choices(database: &Connection, album: AlbumId) -> Result<Vec<Choice>, LibraryError> {
    let key: Option<i64> = database
        .prepare_cached("SELECT u.album FROM album_user u JOIN albums a ON a.key = u.album WHERE u.id = ?1 AND a.gone IS NULL")?
        .query_row([album], |row| row.get(0))
        .optional()?;
    let key = key.ok_or_else(|| LibraryError::Unknown { what: format!("album {album}") })?;
    let (mut best, mut rest) = embedded(database, key)?;
    best.extend(beside(database, key)?);
    best.append(&mut rest);
    Ok(best)
}

/// The pictures of an album's tracks: the one that stands for it, and others that do if there is nothing else.
fn embedded(database: &Connection, album: i64) -> Result<(Vec<Choice>, Vec<Choice>), LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT r.path, d.path, f.name, p.place, p.front, p.bytes, p.hash, f.size, f.modified, f.key FROM tracks t \
         JOIN pictures p ON p.track = t.key JOIN files f ON f.key = t.key JOIN folders d ON d.key = f.folder \
         JOIN roots r ON r.key = d.root WHERE t.album = ?1 AND f.state = 0 \
         ORDER BY coalesce(t.disc, 1), t.number, f.key, p.place",
    )?;
    let mut rows = statement.query([album])?;
    // By content: how many tracks carry it, whether one calls it the front, the first one that does.
    let mut pictures: BTreeMap<u64, (u32, bool, usize, Choice)> = BTreeMap::new();
    let (mut carriers, mut last) = (0, None);
    while let Some(row) = rows.next()? {
        let track: i64 = row.get(9)?;
        carriers += u32::from(last.replace(track) != Some(track));
        let root = PathBuf::from(OsString::from_vec(row.get(0)?));
        let file = below(&root, &join(&row.get::<_, Vec<u8>>(1)?, &row.get::<_, Vec<u8>>(2)?));
        let index = usize::try_from(row.get::<_, i64>(3)?).unwrap_or_default();
        let front: bool = row.get(4)?;
        let known = match row.get::<_, Option<i64>>(6)? {
            Some(hash) => known(&[&hash.to_le_bytes(), &row.get::<_, i64>(5)?.to_le_bytes()]),
            None => place(&file, row.get(7)?, row.get(8)?),
        };
        let order = pictures.len();
        let picture = pictures
            .entry(known)
            .or_insert_with(|| (0, false, order, Choice { file, index: Some(index), known }));
        picture.0 += 1;
        picture.1 |= front;
    }
    let mut pictures: Vec<_> = pictures.into_values().collect();
    pictures.sort_by_key(|(times, front, order, _)| (!front, std::cmp::Reverse(*times), *order));
    let stands =
        pictures.iter().position(|(times, ..)| times * 2 >= carriers && (*times > 1 || carriers == 1));
    let lone = carriers == 1 && tracks(database, album)? > 1;
    let best = stands.filter(|_| !lone).map(|at| pictures.remove(at).3);
    Ok((best.into_iter().collect(), pictures.into_iter().take(2).map(|picture| picture.3).collect()))
}

fn tracks(database: &Connection, album: i64) -> Result<i64, LibraryError> {
    Ok(database
        .prepare_cached("SELECT tracks FROM albums WHERE key = ?1")?
        .query_row([album], |row| row.get(0))?)
}

/// Pictures beside the tracks: in the album's own folder if it is no other album's too, then in the discs'.
fn beside(database: &Connection, album: i64) -> Result<Vec<Choice>, LibraryError> {
    let mut statement = database.prepare_cached(
        "SELECT DISTINCT r.path, d.path, d.key FROM tracks t JOIN files f ON f.key = t.key \
         JOIN folders d ON d.key = f.folder JOIN roots r ON r.key = d.root \
         WHERE t.album = ?1 AND f.state = 0 ORDER BY r.key, d.path",
    )?;
    let members = statement.query_map([album], |row| {
        let root = PathBuf::from(OsString::from_vec(row.get(0)?));
        Ok(Member { root, folder: row.get(1)?, folder_key: row.get(2)? })
    })?;
    let members: Vec<Member> = members.collect::<Result<_, _>>()?;
    let mut folders: Vec<(PathBuf, Vec<u8>, i64)> = Vec::new();
    let mut above = database.prepare_cached(
        "SELECT d.key, EXISTS (SELECT 1 FROM files f JOIN tracks t ON t.key = f.key WHERE f.folder = d.key AND f.state < 2 \
         AND t.album IS NOT ?3) FROM folders d JOIN folders disc ON disc.key = ?2 AND disc.root = d.root WHERE d.path = ?1",
    )?;
    for member in &members {
        let (parent, disc) = album_folder(&member.folder);
        if disc.is_none() {
            continue;
        }
        let found = above
            .query_row(rusqlite::params![parent, member.folder_key, album], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?))
            })
            .optional()?;
        if let Some((key, false)) = found
            && !folders.iter().any(|(_, _, known)| *known == key)
        {
            folders.push((member.root.clone(), parent.to_vec(), key));
        }
    }
    folders.extend(members.into_iter().map(|member| (member.root, member.folder, member.folder_key)));
    let mut pictures = database.prepare_cached(
        "SELECT name, size, modified FROM sidecars WHERE folder = ?1 AND kind = 0 ORDER BY name",
    )?;
    let mut choices = Vec::new();
    for (root, path, key) in folders {
        let mut found: Vec<((usize, usize), Choice)> = Vec::new();
        let mut rows = pictures.query([key])?;
        while let Some(row) = rows.next()? {
            let name: Vec<u8> = row.get(0)?;
            if let Some(rank) = rank(&name) {
                let file = below(&root, &join(&path, &name));
                let known = place(&file, row.get(1)?, row.get(2)?);
                found.push((rank, Choice { file, index: None, known }));
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        choices.extend(found.into_iter().map(|(_, choice)| choice));
    }
    Ok(choices)
}

/// How well a name stands for an album's cover, the best being the least.
fn rank(name: &[u8]) -> Option<(usize, usize)> {
    let name = std::str::from_utf8(name).ok()?;
    let (stem, end) = name.rsplit_once('.')?;
    let place = |of: &[&str], word: &str| of.iter().position(|known| known.eq_ignore_ascii_case(word));
    Some((place(&NAMES, stem)?, place(&ENDS, end)?))
}

fn place(file: &Path, size: i64, modified: i64) -> u64 {
    known(&[file.as_os_str().as_bytes(), &size.to_le_bytes(), &modified.to_le_bytes()])
}

fn known(parts: &[&[u8]]) -> u64 {
    XxHash3_64::oneshot(&parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ranked_in_any_case() {
        let mut names = [
            "Back.jpg",
            "AlbumArt.png",
            "FOLDER.JPG",
            "cover.webp",
            "Cover.jpeg",
            "front.gif",
            "cover.1.jpg",
            "cover",
        ];
        names.sort_by_key(|name| rank(name.as_bytes()).unwrap_or((9, 9)));
        assert_eq!(names[..5], ["Cover.jpeg", "cover.webp", "FOLDER.JPG", "front.gif", "AlbumArt.png"]);
        assert_eq!(names.map(|name| rank(name.as_bytes())).iter().flatten().count(), 5);
    }
}
