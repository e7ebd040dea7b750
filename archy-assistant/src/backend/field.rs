//! One field of a vendor's JSON, read for itself: what reads oddly must not take its neighbours with it.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Visitor};
use serde_json::value::RawValue;

/// The field as `T`, if it is one.
pub(crate) fn read<T: DeserializeOwned>(field: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(field?.get()).ok()
}

/// The field as what borrows from it, if it is one.
pub(crate) fn object<'a, T: Deserialize<'a>>(field: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(field?.get()).ok()
}

/// The field as text, if it is a string. Half a surrogate pair in it becomes U+FFFD and costs nothing else.
pub(crate) fn text(field: Option<&RawValue>) -> Option<String> {
    read::<Lossy>(field).map(|lossy| lossy.0)
}

/// The field as parts of a list; anything else as the only part, except `null`.
pub(crate) fn list(field: Option<&RawValue>) -> Vec<&RawValue> {
    match field {
        None => Vec::new(),
        Some(raw) if raw.get() == "null" => Vec::new(),
        Some(raw) => serde_json::from_str(raw.get()).unwrap_or_else(|_| vec![raw]),
    }
}

struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Lossy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Lossy, E> {
        Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_whatever_is_in_it() {
        let of = |json: &str| text(Some(serde_json::from_str(json).expect("it is JSON")));
        assert_eq!(of(r#""Gr\u00fc\u00dfe \ud83d\ude00\n""#).as_deref(), Some("Grüße 😀\n"));
        let half = of(r#""a\ud83d b""#).expect("half a pair is text");
        assert!(half.starts_with("a\u{fffd}") && half.ends_with(" b"), "{half:?}");
        for other in ["null", "3", "[1,2]", "{}", "true"] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(text(None), None);
    }

    #[test]
    fn a_list_is_whatever_is_there() {
        let of = |json: &str| {
            let raw: &RawValue = serde_json::from_str(json).expect("it is JSON");
            list(Some(raw)).iter().map(|raw| raw.get().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of("[1, {}]"), ["1", "{}"]);
        assert_eq!(of(r#""x""#), [r#""x""#]);
        assert_eq!(of("null"), Vec::<String>::new());
        assert_eq!(list(None).len(), 0);
    }
}
