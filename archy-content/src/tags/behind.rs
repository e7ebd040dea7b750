//! A file as if it began further on: behind a tag that cannot be read, the audio still can.

use std::io::{self, Read, Seek, SeekFrom};

/// What of a file is behind a place. Places before it are errors.
pub(crate) struct Behind<'a, R> {
    pub(crate) from: &'a mut R,
    pub(crate) start: u64,
}

impl<R: Read> Read for Behind<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.from.read(into)
    }
}

impl<R: Seek> Seek for Behind<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(place) => SeekFrom::Start(place.saturating_add(self.start)),
            other => other,
        };
        let place = self.from.seek(to)?;
        place.checked_sub(self.start).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}
