//! How a file that appears somewhere gets the id that it had: what it is known by, in the order in which that counts.
//!
//! A track's id is random and belongs to its row; nothing is computed from tags or paths, so nothing that changes about
//! them changes it. When a scan finds a file where the index has none, or another one than before, it looks among the
//! tracks that are *away*: missing, just gone from their place, or pushed from it by another file. The first that fits
//! counts:
//!
//! 1. **The same path**, as it is or as another system would spell it (NFC or NFD, upper or lower case), unless what lies
//!    there now is another song: other audio *and* another place on an album.
//! 2. **The same file**: device, inode, size and time of change are equal. It was moved or renamed and is not even opened.
//! 3. **The same audio**: the fingerprint of the audio bytes is equal. It was moved, renamed and retagged, or copied to
//!    another disk and deleted here.
//! 4. **The same track of a release** at `MusicBrainz`; else the same recording with the same length, if one alone is away.
//! 5. **The same place on the same album**: album, its artist, disc, number and title are equal when folded, and the
//!    lengths differ by two seconds at most. It was encoded anew.
//!
//! A path whose file changed counts for it only when neither the old nor the new file is recognised elsewhere by 2 or 3: so
//! files that were renamed in a row (`02` became `03`, …) take their ids along, and a file that an editor wrote anew keeps
//! its own. What weak evidence decides waits until all other files were read. One match uses its track up.
//!
//! **Its limits.** A file that is encoded anew *and* retagged beyond recognition is a new track. Of two copies with equal
//! audio that move at once either may get either id. What is away because its root is offline is not looked at: a copy elsewhere is a new track, so that
//! nothing is changed when the root returns; when far too much of a root vanished at once, only 1 to 3 count for it.

use std::collections::HashMap;
use std::hash::Hash;

use crate::Fingerprint;
use crate::fold::fold_name;
use crate::walk::Found;

/// So much may the length of a recording differ when it is encoded anew.
const LENGTHS: i64 = 2_000;

/// What is believed about a track that is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belief {
    /// Its file is gone from where it was.
    Gone,
    /// It may be there when its mount is: only the file or its audio proves that it moved.
    PerhapsGone,
}

/// A place below a root.
pub(crate) type Place = (i64, Vec<u8>);

/// A track that is away.
#[derive(Clone, Debug)]
pub(crate) struct Away {
    pub(crate) key: i64,
    pub(crate) place: Place,
    pub(crate) size: i64,
    pub(crate) modified: i64,
    pub(crate) device: i64,
    pub(crate) inode: i64,
    pub(crate) content: Content,
    /// Whether what its tags said is in the index.
    pub(crate) read: bool,
    pub(crate) belief: Belief,
}

impl Away {
    /// Whether this file is as the track's was: as long, and changed at the same time.
    pub(crate) fn is_as(&self, found: &Found) -> bool {
        (self.size, self.modified) == (found.size, found.modified)
    }
}

/// What is known of a file only by reading it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) mb_track: Option<String>,
    pub(crate) mb_recording: Option<String>,
    /// A hash of album, artist, disc, number and title, folded; only where the tags have a title, and an album or artist.
    pub(crate) likeness: Option<i64>,
    pub(crate) milliseconds: Option<i64>,
}

/// The tracks that are away, by everything that they are known by.
#[derive(Debug, Default)]
pub(crate) struct Aways {
    all: HashMap<i64, Away>,
    places: HashMap<Place, Vec<i64>>,
    inodes: HashMap<(i64, i64), Vec<i64>>,
    fingerprints: HashMap<Fingerprint, Vec<i64>>,
    mb_tracks: HashMap<String, Vec<i64>>,
    mb_recordings: HashMap<String, Vec<i64>>,
    likenesses: HashMap<i64, Vec<i64>>,
}

