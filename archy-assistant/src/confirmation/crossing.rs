//! The question whether a conversation may go to a remote backend: what it binds, and its words.

use std::any::Any;

use crate::backend::Backend;
use crate::tool::{Claim, Pending, Soon};
use crate::{Caller, Categories, ConfirmText, Datum, Destination, Shown, ToolError, Undo};

/// What a person agrees to: this backend, the data of these categories, so much, in one turn.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Crossing {
    /// The backend's name.
    pub(crate) backend: String,
    /// What may go: no more than the owner opened for it, and no more than is open.
    pub(crate) classes: Categories,
    /// Bytes of messages, in all requests of the turn together.
    pub(crate) at_most: u64,
}

impl Crossing {
    /// The widest crossing to `backend` that today's settings allow; `None` where it is at home.
    pub(crate) fn to(backend: &dyn Backend, open: Categories, at_most: u64) -> Option<Self> {
        let facts = backend.facts();
        match facts.destination() {
            Destination::Own => None,
            Destination::Remote { may_receive } => {
                Some(Self { backend: facts.name, classes: may_receive.intersection(open), at_most })
            }
        }
    }

    fn encoded(&self) -> String {
        serde_json::to_string(self).expect("a crossing has only text keys")
    }
}

/// The question while it waits. Only the crossing is bound; the rest is told beside it.
pub(crate) struct Asking {
    pub(crate) crossing: Crossing,
    encoded: String,
    because: String,
    stays: Categories,
}

impl Asking {
    /// Why it is asked, and what the conversation rests on that would not go.
    pub(crate) fn new(crossing: Crossing, because: String, stays: Categories) -> Self {
        Self { encoded: crossing.encoded(), crossing, because, stays }
    }
}

impl Pending for Asking {
    fn change(&self) -> &[u8] {
        self.encoded.as_bytes()
    }

    fn text(&self, _: &str, _: &str, asked: &[(&'static str, String)]) -> Shown {
        let Crossing { backend, classes, at_most } = &self.crossing;
        let along = |categories: Categories| match categories {
            Categories::NONE => "nothing".to_owned(),
            categories => categories.to_string(),
        };
        ConfirmText::new("Send this conversation to a model that is not yours")
            .id("To", backend)
            .line("Because", self.because.as_str())
            .line("What goes", "what you said, what was answered, the names of the tools")
            .line("Data of the node that may go along", along(*classes))
            .line("Data of this conversation that stays", along(self.stays))
            .line("At most", format!("{at_most} bytes of text, for this answer only"))
            .finish(&Undo::Never, "send", &self.encoded, asked)
    }

    fn same(&self, now: &dyn Pending) -> bool {
        now.as_any().downcast_ref::<Crossing>() == Some(&self.crossing)
    }

    fn as_any(&self) -> &dyn Any {
        &self.crossing
    }

    fn apply(self: Box<Self>, _: &Caller, _: Claim) -> Soon<'_, Result<Datum, ToolError>> {
        // The agreement is all that happens here; the request goes from the one place where requests go.
        Box::pin(async { Ok(Datum::text("agreed")) })
    }
}
