//! Names that are never music: what systems, file servers and editors leave behind.

/// Whether an entry of this name is left out whatever else it is.
pub(super) fn is_junk(name: &[u8], folder: bool) -> bool {
    if name.first() == Some(&b'.') {
        // Albums are called `...And Justice for All`; nothing else begins with two dots.
        return !(folder && name.starts_with(b".."));
    }
    match name {
        b"@eaDir"
        | b"#recycle"
        | b"#snapshot"
        | b"@Recycle"
        | b"@Recently-Snapshot"
        | b"$RECYCLE.BIN"
        | b"$Recycle.Bin"
        | b"RECYCLER"
        | b"System Volume Information"
        | b"lost+found" => true,
        _ => !folder && (name.ends_with(b"~") || name.ends_with(b".part") || name.ends_with(b".tmp")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out() {
        for name in [".DS_Store", "._01 Song.mp3", ".AppleDouble", ".Trash-1000", "@eaDir", "lost+found"] {
            assert!(is_junk(name.as_bytes(), true), "{name}");
        }
        for name in ["...And Justice for All", "Recycle", "A.Trash"] {
            assert!(!is_junk(name.as_bytes(), true), "{name}");
        }
        assert!(is_junk(b"..mp3", false));
    }
}
