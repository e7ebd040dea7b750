//! What was measured of models, kept below the data directory. A file that cannot be read counts as none: it can be
//! measured again.

use std::fs;

use archy_assistant::{ModelCard, Timestamp};
use serde::{Deserialize, Serialize};

use crate::backends::{Entry, Kind};
use crate::data::{self, Data};
use crate::exit::Trouble;

/// The file's name below the data directory.
pub(crate) const NAME: &str = "model-cards.json";

/// The card of one model on one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    kind: Kind,
    url: String,
    model: String,
    /// When it was measured.
    pub(crate) at: Timestamp,
    pub(crate) card: ModelCard,
}

impl Measured {
    pub(crate) fn new(entry: &Entry, model: &str, at: Timestamp, card: ModelCard) -> Self {
        Self { kind: entry.kind, url: entry.url.clone(), model: model.to_owned(), at, card }
    }

    fn is_of(&self, entry: &Entry, model: &str) -> bool {
        (self.kind, &*self.url, &*self.model) == (entry.kind, &*entry.url, model)
    }
}

/// The cards of a directory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cards(Vec<Measured>);

impl Cards {
    pub(crate) fn read(data: &Data) -> Self {
        let text = fs::read_to_string(data.join(NAME)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// What was measured of this model of the entry's server.
    pub(crate) fn of(&self, entry: &Entry, model: &str) -> Option<&Measured> {
        self.0.iter().find(|measured| measured.is_of(entry, model))
    }

    /// Keeps what was measured, in place of what was before.
    pub(crate) fn keep(data: &Data, measured: Vec<(&Entry, Measured)>) -> Result<Self, Trouble> {
        let _alone = data.editing()?;
        let mut cards = Self::read(data);
        for (entry, new) in measured {
            cards.0.retain(|old| !old.is_of(entry, &new.model));
            cards.0.push(new);
        }
        let text = serde_json::to_vec(&cards).map_err(|error| Trouble::failed(error.to_string()))?;
        data::replace(&data.join(NAME), &text)?;
        Ok(cards)
    }
}

/// The card in words.
pub(crate) fn about(card: &ModelCard) -> String {
    let calls = match card.calling() {
        archy_assistant::Calling::Native => "calls tools by itself",
        archy_assistant::Calling::Schema => "calls no tools by itself, but follows a schema, and is asked so",
        archy_assistant::Calling::Text => "neither calls tools nor follows a schema, and is asked in text",
    };
    let streams = if card.streams { "streams" } else { "does not stream" };
    let rate =
        |rate: Option<f32>| rate.map_or("an unknown number of".to_owned(), |rate| format!("{rate:.0}"));
    let context = card.context.map(|context| format!("; context {context} tokens")).unwrap_or_default();
    format!(
        "{calls}; {streams}; reads {} and writes {} tokens a second{context}",
        rate(card.reads),
        rate(card.writes)
    )
}
