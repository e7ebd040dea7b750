//! Covers: which picture stands for an album, and small copies of it.
//!
//! In this order: the picture that most of the album's tracks carry, if at least half of those with pictures do, a front
//! cover before others; a picture beside the tracks, called `cover`, `folder`, `front`, `album` or `albumart` (in any case;
//! `jpg`, `jpeg`, `png`, `webp`, `gif`), in the album's own folder, then in those of its discs; whatever a track carries.
//! So one odd track's picture is nobody's cover while there is a better one.
//!
//! Small copies are made when they are first asked for, by the process that reads files, because a picture is as hostile
//! as any other file; this process never holds the large one. They are kept beside the index.

mod choice;
mod kept;
mod small;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{AlbumId, FileReader, Library, LibraryError, Unreadable};

pub(crate) use small::small;

/// A picture in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureAt<'a> {
    /// The file.
    pub file: &'a Path,
    /// Its place among the pictures of an audio file; `None` if the file is a picture itself.
    pub index: Option<usize>,
}

/// A small copy of an album's cover: a file to be served or shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cover {
    /// A JPEG. It stays as it is until it is removed; ask again rather than keeping the path.
    pub file: PathBuf,
    /// Another one means another picture: what a browser may keep it by.
    pub tag: String,
}

/// The sizes that copies have, so that there are few of them: the longer side in pixels.
const SIDES: [u32; 3] = [128, 256, 512];

/// The reader that makes small copies, started when it is first needed.
#[derive(Default)]
pub(crate) struct Maker(Mutex<Option<Box<dyn FileReader>>>);

impl std::fmt::Debug for Maker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Maker")
    }
}

impl Library {
    /// The cover of an album, in the least of the sizes 128, 256 and 512 that has this many pixels on its longer side.
    /// `None` if there is none, or none that can be read.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such album; [`LibraryError::System`] if the copy cannot be written.
    pub fn cover(&self, album: AlbumId, pixels: u32) -> Result<Option<Cover>, LibraryError> {
        let side = SIDES.into_iter().find(|side| *side >= pixels).unwrap_or(SIDES[2]);
        let choices = choice::choices(&*self.index.pool.read()?, album)?;
        let copies = kept::Shelf::of(&self.index.directory);
        for choice in choices {
            let tag = choice.tag(side);
            if let Some(file) = copies.get(&tag) {
                return Ok(Some(Cover { file, tag }));
            }
            let at = PictureAt { file: &choice.file, index: choice.index };
            let mut maker = self.maker.0.lock().unwrap_or_else(PoisonError::into_inner);
            match maker.get_or_insert_with(|| self.reader()).thumbnail(at, side) {
                Ok(jpeg) => return Ok(Some(Cover { file: copies.put(&tag, &jpeg)?, tag })),
                // The next best one; this one is tried again when it is asked for again.
                Err(Unreadable::NotGiven { .. } | Unreadable::Damaged { .. } | Unreadable::Empty) => {}
                // A fresh process for the next one.
                Err(_) => *maker = None,
            }
        }
        Ok(None)
    }
}
