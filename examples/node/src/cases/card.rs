//! A model behind an OpenAI-compatible server, measured before it is asked.

use std::sync::Arc;

use archy_assistant::{Backend, ModelCard, OpenAi};

use crate::exit::{Exit, Trouble};
use crate::model;

/// The model, asked as what was measured of it says that it is best asked.
pub(crate) async fn measured(
    url: &str,
    name: &str,
    own_network: bool,
) -> Result<(Arc<dyn Backend>, ModelCard), Trouble> {
    let model = OpenAi::new(url, name, model::locality(url, own_network))
        .map_err(|error| Trouble::bad_input(format!("{url}: {error}")))?;
    let card = model
        .measure()
        .await
        .map_err(|error| Trouble::new(Exit::NoAnswer, format!("{url}: {error}: {}", error.detail)))?;
    Ok((Arc::new(model.with_card(card)), card))
}

/// The card in a line.
pub(crate) fn about(card: &ModelCard) -> String {
    let yes = |can: bool| if can { "yes" } else { "no" };
    let rate =
        |rate: Option<f32>| rate.map_or_else(|| "unknown".to_owned(), |rate| format!("{rate:.1} tokens/s"));
    format!(
        "card: streams {}, calls tools {}, follows a schema {}, reads {}, writes {}, context {}: asked by {}",
        yes(card.streams),
        yes(card.calls_tools),
        yes(card.follows_schema),
        rate(card.reads),
        rate(card.writes),
        card.context.map_or_else(|| "unknown".to_owned(), |context| context.to_string()),
        match card.calling() {
            archy_assistant::Calling::Native => "native calls",
            archy_assistant::Calling::Schema => "schema",
            archy_assistant::Calling::Text => "text",
        },
    )
}
