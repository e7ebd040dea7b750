//! Which tracks are one album.
//!
//! An album is one edition of a release. Its *grouping key* is
//!
//! * `mb:` and the `MusicBrainz` id of the release, if every one of its tracks that has such an id has this one,
//! * else its folded title, its folded artist and its folded edition (version, or else bar code, or else catalogue number;
//!   only where its tracks agree on one), and the year where two editions differ in nothing else.
//!
//! It is found in three steps, each a pure function of the tracks that are there now; neither the order in which they
//! were found nor what was there before changes it.
//!
//! 1. **Per folder.** Tracks of one folder (a folder named `CD 2`, `Disc 2`, `(CD2) …` counts as its parent) with an equal
//!    folded title are together, whatever holes or differences their dates and ids have. They part only if their tags
//!    declare different album artists (and do not say that it is a compilation, nor give one release id), or if two release
//!    ids claim the same place on a disc. A track without a declared artist goes with its own artist's part.
//! 2. **The artist** of such a part is the one that is declared; else the one of at least three quarters of its tracks; else
//!    “Various Artists”.
//! 3. **Across folders** parts with one release id are one album. Parts without an id join the one album of equal title,
//!    artist and edition, if none of their places is taken there. Among parts without ids those are one album that have
//!    equal title, artist and edition, unless both know their year, the years differ and they claim the same places: then
//!    they are two editions.
//!
//! A track without an album's title is in no album: files that merely lie together are no album.

use std::collections::{BTreeMap, BTreeSet};

/// What the artist of an album is called whose tracks have many.
pub const VARIOUS_ARTISTS: &str = "Various Artists";
/// Its id at `MusicBrainz`.
pub const VARIOUS_ARTISTS_ID: &str = "89ad4ac3-39f7-470e-963a-56509c546377";

/// Between the parts of a key of words.
const BETWEEN: char = '\u{1f}';

/// A root, and a path below it.
pub(crate) type Folder = (i64, Vec<u8>);

/// One track, as far as grouping looks at it. Texts are folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member {
    /// Whose key this is.
    pub(crate) track: i64,
    /// The folder of its album: see [`album_folder`].
    pub(crate) folder: Folder,
    /// The album's title, never empty.
    pub(crate) album: String,
    /// The declared artist of the album; empty if no tag declares one.
    pub(crate) declared: String,
    /// The track's first main artist; may be empty.
    pub(crate) artist: String,
    /// What tells this edition from others; may be empty.
    pub(crate) edition: String,
    /// The release's id.
    pub(crate) release: Option<String>,
    /// The disc, from the tags or else from the folder's name.
    pub(crate) disc: Option<u32>,
    /// The place on it.
    pub(crate) number: Option<u32>,
    /// When this edition, or else the recording, came out.
    pub(crate) year: Option<u16>,
    /// Whether the tags call the album a compilation.
    pub(crate) compilation: bool,
}

/// Whose album it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum By {
    /// Its tags declare this (folded) artist.
    Declared(String),
    /// No tag does, and this is the (folded) artist of all or nearly all of its tracks.
    Most(String),
    /// Many artists.
    Various,
    /// Nobody is named.
    Nobody,
}

impl By {
    fn key(&self) -> &str {
        match self {
            Self::Declared(artist) | Self::Most(artist) => artist,
            Self::Various => "various artists",
            Self::Nobody => "",
        }
    }
}

/// The tracks of one album.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The grouping key, in words.
    pub(crate) key: String,
    /// Whose it is.
    pub(crate) by: By,
    /// The release's id, if there is one.
    pub(crate) release: Option<String>,
    /// Its tracks, by key.
    pub(crate) tracks: Vec<i64>,
}

/// A folder's part of an album.
#[derive(Debug)]
struct Part<'a> {
    album: &'a str,
    members: Vec<&'a Member>,
    by: By,
    edition: String,
    release: Option<&'a str>,
    year: Option<u16>,
    places: BTreeSet<(u32, u32)>,
}

/// Groups these tracks. Whoever calls this gives, with a track, all that share its album's title or its release id.
pub(crate) fn group(members: &[Member]) -> Vec<Group> {
    let mut folders: BTreeMap<(&Folder, &str), Vec<&Member>> = BTreeMap::new();
    for member in members {
        folders.entry((&member.folder, &member.album)).or_default().push(member);
    }
    let mut parts = Vec::new();
    for ((_, album), together) in folders {
        for one_artist in part_by_artist(together) {
            for one_edition in part_by_release(one_artist) {
                parts.push(Part::new(album, one_edition));
            }
        }
    }
    join(parts)
}

