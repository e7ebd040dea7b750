//! What kind of audio a file is: its first bytes decide, its name only where they cannot.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::Unreadable;

/// The kinds that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mpeg,
    Aac,
    Flac,
    Vorbis,
    Opus,
    Speex,
    Mp4,
    Ape,
    Musepack,
    WavPack,
    Wav,
    Aiff,
}

/// What a file's name says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Read(Kind),
    /// One of the Ogg kinds: the first page says which.
    Ogg,
    NotRead(&'static str),
}

const READ: &[(&str, Named)] = &[
    ("mp3", Named::Read(Kind::Mpeg)),
    ("mp2", Named::Read(Kind::Mpeg)),
    ("mp1", Named::Read(Kind::Mpeg)),
    ("mpga", Named::Read(Kind::Mpeg)),
    ("aac", Named::Read(Kind::Aac)),
    ("flac", Named::Read(Kind::Flac)),
    ("fla", Named::Read(Kind::Flac)),
    ("ogg", Named::Ogg),
    ("oga", Named::Ogg),
    ("opus", Named::Ogg),
    ("spx", Named::Ogg),
    ("m4a", Named::Read(Kind::Mp4)),
    ("m4b", Named::Read(Kind::Mp4)),
    ("m4p", Named::Read(Kind::Mp4)),
    ("m4r", Named::Read(Kind::Mp4)),
    ("mp4", Named::Read(Kind::Mp4)),
    ("3gp", Named::Read(Kind::Mp4)),
    ("3ga", Named::Read(Kind::Mp4)),
    ("ape", Named::Read(Kind::Ape)),
    ("mpc", Named::Read(Kind::Musepack)),
    ("mp+", Named::Read(Kind::Musepack)),
    ("mpp", Named::Read(Kind::Musepack)),
    ("wv", Named::Read(Kind::WavPack)),
    ("wav", Named::Read(Kind::Wav)),
    ("wave", Named::Read(Kind::Wav)),
    ("aif", Named::Read(Kind::Aiff)),
    ("aiff", Named::Read(Kind::Aiff)),
    ("aifc", Named::Read(Kind::Aiff)),
    ("afc", Named::Read(Kind::Aiff)),
    ("dsf", Named::NotRead(DSF)),
    ("dff", Named::NotRead(DFF)),
    ("wma", Named::NotRead(WMA)),
    ("asf", Named::NotRead(WMA)),
    ("tta", Named::NotRead(TTA)),
    ("tak", Named::NotRead(TAK)),
    ("ofr", Named::NotRead(OFR)),
    ("ofs", Named::NotRead(OFR)),
    ("mka", Named::NotRead(MATROSKA)),
    ("weba", Named::NotRead(MATROSKA)),
    ("webm", Named::NotRead(MATROSKA)),
    ("ac3", Named::NotRead(AC3)),
    ("eac3", Named::NotRead(AC3)),
    ("ec3", Named::NotRead(AC3)),
    ("dts", Named::NotRead("DTS (dts)")),
    ("mid", Named::NotRead(MIDI)),
    ("midi", Named::NotRead(MIDI)),
    ("mod", Named::NotRead(TRACKER)),
    ("xm", Named::NotRead(TRACKER)),
    ("it", Named::NotRead(TRACKER)),
    ("s3m", Named::NotRead(TRACKER)),
    ("shn", Named::NotRead(SHORTEN)),
    ("caf", Named::NotRead(CAF)),
    ("au", Named::NotRead(AU)),
    ("snd", Named::NotRead(AU)),
    ("amr", Named::NotRead(AMR)),
    ("ra", Named::NotRead(REAL)),
    ("rm", Named::NotRead(REAL)),
    ("w64", Named::NotRead("Wave64 (w64)")),
    ("rf64", Named::NotRead(RF64)),
];

const DSF: &str = "DSD (dsf)";
const DFF: &str = "DSD (dff)";
const WMA: &str = "Windows Media (wma)";
const TTA: &str = "True Audio (tta)";
const TAK: &str = "TAK (tak)";
const OFR: &str = "OptimFROG (ofr)";
const MATROSKA: &str = "Matroska or WebM (mka)";
const AC3: &str = "Dolby Digital (ac3)";
const MIDI: &str = "MIDI (mid)";
const TRACKER: &str = "tracker module";
const SHORTEN: &str = "Shorten (shn)";
const CAF: &str = "Core Audio (caf)";
const AU: &str = "Sun audio (au)";
const AMR: &str = "AMR (amr)";
const REAL: &str = "RealAudio (ra)";
const RF64: &str = "RF64 (rf64)";

/// Whether a file's name says that it is audio, of a kind that is read or of one that is known and not read: such a
/// file belongs to the collection. What the file holds is not looked at.
#[must_use]
pub fn is_audio_name(file: &Path) -> bool {
    named(file).is_some()
}

fn named(file: &Path) -> Option<Named> {
    let extension = file.extension()?.to_str()?;
    READ.iter().find(|(name, _)| extension.eq_ignore_ascii_case(name)).map(|(_, named)| *named)
}

