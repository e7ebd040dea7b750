//! What was measured of a model, once, and how it is best asked.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What was measured of a model on its server. A host keeps it, as it keeps the model's name, and hands it to the
/// backend again; it holds nothing of the node.
///
/// ```
/// use archy_assistant::{ModelCard, Calling};
/// let card = ModelCard { follows_schema: true, ..ModelCard::default() };
/// assert_eq!(card.calling(), Calling::Schema);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelCard {
    /// Its reply came in more than one piece.
    pub streams: bool,
    /// Asked for something that a tool tells, it called that tool as its server lets it.
    pub calls_tools: bool,
    /// Held to a schema, it answered by it, and with the one answer that was right.
    pub follows_schema: bool,
    /// Tokens that it reads in a second; absent where its server counts none.
    pub reads: Option<f32>,
    /// Tokens that it writes in a second; absent where its server counts none, or gave its reply in one piece.
    pub writes: Option<f32>,
    /// Its context in tokens, where its server says it.
    pub context: Option<u32>,
}

/// How a model is brought to call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Calling {
    /// The tools are in the request, as its vendor means it.
    Native,
    /// It chooses among the few calls that the person's words may mean, and cannot write anything else.
    Schema,
    /// It is asked to choose among them in text.
    Text,
}

impl ModelCard {
    /// How a model with this card is best asked.
    pub fn calling(&self) -> Calling {
        match (self.calls_tools, self.follows_schema) {
            (true, _) => Calling::Native,
            (false, true) => Calling::Schema,
            (false, false) => Calling::Text,
        }
    }

    /// How many tokens of a prompt are read within `time`.
    pub(crate) fn read_within(&self, time: Duration) -> Option<u32> {
        let tokens = self.reads.filter(|reads| *reads > 0.0)? * time.as_secs_f32();
        // A number of tokens is far below what is lost of it.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it saturates, and is positive"
        )]
        Some(tokens as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_model_is_asked_follows_from_the_card_alone() {
        for (calls_tools, follows_schema, calling) in [
            (true, true, Calling::Native),
            (true, false, Calling::Native),
            (false, true, Calling::Schema),
            (false, false, Calling::Text),
        ] {
            let card = ModelCard { calls_tools, follows_schema, ..ModelCard::default() };
            assert_eq!(card.calling(), calling, "{card:?}");
        }
    }

    #[test]
    fn a_card_is_kept_as_it_was_and_an_older_one_is_read() {
        let card = ModelCard {
            streams: true,
            calls_tools: false,
            follows_schema: true,
            reads: Some(31.5),
            writes: Some(8.25),
            context: Some(8192),
        };
        let kept = r#"{"streams":true,"calls_tools":false,"follows_schema":true,"reads":31.5,"writes":8.25,"context":8192}"#;
        assert_eq!(serde_json::to_string(&card).expect("a card is JSON"), kept);
        assert_eq!(serde_json::from_str::<ModelCard>(kept).expect("a card"), card);
        let older = serde_json::from_str::<ModelCard>(r#"{"streams":true,"since":3}"#).expect("a card");
        assert_eq!(older, ModelCard { streams: true, ..ModelCard::default() });
    }

    #[test]
    fn what_is_read_in_time_is_known_where_speed_is() {
        let card = ModelCard { reads: Some(30.0), ..ModelCard::default() };
        assert_eq!(card.read_within(Duration::from_secs(60)), Some(1800));
        assert_eq!(ModelCard::default().read_within(Duration::from_secs(60)), None);
    }
}
