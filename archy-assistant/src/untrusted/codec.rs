//! The store's codec: the one place where text of others is written down and read back.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Source, Untrusted};
use crate::sentence::Piece;
use crate::{Datum, Sentence, Timestamp};

#[derive(Serialize, Deserialize)]
struct Text<'a> {
    text: Cow<'a, str>,
    source: Cow<'a, Source>,
}

impl<'a> From<&'a Untrusted> for Text<'a> {
    fn from(text: &'a Untrusted) -> Self {
        Self { text: Cow::Borrowed(&text.text), source: Cow::Borrowed(&text.source) }
    }
}

impl From<Text<'_>> for Untrusted {
    fn from(text: Text<'_>) -> Self {
        Self::new(text.text, text.source.into_owned())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stored<'a> {
    None,
    Bool(bool),
    Int(i64),
    Text(Cow<'a, str>),
    Others(Text<'a>),
    Bytes(u64),
    Seconds(u64),
    Time(Timestamp),
    Percent(u8),
    Sats(u64),
    List(Vec<Stored<'a>>),
    Record(Vec<(Cow<'a, str>, Stored<'a>)>),
}

impl<'a> From<&'a Datum> for Stored<'a> {
    fn from(datum: &'a Datum) -> Self {
        match datum {
            Datum::None => Self::None,
            Datum::Bool(value) => Self::Bool(*value),
            Datum::Int(value) => Self::Int(*value),
            Datum::Text(text) => Self::Text(Cow::Borrowed(text)),
            Datum::Others(text) => Self::Others(text.into()),
            Datum::Bytes(bytes) => Self::Bytes(*bytes),
            Datum::Seconds(seconds) => Self::Seconds(*seconds),
            Datum::Time(time) => Self::Time(*time),
            Datum::Percent(percent) => Self::Percent(*percent),
            Datum::Sats(sats) => Self::Sats(*sats),
            Datum::List(items) => Self::List(items.iter().map(Self::from).collect()),
            Datum::Record(parts) => Self::Record(
                parts.iter().map(|(name, part)| (Cow::Borrowed(&**name), Self::from(part))).collect(),
            ),
        }
    }
}

impl From<Stored<'_>> for Datum {
    fn from(stored: Stored<'_>) -> Self {
        match stored {
            Stored::None => Self::None,
            Stored::Bool(value) => Self::Bool(value),
            Stored::Int(value) => Self::Int(value),
            Stored::Text(text) => Self::Text(Cow::Owned(text.into_owned())),
            Stored::Others(text) => Self::Others(text.into()),
            Stored::Bytes(bytes) => Self::Bytes(bytes),
            Stored::Seconds(seconds) => Self::Seconds(seconds),
            Stored::Time(time) => Self::Time(time),
            Stored::Percent(percent) => Self::Percent(percent),
            Stored::Sats(sats) => Self::Sats(sats),
            Stored::List(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Stored::Record(parts) => Self::Record(
                parts
                    .into_iter()
                    .map(|(name, part)| (Cow::Owned(name.into_owned()), Self::from(part)))
                    .collect(),
            ),
        }
    }
}

/// For `#[serde(with = …)]` on a [`Datum`].
pub(crate) mod datum {
    use super::{Datum, Deserialize, Deserializer, Serialize, Serializer, Stored};

    pub(crate) fn serialize<S: Serializer>(datum: &Datum, serializer: S) -> Result<S::Ok, S::Error> {
        Stored::from(datum).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Datum, D::Error> {
        Stored::deserialize(deserializer).map(Datum::from)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredPiece<'a> {
    Plain(Cow<'a, str>),
    Others(Text<'a>),
}

/// For `#[serde(with = …)]` on a [`Sentence`].
pub(crate) mod sentence {
    use super::{Cow, Deserialize, Deserializer, Piece, Sentence, Serializer, StoredPiece};

    pub(crate) fn serialize<S: Serializer>(sentence: &Sentence, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(sentence.pieces().iter().map(|piece| match piece {
            Piece::Plain(text) => StoredPiece::Plain(Cow::Borrowed(text)),
            Piece::Others(text) => StoredPiece::Others(text.into()),
        }))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sentence, D::Error> {
        let pieces = Vec::<StoredPiece<'_>>::deserialize(deserializer)?;
        Ok(Sentence::from_pieces(
            pieces
                .into_iter()
                .map(|piece| match piece {
                    StoredPiece::Plain(text) => Piece::Plain(text.into_owned()),
                    StoredPiece::Others(text) => Piece::Others(text.into()),
                })
                .collect(),
        ))
    }
}

/// For `#[serde(with = …)]` on several [`Sentence`]s.
pub(crate) mod sentences {
    use super::{Deserialize, Deserializer, Sentence, Serialize, Serializer, sentence};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct One(#[serde(with = "sentence")] Sentence);

    pub(crate) fn serialize<S: Serializer>(sentences: &[Sentence], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(sentences.iter().cloned().map(One))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Sentence>, D::Error> {
        Ok(Vec::<One>::deserialize(deserializer)?.into_iter().map(|one| one.0).collect())
    }
}
