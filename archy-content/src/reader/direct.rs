//! Reads in this process.

use std::path::Path;

use crate::covers::small;
use crate::{FileReader, PictureAt, Reading, Unreadable, tags};

/// Reads files in the process and on the thread that calls it. For tests, for benchmarks, and for the process that
/// [`crate::ChildReader`] starts: a file may end the process, or never end.
#[derive(Clone, Copy, Debug, Default)]
pub struct DirectReader;

impl FileReader for DirectReader {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        tags::read(file)
    }

    fn picture(&mut self, file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
        tags::picture(file, index, most)
    }

    fn thumbnail(&mut self, of: PictureAt<'_>, side: u32) -> Result<Vec<u8>, Unreadable> {
        small(of, side, |index, most| tags::picture(of.file, index, most))
    }
}
