//! What a backend is asked: the one place where bytes of the node go to a backend, and so the one place where
//! [`may_leave`] is asked.

use std::sync::Arc;
use std::time::Duration;

use super::Inner;
use super::driver::Next;
use crate::audit::Line;
use crate::turn::Machine;
use crate::turn::input::{Asked, Crossed, Held, Input};
use crate::{
    Backend, BackendError, BackendFault, Batch, CallId, Caller, Calls, Categories, Content, Destination,
    Label, Message, Offer, Outcome, Request, may_leave,
};

/// A request that is ready to go, and the input that says so.
pub(super) struct Ready {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) request: Arc<Request>,
    pub(super) next: Next,
    /// Where the same backend is asked again.
    pub(super) again: Option<Again>,
    /// Bytes of messages in it that leave the owner's machines.
    pub(super) leaves: u64,
}

/// When the same backend is asked again, and whether.
pub(super) struct Again {
    /// Not before so long.
    pub(super) wait: Duration,
    /// Asked then: where it says no, the request does not go, and is made anew.
    pub(super) still: Box<dyn Fn() -> bool + Send + Sync>,
    /// Why it is asked again.
    pub(super) because: BackendError,
}

/// Which backend is asked, and instead of whom.
pub(super) struct Recipient {
    pub(super) backend: Arc<dyn Backend>,
    /// Where its bytes go, and what may go there as far as it is open: no more than the backend's own, less where a person
    /// agreed to less.
    pub(super) destination: Destination,
    pub(super) instead_of: Option<(String, BackendFault)>,
}

impl Inner {
    /// Makes the request for one backend out of the conversation, leaving out what may not go there.
    pub(super) async fn request(
        &self,
        caller: &Caller,
        history: &[Message],
        machine: &Machine,
        calls: Calls,
        recipient: Recipient,
    ) -> Ready {
        let offers = self.toolbox.offers(caller, self.open(), machine.context()).await;
        let facts = recipient.backend.facts();
        // Only now: what was closed while the offers were listed stays too.
        let open = if weak!(ClosedStillLeaves) { Categories::ALL } else { self.open() };
        let destination = recipient.destination.narrowed_to(open);
        let (messages, label, withheld) = leaving(history, machine.messages(), destination);
        let tools = for_destination(offers, destination);
        let names = named(&tools);
        let request = Arc::new(Request {
            tools,
            elsewhere: Arc::clone(&self.elsewhere),
            messages,
            calls,
            max_text: self.limits.text,
        });
        let crossed = matches!(destination, Destination::Remote { .. }).then(|| Crossed {
            holds: label.holds,
            messages: u32::try_from(request.messages.len()).unwrap_or(u32::MAX),
            bytes: request.messages.iter().map(|message| message.content.bytes()).sum(),
        });
        let leaves = crossed.as_ref().map_or(0, |crossed| crossed.bytes);
        let line = crossed.is_some().then(|| {
            let fact = self.audit.crossed(&facts.name, label.holds, &request.messages);
            Line::new(self.clock.now(), fact).by(caller.principal())
        });
        let asked = Asked {
            backend: crate::Shown::line(&facts.name).as_str().to_owned(),
            locality: facts.locality,
            mind: facts.mind,
            calls,
            label,
            names,
            withheld,
            crossed,
            instead_of: recipient.instead_of,
        };
        let next = Next { input: Input::Asked(asked), batch: Batch::new(), line, asks: None };
        Ready { backend: recipient.backend, request, next, again: None, leaves }
    }
}

/// The messages that may go there, what they rest on, and what stays.
fn leaving(
    history: &[Message],
    own: &[Message],
    destination: Destination,
) -> (Vec<Message>, Label, Vec<Held>) {
    let (mut messages, mut label, mut withheld) =
        (Vec::with_capacity(history.len() + own.len()), Label::default(), Vec::new());
    let all = history.iter().map(|message| (message, false)).chain(own.iter().map(|message| (message, true)));
    for (message, fresh) in all {
        if may_leave(message.label, destination) {
            label = label.join(message.label);
            messages.push(message.clone());
            continue;
        }
        let (call, stays) = match &message.content {
            Content::Result { call, tool, fence, .. } => {
                let content = Content::Result {
                    call: *call,
                    tool: tool.clone(),
                    outcome: Outcome::Withheld,
                    fence: *fence,
                };
                (Some(*call), Some(Message { label: Label::default(), content }))
            }
            _ => (None, None),
        };
        messages.extend(stays);
        let fresh: Option<CallId> = call.filter(|_| fresh);
        withheld.extend(message.label.holds.iter().map(|category| Held { category, call: fresh }));
    }
    withheld.dedup();
    (messages, label, withheld)
}

/// What the candidates rest on that a backend is given.
fn named(tools: &[Offer]) -> Label {
    let given = |offer: &&Offer| offer.candidates.iter().any(|candidates| !candidates.is_empty());
    tools.iter().filter(given).fold(Label::default(), |label, offer| {
        let others = offer.candidates.iter().any(|all| all.iter().any(|one| !one.names.is_empty()));
        label.join(Label { holds: offer.spec.rests_on(), tainted: others })
    })
}

/// The live candidates of a tool are data of its category: they stay where that may not go.
fn for_destination(offers: Vec<Offer>, destination: Destination) -> Vec<Offer> {
    offers
        .into_iter()
        .map(|mut offer| {
            let holds = offer.spec.category().map(crate::Categories::only).unwrap_or_default();
            if !may_leave(Label { holds, tainted: false }, destination) {
                offer.candidates.iter_mut().for_each(|candidates| *candidates = Arc::default());
            }
            offer
        })
        .collect()
}
