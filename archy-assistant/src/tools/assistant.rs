//! What the assistant says of itself.

use std::sync::Arc;

use super::specs;
use crate::host::Minds;
use crate::{BackendFacts, Caller, Datum, Locality, NoArgs, Read, Spec, ToolError};

/// Which backend answers and where it runs.
pub(super) struct AssistantStatus(pub(super) Arc<dyn Minds>);

impl Read for AssistantStatus {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::assistant_status()
    }

    async fn read(&self, _: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let minds = self.0.in_order();
        let Some((first, others)) = minds.split_first() else {
            return Err(ToolError::new("no backend is enabled"));
        };
        let [backend, place] = told(first);
        let others = others.iter().map(|mind| Datum::record(told(mind))).collect();
        Ok(Datum::record([backend, place, ("others", Datum::List(others))]))
    }
}

fn told(mind: &BackendFacts) -> [(&'static str, Datum); 2] {
    let place = match mind.locality {
        Locality::OnNode => "on this node",
        Locality::OwnNetwork => "in your own network",
        Locality::Remote => "outside",
    };
    [("backend", Datum::text(mind.name.clone())), ("place", Datum::text(place))]
}
