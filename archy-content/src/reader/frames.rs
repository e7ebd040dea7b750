//! What passes between the library and the process that reads: a length of four bytes, the lowest first, then as many.
//!
//! Both ends are of one program and one version: nothing here is kept.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// An answer longer than this is none; pictures come in answers too.
pub(super) const LONGEST: usize = 256 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Read(PathBuf),
    Picture { file: PathBuf, index: u64, most: u64 },
    Thumbnail { file: PathBuf, index: Option<u64>, side: u32 },
}

pub(super) fn read_request(file: &Path) -> Vec<u8> {
    frame(&[b"r", file.as_os_str().as_bytes()])
}

pub(super) fn picture_request(file: &Path, index: u64, most: u64) -> Vec<u8> {
    frame(&[b"p", &index.to_le_bytes(), &most.to_le_bytes(), file.as_os_str().as_bytes()])
}

pub(super) fn thumbnail_request(file: &Path, index: Option<u64>, side: u32) -> Vec<u8> {
    // No file has as many pictures as the number for none.
    frame(&[b"t", &index.unwrap_or(u64::MAX).to_le_bytes(), &side.to_le_bytes(), file.as_os_str().as_bytes()])
}

/// One frame of these parts.
pub(super) fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let long: usize = parts.iter().map(|part| part.len()).sum();
    let mut frame = Vec::with_capacity(4 + long);
    frame.extend(u32::try_from(long).unwrap_or(u32::MAX).to_le_bytes());
    for part in parts {
        frame.extend_from_slice(part);
    }
    frame
}

/// The next request; None where there are no more.
pub(super) fn next_request(from: &mut impl Read) -> io::Result<Option<Request>> {
    let mut long = [0; 4];
    match from.read_exact(&mut long) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut bytes = vec![0; usize::try_from(u32::from_le_bytes(long)).unwrap_or(0).min(1 << 20)];
    from.read_exact(&mut bytes)?;
    let path = |bytes: &[u8]| PathBuf::from(OsString::from_vec(bytes.to_vec()));
    match bytes.split_first() {
        Some((b'r', file)) => Ok(Some(Request::Read(path(file)))),
        Some((b'p', rest)) => {
            let nonsense = || io::Error::from(io::ErrorKind::InvalidData);
            let (index, rest) = rest.split_first_chunk::<8>().ok_or_else(nonsense)?;
            let (most, file) = rest.split_first_chunk::<8>().ok_or_else(nonsense)?;
            let (index, most) = (u64::from_le_bytes(*index), u64::from_le_bytes(*most));
            Ok(Some(Request::Picture { file: path(file), index, most }))
        }
        Some((b't', rest)) => {
            let nonsense = || io::Error::from(io::ErrorKind::InvalidData);
            let (index, rest) = rest.split_first_chunk::<8>().ok_or_else(nonsense)?;
            let (side, file) = rest.split_first_chunk::<4>().ok_or_else(nonsense)?;
            let index = Some(u64::from_le_bytes(*index)).filter(|index| *index != u64::MAX);
            Ok(Some(Request::Thumbnail { file: path(file), index, side: u32::from_le_bytes(*side) }))
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The first whole frame in a buffer: where what it carries begins and ends. `Err` for a length that no answer has.
pub(super) fn whole(buffer: &[u8]) -> Result<Option<(usize, usize)>, ()> {
    let Some((long, rest)) = buffer.split_first_chunk::<4>() else { return Ok(None) };
    let long = usize::try_from(u32::from_le_bytes(*long)).map_err(|_| ())?;
    if long > LONGEST {
        return Err(());
    }
    Ok((rest.len() >= long).then_some((4, 4 + long)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_out_as_they_went_in_whatever_the_name() {
        let odd = PathBuf::from(OsString::from_vec(b"/m\xfcsic/\n\x01.mp3".to_vec()));
        let long = PathBuf::from("x".repeat(5_000));
        let sent = [
            read_request(&odd),
            picture_request(&long, 3, u64::MAX),
            thumbnail_request(&odd, Some(0), 256),
            thumbnail_request(&odd, None, 512),
            read_request(&long),
        ]
        .concat();
        let mut from = sent.as_slice();
        let mut got = Vec::new();
        while let Some(request) = next_request(&mut from).unwrap() {
            got.push(request);
        }
        let wanted = [
            Request::Read(odd.clone()),
            Request::Picture { file: long.clone(), index: 3, most: u64::MAX },
            Request::Thumbnail { file: odd.clone(), index: Some(0), side: 256 },
            Request::Thumbnail { file: odd, index: None, side: 512 },
            Request::Read(long),
        ];
        assert_eq!(got, wanted);
    }

    #[test]
    fn an_answer_is_whole_only_at_its_last_byte() {
        let frame = frame(&[b"ab", b"c"]);
        for cut in 0..frame.len() {
            assert_eq!(whole(&frame[..cut]), Ok(None));
        }
        assert_eq!(whole(&[&frame[..], b"more"].concat()), Ok(Some((4, 7))));
        assert_eq!(whole(&[255, 255, 255, 255]), Err(()));
    }
}