fn part_by_artist(together: Vec<&Member>) -> Vec<Vec<&Member>> {
    let declared: BTreeSet<&str> = together.iter().map(|m| &*m.declared).filter(|d| !d.is_empty()).collect();
    let one_release = together.iter().all(|m| m.release.is_some() && m.release == together[0].release);
    if declared.len() < 2 || is_compilation(&together) || one_release {
        return vec![together];
    }
    let mut parts: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for member in together {
        let whose = if !member.declared.is_empty() {
            &*member.declared
        } else if declared.contains(&*member.artist) {
            &*member.artist
        } else {
            ""
        };
        parts.entry(whose).or_default().push(member);
    }
    parts.into_values().collect()
}

fn part_by_release(together: Vec<&Member>) -> Vec<Vec<&Member>> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut claims: BTreeMap<(u32, u32), &str> = BTreeMap::new();
    let mut clash = false;
    for member in &together {
        if let Some(release) = member.release.as_deref() {
            *sizes.entry(release).or_default() += 1;
            if let Some(place) = place(member) {
                clash |= *claims.entry(place).or_insert(release) != release;
            }
        }
    }
    let largest = sizes.iter().max_by_key(|(id, size)| (**size, std::cmp::Reverse(**id))).map(|(id, _)| *id);
    let (true, Some(largest)) = (clash, largest) else { return vec![together] };
    let mut parts: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for member in together {
        parts.entry(member.release.as_deref().unwrap_or(largest)).or_default().push(member);
    }
    parts.into_values().collect()
}

impl<'a> Part<'a> {
    fn new(album: &'a str, members: Vec<&'a Member>) -> Self {
        let release = the_one(members.iter().filter_map(|m| m.release.as_deref()));
        let edition =
            the_one(members.iter().map(|m| &*m.edition).filter(|e| !e.is_empty())).unwrap_or_default();
        Self {
            album,
            by: artist_of(&members),
            edition: edition.to_owned(),
            release,
            year: most(members.iter().filter_map(|m| m.year)),
            places: members.iter().filter_map(|m| place(m)).collect(),
            members,
        }
    }

    fn words(&self) -> (&'a str, String, String) {
        (self.album, self.by.key().to_owned(), self.edition.clone())
    }
}

/// Whose album it is when its tracks are these.
fn artist_of(members: &[&Member]) -> By {
    let declared: BTreeSet<&str> = members.iter().map(|m| &*m.declared).filter(|d| !d.is_empty()).collect();
    match declared.len() {
        1 => return By::Declared(declared.into_iter().collect()),
        2.. => return By::Various,
        0 => {}
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for member in members {
        *counts.entry(&member.artist).or_default() += 1;
    }
    let (artist, count) = counts.iter().max_by_key(|(_, count)| **count).map_or(("", 0), |(a, c)| (*a, *c));
    if counts.len() == 1 && artist.is_empty() {
        By::Nobody
    } else if counts.len() == 1 || (count * 4 >= members.len() * 3 && !artist.is_empty()) {
        By::Most(artist.to_owned())
    } else {
        By::Various
    }
}

fn join(parts: Vec<Part<'_>>) -> Vec<Group> {
    let mut releases: BTreeMap<&str, Vec<Part<'_>>> = BTreeMap::new();
    let mut without: BTreeMap<(&str, String, String), Vec<Part<'_>>> = BTreeMap::new();
    for part in parts {
        match part.release {
            Some(release) => releases.entry(release).or_default().push(part),
            None => without.entry(part.words()).or_default().push(part),
        }
    }
    let mut homes: BTreeMap<(&str, String, String), BTreeSet<&str>> = BTreeMap::new();
    for (release, parts) in &releases {
        for part in parts {
            homes.entry(part.words()).or_default().insert(release);
        }
    }
    let mut groups = Vec::new();
    for (words, parts) in without {
        let home = homes.get(&words).filter(|of| of.len() == 1).and_then(|of| of.first().copied());
        let (joining, alone): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| {
            home.and_then(|release| releases.get(release))
                .is_some_and(|there| there.iter().all(|other| other.places.is_disjoint(&part.places)))
        });
        if let Some(there) = home.and_then(|release| releases.get_mut(release)) {
            there.extend(joining);
        }
        editions(&words, alone, &mut groups);
    }
    for (release, parts) in releases {
        groups.push(Group::new(format!("mb:{release}"), Some(release), &parts));
    }
    groups.sort_by(|a, b| a.key.cmp(&b.key));
    groups
}

