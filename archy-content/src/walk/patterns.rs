//! `.ndignore` and `.archyignore`: an empty one leaves out its folder and all below; else each line is a pattern as in
//! `.gitignore` (`*`, `?`, `[a-z]`, `**`, a leading `/`, a trailing `/`, `!` for “not”, `#` for a remark). A folder that is
//! left out is not walked, so nothing in it can be taken back in.

use std::fs;
use std::path::Path;
use std::rc::Rc;

/// More than this of an ignore file is not read.
const MOST: u64 = 1024 * 1024;

/// The patterns of one folder, and of those above it.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Rc<Rules>>,
    /// Where they were written, below the root.
    folder: Vec<u8>,
    /// Whether a file was empty.
    whole: bool,
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    not: bool,
    only_folders: bool,
    /// Whether it is about the whole path below the folder, not about a name anywhere.
    anchored: bool,
    glob: Vec<u8>,
}

impl Rules {
    /// The rules in this folder, after those above it.
    pub(super) fn read(place: &Path, folder: &[u8], above: Option<Rc<Rules>>) -> Option<Rc<Rules>> {
        let mut rules = Rules { above, folder: folder.to_vec(), whole: false, patterns: Vec::new() };
        let mut any = false;
        for name in [".ndignore", ".archyignore"] {
            let file = place.join(name);
            if fs::metadata(&file).is_ok_and(|about| about.len() <= MOST)
                && let Ok(text) = fs::read(&file)
            {
                any = true;
                rules.patterns.extend(text.split(|byte| *byte == b'\n').filter_map(Pattern::parse));
                rules.whole |= text.trim_ascii().is_empty();
            }
        }
        if any { Some(Rc::new(rules)) } else { rules.above }
    }

    /// Whether the whole folder is left out.
    pub(super) fn whole(&self) -> bool {
        self.whole
    }

    /// Whether this path below the root is left out. The innermost folder's last pattern that fits decides.
    pub(super) fn hides(&self, path: &[u8], folder: bool) -> bool {
        let mut rules = Some(self);
        while let Some(here) = rules {
            let mut inside = path.get(here.folder.len()..).unwrap_or_default();
            if inside.first() == Some(&b'/') {
                inside = &inside[1..];
            }
            if let Some(pattern) = here.patterns.iter().rev().find(|pattern| pattern.fits(inside, folder)) {
                return !pattern.not;
            }
            rules = here.above.as_deref();
        }
        false
    }
}

impl Pattern {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            return None;
        }
        let (not, line) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (only_folders, line) = line.strip_suffix(b"/").map_or((false, line), |rest| (true, rest));
        let anchored = line.contains(&b'/');
        let glob = line.strip_prefix(b"/").unwrap_or(line).to_vec();
        (!glob.is_empty()).then_some(Self { not, only_folders, anchored, glob })
    }

    fn fits(&self, inside: &[u8], folder: bool) -> bool {
        if self.only_folders && !folder {
            return false;
        }
        let name = inside.iter().rposition(|byte| *byte == b'/').map_or(inside, |slash| &inside[slash + 1..]);
        fits(&self.glob, if self.anchored { inside } else { name })
    }
}

/// Whether the glob fits the whole path, part by part: `**` stands for any number of folders, at the end for all that is
/// inside.
fn fits(glob: &[u8], path: &[u8]) -> bool {
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    // Whether the globs until now fit so many parts.
    let mut fit = vec![false; parts.len() + 1];
    fit[0] = true;
    let mut globs = glob.split(|byte| *byte == b'/').peekable();
    while let Some(glob) = globs.next() {
        if glob == b"**" {
            if globs.peek().is_none() {
                return fit[..parts.len()].contains(&true);
            }
            for place in 1..fit.len() {
                fit[place] |= fit[place - 1];
            }
        } else {
            for place in (1..fit.len()).rev() {
                fit[place] = fit[place - 1] && fits_part(glob, parts[place - 1]);
            }
            fit[0] = false;
        }
    }
    fit[parts.len()]
}

/// Whether the glob fits one name. Linear in practice: only the last star is tried again.
fn fits_part(glob: &[u8], text: &[u8]) -> bool {
    let (mut g, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = match glob.get(g) {
            Some(b'*') => {
                g += 1;
                star = Some((g, t));
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(&glob[g..], text[t]),
            Some(b'\\') if g + 1 < glob.len() => (glob[g + 1] == text[t]).then_some(2),
            Some(byte) => (*byte == text[t]).then_some(1),
            None => None,
        };
        if let Some(taken) = step {
            g += taken;
            t += 1;
        } else if let Some((after, from)) = star {
            star = Some((after, from + 1));
            g = after;
            t = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|byte| *byte == b'*')
}

/// The length of the class that `glob` begins with, if the byte is in it.
fn class(glob: &[u8], byte: u8) -> Option<usize> {
    let not = matches!(glob.get(1), Some(b'!' | b'^'));
    let start = if not { 2 } else { 1 };
    let end = start + 1 + glob.get(start + 1..)?.iter().position(|b| *b == b']')?;
    let mut inside = false;
    let mut at = start;
    while at < end {
        if at + 2 < end && glob[at + 1] == b'-' {
            inside |= (glob[at]..=glob[at + 2]).contains(&byte);
            at += 3;
        } else {
            inside |= glob[at] == byte;
            at += 1;
        }
    }
    (inside != not).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (glob, text, fit) in [
            ("*.mp3", "a.mp3", true),
            ("*.mp3", "a.flac", false),
            ("a*b*c", "aXbXbXc", true),
            ("a?c", "abc", true),
            ("a[a-c]d", "abd", true),
            ("a[!a-c]d", "abd", false),
            ("demo/*.mp3", "demo/a.mp3", true),
            ("demo/*.mp3", "demo/x/a.mp3", false),
            ("demo/**", "demo/x/a.mp3", true),
            ("**/demo", "x/y/demo", true),
            ("**/demo", "demo", true),
            ("**/live", "Queen/Alive", false),
            ("**/live", "alive", false),
            ("**/cover*.wav", "covers/cover1.wav", true),
            ("**/cover*.wav", "a/b/cover.wav", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "a/x/yb", false),
            ("demo/**", "demo", false),
            ("a**b", "a/b", false),
            ("**", "x/y", true),
            ("\\*", "*", true),
            ("[", "[", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(glob.as_bytes(), text.as_bytes()), fit, "{glob} {text}");
        }
    }

    #[test]
    fn the_innermost_folder_decides() {
        let outer = Rules {
            above: None,
            folder: Vec::new(),
            whole: false,
            patterns: [&b"*.mp3"[..], b"tmp/", b"/top"].into_iter().filter_map(Pattern::parse).collect(),
        };
        let inner = Rules {
            above: Some(Rc::new(outer)),
            folder: b"keep".to_vec(),
            whole: false,
            patterns: Pattern::parse(b"!*.mp3\r").into_iter().collect(),
        };
        for (path, folder, hidden) in [
            ("keep/a.mp3", false, false),
            ("keep/tmp", true, true),
            ("keep/tmp", false, false),
            ("top", true, true),
            ("keep/top", true, false),
        ] {
            assert_eq!(inner.hides(path.as_bytes(), folder), hidden, "{path}");
        }
    }
}
