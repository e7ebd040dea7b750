//! Text that says it is Latin-1 and is not: repaired where the evidence is strong, told where it is not.
//!
//! The evidence is that of the whole file: all its texts that are called Latin-1 together, since one program wrote
//! them. Latin-1 itself is never in doubt where its letters stand alone between plain ones, as in every western
//! language; three such letters in a row are a sign of something else.

use encoding_rs::{
    EUC_KR, Encoding, GBK, IBM866, KOI8_R, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253,
};

/// What a file's Latin-1 texts are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// What they say they are, or plain ASCII.
    Latin1,
    /// Certainly something else.
    Is(&'static Encoding),
    /// Something else, and nobody can say what.
    Unclear,
}

/// Judges all the texts of one file.
pub(crate) fn judge<'a>(texts: impl IntoIterator<Item = &'a str>) -> Verdict {
    let mut all = Vec::new();
    for text in texts {
        // A character beyond Latin-1 cannot have come from a byte.
        let Some(bytes) = bytes(text) else { continue };
        all.extend(bytes);
        all.push(b'\n');
        if all.len() > 16 << 10 {
            break;
        }
    }
    if all.is_ascii() {
        return Verdict::Latin1;
    }
    if UTF_8.decode_without_bom_handling_and_without_replacement(&all).is_some() {
        return Verdict::Is(UTF_8);
    }
    east_asian(&all).or_else(|| alphabet(&all)).unwrap_or_else(|| western(&all))
}

/// The text in its true encoding.
pub(crate) fn repair(text: &str, encoding: &'static Encoding) -> Option<String> {
    let bytes = bytes(text)?;
    if bytes.is_ascii() {
        return None;
    }
    encoding.decode_without_bom_handling_and_without_replacement(&bytes).map(std::borrow::Cow::into_owned)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Latin-1, or Windows' own form of it, whose quotation marks are controls in Latin-1.
fn western(all: &[u8]) -> Verdict {
    if long_runs(all) >= 6 {
        return Verdict::Unclear;
    }
    let controls = all.iter().filter(|byte| (0x80..0xa0).contains(*byte)).count();
    let undefined = all.iter().any(|byte| [0x81, 0x8d, 0x8f, 0x90, 0x9d].contains(byte));
    match (controls, undefined) {
        (0, _) => Verdict::Latin1,
        (_, false) => Verdict::Is(WINDOWS_1252),
        (_, true) => Verdict::Unclear,
    }
}

/// How many bytes over ASCII stand in rows of three or more.
fn long_runs(all: &[u8]) -> usize {
    all.split(u8::is_ascii).map(<[u8]>::len).filter(|&long| long >= 3).sum()
}

/// Japanese and Korean, whose own scripts no other reading of the bytes gives. Chinese is never certain: the same
/// bytes are as good Korean.
fn east_asian(all: &[u8]) -> Option<Verdict> {
    let decoded = |encoding: &'static Encoding| {
        let text = encoding.decode_without_bom_handling_and_without_replacement(all)?;
        Some(text.chars().filter(|c| !c.is_ascii()).collect::<Vec<char>>())
    };
    let share = |text: &[char], script: fn(char) -> bool| {
        let of = text.iter().filter(|&&c| script(c)).count();
        (of, of * 100 / text.len().max(1))
    };
    let kana = |c: char| matches!(c, '\u{3041}'..='\u{30ff}');
    let japanese =
        |c: char| matches!(c, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff5e}');
    if let Some(text) = decoded(SHIFT_JIS) {
        // Half-width kana are single bytes, where every western letter would be one.
        if share(&text, kana).0 >= 2 && share(&text, kana).1 >= 25 && share(&text, japanese).1 >= 95 {
            return Some(Verdict::Is(SHIFT_JIS));
        }
    }
    let hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}');
    if let Some(text) = decoded(EUC_KR) {
        // The first rows of Chinese are the rows of Hangul: eight syllables in them, and none elsewhere, are no chance;
        // they are not words of a language with an alphabet either, since every second byte is in a narrow range.
        let (count, percent) = share(&text, hangul);
        if count >= 8 && percent == 100 && spread(all) && !matches!(alphabet(all), Some(Verdict::Is(_))) {
            return Some(Verdict::Is(EUC_KR));
        }
    }
    let han = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let chinese = decoded(GBK).is_some_and(|text| share(&text, han).0 >= 3 && share(&text, han).1 >= 90);
    (chinese && alphabet(all).is_none() && long_runs(all) * 2 > all.len() / 2).then_some(Verdict::Unclear)
}

/// Whether second bytes go over the whole range, as syllables do and letters do not.
fn spread(all: &[u8]) -> bool {
    let high: Vec<u8> = all.iter().copied().filter(|byte| !byte.is_ascii()).collect();
    let low = high.chunks_exact(2).filter(|pair| pair[1] < 0xc0).count();
    low * 10 >= high.len() / 2
}

