//! What was said, as words: where each stands, its stem, and what kind of thing it is.

use std::ops::Range;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::lexicon;

/// A word of what was said.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// In lower case, its slip corrected.
    pub(super) text: String,
    /// Its stem, or the concept that it and others mean.
    pub(super) stem: String,
    /// What it is.
    pub(super) kind: Kind,
    /// Where it stood in what was said.
    pub(super) at: Range<usize>,
    /// Whether it is the form in which orders are given ("restart", not "restarted").
    pub(super) base: bool,
    /// Whether a concept of several words, or a wrapping, has taken it in.
    pub(super) taken: bool,
}

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters and digits.
    Plain,
    /// A whole number.
    Number(u64),
    /// Something with a slash or a file's ending.
    Path,
    /// Between quotation marks: never a word of the sentence itself.
    Quoted,
    /// Punctuation.
    Mark(char),
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The stem of a word in lower case.
pub(super) fn stem(word: &str) -> String {
    STEMMER.stem(word).into_owned()
}

/// All words of `said`, contractions written out.
pub(super) fn split(said: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = 0;
    while let Some(letter) = said[rest..].chars().next() {
        let width = letter.len_utf8();
        if let Some(end) = closing(letter, &said[rest + width..], rest == 0 || before_is_edge(said, rest)) {
            let inside = rest + width..rest + width + end;
            push(&mut words, &said[inside.clone()], inside.clone(), Kind::Quoted);
            rest = inside.end + said[inside.end..].chars().next().map_or(0, char::len_utf8);
            continue;
        }
        if letter.is_whitespace() {
            rest += width;
            continue;
        }
        let chunk = said[rest..]
            .find(|c: char| c.is_whitespace() || is_quote(c))
            .map_or(said.len(), |end| rest + end);
        if chunk == rest {
            rest += width;
            continue;
        }
        chunk_words(said, rest..chunk, &mut words);
        rest = chunk;
    }
    words
}

const fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„' | '«' | '»' | '`')
}

fn before_is_edge(said: &str, at: usize) -> bool {
    said[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric())
}

/// How far the quotation that `open` begins reaches, if it is one.
fn closing(open: char, after: &str, at_edge: bool) -> Option<usize> {
    let close: &[char] = match open {
        '"' | '`' => &['"', '`'],
        '“' | '„' | '”' => &['”', '“', '"'],
        '«' => &['»'],
        '\'' | '‘' if at_edge => {
            let end = after.char_indices().find(|&(place, letter)| {
                matches!(letter, '\'' | '’')
                    && after[place + letter.len_utf8()..]
                        .chars()
                        .next()
                        .is_none_or(|next| !next.is_alphanumeric())
            })?;
            return (end.0 > 0).then_some(end.0);
        }
        _ => return None,
    };
    after.find(close).filter(|&end| end > 0)
}

/// The words of a run without spaces.
fn chunk_words(said: &str, chunk: Range<usize>, words: &mut Vec<Word>) {
    let text = &said[chunk.clone()];
    let apart = said[..chunk.start].ends_with(char::is_whitespace);
    if apart && text == "." {
        // A folder of a command, no end of a sentence.
        return;
    }
    if apart && text == "+" {
        push(words, "and", chunk, Kind::Plain);
        return;
    }
    if apart && matches!(text, "-" | "--") {
        push(words, text, chunk, Kind::Mark('—'));
        return;
    }
    let trimmed = text.trim_end_matches([',', '.', '!', '?', ';', ':', ')', ']', '…']);
    let lead = trimmed.len() - trimmed.trim_start_matches(['(', '[', '<', '¿', '¡']).len();
    let core = &trimmed[lead..];
    let start = chunk.start + lead;
    if is_path(core) {
        push(words, core, start..start + core.len(), Kind::Path);
    } else {
        core_words(core, start, words);
    }
    let tail = chunk.start + trimmed.len();
    for (place, mark) in said[tail..chunk.end].char_indices() {
        push(
            words,
            &said[tail + place..tail + place + mark.len_utf8()],
            tail + place..tail + place + mark.len_utf8(),
            Kind::Mark(mark),
        );
    }
}