/// Parts of equal words and no id: one album, or several editions.
fn editions(words: &(&str, String, String), mut parts: Vec<Part<'_>>, groups: &mut Vec<Group>) {
    parts.sort_by_key(|part| {
        (part.year.is_none(), part.year, part.members.iter().map(|m| &m.folder).min().cloned())
    });
    let mut clusters: Vec<Vec<Part<'_>>> = Vec::new();
    for part in parts {
        let fits = |cluster: &Vec<Part<'_>>| {
            cluster.iter().all(|other| {
                other.year == part.year
                    || other.year.is_none()
                    || part.year.is_none()
                    || other.places.is_disjoint(&part.places)
            })
        };
        match clusters.iter_mut().find(|cluster| fits(cluster)) {
            Some(cluster) => cluster.push(part),
            None => clusters.push(vec![part]),
        }
    }
    let several = clusters.len() > 1;
    let (album, artist, edition) = words;
    for (index, cluster) in clusters.iter().enumerate() {
        let mut key = format!("{album}{BETWEEN}{artist}{BETWEEN}{edition}");
        if several {
            let year =
                cluster.iter().find_map(|part| part.year).map_or(String::new(), |year| year.to_string());
            key = format!("{key}{BETWEEN}{year}{BETWEEN}{index}");
        }
        groups.push(Group::new(key, None, cluster));
    }
}

impl Group {
    fn new(key: String, release: Option<&str>, parts: &[Part<'_>]) -> Self {
        let members: Vec<&Member> = parts.iter().flat_map(|part| part.members.iter().copied()).collect();
        let by = if parts.len() == 1 { parts[0].by.clone() } else { artist_of(&members) };
        let mut tracks: Vec<i64> = members.iter().map(|m| m.track).collect();
        tracks.sort_unstable();
        Self { key, by, release: release.map(str::to_owned), tracks }
    }
}

fn place(member: &Member) -> Option<(u32, u32)> {
    Some((member.disc.unwrap_or(1), member.number?))
}

fn is_compilation(members: &[&Member]) -> bool {
    members.iter().filter(|m| m.compilation).count() * 2 > members.len()
}

/// The one value that all have.
fn the_one<'a>(values: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut one = None;
    for value in values {
        if one.is_some_and(|other| other != value) {
            return None;
        }
        one = Some(value);
    }
    one
}

/// The most frequent value, the smaller one of two.
pub(crate) fn most<T: Ord + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut best: Option<(&T, usize)> = None;
    for (value, count) in &counts {
        if best.is_none_or(|(_, most)| *count > most) {
            best = Some((value, *count));
        }
    }
    best.map(|(value, _)| value.clone())
}

/// The folder that an album's tracks in `folder` belong to, and the disc that the folder's name tells: `Album/CD 2` is disc
/// 2 of `Album`. A root itself is nobody's disc.
pub(crate) fn album_folder(folder: &[u8]) -> (&[u8], Option<u32>) {
    let start = folder.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    match disc_in_name(&folder[start..]) {
        Some(disc) => (&folder[..start.saturating_sub(1)], Some(disc)),
        None => (folder, None),
    }
}

/// The disc of a folder called `CD1`, `Disc 02`, `disk-3`, `(CD2) Live`, `CD 1 - The Early Years`.
fn disc_in_name(name: &[u8]) -> Option<u32> {
    let name = std::str::from_utf8(name).ok()?.trim_start_matches(['(', '[']).to_ascii_lowercase();
    let rest = ["cd", "disc", "disk", "dvd"].iter().find_map(|word| name.strip_prefix(word))?;
    let digits = rest.trim_start_matches([' ', '-', '_', '.', '#']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (number, after) = digits.split_at(end);
    let ends = after.is_empty() || after.starts_with([' ', ')', ']', '-', '_', ':', ',', '.']);
    number.parse().ok().filter(|disc| ends && (1..=200).contains(disc))
}

#[cfg(test)]
mod tests;