/// What kind a file is that is not empty. Leaves it at any place.
///
/// Nothing is guessed from the middle of a file: what has neither a name of ours nor a beginning that is one kind's
/// alone is not read.
pub(crate) fn kind(file: &Path, from: &mut (impl Read + Seek)) -> Result<Kind, Unreadable> {
    let Some(named) = named(file) else {
        return Err(Unreadable::NotSupported { kind: "a file whose name is not one of audio".to_owned() });
    };
    let mut start = [0; 64];
    let mut got = beginning(from, 0, &mut start)?;
    let mut tagged = false;
    // ID3v2 before other audio is against every other format's rules, and there.
    if let [b'I', b'D', b'3', 2..=4, _, flags, a, b, c, d, ..] = start {
        let footer = if flags & 0x10 == 0 { 0 } else { 10 };
        let size = [a, b, c, d].iter().fold(0u64, |size, byte| (size << 7) | u64::from(byte & 0x7f));
        tagged = true;
        start = [0; 64];
        got = beginning(from, 10 + size + footer, &mut start)?;
    }
    match magic(&start[..got]) {
        Some(Named::Read(kind)) => return Ok(kind),
        Some(Named::NotRead(kind)) => return Err(Unreadable::NotSupported { kind: kind.to_owned() }),
        Some(Named::Ogg) => return ogg(&start[..got]),
        None => {}
    }
    if start.starts_with(&[0, 5, 0x16, 7]) || start.starts_with(&[0, 5, 0x16, 0]) {
        return damaged("what macOS keeps beside a file (AppleDouble), and no audio");
    }
    match named {
        // These have no mark that every file begins with.
        Named::Read(kind @ (Kind::Mpeg | Kind::Aac)) => {
            if !tagged && got > 0 && start[..got].iter().all(|&byte| byte == 0) && all_zero(from)? {
                return damaged("nothing but zeros");
            }
            Ok(kind)
        }
        Named::NotRead(kind) => Err(Unreadable::NotSupported { kind: kind.to_owned() }),
        // Some have their tag first and the mark in disorder; then the name is believed, and the reader decides.
        Named::Read(kind) if tagged => Ok(kind),
        Named::Read(_) | Named::Ogg => damaged("not what its name says"),
    }
}

fn damaged(says: &str) -> Result<Kind, Unreadable> {
    Err(Unreadable::Damaged { says: says.to_owned() })
}

fn beginning(from: &mut (impl Read + Seek), at: u64, into: &mut [u8]) -> Result<usize, Unreadable> {
    from.seek(SeekFrom::Start(at))?;
    let mut got = 0;
    while got < into.len() {
        match from.read(&mut into[got..])? {
            0 => break,
            more => got += more,
        }
    }
    Ok(got)
}

/// Whether the first mebibyte is zeros: what a download leaves that reserved its space and got no further.
fn all_zero(from: &mut (impl Read + Seek)) -> Result<bool, Unreadable> {
    let mut block = [0; 16 << 10];
    for at in 0..64 {
        let got = beginning(from, at * block.len() as u64, &mut block)?;
        if block[..got].iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        if got < block.len() {
            break;
        }
    }
    Ok(true)
}

fn magic(start: &[u8]) -> Option<Named> {
    let at = |place: usize, what: &[u8]| start.get(place..).is_some_and(|rest| rest.starts_with(what));
    let found = match () {
        () if at(0, b"fLaC") => Named::Read(Kind::Flac),
        () if at(0, b"OggS") => Named::Ogg,
        () if at(4, b"ftyp") => Named::Read(Kind::Mp4),
        () if at(0, b"RIFF") && at(8, b"WAVE") => Named::Read(Kind::Wav),
        () if at(0, b"FORM") && (at(8, b"AIFF") || at(8, b"AIFC")) => Named::Read(Kind::Aiff),
        () if at(0, b"MAC ") => Named::Read(Kind::Ape),
        () if at(0, b"MPCK") || at(0, b"MP+") => Named::Read(Kind::Musepack),
        () if at(0, b"wvpk") => Named::Read(Kind::WavPack),
        () if at(0, b"RF64") => Named::NotRead(RF64),
        () if at(0, b"DSD ") => Named::NotRead(DSF),
        () if at(0, b"FRM8") => Named::NotRead(DFF),
        () if at(0, &[0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11]) => Named::NotRead(WMA),
        () if at(0, b"TTA1") || at(0, b"TTA2") => Named::NotRead(TTA),
        () if at(0, b"tBaK") => Named::NotRead(TAK),
        () if at(0, b"OFR ") => Named::NotRead(OFR),
        () if at(0, &[0x1a, 0x45, 0xdf, 0xa3]) => Named::NotRead(MATROSKA),
        () if at(0, &[0x0b, 0x77]) => Named::NotRead(AC3),
        () if at(0, b"MThd") => Named::NotRead(MIDI),
        () if at(0, b"IMPM") || at(0, b"Extended Module") => Named::NotRead(TRACKER),
        () if at(0, b"ajkg") => Named::NotRead(SHORTEN),
        () if at(0, b"caff") => Named::NotRead(CAF),
        () if at(0, b".snd") => Named::NotRead(AU),
        () if at(0, b"#!AMR") => Named::NotRead(AMR),
        () if at(0, b".RMF") || at(0, b".ra\xfd") => Named::NotRead(REAL),
        () => return None,
    };
    Some(found)
}

/// Which of the Ogg kinds the first packet begins.
fn ogg(start: &[u8]) -> Result<Kind, Unreadable> {
    let packet = start.get(26).and_then(|&pieces| start.get(27 + usize::from(pieces)..)).unwrap_or_default();
    match () {
        () if packet.starts_with(b"\x01vorbis") => Ok(Kind::Vorbis),
        () if packet.starts_with(b"OpusHead") => Ok(Kind::Opus),
        () if packet.starts_with(b"Speex   ") => Ok(Kind::Speex),
        () if packet.starts_with(b"\x7fFLAC") => {
            Err(Unreadable::NotSupported { kind: "FLAC in Ogg (oga)".to_owned() })
        }
        () if packet.starts_with(b"\x80theora") || packet.starts_with(b"fishead") => {
            Err(Unreadable::NotSupported { kind: "film in Ogg (ogv)".to_owned() })
        }
        () => damaged("an Ogg file whose first packet is of no known kind"),
    }
}
