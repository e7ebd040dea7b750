//! What a tool answers: a small tree with its units, whose leaves may be text that others wrote.

use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Label, Sentence, Source, Untrusted};

/// Milliseconds since 1970, UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The moment `time`; what lies before 1970 counts as 1970.
    pub fn from_system(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// An absolute time as people read it: `Mon, 30 Nov 2026 20:00:12 GMT`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The last second that the format can say: the end of the year 9999.
        const LAST: u64 = 253_402_300_799;
        let time = UNIX_EPOCH + Duration::from_secs((self.0 / 1000).min(LAST));
        f.write_str(&httpdate::fmt_http_date(time))
    }
}

/// A result's tree. Quantities keep their unit, so that each reader (a sentence, a prompt, a screen) writes them its
/// own way.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Datum {
    /// Nothing to say.
    #[default]
    None,
    /// Yes or no.
    Bool(bool),
    /// A count.
    Int(i64),
    /// Text that the node itself wrote.
    Text(Cow<'static, str>),
    /// Text that others wrote.
    Others(Untrusted),
    /// A size in bytes.
    Bytes(u64),
    /// A length of time in seconds.
    Seconds(u64),
    /// A moment.
    Time(Timestamp),
    /// Hundredths.
    Percent(u8),
    /// An amount of bitcoin in satoshi.
    Sats(u64),
    /// Several.
    List(Vec<Self>),
    /// Named parts, in the order in which they are shown.
    Record(Vec<(Cow<'static, str>, Self)>),
}

impl Datum {
    /// Text of the node's own.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Text that others wrote.
    pub fn others(text: impl Into<String>, source: Source) -> Self {
        Self::Others(Untrusted::new(text, source))
    }

    /// A record of `parts`.
    pub fn record<const N: usize>(parts: [(&'static str, Self); N]) -> Self {
        Self::Record(parts.into_iter().map(|(name, part)| (Cow::Borrowed(name), part)).collect())
    }

    /// The part called `name`, or `None` where there is none.
    pub fn get(&self, name: &str) -> &Self {
        match self {
            Self::Record(parts) => {
                parts.iter().find(|(known, _)| known == name).map_or(&Self::None, |(_, part)| part)
            }
            _ => &Self::None,
        }
    }

    /// The members of a list; of anything else, none.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Whether it is [`Datum::None`].
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// The taint of this tree, without its category: whether text that others wrote is in it.
    pub fn is_tainted(&self) -> bool {
        let mut tainted = false;
        self.visit_others(&mut |_| tainted = true);
        tainted
    }

    /// The label of this tree as the result of a tool that rests on `holds`; see
    /// [`Spec::rests_on`](crate::Spec::rests_on).
    pub fn label(&self, holds: crate::Categories) -> Label {
        Label { holds, tainted: self.is_tainted() }
    }

    /// Calls `visit` for each leaf that others wrote.
    pub(crate) fn visit_others(&self, visit: &mut dyn FnMut(&Untrusted)) {
        match self {
            Self::Others(text) => visit(text),
            Self::List(items) => items.iter().for_each(|item| item.visit_others(visit)),
            Self::Record(parts) => parts.iter().for_each(|(_, part)| part.visit_others(visit)),
            _ => {}
        }
    }
}

/// How a leaf reads in a sentence: `1.4 TB`, `2 hours`, `yes`. Lists are joined with commas.
impl From<&Datum> for Sentence {
    fn from(datum: &Datum) -> Self {
        match datum {
            Datum::None => Self::plain("nothing"),
            Datum::Bool(true) => Self::plain("yes"),
            Datum::Bool(false) => Self::plain("no"),
            Datum::Int(count) => Self::plain(count.to_string()),
            Datum::Text(text) => Self::plain(text.clone().into_owned()),
            Datum::Others(text) => Self::others(text.clone()),
            Datum::Bytes(bytes) => Self::plain(size(*bytes)),
            Datum::Seconds(seconds) => Self::plain(span(*seconds)),
            Datum::Time(time) => Self::plain(time.to_string()),
            Datum::Percent(percent) => Self::plain(format!("{percent} %")),
            Datum::Sats(sats) => Self::plain(format!("{sats} sats")),
            Datum::List(items) => Self::join(items.iter().map(Self::from), ", "),
            Datum::Record(parts) => Self::join(
                parts.iter().map(|(name, part)| Self::plain(format!("{name}: ")).and(Self::from(part))),
                ", ",
            ),
        }
    }
}

/// A size in the decimal units that disks are sold in, with three significant digits at most.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let (mut unit, mut scale) = (0, 1_u64);
    while unit + 1 < UNITS.len() && bytes / scale >= 1000 {
        unit += 1;
        scale *= 1000;
    }
    let (whole, tenth) = (bytes / scale, bytes % scale * 10 / scale);
    if unit > 0 && whole < 100 && tenth > 0 {
        format!("{whole}.{tenth} {}", UNITS[unit])
    } else {
        format!("{whole} {}", UNITS[unit])
    }
}

/// A length of time in its largest fitting unit.
fn span(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_people_say_them() {
        let say = |datum: Datum| Sentence::from(&datum).to_string_for_tests();
        assert_eq!(say(Datum::Bytes(999)), "999 bytes");
        assert_eq!(say(Datum::Bytes(1_440_000_000_000)), "1.4 TB");
        assert_eq!(say(Datum::Bytes(250_900_000_000)), "250 GB");
        assert_eq!(say(Datum::Bytes(u64::MAX)), "18446 PB");
        assert_eq!(say(Datum::Seconds(1)), "1 second");
        assert_eq!(say(Datum::Seconds(7199)), "119 minutes");
        assert_eq!(say(Datum::Time(Timestamp(1_796_068_812_000))), "Mon, 30 Nov 2026 20:00:12 GMT");
        assert_eq!(say(Datum::Time(Timestamp(u64::MAX))), "Fri, 31 Dec 9999 23:59:59 GMT");
    }

    #[test]
    fn one_leaf_of_others_taints_the_whole_tree() {
        let tree = Datum::List(vec![Datum::record([("name", Datum::others("x", Source::AppName))])]);
        assert!(tree.is_tainted());
        assert!(!Datum::record([("free", Datum::Bytes(1))]).is_tainted());
    }
}
