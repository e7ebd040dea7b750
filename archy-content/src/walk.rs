//! Walks a root: which folders there are, and what lies in them. It opens no file.
//!
//! Links are followed after everything else, so that what is reachable twice is listed under its own name; a folder is
//! walked once, known by device and inode, so no loop of links or mounts is walked twice. A folder that cannot be read is
//! told as such, which is not the same as empty.

mod ignored;
mod kind;
mod patterns;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use kind::SidecarKind;
use kind::{Kind, kind};
use patterns::Rules;

/// What a walk leaves out and follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WalkOptions {
    /// Whether links are followed. They are, unless this says otherwise.
    pub links: Links,
    /// Whether a folder with a file `.nomedia` in it is left out. It is not, unless this says otherwise: people keep music
    /// there, hidden from their phone's player.
    pub nomedia: Nomedia,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self { links: Links::Followed, nomedia: Nomedia::Listed }
    }
}

/// What happens with links to files and folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Links {
    /// What they point to is listed, once.
    Followed,
    /// They are as if they were not there.
    LeftOut,
}

/// What happens with a folder that holds `.nomedia`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Nomedia {
    /// Nothing.
    Listed,
    /// It and what is below are left out.
    LeftOut,
}

/// One file, as the file system tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) name: Vec<u8>,
    pub(crate) size: i64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    pub(crate) device: i64,
    pub(crate) inode: i64,
}

/// One folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Below the root; empty for the root.
    pub(crate) path: Vec<u8>,
    pub(crate) device: i64,
    pub(crate) audio: Vec<Found>,
    pub(crate) sidecars: Vec<(SidecarKind, Found)>,
    pub(crate) playlists: Vec<Found>,
    /// Whether there was nothing at all in it.
    pub(crate) bare: bool,
    /// Whether it was walked before under another name, by a link or a mount. Then it is not listed again.
    pub(crate) twice: bool,
    /// Why it could not be read. Then nothing is known of it and of what is below.
    pub(crate) unreadable: Option<String>,
    /// Entries that are there and could not be looked at: a name, and why. What they were is unknown, not gone.
    pub(crate) odd: Vec<(Vec<u8>, String)>,
}

impl Listing {
    /// Changes whenever anything does that was listed (FNV-1a).
    pub(crate) fn hash(&self) -> i64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut eat = |bytes: &[u8]| {
            for byte in bytes {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        let files =
            self.audio.iter().chain(self.sidecars.iter().map(|(_, file)| file)).chain(&self.playlists);
        for file in files {
            eat(&file.name);
            eat(&[0]);
            eat(&file.size.to_le_bytes());
            eat(&file.modified.to_le_bytes());
            eat(&file.inode.to_le_bytes());
        }
        eat(&self.device.to_le_bytes());
        hash.cast_signed()
    }
}

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Go {
    On,
    Stop,
}

/// A folder that is still to be walked.
struct Next {
    path: Vec<u8>,
    rules: Option<Rc<Rules>>,
}

/// Walks `from` (a folder below `root`, empty for the root itself) and everything below it.
pub(crate) fn walk(root: &Path, from: &[u8], options: WalkOptions, each: &mut dyn FnMut(Listing) -> Go) {
    let mut visited = HashSet::new();
    let mut stack = vec![Next { path: from.to_vec(), rules: rules_above(root, from) }];
    // Links wait until all that has a name of its own was seen.
    let mut links: Vec<Next> = Vec::new();
    loop {
        let Some(next) = stack.pop().or_else(|| if links.is_empty() { None } else { Some(links.remove(0)) })
        else {
            return;
        };
        let mut listing = Listing { path: next.path, ..Listing::default() };
        let place = below(root, &listing.path);
        match fs::metadata(&place) {
            Ok(about) => {
                listing.device = about.dev().cast_signed();
                if !visited.insert((about.dev(), about.ino())) {
                    listing.twice = true;
                    if each(listing) == Go::Stop {
                        return;
                    }
                    continue;
                }
            }
            Err(error) => listing.unreadable = Some(refused(&error)),
        }
        let mut folders = Vec::new();
        if listing.unreadable.is_none()
            && let Err(error) =
                list(&place, options, next.rules.as_ref(), &mut listing, &mut folders, &mut links)
        {
            listing.unreadable = Some(refused(&error));
        }
        if listing.unreadable.is_some() {
            folders.clear();
        }
        folders.sort_by(|a, b| b.path.cmp(&a.path));
        stack.append(&mut folders);
        if each(listing) == Go::Stop {
            return;
        }
    }
}

/// The rules of ignore files in the folders above `from`.
fn rules_above(root: &Path, from: &[u8]) -> Option<Rc<Rules>> {
    if from.is_empty() {
        return None;
    }
    let mut rules = None;
    let mut parents: Vec<&[u8]> = vec![b""];
    parents.extend(from.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &from[..at]));
    for parent in parents {
        rules = Rules::read(&below(root, parent), parent, rules);
    }
    rules
}