impl Aways {
    pub(crate) fn add(&mut self, away: Away) {
        let key = away.key;
        note(&mut self.places, Some((away.place.0, fold_name(&away.place.1))), key);
        note(&mut self.inodes, Some((away.device, away.inode)), key);
        let content = &away.content;
        note(&mut self.fingerprints, content.fingerprint, key);
        note(&mut self.mb_tracks, content.mb_track.clone(), key);
        note(&mut self.mb_recordings, content.mb_recording.clone(), key);
        note(&mut self.likenesses, content.likeness, key);
        self.all.insert(key, away);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn contains(&self, key: i64) -> bool {
        self.all.contains_key(&key)
    }

    /// Uses the track up: no other file is taken for it.
    pub(crate) fn take(&mut self, key: i64) -> Option<Away> {
        self.all.remove(&key)
    }

    /// Whether what was read is another song than this track: other audio, at another place of an album.
    pub(crate) fn is_another(&self, key: i64, content: &Content) -> bool {
        let Some(before) = self.all.get(&key).map(|away| &away.content) else { return true };
        let audio = other_audio(before, content);
        let tags = matches!((before.likeness, content.likeness), (Some(a), Some(b)) if a != b);
        let known = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        let ids =
            known(&before.mb_track, &content.mb_track) || known(&before.mb_recording, &content.mb_recording);
        audio && tags && !ids
    }

    /// Whether this file is as the track's was: as long, and changed at the same time.
    pub(crate) fn is_as(&self, key: i64, found: &Found) -> bool {
        self.all.get(&key).is_some_and(|away| away.is_as(found))
    }

    /// Whether this track's file is this one, and its audio the same as far as is known.
    pub(crate) fn is_same_file(&self, key: i64, found: &Found, content: &Content) -> bool {
        self.all.get(&key).is_some_and(|away| {
            (away.device, away.inode) == (found.device, found.inode) && !other_audio(&away.content, content)
        })
    }

    /// Takes back what is believed about these.
    pub(crate) fn doubt(&mut self, keys: impl IntoIterator<Item = i64>) {
        for key in keys {
            if let Some(away) = self.all.get_mut(&key) {
                away.belief = Belief::PerhapsGone;
            }
        }
    }

    /// Rung 1. Of several spellings the exact one, else the one of equal size.
    pub(crate) fn by_place(&self, place: &Place, found: &Found) -> Option<i64> {
        let folded = (place.0, fold_name(&place.1));
        let here = || self.here(self.places.get(&folded));
        here()
            .find(|away| away.place == *place)
            .or_else(|| here().find(|away| away.size == found.size))
            .or_else(|| here().next())
            .map(|away| away.key)
    }

    /// Rung 2.
    pub(crate) fn by_file(&self, found: &Found) -> Option<i64> {
        self.here(self.inodes.get(&(found.device, found.inode)))
            .find(|away| away.size == found.size && away.modified == found.modified)
            .map(|away| away.key)
    }

    /// Rung 3. Of several the one with this key, if it is among them.
    pub(crate) fn by_audio(&self, content: &Content, own: Option<i64>) -> Option<i64> {
        let same =
            || self.here(content.fingerprint.and_then(|fingerprint| self.fingerprints.get(&fingerprint)));
        same()
            .find(|away| Some(away.key) == own)
            .or_else(|| same().find(|away| away.content.likeness == content.likeness))
            .or_else(|| same().next())
            .map(|away| away.key)
    }

    /// Rungs 4 and 5.
    pub(crate) fn by_tags(&self, content: &Content) -> Option<i64> {
        let gone = |away: &&Away| away.belief == Belief::Gone;
        let as_long = |away: &&Away| match (away.content.milliseconds, content.milliseconds) {
            (Some(a), Some(b)) => (a - b).abs() <= LENGTHS,
            _ => false,
        };
        let track = content.mb_track.as_ref().and_then(|id| self.mb_tracks.get(id));
        if let Some(away) = self.here(track).find(gone) {
            return Some(away.key);
        }
        let recording = content.mb_recording.as_ref().and_then(|id| self.mb_recordings.get(id));
        let mut same = self.here(recording).filter(gone).filter(as_long);
        if let (Some(away), None) = (same.next(), same.next()) {
            return Some(away.key);
        }
        let alike = content.likeness.and_then(|hash| self.likenesses.get(&hash));
        self.here(alike).filter(gone).find(as_long).map(|away| away.key)
    }

    fn here<'a>(&'a self, keys: Option<&'a Vec<i64>>) -> impl Iterator<Item = &'a Away> {
        keys.into_iter().flatten().filter_map(|key| self.all.get(key))
    }
}

fn other_audio(before: &Content, now: &Content) -> bool {
    matches!((before.fingerprint, now.fingerprint), (Some(a), Some(b)) if a != b)
}

fn note<K: Eq + Hash>(map: &mut HashMap<K, Vec<i64>>, at: Option<K>, key: i64) {
    if let Some(at) = at {
        map.entry(at).or_default().push(key);
    }
}