/// Cyrillic and Greek, by how often each letter comes: alphabets share their bytes, never their commonest letters.
fn alphabet(all: &[u8]) -> Option<Verdict> {
    const CYRILLIC: &str = "оеаинтсрвлкмдпуяёьый";
    const GREEK: &str = "αοιετσνηυρπκμλςίάόέή";
    let candidates =
        [(WINDOWS_1251, CYRILLIC), (KOI8_R, CYRILLIC), (IBM866, CYRILLIC), (WINDOWS_1253, GREEK)];
    let mut scores: Vec<(usize, &'static Encoding)> = candidates
        .into_iter()
        .filter_map(|(encoding, common)| Some((score(all, encoding, common)?, encoding)))
        .collect();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match scores.as_slice() {
        [] => None,
        [(best, encoding)] if *best >= 55 => Some(Verdict::Is(encoding)),
        [(best, encoding), (second, _), ..] if *best >= 55 && best - second >= 12 => {
            Some(Verdict::Is(encoding))
        }
        _ => Some(Verdict::Unclear),
    }
}

/// Per cent of the letters that are common ones, minus what no person would write; None where it is no such text.
fn score(all: &[u8], encoding: &'static Encoding, common: &str) -> Option<usize> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(all)?;
    let foreign =
        |c: char| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{45f}' | '\u{490}' | '\u{491}');
    let (mut letters, mut known, mut odd) = (0, 0, 0);
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let of = word.chars().filter(|&c| foreign(c)).count();
        if of == 0 {
            // Letters over ASCII that are none of this alphabet.
            odd += word.chars().filter(|c| !c.is_ascii()).count();
            continue;
        }
        letters += of;
        known += word.chars().filter(|c| foreign(*c) && c.to_lowercase().any(|c| common.contains(c))).count();
        // Latin and foreign letters in one word, and capitals after small letters.
        odd += word.chars().filter(char::is_ascii_alphabetic).count();
        // Hardly any Greek word has this letter, and where it would stand every other Russian word has its `а`.
        odd += word.chars().filter(|c| *c == 'ΰ').count() * 3;
        let mut before_small = false;
        for c in word.chars() {
            odd += usize::from(before_small && c.is_uppercase());
            before_small |= c.is_lowercase();
        }
    }
    odd += text
        .chars()
        .filter(|c| ('\u{80}'..'\u{a0}').contains(c) || ('\u{2500}'..'\u{25ff}').contains(c))
        .count();
    // In the whole, five letters, and most of what is over ASCII.
    let over = text.chars().filter(|c| !c.is_ascii()).count();
    if letters < 5 || letters * 10 < over * 8 || odd * 4 > letters || long_runs(all) < 5 {
        return None;
    }
    Some((known * 100 / letters).saturating_sub(odd * 100 / letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latin1(text: &str, encoding: &'static Encoding) -> String {
        encoding.encode(text).0.iter().map(|&byte| char::from(byte)).collect()
    }

    #[test]
    fn what_was_written_in_another_encoding_is_read_in_it() {
        let table = [
            ("Кино", "Группа крови", WINDOWS_1251),
            ("Алла Пугачёва", "Миллион алых роз", WINDOWS_1251),
            ("ДДТ", "Что такое осень", WINDOWS_1251),
            ("АКВАРИУМ", "ДЕСЯТЬ СТРЕЛ", WINDOWS_1251),
            ("Океан Ельзи", "Без бою", WINDOWS_1251),
            ("Кино", "Звезда по имени Солнце", KOI8_R),
            ("Наутилус Помпилиус", "Прогулки по воде", IBM866),
            ("Χάρις Αλεξίου", "Όλα σε θυμίζουν", WINDOWS_1253),
            ("坂本龍一", "戦場のメリークリスマス", SHIFT_JIS),
            ("宇多田ヒカル", "First Love", SHIFT_JIS),
            ("서태지와 아이들", "난 알아요", EUC_KR),
            ("Björk", "Jóga", UTF_8),
        ];
        for (artist, title, encoding) in table {
            let wrong = [latin1(artist, encoding), latin1(title, encoding)];
            assert_eq!(judge(wrong.iter().map(String::as_str)), Verdict::Is(encoding), "{artist}");
            let again: Vec<String> =
                wrong.iter().map(|text| repair(text, encoding).unwrap_or_else(|| text.clone())).collect();
            assert_eq!(again, [artist, title]);
        }
    }

    #[test]
    fn what_is_latin1_is_left_alone() {
        for text in [
            "Björk",
            "Motörhead",
            "Sigur Rós",
            "Ágætis byrjun",
            "Françoise Hardy",
            "Mägo de Oz",
            "Señor Coconut",
            "Céline Dion: D'eux",
            "Blue Öyster Cult",
            "Hüsker Dü",
            "Þursaflokkurinn",
            "João Gilberto",
            "œuvre",
            "Año",
            "Où êtes-vous",
            "Größe",
            "ÄÖÜ",
            "Déjà vu",
            "¿Qué?",
            "«Été»",
            "Æ",
            "Ångström",
            "Queensrÿche",
            "Röyksopp",
            "Mötley Crüe",
            "Naïve",
            "Ó",
            "Die Ärzte",
            "Garçon à côté",
            "Trøllabundin",
            "Hjaltalín",
            "ÞÓRIR ÁÆÐ",
            "Plain",
            "",
        ] {
            assert_eq!(judge([text]), Verdict::Latin1, "{text}");
        }
    }

    #[test]
    fn what_is_neither_is_told_and_not_touched() {
        let short = latin1("Да", WINDOWS_1251);
        assert_eq!(judge([short.as_str()]), Verdict::Latin1, "two letters are no evidence");
        let chinese = latin1("王菲 红豆 唱游", GBK);
        assert_eq!(judge([chinese.as_str()]), Verdict::Unclear);
    }

    #[test]
    fn windows_quotation_marks_are_no_controls() {
        let text = latin1("Don’t – “Stop”", WINDOWS_1252);
        assert_eq!(judge([text.as_str()]), Verdict::Is(WINDOWS_1252));
        assert_eq!(repair(&text, WINDOWS_1252).as_deref(), Some("Don’t – “Stop”"));
    }
}
