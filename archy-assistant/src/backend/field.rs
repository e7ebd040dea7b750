//! One field of a vendor's JSON, read for itself: what reads oddly must not take its neighbours with it.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::fault;
use super::{BackendError, BackendFault};

/// A list has at most so many parts: each may be two bytes on the wire, and a hundred once it is read.
const PARTS: usize = 1024;

/// The field as `T`, if it is one.
pub(crate) fn read<T: DeserializeOwned>(field: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(field?.get()).ok()
}

/// The field as what borrows from it, if it is one.
pub(crate) fn object<'a, T: Deserialize<'a>>(field: Option<&'a RawValue>) -> Option<T> {
    fields(field?.get()).ok()
}

/// The text of an object as what borrows from it. By itself, serde takes a list for the fields in their order.
///
/// # Errors
///
/// It is none.
pub(crate) fn fields<'a, T: Deserialize<'a>>(json: &'a str) -> serde_json::Result<T> {
    if json.trim_start().starts_with('[') {
        return Err(serde_json::Error::custom("a list in the place of an object"));
    }
    serde_json::from_str(json)
}

/// JSON as a tree, if it is one of few parts: what is two bytes on the wire may be a hundred in it.
pub(crate) fn few<T: DeserializeOwned>(json: &str) -> Option<T> {
    let parts = json.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if parts > 4 * PARTS {
        return None;
    }
    serde_json::from_str(json).ok()
}

/// The field as text, if it is a string. Half a surrogate pair in it becomes U+FFFD and costs nothing else.
pub(crate) fn text(field: Option<&RawValue>) -> Option<String> {
    read::<Lossy>(field).map(|lossy| lossy.0)
}

/// The field as parts of a list; anything else as the only part, except `null`.
///
/// # Errors
///
/// There are more than [`PARTS`].
pub(crate) fn list(field: Option<&RawValue>) -> Result<Vec<&RawValue>, BackendError> {
    match field {
        None => Ok(Vec::new()),
        Some(raw) if raw.get() == "null" => Ok(Vec::new()),
        Some(raw) if !raw.get().starts_with('[') => Ok(vec![raw]),
        Some(raw) => serde_json::from_str::<Parts<'_>>(raw.get())
            .map(|parts| parts.0)
            .map_err(|_| fault(BackendFault::Broken, &format!("a list of more than {PARTS} parts"))),
    }
}

struct Parts<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Few)
    }
}

struct Few;

impl<'de> Visitor<'de> for Few {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {PARTS} parts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parts<'de>, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            if parts.len() == PARTS {
                return Err(A::Error::invalid_length(PARTS + 1, &self));
            }
            parts.push(part);
        }
        Ok(Parts(parts))
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
            list(Some(raw)).expect("it is short").iter().map(|raw| raw.get().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of("[1, {}]"), ["1", "{}"]);
        assert_eq!(of(r#""x""#), [r#""x""#]);
        assert_eq!(of("null"), Vec::<String>::new());
        assert_eq!(of(&format!("[0{}]", ",0".repeat(PARTS - 1))).len(), PARTS);
        let longer = RawValue::from_string(format!("[0{}]", ",0".repeat(PARTS))).expect("it is JSON");
        let error = list(Some(&longer)).expect_err("it is longer");
        assert_eq!(error, fault(BackendFault::Broken, "a list of more than 1024 parts"));
        assert_eq!(list(None).expect("there is none").len(), 0);
    }

    #[test]
    fn a_tree_has_few_parts() {
        let of = |parts: usize| few::<serde_json::Value>(&format!("[0{}]", ",0".repeat(parts)));
        assert!(of(4 * PARTS - 1).is_some());
        assert_eq!(of(4 * PARTS), None);
        assert_eq!(few::<serde_json::Value>("["), None);
    }

    #[test]
    fn a_list_is_no_object() {
        #[derive(serde::Deserialize)]
        struct One {
            one: u8,
        }
        let of = |json: &str| fields::<One>(json).ok().map(|read| read.one);
        assert_eq!([of(r#" {"one":1}"#), of(" [1]"), of("1")], [Some(1), None, None]);
    }
}