/// `documents/a.txt`, `a.txt`, `Europe/Berlin`; not `and/or` of two plain common words with no ending.
fn is_path(core: &str) -> bool {
    let ending = core.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
            && end.bytes().any(|b| b.is_ascii_alphabetic())
    });
    let slash =
        core.contains('/') && core.chars().any(char::is_alphanumeric) && !matches!(core, "and/or" | "w/o");
    slash || ending
}

fn core_words(core: &str, start: usize, words: &mut Vec<Word>) {
    let lower = core.to_lowercase().replace(['’', '‘', 'ʼ'], "'");
    if let Some(whole) = lexicon::whole(&lower) {
        for word in whole.split(' ') {
            push(words, word, start..start + core.len(), Kind::Plain);
        }
        return;
    }
    let bare = core
        .strip_suffix("'s")
        .or_else(|| core.strip_suffix("’s"))
        .or_else(|| core.strip_suffix('\''))
        .or_else(|| core.strip_suffix('’'))
        .unwrap_or(core);
    let possessive = bare.len() < core.len();
    let mut from = 0;
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (place, letter) in bare.char_indices() {
        // An underscore joins the halves of a key (`log_level`) only for machines.
        if letter.is_alphanumeric() {
            continue;
        }
        if from < place {
            cuts.push(from..place);
        }
        if matches!(letter, ',' | ';' | ':' | '?' | '!' | '…' | '—' | '–') {
            cuts.push(place..place + letter.len_utf8());
        }
        from = place + letter.len_utf8();
    }
    if from < bare.len() {
        cuts.push(from..bare.len());
    }
    for cut in cuts {
        let text = &bare[cut.clone()];
        let at = start + cut.start..start + cut.end;
        match text.chars().next() {
            Some(mark) if !mark.is_alphanumeric() => push(words, text, at, Kind::Mark(mark)),
            _ => push(words, text, at, Kind::Plain),
        }
    }
    if possessive && let Some(last) = words.last_mut() {
        last.at.end = start + core.len();
    }
}

fn push(words: &mut Vec<Word>, text: &str, at: Range<usize>, kind: Kind) {
    let text = text.to_lowercase();
    let number = || {
        text.parse()
            .ok()
            .or_else(|| lexicon::NUMBERS.iter().find(|(name, _)| *name == text).map(|(_, number)| *number))
    };
    let kind = match kind {
        Kind::Plain => number().map_or(Kind::Plain, Kind::Number),
        kind => kind,
    };
    let stem = if kind == Kind::Plain { stem(&text) } else { text.clone() };
    words.push(Word { text, stem, kind, at, base: true, taken: false });
}

impl Word {
    /// Whether it is a word of the sentence: no mark, no quotation, no path.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Plain | Kind::Number(_))
    }
    /// The mark that it is.
    pub(super) fn mark(&self) -> Option<char> {
        if let Kind::Mark(mark) = self.kind { Some(mark) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(said: &str) -> Vec<String> {
        split(said).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn contractions_marks_paths_and_quotations() {
        assert_eq!(texts("What's up? Don't."), ["what", "is", "up", "?", "do", "not", "."]);
        assert_eq!(texts("open documents/a b.txt, ok"), ["open", "documents/a", "b.txt", ",", "ok"]);
        assert_eq!(texts("jellyfin’s log_level"), ["jellyfin", "log", "level"]);
        assert_eq!(texts("find \"boarding pass\" and 'a b'"), ["find", "boarding pass", "and", "a b"]);
        assert_eq!(texts("home-assistant,now"), ["home", "assistant", ",", "now"]);
        assert_eq!(split("thirty 20")[0].kind, Kind::Number(30));
    }

    #[test]
    fn any_text_keeps_its_places() {
        for said in
            ["", "'", "\"", "“„", "’s", "a'", "…", "é’é", "日本 語。", "a/", "/", "\u{202e}x", "'''", "((("]
        {
            for word in split(said) {
                assert!(said.get(word.at.clone()).is_some(), "{said:?} {word:?}");
            }
        }
    }
}
