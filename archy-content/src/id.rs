//! Ids that last: 64 random bits, written as 16 hexadecimal digits. They say nothing about what they name, so nothing
//! that changes about it can change them. `identity` says how a file that comes back gets its own again.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::LibraryError;

/// The text is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadId;

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is 16 hexadecimal digits")
    }
}

impl std::error::Error for BadId {}

/// What every id here can do, for code that treats them alike.
pub(crate) trait Random: Sized {
    /// A new one.
    fn random() -> Result<Self, LibraryError>;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u64);

        impl Random for $name {
            fn random() -> Result<Self, LibraryError> {
                getrandom::u64()
                    .map(Self)
                    .map_err(|error| LibraryError::System { doing: "drawing an id", source: std::io::Error::other(error) })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:016x}", self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:016x})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let fine = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
                if !fine {
                    return Err(BadId);
                }
                u64::from_str_radix(text, 16).map(Self).map_err(|_| BadId)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.0.cast_signed()))
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(|bits| Self(bits.cast_unsigned()))
            }
        }
    };
}

id!(
    /// A track: one recording in one place of one collection. It outlives retagging, moving, renaming and, where there is
    /// evidence, being encoded anew.
    TrackId
);
id!(
    /// An album: one edition of it.
    AlbumId
);
id!(
    /// An artist.
    ArtistId
);
id!(
    /// A playlist that lies in a root as a file.
    PlaylistId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_sixteen_digits_both_ways() {
        let id = TrackId(0x0123_4567_89ab_cdef);
        assert_eq!(id.to_string(), "0123456789abcdef");
        assert_eq!("0123456789abcdef".parse(), Ok(id));
        for bad in [
            "",
            "0123456789ABCDEF",
            "0123456789abcde",
            "0123456789abcdef0",
            "0x23456789abcdef",
            "+123456789abcdef",
        ] {
            assert_eq!(bad.parse::<TrackId>(), Err(BadId), "{bad}");
        }
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"0123456789abcdef\"");
    }
}