fn list(
    place: &Path,
    options: WalkOptions,
    rules: Option<&Rc<Rules>>,
    listing: &mut Listing,
    folders: &mut Vec<Next>,
    links: &mut Vec<Next>,
) -> std::io::Result<()> {
    let mut entries = Vec::new();
    let mut marked = false;
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name();
        match name.as_bytes() {
            b".nomedia" if options.nomedia == Nomedia::LeftOut => return Ok(()),
            b".ndignore" | b".archyignore" => marked = true,
            _ => {}
        }
        entries.push(entry);
    }
    listing.bare = entries.is_empty();
    let read = if marked { Rules::read(place, &listing.path, rules.cloned()) } else { rules.cloned() };
    if read.as_ref().is_some_and(|rules| rules.whole()) {
        return Ok(());
    }
    for entry in entries {
        let name = entry.file_name().into_vec();
        let of = match entry.file_type() {
            Ok(of) => of,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                listing.odd.push((name, refused(&error)));
                continue;
            }
        };
        if ignored::is_junk(&name, of.is_dir()) {
            continue;
        }
        if of.is_symlink() {
            if options.links == Links::Followed {
                follow(place, name, read.as_ref(), listing, links);
            }
        } else if of.is_dir() {
            let path = join(&listing.path, &name);
            if !read.as_ref().is_some_and(|rules| rules.hides(&path, true)) {
                folders.push(Next { path, rules: read.clone() });
            }
        } else if of.is_file()
            && let Some(kind) = kind(&name)
            && !read.as_ref().is_some_and(|rules| rules.hides(&join(&listing.path, &name), false))
        {
            match entry.metadata() {
                Ok(about) => take(listing, kind, found(name, &about)),
                // It went between listing and looking.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => listing.odd.push((name, refused(&error))),
            }
        }
    }
    listing.audio.sort_by(|a, b| a.name.cmp(&b.name));
    listing.sidecars.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    listing.playlists.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}

/// A link: to a folder it waits, to a file it is listed if the file has no name of its own below this folder's root.
fn follow(
    place: &Path,
    name: Vec<u8>,
    rules: Option<&Rc<Rules>>,
    listing: &mut Listing,
    links: &mut Vec<Next>,
) {
    let target = place.join(OsStr::from_bytes(&name));
    let path = join(&listing.path, &name);
    let about = match fs::metadata(&target) {
        Ok(about) => about,
        Err(error) => {
            let why = if error.kind() == io::ErrorKind::NotFound {
                "a link that leads nowhere".to_owned()
            } else {
                format!("a link that cannot be followed: {error}")
            };
            listing.odd.push((name, why));
            return;
        }
    };
    if rules.is_some_and(|rules| rules.hides(&path, about.is_dir())) {
        return;
    }
    if about.is_dir() {
        links.push(Next { path, rules: rules.cloned() });
    } else if about.is_file()
        && let Some(kind) = kind(&name)
    {
        // The root is as many folders up as the path has parts.
        let up = listing.path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).count();
        let root = place.ancestors().nth(up).unwrap_or(place);
        let inside = match (fs::canonicalize(&target), fs::canonicalize(root)) {
            (Ok(target), Ok(root)) => target.starts_with(root),
            _ => false,
        };
        if !inside {
            take(listing, kind, found(name, &about));
        }
    }
}

fn take(listing: &mut Listing, kind: Kind, found: Found) {
    match kind {
        Kind::Audio => listing.audio.push(found),
        Kind::Playlist => listing.playlists.push(found),
        Kind::Sidecar(kind) => listing.sidecars.push((kind, found)),
    }
}

fn found(name: Vec<u8>, about: &Metadata) -> Found {
    Found {
        name,
        size: about.size().cast_signed(),
        modified: about.mtime().saturating_mul(1_000_000_000).saturating_add(about.mtime_nsec()),
        device: about.dev().cast_signed(),
        inode: about.ino().cast_signed(),
    }
}

/// Looks at one file anew.
pub(crate) fn look(path: &Path) -> io::Result<Found> {
    let name = path.file_name().map_or_else(Vec::new, |name| name.as_bytes().to_vec());
    Ok(found(name, &fs::metadata(path)?))
}

/// Why the system does not give something, for people.
pub(crate) fn refused(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "this program has no right to read it".to_owned(),
        _ => error.to_string(),
    }
}

/// A path below a folder, in the bytes of the index.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.is_empty() && !name.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Whether a path is this folder or lies in it.
pub(crate) fn is_below(path: &[u8], folder: &[u8]) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// Such a path on the disk.
pub(crate) fn below(root: &Path, path: &[u8]) -> PathBuf {
    if path.is_empty() { root.to_path_buf() } else { root.join(OsStr::from_bytes(path)) }
}
