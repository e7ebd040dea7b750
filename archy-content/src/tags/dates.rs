//! Dates as tags hold them: any precision, any of the usual separators, years that music can have.

use crate::Date;

/// Reads the date that a text begins with; a time after it is left alone. None where there is no such year.
///
/// The year comes first: `31.12.1999` is read as a year only, since nobody knows which of the others is the month.
pub(crate) fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    if day.len() == 8 && day.bytes().all(|byte| byte.is_ascii_digit()) {
        return part(&day[..4]).and_then(|year| build(year, part(&day[4..6]), part(&day[6..])));
    }
    let mut parts = day.split(['-', '.', '/']);
    let first = parts.next().unwrap_or_default();
    if first.len() == 4 {
        return build(part(first)?, parts.next().and_then(part), parts.next().and_then(part));
    }
    // A year that comes last: `31.12.1999`, `Oct 3, 1995`.
    let last = text.rsplit(['-', '.', '/', ' ']).next().unwrap_or_default();
    (last.len() == 4 && last.len() < text.len()).then(|| build(part(last)?, None, None))?
}

fn part(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// What does not exist is left out from its end: the 31st of February is a day in February.
fn build(year: u16, month: Option<u16>, day: Option<u16>) -> Option<Date> {
    if !(1000..=2100).contains(&year) {
        return None;
    }
    let month = month.and_then(|month| u8::try_from(month).ok()).filter(|month| (1..=12).contains(month));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let longest = match month {
        Some(2) if leap => 29,
        Some(2) => 28,
        Some(4 | 6 | 9 | 11) => 30,
        Some(_) => 31,
        None => 0,
    };
    let day = day.and_then(|day| u8::try_from(day).ok()).filter(|day| (1..=longest).contains(day));
    Some(Date { year, month, day })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_usual_writing() {
        let date_of = |year, month, day| Some(Date { year, month, day });
        let table = [
            ("1999", date_of(1999, None, None)),
            ("1999-12", date_of(1999, Some(12), None)),
            ("1999-12-31", date_of(1999, Some(12), Some(31))),
            ("2024.06.28", date_of(2024, Some(6), Some(28))),
            ("2024/6/8", date_of(2024, Some(6), Some(8))),
            ("20240628", date_of(2024, Some(6), Some(28))),
            ("2024-05-31T07:00:00Z", date_of(2024, Some(5), Some(31))),
            ("2009-09-09 12:00", date_of(2009, Some(9), Some(9))),
            (" 1999 ", date_of(1999, None, None)),
            ("1999-00-00", date_of(1999, None, None)),
            ("1999-13-01", date_of(1999, None, None)),
            ("1999-02-29", date_of(1999, Some(2), None)),
            ("2000-02-29", date_of(2000, Some(2), Some(29))),
            ("31.12.1999", date_of(1999, None, None)),
            ("12/1999", date_of(1999, None, None)),
            ("Oct 3, 1995", date_of(1995, None, None)),
            ("1726", date_of(1726, None, None)),
            ("0000", None),
            ("0999", None),
            ("2101", None),
            ("99", None),
            ("", None),
            ("unknown", None),
            ("T", None),
            ("１９９９", None),
        ];
        for (text, wanted) in table {
            assert_eq!(date(text), wanted, "{text:?}");
        }
    }
}
