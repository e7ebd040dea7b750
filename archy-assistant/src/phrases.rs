//! The backend without a model.

use std::sync::Arc;

use crate::{Backend, BackendFacts, Categories, Locality, Mind, ReplyStream, Request};

/// Answers by matching what was said against the tools' phrases.
#[derive(Debug, Default, Clone)]
pub struct Phrases;

impl Backend for Phrases {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: "phrases".to_owned(),
            locality: Locality::OnNode,
            mind: Mind::Rules,
            may_receive: Categories::NONE,
        }
    }

    fn reply(&self, _request: Arc<Request>) -> ReplyStream {
        todo!()
    }
}

/// The tools that a request would use, by name.
pub(crate) fn needs(
    _text: &str,
    _tools: &[crate::Offer],
    _elsewhere: &[crate::Elsewhere],
    _before: &[crate::Message],
) -> Vec<&'static str> {
    Vec::new()
}

/// Whether the rules know for sure what a request wants.
pub(crate) fn is_sure(_request: &Request) -> bool {
    false
}
