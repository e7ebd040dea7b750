//! What a file is to a library, by the end of its name. Whether audio can be read is the reader's to say: a kind that
//! cannot be is listed as such instead of being passed over in silence.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::is_audio_name;

/// What lies beside audio and belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SidecarKind {
    /// A picture.
    Picture,
    /// Words that are sung.
    Lyrics,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Audio,
    Playlist,
    Sidecar(SidecarKind),
}

/// The kind of a file of this name; `None` if it is nothing to a library.
pub(super) fn kind(name: &[u8]) -> Option<Kind> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let end = std::str::from_utf8(&name[dot + 1..]).ok()?;
    let is = |known: &&str| known.eq_ignore_ascii_case(end);
    if is_audio_name(Path::new(OsStr::from_bytes(name))) {
        Some(Kind::Audio)
    } else if ["jpg", "jpeg", "png", "webp", "gif"].iter().any(is) {
        Some(Kind::Sidecar(SidecarKind::Picture))
    } else if ["m3u", "m3u8", "pls"].iter().any(is) {
        Some(Kind::Playlist)
    } else if ["lrc"].iter().any(is) {
        Some(Kind::Sidecar(SidecarKind::Lyrics))
    } else {
        None
    }
}
