//! How loud: the texts of `ReplayGain`, and R128's whole numbers.

/// A gain in dB: `-6.50 dB`, `+1,2dB`, `3`. None for what no recording can be.
pub(crate) fn decibels(text: &str) -> Option<f32> {
    let text = text.trim();
    let end = text.len().checked_sub(2).filter(|&end| text.is_char_boundary(end));
    let bare = end.filter(|&end| text[end..].eq_ignore_ascii_case("db")).map_or(text, |end| &text[..end]);
    number(bare).filter(|gain| (-100.0..=100.0).contains(gain))
}

/// A peak: 1 is full scale; lossy audio goes over it.
pub(crate) fn peak(text: &str) -> Option<f32> {
    number(text).filter(|peak| (0.0..=100.0).contains(peak))
}

/// R128's gain: a whole number of 256ths of a dB, between −128 and 128 dB.
pub(crate) fn r128(text: &str) -> Option<f32> {
    text.trim().parse::<i16>().ok().map(|steps| f32::from(steps) / 256.0)
}

fn number(text: &str) -> Option<f32> {
    let text = text.trim().replace(',', ".").replace('\u{2212}', "-");
    // `inf` and `nan` are numbers to the parser.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    plain.then(|| text.parse::<f32>().ok()).flatten().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_and_peaks_are_read_and_nonsense_is_not() {
        let gains = [
            ("-6.50 dB", Some(-6.5)),
            ("+1.25 db", Some(1.25)),
            ("-3,5dB", Some(-3.5)),
            ("\u{2212}2", Some(-2.0)),
            ("0.00 dB", Some(0.0)),
            ("nan", None),
            ("inf dB", None),
            ("1000 dB", None),
            ("dB", None),
            ("", None),
            ("é", None),
        ];
        for (text, wanted) in gains {
            assert_eq!(decibels(text), wanted, "{text:?}");
        }
        assert_eq!(
            [peak("0.988553"), peak("1,04"), peak("-1"), peak("x")],
            [Some(0.988_553), Some(1.04), None, None]
        );
        assert_eq!(
            [r128("-1152"), r128("256"), r128("40000"), r128("1.5")],
            [Some(-4.5), Some(1.0), None, None]
        );
    }
}
